"""Reorder replies in the order of their calls, for formats without call ids (OpenChatML 0.1 §8.4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from ..chat.turns import is_call, is_reply
from ..events import Delta, End, Event, PartEnd, RefusalDelta, Signed, Start, Stop
from ..model import Message
from ..units.pairing import Pairing


class InCallOrder:
    """Hold a reply back until the replies to earlier calls of the same tool in its turn have arrived.

    If replies do not name their tools, all calls of a turn count as calls of one tool.

    A reply that answers no call of the turn, but would be read as the answer to one, waits until all are answered. The
    next message that is no reply, or the end of the stream, releases all replies; some calls then stay unanswered.

    Args:
        named: whether the format's replies name their tools.

    Attributes:
        numbers: the numbers of the messages, in the order in which they were passed on.
    """

    def __init__(self, *, named: bool = True) -> None:
        self.numbers: list[int] = []
        self._named: Final = named
        self._pairing = Pairing()
        self._tools: dict[int, str | None] = {}
        """The tool of each call of the turn."""
        self._open: dict[str | None, deque[int]] = {}
        """The unanswered calls of the turn by tool; a call is answered when its reply is passed on."""
        self._waiting: dict[int, list[Event]] = {}
        """The events of waiting replies by call."""
        self._strays: list[Event] = []
        """The events of waiting replies that answer no call of the turn."""
        self._buffer: list[Event] | None = None
        """The list that receives the events of the current message; None if they are passed on."""
        self._tool: str | None = None
        """The tool of the reply that is passed on at present."""

    def take(self, events: Iterable[Event]) -> list[Event]:
        """Take events, message by message; return those that can be passed on."""
        out: list[Event] = []
        for event in events:
            match event:
                case Start(number, message):
                    self._buffer = self._tool = None
                    if is_reply(message):
                        self._reply(number, message)
                    else:
                        self._release_all(out)
                        self._call(number, message)
                    self._pass(event, out)
                case Delta() | RefusalDelta() | PartEnd() | Signed() | End():
                    self._pass(event, out)
                case Stop():
                    self._release_all(out)
                    out.append(event)
                case _:
                    out.append(event)
        self.numbers += (event.number for event in out if isinstance(event, Start))
        return out

    def _call(self, number: int, message: Message) -> None:
        turn = self._pairing.turn
        self._pairing.feed(number, message)
        if self._pairing.turn is not turn:
            self._tools, self._open = {}, {}
        if is_call(message):
            tool = message.recipient if self._named else None
            self._tools[number] = tool
            self._open.setdefault(tool, deque()).append(number)

    def _reply(self, number: int, message: Message) -> None:
        call = self._pairing.feed(number, message)
        if call is None or call not in self._tools:
            named = self._named and message.name is not None
            is_answer = message.name in self._open if named else bool(self._open)
            self._buffer = self._strays if is_answer else None
            return
        tool = self._tools[call]
        if self._open[tool][0] != call:
            self._buffer = self._waiting[call] = []
            return
        self._tool = tool
        self._answered(tool)

    def _answered(self, tool: str | None) -> None:
        """Remove the first open call of a tool, which is answered."""
        calls = self._open[tool]
        calls.popleft()
        if not calls:
            del self._open[tool]

    def _pass(self, event: Event, out: list[Event]) -> None:
        if self._buffer is not None:
            self._buffer.append(event)
            return
        out.append(event)
        if isinstance(event, End):
            self._release(out)

    def _release(self, out: list[Event]) -> None:
        """Pass on the replies that waited only for the reply that has ended."""
        while (calls := self._open.get(self._tool)) and calls[0] in self._waiting:
            out += self._waiting.pop(calls[0])
            self._answered(self._tool)
        if not self._open:
            out += self._strays
            self._strays = []

    def _release_all(self, out: list[Event]) -> None:
        """Pass on all waiting replies: those to calls in the calls' order, then the others. No later reply waits."""
        if not (self._waiting or self._strays):
            return
        for call in sorted(self._waiting):
            out += self._waiting[call]
        out += self._strays
        self._waiting, self._strays, self._tools, self._open = {}, [], {}, {}
