"""What is kept of wire messages although their format does not have it so: the findings that all readers share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from ..chat.turns import FUNCTIONS
from ..loss import FindingCode, Log
from ..model import Message, Part

_MEANT: Final = {"human": "user", "person": "user", "ai": "assistant", "bot": "assistant", "gpt": "assistant"}
"""What other programs call the roles."""
PART: Final = "part of the content"
BLOCK: Final = "content block"


def note_role(role: str, known: Collection[str], path: str, log: Log, *, api: str) -> None:
    """Note a role that a format does not have.

    Args:
        role: of a message.
        known: the roles that there are.
        path: JSON pointer to the message.
        log: takes the finding.
        api: what the format is called.
    """
    if role not in known:
        meant = _MEANT.get(role.casefold(), role.casefold())
        advice = f"; did you mean {meant!r}?" if meant in known else ""
        detail = f"{api} has no role {role[:40]!r}; the role is kept as it is{advice}"
        log.find(FindingCode.UNKNOWN_ROLE, f"{path}/role", detail)


def note_parts(message: Message, path: str, log: Log, is_odd: Callable[[Part], bool], *, what: str = PART) -> None:
    """Note the parts of a message that a format does not have.

    Args:
        message: it.
        path: JSON pointer to it.
        log: takes the findings.
        is_odd: whether a part is such a one.
        what: what the format calls a part.
    """
    for place, part in enumerate(message.content) if isinstance(message.content, tuple) else ():
        if is_odd(part):
            detail = f"this {what} is not understood; it is kept as it is"
            log.find(FindingCode.SHAPE, f"{path}/content/{place}", detail)


def note_names(made: Sequence[Message], index: int, log: Log, where: str = "/messages") -> None:
    """Note the calls that name no tool.

    Args:
        made: messages.
        index: the place of the first of them.
        log: takes the findings.
        where: JSON pointer to the messages among which they stand.
    """
    for at, message in enumerate(made, index):
        if message.recipient == FUNCTIONS:
            detail = f"a call has an empty name; it is read as a call to {FUNCTIONS!r}, which is not a tool"
            log.find(FindingCode.SHAPE, f"{where}/{at}/recipient", detail)
