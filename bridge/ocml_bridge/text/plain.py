"""Messages of the text formats that say of a message only who speaks: what that implies, and what they can hold."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ..chat.turns import name_of, recipient_of
from ..model import Ending, Message
from .attributes import attribute, is_safe, unsafe_as
from .im import write_header

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""Roles that need no remark."""


def message(role: str, content: str, name: str | None = None, end: Ending | None = "end") -> Message:
    """A message with what its role implies: assistants answer on `final`, tools reply to the assistant."""
    if role == "assistant":
        return Message(role, content, name, "final", end=end)
    if role == "tool":
        return Message(role, content, name, "commentary", "assistant", end=end)
    return Message(role, content, name, end=end)


def safe_role(role: str) -> str:
    """A role as a header can hold it: what it cannot hold becomes `_`."""
    role = unsafe_as("_", role)
    return role if attribute(role) is None else role.replace("=", "_")


def safe_name(name: str | None) -> str | None:
    """A name where a header can hold it, else None."""
    return name if name is not None and is_safe(name) else None


@lru_cache(maxsize=1024)
def header_for(role: str, name: str | None) -> str:
    """The header for a role and the name of who speaks; what it cannot hold is replaced or left out."""
    return write_header(safe_role(role), name_for_header(role, name))


def name_from_header(role: str, name: str | None) -> str | None:
    """A header's name as the canonical form has it: a tool's has its namespace."""
    return recipient_of(name) if role == "tool" and name is not None else name


def name_for_header(role: str, name: str | None) -> str | None:
    """The name that a header can hold and that is read back; None where there is none."""
    return safe_name(name_of(name) if role == "tool" and name is not None else name)
