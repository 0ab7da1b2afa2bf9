"""What all grammars of calls in a body have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple, Protocol


class Flaw(Enum):
    """Why something that begins like a call is none."""

    CUT_OFF = "the call is cut off"
    OPAQUE = "the call cannot be read"


class Call(NamedTuple):
    """A call.

    Attributes:
        name: the function's, as it is spelled.
        arguments: a JSON object, or what stands for it.
        untyped: whether the arguments' values are texts whose types only the function's schema tells.
        whole: whether it did not break off.
        repaired: whether the text had to be mended.
        remark: what of the text is kept as spelling only, or not sure; None for nothing.
    """

    name: str
    arguments: str
    untyped: bool = False
    whole: bool = True
    repaired: bool = False
    remark: str | None = None


class Found(NamedTuple):
    """A stretch of a body that holds calls, or begins like one.

    Attributes:
        start: where it begins.
        end: the offset behind it.
        calls: its calls, in order; none where it has a flaw.
        mended: what had to be mended to read them, in words.
        flaw: why it holds no calls.
    """

    start: int
    end: int
    calls: tuple[Call, ...]
    mended: tuple[str, ...] = ()
    flaw: Flaw | None = None


class CallGrammar(Protocol):
    """How the calls of a dialect stand in the body of an assistant's message."""

    @property
    def tags(self) -> tuple[str, ...]:
        """What the markup is made of, which other text must not hold as it is."""
        ...

    def find(self, text: str, at: int = 0) -> Found | None:
        """The first stretch of calls at an offset or behind it; None where there is none."""
        ...

    def write(self, calls: Sequence[Call]) -> str | None:
        """Calls as they stand behind one another in a body; None where any of them cannot be spelled."""
        ...

    def plain(self, arguments: str) -> str | None:
        """Arguments as they stand in any call, where that surely reads as the same values; None for any others.

        Args:
            arguments: JSON; others than in the spelling of `as_json` are none.
        """
        ...


def stretches(grammar: CallGrammar, text: str) -> Iterator[Found]:
    """The stretches of calls in a text, in order."""
    at = 0
    while (found := grammar.find(text, at)) is not None:
        yield found
        at = found.end


def calls_in(found_in_text: Iterable[Found], text: str) -> list[Call] | None:
    """The calls of a text that holds calls, white space, and nothing else; None for any other text.

    Args:
        found_in_text: the stretches that were found in the text.
        text: it.
    """
    calls: list[Call] = []
    at = 0
    for found in found_in_text:
        if found.flaw is not None or text[at : found.start].strip():
            return None
        calls += found.calls
        at = found.end
    return None if text[at:].strip() else calls
