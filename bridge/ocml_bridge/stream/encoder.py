"""What the encoders of all text formats share: messages one after the other, safe text, and the account of losses."""

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
from ..report.report import report
from ..text.control import ControlTokens
from ..units.arrange import Plan, arrival_losses, misread, order_losses, pairing_losses
from ..units.pairing import pair
from ..units.reader import UnitReader
from .buffer import Hold
from .order import InOrder
from .replies import InCallOrder


class TextEncoder(ABC):
    """Writes messages as they come.

    A format says how a message is opened, what may stand in it and how it is closed. What could not be said is found in
    the end by reading the text back, so nothing is lost in silence here either.

    Args:
        target: the format id.
        read: the format's reader.
        options: how to write.
        control: the tokens that text must not hold; None where `safe` escapes them.
        hold: which ends of text wait for what follows.

    Attributes:
        losses: what could not be said; complete when the stream is over.
        order: indices of the document's messages in the order in which they were written, where replies were moved;
            None where none was, or while the stream lasts.
    """

    call_ids: ClassVar = False
    """Whether the format says by an id which call a reply answers."""
    names_replies: ClassVar = True
    """Whether a reply says which tool it is from."""

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
        self.order: tuple[int, ...] | None = None
        self.options = options
        self.log = Log()
        self._target = target
        self._read = read
        self._control = control
        self._hold = hold
        self._written: list[str] = []
        self._open: Start | None = None
        self._waiting = ""
        self._started = False
        self._one_by_one = InOrder()
        self._in_call_order = None if self.call_ids else InCallOrder(named=self.names_replies)
        self._guarded: set[str] = set()

    def _back(self, text: str, options: Options) -> Document:
        return (
            document_of(self._read, text, Log())
            if isinstance(self._read, UnitReader)
            else self._read(text, options, Log())
        )

    # --- what a format says -------------------------------------------------------------------------------------------

    def begin(self) -> str:
        """What stands before all messages."""
        return ""

    @abstractmethod
    def open(self, start: Start) -> str | None:
        """What opens a message; None where the format has no place for it."""

    def safe(self, text: str, path: str) -> str:
        """Text as it may stand in a message; control tokens are never cut, and are reported once a message."""
        assert self._control is not None, "a format without an escape of its own names its tokens"
        if self._control.is_free(text):
            return text
        noted = Log()
        safe = self._control.guard(text, self.options.control_tokens, path, noted)
        if noted.losses and path not in self._guarded:
            self._guarded.add(path)
            self.log.losses += noted.losses
        return safe

    def waits(self, text: str) -> int:
        """Where the end of a text begins that has to wait for what follows: its length where nothing has to."""
        return self._hold.cut(text)

    @abstractmethod
    def close(self, message: Message) -> str:
        """What closes a message; "" where it was cut off."""

    def end(self, _stop: Stop) -> str:
        """What stands behind all messages."""
        return ""

    # --- the stream ---------------------------------------------------------------------------------------------------

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The text that events make.

        Raises:
            BridgeError: OCB-CONTROL-TOKEN where the options refuse tokens in content.
        """
        out: list[str] = []
        ready = self._one_by_one.take(events)
        for event in ready if self._in_call_order is None else self._in_call_order.take(ready):
            match event:
                case Delta(index, text) | RefusalDelta(index, text) if (
                    self._open is not None and self._open.number == index
                ):
                    out.append(self._text(text, index))
                case Start():
                    out.append(self._start(event))
                case End(index, message) if self._is_open(index):
                    out.append(self._finish(message))
                case Stop():
                    out.append(self._stop(event, out))
                case _:
                    pass
        made = [_SURROGATE.sub("\ufffd", text) for text in out if text]
        self._written += made
        return [text.encode() for text in made]

    def _is_open(self, index: int) -> bool:
        return self._open is not None and self._open.number == index

    def _text(self, text: str, index: int) -> str:
        text = self._waiting + text
        at = self.waits(text)
        self._waiting = text[at:]
        return self.safe(text[:at], f"/messages/{index}/content") if at else ""

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
        self._open = None
        return rest + self.close(message)

    def _stop(self, stop: Stop, before: list[str]) -> str:
        text = ("" if self._started else self.begin()) + self.end(stop)
        options = dataclasses.replace(self.options, dialect=None)
        back = self._back("".join((*self._written, *before, text)), options)
        if stop.lifted is not None or stop.places is not None:
            self.log.losses = [_replaced(loss, stop) for loss in self.log.losses]
        order = self._moved(stop)
        report(stop.document, back, self.log, target=self._target, order=order)
        self._relate(stop.document, back, order)
        self.losses = self.log.losses
        return text

    def _moved(self, stop: Stop) -> list[int] | None:
        """Indices of the messages in the order in which they were written, where that is not the document's."""
        numbers = self._in_call_order.numbers if self._in_call_order is not None else []
        if stop.places is not None:
            numbers = numbers or range(len(stop.places))
        elif numbers == sorted(numbers):
            return None
        return [index for number in numbers if (index := stop.place(number)) is not None]

    def _relate(self, document: Document, back: Document, order: Sequence[int] | None) -> None:
        """Report the messages that were moved, and the replies that read as answers to other calls."""
        if not (isinstance(document, Transcript) and isinstance(back, Transcript)):
            return
        messages = document.messages
        replies = frozenset(index for index, message in enumerate(messages) if is_reply(message))
        left = remaining(len(messages), self.log.losses, order)
        if order is not None:
            self.order = tuple(left)
            if replies:
                self.log.losses += order_losses(messages, Plan(left, replies), self._target)
            else:
                self.log.losses += arrival_losses(left, self._target)
        if replies:
            self.log.losses += pairing_losses(misread(messages, pair(messages), back.messages, left), self._target)

    def finish(self, _usage: dict[str, object] | None = None, /) -> list[bytes]:
        """A text has nothing behind its end."""
        return []

    def fail(self, _code: str, _message: str, /) -> list[bytes]:
        """A text has no place for an error: it stays cut off."""
        return []


def _replaced(loss: Loss, stop: Stop) -> Loss:
    """A loss at a message by its number, at that message in the document."""
    found = _MESSAGE.match(loss.path)
    if found is None:
        return loss
    number = int(found[1])
    index = stop.place(number)
    if index is not None:
        return loss._replace(path=f"/messages/{index}{loss.path[found.end() :]}")
    return loss._replace(path="/tools") if number == stop.lifted else loss


_MESSAGE: Final = re.compile(r"/messages/(\d+)")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
"""Half of a pair, which UTF-8 cannot hold."""
