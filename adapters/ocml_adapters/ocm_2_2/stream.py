"""Decode OpenChatML 2.2 text as it arrives, with the scanner and the reader of the batch reader."""

from __future__ import annotations

from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.events import Decoder, Delta, End, Start
from ocml_bridge.formats.adapter import Options
from ocml_bridge.formats.boundary import require_one_conversation
from ocml_bridge.model import Message, Part, Transcript, replace
from ocml_bridge.stream.buffer import Hold
from ocml_bridge.stream.decoder import LiveLog, TextDecoder
from ocml_bridge.text import thoughts
from ocml_bridge.units.heads import item_of

from .around import Front, read_front
from .body import BodyReader
from .frames import Frame, Scanner
from .header import parse_header
from .reader import Rest, message_of_header, read_frame, related, with_whole_end
from .syntax import TERMINATORS, TOKENS

HOLD: Final = Hold((*TOKENS, *(f"<|start_{kind}|>" for kind in thoughts.KINDS)), runs=True)


class Live:
    """The `Reading` of a stream of frames.

    A message begins when its header is complete; private reasoning begins with its first text, because thought markers
    may come before it.

    Args:
        log: receives the events.
    """

    def __init__(self, log: LiveLog) -> None:
        self._log = log
        self._front = Front()
        self._around: Transcript | None = None
        """The transcript before the first frame; None until the first frame is found."""
        self._scanner = Scanner()
        self._messages: list[Message] = []
        self._closed: Frame | None = None
        """The frame of the last message."""
        self._current: Message | None = None
        self._text = BodyReader(marked=False)
        self._lead: list[Part] | None = None
        """The markers of a message that has not begun; None after its `Start`."""
        self._passed = 0
        """The number of pieces of the body that were passed on."""
        self.running = -1
        self.body = self._scanner.body

    @property
    def pending(self) -> int:
        """The number of characters that wait for the first frame, or for a token."""
        return self._front.size if self._around is None else self._scanner.pending

    def push(self, text: str) -> None:
        """Take more text, which does not end inside a token.

        Raises:
            BridgeError: E-PARSE-HEADER if a header is malformed.
        """
        if self._around is None:
            rest = self._front.feed(text)
            if rest is None:
                return
            self._begin(text := rest)
        self._take(text)

    def _begin(self, rest: str) -> None:
        self._scanner = Scanner(len(self._front.text))
        self._around = read_front(self._front, self._log, alone=not rest)

    def _take(self, text: str) -> None:
        if self._current is not None:
            self._passed = len(self.body)
        try:
            for frame in self._scanner.feed(text):
                self._end(frame)
        finally:
            # If the text is malformed, the text before the error is still emitted.
            self._tell()

    def _tell(self) -> None:
        """Emit what is known of the open message."""
        self.running = -1
        frame = self._scanner.frame
        if frame is not None and self._scanner.has_body:
            self._say(frame, len(self._messages))
            self.running = -1 if self._lead is not None else len(self._messages)

    def _say(self, frame: Frame, index: int) -> None:
        """Emit the text of a message that was not emitted yet."""
        if self._current is None:
            require_one_conversation(frame.begins)
            self._current = message_of_header(parse_header(frame.header, frame.offset))
            self._passed, self.body = 0, self._scanner.body
            self._lead, self._text = [], BodyReader(marked=is_thought(self._current))
            if not is_thought(self._current):
                self._start(index)
        text: list[str] = []
        for part in self._text.feed(self.body[self._passed :]):
            if isinstance(part, str):
                text.append(part)
                if part:
                    self._start(index)
            elif self._lead is not None:
                self._lead.append(part)
        self._passed = len(self.body)
        if more := "".join(text):
            self._log.events.append(Delta(index, more))

    def _start(self, index: int) -> None:
        if self._lead is not None and self._current is not None:
            message = replace(self._current, content=tuple(self._lead)) if self._lead else self._current
            self._log.events.append(Start(index, message))
            self._lead = None

    def _end(self, frame: Frame) -> None:
        index = len(self._messages)
        self._say(frame, index)
        self._start(index)
        self._settle()
        message = read_frame(frame, index, self._log)
        self._messages.append(message)
        self._log.events.append(End(index, message))
        self._current, self._closed = None, frame

    def _settle(self) -> None:
        """Store the terminator of the last frame, which is complete when something follows it."""
        if self._closed is not None:
            self._messages[-1] = with_whole_end(self._messages[-1], self._closed)

    def implied(self) -> str:
        """Return the token that ends the open message; "" inside a literal block."""
        if self._around is None:
            self._resolve()
        message = self._current
        if message is None or self._scanner.is_opaque:
            return ""
        answers = message.role == "assistant" and message.channel == "final"
        return TERMINATORS["call" if is_call(message) else "return" if answers else "end"]

    def _resolve(self) -> Transcript:
        """End the search for the first frame: no line begins with one."""
        self._begin(rest := self._front.finish())
        self._take(rest)
        assert self._around is not None
        return self._around

    def close(self) -> Transcript:
        """End the text; emit the missing events and return the document.

        Raises:
            BridgeError: as `push`; OCB-NO-FRAMES if there is neither a header nor a message.
        """
        around = self._around or self._resolve()
        if self._current is not None:
            self._passed = len(self.body)
        last, tail = self._scanner.finish()
        if last is not None and last.body is not None:
            self._end(last)
            last = None
        self._settle()
        rest = Rest(opening=last, tail=tail)
        return related(list(map(item_of, self._messages)), around, rest, self._log).transcript


def decoder(_options: Options) -> Decoder:
    """Return a decoder of OpenChatML 2.2. Feed it the generation prompt before an answer that continues it."""
    log = LiveLog()
    return TextDecoder(Live(log), HOLD, log)
