"""Read Grok's exported chats: a list of them, each with its responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..fitting import members_of, objects_of
from ..layout import Document, Object, Wording, misshapen
from ..pieces import Pieces
from ..trees import by_name, conversations, linked, rest, role_of

CHATS: Final = "conversations"
_THOUGHT: Final = "thinking_trace"
_CHAT: Final = "conversation"


def are_grok(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold chats, one of which has a response."""
    chats = objects_of(fields.get(CHATS))
    if not all(_CHAT in each and "responses" in each for each in chats):
        return False
    return any(each.get("message") for chat in chats for each in _responses(chat))


def _responses(chat: Object) -> list[Object]:
    return [members_of(each.get("response")) for each in objects_of(chat.get("responses"))]


def read_grok(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation for each branch of each chat, with the chat beside it.

    Chats without messages are beside the first conversation.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a message, or if no message has content; OCB-LIMIT if a tree is too
            large.
    """
    documents: list[Document] = []
    silent: list[Json] = []
    for number, chat in enumerate(objects_of(fields[CHATS])):
        place = f"/{CHATS}/{number}"
        items = {f"{place}/responses/{at}": each for at, each in enumerate(_responses(chat)) if each.get("message")}
        if items:
            tree = linked(items, by_name(items, "_id"), "parent_response_id")
            found = conversations(tree, lambda item, at: _messages_of(item, at, wording), _metadata)
            found = [found[0]._replace(path=place)] if len(found) == 1 else found
            documents += [each._replace(extra_columns={**each.extra_columns, **chat}) for each in found]
        else:
            silent.append(chat)
    if not documents:
        raise misshapen(f"/{CHATS}", "chats of which one has a response with a text")
    more: Object = {CHATS: silent} if silent else {}
    return [documents[0]._replace(extra_columns={**documents[0].extra_columns, **more}), *documents[1:]]


def _messages_of(item: Object, place: str, wording: Wording) -> list[Object]:
    pieces = Pieces(role_of(item.get("sender"), wording, f"{place}/sender"))
    if isinstance(item.get(_THOUGHT), str) and item[_THOUGHT]:
        pieces.think(item[_THOUGHT])
    pieces.say(str(item["message"]))
    return pieces.messages()


def _metadata(item: Object) -> Object:
    return rest(item, ("sender", "message", *([_THOUGHT] if isinstance(item.get(_THOUGHT), str) else [])))
