"""The tool router's memory (OpenChatML 2.2 §8.2, §14, §18): which calls are open, and which reply answers which.

Sans-IO: time is passed in, in milliseconds from any beginning, and every method gives what it noted as plain values. A
program dispatches what was `Opened`, passes on what was `Answered`, and stops what has `Failed`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from enum import StrEnum
from heapq import heappop, heappush
from typing import Final, Literal, NamedTuple, cast

from ..chat.turns import is_call, is_reply
from ..errors import BridgeError, ErrorCode
from ..events import End, Event, numbered
from ..json_values import jsontext
from ..loss import FindingCode
from ..model import Json, Message, Tool, replace
from ..units.pairing import Pairing
from .schema import DEADLINE, Schemas


class Fault(StrEnum):
    """Why a message, or a wish to cancel, was rejected. A call may be rejected with another `ErrorCode`, too."""

    SCHEMA = str(ErrorCode.CALL_SCHEMA)
    """A call's arguments do not fit what its tool declares."""
    CUT = str(ErrorCode.STREAM_TRUNCATED)
    """A call broke off; what came of its arguments must not be acted on."""
    ID_TAKEN = "call-id-taken"
    """A call has the id of one that is open."""
    UNKNOWN = str(FindingCode.REPLY_UNPAIRED)
    """There is no such call."""
    DOUBLED = "reply-doubled"
    """The call was answered already."""
    LATE = "reply-late"
    """The call was cancelled, or its time is over."""


class Call(NamedTuple):
    """A call that was opened.

    Attributes:
        number: of the call in its ledger, from 0.
        call_id: its own id, or the one that the ledger gave it.
        message: as it came.
        opened: when, in milliseconds.
        deadline: when it fails, in milliseconds; None for never.
    """

    number: int
    call_id: str
    message: Message
    opened: int
    deadline: int | None


class Opened(NamedTuple):
    """A call is to be made."""

    call: Call


class Answered(NamedTuple):
    """A reply has come for an open call."""

    call: Call
    reply: Message


class Failed(NamedTuple):
    """An open call will get no answer.

    Attributes:
        call: which.
        code: E-TOOL-CANCELLED or E-TOOL-TIMEOUT.
        reason: in words.
    """

    call: Call
    code: Literal[ErrorCode.TOOL_CANCELLED, ErrorCode.TOOL_TIMEOUT]
    reason: str


class Rejected(NamedTuple):
    """Nothing came of it.

    Attributes:
        code: a `Fault` or an `ErrorCode`, as its string.
        call_id: of the call that was meant, where that is known.
        detail: a sentence for people.
        path: a JSON pointer into the arguments; "" for the whole.
    """

    code: str
    call_id: str | None
    detail: str
    path: str = ""


Note = Opened | Answered | Failed | Rejected

_WORDS: Final = {
    Fault.UNKNOWN: "no call has this id",
    Fault.DOUBLED: "the call was answered already",
    Fault.LATE: "the call was cancelled, or has timed out",
}


