"""Read chats of text-generation-webui: pairs of texts as the model has them, and as the user sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..exchange import HISTORY, is_history
from ..fitting import items_of
from ..history import read_history
from ..layout import Document, Object, Wording
from ..messages import request

INTERNAL: Final = "internal"
VISIBLE: Final = "visible"
_GREETING: Final = "<|BEGIN-VISIBLE-CHAT|>"
"""The question in the pair of the greeting, which nobody asked."""


def is_chat(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold pairs for the model and for the user."""
    pairs = (items_of(fields.get(INTERNAL)), items_of(fields.get(VISIBLE)))
    return len(pairs[0]) == len(pairs[1]) and all(is_history({HISTORY: each}, wording) for each in pairs)


def read_chat(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the model; an empty text is no message.

    Raises:
        BridgeError: OCB-SHAPE if an item is not a pair.
    """
    pairs: list[Json] = [
        [None if text in ("", _GREETING) else text for text in items_of(pair)] for pair in items_of(fields[INTERNAL])
    ]
    return [Document(request(read_history(pairs, wording, f"/{INTERNAL}"), None))]
