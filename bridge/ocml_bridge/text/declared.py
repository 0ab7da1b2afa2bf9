"""Tools in a developer's message of their own, where the messages are written unit by unit."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Tool, Transcript
from ..units.grammar import ByDocument
from ..units.heads import Item
from .developer import SECTION
from .typescript import declare


def place(items: Sequence[Item], around: Transcript) -> int:
    """The index of the message before which tools are declared: behind the leading system messages; -1 without tools.

    Raises:
        ByDocument: where a developer's message stands there that takes them in, or reads as their declaration.
    """
    at = 0
    while at < len(items) and items[at][0].role == "system":
        at += 1
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
