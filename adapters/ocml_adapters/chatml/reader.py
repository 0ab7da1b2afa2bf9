"""ChatML → document: frames become messages, nothing in them is stripped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from ocml_bridge.adapter import Options, Source
from ocml_bridge.boundary import is_list_of_lists
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.edges import by_format, gap_behind, is_trivia, remember
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.text.plain import ROLES, message, name_from_header

from .frames import default_frame, remember_tail
from .pieces import Pieces, cut, from_list, inner, whole
from .syntax import CONTROL, END, GRAMMAR, HOME, MARKUP, START, TEXT, Form

_NO_END: Final = f"no {END} before the next {START}; it is taken to end there"


def split_text(source: Source, options: Options) -> list[tuple[int, str]]:
    """The conversations of a text, each with its offset."""
    assert isinstance(source, str)
    return GRAMMAR.split(source)


def split_list(source: Source, options: Options) -> list[tuple[int, list[Json]]]:
    """The conversations of a list, each with its index: lists in it, or what stands between boundaries.

    Raises:
        BridgeError: OCB-SHAPE for what is not such a list.
    """
    if is_list_of_lists(source):
        return list(enumerate(source))
    items = cast("list[Json]", source)
    places = [0, *(frame.begins for frame in from_list(items, Log()).frames if frame.begins >= 0)]
    return [(at, items[at:end]) for at, end in zip(places, (*places[1:], len(items)), strict=True)]


class FrameReader:
    """Reads frames, in order, which may come at any time.

    Args:
        log: takes the findings.
        form: which of the two spellings.
        pieces: how a list is cut.

    Attributes:
        messages: those of the frames so far.
    """

    def __init__(self, log: Log, form: Form, pieces: Pieces | None = None) -> None:
        self._log = log
        self._form = form
        self._pieces = pieces
        self.messages: list[Message] = []
        self._opening: Message | None = None
        self._before: Frame | None = None
        self._count = 0

    def resume(self, index: int, before: Frame | None) -> None:
        """Go on behind messages that something else read.

        Args:
            index: that of the next message.
            before: the last frame that was read.
        """
        self._count, self._before = index, before

    def frame(self, frame: Frame) -> None:
        """Take the next frame.

        Raises:
            BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
        """
        opens = frame.last and frame.body == ""
        path = "/open_turn" if opens else f"/messages/{self._count}"
        made = _message(frame, self._form, path, self._log, opens=opens)
        remark_gap(frame, path, self._log)
        _remark_markup(made, path, self._log)
        layout, extras = remember(frame, default_frame(made, self._before, self._form, last=frame.last, opening=opens))
        if self._pieces is not None:
            layout.update(cut("gap_pieces", self._pieces.gaps[self._count], whole(frame.gap)))
            layout.update(cut("pieces", self._pieces.bodies[self._count], [inner(frame)]))
        made.layout, made.extras = by_format(HOME, layout), by_format(HOME, extras)
        if opens:
            self._opening = made
        else:
            self.messages.append(made)
        self._before = frame
        self._count += 1

    def finish(self, tail: str) -> Transcript:
        """The document, with what stands behind the last frame.

        Raises:
            BridgeError: OCB-NO-FRAMES where no frame came, but text.
        """
        if self._before is None and tail.strip():
            raise _refused(ErrorCode.NO_FRAMES, f"no {START} in it: this is not ChatML", self._form)
        layout, extras = remember_tail(tail, gap_behind(self._before))
        if extras:
            self._log.find(FindingCode.TEXT_OUTSIDE, "", "text behind the last message is kept apart from messages")
        if self._pieces is not None:
            layout.update(cut("tail_pieces", self._pieces.gaps[-1], whole(tail)))
        return Transcript(
            messages=tuple(self.messages),
            open_turn=self._opening,
            layout=by_format(HOME, layout),
            extras=by_format(HOME, extras),
        )


def _remark_markup(made: Message, path: str, log: Log) -> None:
    """Note that a message has tools, calls, replies or thoughts as Hermes and Qwen write them: as tags in its text."""
    content = made.content
    if isinstance(content, str) and "<" in content:
        tag = next((tag for tag in MARKUP.get(made.role, ()) if tag in content), None)
        if tag is not None:
            detail = f"`{tag}`, as Hermes and Qwen write it, is text here: calls, tools and thoughts are not taken out"
            log.find(FindingCode.MARKUP, f"{path}/content", detail)


def beginning(header: str) -> Message:
    """What a header says of its message, which has not ended."""
    heading = read_header(header)
    return message(heading.role, "", name_from_header(heading.role, heading.name), end=None)


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
    content = CONTROL.restore(frame.body) if form is TEXT else frame.body
    if frame.end:
        return message(role, content, name)
    if not frame.last:
        log.find(FindingCode.END_MISSING, f"{path}/end", _NO_END)
    elif role == "assistant":
        log.find(FindingCode.TRUNCATED, f"{path}/end", "the last message is cut off")
    else:
        raise half_finished(frame, form)
    return message(role, content, name, end=None)


def half_finished(frame: Frame, form: Form = TEXT) -> BridgeError:
    """The error about a message that is cut off and not the assistant's."""
    role = read_header(frame.header).role
    detail = f"the last message, of role {role!r}, has no {END}: ChatML does not allow half-finished messages"
    return _refused(ErrorCode.INCOMPLETE, detail, form, frame)


def _refused(code: ErrorCode, detail: str, form: Form, frame: Frame | None = None) -> BridgeError:
    """The error about a frame, or about the whole document."""
    if form is TEXT:
        return BridgeError(code, detail, offset=0 if frame is None else frame.offset)
    return BridgeError(code, detail, path="" if frame is None else f"/{frame.offset}")


def remark_gap(frame: Frame, path: str, log: Log) -> None:
    """Note text in front of a frame that is outside of any message."""
    if not is_trivia(frame.gap):
        for code, detail in _outside(frame.gap):
            log.find(code, path, detail)


def _outside(gap: str) -> Iterator[tuple[FindingCode, str]]:
    if END in gap:
        yield FindingCode.STRAY_TOKEN, f"{END} without a message before it"
    if gap.replace(END, "").strip():
        yield FindingCode.TEXT_OUTSIDE, "text in front of it is outside of any message"
