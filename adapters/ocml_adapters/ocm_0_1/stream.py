"""Decode OpenChatML 0.1 text as it arrives, with the scanners of the batch reader for frames and their segments.

The whole document (beginning and end, declared tools, completions) is read when all of the text has arrived.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.engine.reading import document_of
from ocml_bridge.events import Decoder, Delta, End, Start
from ocml_bridge.formats.adapter import Options
from ocml_bridge.model import Document, Message, Text
from ocml_bridge.stream import frames
from ocml_bridge.stream.buffer import Hold
from ocml_bridge.stream.decoder import LiveLog, TextDecoder, header_of
from ocml_bridge.text.im import Frame, Heading, read_header, spell

from .around import EOS, grammar
from .body import BodyReader, is_text, with_channels
from .reader import FramesReader, end_inside
from .segments import Block, Call, Output, Segment
from .syntax import END, EOS_TOKEN, SPECIALS


class BodyDecoder(BodyReader):
    """A reader of a body that emits the events of its messages.

    A message ends when the next one begins; a text ends when it is known whether a call follows in its frame.

    Args:
        heading: the header of the frame.
        log: receives the events.
        first: the index of the first message of the frame.
    """

    def __init__(self, heading: Heading, log: LiveLog, first: int) -> None:
        super().__init__(heading)
        self._log = log
        self._first = first
        self._ended = 0
        self._emitted_pieces = 0
        """The number of pieces of the open text that were emitted."""
        self._emitted = 0
        """The number of its characters that were emitted."""
        self._passed: list[str] = []
        """Texts that the decoder has passed on. They are scanned with the next text: a newline at their end is text."""
        self._passed_size = 0
        """The number of their characters."""

    @property
    def running(self) -> int:
        """The index of the message whose text may be passed on as it arrives, or -1."""
        return self._index if self._started and not self.pending else -1

    @property
    def _index(self) -> int:
        return self._first + len(self.messages) - 1

    def begin(self, message: Message) -> None:
        """Begin a message; end the previous ones whose channels are certain."""
        super().begin(message)
        calls = is_call(message)
        if calls:
            with_channels(self.messages[self._ended :])
        while self._ended < len(self.messages) - 1 and (calls or not self._may_become_preamble()):
            self._emit_end()
        start = header_of(message)
        if is_thought(message):
            start.content = message.content
        self._log.events.append(Start(self._index, start))

    def _may_become_preamble(self) -> bool:
        message = self.messages[self._ended]
        return message.role == "assistant" and is_text(message)

    def _emit_end(self) -> None:
        self._log.events.append(End(self._first + self._ended, self.messages[self._ended]))
        self._ended += 1

    def add(self, segment: Segment) -> None:
        """Add a complete segment, and emit the rest of its text."""
        super().add(segment)
        self._delta(_text_of(segment)[self._emitted :])
        self._emitted_pieces = self._emitted = self._passed_size = 0

    def _delta(self, text: str) -> None:
        if text:
            self._log.events.append(Delta(self._index, text))

    def passed(self, texts: Sequence[str]) -> None:
        """Take texts for which the decoder has emitted the events already."""
        size = sum(map(len, texts))
        self._passed += texts
        self._emitted += size
        self._passed_size += size

    def take(self, text: str) -> None:
        """Take more of the body, which does not end inside a token, and emit its text."""
        self.feed(self._after_passed(text))
        if len(self.open_text) == self._emitted_pieces:
            return
        more = "".join(self.open_text[self._emitted_pieces :])
        self._emitted_pieces = len(self.open_text)
        self._delta(more[self._passed_size :])
        self._emitted += len(more) - self._passed_size
        self._passed_size = 0

    def _after_passed(self, text: str) -> str:
        if not self._passed:
            return text
        joined = "".join((*self._passed, text))
        self._passed.clear()
        return joined

    def end(self, text: str, *, cut: bool) -> None:
        """Take the rest of the body, and emit the missing events."""
        self.finish(self._after_passed(text), cut=cut)
        while self._ended < len(self.messages):
            self._emit_end()


def _text_of(segment: Segment) -> str:
    if isinstance(segment, (Text, Block)):
        return segment.text
    if isinstance(segment, Call):
        return segment.arguments
    return segment.content if isinstance(segment, Output) else ""


class TextEnd:
    """Finds the end of an incomplete text that may be the token that ends the whole text, with white space after it.

    Args:
        options: which tokens end a text.
    """

    def __init__(self, options: Options) -> None:
        self._tokens: Final = tuple(token for token in (*EOS, EOS_TOKEN.of(options)) if token)
        self.firsts: Final = "".join(token[0] for token in self._tokens)
        """The first characters of these tokens."""
        self.find_first: Final = re.compile(f"[{re.escape(self.firsts)}]").search
        """Finds one of these characters in a text."""

    def ends(self, text: str) -> bool:
        """Return whether a text ends with such a token."""
        return text.rstrip().endswith(self._tokens)

    def cut(self, text: str) -> int:
        """Return the index from which a text may be such a token or its beginning; its length if there is none."""
        rest = text.rstrip()
        places = [len(rest) - len(token) for token in self._tokens if rest.endswith(token)]
        for token in self._tokens:
            at = text.find(token[0], max(0, len(text) - len(token) + 1))
            while at >= 0 and not token.startswith(text[at:]):
                at = text.find(token[0], at + 1)
            if at >= 0:
                places.append(at)
        return min(places, default=len(text))


class FrameCollector:
    """Collects the frames of a stream, which are read as a document at the end; it is the `Reader` of `Live`.

    Args:
        options: which tokens end a text.
        log: receives the findings.

    Attributes:
        messages: the messages of complete frames.
        text_end: finds the end of the whole text.
    """

    def __init__(self, options: Options, log: LiveLog) -> None:
        self.messages: list[Message] = []
        self.options = options
        self.text_end = TextEnd(options)
        self._log = log
        self._frames: list[Frame] = []

    def frame(self, frame: Frame, /) -> None:
        """Take the next frame."""
        self._frames.append(frame)

    def rest(self) -> tuple[str, bool] | None:
        """Return the body of the last frame, and whether it was cut off; None if the frame is an open turn."""
        frame = self._frames[-1]
        if frame.last and not frame.body.strip():
            return None
        edges = end_inside(frame, self.options)
        return (frame.body, frame.last) if edges is None else (edges.tail, False)

    def finish(self, tail: str, /) -> Document:
        """Return the document."""
        return document_of(FramesReader(self.options), spell(self._frames, tail), self._log)


class FrameEvents(frames.FrameEvents):
    """Emits the events of one frame as its body arrives, except for an end that may end the whole text (decision 15).

    Args:
        log: receives the events.
        collector: has the frames so far.
        header: the header of this frame.
    """

    def __init__(self, log: LiveLog, collector: FrameCollector, header: str) -> None:
        super().__init__(log, len(collector.messages), None, str)
        self._collector = collector
        self._body = BodyDecoder(read_header(header), log, self.index)
        self._text_end = collector.text_end
        self._fed = 0
        self._tail: list[str] = []
        """The end of the body so far, which may be the end of the whole text."""
        self._tail_size = 0
        self.ended = False
        """Whether the text ends the whole text, as far as it has arrived."""

    @property
    def pending(self) -> int:
        """The number of characters that wait until their meaning is known."""
        return self._body.pending + self._tail_size

    def passed(self, texts: Sequence[str]) -> None:
        """Take texts of the body for which the decoder has emitted the events already."""
        self._fed += sum(map(len, texts))
        self._body.passed(texts)

    def take(self, text: str) -> None:
        """Take more of the body; no piece ends inside a token."""
        if self.ended and text.isspace():
            self._tail.append(text)
            self._tail_size += len(text)
            return
        if self._tail_size:
            text = "".join((*self._tail, text))
        self.ended, at = False, len(text)
        if self._text_end.find_first(text):
            self.ended = self._text_end.ends(text)
            at = _HOLD.cut(text[: self._text_end.cut(text)])
        self._tail, self._tail_size = [text[at:]], len(text) - at
        self._fed += at
        self._body.take(text[:at])
        self.running = -1 if self._tail_size else self._body.running

    def end(self, messages: Sequence[Message]) -> None:
        """Emit the missing events of the frame's messages."""
        rest = self._collector.rest()
        if rest is None:
            return
        body, cut = rest
        self._body.end(body[self._fed :], cut=cut)
        self._collector.messages += self._body.messages


