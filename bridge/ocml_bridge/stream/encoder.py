"""Encode events as a stream of text: messages one after another, safe text, and the report of losses.

Each text format derives its encoder from `TextEncoder`.
"""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Final

from ..chat.transform import remaining
from ..chat.turns import is_reply
from ..engine.reading import document_of
from ..events import Delta, End, Event, RefusalDelta, Start, Stop
from ..formats.adapter import Options, Source
from ..loss import Log, Loss
from ..model import Document, Message, Transcript
from ..report.narrowing import drop_message
from ..report.report import report
from ..text.control import ControlTokens
from ..units.arrange import Arrangement, arrival_losses, misread, order_losses, pairing_losses
from ..units.pairing import pair
from ..units.reader import UnitReader
from .buffer import Hold
from .order import InOrder
from .replies import InCallOrder


class TextEncoder(ABC):
    """Write messages as their events arrive.

    A format defines how a message is opened, which text it may contain and how it is closed. At the end of the stream,
    the encoder reads back what it wrote, and reports every difference from the document as a loss.

    Args:
        target: the format id.
        read: the format's reader.
        options: how to write.
        control: the tokens that text must not contain; None if the format's `safe` escapes them.
        hold: finds which end of a text waits for what follows.

    Attributes:
        losses: the losses; complete when the stream is over.
        body: the texts that were written without `safe`. A format that needs them adds the others, and empties it.
        order: the indexes of the document's messages in the order in which they were written, if replies were moved;
            None if none were, and before the end of the stream.
    """

    call_ids: ClassVar = False
    """Whether the format has call ids."""
    names_replies: ClassVar = True
    """Whether a reply has the name of its tool."""

    def __init__(
        self,
        target: str,
        read: UnitReader | Callable[[Source, Options, Log], Document],
        options: Options,
        *,
        control: ControlTokens | None,
        hold: Hold,
    ) -> None:
        self.losses: list[Loss] = []
        self.body: list[str] = []
        self._running = -1
        """The number of the open message if its next text may pass; -1 if `safe` must see it."""
        self.order: tuple[int, ...] | None = None
        self.options = options
        self.log = Log()
        self._target = target
        self._read = read
        self._control = control
        self._hold = hold
        self._special = hold.special
        self._one = hold.one
        self._written: list[str] = []
        self._open: Start | None = None
        self._waiting = ""
        self._started = False
        self._one_by_one = InOrder()
        self._in_call_order = None if self.call_ids else InCallOrder(named=self.names_replies)
        self._guarded: set[str] = set()

    def _read_back(self, text: str, options: Options) -> Document:
        return (
            document_of(self._read, text, Log())
            if isinstance(self._read, UnitReader)
            else self._read(text, options, Log())
        )

    # --- what a format defines ----------------------------------------------------------------------------------------

    def begin(self) -> str:
        """Return the text before the first message."""
        return ""

    @abstractmethod
    def open(self, start: Start) -> str | None:
        """Return the text that opens a message; None if the format has no place for the message."""

    def safe(self, text: str, path: str) -> str:
        """Return text that may be written in a message; report control tokens once per message.

        Args:
            text: the text, which does not begin or end inside a token.
            path: the JSON pointer of the message's content.
        """
        assert self._control is not None, "a format without an escape of its own names its tokens"
        if self._control.is_free(text):
            return text
        token_log = Log()
        safe = self._control.guard(text, self.options.control_tokens, path, token_log)
        if token_log.losses and path not in self._guarded:
            self._guarded.add(path)
            self.log.losses += token_log.losses
        return safe

    def waits(self, text: str) -> int:
        """Return the index from which a text must wait for what follows: its length if nothing must."""
        return self._hold.cut(text)

    def passes(self) -> bool:
        """Return whether `safe` would only return more text of the open message that has no special characters.

        Such text is written without calling it, which is several times as fast.
        """
        return False

    @abstractmethod
    def close(self, message: Message) -> str:
        """Return the text that closes a message; "" if it was cut off."""

    def end(self, _stop: Stop) -> str:
        """Return the text after the last message."""
        return ""

    @staticmethod
    def _open_turn(stop: Stop) -> Message | None:
        """Return the open turn of the document; None if it has none."""
        return stop.document.open_turn if isinstance(stop.document, Transcript) else None

    def why_dropped(self, _message: Message) -> str | None:
        """Return why a message of the document is not written; None if it is written."""
        return None

    # --- the stream ---------------------------------------------------------------------------------------------------

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Return the text of events, in UTF-8.

        Raises:
            BridgeError: OCB-CONTROL-TOKEN if the options refuse tokens in content, and there is one.
        """
        chunks: list[bytes] = []
        one, special = self._one, self._special
        for event in events:
            if type(event) is Delta:  # nearly every event, as in the decoder
                number, text = event
                if number == self._running and (one not in text if one else not special(text)):
                    self.body.append(text)
                    texts = (text,)
                elif self._is_open(number):
                    texts = (self._text(text, number),)
                else:
                    texts = self._encode(event)
            else:
                texts = self._encode(event)
            for text in texts:
                if text:
                    text = text if text.isascii() else _SURROGATE.sub("\ufffd", text)
                    self._written.append(text)
                    chunks.append(text.encode())
        return chunks

    def _encode(self, event: Event) -> list[str]:
        """Return the texts of an event, and of those that have waited for it."""
        out: list[str] = []
        ready = self._one_by_one.take((event,))
        for each in ready if self._in_call_order is None else self._in_call_order.take(ready):
            match each:
                case Delta(index, text) | RefusalDelta(index, text) if (
                    self._open is not None and self._open.number == index
                ):
                    out.append(self._text(text, index))
                case Start():
                    out.append(self._start(each))
                case End(index, message) if self._is_open(index):
                    out.append(self._finish(message))
                case Stop():
                    out.append(self._stop(each, out))
                case _:
                    pass
        return out

    def _is_open(self, index: int) -> bool:
        return self._open is not None and self._open.number == index

    def _text(self, text: str, index: int) -> str:
        if self._waiting or self._hold.special(text):
            text = self._waiting + text
            at = self.waits(text)
            self._waiting = text[at:]
        else:
            at = len(text)
        safe = self.safe(text[:at], f"/messages/{index}/content") if at else ""
        self._running = index if not self._waiting and self.passes() else -1
        return safe

    def _start(self, start: Start) -> str:
        first = "" if self._started else self.begin()
        self._started = True
        opened = self.open(start)
        self._open = start if opened is not None else None
        return first + (opened or "")

    def _rest(self) -> str:
        waiting, self._waiting = self._waiting, ""
        if not waiting or self._open is None:
            return ""
        return self.safe(waiting, f"/messages/{self._open.number}/content")

    def _finish(self, message: Message) -> str:
        rest = self._rest()
        self._open, self._running = None, -1
        return rest + self.close(message)

    def _stop(self, stop: Stop, before: list[str]) -> str:
        text = ("" if self._started else self.begin()) + self.end(stop)
        options = dataclasses.replace(self.options, dialect=None)
        image = self._read_back("".join((*self._written, *before, text)), options)
        if stop.declaration_at is not None or stop.places is not None:
            self.log.losses = [_replaced(loss, stop) for loss in self.log.losses]
        for index, message in enumerate(stop.document.messages if isinstance(stop.document, Transcript) else ()):
            if (why := self.why_dropped(message)) is not None:
                drop_message(self.log, index, why)
        order = self._order_of_writing(stop)
        report(stop.document, image, self.log, target=self._target, order=order)
        self._report_order(stop.document, image, order)
        self.losses = self.log.losses
        return text

    def _order_of_writing(self, stop: Stop) -> list[int] | None:
        """Return the indexes of the messages in the order of writing; None if that is the document's order."""
        numbers = self._in_call_order.numbers if self._in_call_order is not None else []
        if stop.places is not None:
            numbers = numbers or range(len(stop.places))
        elif numbers == sorted(numbers):
            return None
        return [index for number in numbers if (index := stop.place(number)) is not None]

    def _report_order(self, document: Document, image: Document, order: Sequence[int] | None) -> None:
        """Report the messages that were moved, and the replies that are read as answers to other calls."""
        if not (isinstance(document, Transcript) and isinstance(image, Transcript)):
            return
        messages = document.messages
        replies = frozenset(index for index, message in enumerate(messages) if is_reply(message))
        written_order = remaining(len(messages), self.log.losses, order)
        if order is not None:
            self.order = tuple(written_order)
            if replies:
                self.log.losses += order_losses(messages, Arrangement(written_order, replies), self._target)
            else:
                self.log.losses += arrival_losses(written_order, self._target)
        if replies:
            self.log.losses += pairing_losses(
                misread(messages, pair(messages), image.messages, written_order), self._target
            )

    def finish(self, _usage: dict[str, object] | None = None, /) -> list[bytes]:
        """Return nothing: no text follows the last message."""
        return []

    def fail(self, _code: str, _message: str, /) -> list[bytes]:
        """Return nothing: a text has no place for an error, and stays cut off."""
        return []


def _replaced(loss: Loss, stop: Stop) -> Loss:
    """Return a loss with the message's index in the document in its path, in place of its number in the stream."""
    match = _MESSAGE.match(loss.path)
    if match is None:
        return loss
    number = int(match[1])
    index = stop.place(number)
    if index is not None:
        return loss._replace(path=f"/messages/{index}{loss.path[match.end() :]}")
    return loss._replace(path="/tools") if number == stop.declaration_at else loss


_MESSAGE: Final = re.compile(r"/messages/(\d+)")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
"""A surrogate without its pair, which UTF-8 cannot encode."""