class Ledger:
    """Keeps account of tool calls.

    A reply finds its call by the id; where it has none, by the tool's name and by order, those of the latest turn first
    (`turns.Pairing`). Time does not go back: an earlier time is taken for the latest one that was told.

    Args:
        tools: what is declared; calls that do not fit are rejected. None where arguments are not to be checked.
        call_id: gives a call that has no id one, by its number.

    Raises:
        BridgeError: as `Schemas`, for tools whose parameters cannot be checked against.
    """

    def __init__(self, tools: Iterable[Tool] | None = None, *, call_id: Callable[[int], str] = numbered) -> None:
        self._schemas = None if tools is None else Schemas(tools)
        self._name = call_id
        self._pairing = Pairing()
        self._calls: list[Call] = []
        self._open: OrderedDict[str, Call] = OrderedDict()
        self._named: dict[str | None, OrderedDict[int, Call]] = {}
        self._closed: dict[str, Fault] = {}
        self._last: dict[str | None, str] = {}
        self._deadlines: list[tuple[int, int]] = []
        self._now: int | None = None

    @property
    def open(self) -> tuple[Call, ...]:
        """The calls that wait for their replies, in order."""
        return tuple(self._open.values())

    @property
    def next_deadline(self) -> int | None:
        """When `expire` has something to say next, in milliseconds; None for never."""
        while self._deadlines and not self._is_open(self._calls[self._deadlines[0][1]]):
            heappop(self._deadlines)
        return self._deadlines[0][0] if self._deadlines else None

    def feed(self, event: Event, now_ms: int) -> list[Note]:
        """Take an event of a stream: a call or a reply counts when it has ended, whole."""
        if not isinstance(event, End):
            return self.expire(now_ms)
        message = event.message
        if is_call(message):
            return self.call(message, now_ms=now_ms)
        if is_reply(message):
            return self.reply(message, now_ms=now_ms)
        self._pairing.feed(-1, message)
        return self.expire(now_ms)

    def call(self, message: Message, *, now_ms: int, deadline_ms: int | None = None) -> list[Note]:
        """Open a call.

        Args:
            message: the whole call.
            now_ms: the time.
            deadline_ms: how long it may take; None for what its body says (§8.2: `deadline_ms`, a member of the
                arguments), and without that, for ever.
        """
        notes = self.expire(now_ms)
        fault = self._fault(message)
        if fault is not None:
            return [*notes, fault]
        if deadline_ms is None:
            deadline_ms = _deadline_in(message)
        number, now = len(self._calls), self._time(now_ms)
        call_id = self._new_id() if message.call_id is None else message.call_id
        call = Call(number, call_id, message, now, None if deadline_ms is None else now + deadline_ms)
        self._calls.append(call)
        self._open[call_id] = call
        self._named.setdefault(message.recipient, OrderedDict())[number] = call
        self._pairing.feed(number, message if message.call_id is not None else replace(message, call_id=call_id))
        if call.deadline is not None:
            heappush(self._deadlines, (call.deadline, number))
        return [*notes, Opened(call)]

    def reply(self, message: Message, *, now_ms: int) -> list[Note]:
        """Take a reply, a message of role tool: it answers its call, or is rejected. At the deadline it is late."""
        notes = self.expire(now_ms)
        call = self._find(message)
        if call is not None:
            self._close(call, Fault.DOUBLED)
            return [*notes, Answered(call, message)]
        call_id = self._last.get(message.name) if message.call_id is None else message.call_id
        return [*notes, self._missing(call_id)]

    def cancel(self, call_id: str, reason: str = "") -> list[Note]:
        """`tool.cancel` (§8.2, §9): a reply that comes later is late."""
        call = self._open.get(call_id)
        if call is None:
            return [self._missing(call_id)]
        self._close(call, Fault.LATE)
        return [Failed(call, ErrorCode.TOOL_CANCELLED, reason)]

    def expire(self, now_ms: int) -> list[Note]:
        """Fail the calls whose deadline has come, the earliest first."""
        now, notes = self._time(now_ms), list[Note]()
        while (deadline := self.next_deadline) is not None and deadline <= now:
            call = self._calls[heappop(self._deadlines)[1]]
            self._close(call, Fault.LATE)
            notes.append(Failed(call, ErrorCode.TOOL_TIMEOUT, f"no reply within {deadline - call.opened} ms"))
        return notes

    # --- inside -------------------------------------------------------------------------------------------------------

    def _time(self, now_ms: int) -> int:
        self._now = now_ms if self._now is None else max(self._now, now_ms)
        return self._now

    def _is_open(self, call: Call) -> bool:
        return self._open.get(call.call_id) is call

    def _fault(self, message: Message) -> Rejected | None:
        """What keeps a call from being opened."""
        if message.end is None:
            return Rejected(Fault.CUT, message.call_id, "the call is cut off")
        if message.call_id in self._open:
            return Rejected(Fault.ID_TAKEN, message.call_id, "a call with this id is already open")
        try:
            if self._schemas is not None:
                self._schemas.check(message)
        except BridgeError as error:
            return Rejected(error.code, message.call_id, error.message, error.path or "")
        return None

    def _new_id(self) -> str:
        """An id that no call has had, whatever the source of ids gives: a number is put behind one that is taken."""
        name = made = self._name(len(self._calls))
        number = 1
        while made in self._open or made in self._closed:
            number += 1
            made = f"{name}_{number}"
        return made

    def _find(self, reply: Message) -> Call | None:
        number = self._pairing.feed(-1, reply)
        if number is not None:
            return self._calls[number]
        if reply.call_id is not None:
            return None
        waiting = self._open if reply.name is None else self._named.get(reply.name)
        return next(iter(waiting.values())) if waiting else None

    def _close(self, call: Call, later: Fault) -> None:
        """Take a call off the open ones; `later` is what a further reply to it is."""
        recipient = call.message.recipient
        del self._open[call.call_id]
        del self._named[recipient][call.number]
        self._pairing.close(call.number)
        self._closed[call.call_id] = later
        self._last[recipient] = self._last[None] = call.call_id

    def _missing(self, call_id: str | None) -> Rejected:
        fault = Fault.UNKNOWN if call_id is None else self._closed.get(call_id, Fault.UNKNOWN)
        return Rejected(fault, call_id, _WORDS[fault])


def _deadline_in(call: Message) -> int | None:
    """What a call's arguments say of its deadline; anything but a number of milliseconds is an argument like others."""
    content = call.content
    if not isinstance(content, str) or DEADLINE not in content:
        return None
    found = jsontext.parse(content)
    arguments: Json = None if found is None else found.value
    value = cast("dict[str, Json]", arguments).get(DEADLINE) if isinstance(arguments, dict) else None
    return value if type(value) is int and value >= 0 else None
