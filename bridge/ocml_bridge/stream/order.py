"""Reorder events: messages follow one another, or begin when they are complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..events import Delta, End, Event, Named, PartEnd, RefusalDelta, Signed, Start, Stop
from ..loss import Finding
from ..model import replace
from .accumulate import joined


class InOrder:
    """Reorder events so that each message ends before the next one begins.

    The events of a message wait until all earlier messages have ended. A message without an end is ended, as cut off,
    before the stop.
    """

    def __init__(self) -> None:
        self._open: dict[int, list[Event]] = {}
        """The waiting events of each open message; none for the first one, whose events are passed on at once."""
        self._started: dict[int, Start] = {}

    def take(self, events: Iterable[Event]) -> list[Event]:
        """Take events; return those that can be passed on."""
        out: list[Event] = []
        for event in events:
            match event:
                case Start(number, _):
                    waits = bool(self._open)
                    self._open[number] = [event] if waits else []
                    self._started[number] = event
                    if not waits:
                        out.append(event)
                case Delta() | RefusalDelta() | PartEnd() | Signed() | End():
                    if event.number in self._open:
                        self._put(event.number, event, out)
                case Stop():
                    for number, start in list(self._started.items()):
                        self._put(number, End(number, replace(start.message, end=None)), out)
                    out.append(event)
                case _:
                    out.append(event)
        return out

    def _put(self, number: int, event: Event, out: list[Event]) -> None:
        first = next(iter(self._open))
        if number != first:
            self._open[number].append(event)
            return
        out.append(event)
        while isinstance(event, End):
            del self._open[event.number], self._started[event.number]
            if not self._open:
                return
            following = next(iter(self._open))
            out += self._open[following]
            event = self._open[following][-1]
            self._open[following] = []


class Uninterrupted:
    """Reorder events so that nothing comes between the events of a message; all others wait for its end.

    Args:
        is_whole: returns whether that holds for a message that begins, once its `Start` was passed on.
        by_later_ones: whether only the events of later messages wait.
    """

    def __init__(self, is_whole: Callable[[Start], bool], *, by_later_ones: bool = False) -> None:
        self._is_whole = is_whole
        self._by_later_ones = by_later_ones
        self._open: int | None = None
        """The number of the message for whose end the others wait; None if there is none."""
        self._waiting: list[Event] = []

    def take(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events that can be passed on."""
        for event in events:
            if isinstance(event, Stop):
                while self._waiting:
                    yield from self._released()
                yield event
            elif isinstance(event, (Finding, Named)) or self._passes(event.number):
                yield event
                if isinstance(event, Start) and self._is_whole(event):
                    self._open = event.number
                elif isinstance(event, End) and event.number == self._open:
                    yield from self._released()
            else:
                self._waiting.append(event)

    def _passes(self, number: int) -> bool:
        return self._open in (None, number) or (self._by_later_ones and number < self._open)

    def _released(self) -> Iterator[Event]:
        """Yield the events that have waited for a message, except those that wait for another one now."""
        self._open, waiting, self._waiting = None, self._waiting, []
        yield from self.take(waiting)


class Settled:
    """Delay each message until its end, so that it begins on the channel and with the intent that it has then.

    A text may turn out to be a thought, or a preamble, after a stream has begun it as an answer. An answer that is
    written as a whole does not need to begin it before, and its text comes in one piece.
    """

    def __init__(self) -> None:
        self._open: dict[int, list[Event]] = {}
        """The events of each message that has begun."""

    def take(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events that can be passed on."""
        for event in events:
            if type(event) is Delta:  # nearly every event
                if (waiting := self._open.get(event.number)) is not None:
                    waiting.append(event)
                continue
            match event:
                case Start(number, _):
                    self._open[number] = [event]
                case RefusalDelta() | PartEnd() | Signed() if event.number in self._open:
                    self._open[event.number].append(event)
                case End(number, message) if number in self._open:
                    start, *rest = self._open.pop(number)
                    assert isinstance(start, Start)
                    began = replace(start.message, channel=message.channel, intent=message.intent)
                    yield from (start._replace(message=began), *joined(rest), event)
                case Stop():
                    for waiting in self._open.values():
                        yield from joined(waiting)
                    self._open.clear()
                    yield event
                case _:
                    yield event
