"""Read messages as frameworks of agents store them: a description of each, and what it makes of a list of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, cast

from ...model import Json
from .. import columns
from ..declared import TOOLS, read_tools
from ..fitting import as_list, as_object, members_of, objects_of
from ..layout import Document, Layout, Object, Wording, misshapen
from ..messages import ROLES, message, request, system_of
from ..trees import NODES, merged
from .readers import Reader, at, without
from .readers import without_nulls as known
from .turn import Turn

MESSAGES: Final = "messages"
_SYSTEM: Final = "system"
_OTHERS: Final = {"developer": "developer"}


@dataclass(frozen=True, slots=True)
class Framework:
    """How a framework stores messages.

    Attributes:
        has: the members that all its messages have.
        reader: the reader of a message, without its role.
        role: the place of what says the role of a message.
        roles: words for roles of its own; where a message has no role, its kind says which.
        speaker: the role of messages with another word, or without one; "" if all must have a known one.
        notes: words of what the program says, which is not part of the conversation.
        parts: the member of all messages that is a list; "" if none must be one.
        time: the member with the time of a message, by which messages are ordered; "" if they are in their order.
        instructions: the member with what the system says before a message; only the first one is read.
        system: the names of the column with what the system says before all messages.
    """

    has: frozenset[str]
    reader: Reader
    role: str = "role"
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    instructions: str = ""
    speaker: str = ""
    notes: frozenset[str] = frozenset()
    parts: str = ""
    time: str = ""
    system: tuple[str, ...] = ()

    def role_of(self, item: Object) -> str | None:
        """Return the role of a message; None if its word is not known."""
        return self.known_role(item) or self.speaker or None

    def known_role(self, item: Object) -> str | None:
        """Return the role that a message says; None if it says none that is known."""
        word = at(item, self.role)
        return self.roles.get(word) or ROLES.get(word.lower()) or _OTHERS.get(word) if isinstance(word, str) else None

    def is_message(self, value: Json) -> bool:
        """Return whether a value may be a message."""
        item = as_object(value)
        if item is None or not self.has <= item.keys() or (self.parts and as_list(item[self.parts]) is None):
            return False
        word = at(item, self.role)
        return self.role_of(item) is not None or (isinstance(word, str) and word in self.notes)


def layout_of(name: str, title: str, framework: Framework, *names: str) -> Layout:
    """Return the layout of a framework's messages, in columns with some names."""
    return Layout(
        name,
        title,
        "openai",
        {
            MESSAGES: names or columns.TURNS,
            TOOLS: columns.TOOLS,
            **({_SYSTEM: framework.system} if framework.system else {}),
        },
        partial(are_of, framework),
        partial(read_of, framework),
    )


def are_of(framework: Framework, fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages of a framework, one of which says something."""
    items = as_list(fields.get(MESSAGES))
    if not items or not all(map(framework.is_message, items)):
        return False
    return any(read_message(framework, each)[0] for each in objects_of(items))


def read_of(framework: Framework, fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the messages of a framework, with what else they say in a column.

    Raises:
        BridgeError: OCB-SHAPE if declared tools are not tools, if what the system says is no text, or if no message
            has content.
    """
    messages = system_of(fields.get(_SYSTEM), f"/{_SYSTEM}")
    nodes: list[Json] = []
    first: Json = None
    for item in _ordered(framework, objects_of(fields[MESSAGES])):
        found, rest = read_message(framework, item)
        instructions = item.get(framework.instructions)
        first = instructions if not messages else first
        if isinstance(instructions, str) and instructions and instructions == first:
            messages += [] if messages else [message(_SYSTEM, instructions)]
            del rest[framework.instructions]
        messages += found
        nodes += [rest] if rest else []
    if not messages:
        raise misshapen(f"/{MESSAGES}", "messages of which one says something")
    return [Document(request(merged(messages), read_tools(fields)), extra_columns={NODES: nodes} if nodes else {})]


def _ordered(framework: Framework, items: Sequence[Object]) -> Sequence[Object]:
    """Return messages in the order of their times, if all have one."""
    times = [item.get(framework.time) for item in items]
    if not all(isinstance(time, (int, float)) for time in times):
        return items
    return [items[at] for at in sorted(range(len(items)), key=lambda at: cast("float", times[at]))]


def read_message(framework: Framework, item: Object) -> tuple[list[Object], Object]:
    """Return the messages of Chat Completions of a message, and its members that they do not hold."""
    role = framework.role_of(item)
    if role is None:
        return [], item
    turn = Turn(role)
    rest = framework.reader.read(item, turn)
    around = members_of(rest)
    read = (framework.role,) if framework.known_role(item) is not None else ()
    return turn.messages(), known(members_of(without(around, read)))
