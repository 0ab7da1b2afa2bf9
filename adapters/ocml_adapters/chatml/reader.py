"""ChatML → document: frames become messages, nothing in them is stripped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ocml_bridge.adapter import Options, Source
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Document, Message, Transcript
from ocml_bridge.text.edges import by_format, is_trivia, remember
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.text.plain import ROLES, message, name_from_header

from .frames import default_frame, remember_tail
from .pieces import Pieces, cut, from_list, inner, whole
from .syntax import CONTROL, END, GRAMMAR, HOME, LIST, START, TEXT, Form

_NO_END: Final = f"no {END} before the next {START}; it is taken to end there"


def read_text(source: Source, options: Options, log: Log) -> Document:
    """Read raw ChatML.

    Raises:
        BridgeError: OCB-NO-FRAMES where no message begins; OCB-INCOMPLETE for a half-finished message that is not the
            assistant's, which the format does not allow.
    """
    assert isinstance(source, str)
    frames, tail = GRAMMAR.frames(source)
    if not frames and tail.strip():
        raise BridgeError(ErrorCode.NO_FRAMES, f"no {START} in it: this is not ChatML", offset=0)
    for frame in frames:
        frame.body = CONTROL.restore(frame.body)
    return _transcript(frames, tail, log, TEXT)


def read_list(source: Source, options: Options, log: Log) -> Document:
    """Read the list of tokens and strings.

    Raises:
        BridgeError: OCB-SHAPE for what is not such a list, with the path of the item; else as `read_text`.
    """
    pieces = from_list(source, log)
    if not pieces.frames and pieces.tail.strip():
        raise BridgeError(ErrorCode.NO_FRAMES, f"no {START} in it: this is not ChatML", path="")
    return _transcript(pieces.frames, pieces.tail, log, LIST, pieces)


def _transcript(frames: list[Frame], tail: str, log: Log, form: Form, pieces: Pieces | None = None) -> Transcript:
    messages: list[Message] = []
    opening: Message | None = None
    before: Frame | None = None
    for index, frame in enumerate(frames):
        opens = frame.last and frame.end == "" and frame.body == ""
        path = "/open_turn" if opens else f"/messages/{index}"
        bare = _message(frame, form, path, log, opens=opens)
        _remark(frame, path, log)
        default = default_frame(bare, before, form, last=index == len(frames) - 1, opening=opens)
        layout, extras = remember(frame, default)
        if pieces is not None:
            layout.update(cut("gap_pieces", pieces.gaps[index], whole(frame.gap)))
            layout.update(cut("pieces", pieces.bodies[index], [inner(frame)]))
        bare.layout, bare.extras = by_format(HOME, layout), by_format(HOME, extras)
        if opens:
            opening = bare
        else:
            messages.append(bare)
        before = frame
    tail_layout, tail_extras = remember_tail(tail, before)
    if tail_extras:
        log.find(FindingCode.TEXT_OUTSIDE, "", "text behind the last message is kept apart from messages")
    if pieces is not None:
        tail_layout.update(cut("tail_pieces", pieces.gaps[-1], whole(tail)))
    return Transcript(
        messages=tuple(messages),
        open_turn=opening,
        layout=by_format(HOME, tail_layout),
        extras=by_format(HOME, tail_extras),
    )


def _message(frame: Frame, form: Form, path: str, log: Log, *, opens: bool) -> Message:
    heading = read_header(frame.header)
    role, name = heading.role, name_from_header(heading.role, heading.name)
    if role not in ROLES:
        log.find(FindingCode.UNKNOWN_ROLE, f"{path}/role", f"{role!r} is not a role of ChatML", Severity.LAYOUT)
    if heading.rest:
        detail = f"{' '.join(heading.rest)!r} in the header is kept as it is"
        log.find(FindingCode.HEADER_VALUE, f"{path}/name", detail)
    if opens:
        return Message(role, "", name, end=None)
    if frame.end:
        return message(role, frame.body, name)
    if not frame.last:
        log.find(FindingCode.END_MISSING, f"{path}/end", _NO_END)
    elif role == "assistant":
        log.find(FindingCode.TRUNCATED, f"{path}/end", "the last message is cut off")
    else:
        raise _half(role, frame, form)
    return message(role, frame.body, name, end=None)


def _half(role: str, frame: Frame, form: Form) -> BridgeError:
    text = f"the last message, of role {role!r}, has no {END}: ChatML does not allow half-finished messages"
    if form.grammar is None:
        return BridgeError(ErrorCode.INCOMPLETE, text, path=f"/{frame.offset}")
    return BridgeError(ErrorCode.INCOMPLETE, text, offset=frame.offset)


def _remark(frame: Frame, path: str, log: Log) -> None:
    if not is_trivia(frame.gap):
        for code, detail in _outside(frame.gap):
            log.find(code, path, detail)


def _outside(gap: str) -> Iterator[tuple[FindingCode, str]]:
    if END in gap:
        yield FindingCode.STRAY_TOKEN, f"{END} without a message before it"
    if gap.replace(END, "").strip():
        yield FindingCode.TEXT_OUTSIDE, "text in front of it is outside of any message"


def sniff_text(source: Source) -> int:
    """Probably where the first thing is a start token; possibly where one stands anywhere."""
    if not isinstance(source, str):
        return 0
    before, start, _ = source.partition(START)
    if not start:
        return 0
    return 2 if is_trivia(before) else 1


def sniff_list(source: Source) -> int:
    """Certain where a list begins with a start token, probably where one stands in it."""
    if not isinstance(source, list):
        return 0
    for index, item in enumerate(source):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        if item == {"token": START}:
            return 3 if index == 0 else 2
    return 0
