"""What the Responses API can hold of a message, and what replies have to say of the calls that they answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.chat.turns import as_text, is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.loss import Log
from ocml_bridge.model import Foreign, Media, Message, Part, Refusal, Text, Tool, Tools, replace
from ocml_bridge.report.narrowing import drop_private, fitted, narrow, with_own_extras
from ocml_bridge.units.heads import Item, message_of
from ocml_bridge.units.pairing import NamedReplies, identified, links_of, pair
from ocml_bridge.units.relations import paired_by_id
from ocml_bridge.wires.freeform import custom_calls

from .calls import CUSTOM, is_custom, with_kind
from .messages import declares_more_tools, has_unknown_phase
from .parts import TABLE, can_hold
from .spelling import is_merged, spelled
from .syntax import HOME, NOTES

_HOLDS: Final = (Text, Media, Foreign, Refusal)


def nearest(message: Message, index: int, log: Log) -> Message | None:
    """A message with what its content can be: text in thoughts and calls, parts that we know elsewhere.

    Args:
        message: any.
        index: its index in the document.
        log: takes what is lost.
    """
    content, call = message.content, message.role == "assistant" and is_call(message)
    thought = not call and is_private(message) and not has_unknown_phase(message)
    if thought and message.role != "assistant":
        drop_private(log, index, HOME)
        return None
    if thought and message.channel != "analysis":
        message = replace(message, channel="analysis")
    if isinstance(content, str):
        return message
    path, own = f"/messages/{index}/content", declares_more_tools(message)
    if call or (thought and not _is_text_with_more(content)):
        content = narrow(content, (), path, log, target=HOME, hoisted=True, private=thought)
    elif thought:
        content = with_own_extras(narrow(content, (Text,), path, log, target=HOME, hoisted=True, private=True), HOME)
    else:
        holds = (Tools,) if own else _HOLDS
        table = TABLE if message.role == "assistant" else None
        able = None if own else can_hold
        content = fitted(content, holds, path, log, target=HOME, able=able, citations=table, hoisted=not own)
    return replace(message, content=content)


def _is_text_with_more(content: Sequence[Part]) -> bool:
    """Whether content is one text with something that has a place beside it; several would be several thoughts."""
    texts = [part for part in content if isinstance(part, Text) or as_text(part) is not None]
    text = texts[0] if len(texts) == 1 else None
    return isinstance(text, Text) and bool(NOTES.of(text.extras) or text.cache or text.citations)


# --- replies ----------------------------------------------------------------------------------------------------------


def linked(items: Sequence[Item]) -> Sequence[Item]:
    """The items with ids for calls and replies that have none, unless one was read from the Responses API so."""
    return identified(items, HOME)


def with_call_types(items: Sequence[Item], tools: Sequence[Tool] | None) -> Sequence[Item]:
    """The items; a call to a tool that is declared as a custom one has the layout of a custom tool's call."""
    made: list[Item] = []
    for at in custom_calls(items, tools):
        head, content, call_id = items[at]
        bare = head.message("", None)
        if NOTES.of(bare.extras).get("type") or not NOTES.of(bare.layout).keys().isdisjoint(("kind", "merged")):
            continue
        made = made or list(items)
        made[at] = (head.replaced(layout=with_kind(bare, CUSTOM).layout), content, call_id)
    return made or items


def with_reply_types(items: Sequence[Item], kind: str = CUSTOM) -> Sequence[Item]:
    """The items; a reply to a custom tool's call, of which nothing says its type, has the layout of one of a type.

    Args:
        items: in order.
        kind: a custom tool's, where a document is written; a function's, where it is read: the reply is of that type.
    """
    if not any(head.calls and not head.promises_json for head, _, _ in items):
        return items
    pairs = paired_by_id(items)
    made: list[Item] = []
    for reply, call in (pair(links_of(items)) if pairs is None else pairs).items():
        head, content, call_id = items[reply]
        answered = items[call] if call is not None else None
        if answered is None or answered[0].promises_json or not _is_custom(answered):
            continue
        bare = head.message("", None)
        if NOTES.of(bare.extras).get("type") or not NOTES.of(bare.layout).keys().isdisjoint(("kind", "merged")):
            continue
        made = made or list(items)
        made[reply] = (head.replaced(layout=with_kind(bare, kind).layout), content, call_id)
    return made or items


def _is_custom(item: Item) -> bool:
    call = nearest(message_of(item), 0, Log())
    return call is not None and not NOTES.of(call.extras).get("type") and is_custom(call)


with_names: Final = NamedReplies(
    HOME,
    nearest,
    image=lambda message: message if is_merged(message) else spelled([message]).image[0],
    named=lambda message: spelled([message], name=True).image[0],
)
"""The items; a reply whose name reading would not find by its call has the layout of one that says its name."""
