"""Track tool calls for a tool router (OpenChatML 2.2 §8.2, §14, §18): which are open, and which reply answers which.

Sans-IO: the caller passes the time, in milliseconds from any origin, and every method returns its notes as plain
values. A program runs each call that was `Opened`, passes on each reply that was `Answered`, and stops each call that
`Failed`.
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
    """Why a message or a cancellation was rejected. A call may also be rejected with another `ErrorCode`."""

    SCHEMA = str(ErrorCode.CALL_SCHEMA)
    """A call's arguments do not fit the schema of its tool."""
    CUT = str(ErrorCode.STREAM_TRUNCATED)
    """A call was cut off; it must not be run."""
    ID_TAKEN = "call-id-taken"
    """A call has the id of one that is open."""
    UNKNOWN = str(FindingCode.REPLY_UNPAIRED)
    """There is no such call."""
    DOUBLED = "reply-doubled"
    """The call was answered already."""
    LATE = "reply-late"
    """The call was cancelled, or its deadline has passed."""


class Call(NamedTuple):
    """A call that was opened.

    Attributes:
        number: the number of the call in its ledger, from 0.
        call_id: its id, or the one that the ledger gave it.
        message: the message as it arrived.
        opened: the time at which it was opened, in milliseconds.
        deadline: the time at which it fails, in milliseconds; None for never.
    """

    number: int
    call_id: str
    message: Message
    opened: int
    deadline: int | None


class Opened(NamedTuple):
    """A call that the program has to run."""

    call: Call


class Answered(NamedTuple):
    """An open call with its reply."""

    call: Call
    reply: Message


class Failed(NamedTuple):
    """An open call that was cancelled or has timed out.

    Attributes:
        call: the call.
        code: E-TOOL-CANCELLED or E-TOOL-TIMEOUT.
        reason: a sentence for people.
    """

    call: Call
    code: Literal[ErrorCode.TOOL_CANCELLED, ErrorCode.TOOL_TIMEOUT]
    reason: str


class Rejected(NamedTuple):
    """A message or a cancellation that was rejected.

    Attributes:
        code: a `Fault` or an `ErrorCode`, as its string.
        call_id: the id of the call in question; None if it is not known.
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
    """Track open calls, their replies and their deadlines.

    A reply is paired with its call by the id; if it has none, by the tool's name and by order, with calls of the latest
    turn first (`units.pairing.Pairing`). A time that is earlier than the latest one counts as the latest one.

    Args:
        tools: the declared tools; calls that do not fit them are rejected. None to check no arguments.
        call_id: returns an id for a call that has none, by its number.

    Raises:
        BridgeError: as `Schemas`, for tools whose schemas cannot be used.
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
        """The open calls, in order."""
        return tuple(self._open.values())

    @property
    def next_deadline(self) -> int | None:
        """The earliest deadline of an open call, in milliseconds; None if none has a deadline."""
        while self._deadlines and not self._is_open(self._calls[self._deadlines[0][1]]):
            heappop(self._deadlines)
        return self._deadlines[0][0] if self._deadlines else None

    def feed(self, event: Event, now_ms: int) -> list[Note]:
        """Take an event of a stream: the `End` of a call opens it, that of a reply answers a call."""
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
            deadline_ms: how long it may take; None for the member `deadline_ms` of its arguments (§8.2), and without
                that, without limit.
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
        """Take a reply, a message with role `tool`: it answers its call or is rejected. At the deadline it is late."""
        notes = self.expire(now_ms)
        call = self._find(message)
        if call is not None:
            self._close(call, Fault.DOUBLED)
            return [*notes, Answered(call, message)]
        call_id = self._last.get(message.name) if message.call_id is None else message.call_id
        return [*notes, self._missing(call_id)]

    def cancel(self, call_id: str, reason: str = "") -> list[Note]:
        """Cancel a call (`tool.cancel`, §8.2, §9); a later reply to it is late."""
        call = self._open.get(call_id)
        if call is None:
            return [self._missing(call_id)]
        self._close(call, Fault.LATE)
        return [Failed(call, ErrorCode.TOOL_CANCELLED, reason)]

    def expire(self, now_ms: int) -> list[Note]:
        """Fail the calls whose deadlines have passed, the earliest first."""
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
        """Return why a call cannot be opened; None if it can."""
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
        """Return an id that no call has had: a number is appended to an id that is taken."""
        name = call_id = self._name(len(self._calls))
        number = 1
        while call_id in self._open or call_id in self._closed:
            number += 1
            call_id = f"{name}_{number}"
        return call_id

    def _find(self, reply: Message) -> Call | None:
        number = self._pairing.feed(-1, reply)
        if number is not None:
            return self._calls[number]
        if reply.call_id is not None:
            return None
        waiting = self._open if reply.name is None else self._named.get(reply.name)
        return next(iter(waiting.values())) if waiting else None

    def _close(self, call: Call, later: Fault) -> None:
        """Remove a call from the open ones; `later` is the fault of a further reply to it."""
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
    """Return the deadline in a call's arguments, in milliseconds; None if there is none, or it is no natural number."""
    content = call.content
    if not isinstance(content, str) or DEADLINE not in content:
        return None
    parsed = jsontext.parse(content)
    arguments: Json = None if parsed is None else parsed.value
    value = cast("dict[str, Json]", arguments).get(DEADLINE) if isinstance(arguments, dict) else None
    return value if type(value) is int and value >= 0 else None
