"""One call both ways ("Function Call", "Code Interpreter"), and which call a reply answers."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import Final

from ocml_bridge.chat.turns import is_call, name_of, recipient_of
from ocml_bridge.common.memo import Memo
from ocml_bridge.json_values.jsontext import Span, spaced
from ocml_bridge.model import Message
from ocml_bridge.text.calls import SPACE, constraint_of, is_embedded, members_alone, remark_call
from ocml_bridge.text.repair import repair
from ocml_bridge.units.heads import LIMIT, Head

from .syntax import PYTHON

_FENCED: Final = re.compile(r"(?P<fence>`{3,})[^`\n]*\n(?P<code>.*)\n(?P=fence)", re.S)
_FENCE: Final = re.compile(r"^`{3,}", re.M)
_KEYS: Final = ("parameters", "arguments")


@dataclass(slots=True)
class Call:
    """One call.

    Attributes:
        recipient: the tool, with its namespace.
        content: the text of the arguments, or the code.
        constraint: `json` if the arguments are JSON.
        repaired: whether its JSON was repaired.
        remark: the sentence about members that are only kept in the layout, or None.
    """

    recipient: str
    content: str
    constraint: str | None
    repaired: bool = False
    remark: str | None = None


def read_plugin(body: str) -> Call | None:
    """Read a call from its JSON object; None if the body is not one."""
    members, repaired = members_alone(body), False
    if members is None:
        mended = repair(body)
        members, repaired = members_alone(mended) if mended is not None else None, True
    name = members.get("name") if members is not None else None
    if members is None or name is None or not isinstance(name.value, str):
        return None
    arguments = [members[key] for key in _KEYS if key in members]
    content = _arguments(arguments[0]) if arguments else "{}"
    constraint = "json" if arguments and not isinstance(arguments[0].value, str) else constraint_of(content)
    return Call(recipient_of(name.value), content, constraint, repaired, remark_call(members, _KEYS))


def _arguments(span: Span) -> str:
    """Return the text of the arguments; a JSON string is decoded."""
    return span.value if isinstance(span.value, str) else span.raw


def write_plugin(recipient: str, content: str, key: str) -> str:
    """Write the JSON object of a call, with its arguments under `key`; `read_plugin` reads it back."""
    arguments = content if is_embedded(content) else spaced(content)
    return f'{{"name": {spaced(name_of(recipient))}, "{key}": {arguments}}}'


def read_code(body: str) -> Call:
    """Read code; the fence is removed if exactly one fence wraps all of it."""
    match = _FENCED.fullmatch(body.rstrip(SPACE))
    if match is None or any(len(line[0]) >= len(match["fence"]) for line in _FENCE.finditer(match["code"])):
        return Call(PYTHON, body, None)
    return Call(PYTHON, match["code"], None)


def write_code(code: str) -> str:
    """Write code in a fence that is longer than any fence in it."""
    fence = "`" * max((len(line[0]) + 1 for line in _FENCE.finditer(code)), default=3)
    return f"{fence}python\n{code}\n{fence}"


# --- replies ----------------------------------------------------------------------------------------------------------


class Replies:
    """Pairs the replies of each turn with its calls: by the name of the tool if the reply has one, else in order.

    Attributes:
        in_calls: whether the next call belongs to the same turn as the calls before it.
    """

    def __init__(self) -> None:
        self._calls: list[str | None] = []
        """The recipients of the calls in the current turn."""
        self._first = 0
        self._answered: set[int] = set()
        self._places: dict[str | None, deque[int]] | None = None
        """Recipient → indices of its calls without a reply; built when the first reply names a tool out of order."""
        self.in_calls = False

    @property
    def waiting(self) -> str | None:
        """The recipient of the first call that has no reply; None if all have."""
        while self._first in self._answered:
            self._first += 1
        return self._calls[self._first] if self._first < len(self._calls) else None

    def take(self, message: Message) -> bool:
        """Take the next message; return False for a reply that answers no call."""
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
        """Take a message that is neither; unless it stands in the frame of the calls, the turn ends."""
        self.in_calls = self.in_calls and continues

    def reply(self, name: str | None) -> bool:
        """Take a reply of a tool, or of the next tool if it has no name; return whether it answers a call."""
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
    """Return the head with the name of a tool."""
    if head.name == name:
        return head
    result = _named_heads.get((head, name))
    if result is None:
        result = head.replaced(name=name)
        if head.shared:
            _named_heads.keep((head, name), result)
    return result


_named_heads: Final = Memo[tuple[Head, str | None], Head](LIMIT)
