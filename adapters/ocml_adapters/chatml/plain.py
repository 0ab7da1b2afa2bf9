"""Write ChatML without markup in its text: a message is a frame.

Both formats share these functions, and the writer of the list extends the writer of the text (`Frames`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript, replace
from ocml_bridge.report.narrowing import drop_message, narrow
from ocml_bridge.text.edges import Notes, gap_behind, recall, recall_tail, remember, remember_tail
from ocml_bridge.text.im import Frame, spell
from ocml_bridge.text.plain import ROLES, has_no_place, header_for, message
from ocml_bridge.units.grammar import Enclosed, State, Unit, WrittenUnit
from ocml_bridge.units.heads import Head
from ocml_bridge.units.writer import UnitWriter

from .headers import speaker_of, with_known_role
from .syntax import CLOSERS, END, HOME, LIST, NOTES, OPENAI, START, TEXT, Form, control_of, ends_turn, may_be_markup

_NONE: Final[frozenset[str]] = frozenset()
_CLOSED_ONLY: Final = frozenset({END})
_CLOSED_OR_OPEN: Final = frozenset({END, ""})
_LAST: Final = CLOSERS | {END}
_BEFORE: Final[dict[State, Frame | None]] = {
    None: None,
    True: Frame("", START, "", True, "", END, 0, False),
    False: Frame("", START, "", True, "", "", 0, False),
    **{token: Frame("", START, "", True, "", token, 0, False) for token in CLOSERS},
}
"""State → a stand-in for the frame before: None if there is none, with an end token, without one, with the end of a
text."""


# --- frames -----------------------------------------------------------------------------------------------------------


def default_frame(message: Message, before: Frame | None, form: Form, *, last: bool, is_open_turn: bool) -> Frame:
    """Return the frame that is written for a message.

    Args:
        message: a message, or the open turn.
        before: the frame before it; None if there is none.
        form: the format.
        last: whether the frame is the last one.
        is_open_turn: whether the message is the open turn.
    """
    is_unfinished = is_open_turn or (
        last and message.end is None and message.role == "assistant" and message.content != ""
    )
    header = header_for(message.role, message.name)
    content = cast("str", message.content)
    body = content if form.grammar is None else control_of(message.role).neutralise(content)
    newline = form.open_turn_newline if is_open_turn else True
    return Frame(gap_behind(before), START, header, newline, body, "" if is_unfinished else END, 0, last)


def header_reads_as(header: str, message: Message, form: Form = TEXT) -> bool:
    """Return whether a header reads as the role and the name of a message, and is no dialect's own."""
    speaker = speaker_of(header, form)
    return speaker.dialect is None and (speaker.role, speaker.full_name) == (message.role, message.name)


def state_after(frame: Frame) -> str | bool:
    """Return whether a frame has an end token, or the token if it ends a text."""
    return frame.end if frame.end in CLOSERS else bool(frame.end)


# --- messages ---------------------------------------------------------------------------------------------------------


def plain_message(source: Message, content: str) -> Message:
    """Return a message with the fields that a frame holds: role, name, text, and whether it has ended."""
    name = None if is_call(source) else source.name
    plain = message(source.role, content, name, None if source.end is None else "end")
    plain.layout, plain.extras = source.layout, source.extras
    return plain


def plain_open_turn(turn: Message) -> Message:
    """Return an open turn with the fields that a header holds: role and name."""
    return replace(plain_message(turn, ""), channel=None, recipient=None, end=None)


def read_open_turn(frame: Frame, form: Form = TEXT) -> Message:
    """Return the message of the frame of an open turn."""
    speaker = speaker_of(frame.header, form)
    return Message(speaker.role, "", speaker.full_name, end=None)


# --- writing ----------------------------------------------------------------------------------------------------------


