"""Tools, which are declared behind the developer's text, or in a message of their own where there is none."""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Tools, Transcript, replace
from ocml_bridge.naming import name_difference
from ocml_bridge.report import unnamed
from ocml_bridge.text import developer
from ocml_bridge.text.declared import lifted
from ocml_bridge.text.typescript import declare
from ocml_bridge.transform import remaining
from ocml_bridge.turns import developer_place
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import Item, item_of, messages_of
from ocml_bridge.units.writer import TOOLS, Prepared

from .nearest import nearest
from .syntax import HOME


def with_tools(items: Sequence[Item], around: Transcript, log: Log) -> Prepared:
    """A document with its tools among its messages.

    Args:
        items: its messages.
        around: what stands around them; what is prepared has the tools there if they are in a message of their own.
        log: takes what is moved.
    """
    at = _place(items)
    if not _are_apart(items, at, around):
        return _merged(replace(around, messages=messages_of(items)), log)
    if not around.tools:
        return Prepared(items, around)
    section = declare(around.tools)
    if section is None or len(section[1]) != len(around.tools) or declare(section[1]) != section:
        return _merged(replace(around, messages=messages_of(items)), log)
    message = item_of(Message("developer", section[0]))
    origins = [*range(at), TOOLS, *range(at, len(items))]
    return Prepared([*items[:at], message, *items[at:]], replace(around, tools=section[1]), origins)


def _place(items: Sequence[Item]) -> int:
    """Where the message with the tools stands: behind the leading system messages."""
    return next((at for at, (head, _, _) in enumerate(items) if head.role != "system"), len(items))


def _are_apart(items: Sequence[Item], at: int, around: Transcript) -> bool:
    """Whether no message holds tools, or takes them in, or may be read as their declaration."""
    if at < len(items) and items[at][0].role == "developer":
        content = items[at][1]
        if around.tools or not isinstance(content, str) or developer.SECTION in content:
            return False
    contents = [content for _, content, _ in items if not isinstance(content, str)]
    return not any(isinstance(part, Tools) for content in contents for part in content)


def _merged(document: Transcript, log: Log) -> Prepared:
    """A document with its tools behind the developer's text, or as the text reads that stands there."""
    messages = [nearest(message, f"/messages/{index}", log) for index, message in enumerate(document.messages)]
    # A developer's message without text may be nothing but the place of the tools: what it loses shows nowhere else.
    emptied = tuple(
        near if near.role == "developer" and near.content == "" else message
        for message, near in zip(document.messages, messages, strict=True)
    )
    differences = unnamed(document, replace(document, messages=emptied), log.losses)
    log.losses += [name_difference(each, HOME) for each in differences]
    image = developer.fit(replace(document, messages=tuple(messages)), log, lenient=False)
    items, origins = list(map(item_of, developer.spell(image))), remaining(len(messages), log.losses)
    if len(items) == len(origins):
        return Prepared(items, replace(document, messages=(), tools=None), origins)
    origins.insert(developer_place(image.messages), TOOLS)
    return Prepared(items, replace(document, messages=(), tools=image.tools), origins)


def without_tools(items: list[Item], around: Transcript) -> Conversation:
    """What is read of a document that `with_tools` prepared: the tools are apart from its messages again."""
    if around.tools is not None:
        del items[_place(items)]
        return Conversation(items, around)
    found = lifted(items, lenient=False)
    return Conversation(found.items, replace(around, tools=found.tools))
