"""A conversation as items: its messages become objects when someone looks at them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..chat.substance import characters
from ..loss import Finding
from ..model import Document, Transcript, replace
from ..model.ownership import fresh
from .heads import Item, item_of, message_of, messages_of
from .places import Label, Slots, with_labels

is_plain_id: Final = re.compile("[A-Za-z0-9_-]{1,64}").fullmatch
"""An id that every format takes."""


class ConversationPlan:
    """What conversations that are read alike have in common: all but their contents and ids.

    Args:
        items: each message, with the places of its content and its id among the conversation's values.
        around: the transcript without its messages. Nobody changes it.
        same: for each value that is an id, the first value that is the same id.
        lifted: as `Conversation` has it.
        findings: what is noticed of each of them.
        labels: the members of `around` that are values; a probe stands there for each.

    Attributes:
        items: as given.
        labels: as given.
        around: as given.
        same: as given.
        lifted: as given.
        findings: as given.
        plain: whether all messages are plain.
        uses: how many conversations were read by it.
    """

    __slots__ = (
        *("_beside", "_first", "_repeated", "_texts", "around", "findings", "items", "labels", "lifted"),
        *("plain", "same"),
        "uses",
    )

    def __init__(
        self,
        items: Sequence[Slots],
        around: Transcript,
        same: dict[int, int],
        lifted: int | None = None,
        findings: Sequence[Finding] = (),
        labels: Sequence[Label] = (),
    ) -> None:
        self.items: Final = items
        self.labels: Final = labels
        self.plain: Final = all(item.is_plain for item in items)
        self.around: Final = around
        self.same: Final = same
        self.lifted: Final = lifted
        self.findings: Final = findings
        self.uses = 0
        self._texts: Final = [number for item in items for number in item.texts]
        self._beside: int | None = None
        """How many characters there are beside the texts; None as long as nobody wanted to know."""
        self._first: Final = [slot for slot, first in same.items() if slot == first]
        self._repeated: Final = [(slot, first) for slot, first in same.items() if slot != first]

    def fits(self, values: Sequence[str]) -> bool:
        """Whether values stand to each other as in all conversations of this plan: ids are the same, or differ."""
        if not self._first:
            return True
        if any(values[slot] != values[first] for slot, first in self._repeated):
            return False
        ids = {values[slot] for slot in self._first}
        return len(ids) == len(self._first) and all(map(is_plain_id, ids))

    def items_of(self, values: Sequence[str]) -> list[Item]:
        """The messages of the conversation with some values."""
        return [item.item(values) for item in self.items]

    def around_of(self, values: Sequence[str]) -> Transcript:
        """What stands around the messages of the conversation with some values."""
        return with_labels(self.around, self.labels, values)

    def characters(self, values: Sequence[str]) -> int:
        """How many characters of what was said are in the conversation with some values."""
        if self._beside is None:
            # What stands beside a text counts where that is empty, and none of these is.
            self._beside = _characters(self.items_of(["x"] * len(values)), self.around) - len(self._texts)
        return self._beside + sum([len(values[number]) for number in self._texts])


class Conversation:
    """A transcript whose messages are items.

    Args:
        items: its messages; None where a plan and values tell them.
        around: the transcript without its messages; None where a plan and values tell it. It may be shared with other
            conversations, and is not changed.
        transcript: the whole, where it is known already.
        plan: what it has in common with others that were read alike; None where that is not known.
        values: its contents and ids, as the plan has them.
        lifted: where the message stood that declared the tools and said nothing else; it is none of the items.

    Attributes:
        plain: whether it is known that all messages were read by plans, so that they were understood.
        plan: as given.
        values: as given.
    """

    __slots__ = ("_around", "_items", "_transcript", "lifted", "plain", "plan", "values")

    def __init__(
        self,
        items: Sequence[Item] | None,
        around: Transcript | None,
        transcript: Transcript | None = None,
        *,
        plan: ConversationPlan | None = None,
        values: Sequence[str] = (),
        lifted: int | None = None,
    ) -> None:
        self._items = items
        self.lifted = lifted
        self._transcript = transcript
        self._around = around
        self.plain = plan is not None and plan.plain
        self.plan: Final = plan
        self.values: Final = values

    @property
    def around(self) -> Transcript:
        """The transcript without its messages."""
        if self._around is None:
            self._around = Transcript(()) if self.plan is None else self.plan.around_of(self.values)
        return self._around

    @around.setter
    def around(self, around: Transcript) -> None:
        self._around = around

    @property
    def items(self) -> Sequence[Item]:
        """Its messages."""
        if self._items is None:
            self._items = [] if self.plan is None else self.plan.items_of(self.values)
        return self._items

    @property
    def transcript(self) -> Transcript:
        """The whole transcript, which shares nothing with `around` that could be changed."""
        if self._transcript is None:
            self._transcript = replace(fresh(self.around), messages=messages_of(self.items))
        return self._transcript

    @property
    def characters(self) -> int:
        """How many characters of what was said are in it; a message that is a text and nothing else stays an item."""
        if self.plan is not None and self._items is None:
            return self.plan.characters(self.values)
        return _characters(self.items, self.around)


def _characters(items: Sequence[Item], around: Transcript) -> int:
    total = characters(around)
    for item in items:
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
