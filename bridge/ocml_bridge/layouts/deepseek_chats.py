"""DeepSeek's exported chats: a mapping of messages in fragments, each with the one before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .chatgpt import is_chatgpt, mapped
from .fitting import as_object, objects_of
from .layout import Document, Object, Wording
from .pieces import Pieces
from .trees import conversations, rest

_ASKS: Final = "REQUEST"
_SAYS: Final = (_ASKS, "RESPONSE", "TEXT")
_THINKS: Final = "THINK"


def is_deepseek(fields: Object, wording: Wording) -> bool:
    """Whether the mapping of an exported chat stands there, whose messages are in fragments."""
    if not is_chatgpt(fields, wording):
        return False
    messages = [as_object((as_object(node) or {}).get("message")) for node in fields["mapping"].values()]
    spoken = [message for message in messages if message is not None]
    return bool(spoken) and all("fragments" in message and "author" not in message for message in spoken)


def read_deepseek(fields: Object, wording: Wording) -> Sequence[Document]:
    """A conversation for each branch.

    Raises:
        BridgeError: OCB-SHAPE for a tree whose nodes do not hang together; OCB-LIMIT for one too large.
    """
    return conversations(mapped(fields), _messages_of, _about)


def _messages_of(node: Object, _place: str) -> list[Object]:
    """The messages of a node: what a person asks, or what the assistant thinks and says."""
    fragments = _fragments(node)
    pieces = Pieces("user" if any(each.get("type") == _ASKS for each in fragments) else "assistant")
    for each in fragments:
        text = each.get("content")
        if not isinstance(text, str):
            continue
        if each.get("type") == _THINKS:
            pieces.think(text)
        elif each.get("type") in _SAYS:
            pieces.say(text)
    return pieces.messages()


def _about(node: Object) -> Object:
    """What else a node says: of its message, and in fragments that are no text, such as those of a search."""
    fragments = [
        rest(each, ("type", "content")) if each.get("type") in (*_SAYS, _THINKS) else each for each in _fragments(node)
    ]
    message = rest(as_object(node.get("message")) or {}, ("fragments",))
    return {**message, **({"fragments": fragments} if any(fragments) else {})}


def _fragments(node: Object) -> list[Object]:
    return objects_of((as_object(node.get("message")) or {}).get("fragments"))
