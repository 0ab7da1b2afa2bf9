"""Replies in the order of their calls, for formats that have no call ids (OpenChatML 0.1 §8.4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from ..chat.turns import is_call, is_reply
from ..events import Delta, End, Event, RefusalDelta, Signed, Start, Stop
from ..model import Message
from ..units.pairing import Pairing


class InCallOrder:
    """Holds a reply back until the replies to earlier calls of the same tool in its turn have come.

    Where replies do not name their tools, all calls of a turn are as those of one tool.

    A reply to no call of the turn that would read as the answer to one waits for all of them. At the latest the next
    message that is no reply, or the end of the stream, ends the waiting: what is then still open stays so.

    Args:
        named: whether the format's replies name their tools.

    Attributes:
        numbers: of the messages, in the order in which they were passed on.
    """

    def __init__(self, *, named: bool = True) -> None:
        self.numbers: list[int] = []
        self._named: Final = named
        self._pairing = Pairing()
        self._tools: dict[int, str | None] = {}
        """The calls of the turn → the tools that were called."""
        self._open: dict[str | None, deque[int]] = {}
        """By tool, the calls of the turn to which no reply was passed on."""
        self._waiting: dict[int, list[Event]] = {}
        """Replies that wait for those to earlier calls, by their calls."""
        self._strays: list[Event] = []
        """Replies that answer no call of the turn."""
        self._buffer: list[Event] | None = None
        """Where what comes of a message goes that has to wait; None where it is passed on."""
        self._tool: str | None = None
        """The tool that the reply is from which is passed on."""

    def take(self, events: Iterable[Event]) -> list[Event]:
        """Take events, message by message; those that can be passed on by now."""
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
                case Delta() | RefusalDelta() | Signed() | End():
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
        """The first open call of a tool has its reply."""
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
        """Pass on the replies that wait for nothing any more, now that one has ended."""
        while (calls := self._open.get(self._tool)) and calls[0] in self._waiting:
            out += self._waiting.pop(calls[0])
            self._answered(self._tool)
        if not self._open:
            out += self._strays
            self._strays = []

    def _release_all(self, out: list[Event]) -> None:
        """Pass on all replies, those to calls in the order of these, then the others; further ones do not wait."""
        if not (self._waiting or self._strays):
            return
        for call in sorted(self._waiting):
            out += self._waiting[call]
        out += self._strays
        self._waiting, self._strays, self._tools, self._open = {}, [], {}, {}
