"""Read Grok's exported chats: a list of them, each with its responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .fitting import as_object, objects_of
from .layout import Document, Object, Wording
from .pieces import Pieces
from .trees import conversations, linked, rest, role_of

CHATS: Final = "conversations"
_THOUGHT: Final = "thinking_trace"
_CHAT: Final = "conversation"


def are_grok(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold chats, one of which has a response."""
    chats = objects_of(fields.get(CHATS))
    return all(_CHAT in each and "responses" in each for each in chats) and any(map(_responses, chats))


def _responses(chat: Object) -> list[Object]:
    return [as_object(each.get("response")) or {} for each in objects_of(chat.get("responses"))]


def read_grok(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation for each branch of each chat.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a message, or if no message has content; OCB-LIMIT if a tree is too
            large.
    """
    documents: list[Document] = []
    for number, chat in enumerate(objects_of(fields[CHATS])):
        place = f"/{CHATS}/{number}"
        items = {f"{place}/responses/{at}": each for at, each in enumerate(_responses(chat)) if each.get("message")}
        names = {item["_id"]: place for place, item in items.items() if isinstance(item.get("_id"), str)}
        if items:
            tree = linked(items, names, "parent_response_id")
            found = conversations(tree, lambda item, at: _messages_of(item, at, wording), _metadata)
            found = [found[0]._replace(path=place)] if len(found) == 1 else found
            documents += [each._replace(extra_columns={**each.extra_columns, _CHAT: chat[_CHAT]}) for each in found]
    return documents


def _messages_of(item: Object, place: str, wording: Wording) -> list[Object]:
    pieces = Pieces(role_of(item.get("sender"), wording, f"{place}/sender"))
    if isinstance(item.get(_THOUGHT), str) and item[_THOUGHT]:
        pieces.think(item[_THOUGHT])
    pieces.say(str(item["message"]))
    return pieces.messages()


def _metadata(item: Object) -> Object:
    return rest(item, ("sender", "message", *([_THOUGHT] if isinstance(item.get(_THOUGHT), str) else [])))
