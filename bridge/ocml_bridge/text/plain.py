"""Build and spell messages of text formats whose headers have only a role and a name.

Channel and recipient are not written: they follow from the role.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ..chat.turns import name_of, recipient_of
from ..model import Ending, Message
from .attributes import attribute, is_safe, unsafe_as
from .im import write_header

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""The usual roles; a reader reports a finding for any other."""


def message(role: str, content: str, name: str | None = None, end: Ending | None = "end") -> Message:
    """Return a message with the channel and recipient that its role implies."""
    if role == "assistant":
        return Message(role, content, name, "final", end=end)
    if role == "tool":
        return Message(role, content, name, "commentary", "assistant", end=end)
    return Message(role, content, name, end=end)


def safe_role(role: str) -> str:
    """Return a role with `_` for each character that a header cannot contain."""
    role = unsafe_as("_", role)
    return role if attribute(role) is None else role.replace("=", "_")


def safe_name(name: str | None) -> str | None:
    """Return a name, or None if a header cannot contain it."""
    return name if name is not None and is_safe(name) else None


@lru_cache(maxsize=1024)
def header_for(role: str, name: str | None) -> str:
    """Return the header for a role and a name; replace unsafe characters of the role, and omit an unsafe name."""
    return write_header(safe_role(role), name_for_header(role, name))


def name_from_header(role: str, name: str | None) -> str | None:
    """Return the name in the canonical form for a name in a header: that of a tool gets its namespace."""
    return recipient_of(name) if role == "tool" and name is not None else name


def name_for_header(role: str, name: str | None) -> str | None:
    """Return the name in a header for a name in the canonical form; None if there is none or it is unsafe."""
    return safe_name(name_of(name) if role == "tool" and name is not None else name)
