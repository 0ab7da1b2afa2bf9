"""What the Responses API can hold of a message, and what replies have to say of the calls that they answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.loss import Log
from ocml_bridge.memo import Memo
from ocml_bridge.model import Content, Foreign, Media, Message, Refusal, Text, Tools, replace
from ocml_bridge.narrowing import drop_message, narrow
from ocml_bridge.pairing import identified, pair, unnamed_replies
from ocml_bridge.turns import is_call
from ocml_bridge.units.heads import LIMIT, Head, Item, message_of, messages_of
from ocml_bridge.units.relations import paired_by_id
from ocml_bridge.visibility import is_private

from .calls import CUSTOM, is_custom, with_kind
from .form import notes_in
from .messages import declares_more_tools, has_unknown_phase
from .parts import can_hold
from .spelling import spelled
from .syntax import HOME

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
        drop_message(log, index, f"{HOME} would show what a message of this role says in private")
        return None
    if thought and message.channel != "analysis":
        message = replace(message, channel="analysis")
    if isinstance(content, str):
        return message
    path, own = f"/messages/{index}/content", declares_more_tools(message)
    if call or (thought and not any(isinstance(part, Text) and notes_in(part.extras) for part in content)):
        content = narrow(content, (), path, log, target=HOME, hoisted=True, private=thought)
    elif thought:
        content = _bare(narrow(content, (Text,), path, log, target=HOME, hoisted=True, private=True))
    else:
        holds = (Tools,) if own else _HOLDS
        content = narrow(content, holds, path, log, target=HOME, able=None if own else can_hold, hoisted=not own)
        content = _bare(content)
    return replace(message, content=content)


def _bare(content: Content) -> Content:
    """Parts whose texts keep only our own extras; one bare text alone is that text."""
    if isinstance(content, str):
        return content
    parts = tuple(
        Text(part.text) if isinstance(part, Text) and part.extras is not None and not notes_in(part.extras) else part
        for part in content
    )
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].extras is None:
        return parts[0].text
    return parts or ""


# --- replies ----------------------------------------------------------------------------------------------------------


def linked(items: Sequence[Item]) -> Sequence[Item]:
    """The items with ids for calls and replies that have none, unless one was read from the Responses API so."""
    return identified(items, HOME)


def with_kinds(items: Sequence[Item], kind: str = CUSTOM) -> Sequence[Item]:
    """The items; a reply to a custom tool's call, of which nothing says its type, has the layout of one of a type.

    Args:
        items: in order.
        kind: a custom tool's, where a document is written; a function's, where it is read: the reply is of that type.
    """
    if not any(head.calls and not head.promises_json for head, _, _ in items):
        return items
    pairs = paired_by_id(items)
    made: list[Item] = []
    for reply, call in (pair(messages_of(items)) if pairs is None else pairs).items():
        head, content, call_id = items[reply]
        answered = items[call] if call is not None else None
        if answered is None or answered[0].promises_json or not _is_custom(answered):
            continue
        bare = head.message("", None)
        if notes_in(bare.extras).get("type") or not notes_in(bare.layout).keys().isdisjoint(("kind", "merged")):
            continue
        made = made or list(items)
        made[reply] = (head.replaced(layout=with_kind(bare, kind).layout), content, call_id)
    return made or items


def _is_custom(item: Item) -> bool:
    call = nearest(message_of(item), 0, Log())
    return call is not None and not notes_in(call.extras).get("type") and is_custom(call)


def with_names(items: Sequence[Item]) -> Sequence[Item]:
    """The items; a reply whose name reading would not find by its call has the layout of one that says its name."""
    made: list[Item] = []
    for at in unnamed_replies(items, nearest, _image):
        made = made or list(items)
        made[at] = _saying_its_name(items[at])
    return made or items


def _image(message: Message) -> Message:
    """What a reply is read as, for itself."""
    return spelled([message]).image[0]


def _saying_its_name(item: Item) -> Item:
    """A reply with the layout of one that says its name."""
    head, content, call_id = item
    known = _named.get(head)
    if known is None or not isinstance(content, str):
        near = nearest(head.local(HOME).message(content, call_id), 0, Log())
        assert near is not None, "replies are not left out"
        (image,) = spelled([near], name=True).image
        known = head.replaced(layout=image.layout, extras=image.extras)
        if head.shared and isinstance(content, str):
            _named.keep(head, known)
    return known, content, call_id


_named: Final = Memo[Head, Head](LIMIT)
