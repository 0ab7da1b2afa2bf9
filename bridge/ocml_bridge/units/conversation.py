"""A conversation as items: its messages become objects when someone looks at them."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Document, Transcript, replace
from ..ownership import fresh
from ..substance import characters
from .heads import Item, item_of, message_of, messages_of


class Conversation:
    """A transcript whose messages are items.

    Args:
        items: its messages.
        around: the transcript without its messages. It may be shared with other conversations, and is not changed.
        transcript: the whole, where it is known already.

    Attributes:
        plain: whether it is known that all messages were read by plans, so that they were understood.
    """

    __slots__ = ("_transcript", "around", "items", "plain")

    def __init__(self, items: Sequence[Item], around: Transcript, transcript: Transcript | None = None) -> None:
        self.items = items
        self.around = around
        self._transcript = transcript
        self.plain = False

    @property
    def transcript(self) -> Transcript:
        """The whole transcript, which shares nothing with `around` that could be changed."""
        if self._transcript is None:
            self._transcript = replace(fresh(self.around), messages=messages_of(self.items))
        return self._transcript

    @property
    def characters(self) -> int:
        """How many characters of what was said are in it; a message that is a text and nothing else stays an item."""
        total = characters(self.around)
        for item in self.items:
            head, content, _ = item
            if isinstance(content, str) and not head.has_extras:
                total += len(content)
            else:
                total += characters(Transcript((message_of(item),)))
        return total


def conversation_of(transcript: Transcript) -> Conversation:
    """A transcript as a conversation."""
    return Conversation(list(map(item_of, transcript.messages)), replace(transcript, messages=()), transcript)


def whole(document: Document | Conversation) -> Document:
    """A document whose messages are objects."""
    return document.transcript if isinstance(document, Conversation) else document
