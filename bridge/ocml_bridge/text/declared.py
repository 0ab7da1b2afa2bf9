"""Tools in a developer's message, where messages are read and written unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model import ByFormat, Tool, Transcript
from ..turns import lift_tools
from ..units.grammar import ByDocument
from ..units.heads import Item, item_of, messages_of
from .developer import SECTION, split
from .typescript import declare


def place(items: Sequence[Item], around: Transcript) -> int:
    """The index of the message before which tools are declared: behind the leading system messages; -1 without tools.

    Raises:
        ByDocument: where a developer's message stands there that takes them in, or reads as their declaration.
    """
    at = _developer(items)
    if at < len(items) and items[at][0].role == "developer":
        content = items[at][1]
        if around.tools or not isinstance(content, str) or SECTION in content:
            raise ByDocument
    return at if around.tools else -1


def section(tools: tuple[Tool, ...]) -> tuple[str, tuple[Tool, ...]]:
    """The section that declares tools, and what it reads as.

    Raises:
        ByDocument: for tools that cannot be declared all together, or whose declaration says something else when it is
            written again.
    """
    found = declare(tools)
    if found is None or len(found[1]) != len(tools) or declare(found[1]) != found:
        raise ByDocument
    return found


class Lifted(NamedTuple):
    """Items without their declared tools.

    Attributes:
        items: the items that are left.
        tools: the tools; None where there are none.
        raw: their section as it stood, where it is not spelled as we would.
        layout: the layout of a message that held nothing else, and is gone.
    """

    items: list[Item]
    tools: tuple[Tool, ...] | None = None
    raw: str | None = None
    layout: ByFormat | None = None


def lifted(items: list[Item], *, lenient: bool) -> Lifted:
    """Items as they were read, with their tools apart: `developer.split` and `turns.lift_tools`.

    Args:
        items: in order.
        lenient: as `developer.split` has it.
    """
    at = _developer(items)
    content = items[at][1] if at < len(items) and items[at][0].role == "developer" else None
    if not isinstance(content, str) or SECTION not in content:
        return Lifted(items)
    found = split(messages_of(items[at : at + 1]), lenient=lenient)
    rest, tools, layout = lift_tools(found.messages)
    return Lifted([*items[:at], *map(item_of, rest), *items[at + 1 :]], tools, found.raw, layout)


def _developer(items: Sequence[Item]) -> int:
    """Where the developer's message with the tools stands, or goes: `turns.developer_place`."""
    at = 0
    while at < len(items) and items[at][0].role == "system":
        at += 1
    return at
