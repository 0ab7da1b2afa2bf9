"""Calls in a body: what all grammars of them have in common, and that of Hermes and Qwen, which is JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple, Protocol

from ocml_bridge.json_values.jsontext import Span, members, parse, spaced
from ocml_bridge.text.calls import SPACE, members_alone, remark_call
from ocml_bridge.text.repair import repair

from .spelling import escape, unescape


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


_KEYS: Final = ("arguments", "parameters")
_HEAD: Final = re.compile(
    r"""\s*\{\s*"name"\s*:\s*(?P<name>"(?:[^"\\]|\\.)*+")\s*,\s*"(?:arguments|parameters)"\s*:\s*""", re.S
)


def read_call(text: str) -> Call | None:
    """The call that a text describes; None where it does not say what is called."""
    found, repaired = members_alone(text), False
    if found is None:
        mended = _without_doubled(text) or repair(text.strip(SPACE))
        found, repaired = (None if mended is None else members_alone(mended)), True
    name = None if found is None else found.get("name")
    if found is None or name is None or not isinstance(name.value, str):
        return None
    given = [found[key] for key in _KEYS if key in found]
    arguments = _arguments(given[0]) if given else "{}"
    return Call(name.value, arguments, repaired=repaired, remark=remark_call(found, _KEYS))


def behind_object(text: str) -> tuple[str, str]:
    """A text as the JSON object that it begins with, and what stands behind; the latter is "" where it is none."""
    found = members(text)
    return (text, "") if found is None else (text[: found[1]], text[found[1] :])


def read_broken(text: str) -> Call | None:
    """The call that a text begins to describe; None where what is called is not there yet."""
    found = _HEAD.match(text)
    name = None if found is None else parse(found["name"])
    if found is None or name is None:
        return None
    return Call(name.value, unescape(text[found.end() :]), whole=False)


def _without_doubled(text: str) -> str | None:
    """An object without the braces that stand around it a second time."""
    text = text.strip(SPACE)
    return (
        text[1:-1] if text.startswith("{{") and text.endswith("}}") and members_alone(text[1:-1]) is not None else None
    )


def _arguments(given: Span) -> str:
    """The text of arguments: an encoded string is what it encodes."""
    return given.value if isinstance(given.value, str) else unescape(given.raw)


def write_call(call: Call) -> str:
    """The JSON object of a call, so that `read_call` gives it back; of one that broke off, what there is of it."""
    if not call.whole:
        return escape(f'{{"name": {spaced(call.name)}, "arguments": {call.arguments}')
    arguments = call.arguments if is_embedded(call.arguments) else spaced(call.arguments)
    return escape(f'{{"name": {spaced(call.name)}, "arguments": {arguments}}}')


def is_embedded(arguments: str) -> bool:
    """Whether arguments stand in a call as they are; others stand there as a string."""
    span = parse(arguments)
    return span is not None and not isinstance(span.value, str) and arguments.strip(SPACE) == arguments
