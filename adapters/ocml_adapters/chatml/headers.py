"""Read the headers of raw ChatML: who speaks, and what a dialect puts into a frame of its own.

Most dialects write everything that the assistant says into one frame. HyperCLOVA X has frames for thoughts, for calls
and for the list of tools, which only their headers tell apart.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal, NamedTuple

from ocml_bridge.model import Message, replace
from ocml_bridge.text.im import read_header
from ocml_bridge.text.plain import name_from_header

from .syntax import HYPERCLOVA, OLMO, TEXT, Form

Part = Literal["", "thought", "calls", "tools"]
"""What a frame holds by its header; "" if the header does not say it."""

THOUGHT: Final = "assistant/think"
CALLS: Final = "assistant -> tool/function_call"
REPLY: Final = "tool/function_call"
TOOLS: Final = "tool_list"
ENVIRONMENT: Final = "environment"


class Speaker(NamedTuple):
    """What a header says.

    Attributes:
        role: the role in the canonical form.
        name: the name, as it is written; None if there is none.
        rest: the words that are not understood.
        part: what the frame holds.
        dialect: the only dialect that has such headers; None if any may have it.
    """

    role: str
    name: str | None
    rest: tuple[str, ...] = ()
    part: Part = ""
    dialect: str | None = None

    @property
    def full_name(self) -> str | None:
        """The name in the canonical form."""
        return name_from_header(self.role, self.name)


_ROLES: Final[dict[str, Speaker]] = {
    THOUGHT: Speaker("assistant", None, part="thought", dialect=HYPERCLOVA),
    REPLY: Speaker("tool", None, dialect=HYPERCLOVA),
    ENVIRONMENT: Speaker("tool", None, dialect=OLMO),
    TOOLS: Speaker("system", None, part="tools", dialect=HYPERCLOVA),
}
"""Role in a header → what it says, if that is not the role itself."""
OWN_ROLES: Final = frozenset(_ROLES)
"""The roles in headers that are not roles in the canonical form."""
_CALLS: Final = Speaker("assistant", None, part="calls", dialect=HYPERCLOVA)


@lru_cache(maxsize=1024)
def read_speaker(header: str) -> Speaker:
    """Return what a header says."""
    role, name, rest = read_header(header)
    if role == "assistant" and len(rest) > 1 and rest[0] == "->" and rest[1].partition("/")[0] == "tool":
        return _CALLS._replace(name=name, rest=rest[2:])
    known = _ROLES.get(role)
    return Speaker(role, name, rest) if known is None else known._replace(name=name, rest=rest)


def speaker_of(header: str, form: Form) -> Speaker:
    """Return what a header of a text or of the list says; the list has no dialects."""
    return read_speaker(header) if form is TEXT else Speaker(*read_header(header))


def with_known_role(message: Message) -> Message:
    """Return a message whose role, in a header, reads as itself; a role that a dialect writes becomes what it means."""
    known = _ROLES.get(message.role)
    if known is None:
        return message
    return replace(message, role=known.role, channel="analysis" if known.part == "thought" else message.channel)
