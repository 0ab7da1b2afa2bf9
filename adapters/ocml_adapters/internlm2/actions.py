"""The assistant's body ↔ its texts and calls, in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ocml_bridge.loss import FindingCode
from ocml_bridge.model import Message
from ocml_bridge.text.plain import message
from ocml_bridge.turns import is_call

from .calls import Call, read_code, read_plugin, write_code, write_plugin
from .syntax import CONTROL, IM, PYTHON, UNUSED, Spelling

Note = Callable[[FindingCode, int, str], None]
"""Takes what a reader noticed: code, which message of the body, detail."""


def _either(field: str) -> str:
    return f"(?:{re.escape(getattr(IM, field))}|{re.escape(getattr(UNUSED, field))})"


_MARK: Final = re.compile(
    rf"(?P<open>{_either('action_start')}\s*(?:(?P<plugin>{_either('plugin')})|{_either('interpreter')})[ \t]*\n?)"
    rf"|{_either('action_end')}"
)


def _ignore(code: FindingCode, index: int, detail: str) -> None:
    """Where a body is read again only to see what it says."""


def _segments(body: str) -> Iterator[tuple[str, re.Match[str] | None, str, bool]]:
    """The body cut at its calls: raw text, and for a call its opening, what it holds, and whether it was ended."""
    marks = list(_MARK.finditer(body))
    at = 0
    for index, mark in enumerate(marks):
        if mark["open"] is None:
            continue
        if mark.start() > at:
            yield body[at : mark.start()], None, "", True
        following = marks[index + 1] if index + 1 < len(marks) else None
        closed = following is not None and following["open"] is None
        inner = body[mark.end() : following.start() if following is not None else len(body)]
        at = len(body) if following is None else following.end() if closed else following.start()
        yield body[mark.start() : at], mark, inner, closed
    if at < len(body):
        yield body[at:], None, "", True


def read_body(body: str, name: str | None, *, closed: bool, note: Note = _ignore) -> tuple[Message, ...]:
    """The messages that an assistant's body is.

    Args:
        body: as it stands in the text.
        name: the speaker's.
        closed: whether an end token follows.
        note: takes what had to be mended.
    """
    items = _items(body, note)
    if len(items) == 1 and isinstance(items[0], str):
        return (_text(body, name, note, 0, closed=closed),)
    said = [item for item in items if not isinstance(item, str) or item.strip()]
    out: list[Message] = []
    for index, item in enumerate(said):
        last = index == len(said) - 1
        if isinstance(item, str):
            out.append(_text(item, name, note, index, closed=closed or not last))
        else:
            out.append(_call(*item, name, note, index, last=last))
    return dressed(out)


def _items(body: str, note: Note) -> list[str | tuple[Call, bool]]:
    """Texts as they stand, and calls with whether they were ended; what is no call joins the text around it."""
    items: list[str | tuple[Call, bool]] = []
    text: list[str] = []
    for raw, opening, inner, closed in _segments(body):
        call = _read_call(opening, CONTROL.restore(inner)) if opening is not None else None
        if call is None:
            text.append(raw)
            if opening is not None:
                note(FindingCode.JSON_OPAQUE, 0, "what is called cannot be told; the call is kept as text")
            continue
        if text:
            items.append("".join(text))
            text = []
        items.append((call, closed))
    if text or not items:
        items.append("".join(text))
    return items


def _read_call(opening: re.Match[str], inner: str) -> Call | None:
    return read_plugin(inner) if opening["plugin"] is not None else read_code(inner)


def _text(raw: str, name: str | None, note: Note, index: int, *, closed: bool) -> Message:
    stray = CONTROL.plain.search(raw)
    if stray is not None:
        note(FindingCode.STRAY_TOKEN, index, f"{stray[0]} in the text is read as text")
    return message("assistant", CONTROL.restore(raw), name, "end" if closed else None)


def _call(call: Call, closed: bool, name: str | None, note: Note, index: int, *, last: bool) -> Message:
    if call.repaired:
        note(FindingCode.JSON_REPAIRED, index, "the call's JSON is mended")
    if call.remark is not None:
        note(FindingCode.SHAPE, index, call.remark)
    if not closed:
        code = FindingCode.TRUNCATED if last else FindingCode.END_MISSING
        note(code, index, f"the call has no {IM.action_end}")
    return Message(
        "assistant",
        call.content,
        name,
        "commentary",
        call.recipient,
        constraint=call.constraint,
        end="call" if closed or not last else None,
    )


def dressed(unit: Sequence[Message]) -> tuple[Message, ...]:
    """The messages of one body with what their place in it implies; each is one's own copy."""
    for index, part in enumerate(unit):
        part.continues = index > 0
        if index == 0 and len(unit) > 1 and not is_call(part):
            part.channel, part.intent = "commentary", "preamble"
        if part.end is None and index < len(unit) - 1:
            part.end = "call" if is_call(part) else "end"
    return tuple(unit)


def joins(before: Message, after: Message) -> bool:
    """Whether a message that continues the one before it can stand in the same body, and be read back from it."""
    return (
        after.continues
        and before.role == after.role == "assistant"
        and before.name == after.name
        and (is_call(before) or is_call(after))
        and all(is_call(part) or str(part.content).strip() != "" for part in (before, after))
    )


def write_body(unit: Sequence[Message], spelling: Spelling, guard: Callable[[str], str]) -> str:
    """The body of texts and calls; `guard` makes of text what may stand in it."""
    return "".join(_written(part, spelling, guard) for part in unit)


def _written(part: Message, spelling: Spelling, guard: Callable[[str], str]) -> str:
    content = str(part.content)
    if not is_call(part):
        return guard(content)
    code = part.recipient == PYTHON and part.constraint is None
    kind = spelling.interpreter if code else spelling.plugin
    inner = write_code(content) if code else write_plugin(part.recipient or "", content)
    end = "" if part.end is None else spelling.action_end
    return f"{spelling.action_start}{kind}\n{guard(inner)}{end}"
