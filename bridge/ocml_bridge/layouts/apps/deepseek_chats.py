"""Read DeepSeek's exported chats: a mapping of messages in fragments, each of which names its parent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..fitting import as_object, members_of, objects_of
from ..layout import Document, Object, Wording
from ..pieces import Pieces
from ..trees import conversations, rest, rest_with
from .chatgpt import is_chatgpt, others_of, tree_of_mapping

_QUESTION: Final = "REQUEST"
_TEXTS: Final = (_QUESTION, "RESPONSE", "TEXT")
_REASONING: Final = "THINK"


def is_deepseek(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold the mapping of an exported chat whose messages are in fragments."""
    if not is_chatgpt(fields, wording):
        return False
    messages = [as_object(members_of(node).get("message")) for node in fields["mapping"].values()]
    present = [message for message in messages if message is not None]
    return bool(present) and all("fragments" in message and "author" not in message for message in present)


def read_deepseek(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation for each branch.

    Raises:
        BridgeError: OCB-SHAPE if a node is not connected to a root; OCB-LIMIT if the tree is too large.
    """
    return conversations(tree_of_mapping(fields), _messages_of, _metadata)


def _messages_of(node: Object, _place: str) -> list[Object]:
    """Return the messages of a node: the user's, or the assistant's with its reasoning."""
    fragments = _fragments(node)
    pieces = Pieces("user" if any(each.get("type") == _QUESTION for each in fragments) else "assistant")
    for each in fragments:
        text = each.get("content")
        if not isinstance(text, str):
            continue
        if each.get("type") == _REASONING:
            pieces.think(text)
        elif each.get("type") in _TEXTS:
            pieces.say(text)
    return pieces.messages()


def _metadata(node: Object) -> Object:
    """Return the members of a node that its messages do not hold, and fragments without text, such as searches."""
    fragments = [
        rest(each, ("type", "content")) if each.get("type") in (*_TEXTS, _REASONING) else each
        for each in _fragments(node)
    ]
    message = rest_with(members_of(node.get("message")), ("fragments",), {"fragments": fragments})
    return {**others_of(node), **message}


def _fragments(node: Object) -> list[Object]:
    return objects_of(members_of(node.get("message")).get("fragments"))
