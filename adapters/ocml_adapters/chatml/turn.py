"""An assistant's body ↔ its thought, its texts and its calls, in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ocml_bridge.jsontext import parse
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import Json, Message
from ocml_bridge.text.plain import message
from ocml_bridge.turns import is_call, is_thought, name_of, recipient_of

from .families import Family
from .markup.argument_types import typed, values_of
from .markup.calls import Call as Spelled
from .markup.calls import CallGrammar, Flaw, all_calls, stretches
from .markup.calls_json import Call, read_broken, read_call, write_call
from .markup.calls_python import PythonCalls
from .markup.calls_xml import XmlCalls
from .markup.segments import CALL, FUNCTION, LIST, Cutter, Segment, first_call
from .markup.spelling import as_json, object_of
from .syntax import control_of

THINK: Final = "<think>"
THOUGHT_END: Final = "</think>"
OPENING: Final = re.compile(r"\s*<think>")
_GAP: Final = re.compile(r"\n{0,2}")
NOTHING_THOUGHT: Final = re.compile(r"(?:\s*<think>)?\s*</think>\n{0,2}|\s*<think>\s*")
"""A thought without a word, with the line breaks behind it."""
OPENED: Final = re.compile(r"\s*<think>\s*(?:</think>\s*)?")
"""What stands in an open turn whose thought is begun, or left out."""
Note = Callable[[FindingCode, int, str], None]
"""Takes what a reader noticed: code, which message of the body, detail."""
restore: Final = control_of("assistant").restore
ARGUMENTS: Final = control_of("call")
"""The tokens that the values of arguments must not hold where they are not JSON."""
XML: Final = XmlCalls()
PYTHON: Final = PythonCalls()
Schemas = Mapping[str, Json]
"""The parameters of each declared function, by its name."""
NO_SCHEMAS: Final[Schemas] = {}


class Guard(NamedTuple):
    """What makes of a text what may stand in a body.

    Attributes:
        text: of a text or a thought.
        arguments: of arguments that are not written as JSON.
    """

    text: Callable[[str], str]
    arguments: Callable[[str], str]


RAW: Final = Guard(str, str)
"""Leaves everything as it is."""


class Turn(NamedTuple):
    """What a body says.

    Attributes:
        messages: the thought, the texts and the calls; their `continues` and channels are by their places.
        opening: the thought without a word that stands in front of them; "" for none.
    """

    messages: list[Message]
    opening: str = ""


def _ignore(code: FindingCode, index: int, detail: str) -> None:
    """Where a body is read again only to see what it says."""


def read_turn(
    body: str, name: str | None, *, closed: bool, note: Note = _ignore, schemas: Schemas = NO_SCHEMAS
) -> Turn:
    """What an assistant's body says.

    Args:
        body: as it stands in the text.
        name: the speaker's.
        closed: whether an end token follows.
        note: takes what had to be mended.
        schemas: of the functions that are declared.
    """
    opening, thought, rest = split_thought(body)
    messages: list[Message] = []
    if thought is not None:
        whole = rest is not None
        messages.append(thought_of(thought, name, closed=whole))
        if not whole and closed:
            note(FindingCode.END_MISSING, 0, f"the thought has no {THOUGHT_END}")
    if rest:
        cutter, items = Cutter(), Items(name, len(messages), note, schemas)
        for segment in (*cutter.feed(rest), *cutter.finish()):
            items.take(segment)
        messages += items.finish()
    if not messages:
        messages.append(message("assistant", "", name))
    if not closed and not is_call(messages[-1]) and not is_thought(messages[-1]):
        messages[-1].end = None
    return Turn(placed(messages), opening)


def split_thought(body: str) -> tuple[str, str | None, str | None]:
    """A body as a thought without a word, a thought, and what follows; None for no thought, and for one without end."""
    end, opened = body.find(THOUGHT_END), OPENING.match(body)
    if end < 0 and opened is not None:
        thought = body[opened.end() :]
        return ("", thought.removeprefix("\n"), None) if thought.strip() else (body, None, "")
    call = first_call(body)
    if end < 0 or (opened is None and 0 <= call < end):
        return "", None, body
    begun = opened is not None and opened.end() <= end
    thought = inside(body[opened.end() : end]) if opened is not None and begun else body[:end].removesuffix("\n")
    gap = _GAP.match(body, end + len(THOUGHT_END))
    assert gap is not None
    rest = body[gap.end() :]
    return ("", thought, rest) if thought.strip() else (body[: gap.end()], None, rest)


def inside(text: str) -> str:
    """A text between tags, without the line break at each end."""
    return text.removeprefix("\n").removesuffix("\n")


def thought_of(text: str, name: str | None, *, closed: bool) -> Message:
    """The message that a thought is."""
    return Message("assistant", restore(text), name, "analysis", end="end" if closed else None)


class Items:
    """Makes messages of segments, in order; text that is blank beside calls says nothing.

    Args:
        name: the speaker's.
        index: of the first message in its body.
        note: takes what had to be mended.
        schemas: of the functions that are declared.
    """

    def __init__(self, name: str | None, index: int, note: Note, schemas: Schemas) -> None:
        self._schemas = schemas
        self._name = name
        self._index = index
        self._note = note
        self._text: list[str] = []
        self._messages: list[Message] = []

    def take(self, segment: Segment) -> None:
        """Take the next segment."""
        calls = calls_of(segment, self._schemas)
        if not calls:
            if segment.opener:
                code = FindingCode.TRUNCATED if breaks_off(segment) else FindingCode.JSON_OPAQUE
                self._note(code, self._place, "what is called cannot be told; the call is kept as text")
            self._text.append(segment.raw)
            return
        self._end_text(calls_follow=True)
        for call in calls:
            self._remark(call, closed=segment.closed)
            self._messages.append(message_of(call, self._name))

    def finish(self) -> list[Message]:
        """All messages."""
        self._end_text(calls_follow=False)
        return self._messages

    @property
    def _place(self) -> int:
        return self._index + len(self._messages)

    def _end_text(self, *, calls_follow: bool) -> None:
        text, self._text = trimmed("".join(self._text), behind_call=self._messages != [], before_call=calls_follow), []
        alone = self._place == 0 and not calls_follow
        if text.strip() or (text and alone):
            self._messages.append(message("assistant", restore(text), self._name))

    def _remark(self, call: Call, *, closed: bool) -> None:
        if call.repaired:
            self._note(FindingCode.JSON_REPAIRED, self._place, "the call is mended")
        if call.remark is not None:
            self._note(FindingCode.SHAPE, self._place, call.remark)
        if not call.whole:
            self._note(FindingCode.TRUNCATED, self._place, "the call breaks off")
        elif not closed:
            self._note(FindingCode.END_MISSING, self._place, "the call has no end tag")


def trimmed(text: str, *, behind_call: bool, before_call: bool) -> str:
    """A text beside calls without the line breaks that are their markup, two at most on each side."""
    if behind_call:
        text = text.removeprefix("\n").removeprefix("\n")
    return text.removesuffix("\n").removesuffix("\n") if before_call else text


def calls_of(segment: Segment, schemas: Schemas = NO_SCHEMAS) -> list[Call]:
    """The calls that a segment is; none for text, and for what does not say what is called.

    Args:
        segment: a piece of a body.
        schemas: of the functions that are declared.
    """
    if segment.opener not in (CALL, LIST, FUNCTION):
        return []
    grammar = _grammar_of(segment)
    if grammar is not None:
        calls = all_calls(grammar, segment.raw)
        mended = any(found.mended for found in stretches(grammar, segment.raw))
        return [_typed(call, schemas, repaired=mended) for call in calls or ()]
    call = read_call(segment.inner)
    if call is None and not segment.closed:
        call = read_broken(segment.inner)
    return [] if call is None else [call]


def breaks_off(segment: Segment) -> bool:
    """Whether a segment begins like a call that is no JSON, and ends within it."""
    grammar = _grammar_of(segment)
    return grammar is not None and any(found.flaw is Flaw.CUT_OFF for found in stretches(grammar, segment.raw))


def _grammar_of(segment: Segment) -> CallGrammar | None:
    """How the calls of a segment are spelled; None for text, and for JSON."""
    if segment.opener == LIST:
        return PYTHON
    return XML if segment.opener and (segment.opener + segment.inner.lstrip()).startswith(_XML_BEGINS) else None


_XML_BEGINS: Final = (FUNCTION, CALL + FUNCTION)


def _typed(call: Spelled, schemas: Schemas, *, repaired: bool) -> Call:
    arguments = ARGUMENTS.restore(call.arguments)
    values = values_of(arguments) if call.untyped else None
    if values is None:
        return Call(call.name, arguments, repaired=repaired)
    read = typed(values, schemas.get(call.name))
    names = ", ".join((*read.undeclared, *read.mistyped))
    remark = f"nothing tells the type of {names}; as text it is read" if names else None
    return Call(call.name, read.arguments, repaired=repaired, remark=remark)


def message_of(call: Call, name: str | None) -> Message:
    """The message that a call is."""
    return Message(
        "assistant",
        call.arguments,
        name,
        "commentary",
        recipient_of(call.name),
        constraint=constraint_of(call.arguments) if call.whole else "json",
        end="call" if call.whole else None,
    )


def constraint_of(arguments: str) -> str | None:
    """`json` where arguments are JSON."""
    return "json" if parse(arguments) is not None else None


def placed(messages: Sequence[Message]) -> list[Message]:
    """The messages of one body with what their places in it imply; each is one's own copy."""
    calls = [index for index, each in enumerate(messages) if is_call(each)]
    for index, each in enumerate(messages):
        place(each, index, before_call=bool(calls) and index < calls[0], more=index < len(messages) - 1)
    return list(messages)


