"""ChatML as it arrives: the batch reader's scanner and reader, fed piece by piece."""

from __future__ import annotations

from typing import Final

from ocml_bridge.adapter import Options
from ocml_bridge.events import Decoder
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Transcript
from ocml_bridge.stream.decoder import LiveLog, TextDecoder
from ocml_bridge.stream.frames import Live, Saying
from ocml_bridge.stream.hold import Hold
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.turns import is_call
from ocml_bridge.units.heads import Item, item_of

from .detect import TAGS, opens_turn
from .family_frames import Place, remembering
from .live import Spoken, Turn
from .markup.call_messages import NO_SCHEMAS, Schemas
from .markup.segments import FUNCTION
from .messages import Contents, schemas_of
from .reader import beginning
from .responses import ROLES
from .syntax import CONTROL, END, GRAMMAR, MARKED, SPECIALS, control_of
from .text_reader import Placed, Replies, frame_said, parted, placed_at, surroundings

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
        self._marked = self._marked or any(tag in frame.body for tag in TAGS)
        if opens_turn(frame):
            return
        placed = Placed(frame, Place(None, before, frame.last, schemas=self.schemas), declares=leads)
        contents = frame_said(placed, len(self.messages), self._log)
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
        text = parted(self._frames, tail, marked=self._marked)
        items: list[Item] = []
        for at, (unit, contents) in enumerate(zip(text.units, self._contents, strict=True)):
            placed = placed_at(unit, at, text)
            if contents.messages:
                items += map(item_of, remembering(placed.frame, contents, placed.place))
        around = surroundings(text, len(items), self._log)
        around.messages = tuple(head.message(content, call_id) for head, content, call_id in items)
        return around


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
            begun = beginning(header)
            if heading.role == "tool" and heading.name is None:
                begun.name = self._frames.replies.waits
            return Spoken(self.log, index, begun)
        return Saying(self.log, index, beginning(header), control_of(heading.role).restore)

    def ending(self, start: str, saying: Saying) -> str:
        """The token that ends a frame."""
        return END


def decoder(_options: Options) -> Decoder:
    """A decoder of raw ChatML. Feed it the generation prompt first where the model's answer begins behind one."""
    log = LiveLog()
    return TextDecoder(Reading(log), _READ, log)
