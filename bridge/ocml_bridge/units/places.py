"""Where contents and ids stand among the values of a unit or a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..model import Content, Part, Text, Transcript, replace
from ..model.ownership import fresh
from .heads import Head, Item, OwnText

NONE: Final = -1
"""Stands for the place of a content that is an empty text, and of an id that is not there."""


class Parts(NamedTuple):
    """A content of several parts, some of whose texts and addresses are values.

    Attributes:
        parts: all of them. Nobody changes them.
        slots: for each text that is a value the index of its part, and which of the values it is.
        media: for each medium whose address, or data, is a value: the index of its part, its field, and which it is.
    """

    parts: tuple[Part, ...]
    slots: tuple[tuple[int, int], ...]
    media: tuple[tuple[int, str, int], ...] = ()

    def filled(self, values: Sequence[str]) -> tuple[Part, ...]:
        """The content with some values: new parts."""
        parts = fresh(self.parts)
        for index, number in self.slots:
            part = parts[index]
            assert isinstance(part, Text)
            part.text = values[number]
        for index, field, number in self.media:
            setattr(parts[index], field, values[number])
        return parts

    def behind(self, count: int) -> Parts:
        """The same where so many other values stand before."""
        slots = tuple([(index, number + count) for index, number in self.slots])
        return Parts(self.parts, slots, tuple([(index, field, number + count) for index, field, number in self.media]))


Place = int | str | Parts
"""Which of the values a content is, or the parts that it has; -1 for an empty text. A text is the content itself."""


class Label(NamedTuple):
    """A member around the messages that only one format has, and that is a value: a text, or a whole number.

    Attributes:
        home: the format's id.
        key: of the member.
        number: which of the values it is.
        encode: makes the member of the value.
    """

    home: str
    key: str
    number: int
    encode: type[str] | type[int]


def with_labels(around: Transcript, labels: Sequence[Label], values: Sequence[str]) -> Transcript:
    """What stands around messages, with labels of some values."""
    if not labels:
        return around
    extras = {home: {**members} for home, members in (around.extras or {}).items()}
    for home, key, number, encode in labels:
        extras[home][key] = encode(values[number])
    return replace(around, extras=extras)


class Slots(NamedTuple):
    """A message as its head, and where its content and its id stand.

    Attributes:
        head: of the message.
        content: the place of its content.
        call_id: which of the values its id is; -1 for none.
        own: the texts of its format's own that are values.
    """

    head: Head
    content: Place
    call_id: int
    own: tuple[OwnText, ...] = ()

    def item(self, values: Sequence[str]) -> Item:
        """The message with some values."""
        head, place, call_id, own = self
        if own:
            head = head.with_own(own, values)
        content: Content
        if isinstance(place, int):
            content = values[place] if place >= 0 else ""
        else:
            content = place if isinstance(place, str) else place.filled(values)
        return head, content, values[call_id] if call_id >= 0 else None

    def behind(self, count: int) -> Slots:
        """The same where so many values of other messages stand before."""
        head, place, call_id, own = self
        if isinstance(place, int):
            place = place + count if place >= 0 else NONE
        elif isinstance(place, Parts):
            place = place.behind(count)
        own = tuple([OwnText(path, number + count) for path, number in own])
        return Slots(head, place, call_id + count if call_id >= 0 else NONE, own)

    @property
    def is_plain(self) -> bool:
        """Whether it surely says one text, or nothing: not where there may be text beside that in its extras."""
        return not isinstance(self.content, Parts) and not (self.content == NONE and self.head.has_extras)

    @property
    def numbers(self) -> list[int]:
        """Which of the values stand in it anywhere."""
        found = [*self.texts, *self.media, *[text.number for text in self.own]]
        return found if self.call_id < 0 else [*found, self.call_id]

    @property
    def media(self) -> dict[int, str]:
        """Which of the values are addresses of media in it or their data, with one like each."""
        place = self.content
        if not isinstance(place, Parts):
            return {}
        return {number: getattr(place.parts[index], field) for index, field, number in place.media}

    @property
    def texts(self) -> Sequence[int]:
        """Which of the values it says."""
        if isinstance(self.content, int):
            return [self.content] if self.content >= 0 else []
        return [number for _, number in self.content.slots] if isinstance(self.content, Parts) else []
