"""What the decoders of the ChatML family share: frames as they arrive (`text.im`), and what is said of each.

The batch reader reads whole frames; here it does too, when they are complete, and what was not said yet is said then.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

from ..events import Delta, End, Start
from ..model import Document, Message
from ..text.im import Frame, Grammar, Scanner, require_one_conversation
from .decoder import LiveLog, tell


class Reader(Protocol):
    """A format's batch reader.

    Attributes:
        messages: those of the frames so far.
    """

    messages: list[Message]

    def frame(self, frame: Frame, /) -> None:
        """Take the next frame."""
        ...

    def finish(self, tail: str, /) -> Document:
        """The document, with what stands behind the last frame."""
        ...


class Saying:
    """Says the body of one frame as it arrives.

    Args:
        log: where to.
        index: of the frame's first message.
        beginning: what the header says of that message; None where only the whole frame tells it.
        restore: makes of text in a body what it says.

    Attributes:
        running: the message whose text is passed on as it comes, or -1.
    """

    def __init__(self, log: LiveLog, index: int, beginning: Message | None, restore: Callable[[str], str]) -> None:
        self.log = log
        self.index = index
        self.beginning = beginning
        self.restore = restore
        self.running = -1
        self._waiting = 0

    @property
    def pending(self) -> int:
        """How many characters wait for what they are to be known."""
        return self._waiting

    def passed(self, texts: Sequence[str]) -> None:
        """Take texts that were passed on already."""

    def take(self, text: str) -> None:
        """Take more of the body; it is never cut inside a token."""
        if self.beginning is None:
            self._waiting += len(text)
            return
        if self.running < 0:
            self.running = self.index
            self.log.events.append(Start(self.index, self.beginning))
        self.log.events.append(Delta(self.index, self.restore(text)))

    def end(self, messages: Sequence[Message]) -> None:
        """Say what has not been said of the frame's messages."""
        for index, message in enumerate(messages, self.index):
            if index == self.running:
                self.log.events.append(End(index, message))
            else:
                tell(self.log, index, message)


class Live(ABC):
    """The reading of a stream.

    Args:
        log: takes the events.
        grammar: which tokens open and close a frame.
        reader: reads the frames.
    """

    def __init__(self, log: LiveLog, grammar: Grammar, reader: Reader) -> None:
        self.log = log
        self._reader = reader
        self._scanner = Scanner(grammar)
        self._open: Saying | None = None
        self._passed = 0
        self.running = -1
        self.body = self._scanner.body

    @abstractmethod
    def saying(self, header: str) -> Saying:
        """What says the body of the next frame, which has this header."""

    @abstractmethod
    def ending(self, start: str, saying: Saying) -> str:
        """What ends a frame, by how the token that opened it is spelled and by what its body holds so far."""

    @property
    def pending(self) -> int:
        """How many characters wait for what they are to be known."""
        return self._scanner.pending + (self._open.pending if self._open is not None else 0)

    def push(self, text: str) -> None:
        """Take text that is not cut inside a token.

        Raises:
            BridgeError: OCB-SEVERAL where another conversation begins.
        """
        self._pass()
        for frame in self._scanner.feed(text):
            self._end(frame)
        frame = self._scanner.frame
        if frame is not None and frame.newline:
            if self._open is None:
                require_one_conversation(frame)
                self._open, self.body, self._passed = self.saying(frame.header), self._scanner.body, 0
            self._say(self._open)
        self.running = self._open.running if self._open is not None else -1

    def _pass(self) -> None:
        """See to what was passed on since the last time."""
        if self._open is not None and len(self.body) > self._passed:
            self._open.passed(self.body[self._passed :])
            self._passed = len(self.body)

    def _say(self, saying: Saying) -> None:
        text = "".join(self.body[self._passed :])
        self._passed = len(self.body)
        if text:
            saying.take(text)

    def _end(self, frame: Frame) -> None:
        require_one_conversation(frame)
        saying, self._open = self._open, None
        if saying is not None:
            self._say(saying)
        else:
            saying = self.saying(frame.header)
            if frame.body:
                saying.take(frame.body)
        known = len(self._reader.messages)
        self._reader.frame(frame)
        saying.end(self._reader.messages[known:])

    def implied(self) -> str:
        """The token that ends the open message."""
        frame = self._scanner.frame
        return self.ending(frame.start, self._open) if frame is not None and self._open is not None else ""

    def close(self) -> Document:
        """There is no more."""
        self._pass()
        last, tail = self._scanner.finish()
        for frame in last:
            self._end(frame)
        return self._reader.finish(tail)
