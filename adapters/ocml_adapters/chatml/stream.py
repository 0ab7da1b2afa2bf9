"""ChatML as it arrives: the batch reader's scanner and reader, fed piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.events import Decoder, Delta, Start
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Transcript
from ocml_bridge.stream.buffer import Hold
from ocml_bridge.stream.decoder import LiveLog, TextDecoder, tell
from ocml_bridge.stream.frames import Live, Saying
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.text.plain import message, name_from_header
from ocml_bridge.units.heads import Item, item_of

from .detect import has_tags, is_open_turn
from .frames import Contents, Place, schemas_of, with_notes
from .markup.body import BodyReader, restore
from .markup.parts import NO_SCHEMAS, Schemas
from .markup.responses import ROLES, Replies, begins
from .markup.segments import FUNCTION
from .reader import PlacedFrame, part_frames, placed_frame, read_contents, surroundings
from .syntax import CONTROL, END, GRAMMAR, MARKED, SPECIALS, control_of

WRITTEN: Final = Hold((*MARKED, "List of tools: "))
"""What must not be cut in a text that is written."""
_READ: Final = Hold((*SPECIALS, FUNCTION), look="\n")
"""What must not be cut in a text that is read; a line break has to be looked at, since it may belong to a tag."""


class FrameReader:
    """Reads frames, in order, which may come at any time.

    What a frame says is known with it; which family spelled the text, and so what has to be remembered of how it is
    spelled, only in the end.

    Args:
        log: takes the findings.

    Attributes:
        messages: those of the frames so far.
        replies: which calls still wait for a reply.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self.messages: list[Message] = []
        self.replies = Replies()
        self.schemas: Schemas = NO_SCHEMAS
        self._frames: list[Frame] = []
        self._contents: list[Contents] = []
        self._leading = True
        self._marked = False

    @property
    def may_declare(self) -> bool:
        """Whether the frame that comes may declare the transcript's tools."""
        return self._leading

    def frame(self, frame: Frame) -> None:
        """Take the next frame.

        Raises:
            BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
        """
        leads = self._leading and read_header(frame.header).role == "system" and not frame.last
        before = self._frames[-1] if self._frames else None
        self._frames.append(frame)
        self._marked = self._marked or has_tags(frame.body)
        if is_open_turn(frame):
            return
        placed = PlacedFrame(frame, Place(None, before, frame.last, schemas=self.schemas), declares=leads)
        contents = read_contents(placed, len(self.messages), self._log)
        if contents.tools is not None:
            self.schemas = schemas_of(contents.tools)
        self._leading = leads and contents.tools is None
        self._contents.append(contents)
        for made in contents.messages:
            recipient = made.recipient if is_call(made) else None
            index = len(self.messages)
            name = self.replies.take(
                made.role, recipient, made.name, continues=made.continues, index=index, log=self._log
            )
            if name is not None and made.name is None:
                made.name = name
            self.messages.append(made)

    def finish(self, tail: str) -> Transcript:
        """The document, with what stands behind the last frame.

        Raises:
            BridgeError: OCB-NO-FRAMES where no frame came, but text.
        """
        text = part_frames(self._frames, tail, has_markup=self._marked)
        items: list[Item] = []
        for at, (unit, contents) in enumerate(zip(text.units, self._contents, strict=True)):
            placed = placed_frame(unit, at, text)
            if contents.messages:
                items += map(item_of, with_notes(placed.frame, contents, placed.place))
        around = surroundings(text, self._log)
        around.messages = tuple(head.message(content, call_id) for head, content, call_id in items)
        return around


# --- bodies -----------------------------------------------------------------------------------------------------------


class Spoken(Saying):
    """Says the body of a frame that may hold replies: text at once, replies when they are complete.

    Args:
        log: where to.
        index: of the frame's first message.
        beginning: what the header says of it.
    """

    def __init__(self, log: LiveLog, index: int, beginning: Message) -> None:
        super().__init__(log, index, beginning, CONTROL.restore)
        self._blank: list[str] = []

    def take(self, text: str) -> None:
        """Take more of the body."""
        if self.running < 0 and self.beginning is not None:
            self._blank.append(text)
            self._waiting += len(text)
            if text.isspace():
                return
            text = "".join(self._blank)
            self._blank, self._waiting = [], 0
            if begins(text):
                self.beginning = None
        super().take(text)


