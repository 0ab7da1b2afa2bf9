"""Read and write the body of an assistant's frame: its texts and calls, in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import Message
from ocml_bridge.text.plain import message
from ocml_bridge.text.specials import THINKING, TOOLS, end_inside, end_of_text_in
from ocml_bridge.units.heads import Head

from .calls import Call, read_code, read_plugin, write_code, write_plugin
from .syntax import CONTROL, IM, KINDS, MARKS, PYTHON, UNUSED, Dialect

_STARTS: Final = frozenset({IM.action_start, UNUSED.action_start})
_ENDS: Final = frozenset({IM.action_end, UNUSED.action_end})
_TOKEN: Final = re.compile("(" + "|".join(map(re.escape, (*_STARTS, *_ENDS, *KINDS))) + ")")
Note = Callable[[FindingCode, int, str], None]
"""Takes a finding: its code, the index of the message in the body, the sentence."""


# --- where calls stand ------------------------------------------------------------------------------------------------


class Segment(NamedTuple):
    """A part of a body: a piece of text, or a call.

    Attributes:
        raw: the raw text.
        kind: `plugin` or `interpreter` for a call; None for text.
        inner: the text inside the call.
        closed: whether the call has its end token.
    """

    raw: str
    kind: str | None = None
    inner: str = ""
    closed: bool = True


class Cutter:
    """Splits a body into texts and calls, incrementally; pieces of text must not be cut inside a token.

    A call begins with two tokens that have only white space between them. It ends with its end token, or where the next
    call begins. An end token elsewhere is text.

    Attributes:
        pending: the number of characters that are buffered.
    """

    def __init__(self) -> None:
        self.pending = 0
        self._candidate: list[str] = []
        """A start token that may begin a call, and white space after it."""
        self._opening: list[str] = []
        self._kind: str | None = None
        self._inner: list[str] = []
        self._done: list[Segment] = []

    @property
    def in_text(self) -> bool:
        """Whether the position is in text, so that anything but a token is text."""
        return self._kind is None and not self._candidate

    @property
    def lacks_end(self) -> bool:
        """Whether an open call is complete but for its end token; one that lacks brackets may be cut off."""
        return self._kind is not None and call_of(self._segment("", closed=False)) is not None

    def feed(self, text: str) -> list[Segment]:
        """Take more text; return the segments that it completes."""
        pieces = _TOKEN.split(text)
        self._text(pieces[0])
        for at in range(1, len(pieces), 2):
            self._token(pieces[at])
            self._text(pieces[at + 1])
        return self._take()

    def finish(self) -> list[Segment]:
        """End the body; return the remaining segments."""
        self._settle()
        if self._kind is not None:
            self._call("", closed=False)
        return self._take()

    def _take(self) -> list[Segment]:
        done, self._done = self._done, []
        return done

    def _text(self, text: str) -> None:
        if not text:
            return
        if self._candidate and text.isspace():
            self._candidate.append(text)
            self.pending += len(text)
            return
        self._settle()
        self._put(text)

    def _token(self, token: str) -> None:
        kind = KINDS.get(token)
        if kind is not None and self._candidate:
            if self._kind is not None:
                self._call("", closed=False)
            self._opening, self._kind, self._candidate = [*self._candidate, token], kind, []
            return
        self._settle()
        if token in _STARTS:
            self._candidate.append(token)
            self.pending += len(token)
        elif token in _ENDS and self._kind is not None:
            self._call(token, closed=True)
        else:
            self._put(token)

    def _settle(self) -> None:
        """Treat the buffered token as text, because it did not begin a call."""
        candidate, self._candidate = self._candidate, []
        for text in candidate:
            self.pending -= len(text)
            self._put(text)

    def _put(self, text: str) -> None:
        if self._kind is None:
            self._done.append(Segment(text))
        else:
            self._inner.append(text)
            self.pending += len(text)

    def _segment(self, end: str, *, closed: bool) -> Segment:
        inner = "".join(self._inner)
        raw = "".join((*self._opening, inner, end))
        return Segment(raw, self._kind, inner.lstrip(" \t").removeprefix("\n"), closed)

    def _call(self, end: str, *, closed: bool) -> None:
        self._done.append(self._segment(end, closed=closed))
        self._kind, self._inner = None, []
        self.pending = sum(map(len, self._candidate))


# --- reading ----------------------------------------------------------------------------------------------------------


def _ignore(code: FindingCode, index: int, detail: str) -> None:
    """Drop findings: the body is read again only to compare."""


def read_body(body: str, name: str | None, *, closed: bool, note: Note = _ignore) -> tuple[Message, ...]:
    """Read the messages of an assistant's body.

    Args:
        body: the raw body.
        name: the name in the header.
        closed: whether an end token follows.
        note: takes the findings.
    """
    items = _items(body, note)
    if len(items) == 1 and isinstance(items[0], str):
        return (_text(body, name, note, 0, closed=closed),)
    parts = [item for item in items if not isinstance(item, str) or item.strip()]
    out: list[Message] = []
    for index, item in enumerate(parts):
        last = index == len(parts) - 1
        if isinstance(item, str):
            out.append(_text(item, name, note, index, closed=closed or not last))
        else:
            call, ended = item
            _remark(call, note, index, ended=ended, last=last)
            out.append(message_of(call, name, closed=ended or not last))
    return with_places(out)


def _items(body: str, note: Note) -> list[str | tuple[Call, bool]]:
    """Return the raw texts, and the calls with whether they have an end token; a call that cannot be read is text."""
    items: list[str | tuple[Call, bool]] = []
    text: list[str] = []
    cutter = Cutter()
    for segment in (*cutter.feed(body), *cutter.finish()):
        call = call_of(segment)
        if call is None:
            text.append(segment.raw)
            if segment.kind is not None:
                note(FindingCode.JSON_OPAQUE, 0, "the call does not name its tool; it is kept as text")
            continue
        if text:
            items.append("".join(text))
            text = []
        items.append((call, segment.closed))
    if text or not items:
        items.append("".join(text))
    return items


def call_of(segment: Segment) -> Call | None:
    """Return the call in a segment; None for text, and for a call that does not name its tool."""
    if segment.kind is None:
        return None
    inner = CONTROL.restore(segment.inner)
    return read_plugin(inner, closed=segment.closed) if segment.kind == "plugin" else read_code(inner)


def _text(raw: str, name: str | None, note: Note, index: int, *, closed: bool) -> Message:
    stray = MARKS.plain.search(raw)
    if stray is not None:
        note(FindingCode.STRAY_TOKEN, index, f"{stray[0]} inside a message is read as text")
    token = end_of_text_in(raw)
    if token is not None:
        note(FindingCode.STRAY_TOKEN, index, end_inside(token))
    tag = next((tag for tag in (*THINKING, *TOOLS[:2]) if tag in raw), None)
    if tag is not None:
        detail = f"`{tag}` is read as text here: this format does not read the markup of Hermes and Qwen"
        note(FindingCode.MARKUP, index, detail)
    return message("assistant", CONTROL.restore(raw), name, "end" if closed else None)


def _remark(call: Call, note: Note, index: int, *, ended: bool, last: bool) -> None:
    if call.repaired:
        note(FindingCode.JSON_REPAIRED, index, "the JSON of the call is repaired")
    if call.remark is not None:
        note(FindingCode.SHAPE, index, call.remark)
    if not ended:
        code = FindingCode.TRUNCATED if last else FindingCode.END_MISSING
        note(code, index, f"the call has no {IM.action_end}")


def message_of(call: Call, name: str | None, *, closed: bool) -> Message:
    """Return the message of a call."""
    end = "call" if closed else None
    return Message("assistant", call.content, name, "commentary", call.recipient, constraint=call.constraint, end=end)


def with_places(unit: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages of one body with the fields that their place implies, changed in place: pass copies."""
    return tuple(placed(part, index, more=index < len(unit) - 1) for index, part in enumerate(unit))


