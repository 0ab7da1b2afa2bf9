"""Tools that messages declare where a text format has no place for them: they are declared once, for all messages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..chat.turns import parts_of
from ..loss import Log, LossCode, Severity
from ..model import Tool, Tools, replace
from ..report.narrowing import narrow
from ..units.heads import Item, item_of, message_of


class WithoutTools(NamedTuple):
    """Messages without the tools that were taken out of them.

    Attributes:
        items: what is left of the messages.
        origins: for each its index in the document.
        tools: the document's, with those that were taken.
    """

    items: list[Item]
    origins: list[int]
    tools: Sequence[Tool]


def has_tools(item: Item) -> bool:
    """Whether a message declares tools."""
    content = item[1]
    return not isinstance(content, str) and any(isinstance(part, Tools) for part in content)


def take_tools(
    items: Sequence[Item], places: Collection[int], declared: Sequence[Tool] | None, log: Log, *, target: str
) -> WithoutTools:
    """Take tools out of messages. One that holds nothing else goes with them; each move is reported.

    Args:
        items: the messages.
        places: of those that have the tools; one at least.
        declared: the tools of the document; None where there is no word of any.
        log: takes what is moved.
        target: the format id.
    """
    remaining: list[Item] = []
    origins: list[int] = []
    tools = list(declared or ())
    for index, item in enumerate(items):
        rest = _without_tools(item, index, tools, log, target) if index in places else item
        if rest is not None:
            remaining.append(rest)
            origins.append(index)
    detail = "the tools of this message are declared once for the conversation"
    log.lose(LossCode.TOOLS_MOVED, "/tools", detail, Severity.LAYOUT)
    return WithoutTools(remaining, origins, tools)


def _without_tools(item: Item, index: int, tools: list[Tool], log: Log, target: str) -> Item | None:
    """A message without the tools in it, which are added to others; None where it has nothing else."""
    message, path = message_of(item), f"/messages/{index}"
    parts = parts_of(message.content)
    own = [part for part in parts if isinstance(part, Tools)]
    tools += (tool for part in own for tool in part.tools)
    alone, content = len(own) == len(parts), f"{path}/content"
    detail = "the tools of this message are declared outside it"
    log.lose(LossCode.TOOLS_MOVED, path if alone else content, detail, Severity.CHANGED)
    if alone:
        return None
    return item_of(replace(message, content=narrow(parts, (), content, log, target=target, hoisted=True)))
