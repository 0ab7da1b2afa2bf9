"""Conversations as items: the objects of their messages are built when they are first needed.

A conversation that was read by a plan has just the plan and its values; the items and messages follow from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..chat.substance import characters
from ..loss import OF_RELATIONS, Finding
from ..model import Document, Transcript, replace
from ..model.ownership import fresh
from .call_ids import ID_LENGTHS, is_plain_id, made_up_id
from .heads import Item, item_of, message_of, messages_of
from .long_texts import lengths_like
from .planned_items import LABEL_LENGTHS, Label, PlannedItem, with_labels


class ConversationPlan:
    """All that conversations with the same cache key have in common: everything but their contents and ids.

    Args:
        items: the messages, with the places of contents and ids among the values of the conversation.
        around: the transcript without its messages. It is never changed.
        ids: for each value that is an id, the index of the first value that is the same id.
        declaration_at: as in `Conversation`.
        findings: the findings of each such conversation.
        labels: the members of `around` that are values; `around` has probes in their places.

    Attributes:
        items: as given.
        labels: as given.
        around: as given.
        ids: as given.
        declaration_at: as given.
        findings: as given.
        is_of_format: whether the findings leave no doubt that a text is in its format (`OF_RELATIONS`).
        plain: whether all messages are plain (`PlannedItem.is_plain`).
        uses: how many conversations were read by the plan.
    """

    __slots__ = (
        *("_first_ids", "_made_up_ids", "_other_characters", "_repeated_ids", "_texts"),
        *("around", "findings", "ids", "is_of_format", "items", "labels", "declaration_at", "plain", "uses"),
    )

    def __init__(
        self,
        items: Sequence[PlannedItem],
        around: Transcript,
        ids: dict[int, int],
        declaration_at: int | None = None,
        findings: Sequence[Finding] = (),
        labels: Sequence[Label] = (),
    ) -> None:
        self.items: Final = items
        self.labels: Final = labels
        self.plain: Final = all(item.is_plain for item in items)
        self.around: Final = around
        self.ids: Final = ids
        self.declaration_at: Final = declaration_at
        self.findings: Final = findings
        self.is_of_format: Final = all(finding.code in OF_RELATIONS for finding in findings)
        self.uses = 0
        self._texts: Final = [number for item in items for number in item.texts]
        self._other_characters: int | None = None
        """How many characters of `characters` are not in values; None until it is needed."""
        self._first_ids: Final = [number for number, first in ids.items() if number == first]
        self._repeated_ids: Final = [(number, first) for number, first in ids.items() if number != first]
        lacks_ids = any((item.head.calls or item.head.role == "tool") and item.call_id < 0 for item in items)
        self._made_up_ids: Final = {made_up_id(at + 1) for at in range(len(items))} if ids and lacks_ids else set[str]()
        """The ids that a writer may make up; no id of the conversation may be one of them."""

    def fits(self, values: Sequence[str]) -> bool:
        """Return whether the plan is valid for values: the same ids are equal, and all are plain (`is_plain_id`).

        If some calls or replies have no id, none of the ids may be one that a writer would make up for them.
        """
        if not self._first_ids:
            return True
        for number, first in self._repeated_ids:
            if values[number] != values[first]:
                return False
        ids = {values[number] for number in self._first_ids}
        are_distinct = len(ids) == len(self._first_ids) and ids.isdisjoint(self._made_up_ids)
        return are_distinct and all(map(is_plain_id, ids))

    @property
    def has_numbers(self) -> bool:
        """Whether a label is a number."""
        return any(label.encode is int for label in self.labels)

    def variable(self, values: Sequence[str]) -> dict[int, range | None]:
        """Return the indices of those values that may be any other text; for all but contents, the lengths it may have.

        An address, or the data of a medium, is not among them: its kind matters.

        Args:
            values: of one conversation.
        """
        extra = [text.number for item in self.items for text in item.extra_texts]
        return {
            **dict.fromkeys(self._texts),
            **dict.fromkeys(self.ids, ID_LENGTHS),
            **{number: lengths_like(values[number]) for number in extra},
            **{label.number: LABEL_LENGTHS[label.encode] for label in self.labels},
        }

    def items_of(self, values: Sequence[str]) -> list[Item]:
        """Return the messages of the conversation with these values."""
        return [item.with_values(values) for item in self.items]

    def around_of(self, values: Sequence[str]) -> Transcript:
        """Return what stands around the messages of the conversation with these values."""
        return with_labels(self.around, self.labels, values)

    def characters(self, values: Sequence[str]) -> int:
        """Return how many characters the messages of the conversation with these values say (`chat.substance`)."""
        if self._other_characters is None:
            # Text in extras counts only if the content is empty. No value is empty, so any content serves.
            self._other_characters = _characters(self.items_of(["x"] * len(values)), self.around) - len(self._texts)
        return self._other_characters + sum([len(values[number]) for number in self._texts])


class Conversation:
    """A transcript whose messages are items.

    Args:
        items: its messages; None to build them from plan and values.
        around: the transcript without its messages; None to build it from plan and values. It may be shared with other
            conversations and is never changed.
        transcript: the whole transcript, if there is one already.
        plan: the plan by which it was read; None if it was read without one.
        values: its contents and ids, in the order of the plan.
        declaration_at: the index at which the document had a message that declared the tools and had nothing else;
            that message is not among the items.

    Attributes:
        plain: whether all messages were read by plans and are plain (`PlannedItem.is_plain`).
        plan: as given.
        values: as given.
    """

    __slots__ = ("_around", "_items", "_transcript", "declaration_at", "plain", "plan", "values")

    def __init__(
        self,
        items: Sequence[Item] | None,
        around: Transcript | None,
        transcript: Transcript | None = None,
        *,
        plan: ConversationPlan | None = None,
        values: Sequence[str] = (),
        declaration_at: int | None = None,
    ) -> None:
        self._items = items
        self.declaration_at = declaration_at
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
        """The whole transcript; it shares no mutable value with `around`."""
        if self._transcript is None:
            self._transcript = replace(fresh(self.around), messages=messages_of(self.items))
        return self._transcript

    @property
    def characters(self) -> int:
        """How many characters its messages say (`chat.substance`)."""
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
    """Return a transcript as a conversation."""
    return Conversation(list(map(item_of, transcript.messages)), replace(transcript, messages=()), transcript)


def whole(document: Document | Conversation) -> Document:
    """Return a document, with the transcript of a conversation in place of it."""
    return document.transcript if isinstance(document, Conversation) else document