def placed(part: Message, index: int, *, more: bool) -> Message:
    """Set the fields of a message that its place in the body implies; `more`: whether messages follow."""
    part.continues = index > 0
    if index == 0 and more and not is_call(part):
        part.channel, part.intent = "commentary", "preamble"
    if part.end is None and more:
        part.end = "call" if is_call(part) else "end"
    return part


def joins(before: Head, head: Head) -> bool:
    """Return whether a text or a call belongs to the same body as the message before it, if neither text is blank."""
    return (
        head.continues
        and before.role == head.role == "assistant"
        and before.name == head.name
        and (before.calls or head.calls)
        and (before.calls or not before.empty)
        and (head.calls or not head.empty)
    )


def write_body(unit: Sequence[Message], dialect: Dialect, guard: Callable[[str], str]) -> str:
    """Write the body of texts and calls; `guard` breaks the control tokens in contents."""
    return "".join(_written(part, dialect, guard) for part in unit)


def after_body(final: Message, dialect: Dialect) -> str:
    """Return the text that a dialect writes after the last message of a body."""
    return dialect.behind_call if is_call(final) and final.end is not None else ""


def _written(part: Message, dialect: Dialect, guard: Callable[[str], str]) -> str:
    content, spelling = str(part.content), dialect.tokens
    if not is_call(part):
        return guard(content)
    code = part.recipient == PYTHON and part.constraint is None
    kind = spelling.interpreter if code else spelling.plugin
    inner = write_code(content) if code else write_plugin(part.recipient or "", content, dialect.arguments)
    end = "" if part.end is None else spelling.action_end
    return f"{spelling.action_start}{kind}\n{guard(inner)}{end}"
