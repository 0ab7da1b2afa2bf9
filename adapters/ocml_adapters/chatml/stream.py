"""Read ChatML as it arrives, with the scanner and the frame reader of batch reading."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.events import Decoder, Delta, Start
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Transcript, replace
from ocml_bridge.stream.buffer import Hold
from ocml_bridge.stream.decoder import LiveLog, TextDecoder, emit_message
from ocml_bridge.stream.frames import FrameEvents, Live
from ocml_bridge.text.im import Frame
from ocml_bridge.text.plain import message
from ocml_bridge.text.replies import Replies
from ocml_bridge.units.heads import Item, item_of

from .detect import is_open_turn, may_be_marked
from .frames import Contents, Place, goes_on, schemas_of
from .headers import read_speaker
from .markup.body import BodyReader, restore
from .markup.parts import NO_SCHEMAS, Schemas
from .markup.responses import ROLES, answered, begins
from .markup.segments import DATA, PARAMS_END
from .reader import PlacedFrame, part_frames, placed_frame, read_contents, surroundings
from .spelling import with_notes
from .syntax import CONTROL, END, GRAMMAR, LIST_OF_TOOLS, MARKED, control_of, ends_turn

_TOKENS: Final = (*MARKED, LIST_OF_TOOLS)
"""The tokens and the tags that a text may have, whole or broken."""
WRITTEN: Final = Hold(_TOKENS)
"""What a text that is written must not be cut inside of."""
_READ: Final = Hold((*_TOKENS, PARAMS_END, DATA), look="\n")
"""What a text that is read must not be cut inside of; line breaks are looked at, because they may belong to a tag."""


class FrameReader:
    """Reads frames as they arrive.

    The contents of a frame are known with the frame. The family that wrote the text, and so the notes about each frame,
    are known at the end.

    Args:
        log: takes the findings.

    Attributes:
        messages: the messages of the frames so far.
        replies: the calls that have no reply yet.
        schemas: the parameters of the declared functions.
        may_declare: whether the next frame may declare the tools of the document.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self.messages: list[Message] = []
        self.replies = Replies()
        self.schemas: Schemas = NO_SCHEMAS
        self._frames: list[Frame] = []
        self._contents: list[Contents] = []
        self.may_declare = True
        self._has_markup = False

    @property
    def before(self) -> Frame | None:
        """The last frame; None if there is none."""
        return self._frames[-1] if self._frames else None

    def frame(self, frame: Frame) -> None:
        """Take the next frame.

        Raises:
            BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
        """
        leads = self.may_declare and read_speaker(frame.header).role == "system" and not frame.last
        before = self.before
        self._frames.append(frame)
        self._has_markup = self._has_markup or may_be_marked(frame)
        if is_open_turn(frame):
            return
        placed = PlacedFrame(frame, Place(None, before, frame.last, schemas=self.schemas), declares=leads)
        contents = read_contents(placed, len(self.messages), self._log)
        if contents.tools is not None:
            self.schemas = schemas_of(contents.tools)
        self.may_declare = leads and contents.tools is None
        self._contents.append(contents)
        for each in contents.messages:
            if each.role == "tool":
                name = answered(self.replies, each.name, len(self.messages), self._log)
                each.name = name if each.name is None else each.name
            else:
                self.replies.take(each)
            self.messages.append(each)

    def finish(self, tail: str) -> Transcript:
        """Return the document, given the text after the last frame.

        Raises:
            BridgeError: OCB-NO-FRAMES if there is text and no frame.
        """
        split = part_frames(self._frames, tail, has_markup=self._has_markup or ends_turn(tail))
        items: list[Item] = []
        for at, (unit, contents) in enumerate(zip(split.units, self._contents, strict=True)):
            placed = placed_frame(unit, at, split)
            if contents.messages:
                items += map(item_of, with_notes(placed.frame, contents, placed.place))
        around = surroundings(split, self._log)
        around.messages = tuple(head.message(content, call_id) for head, content, call_id in items)
        return around


# --- bodies -----------------------------------------------------------------------------------------------------------


