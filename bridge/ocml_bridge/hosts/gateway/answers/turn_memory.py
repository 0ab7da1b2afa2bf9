"""Remember the reasoning before a call by the call's id: it is private, and the model needs it when the reply arrives.

Models expect their own reasoning in the rest of the turn, and clients do not send it: they never saw it, or their
library drops it. The gateway makes the ids of calls, so it can look up the reasoning for an id that comes back.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import is_
from typing import Final, NamedTuple, Protocol

from ....chat.turns import is_call
from ....chat.visibility import is_preamble, is_private
from ....model import Message, Transcript, replace


class Hidden(NamedTuple):
    """A message of the model that its client does not see.

    Attributes:
        text: its text.
        is_preamble: whether it is a preamble, and not reasoning.
        opens: whether it came before all visible messages of the turn.
    """

    text: str
    is_preamble: bool
    opens: bool


class Seal(Protocol):
    """Makes call ids that hold hidden messages, so that a process with the key needs no memory."""

    def id(self, owner: bytes, hidden: tuple[Hidden, ...], now: float) -> str | None:
        """Return an id that holds the messages; None if it would be too long."""
        ...

    def open(self, owner: bytes, call_id: str, now: float) -> tuple[Hidden, ...] | None:
        """Return the hidden messages in an id; None if it holds none, or those of another owner."""
        ...


class _Entry(NamedTuple):
    hidden: tuple[Hidden, ...]
    size: int
    time: float


class TurnMemory:
    """The hidden messages before all callers' calls; the oldest is removed first.

    Args:
        entries: the maximal number of calls.
        size: the maximal number of characters of all calls.
        age: the time for which a call is remembered, in seconds.
        seal: makes ids that hold the messages; None for ids that only this memory can look up.

    Attributes:
        entries: the number of calls.
        size: the number of characters.
    """

    def __init__(self, entries: int, size: int, age: float, seal: Seal | None = None) -> None:
        self.size = 0
        self._most = entries
        self._largest = size
        self._age = age
        self._seal = seal
        self._entries: OrderedDict[tuple[bytes, str], _Entry] = OrderedDict()

    @property
    def entries(self) -> int:
        """Return the number of calls."""
        return len(self._entries)

    def of(self, caller: str, model: str, now: Callable[[], float]) -> OwnMemory:
        """Return the part of one caller and one model, which no other can read.

        Args:
            caller: the name of the caller.
            model: the name of the model.
            now: a clock, in seconds; if ids are sealed, all processes must have the same.
        """
        return OwnMemory(self, _digest(caller, model), now)

    def keep(self, owner: bytes, hidden: tuple[Hidden, ...], now: float) -> str:
        """Remember the hidden messages before a call, and return the id for the call."""
        if hidden and self._seal is not None and (sealed := self._seal.id(owner, hidden, now)) is not None:
            return sealed
        call_id = f"call_{uuid.uuid4().hex[:24]}"
        size = sum(len(each.text) for each in hidden)
        if hidden and size <= self._largest:
            self._entries[owner, call_id] = _Entry(hidden, size, now)
            self.size += size
            self._forget(now)
        return call_id

    def _forget(self, now: float) -> None:
        """Remove entries that are too old, and the oldest ones if there are too many."""
        while self._entries:
            oldest = next(iter(self._entries.values()))
            if oldest.time + self._age > now and self.size <= self._largest and len(self._entries) <= self._most:
                break
            self._entries.popitem(last=False)
            self.size -= oldest.size

    def recall(self, owner: bytes, call_id: str, now: float) -> tuple[Hidden, ...]:
        """Return the hidden messages before a call; none if they are not known, or not any more."""
        entry = self._entries.get((owner, call_id))
        if entry is not None:
            return entry.hidden if entry.time + self._age > now else ()
        return (self._seal.open(owner, call_id, now) if self._seal is not None else None) or ()


class OwnMemory:
    """The memory of one caller and one model."""

    def __init__(self, memory: TurnMemory, owner: bytes, now: Callable[[], float]) -> None:
        self._memory: Final = memory
        self._owner = owner
        self._now = now

    def keep(self, hidden: tuple[Hidden, ...]) -> str:
        """Remember the hidden messages before a call, and return the id for the call."""
        return self._memory.keep(self._owner, hidden, self._now())

    def recall(self, call_id: str) -> tuple[Hidden, ...]:
        """Return the hidden messages before a call; none if they are not known."""
        return self._memory.recall(self._owner, call_id, self._now())


def _digest(*words: str) -> bytes:
    digest = hashlib.sha256()
    for word in words:
        data = word.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8) + data)
    return digest.digest()[:16]


# --- back into the conversation ---------------------------------------------------------------------------------------


def restored(request: Transcript, recall: Callable[[str], tuple[Hidden, ...]]) -> Transcript:
    """Return a request with remembered reasoning that its client did not send.

    Reasoning is restored only in the current turn: once a turn is answered, the model does not need it. Reasoning that
    the client sends takes precedence.

    Args:
        request: the conversation.
        recall: returns the hidden messages before a call, by its id.
    """
    messages = request.messages
    begin = _open_turn_start(messages)
    out = list(messages[:begin])
    for is_answer, group in groupby(messages[begin:], lambda message: message.role == "assistant"):
        run = list(group)
        out += _with_reasoning(run, recall) if is_answer else run
    is_same = len(out) == len(messages) and all(map(is_, out, messages))
    return request if is_same else replace(request, messages=tuple(out))


def _open_turn_start(messages: tuple[Message, ...]) -> int:
    """Return the index at which the turn begins that has no answer yet."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message.role == "assistant" and not (is_call(message) or is_private(message) or is_preamble(message)):
            return index + 1
    return 0


def _with_reasoning(answer: list[Message], recall: Callable[[str], tuple[Hidden, ...]]) -> list[Message]:
    """Return the assistant's messages of one answer, with the hidden messages before its calls.

    Thoughts without a text, which some clients send back in place of reasoning, give way to what is remembered.
    """
    others = [message for message in answer if message.content != "" or not _is_thought(message)]
    if any(map(_is_thought, others)):
        return answer
    opening: list[Hidden] = []
    out: list[Message] = []
    for message in others:
        hidden = recall(message.call_id) if is_call(message) and message.call_id else ()
        opening += (each for each in hidden if each.opens)
        out += _with_hidden(message, [each for each in hidden if not each.opens])
    if len(out) == len(others) and not opening:
        return answer
    first = replace(out[0], continues=answer[0].continues)
    return [*_with_hidden(first, opening), *out[1:]]


def _is_thought(message: Message) -> bool:
    return is_private(message) and not is_call(message)


def _with_hidden(message: Message, hidden: Sequence[Hidden]) -> list[Message]:
    """Return a message with hidden ones before it, joined to one wire message."""
    if not hidden:
        return [message]
    first, *rest = (_message(each) for each in hidden)
    joined = (replace(each, continues=True) for each in (*rest, message))
    return [replace(first, continues=message.continues), *joined]


def _message(hidden: Hidden) -> Message:
    if hidden.is_preamble:
        return Message("assistant", hidden.text, channel="commentary", intent="preamble")
    return Message("assistant", hidden.text, channel="analysis")
