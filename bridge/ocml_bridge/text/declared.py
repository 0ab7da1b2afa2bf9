"""Move tools that are declared inside messages to the document, for text formats that declare tools only there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..chat.turns import parts_of
from ..loss import Log, LossCode, Severity
from ..model import Tool, Tools, replace
from ..report.narrowing import narrow
from ..units.heads import Item, item_of, message_of


class WithoutTools(NamedTuple):
    """The messages without the tools in them.

    Attributes:
        items: the messages that are left.
        origins: the index of each of them in the document.
        tools: the tools of the document and those of the messages.
    """

    items: list[Item]
    origins: list[int]
    tools: Sequence[Tool]


def take_tools(
    items: Sequence[Item], places: Collection[int], declared: Sequence[Tool] | None, log: Log, *, target: str
) -> WithoutTools:
    """Take tools out of messages, and report each move. A message that contains nothing else is removed.

    Args:
        items: the messages.
        places: the indexes of the messages that declare tools; at least one.
        declared: the tools of the document; None if it declares none.
        log: receives the losses.
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
    """Return a message without the tools in it, or None if it has nothing else; append its tools to `tools`."""
    message, path = message_of(item), f"/messages/{index}"
    parts = parts_of(message.content)
    declarations = [part for part in parts if isinstance(part, Tools)]
    tools += (tool for part in declarations for tool in part.tools)
    only_tools, content = len(declarations) == len(parts), f"{path}/content"
    detail = "the tools of this message are declared outside it"
    log.lose(LossCode.TOOLS_MOVED, path if only_tools else content, detail, Severity.CHANGED)
    if only_tools:
        return None
    return item_of(replace(message, content=narrow(parts, (), content, log, target=target, hoisted=True)))