class Turn(FrameEvents):
    """Emits the events of an assistant's body: thoughts and texts as they arrive, a call when it is complete.

    A text begins on channel `final`. Its end says if it was a preamble, or a thought whose start tag was in the prompt.

    Args:
        log: receives the events.
        index: the index of the frame's first message.
        name: the name of the assistant.
        schemas: the parameters of the declared functions.
        continues: whether its first message goes on from the frame before.
    """

    def __init__(
        self, log: LiveLog, index: int, name: str | None, schemas: Schemas = NO_SCHEMAS, *, continues: bool = False
    ) -> None:
        super().__init__(log, index, message("assistant", "", name, end=None), restore)
        self._name = name
        self._continues = continues
        self._body = BodyReader(name, schemas)
        self._next = 0
        """The index in the body of the open message, or of the next one."""
        self._written: list[str] = []
        """The pieces of the open text that were emitted."""

    @property
    def pending(self) -> int:
        """The number of characters that are buffered."""
        return self._body.pending

    def passed(self, texts: Sequence[str]) -> None:
        """Take text whose events were emitted already."""
        self._body.passed(texts)
        self._written += texts

    def take(self, text: str) -> None:
        """Take more of the body."""
        self._body.feed(text)
        self._emit(self._body.messages)
        for piece in self._body.text[len(self._written) :]:
            self._add(restore(piece), private=self._body.in_thought)
        self.running = self.index + self._next if self._body.is_plain else -1

    def _add(self, text: str, *, private: bool) -> None:
        """Emit more of the open text, with its start if nothing was emitted."""
        if not self._written:
            channel = "analysis" if private else "final"
            first = Message("assistant", "", self._name, channel, end=None, continues=self._continues or self._next > 0)
            self.log.events.append(Start(self.index + self._next, first))
        self._written.append(text)
        self.log.events.append(Delta(self.index + self._next, text))

    def end(self, messages: Sequence[Message]) -> None:
        """Emit the remaining events of the frame's messages."""
        self._emit(messages)

    def _emit(self, messages: Sequence[Message]) -> None:
        """Emit what is missing of messages that are complete; a text is emitted as what it began as."""
        for part in messages[self._next :]:
            text = str(part.content)
            part.continues = self._continues or self._next > 0
            turned = self._next == 0 and self._body.turned
            if not self._written and text and not is_call(part) and (turned or not is_thought(part)):
                self._add(text, private=False)
            emit_message(self.log, self.index + self._next, part, "".join(self._written) if self._written else None)
            self._next, self._written = self._next + 1, []


# --- the stream -------------------------------------------------------------------------------------------------------


def text_or_replies(first: Message, body: str) -> Message | None:
    """Return the message of a frame that may hold replies; None if it does, because a reply is known when it ends."""
    return None if begins(body) else first


def beginning(header: str) -> Message:
    """Return the message of a header, which has not ended."""
    speaker = read_speaker(header)
    started = message(speaker.role, "", speaker.full_name, end=None)
    return replace(started, channel="analysis") if speaker.part == "thought" else started


class Reading(Live):
    """The reading of a stream.

    Args:
        log: receives the events.
    """

    def __init__(self, log: LiveLog) -> None:
        self._frames = FrameReader(log)
        super().__init__(log, GRAMMAR, self._frames)

    def frame_events(self, header: str) -> FrameEvents:
        """Return what emits the events of the next frame, which has this header."""
        speaker, index = read_speaker(header), len(self._frames.messages)
        continues = goes_on(self._frames.before, speaker)
        if speaker.part == "thought":
            return FrameEvents(self.log, index, replace(beginning(header), continues=continues), restore)
        if speaker.part == "calls":
            return FrameEvents(self.log, index, None, restore)
        if speaker.role == "assistant":
            return Turn(self.log, index, speaker.name, self._frames.schemas, continues=continues)
        if speaker.role == "system" and self._frames.may_declare:
            return FrameEvents(self.log, index, None, CONTROL.restore)
        if speaker.role in ROLES:
            first = beginning(header)
            if speaker.role == "tool" and speaker.name is None:
                first.name = self._frames.replies.waiting
            return FrameEvents(self.log, index, partial(text_or_replies, first), CONTROL.restore)
        return FrameEvents(self.log, index, beginning(header), control_of(speaker.role).restore)

    def ending(self, start: str, frame_events: FrameEvents) -> str:
        """Return the token that ends a frame."""
        return END


def decoder(_options: Options) -> Decoder:
    """Return a decoder of raw ChatML. If the answer follows a generation prompt, feed that first."""
    log = LiveLog()
    return TextDecoder(Reading(log), _READ, log)
