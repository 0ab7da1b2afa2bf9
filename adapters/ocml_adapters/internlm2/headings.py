"""Headers ↔ role and name, and which tool a reply is from.

`environment name=<|plugin|>` names a channel, not a tool: the tool is that of the call it answers, paired by order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ocml_bridge.model import Message
from ocml_bridge.pairing import Pairing
from ocml_bridge.text.im import read_header, write_header
from ocml_bridge.text.plain import safe_name, safe_role
from ocml_bridge.turns import name_of, recipient_of

from .syntax import ENVIRONMENT, KINDS, MARKS, PYTHON, Spelling
from .tools import declares, read_tools


class Meaning(NamedTuple):
    """What a header says.

    Attributes:
        role: with `environment` as what it is, a tool's reply.
        name: with `<|plugin|>` and `<|interpreter|>` as words.
        token: whether the name was one of these two tokens.
        rest: words that say nothing known.
    """

    role: str
    name: str | None
    token: bool
    rest: tuple[str, ...]


@lru_cache(maxsize=1024)
def meaning(header: str) -> Meaning:
    """Take a header apart."""
    role, name, rest = read_header(header)
    kind = KINDS.get(name) if name is not None else None
    return Meaning("tool" if role == ENVIRONMENT else role, kind or name, kind is not None, rest)


def declares_tools(said: Meaning) -> bool:
    """Whether a header is that of declared tools."""
    return said.role == "system" and said.token and said.name == "plugin"


class Replies:
    """Which call each reply answers, in the order of the text."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self._recipients: list[str | None] = []

    def next(self) -> str | None:
        """The recipient of the first call that waits for its reply; None where none does."""
        found = self._pairing.find(Message("tool", ""))
        return None if found is None else self._recipients[found]

    def name(self, said: Meaning) -> str | None:
        """The name of a reply with this header, if it came next."""
        if said.name == "interpreter":
            return PYTHON
        return self.next() if said.name in (None, "plugin") else recipient_of(said.name)

    def feed(self, message: Message, said: Meaning | None = None) -> bool:
        """Take the next message, a reply with its header; whether it is no reply or one that answers a call."""
        if said is not None and said.name in (None, "plugin"):
            message = Message("tool", "")
        found = self._pairing.feed(len(self._recipients), message)
        self._recipients.append(message.recipient)
        return said is None or found is not None

    def answered(self, unit: Sequence[Message], said: Meaning) -> bool:
        """Take the messages of a frame with this header; whether there is no reply or one that answers a call."""
        if unit[0].role == "tool":
            return self.feed(unit[0], said)
        for message in unit:
            self.feed(message)
        return True


def says(header: str, message: Message, replies: Replies) -> bool:
    """Whether a header says what a message is."""
    said = meaning(header)
    if said.role != message.role:
        return False
    if said.role == "tool":
        return replies.name(said) == message.name
    plugin = declares_tools(said)
    if declares(message):
        return plugin
    if said.name != message.name:
        return False
    return not plugin or read_tools(str(message.content)) is None


def default_header(message: Message, replies: Replies, spelling: Spelling) -> str:
    """The header that is written for a message; what it cannot hold is left out."""
    if message.role == "tool":
        return _reply(message.name, replies, spelling)
    if declares(message):
        return f"system name={spelling.plugin}"
    if message.role == "system" and message.name == "interpreter":
        return f"system name={spelling.interpreter}"
    if message.role == "system" and message.name == "plugin" and read_tools(str(message.content)) is None:
        return f"system name={spelling.plugin}"
    return _plain_header(message.role, message.name)


@lru_cache(maxsize=1024)
def _plain_header(role: str, name: str | None) -> str:
    return write_header(safe_role(MARKS.plain.sub("_", role)), name_for(name))


def _reply(name: str | None, replies: Replies, spelling: Spelling) -> str:
    if name == PYTHON:
        return f"{ENVIRONMENT} name={spelling.interpreter}"
    bare = name_for(None if name is None or name == replies.next() else name_of(name))
    named = bare is not None and bare not in ("plugin", "interpreter")
    return f"{ENVIRONMENT} name={bare if named else spelling.plugin}"


def name_for(name: str | None) -> str | None:
    """A name where a header can hold it, else None."""
    return None if name is None or MARKS.plain.search(name) is not None else safe_name(name)