class Turn(Saying):
    """Says an assistant's body: thoughts and texts as they come, a call when it is complete.

    A text has channel `final` when it begins; its end says whether it was a preamble, or a thought whose beginning
    nobody told.

    Args:
        log: where to.
        index: of the frame's first message.
        name: the speaker's.
        schemas: of the functions that are declared.
    """

    def __init__(self, log: LiveLog, index: int, name: str | None, schemas: Schemas = NO_SCHEMAS) -> None:
        super().__init__(log, index, message("assistant", "", name, end=None), restore)
        self._name = name
        self._body = BodyReader(name, schemas)
        self._next = 0
        """The message of the body that comes next, or whose text is open."""
        self._written: list[str] = []
        """What has been told of the open text."""

    @property
    def pending(self) -> int:
        """How many characters wait for what they are to be known."""
        return self._body.pending

    def passed(self, texts: Sequence[str]) -> None:
        """Take texts that were passed on already."""
        self._body.passed(texts)
        self._written += texts

    def take(self, text: str) -> None:
        """Take more of the body."""
        self._body.feed(text)
        self._tell(self._body.messages)
        for piece in self._body.text[len(self._written) :]:
            self._add(restore(piece), private=self._body.in_thought)
        self.running = self.index + self._next if self._body.is_plain else -1

    def _add(self, text: str, *, private: bool) -> None:
        """Tell more of the open text."""
        if not self._written:
            channel = "analysis" if private else "final"
            first = Message("assistant", "", self._name, channel, end=None, continues=self._next > 0)
            self.log.events.append(Start(self.index + self._next, first))
        self._written.append(text)
        self.log.events.append(Delta(self.index + self._next, text))

    def end(self, messages: Sequence[Message]) -> None:
        """Tell what has not been told of the frame's messages."""
        self._tell(messages)

    def _tell(self, messages: Sequence[Message]) -> None:
        """Tell the messages that are over, each as one that began as what it seemed to be."""
        for part in messages[self._next :]:
            text = str(part.content)
            turned = self._next == 0 and self._body.turned
            if not self._written and text and not is_call(part) and (turned or not is_thought(part)):
                self._add(text, private=False)
            tell(self.log, self.index + self._next, part, "".join(self._written) if self._written else None)
            self._next, self._written = self._next + 1, []


# --- the stream -------------------------------------------------------------------------------------------------------


def beginning(header: str) -> Message:
    """What a header says of its message, which has not ended."""
    heading = read_header(header)
    return message(heading.role, "", name_from_header(heading.role, heading.name), end=None)


class Reading(Live):
    """The reading of a stream.

    Args:
        log: takes the events.
    """

    def __init__(self, log: LiveLog) -> None:
        self._frames = FrameReader(log)
        super().__init__(log, GRAMMAR, self._frames)

    def saying(self, header: str) -> Saying:
        """What says the body of a frame with this header."""
        heading, index = read_header(header), len(self._frames.messages)
        if heading.role == "assistant":
            return Turn(self.log, index, heading.name, self._frames.schemas)
        if heading.role == "system" and self._frames.may_declare:
            return Saying(self.log, index, None, CONTROL.restore)
        if heading.role in ROLES:
            first = beginning(header)
            if heading.role == "tool" and heading.name is None:
                first.name = self._frames.replies.waits
            return Spoken(self.log, index, first)
        return Saying(self.log, index, beginning(header), control_of(heading.role).restore)

    def ending(self, start: str, saying: Saying) -> str:
        """The token that ends a frame."""
        return END


def decoder(_options: Options) -> Decoder:
    """A decoder of raw ChatML. Feed it the generation prompt first where the model's answer begins behind one."""
    log = LiveLog()
    return TextDecoder(Reading(log), _READ, log)
