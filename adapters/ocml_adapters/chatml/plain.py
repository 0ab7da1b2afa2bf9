"""ChatML without markup in its text, where a message is a frame: what both spellings share, and the writer of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Json, Message, Transcript, replace
from ocml_bridge.report.narrowing import drop_message, narrow
from ocml_bridge.text.control import stands_alone
from ocml_bridge.text.edges import gap_behind, is_trivia, may_stand, recall, remember
from ocml_bridge.text.im import Frame, read_header, spell
from ocml_bridge.text.plain import ROLES, header_for, message, name_from_header
from ocml_bridge.units.grammar import Enclosed, Spelled, State, Unit
from ocml_bridge.units.heads import Head
from ocml_bridge.units.writer import UnitWriter

from .syntax import END, HOME, NOTES, OPENAI, START, TEXT, Form, control_of, may_be_markup

_NO_END: Final = f"{END} is missing; the message is read up to the next {START}"
_NOTHING: Final[frozenset[str]] = frozenset()
_MUST: Final = frozenset({END})
_MAY: Final = frozenset({END, ""})
_CLOSED: Final = Frame("", START, "", True, "", END, 0, False)
_OPEN: Final = Frame("", START, "", True, "", "", 0, False)
_BEFORE: Final[dict[State, Frame | None]] = {None: None, True: _CLOSED, False: _OPEN}
Remembered = tuple[dict[str, Json], dict[str, Json]]
"""What layout keeps, and what extras keep."""


# --- frames -----------------------------------------------------------------------------------------------------------


def default_frame(message: Message, before: Frame | None, form: Form, *, last: bool, opening: bool) -> Frame:
    """The frame that is written for a message.

    Args:
        message: a message, or the open turn.
        before: the frame before it.
        form: which of the two spellings.
        last: whether the text ends with it.
        opening: whether it is the open turn.
    """
    cut = opening or (last and message.end is None and message.role == "assistant" and message.content != "")
    header = header_for(message.role, message.name)
    content = cast("str", message.content)
    body = content if form.grammar is None else control_of(message.role).neutralise(content)
    newline = form.open_turn_newline if opening else True
    return Frame(gap_behind(before), START, header, newline, body, "" if cut else END, 0, last)


def means(header: str, message: Message) -> bool:
    """Whether a header says a message's role and name."""
    heading = read_header(header)
    return heading.role == message.role and name_from_header(heading.role, heading.name) == message.name


def tail_of(transcript: Transcript, last: Frame | None, default: str, form: Form) -> str:
    """What stands behind the last frame, remembered or by default."""
    raw = NOTES.together(transcript.layout, transcript.extras).get("tail")
    if isinstance(raw, str) and may_stand(raw, form.grammar, last) and (last is not None or not raw.strip()):
        return raw
    return default


def remember_tail(tail: str, default: str) -> Remembered:
    """What has to be remembered of what stands behind the last frame."""
    if tail == default:
        return {}, {}
    note: dict[str, Json] = {"tail": tail}
    return (note, {}) if is_trivia(tail) else ({}, note)


# --- messages ---------------------------------------------------------------------------------------------------------


def bare(source: Message, content: str) -> Message:
    """A message with what ChatML says of it: who speaks, a name, and text."""
    name = None if is_call(source) else source.name
    made = message(source.role, content, name, None if source.end is None else "end")
    made.layout, made.extras = source.layout, source.extras
    return made


def opened(turn: Message) -> Message:
    """An open turn with what ChatML says of it."""
    return replace(bare(turn, ""), channel=None, recipient=None, end=None)


# --- what is odd about a frame ----------------------------------------------------------------------------------------


def remark(frame: Frame, path: str, log: Log, form: Form, *, last: str | None = None, replies: bool = False) -> None:
    """Note what is odd about a frame, but for its body.

    Args:
        frame: one that is no open turn.
        path: of what it says.
        log: takes what is noticed.
        form: which of the two spellings.
        last: the path of the last that it says, where that is another.
        replies: whether it holds the replies of tools, whose roles are known.

    Raises:
        BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
    """
    remark_header(frame, path, log, replies=replies)
    if not frame.end:
        role, end = read_header(frame.header).role, f"{last or path}/end"
        if not frame.last:
            log.find(FindingCode.END_MISSING, end, _NO_END)
        elif role == "assistant":
            log.find(FindingCode.TRUNCATED, end, "the last message is cut off")
        else:
            detail = f"the last message, of role {role!r}, has no {END}: ChatML does not allow half-finished messages"
            raise refused(ErrorCode.INCOMPLETE, detail, form, frame.offset)
    remark_gap(frame, path, log)


def remark_header(frame: Frame, path: str, log: Log, *, replies: bool = False) -> None:
    """Note what a header says that is not known."""
    heading = read_header(frame.header)
    if heading.role not in ROLES and not replies:
        log.find(FindingCode.UNKNOWN_ROLE, f"{path}/role", f"{heading.role!r} is not a role of ChatML", Severity.LAYOUT)
    if heading.rest:
        detail = f"{' '.join(heading.rest)!r} in the header is not understood; it is kept as it is"
        log.find(FindingCode.HEADER_VALUE, f"{path}/name", detail)


