"""Read Open Assistant's trees: messages with their replies."""

from __future__ import annotations

from collections.abc import Sequence

from ..fitting import members_of
from ..layout import Document, Object, Wording, misshapen
from ..messages import message
from ..trees import conversations, nested, rest, role_of


def is_oasst(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a message with replies."""
    root = members_of(fields.get("prompt"))
    return isinstance(root.get("text"), str) and isinstance(root.get("role"), str)


def read_oasst(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation for each message without a reply: the path to it.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a message; OCB-LIMIT if the tree is too large.
    """

    def messages_of(node: Object, place: str) -> list[Object]:
        if not isinstance(node.get("text"), str):
            raise misshapen(place, "a message with 'text', 'role' and 'replies'")
        return [message(role_of(node.get("role"), wording, place), node["text"])]

    tree = nested({"/prompt": fields["prompt"]}, "replies")
    return conversations(tree, messages_of, lambda node: rest(node, ("text", "role", "replies")))
