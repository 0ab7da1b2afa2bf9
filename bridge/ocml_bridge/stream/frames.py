"""Turn the frames of the ChatML family into events as they arrive, for the decoders of these formats.

`Live` scans the text (`text.im`), and opens a `FrameEvents` for each frame, which passes on the frame's body as it
arrives. Once a frame is complete, the format's batch reader reads it, and the events that are still missing are
emitted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

from ..events import Delta, End, Start
from ..formats.boundary import require_one_conversation
from ..model import Document, Message
from ..text.im import Frame, Grammar, Scanner
from .decoder import LiveLog, emit_message


class Reader(Protocol):
    """A format's batch reader.

    Attributes:
        messages: the messages of the frames that were read.
    """

    messages: list[Message]

    def frame(self, frame: Frame, /) -> None:
        """Read the next frame."""
        ...

    def finish(self, tail: str, /) -> Document:
        """Return the document, given the text after the last frame."""
        ...


Beginning = Message | Callable[[str], Message | None] | None
"""How a frame begins its first message: the message, a function of the beginning of its body, or None."""


class FrameEvents:
    """Emit the events of one frame as its body arrives.

    Args:
        log: receives the events.
        index: the index of the frame's first message.
        beginning: that message as the header describes it; None if only the whole frame shows it. If the body shows
            it, a function: it gets the beginning of the body, which is not blank, and returns the message or None.
        restore: returns the content for text of the body, without escapes. It is called for each piece.
        until: a token in the body that ends the text of that message; what follows waits for the whole frame. None if
            the whole body belongs to the message.

    Attributes:
        running: the index of the message whose text is passed on as it arrives, or -1.
    """

    def __init__(
        self,
        log: LiveLog,
        index: int,
        beginning: Beginning,
        restore: Callable[[str], str],
        *,
        until: str | None = None,
    ) -> None:
        self.log = log
        self.index = index
        self.beginning = beginning
        self.restore = restore
        self.running = -1
        self._until = until
        self._blank: list[str] = []
        """The pieces of a body that is blank so far."""
        self._begun = False
        """Whether the first message has begun."""
        self._waiting = 0

    @property
    def pending(self) -> int:
        """The number of characters that wait until the whole frame has arrived."""
        return self._waiting

    def passed(self, texts: Sequence[str]) -> None:
        """Take texts of the body for which the decoder has emitted the events already."""

    def take(self, text: str) -> None:
        """Take more of the body; no piece ends inside a token."""
        if callable(self.beginning):
            self._blank.append(text)
            self._waiting += len(text)
            if text.isspace():
                return
            text = "".join(self._blank)
            self.beginning, self._blank, self._waiting = self.beginning(text), [], 0
        if self.beginning is None:
            self._waiting += len(text)
            return
        text, ended, rest = (text, "", "") if self._until is None else text.partition(self._until)
        if text:
            self._say(self.beginning, text)
        if ended:
            self.beginning, self.running, self._waiting = None, -1, len(ended) + len(rest)

    def _say(self, beginning: Message, text: str) -> None:
        if not self._begun:
            self._begun, self.running = True, self.index
            self.log.events.append(Start(self.index, beginning))
        self.log.events.append(Delta(self.index, self.restore(text)))

    def end(self, messages: Sequence[Message]) -> None:
        """Emit the missing events of the frame's messages, which are complete."""
        for index, message in enumerate(messages, self.index):
            if self._begun and index == self.index:
                self.log.events.append(End(index, message))
            else:
                emit_message(self.log, index, message)


class Live(ABC):
    """The `Reading` of a stream of frames.

    Args:
        log: receives the events.
        grammar: the tokens that open and close a frame.
        reader: reads the frames.
    """

    def __init__(self, log: LiveLog, grammar: Grammar, reader: Reader) -> None:
        self.log = log
        self.reader = reader
        self._scanner = Scanner(grammar)
        self._open: FrameEvents | None = None
        self._passed = 0
        self._waiting = 0
        """The number of pieces at the end of the body that wait, because they may end the text."""
        self._waiting_size = 0
        """The number of characters in them."""
        self._grammar = grammar
        self.running = -1
        self.body = self._scanner.body

    @abstractmethod
    def frame_events(self, header: str) -> FrameEvents:
        """Return the `FrameEvents` of the next frame, which has this header."""

    @abstractmethod
    def ending(self, start: str, frame_events: FrameEvents) -> str:
        """Return the token that ends the open frame.

        Args:
            start: the token that opened the frame.
            frame_events: the frame's `FrameEvents`, with the body so far.
        """

    @property
    def pending(self) -> int:
        """The number of characters that wait until their meaning is known."""
        waiting = self._waiting_size if self._waiting else 0
        return self._scanner.pending + waiting + (self._open.pending if self._open is not None else 0)

    def push(self, text: str) -> None:
        """Take more text, which does not end inside a token.

        Raises:
            BridgeError: OCB-SEVERAL if another conversation begins in it.
        """
        self._pass()
        for frame in self._scanner.feed(text):
            self._end(frame)
        frame = self._scanner.frame
        if frame is not None and frame.newline:
            if self._open is None:
                require_one_conversation(frame.begins)
                self._open, self.body, self._passed = self.frame_events(frame.header), self._scanner.body, 0
            self._keep_end()
            self._say(self._open)
        self.running = self._open.running if self._open is not None and not self._waiting else -1

    def _pass(self) -> None:
        """Tell the open frame the texts that the decoder has passed on since the last call."""
        if self._open is not None and not self._waiting and len(self.body) > self._passed:
            self._open.passed(self.body[self._passed :])
            self._passed = len(self.body)

    def _keep_end(self) -> None:
        """Keep the end of the open body back if it may end the text: a token that does, and white space after it."""
        if self._waiting:
            pieces = self.body[self._passed + self._waiting :]
            new = "".join(pieces)
            if not new.strip():  # so that time is linear if white space comes piece by piece
                self._waiting += len(pieces)
                self._waiting_size += len(new)
                return
        text = "".join(self.body[self._passed :])
        closing = self._grammar.closing(text)
        if closing is not None:
            self.body[self._passed :] = [text[: closing.start()], closing[0]]
            self._waiting_size = len(closing[0])
        self._waiting = int(closing is not None)

    def _say(self, frame_events: FrameEvents) -> None:
        stop = len(self.body) - self._waiting
        text = "".join(self.body[self._passed : stop])
        self._passed = stop
        if text:
            frame_events.take(text)

    def _end(self, frame: Frame) -> None:
        require_one_conversation(frame.begins)
        frame_events, self._open = self._open, None
        if frame_events is not None:
            self._waiting = self._waiting if frame.end in self._grammar.closers else 0
            self._say(frame_events)
            self._waiting = 0
        else:
            frame_events = self.frame_events(frame.header)
            if frame.body:
                frame_events.take(frame.body)
        message_count = len(self.reader.messages)
        self.reader.frame(frame)
        frame_events.end(self.reader.messages[message_count:])

    def implied(self) -> str:
        """Return the token that ends the open message, or ""."""
        frame = self._scanner.frame
        return self.ending(frame.start, self._open) if frame is not None and self._open and not self._waiting else ""

    def close(self) -> Document:
        """End the text; emit the missing events and return the document."""
        self._pass()
        last, tail = self._scanner.finish()
        for frame in last:
            self._end(frame)
        return self.reader.finish(tail)
