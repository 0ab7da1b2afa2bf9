"""Report what is unusual about a frame or a tail as findings, for both formats of ChatML.

A half-finished message, and a text without any message, are errors.
"""

from __future__ import annotations

from typing import Final

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.text.edges import is_trivia
from ocml_bridge.text.im import Frame
from ocml_bridge.text.plain import ROLES, report_heading

from .headers import speaker_of
from .syntax import CLOSERS, END, START, TEXT, Form

_NO_END: Final = f"{END} is missing; the message is read up to the next {START}"


def check_frame(
    frame: Frame, path: str, log: Log, form: Form, *, last: str | None = None, replies: bool = False
) -> None:
    """Report what is unusual about a frame, apart from its body.

    Args:
        frame: a frame that is not the open turn.
        path: the path of its first message.
        log: takes the findings.
        form: the format.
        last: the path of its last message; None if that is the first one.
        replies: whether it holds replies of tools, whose role is known in any case.

    Raises:
        BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
    """
    _report_header(frame, path, log, form, replies=replies)
    if not frame.end:
        role, end = speaker_of(frame.header, form).role, f"{last or path}/end"
        if not frame.last:
            log.find(FindingCode.END_MISSING, end, _NO_END)
        elif role == "assistant":
            log.find(FindingCode.TRUNCATED, end, "the last message is cut off")
        else:
            raise _half_finished(role, frame, form)
    elif frame.end in CLOSERS and not replies and speaker_of(frame.header, form).role not in ROLES:
        raise _half_finished(speaker_of(frame.header, form).role, frame, form)
    _report_gap(frame, path, log)


def report_open_turn(frame: Frame, log: Log, form: Form) -> None:
    """Report what is unusual about the frame of the open turn."""
    _report_header(frame, "/open_turn", log, form)
    _report_gap(frame, "/open_turn", log)


def _report_header(frame: Frame, path: str, log: Log, form: Form, *, replies: bool = False) -> None:
    """Report an unknown role and unknown words in a header."""
    speaker = speaker_of(frame.header, form)
    report_heading(speaker.role, speaker.rest, {*ROLES, speaker.role} if replies else ROLES, path, log, title="ChatML")


def _report_gap(frame: Frame, path: str, log: Log) -> None:
    """Report text before a frame that is outside of any message."""
    if not is_trivia(frame.gap):
        if END in frame.gap:
            log.find(FindingCode.STRAY_TOKEN, path, f"{END} ends no message")
        if frame.gap.replace(END, "").strip():
            log.find(
                FindingCode.TEXT_OUTSIDE,
                path,
                "there is text before this message, outside of any message; it is kept beside the messages",
            )


def check_tail(tail: str, last: Frame | None, log: Log, form: Form) -> None:
    """Report text after the last frame.

    Raises:
        BridgeError: OCB-NO-FRAMES if there is text and no frame.
    """
    if last is None and tail.strip():
        raise _error(ErrorCode.NO_FRAMES, f"the input has no {START}, so it is not ChatML", form)
    if not is_trivia(tail):
        log.find(FindingCode.TEXT_OUTSIDE, "", "there is text after the last message; it is kept beside the messages")


def _half_finished(role: str, frame: Frame, form: Form) -> BridgeError:
    detail = f"the last message, of role {role!r}, has no {END}: ChatML does not allow half-finished messages"
    return _error(ErrorCode.INCOMPLETE, detail, form, frame.offset)


def _error(code: ErrorCode, detail: str, form: Form, offset: int | None = None) -> BridgeError:
    """Return an error about a frame at an offset, or about the whole document if the offset is None."""
    if form is TEXT:
        return BridgeError(code, detail, offset=offset or 0)
    return BridgeError(code, detail, path="" if offset is None else f"/{offset}")