class Frames(UnitWriter):
    """Writes frames. The state is whether the frame before has an end token; None if there is no frame before."""

    looks_at_contents = False
    target = TEXT.id
    home = HOME
    keeps_signatures = False
    mark = ""
    form = TEXT

    def inert(self, text: str) -> bool:
        """Return whether a text contains no token and no tag, intact or broken."""
        return not may_be_markup(text)

    def with_broken_tokens(self, head: Head, content: str, path: str, log: Log) -> str | None:
        """Return a content with its tokens broken, if it has no tags."""
        control = control_of(head.role)
        if self.options.control_tokens != "neutralise" or may_be_markup(control.plain.sub("", content)):
            return None
        return control.guard(content, "neutralise", path, log)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Return a message of one text, with role and name; None for private reasoning, which is reported."""
        message = message if self.form is LIST else with_known_role(message)
        if has_no_place(message):
            return drop_message(log, index, f"{self.target} has no place for private reasoning")
        path, private = f"/messages/{index}/content", is_private(message)
        content = narrow(message.content, (), path, log, target=self.target, private=private)
        return plain_message(message, cast("str", content))

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Return the text of a frame, and the message that it reads as."""
        (message,), before = group, _BEFORE[state]
        default = default_frame(message, before, self.form, last=last, is_open_turn=False)
        frame = self._recalled(message, default, before)
        image = self._image(message, frame, default, before)
        if frame.body == default.body:
            self.guard(frame, message, f"{paths[0]}/content", log)
        return WrittenUnit(self.unit(frame, image, before), [image], state_after(frame))

    def _recalled(self, message: Message, default: Frame, before: Frame | None) -> Frame:
        """Return the frame of a message, spelled as its layout remembers if that still means the same."""
        if message.layout is None and message.extras is None:
            return default
        grammar, notes = self.form.grammar, NOTES.together(message.layout, message.extras)
        if self.form is TEXT and ends_turn(str(notes.get("gap"))):
            del notes["gap"]
        closes = default.last and self.form is TEXT and message.role in ROLES
        closed = _LAST if closes else _CLOSED_ONLY
        ends = _CLOSED_OR_OPEN if message.end is None and not default.last else closed if default.end else _NONE
        return recall(
            default,
            notes,
            grammar=grammar,
            before=before,
            starts=_NONE,
            ends=ends,
            header=lambda header: header_reads_as(header, message, self.form),
            body=lambda body: grammar is not None and control_of(message.role).restore(body) == message.content,
        )

    def _image(self, message: Message, frame: Frame, default: Frame, before: Frame | None) -> Message:
        """Return the message that a frame reads as, with the notes that it still needs; it is changed in place."""
        layout, extras = self.remembered(message, frame, default, before)
        speaker = speaker_of(frame.header, self.form)
        message.role, message.name = speaker.role, speaker.full_name
        message.end = "end" if frame.end else None
        message.layout, message.extras = NOTES.by_format(layout), NOTES.by_format(extras)
        return message

    def remembered(self, message: Message, frame: Frame, default: Frame, before: Frame | None) -> Notes:
        """Return the notes about a frame that differs from the default."""
        return remember(frame, default)

    def guard(self, frame: Frame, message: Message, path: str, log: Log) -> None:
        """Report the tokens that were broken in a body; put them back if the options say `raw`."""
        content = cast("str", message.content)
        control_of(message.role).guard(content, self.options.control_tokens, path, log)
        if self.options.control_tokens == "raw":
            frame.body = content

    def unit(self, frame: Frame, image: Message, before: Frame | None) -> Unit:
        """Return a frame as it is written.

        Args:
            frame: the frame.
            image: the message that it reads as.
            before: the frame before it.
        """
        return spell([frame], "")

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return the output: the frames, the open turn and the tail."""
        before, image = _BEFORE[state], Transcript()
        if around.open_turn is not None:
            turn = plain_open_turn(around.open_turn if self.form is LIST else with_known_role(around.open_turn))
            default = default_frame(turn, before, self.form, last=True, is_open_turn=True)
            frame = self._recalled(turn, default, before)
            image.open_turn = self._image(turn, frame, default, before)
            units.append(self.unit(frame, image.open_turn, before))
            before = frame
        default_tail = gap_behind(before)
        notes = NOTES.together(around.layout, around.extras)
        tail = recall_tail(notes, default_tail, self.form.grammar, before)
        tail = default_tail if self.form is TEXT and ends_turn(tail) else tail
        layout, extras = remember_tail(tail, default_tail)
        output, more = self.joined(units, tail, around, before)
        layout.update(more)
        image.layout, image.extras = NOTES.by_format(layout), NOTES.by_format(extras)
        return Enclosed(output, image)

    def joined(
        self, units: list[Unit], tail: str, around: Transcript, before: Frame | None
    ) -> tuple[Unit, dict[str, Json]]:
        """Return all frames and the tail in one, and further notes about the tail."""
        return "".join((*units, tail)), {}


def frames_writer(options: Options) -> UnitWriter:
    """Return the writer of text: with the markup of a family if the options name one or its dialect."""
    if options.dialect in (None, OPENAI):
        return Frames(options)
    # Imported here, because plain ChatML needs nothing of it.
    from .units import FamilyFrames

    return FamilyFrames(options)
