"""Decode streams of Harmony, as text or token ids, into events.

The scanner (`frames.py`) and the reader (`reader.py`) are those of the batch reader, fed piece by piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.events import Decoder, Delta, Event, Reason, Start, Stop
from ocml_bridge.formats.adapter import DEFAULT, Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.stream.buffer import Hold
from ocml_bridge.stream.decoder import LiveLog, TextDecoder, declaration_at, emit_message, settle
from ocml_bridge.stream.utf8 import Characters

from .around import is_edge
from .frames import Frame, Scanner, pieces_of
from .header import build_message, fields_of
from .header_by_tools import NOTHING, ends_with, fields_in, names_of
from .reader import FrameReader
from .recover import is_only_header, unheaded
from .syntax import CONTROL, EDGE_IDS, END_OF_TEXT, ENDS, FIRST_SPECIAL, IDS, TOKENS
from .token_units import TokenFramesReader
from .tokens import bytes_of, encode, first_odd, not_an_id, text_of

_HOLD: Final = Hold(CONTROL.tokens, CONTROL.numbered)
_END_ID: Final = EDGE_IDS[END_OF_TEXT]
_NONE: Final = -1
"""The index of no message."""


class Live:
    """Reads a stream of pieces, text and control tokens in turn, and emits its events.

    Args:
        log: receives the events.
        restore: whether to restore broken tokens in bodies: True for text, False for token ids.
    """

    def __init__(self, log: LiveLog, *, restore: bool) -> None:
        self._log = log
        self._restore = restore
        self._reader = FrameReader(log, restore=restore)
        self._scanner = Scanner()
        self._current: Message | None = None
        self._pieces = 0
        """The number of pieces of the open body that were emitted."""
        self._length = 0
        """The number of characters of the open body that were emitted."""
        self._names = NOTHING
        self.waits = False
        """Whether the last text is `<|endoftext|>`, which ends the message if nothing follows it, and else is text."""
        self.running = _NONE
        """The index of the message whose body is open: new text is emitted at once. -1 if there is none."""
        self.body = self._scanner.body

    @property
    def pending(self) -> int:
        """The number of characters that are not emitted yet, because a token must show what they are."""
        return self._scanner.pending

    def ends(self, *, over: bool) -> None:
        """Set whether the next text is the token `<|endoftext|>`; only for token ids."""
        self._reader.over = over

    def push(self, text: str) -> None:
        """Take text that is not cut inside a token."""
        self.take(pieces_of(text))

    def take(self, pieces: Sequence[str]) -> None:
        """Take text and control tokens in turn."""
        self._catch_up()
        for frame in self._scanner.feed(pieces):
            self._end(frame)
        self._tell()

    def _catch_up(self) -> None:
        """Count the pieces that a decoder appended to `body`, and emitted, without calling `take`."""
        if self._current is not None and self.running >= 0:
            self._length += sum(map(len, self.body[self._pieces :]))
            self._pieces = len(self.body)

    def _begin(self, frame: Frame) -> None:
        """Emit the start of a message, unless it is a developer message, which can be read only when it is complete."""
        self._reader.see(frame)
        frame.names = self._names
        index = len(self._reader.messages)
        prompted = index == 0 and not frame.opened
        fields = fields_in(frame, prompted=prompted)
        if fields.role != "developer":
            self._current, self._pieces, self._length = build_message(fields, "", None, {}, {}), 0, 0
            self._current.continues = self._reader.joins(self._current)
            self._log.events.append(Start(index, self._current))

    def _tell(self) -> None:
        """Emit the start of the open message, and the new text of its body."""
        frame, scanner = self._scanner.frame, self._scanner
        self.running, self.waits = _NONE, False
        if frame is None or not scanner.has_body:
            return
        if self._current is None:
            self._begin(frame)
            self.body = scanner.body
        if self._current is None:
            return
        index = len(self._reader.messages)
        text = "".join(self.body[self._pieces :])
        waits = self._reader.over and text.endswith(END_OF_TEXT)
        if waits:
            # If nothing follows it, this token is the end of the message.
            self.body[-1:] = [self.body[-1].removesuffix(END_OF_TEXT), END_OF_TEXT]
            text = text.removesuffix(END_OF_TEXT)
        self._say(index, self._text(text))
        self._pieces, self.waits = len(self.body) - waits, waits
        self.running = index if scanner.in_body and not waits else _NONE

    def _say(self, index: int, text: str) -> None:
        if text:
            self._log.events.append(Delta(index, text))
            self._length += len(text)

    def _text(self, text: str) -> str:
        return CONTROL.restore(text) if self._restore else text

    def _end(self, frame: Frame) -> None:
        """Emit the rest of a complete frame: its text, then its findings, in the same order whatever the chunks are."""
        index, text = len(self._reader.messages), None
        frame.names = self._names
        if frame.body is not None:
            if self._current is None:
                self._begin(frame)
            if self._current is not None:
                text = self._text(frame.body.removesuffix(END_OF_TEXT) if self._reader.ends_text(frame) else frame.body)
                self._say(index, text[self._length :])
        self._reader.frame(frame)
        self._names |= names_of(frame)
        self._current = None
        for number, message in enumerate(self._reader.messages[index:], index):
            emit_message(self._log, number, message, text if number == index else None)

    def implied(self) -> str:
        """Return the missing end token of the open message, or of text without a header; "" if nothing is open."""
        message = self._current
        if self.waits:
            return ""
        if message is None:
            frame, header, tail = self._scanner.frame, self._scanner.header, self._scanner.tail
            if frame is None:
                says = (
                    self._reader.messages != [] and tail.strip() != "" and not (is_edge(tail) or is_only_header(tail))
                )
            else:
                says = unheaded(header, opened=frame.opened) is not None
            return ENDS["return"] if says else ""
        return ends_with(fields_of(message))

    def close(self) -> Transcript:
        """Read what is left at the end of the stream; return the document."""
        self._catch_up()
        last, rest = self._scanner.finish()
        for frame in last:
            self._end(frame)
        count = len(self._reader.messages)
        document = self._reader.finish(rest)
        if count == 0:
            for index, message in enumerate(document.messages):
                emit_message(self._log, index, message)
        return document


def decoder(_options: Options) -> Decoder:
    """Return a decoder of Harmony text. If the answer follows a generation prompt, feed the prompt first."""
    log = LiveLog()
    return TextDecoder(Live(log, restore=True), _HOLD, log)


class TokenDecoder(Decoder):
    """A decoder of Harmony token ids: control tokens are recognised by their ids, never by their text."""

    def __init__(self) -> None:
        self._log = LiveLog()
        self._live = Live(self._log, restore=False)
        self._utf8 = Characters()
        self._ids: list[int] = []
        self._over = False
        self._failed: ErrorCode | None = None

    def feed(self, _data: str | bytes, /) -> list[Event]:
        """Refuse text: this decoder takes token ids.

        Raises:
            BridgeError: OCB-OPTION, always.
        """
        raise BridgeError(ErrorCode.OPTION, "this stream is token ids; to stream text, use harmony")

    def feed_tokens(self, ids: Sequence[int | str], /) -> list[Event]:
        """Take the next token ids; texts among them are encoded first.

        Raises:
            BridgeError: OCB-SHAPE if a number is not an id; OCB-DEPENDENCY or OCB-VOCABULARY if the encoder is missing.
        """
        if self._over or self._failed is not None:
            return []
        try:
            for known in _known(ids):
                odd = first_odd(known)
                self._take(known if odd is None else known[:odd])
                if odd is not None:
                    raise not_an_id(known[odd], len(self._ids))
        except BridgeError as error:
            self._failed = error.code
            raise
        return self._log.take()

    def _take(self, ids: Sequence[int]) -> None:
        self._ids += ids
        live, events = self._live, self._log.events
        for number in ids:
            text = None if self._utf8.is_cut else text_of(number)
            if text is None:
                text = self._look(number)
            if number >= FIRST_SPECIAL or live.waits:
                live.ends(over=number == _END_ID)
            if text and live.running >= 0 and number < FIRST_SPECIAL:
                live.body.append(text)
                events.append(Delta(live.running, text))
            elif text:
                live.take((text,))

    def _look(self, number: int) -> str:
        """Return the text that an id completes, "" for part of a character; take a control token, and return ""."""
        token = TOKENS.get(number)
        if token is not None:
            self._live.take((self._utf8.finish(), token, ""))
            return ""
        return self._utf8.decode(bytes_of(number))

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """End the stream; return the last events. A second call returns none."""
        if self._over:
            return []
        self._over = True
        try:
            self._close(reason)
        except BridgeError as error:
            self._failed = self._failed or error.code
        if self._failed is not None:
            return [*self._log.take(), Stop("error", Transcript(), self._failed)]
        log = Log()
        document = transcript_of(TokenFramesReader(DEFAULT), cast("Json", self._ids), log)
        known = set(self._log.findings)
        more = [found for found in log.findings if found not in known]
        events, at = self._log.take(), declaration_at(self._log.ended, document)
        return [*events, *more, Stop(settle(reason, document), document, declaration_at=at)]

    def _close(self, reason: Reason | None) -> None:
        """Read what is left, with the end token that is missing if the model stopped by itself."""
        if reason == "stop" and self._failed is None and (token := self._live.implied()):
            self._take((IDS[token],))
        elif text := self._utf8.finish():
            self._live.take((text,))
        self._live.close()


def _known(ids: Sequence[int | str]) -> list[Sequence[int]]:
    """Return the ids in groups; texts among them are encoded, without control tokens."""
    if not any(isinstance(each, str) for each in ids):
        return [cast("Sequence[int]", ids)]
    return [encode(each) if isinstance(each, str) else (each,) for each in ids]


def token_decoder(_options: Options) -> Decoder:
    """Return a decoder of Harmony token ids."""
    return TokenDecoder()
