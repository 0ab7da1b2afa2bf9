"""Define what all grammars of calls in a body have in common: a call, a stretch of calls, and the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Literal, NamedTuple, Protocol

Markup = Literal["json", "xml", "params", "python"]
"""The syntax of calls: JSON (Hermes), XML tags (Qwen3-Coder), tags with attributes (MiniCPM5), or Python (LFM2)."""


class Flaw(Enum):
    """Why a text that begins like a call has no calls."""

    CUT_OFF = "the call is cut off"
    OPAQUE = "the call cannot be read"


class Call(NamedTuple):
    """A call.

    Attributes:
        name: the name of the function, as it is written.
        arguments: a JSON object, or the text in its place.
        untyped: whether the values are texts, whose types only the schema of the function defines.
        whole: whether the call is complete.
        last_is_open: whether the last value of a call that is cut off is cut off as well.
        repaired: whether its text was repaired.
        remark: what is uncertain in it, or is kept only as spelling; None if nothing is.
    """

    name: str
    arguments: str
    untyped: bool = False
    whole: bool = True
    last_is_open: bool = False
    repaired: bool = False
    remark: str | None = None


class Stretch(NamedTuple):
    """A part of a body that holds calls, or begins like a call.

    Attributes:
        start: its offset.
        end: the offset after it.
        calls: its calls, in order; if it has a flaw, the one that is cut off, if its function is known.
        mended: whether it was repaired.
        flaw: why it has no whole calls; None if it has.
    """

    start: int
    end: int
    calls: tuple[Call, ...]
    mended: bool = False
    flaw: Flaw | None = None


class CallGrammar(Protocol):
    """How the calls of a dialect are read and written in the body of an assistant's message."""

    @property
    def markup(self) -> Markup:
        """The syntax of the calls."""
        ...

    def find(self, text: str, at: int = 0) -> Stretch | None:
        """Return the first stretch of calls at or after an offset, or None."""
        ...

    def write(self, calls: Sequence[Call]) -> str | None:
        """Return the text of neighbouring calls; None if one of them cannot be written."""
        ...

    def plain(self, arguments: str) -> str | None:
        """Return the text of arguments in a call if it certainly reads as the same values, or None.

        Args:
            arguments: JSON in the spelling of `as_json`; for any other text the result is None.
        """
        ...


def stretches(grammar: CallGrammar, text: str) -> Iterator[Stretch]:
    """Yield the stretches of calls in a text, in order."""
    at = 0
    while (stretch := grammar.find(text, at)) is not None:
        yield stretch
        at = stretch.end


def calls_in(parts: Iterable[Stretch], text: str) -> list[Call] | None:
    """Return the calls of a text, or None if it has anything but calls and white space.

    Args:
        parts: the stretches of calls in the text.
        text: the text.
    """
    calls: list[Call] = []
    at = 0
    for stretch in parts:
        if stretch.flaw is not None or text[at : stretch.start].strip():
            return None
        calls += stretch.calls
        at = stretch.end
    return None if text[at:].strip() else calls
