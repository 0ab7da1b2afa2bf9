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


class LiveBody(BodyReader):
    """Reads a body, and says what is known of its messages.

    A message ends when the next one begins; a text when it is known whether a call follows in its frame.

    Args:
        heading: the frame's header.
        log: where to.
        first: the index of its first message.
    """

    def __init__(self, heading: Heading, log: LiveLog, first: int) -> None:
        super().__init__(heading)
        self._log = log
        self._first = first
        self._ended = 0
        self._pieces = 0
        self._size = 0
        """How many pieces of the text that is open, and how many of its characters, were said."""
        self._passed: list[str] = []
        self._ahead = 0
        """Texts that were passed on, and how many characters they have.

        They are looked at together with what follows: a line end that they end with is text, because more came."""

    @property
    def running(self) -> int:
        """The message whose text may be passed on as it comes, or -1."""
        return self._index if self._started and not self.pending else -1

    @property
    def _index(self) -> int:
        return self._first + len(self.messages) - 1

    def begin(self, message: Message) -> None:
        """A message begins."""
        super().begin(message)
        calls = is_call(message)
        if calls:
            with_channels(self.messages[self._ended :])
        while self._ended < len(self.messages) - 1 and (calls or not self._may_be_preamble()):
            self._end()
        start = header_of(message)
        if is_thought(message):
            start.content = message.content
        self._log.events.append(Start(self._index, start))

    def _may_be_preamble(self) -> bool:
        message = self.messages[self._ended]
        return message.role == "assistant" and is_text(message)

    def _end(self) -> None:
        self._log.events.append(End(self._first + self._ended, self.messages[self._ended]))
        self._ended += 1

    def add(self, segment: Segment) -> None:
        """A segment is complete: say what was not said of it."""
        super().add(segment)
        self._delta(_text_of(segment)[self._size :])
        self._pieces = self._size = self._ahead = 0

    def _delta(self, text: str) -> None:
        if text:
            self._log.events.append(Delta(self._index, text))

    def passed(self, texts: Sequence[str]) -> None:
        """Take texts that were passed on already."""
        size = sum(map(len, texts))
        self._passed += texts
        self._size += size
        self._ahead += size

    def take(self, text: str) -> None:
        """Take more of the body, not cut inside a token, and say what it tells."""
        self.feed(self._with_passed(text))
        if len(self.open_text) == self._pieces:
            return
        more = "".join(self.open_text[self._pieces :])
        self._pieces = len(self.open_text)
        self._delta(more[self._ahead :])
        self._size += len(more) - self._ahead
        self._ahead = 0

    def _with_passed(self, text: str) -> str:
        if not self._passed:
            return text
        whole = "".join((*self._passed, text))
        self._passed.clear()
        return whole

    def end(self, text: str, *, cut: bool) -> None:
        """Take the rest of the body and say everything."""
        self.finish(self._with_passed(text), cut=cut)
        while self._ended < len(self.messages):
            self._end()


def _text_of(segment: Segment) -> str:
    if isinstance(segment, (Text, Block)):
        return segment.text
    if isinstance(segment, Call):
        return segment.arguments
    return segment.content if isinstance(segment, Output) else ""


class Ending:
    """Tells which end of a text that arrives may be the token that ends all of it, with white space behind it.

    Args:
        options: which tokens end a text.
    """

    def __init__(self, options: Options) -> None:
        self._tokens: Final = tuple(token for token in (*EOS, EOS_TOKEN.of(options)) if token)
        self.firsts: Final = "".join(token[0] for token in self._tokens)
        """The characters that such an end may begin with."""
        self.may_begin: Final = re.compile(f"[{re.escape(self.firsts)}]").search
        """Finds whether a text has one of them."""

    def ends(self, text: str) -> bool:
        """Whether a text ends with such a token."""
        return text.rstrip().endswith(self._tokens)

    def cut(self, text: str) -> int:
        """Where the end of a text begins that may be such a token or the beginning of one; else its length."""
        rest = text.rstrip()
        places = [len(rest) - len(token) for token in self._tokens if rest.endswith(token)]
        for token in self._tokens:
            at = text.find(token[0], max(0, len(text) - len(token) + 1))
            while at >= 0 and not token.startswith(text[at:]):
                at = text.find(token[0], at + 1)
            if at >= 0:
                places.append(at)
        return min(places, default=len(text))


