"""Which call each reply answers, in the order of the text."""

from __future__ import annotations

from collections import deque
from typing import Final

from ocml_bridge.memo import Memo
from ocml_bridge.model import Message
from ocml_bridge.turns import is_call
from ocml_bridge.units.heads import LIMIT, Head


class Replies:
    """Pairs the replies of each turn with its calls: by the tool's name where that is given, else in order.

    Attributes:
        in_calls: whether a call that comes next belongs to the turn of those before it.
    """

    def __init__(self) -> None:
        self._calls: list[str | None] = []
        """The recipients of the latest turn's calls."""
        self._first = 0
        self._answered: set[int] = set()
        self._places: dict[str | None, deque[int]] | None = None
        """By recipient the calls that may wait; None until a reply names one."""
        self.in_calls = False

    @property
    def waiting(self) -> str | None:
        """The recipient of the first call that is waiting for its reply; None where none does."""
        while self._first in self._answered:
            self._first += 1
        return self._calls[self._first] if self._first < len(self._calls) else None

    def take(self, message: Message) -> bool:
        """Take the next message; whether it is no reply, or one that answers a call."""
        if message.role == "tool":
            return self.reply(message.name)
        if is_call(message):
            self.call(message.recipient)
        else:
            self.text(continues=message.continues)
        return True

    def call(self, recipient: str | None) -> None:
        """Take a call."""
        if not self.in_calls:
            self._calls, self._first, self._answered, self._places, self.in_calls = [], 0, set(), None, True
        self._calls.append(recipient)

    def text(self, *, continues: bool) -> None:
        """Take what is neither call nor reply; between two calls of one frame it begins no turn."""
        self.in_calls = self.in_calls and continues

    def reply(self, name: str | None) -> bool:
        """Take a reply of the tool with this name, or of the one that comes next; whether it answers a call."""
        self.in_calls = False
        if self.waiting is None:
            return False
        if name in (None, self.waiting):
            self._answered.add(self._first)
            return True
        if self._places is None:
            self._places = {}
            for at, recipient in enumerate(self._calls):
                self._places.setdefault(recipient, deque()).append(at)
        places = self._places.get(name, deque())
        while places and places[0] in self._answered:
            places.popleft()
        if places:
            self._answered.add(places.popleft())
            return True
        return False


def named(head: Head, name: str | None) -> Head:
    """The head of a reply of the tool with this name."""
    if head.name == name:
        return head
    found = _named.get((head, name))
    if found is None:
        found = head.replaced(name=name)
        if head.shared:
            _named.keep((head, name), found)
    return found


_named: Final = Memo[tuple[Head, str | None], Head](LIMIT)
