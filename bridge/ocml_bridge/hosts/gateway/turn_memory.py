"""The reasoning that led to a call, remembered by the call's id: private, and still there when the reply comes.

Models expect their own reasoning back in the turn that it led to, and clients do not send it: they never saw it, or
their library drops it. The gateway makes the ids of calls, so it knows what belongs to one that comes back.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, NamedTuple, Protocol

from ...chat.turns import is_call
from ...chat.visibility import is_preamble, is_private
from ...model import Message, Transcript, replace


class Hidden(NamedTuple):
    """One message of the model that its client does not see.

    Attributes:
        text: what it says.
        is_preamble: whether it is a preamble, and not reasoning.
        opens: whether it stood before all that the client sees of the turn.
    """

    text: str
    is_preamble: bool
    opens: bool


class Seal(Protocol):
    """Makes a call's id of what is remembered, so that whoever has the key needs no memory."""

    def id(self, owner: bytes, hidden: tuple[Hidden, ...], now: float) -> str | None:
        """An id that says it to whoever has the key; None where it would be too long."""
        ...

    def open(self, owner: bytes, call_id: str, now: float) -> tuple[Hidden, ...] | None:
        """What an id says; None where it says nothing, or nothing of this owner's."""
        ...


class _Entry(NamedTuple):
    hidden: tuple[Hidden, ...]
    size: int
    time: float


class TurnMemory:
    """What all callers' calls were made of; the oldest is forgotten first.

    Args:
        entries: the most calls that are remembered.
        size: the most characters that are remembered of all calls together.
        age: for how long a call is remembered, in seconds.
        seal: makes ids that say it themselves; None for ids that only this memory understands.

    Attributes:
        entries: how many calls are remembered.
        size: how many characters are remembered.
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
        """How many calls are remembered."""
        return len(self._entries)

    def of(self, caller: str, model: str, now: Callable[[], float]) -> OwnMemory:
        """The part that belongs to one caller and one model: nobody else is told.

        Args:
            caller: who asks.
            model: which is asked.
            now: a clock, in seconds; of all processes alike where ids are sealed.
        """
        return OwnMemory(self, _digest(caller, model), now)

    def keep(self, owner: bytes, hidden: tuple[Hidden, ...], now: float) -> str:
        """Remember what led to a call; the id that the call gets for it."""
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
        """Forget what is too old, and the oldest of what is too much."""
        while self._entries:
            oldest = next(iter(self._entries.values()))
            if oldest.time + self._age > now and self.size <= self._largest and len(self._entries) <= self._most:
                break
            self._entries.popitem(last=False)
            self.size -= oldest.size

    def recall(self, owner: bytes, call_id: str, now: float) -> tuple[Hidden, ...]:
        """What led to a call; nothing where that is not known, or not any more."""
        entry = self._entries.get((owner, call_id))
        if entry is not None:
            return entry.hidden if entry.time + self._age > now else ()
        return (self._seal.open(owner, call_id, now) if self._seal is not None else None) or ()


class OwnMemory:
    """What belongs to one caller and one model."""

    def __init__(self, memory: TurnMemory, owner: bytes, now: Callable[[], float]) -> None:
        self._memory: Final = memory
        self._owner = owner
        self._now = now

    def keep(self, hidden: tuple[Hidden, ...]) -> str:
        """Remember what led to a call; the id that the call gets for it."""
        return self._memory.keep(self._owner, hidden, self._now())

    def recall(self, call_id: str) -> tuple[Hidden, ...]:
        """What led to a call; nothing where that is not known."""
        return self._memory.recall(self._owner, call_id, self._now())


def _digest(*words: str) -> bytes:
    digest = hashlib.sha256()
    for word in words:
        data = word.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8) + data)
    return digest.digest()[:16]


# --- back into the conversation ---------------------------------------------------------------------------------------


def restored(request: Transcript, recall: Callable[[str], tuple[Hidden, ...]]) -> Transcript:
    """A request with the reasoning that its client did not send, where it is remembered.

    Only in the turn under way: once it is answered, reasoning has done its work. A client that sends reasoning of its
    own has the say.

    Args:
        request: the conversation.
        recall: what led to a call, by its id.
    """
    messages = request.messages
    begin = _turn_under_way(messages)
    out = list(messages[:begin])
    for is_answer, group in groupby(messages[begin:], lambda message: message.role == "assistant"):
        run = list(group)
        out += _thought_of(run, recall) if is_answer else run
    return request if len(out) == len(messages) else replace(request, messages=tuple(out))


def _turn_under_way(messages: tuple[Message, ...]) -> int:
    """Where the turn begins that has no answer yet."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message.role == "assistant" and not (is_call(message) or is_private(message) or is_preamble(message)):
            return index + 1
    return 0


def _thought_of(answer: list[Message], recall: Callable[[str], tuple[Hidden, ...]]) -> list[Message]:
    """What the assistant said in one go, with what it thought."""
    if any(is_private(message) and not is_call(message) for message in answer):
        return answer
    opening: list[Hidden] = []
    out: list[Message] = []
    for message in answer:
        hidden = recall(message.call_id) if is_call(message) and message.call_id else ()
        opening += (each for each in hidden if each.opens)
        out += _before(message, [each for each in hidden if not each.opens])
    return [*_before(out[0], opening), *out[1:]]


def _before(message: Message, hidden: Sequence[Hidden]) -> list[Message]:
    """A message behind hidden ones, which belong to its wire message."""
    if not hidden:
        return [message]
    first, *rest = (_message(each) for each in hidden)
    joined = (replace(each, continues=True) for each in (*rest, message))
    return [replace(first, continues=message.continues), *joined]


def _message(hidden: Hidden) -> Message:
    if hidden.is_preamble:
        return Message("assistant", hidden.text, channel="commentary", intent="preamble")
    return Message("assistant", hidden.text, channel="analysis")