class FramesSoFar:
    """The frames so far, which are read as a document when all are there.

    Attributes:
        messages: those of the frames that are complete.
        ending: tells what may be the end token of the whole text.
    """

    def __init__(self, options: Options, log: LiveLog) -> None:
        self.messages: list[Message] = []
        self.options = options
        self.ending = Ending(options)
        self._log = log
        self._frames: list[Frame] = []

    def frame(self, frame: Frame, /) -> None:
        """Take the next frame."""
        self._frames.append(frame)

    def rest(self) -> tuple[str, bool] | None:
        """The body of the last frame, and whether the text is cut off in it; None where it only opens a turn."""
        frame = self._frames[-1]
        if frame.last and not frame.body.strip():
            return None
        found = end_inside(frame, self.options)
        return (frame.body, frame.last) if found is None else (found.tail, False)

    def finish(self, tail: str, /) -> Document:
        """The document."""
        return document_of(FramesReader(self.options), spell(self._frames, tail), self._log)


class Saying(frames.Saying):
    """Says a frame's body, but for an end that may be the end token of the whole text (decision 15).

    Args:
        log: where to.
        before: the frames so far.
        header: of this one.
    """

    def __init__(self, log: LiveLog, before: FramesSoFar, header: str) -> None:
        super().__init__(log, len(before.messages), None, str)
        self._before = before
        self._body = LiveBody(read_header(header), log, self.index)
        self._ending = before.ending
        self._fed = 0
        self._tail: list[str] = []
        self._size = 0
        """What is held back, and how much that is."""
        self.ended = False
        """Whether the text seems to be over."""

    @property
    def pending(self) -> int:
        """How many characters wait for what they are to be known."""
        return self._body.pending + self._size

    def passed(self, texts: Sequence[str]) -> None:
        """Take texts that were passed on already."""
        self._fed += sum(map(len, texts))
        self._body.passed(texts)

    def take(self, text: str) -> None:
        """Take more of the body; it is never cut inside a token."""
        if self.ended and text.isspace():
            self._tail.append(text)
            self._size += len(text)
            return
        if self._size:
            text = "".join((*self._tail, text))
        self.ended, at = False, len(text)
        if self._ending.may_begin(text):
            self.ended = self._ending.ends(text)
            at = _HOLD.cut(text[: self._ending.cut(text)])
        self._tail, self._size = [text[at:]], len(text) - at
        self._fed += at
        self._body.take(text[:at])
        self.running = -1 if self._size else self._body.running

    def end(self, messages: Sequence[Message]) -> None:
        """Say what has not been said of the frame's messages."""
        rest = self._before.rest()
        if rest is None:
            return
        body, cut = rest
        self._body.end(body[self._fed :], cut=cut)
        self._before.messages += self._body.messages


class Live(frames.Live):
    """The reading of a stream.

    Args:
        log: takes the events.
        options: which tokens end a text.
    """

    def __init__(self, log: LiveLog, options: Options) -> None:
        self._before = FramesSoFar(options, log)
        super().__init__(log, grammar(options), self._before)

    def saying(self, header: str) -> Saying:
        """What says the body of the next frame."""
        return Saying(self.log, self._before, header)

    def ending(self, start: str, saying: frames.Saying) -> str:
        """The token that ends a frame; none where the text has ended with its own."""
        return "" if isinstance(saying, Saying) and saying.ended else END

    @property
    def pending(self) -> int:
        """How many characters wait; what stands outside of frames, or is a completion, does not: it is what it is."""
        return super().pending if self._scanner.frame is not None else 0


@cache
def _hold(look: str) -> Hold:
    return Hold(SPECIALS, line_end=True, look=look)


_HOLD: Final = Hold(SPECIALS)


def decoder(options: Options) -> Decoder:
    """A decoder of OpenChatML 0.1. Feed it the generation prompt first where the model's answer begins behind one."""
    log = LiveLog()
    return TextDecoder(Live(log, options), _hold(Ending(options).firsts), log)