def place(part: Message, index: int, *, before_call: bool, more: bool) -> None:
    """Give a message of a body what its place there implies.

    Args:
        part: the message.
        index: its place.
        before_call: whether the first call comes behind it.
        more: whether anything does.
    """
    part.continues = index > 0
    if not is_call(part) and not is_thought(part):
        part.channel, part.intent = ("commentary", "preamble") if before_call else ("final", None)
    if part.end is None and more:
        part.end = "call" if is_call(part) else "end"


def write_turn(messages: Sequence[Message], opening: str, family: Family, guard: Guard) -> str:
    """The body of a thought, texts and calls.

    Args:
        messages: in order.
        opening: a thought without a word that stands in front of them.
        family: how they are spelled.
        guard: makes of them what may stand in a body.
    """
    pieces = [opening]
    before: Message | None = None
    for run in _runs(messages, family):
        pieces.append("" if before is None else gap_between(before, run[0], family))
        pieces.append(write_calls(run, family, guard) if is_call(run[0]) else write_part(run[0], family, guard))
        before = run[-1]
    if before is not None and before.end is not None:
        pieces.append(end_of(before, family))
    return "".join(pieces)


def end_of(final: Message, family: Family) -> str:
    """What stands behind the last message of a body, which is whole."""
    if is_call(final):
        return family.end
    return family.thoughts.alone if is_thought(final) else ""


