"""Decode a stream of InternLM2-Chat with the scanner and the reader of whole texts, fed piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.events import Decoder, Delta, End, Start
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Transcript, replace
from ocml_bridge.stream.buffer import Hold
from ocml_bridge.stream.decoder import LiveLog, TextDecoder, emit_message
from ocml_bridge.stream.frames import FrameEvents, Live
from ocml_bridge.text.im import Frame, spell
from ocml_bridge.text.plain import message
from ocml_bridge.text.replies import Replies, report_unpaired
from ocml_bridge.units.heads import item_of

from .body import Cutter, call_of, message_of, placed
from .frames import Unit, heading_of
from .reader import messages_of, report_end, report_header, surroundings, with_layout, without_open_turn
from .syntax import CONTROL, GRAMMAR, IM, SPECIALS, UNUSED
from .tools import declares

HOLD: Final = Hold(SPECIALS)


class Turn(FrameEvents):
    """Emits the events of an assistant's body: text at once, a call when it is complete, because it holds its name.

    Args:
        log: takes the events.
        index: the index of the frame's first message.
        name: the name in the header.
    """

    def __init__(self, log: LiveLog, index: int, name: str | None) -> None:
        super().__init__(log, index, None, CONTROL.restore)
        self._name = name
        self._cutter = Cutter()
        self._text: list[str] = []
        """The raw text of the open message. As long as it is blank it may be none: next to calls, blank text is left
        out."""
        self._started = False
        self._next = index
        """The index of the open message, or of the next one."""

    @property
    def pending(self) -> int:
        """The number of characters that are buffered."""
        return self._cutter.pending + self._waiting

    @property
    def lacks_end(self) -> bool:
        """Whether an open call is complete but for its end token."""
        return self._cutter.lacks_end

    def passed(self, texts: Sequence[str]) -> None:
        """Take text whose events were emitted already."""
        self._text += texts

    def take(self, text: str) -> None:
        """Take more of the body."""
        for segment in self._cutter.feed(text):
            call = call_of(segment)
            if call is None:
                self._add_text(segment.raw)
                continue
            self._end_text()
            self._tell(message_of(call, self._name, closed=True))
        self.running = self._next if self._started and self._cutter.in_text else -1

    def _add_text(self, text: str) -> None:
        self._text.append(text)
        if self._started:
            self.log.events.append(Delta(self._next, self.restore(text)))
        elif text.isspace():
            self._waiting += len(text)
        else:
            self._started, self._waiting = True, 0
            header = self._placed(message("assistant", "", self._name, end=None), more=False)
            self.log.events += (Start(self._next, header), Delta(self._next, self._restored()))

    def _restored(self) -> str:
        return self.restore("".join(self._text))

    def _placed(self, part: Message, *, more: bool) -> Message:
        return placed(part, self._next - self.index, more=more)

    def _end_text(self) -> None:
        """End the open text, because a call follows."""
        if self._started:
            text = message("assistant", self._restored(), self._name)
            self.log.events.append(End(self._next, self._placed(text, more=True)))
            self._next += 1
        self._text, self._started, self._waiting = [], False, 0

    def _tell(self, call: Message) -> None:
        emit_message(self.log, self._next, self._placed(call, more=True))
        self._next += 1

    def end(self, messages: Sequence[Message]) -> None:
        """Emit the remaining events of the frame's messages."""
        for index, part in enumerate(messages[self._next - self.index :], self._next):
            is_started = self._started and index == self._next
            emit_message(self.log, index, part, self._restored() if is_started else None)


class FrameReader:
    """Reads frames as they arrive.

    A message is known with its frame. The layout of the frames is known only at the end, because it depends on which of
    the two spellings most of the text has.

    Args:
        log: takes the findings.

    Attributes:
        messages: the messages of the frames so far.
        replies: the calls that have no reply yet.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self.messages: list[Message] = []
        self.replies = Replies()
        self._frames: list[Frame] = []
        self._units: list[tuple[Unit, str | None]] = []
        """For each frame its messages, and the recipient of the first call that had no reply before it."""
        self._leads = True
        """Whether declared tools in the next frame would be the transcript's."""

    def frame(self, frame: Frame) -> None:
        """Take the next frame; the last one may be the open turn."""
        self._frames.append(frame)
        if frame.last and frame.body == "":
            return
        index, waiting = len(self.messages), self.replies.waiting
        unit = messages_of(frame, index, waiting, self._log, leads=self._leads)
        if self._leads and declares(unit[0]):
            self._leads = False
            report_header(frame, "/tools", self._log)
            report_end(frame, "/tools", self._log)
            return
        report_header(frame, f"/messages/{index}", self._log)
        report_end(frame, f"/messages/{index + len(unit) - 1}", self._log)
        answered = list(map(self.replies.take, unit))
        if unit[0].role == "tool" and answered == [None]:
            report_unpaired(index, self._log)
        self._units.append((unit, waiting))
        self.messages += unit
        self._leads = self._leads and unit[0].role == "system"

    def finish(self, tail: str) -> Transcript:
        """Return the document, given the text after the last frame.

        Raises:
            BridgeError: OCB-NO-FRAMES if the text has no frame and is not blank.
        """
        text = without_open_turn(self._frames, tail, spell(self._frames, tail), Log())
        messages: list[Message] = []
        for frame, (unit, waiting) in zip(text.units, self._units, strict=True):
            messages += with_layout(unit, frame, waiting)
        around = surroundings(list(map(item_of, messages)), self.replies.waiting, text, self._log)
        return replace(around, messages=tuple(messages))


class Reading(Live):
    """The `Reading` of a stream of frames.

    Args:
        log: receives the events.
    """

    def __init__(self, log: LiveLog) -> None:
        self._frames = FrameReader(log)
        super().__init__(log, GRAMMAR, self._frames)

    def frame_events(self, header: str) -> FrameEvents:
        """Return the `FrameEvents` of the next frame, which has this header."""
        heading, index = heading_of(header), len(self._frames.messages)
        if heading.role == "assistant":
            return Turn(self.log, index, heading.name)
        if heading.declares_tools:
            return FrameEvents(self.log, index, None, CONTROL.restore)
        name = heading.speaker(self._frames.replies.waiting)
        return FrameEvents(self.log, index, message(heading.role, "", name, end=None), CONTROL.restore)

    def ending(self, start: str, frame_events: FrameEvents) -> str:
        """Return the text that ends a frame, in the spelling of its start, and before that a complete call."""
        spelling = UNUSED if start == UNUSED.start else IM
        return (spelling.action_end if isinstance(frame_events, Turn) and frame_events.lacks_end else "") + spelling.end


def decoder(_options: Options) -> Decoder:
    """Return a decoder of InternLM2-Chat. If the answer follows a generation prompt, feed that first."""
    log = LiveLog()
    return TextDecoder(Reading(log), HOLD, log)
