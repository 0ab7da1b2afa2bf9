"""Messages of plans: items that have, in place of contents and ids, indices among the values of a unit or conversation.

The values are a list of texts. A plan says which message each of them belongs to; filling it gives items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..model import Content, Part, Text, Transcript, replace
from ..model.ownership import fresh
from .heads import ExtraText, Head, Item

NONE: Final = -1
"""The index of a content that is an empty text, and of a call id if there is none."""


class Parts(NamedTuple):
    """The place of a content of several parts: some of their texts and addresses are values.

    Attributes:
        parts: all parts, with placeholders. They are never changed.
        texts: for each text that is a value: the index of its part, and the index of the value.
        media: for each address, or data, of a medium that is a value: the index of its part, the name of its field, and
            the index of the value.
    """

    parts: tuple[Part, ...]
    texts: tuple[tuple[int, int], ...]
    media: tuple[tuple[int, str, int], ...] = ()

    def with_values(self, values: Sequence[str]) -> tuple[Part, ...]:
        """Return the content with values in it, as new parts."""
        parts = fresh(self.parts)
        for index, number in self.texts:
            part = parts[index]
            assert isinstance(part, Text)
            part.text = values[number]
        for index, field, number in self.media:
            setattr(parts[index], field, values[number])
        return parts

    def shifted(self, count: int) -> Parts:
        """Return the same place among values that have `count` others before them."""
        texts = tuple([(index, number + count) for index, number in self.texts])
        return Parts(self.parts, texts, tuple([(index, field, number + count) for index, field, number in self.media]))


Place = int | str | Parts
"""Where a content comes from: the index of a value (`NONE`: an empty text), a fixed text, or parts."""


LABEL_LENGTHS: Final[Mapping[type[str] | type[int], range]] = {str: range(1, 201), int: range(1, 16)}
"""How long a label may be, in characters or digits, by its type; a longer one stays in the envelope."""


class Label(NamedTuple):
    """A member of the extras around the messages that is a value: a text, or a whole number, such as a request's id.

    Attributes:
        home: the id of the format whose extras have the member.
        key: of the member.
        number: its index among the values.
        encode: converts the value, a text, to the member.
    """

    home: str
    key: str
    number: int
    encode: type[str] | type[int]


def with_labels(around: Transcript, labels: Sequence[Label], values: Sequence[str]) -> Transcript:
    """Return what stands around messages, with values in place of the labels."""
    if not labels:
        return around
    extras = {home: {**members} for home, members in (around.extras or {}).items()}
    for home, key, number, encode in labels:
        extras[home][key] = encode(values[number])
    return replace(around, extras=extras)


class PlannedItem(NamedTuple):
    """A message of a plan: its head, and the places of its content and its id among the values.

    Attributes:
        head: of the message.
        content: the place of its content.
        call_id: the index of its call id; `NONE` if it has none.
        extra_texts: the texts in its extras, and the signature, that are values.
    """

    head: Head
    content: Place
    call_id: int
    extra_texts: tuple[ExtraText, ...] = ()

    def with_values(self, values: Sequence[str]) -> Item:
        """Return the message with values in it."""
        head, place, call_id, extra_texts = self
        if extra_texts:
            head = head.with_extra_texts(extra_texts, values)
        content: Content
        if isinstance(place, int):
            content = values[place] if place >= 0 else ""
        else:
            content = place if isinstance(place, str) else place.with_values(values)
        return head, content, values[call_id] if call_id >= 0 else None

    def shifted(self, count: int) -> PlannedItem:
        """Return the same message among values that have `count` others before them."""
        head, place, call_id, extra_texts = self
        if isinstance(place, int):
            place = place + count if place >= 0 else NONE
        elif isinstance(place, Parts):
            place = place.shifted(count)
        extra_texts = tuple([ExtraText(path, number + count) for path, number in extra_texts])
        return PlannedItem(head, place, call_id + count if call_id >= 0 else NONE, extra_texts)

    @property
    def is_plain(self) -> bool:
        """Whether all text of the message is in a content that is one text: no parts, and no text in its extras."""
        return not isinstance(self.content, Parts) and not (self.content == NONE and self.head.has_extras)

    @property
    def numbers(self) -> list[int]:
        """The indices of all values in the message."""
        numbers = [*self.texts, *self.media, *[text.number for text in self.extra_texts]]
        return numbers if self.call_id < 0 else [*numbers, self.call_id]

    @property
    def media(self) -> dict[int, str]:
        """The indices of values that are addresses or data of media, each with the address or data in `parts`."""
        place = self.content
        if not isinstance(place, Parts):
            return {}
        return {number: getattr(place.parts[index], field) for index, field, number in place.media}

    @property
    def texts(self) -> Sequence[int]:
        """The indices of values that are its content, or texts among its parts."""
        if isinstance(self.content, int):
            return [self.content] if self.content >= 0 else []
        return [number for _, number in self.content.texts] if isinstance(self.content, Parts) else []