def _runs(messages: Sequence[Message], family: Family) -> Iterator[list[Message]]:
    """Messages one by one; calls that are spelled together, together."""
    run: list[Message] = []
    for each in messages:
        if run and not (family.calls == "python" and is_call(run[-1]) and is_call(each)):
            yield run
            run = []
        run.append(each)
    if run:
        yield run


def write_calls(run: Sequence[Message], family: Family, guard: Guard) -> str:
    """Calls that follow one another: as the family spells them, or as JSON where it cannot spell them."""
    if family.grammar is not None and all(map(is_spelled, run)):
        texts = (guard.arguments(as_json(str(call.content))) for call in run)
        calls = [Spelled(name_of(call.recipient or ""), text) for call, text in zip(run, texts, strict=True)]
        text = family.grammar.write(calls)
        if text is not None:
            return text
    return family.call_gap.join(map(_json_call, run))


def is_spelled(call: Message) -> bool:
    """Whether a call may be spelled otherwise than as JSON: it is whole, and its arguments are an object."""
    return call.end is not None and object_of(str(call.content)) is not None


def _json_call(part: Message) -> str:
    call = Call(name_of(part.recipient or ""), str(part.content), whole=part.end is not None)
    return f"{CALL}\n{write_call(call)}" + ("" if part.end is None else "\n</tool_call>")


def gap_between(before: Message, part: Message, family: Family) -> str:
    """What stands between two messages of one body."""
    if is_thought(before):
        return family.thoughts.gap
    if is_call(part):
        return family.call_gap if is_call(before) else family.text_gap
    return family.call_gap


def write_part(part: Message, family: Family, guard: Guard) -> str:
    """A thought or a text as it stands in a body."""
    content = guard.text(str(part.content))
    if not is_thought(part):
        return content
    return f"{family.thoughts.open}{content}{'' if part.end is None else family.thoughts.close}"
