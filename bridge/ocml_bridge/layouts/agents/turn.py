"""Collect what the readers of a message find, as messages of Chat Completions."""

from __future__ import annotations

from typing import Final

from ...model import Json
from ..layout import Object
from ..pieces import Pieces

_TOOL: Final = "tool"


class Turn:
    """The messages that a message of a framework becomes.

    The results of successive calls come after all of them, as parallel calls and their replies do.
    """

    def __init__(self, role: str) -> None:
        self._pieces = [Pieces(role)]
        self._role = role
        self._thinks = False
        self._called: set[str] = set()
        self._results: list[tuple[Json, Json, str | None]] = []
        self._members: Object = {}

    def begin(self, role: str | None = None) -> None:
        """Begin another message, of a role."""
        self._add_results()
        self._role, self._thinks = role or self._role, False
        self._pieces.append(Pieces(self._role))

    def speak_as(self, role: str) -> None:
        """Begin another message if the role is another one."""
        if role != self._role:
            self.begin(role)

    def think(self, text: str) -> None:
        """Add a thought; each thought is a message of its own."""
        self._add_results()
        if self._thinks:
            self.begin()
        self._thinks = True
        self._pieces[-1].think(text)

    def show(self, part: Object) -> None:
        """Add a part of Chat Completions."""
        self._add_results()
        self._thinks = False
        self._pieces[-1].show(part)

    def call(self, name: str, arguments: Json, identity: Json, result: Json) -> None:
        """Add a call, and its result if there is one; a repeated call is one."""
        if str(identity) in self._called:
            return
        self._called |= set() if identity is None else {str(identity)}
        self._thinks = False
        self._pieces[-1].call(name, arguments, identity)
        if result is not None:
            self._results.append((result, identity, name))

    def command(self, name: str, text: str, identity: Json) -> None:
        """Add a call of a tool that takes a text."""
        self._thinks = False
        self._pieces[-1].command(name, text, identity)

    def reply(self, content: Json, identity: Json, name: str | None) -> None:
        """Add the result of a call."""
        self._thinks = False
        self._pieces[-1].result(content, identity, name)

    def name_reply(self, member: str, value: str) -> bool:
        """Set a member of the message of a tool; return whether it is one."""
        self._members[member] = value
        return self._role == _TOOL

    def messages(self) -> list[Object]:
        """Return the messages."""
        self._add_results()
        found = [each for pieces in self._pieces for each in pieces.messages()]
        return [{**self._members, **each} if each["role"] == _TOOL else each for each in found]

    def _add_results(self) -> None:
        results, self._results = self._results, []
        for each in results:
            self.reply(*each)
