"""Read Claude's exported chats: messages made of blocks, some of which name their parent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast

from ..fitting import as_list, items_of, members_of, objects_of
from ..layout import Document, Object, Wording
from ..pieces import Pieces
from ..trees import by_name, conversations, linked, rest, rest_with, role_of


def is_claude(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold the messages of an exported chat."""
    return all("sender" in members_of(each) for each in as_list(fields.get("chat_messages")) or [None])


def read_claude(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation for each branch; a single one if messages name no parents.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a message, or if no message has content; OCB-LIMIT if the tree is
            too large.
    """
    items = {f"/chat_messages/{at}": cast("Object", each) for at, each in enumerate(items_of(fields["chat_messages"]))}
    tree = linked(items, by_name(items, "uuid"), "parent_message_uuid")
    documents = conversations(tree, lambda item, place: _messages_of(item, place, wording), _metadata)
    return [document._replace(path=None) for document in documents] if len(documents) == 1 else documents


def _messages_of(item: Object, place: str, wording: Wording) -> list[Object]:
    """Return a chat message as messages of Chat Completions, block by block."""
    pieces = Pieces(role_of(item.get("sender"), wording, f"{place}/sender"))
    blocks = _blocks(item)
    for block in blocks:
        kind = block.get("type")
        if kind == "thinking":
            pieces.think(str(block.get("thinking") or ""))
        elif kind == "tool_use":
            pieces.call(str(block.get("name")), block.get("input"), block.get("id"))
        elif kind == "tool_result":
            content = block.get("content")
            pieces.result("" if content is None else content, block.get("tool_use_id"))
        else:
            pieces.say(str(block.get("text") or ""))
    attached = [] if blocks else [str(item.get("text") or "")]
    for text in (*attached, *(f"\n\n{each}" for each in _attachments(item))):
        pieces.say(text)
    return pieces.messages()


_READ_MEMBERS: Final = {
    "thinking": ("type", "thinking"),
    "tool_use": ("type", "name", "input", "id"),
    "tool_result": ("type", "tool_use_id", "content"),
    "text": ("type", "text"),
}
"""The members of blocks that their messages hold, by the type of the block."""


def _metadata(item: Object) -> Object:
    """Return the members of a message that are not read: its own, those of its blocks, and those of its attachments."""
    blocks = _blocks(item)
    whole = "".join(str(block["text"]) for block in blocks if block.get("type") == "text" and block.get("text"))
    known = ["sender", "content", "attachments", *(["text"] if not blocks or item.get("text") in (whole, "") else [])]
    apart = {
        "content": [rest(block, _READ_MEMBERS.get(str(block.get("type")), ("text",))) for block in blocks],
        "attachments": [rest(members_of(each), ("extracted_content",)) for each in items_of(item.get("attachments"))],
    }
    return rest_with(item, known, apart)


def _blocks(item: Object) -> list[Object]:
    return objects_of(item.get("content"))


def _attachments(item: Object) -> Iterator[str]:
    """Yield the texts of the files that are attached to a message."""
    for each in items_of(item.get("attachments")):
        text = members_of(each).get("extracted_content")
        if isinstance(text, str) and text:
            yield text
