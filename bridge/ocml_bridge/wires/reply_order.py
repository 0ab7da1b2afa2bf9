"""Where an API requires replies: directly after their calls. Its own documents that break this keep their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ..model import Transcript, replace
from ..model.notes import Notes
from ..units.conversation import Conversation
from ..units.heads import Item

_ORDER: Final = "order"
_KEPT: Final = "kept"
"""The layout of a document whose replies are not where the API requires them, so that they are not moved."""


class ReplyOrder(NamedTuple):
    """The order of replies in an API's requests.

    Attributes:
        notes: the notes of its format.
        required: returns the indices of messages in the order that the API requires; None if they are in it.
    """

    notes: Notes
    required: Callable[[Sequence[Item]], Sequence[int] | None]

    def of(self, conversation: Conversation) -> Sequence[int] | None:
        """Return the order in which a conversation is written; None if it stays as it is."""
        is_kept = self.notes.of(conversation.around.layout).get(_ORDER) == _KEPT
        return None if is_kept else self.required(conversation.items)

    def with_own_order(self, around: Transcript) -> Transcript:
        """Return what stands around messages whose order is kept, though the API requires another one."""
        return replace(around, layout=self.notes.adding(around.layout, {_ORDER: _KEPT}))
