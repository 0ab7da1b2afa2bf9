"""Build and spell messages of text formats whose headers have only a role and a name.

Channel and recipient are not written: they follow from the role. A role `assistant/WORD` names a channel that no end
user must see, whatever the word is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

from ..chat.turns import name_of, recipient_of
from ..chat.visibility import is_private
from ..loss import FindingCode, Log, Severity
from ..model import Ending, Message
from .attributes import attribute, is_safe, safe
from .im import write_header

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""The usual roles; a reader reports a finding for any other."""


def message(role: str, content: str, name: str | None = None, end: Ending | None = "end") -> Message:
    """Return a message with the channel and recipient that its role implies."""
    if role == "assistant":
        return Message(role, content, name, "final", end=end)
    if role == "tool":
        return Message(role, content, name, "commentary", "assistant", end=end)
    return Message(role, content, name, "analysis" if is_hidden_role(role) else None, end=end)


def is_hidden_role(role: str) -> bool:
    """Return whether a role says that its messages are private text of the assistant: `assistant/think`."""
    speaker, slash, _ = role.partition("/")
    return slash != "" and speaker.strip().casefold() == "assistant"


def unknown_role(role: str, title: str) -> str:
    """Return the sentence of the finding about a role that a format with this title does not have."""
    return f"{role!r} is not a role of {title}{'; its text is read as private' if is_hidden_role(role) else ''}"


def report_heading(role: str, rest: Sequence[str], roles: Collection[str], path: str, log: Log, *, title: str) -> None:
    """Report what is unusual in a header.

    Args:
        role: the role.
        rest: the words that are not understood.
        roles: the known roles.
        path: the JSON pointer of the message.
        log: receives the findings.
        title: the title of the format.
    """
    if role not in roles:
        log.find(FindingCode.UNKNOWN_ROLE, f"{path}/role", unknown_role(role, title), Severity.LAYOUT)
    if rest:
        detail = f"{' '.join(rest)!r} in the header is not understood; it is kept as it is"
        log.find(FindingCode.HEADER_VALUE, f"{path}/name", detail)


def has_no_place(message: Message) -> bool:
    """Return whether a message is private, and its role does not say so: a header has no place for it."""
    return is_private(message) and not is_hidden_role(message.role)


def safe_role(role: str) -> str:
    """Return a role with `_` for each character that a header cannot contain."""
    role = safe(role)
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