class Live(frames.Live):
    """The `Reading` of a stream of frames.

    Args:
        log: receives the events.
        options: which tokens end a text.
    """

    def __init__(self, log: LiveLog, options: Options) -> None:
        self._collector = FrameCollector(options, log)
        super().__init__(log, grammar(options), self._collector)

    def frame_events(self, header: str) -> FrameEvents:
        """Return the `FrameEvents` of the next frame."""
        return FrameEvents(self.log, self._collector, header)

    def ending(self, start: str, frame_events: frames.FrameEvents) -> str:
        """Return the token that ends the open frame; none if the whole text has ended."""
        return "" if isinstance(frame_events, FrameEvents) and frame_events.ended else END

    @property
    def pending(self) -> int:
        """The number of characters that wait in the open frame; text outside of frames does not wait."""
        return super().pending if self._scanner.frame is not None else 0


@cache
def _hold(look: str) -> Hold:
    return Hold(SPECIALS, line_end=True, look=look)


_HOLD: Final = Hold(SPECIALS)


def decoder(options: Options) -> Decoder:
    """Return a decoder of OpenChatML 0.1. If the stream is a model's answer, feed it the generation prompt first."""
    log = LiveLog()
    return TextDecoder(Live(log, options), _hold(TextEnd(options).firsts), log)
