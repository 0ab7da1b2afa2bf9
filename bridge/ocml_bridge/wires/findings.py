"""Report the findings that all readers of wires share: unknown roles, unknown parts, and calls without a name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from ..chat.turns import FUNCTIONS
from ..loss import FindingCode, Log
from ..model import Message, Part

_MEANT: Final = {"human": "user", "person": "user", "ai": "assistant", "bot": "assistant", "gpt": "assistant"}
"""The names of roles in other programs."""
PART: Final = "part of the content"
BLOCK: Final = "content block"


def report_role(role: str, known: Collection[str], path: str, log: Log, *, api: str) -> None:
    """Report a role that the format does not have.

    Args:
        role: the role of a message.
        known: the roles of the format.
        path: the JSON pointer of the message.
        log: receives the finding.
        api: the name of the format.
    """
    if role not in known:
        meant = _MEANT.get(role.casefold(), role.casefold())
        advice = f"; did you mean {meant!r}?" if meant in known else ""
        detail = f"{api} has no role {role[:40]!r}; the role is kept as it is{advice}"
        log.find(FindingCode.UNKNOWN_ROLE, f"{path}/role", detail)


def report_parts(message: Message, path: str, log: Log, is_odd: Callable[[Part], bool], *, what: str = PART) -> None:
    """Report the parts of a message that the format does not have.

    Args:
        message: the message.
        path: its JSON pointer.
        log: receives the findings.
        is_odd: returns whether the format does not have a part.
        what: the format's word for a part.
    """
    for place, part in enumerate(message.content) if isinstance(message.content, tuple) else ():
        if is_odd(part):
            detail = f"this {what} is not understood; it is kept as it is"
            log.find(FindingCode.SHAPE, f"{path}/content/{place}", detail)


def report_nameless(messages: Sequence[Message], index: int, log: Log, where: str = "/messages") -> None:
    """Report the calls whose tool has an empty name.

    Args:
        messages: the messages.
        index: the index of the first of them.
        log: receives the findings.
        where: the JSON pointer of the list of messages.
    """
    for at, message in enumerate(messages, index):
        if message.recipient == FUNCTIONS:
            detail = f"a call has an empty name; it is read as a call to {FUNCTIONS!r}, which is not a tool"
            log.find(FindingCode.SHAPE, f"{where}/{at}/recipient", detail)
