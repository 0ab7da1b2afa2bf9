"""An assistant's body as it arrives: its thought, its texts and its calls."""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.events import Delta, Start
from ocml_bridge.model import Message
from ocml_bridge.stream.decoder import LiveLog, tell
from ocml_bridge.stream.frames import Saying
from ocml_bridge.text.plain import message
from ocml_bridge.turns import is_call, is_thought

from .markup.body import BodyReader, restore
from .markup.call_messages import NO_SCHEMAS, Schemas
from .responses import begins
from .syntax import CONTROL


class Spoken(Saying):
    """Says the body of a frame that may hold replies: text at once, replies when they are complete.

    Args:
        log: where to.
        index: of the frame's first message.
        beginning: what the header says of it.
    """

    def __init__(self, log: LiveLog, index: int, beginning: Message) -> None:
        super().__init__(log, index, beginning, CONTROL.restore)
        self._blank = ""

    def take(self, text: str) -> None:
        """Take more of the body."""
        if self.running < 0 and self.beginning is not None:
            self._blank += text
            text, self._waiting = self._blank, len(self._blank)
            if not text.strip():
                return
            self._blank, self._waiting = "", 0
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
        self._told: list[str] = []
        """What has been told of the open text."""

    @property
    def pending(self) -> int:
        """How many characters wait for what they are to be known."""
        return self._body.pending

    def passed(self, texts: Sequence[str]) -> None:
        """Take texts that were passed on already."""
        self._body.passed(texts)
        self._told += texts

    def take(self, text: str) -> None:
        """Take more of the body."""
        self._body.feed(text)
        self._tell(self._body.messages)
        for piece in self._body.text[len(self._told) :]:
            self._add(restore(piece), private=self._body.in_thought)
        self.running = self.index + self._next if self._body.is_plain else -1

    def _add(self, text: str, *, private: bool) -> None:
        """Tell more of the open text."""
        if not self._told:
            channel = "analysis" if private else "final"
            begun = Message("assistant", "", self._name, channel, end=None, continues=self._next > 0)
            self.log.events.append(Start(self.index + self._next, begun))
        self._told.append(text)
        self.log.events.append(Delta(self.index + self._next, text))

    def end(self, messages: Sequence[Message]) -> None:
        """Tell what has not been told of the frame's messages."""
        self._tell(messages)

    def _tell(self, messages: Sequence[Message]) -> None:
        """Tell the messages that are over, each as one that began as what it seemed to be."""
        for part in messages[self._next :]:
            text = str(part.content)
            turned = self._next == 0 and self._body.turned
            if not self._told and text and not is_call(part) and (turned or not is_thought(part)):
                self._add(text, private=False)
            tell(self.log, self.index + self._next, part, "".join(self._told) if self._told else None)
            self._next, self._told = self._next + 1, []