def remark_gap(frame: Frame, path: str, log: Log) -> None:
    """Note text in front of a frame that is outside of any message."""
    if not is_trivia(frame.gap):
        if END in frame.gap:
            log.find(FindingCode.STRAY_TOKEN, path, f"{END} ends no message")
        if frame.gap.replace(END, "").strip():
            log.find(
                FindingCode.TEXT_OUTSIDE,
                path,
                "there is text before this message, outside of any message; it is kept beside the messages",
            )


def remark_tail(tail: str, last: Frame | None, log: Log, form: Form) -> None:
    """Note text behind the last frame that is outside of any message.

    Raises:
        BridgeError: OCB-NO-FRAMES where there is no frame.
    """
    if last is None and tail.strip():
        raise refused(ErrorCode.NO_FRAMES, f"the input has no {START}, so it is not ChatML", form)
    if not is_trivia(tail):
        log.find(FindingCode.TEXT_OUTSIDE, "", "there is text after the last message; it is kept beside the messages")


def refused(code: ErrorCode, detail: str, form: Form, offset: int | None = None) -> BridgeError:
    """The error about a frame, or about the whole document."""
    if form is TEXT:
        return BridgeError(code, detail, offset=offset or 0)
    return BridgeError(code, detail, path="" if offset is None else f"/{offset}")


# --- writing ----------------------------------------------------------------------------------------------------------


class Frames(UnitWriter):
    """Writes frames. The state is whether the frame before was closed; None where there is none."""

    looks_at_contents = False
    target = TEXT.id
    home = HOME
    keeps_signatures = False
    mark = ""
    form = TEXT

    def inert(self, text: str) -> bool:
        """Whether a text holds no token and no tag, whole or broken."""
        return not may_be_markup(text)

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Whether a text is no part of a token, and has its line breaks inside."""
        return stands_alone(text)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Who speaks, and the text."""
        if is_private(message):
            drop_message(log, index, f"{self.target} has no place for private reasoning")
            return None
        content = narrow(message.content, (), f"/messages/{index}/content", log, target=self.target)
        return bare(message, cast("str", content))

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """A frame with what stands before it."""
        (message,), before = group, _BEFORE[state]
        default = default_frame(message, before, self.form, last=last, opening=False)
        frame = self._recalled(message, default, before)
        image = self._image(message, frame, default, before)
        if frame.body == default.body:
            self.guard(frame, message, f"{paths[0]}/content", log)
        return Spelled(self.unit(frame, image, before), [image], bool(frame.end))

    def _recalled(self, message: Message, default: Frame, before: Frame | None) -> Frame:
        """A message's frame, spelled as it remembers where that still says the same."""
        if message.layout is None and message.extras is None:
            return default
        grammar = self.form.grammar
        ends = _MAY if message.end is None and not default.last else _MUST if default.end else _NOTHING
        return recall(
            default,
            NOTES.together(message.layout, message.extras),
            grammar=grammar,
            before=before,
            starts=_NOTHING,
            ends=ends,
            header=lambda header: means(header, message),
            body=lambda body: grammar is not None and control_of(message.role).restore(body) == message.content,
        )

    def _image(self, message: Message, frame: Frame, default: Frame, before: Frame | None) -> Message:
        """A message as its frame reads back behind another, with the layout that the frame still needs."""
        layout, extras = self.remembered(message, frame, default, before)
        heading = read_header(frame.header)
        message.role, message.name = heading.role, name_from_header(heading.role, heading.name)
        message.end = "end" if frame.end else None
        message.layout, message.extras = NOTES.by_format(layout), NOTES.by_format(extras)
        return message

    def remembered(self, message: Message, frame: Frame, default: Frame, before: Frame | None) -> Remembered:
        """What a message has to remember of its frame, which stands behind another."""
        return remember(frame, default)

    def guard(self, frame: Frame, message: Message, path: str, log: Log) -> None:
        """Report the tokens that are broken in a body, or leave them as the options say."""
        content = cast("str", message.content)
        control_of(message.role).guard(content, self.options.control_tokens, path, log)
        if self.options.control_tokens == "raw":
            frame.body = content

    def unit(self, frame: Frame, image: Message, before: Frame | None) -> Unit:
        """A frame as it is written, given what it reads as and the frame before it."""
        return spell([frame], "")

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """All frames, with the open turn, and what stands behind them."""
        before, image = _BEFORE[state], Transcript()
        if around.open_turn is not None:
            turn = opened(around.open_turn)
            default = default_frame(turn, before, self.form, last=True, opening=True)
            frame = self._recalled(turn, default, before)
            image.open_turn = self._image(turn, frame, default, before)
            units.append(self.unit(frame, image.open_turn, before))
            before = frame
        default_tail = gap_behind(before)
        tail = tail_of(around, before, default_tail, self.form)
        layout, extras = remember_tail(tail, default_tail)
        output, more = self.joined(units, tail, around, before)
        layout.update(more)
        image.layout, image.extras = NOTES.by_format(layout), NOTES.by_format(extras)
        return Enclosed(output, image)

    def joined(
        self, units: list[Unit], tail: str, around: Transcript, before: Frame | None
    ) -> tuple[Unit, dict[str, Json]]:
        """The frames with what stands behind them, and what else layout keeps of that."""
        return "".join((*units, tail)), {}


def frames_writer(options: Options) -> UnitWriter:
    """What writes frames: with the markup of a family where the options name one, or its dialect."""
    if options.dialect in (None, OPENAI):
        return Frames(options)
    # Imported here: whoever writes plain ChatML needs nothing of it.
    from .units import FamilyFrames

    return FamilyFrames(options)
