"""OpenChatML 2.2 as it arrives: the batch reader's scanner and reader, fed piece by piece."""

from __future__ import annotations

from typing import Final

from ocml_bridge.adapter import Options
from ocml_bridge.events import Decoder, Delta, End, Start
from ocml_bridge.model import Message, Part, Transcript, replace
from ocml_bridge.stream.decoder import LiveLog, TextDecoder
from ocml_bridge.stream.hold import Hold
from ocml_bridge.text import thoughts
from ocml_bridge.turns import is_call, is_thought

from .body import Said
from .frames import Frame, Scanner
from .front import Front
from .header import parse_header
from .reader import FrameReader, alone, begun
from .syntax import TERMINATORS, TOKENS

HOLD: Final = Hold((*TOKENS, *(f"<|start_{kind}|>" for kind in thoughts.KINDS)), runs=True)


class Live:
    """The reading of a stream.

    A message begins when its header is complete; private reasoning with its first text, because markers may stand
    before it that say what kind of thought it is.

    Args:
        log: takes the events.
    """

    def __init__(self, log: LiveLog) -> None:
        self._log = log
        self._front = Front()
        self._scanner = Scanner()
        self._reader: FrameReader | None = None
        self._begun: Message | None = None
        self._said = Said(marked=False)
        self._lead: list[Part] | None = None
        """Markers of a message that has not been told; None once it has."""
        self._told = 0
        self.running = -1
        self.body = self._scanner.body

    @property
    def pending(self) -> int:
        """How many characters wait for the first frame, or for a token."""
        return self._front.size if self._reader is None else self._scanner.pending

    def push(self, text: str) -> None:
        """Take text that is not cut inside a token.

        Raises:
            BridgeError: E-PARSE-HEADER where a header has no one meaning.
        """
        if self._reader is None:
            rest = self._front.feed(text)
            if rest is None:
                return
            self._reader, text = self._begin(rest), rest
        self._take(self._reader, text)

    def _begin(self, rest: str) -> FrameReader:
        self._scanner = Scanner(len(self._front.text))
        return FrameReader(self._front, self._log, alone=not rest)

    def _take(self, reader: FrameReader, text: str) -> None:
        if self._begun is not None:
            self._told = len(self.body)
        try:
            for frame in self._scanner.feed(text):
                self._end(reader, frame)
        finally:
            # Where the text is malformed, what stands before that is said all the same.
            self._tell(reader)

    def _tell(self, reader: FrameReader) -> None:
        """Say what is known of the open message."""
        self.running = -1
        frame = self._scanner.frame
        if frame is not None and self._scanner.has_body:
            self._say(frame, len(reader.messages))
            self.running = -1 if self._lead is not None else len(reader.messages)

    def _say(self, frame: Frame, index: int) -> None:
        """Say what has not been said of a message."""
        if self._begun is None:
            alone(frame)
            self._begun, self._told, self.body = begun(parse_header(frame.header, frame.offset)), 0, self._scanner.body
            self._lead, self._said = [], Said(marked=is_thought(self._begun))
            if not is_thought(self._begun):
                self._start(index)
        text: list[str] = []
        for said in self._said.feed(self.body[self._told :]):
            if isinstance(said, str):
                text.append(said)
                if said:
                    self._start(index)
            elif self._lead is not None:
                self._lead.append(said)
        self._told = len(self.body)
        if more := "".join(text):
            self._log.events.append(Delta(index, more))

    def _start(self, index: int) -> None:
        if self._lead is not None and self._begun is not None:
            message = replace(self._begun, content=tuple(self._lead)) if self._lead else self._begun
            self._log.events.append(Start(index, message))
            self._lead = None

    def _end(self, reader: FrameReader, frame: Frame) -> None:
        index = len(reader.messages)
        if frame.body is not None:
            self._say(frame, index)
            self._start(index)
        reader.frame(frame)
        if frame.body is not None:
            self._log.events.append(End(index, reader.messages[index]))
        self._begun = None

    def implied(self) -> str:
        """The token that ends the open message; none does inside a literal block."""
        if self._reader is None:
            self._resolve()
        message = self._begun
        if message is None or self._scanner.is_opaque:
            return ""
        answers = message.role == "assistant" and message.channel == "final"
        return TERMINATORS["call" if is_call(message) else "return" if answers else "end"]

    def _resolve(self) -> FrameReader:
        """There is no line that begins with a frame."""
        rest = self._front.finish()
        self._reader = self._begin(rest)
        self._take(self._reader, rest)
        return self._reader

    def close(self) -> Transcript:
        """There is no more.

        Raises:
            BridgeError: as `push`; OCB-NO-FRAMES where nothing came that could be read.
        """
        reader = self._reader or self._resolve()
        if self._begun is not None:
            self._told = len(self.body)
        last, tail = self._scanner.finish()
        if last is not None:
            self._end(reader, last)
        return reader.finish(tail)


def decoder(_options: Options) -> Decoder:
    """A decoder of OpenChatML 2.2. Feed it the generation prompt first where the model's answer begins behind one."""
    log = LiveLog()
    return TextDecoder(Live(log), HOLD, log)
