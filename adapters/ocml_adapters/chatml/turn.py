"""An assistant's body ↔ its thought, its texts and its calls, in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ocml_bridge.jsontext import parse
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import Message
from ocml_bridge.text.plain import message
from ocml_bridge.turns import is_call, is_thought, name_of, recipient_of

from .calls_json import Call, read_broken, read_call, write_call
from .families import Family
from .segments import CALL, Cutter, Segment, first_call
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


def read_turn(body: str, name: str | None, *, closed: bool, note: Note = _ignore) -> Turn:
    """What an assistant's body says.

    Args:
        body: as it stands in the text.
        name: the speaker's.
        closed: whether an end token follows.
        note: takes what had to be mended.
    """
    opening, thought, rest = split_thought(body)
    messages: list[Message] = []
    if thought is not None:
        whole = rest is not None
        messages.append(thought_of(thought, name, closed=whole))
        if not whole and closed:
            note(FindingCode.END_MISSING, 0, f"the thought has no {THOUGHT_END}")
    if rest:
        cutter, items = Cutter(), Items(name, len(messages), note)
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
        return ("", inside(thought), None) if thought.strip() else (body, None, "")
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
    """

    def __init__(self, name: str | None, index: int, note: Note) -> None:
        self._name = name
        self._index = index
        self._note = note
        self._text: list[str] = []
        self._messages: list[Message] = []

    def take(self, segment: Segment) -> None:
        """Take the next segment."""
        calls = calls_of(segment)
        if not calls:
            if segment.opener:
                detail = "what is called cannot be told; the call is kept as text"
                self._note(FindingCode.JSON_OPAQUE, self._place, detail)
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
        if text.strip() or (text and not self._messages and not calls_follow):
            self._messages.append(message("assistant", restore(text), self._name))

    def _remark(self, call: Call, *, closed: bool) -> None:
        if call.repaired:
            self._note(FindingCode.JSON_REPAIRED, self._place, "the call's JSON is mended")
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


def calls_of(segment: Segment) -> list[Call]:
    """The calls that a segment is; none for text, and for what does not say what is called."""
    if segment.opener != CALL:
        return []
    call = read_call(segment.inner)
    if call is None and not segment.closed:
        call = read_broken(segment.inner)
    return [] if call is None else [call]


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


def write_turn(messages: Sequence[Message], opening: str, family: Family, guard: Callable[[str], str]) -> str:
    """The body of a thought, texts and calls.

    Args:
        messages: in order.
        opening: a thought without a word that stands in front of them.
        family: how they are spelled.
        guard: makes of text what may stand in a body.
    """
    pieces = [opening]
    before: Message | None = None
    for each in messages:
        pieces.append("" if before is None else gap_between(before, each, family))
        pieces.append(write_part(each, family, guard))
        before = each
    if before is not None and is_call(before) and before.end is not None:
        pieces.append(family.end)
    return "".join(pieces)


def gap_between(before: Message, part: Message, family: Family) -> str:
    """What stands between two messages of one body."""
    if is_thought(before):
        return family.thoughts.gap
    if is_call(part):
        return family.call_gap if is_call(before) else family.text_gap
    return family.call_gap


def write_part(part: Message, family: Family, guard: Callable[[str], str]) -> str:
    """A thought, a text or a call as it stands in a body; `guard` makes of text what may stand there."""
    content = str(part.content)
    if is_thought(part):
        close = "" if part.end is None else family.thoughts.close
        return f"{family.thoughts.open}{guard(content)}{close}"
    if not is_call(part):
        return guard(content)
    call = Call(name_of(part.recipient or ""), content, whole=part.end is not None)
    return f"{CALL}\n{write_call(call)}" + ("" if part.end is None else "\n</tool_call>")
