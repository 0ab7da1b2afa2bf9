"""Probes: texts that stand for contents and ids while a plan is learned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from ...chat.substance import opaque_field
from ...model import Content, Media, Text, replace
from ...units.heads import SIGNATURE, Head, OwnText
from ...units.places import NONE, Parts, Place, Slots

PROBE: Final = "Probe"
"""What all probes begin with."""
PROBES: Final = re.compile(f"{PROBE}([0-9]{{4}})Text")
"""What a probe looks like."""
SUFFIX: Final = re.compile("_[0-9]+")
"""What stands behind an id in one that was made of it, since another message has that."""
DERIVED: Final = re.compile(f"{PROBES.pattern}{SUFFIX.pattern}")
"""What such an id looks like."""
DATA: Final = re.compile(f"data:[^,]*,[A-Za-z0-9+/]*{PROBES.pattern}")
"""What a data URL looks like whose data are a value."""


def probe(number: int) -> str:
    """A text that says nothing to any format. Where it is in a document by chance, no plan is learned from that."""
    return f"{PROBE}{number:04d}Text"


def numbered(text: str, number: int) -> str:
    """A text with a probe in it, such as an address, with another probe in its place."""
    return PROBES.sub(probe(number), text)


def is_in(head: Head) -> bool:
    """Whether a probe stands in a head, such as in the layout of a unit that is kept whole: no other has that head."""
    return PROBE in repr(head.message("", None))


def own_texts(head: Head, numbers: Mapping[str, int]) -> tuple[OwnText, ...] | None:
    """The texts of a head that are values; None where a probe stands in it otherwise.

    Args:
        head: any.
        numbers: probes, and which of the values each stands for.
    """
    message = head.message("", None)
    shown = repr(message)
    if PROBE not in shown:
        return ()
    texts = dict(texts_in(message.extras))
    if message.signature is not None:
        texts[SIGNATURE] = message.signature.value
    found = tuple([OwnText(path, numbers[text]) for path, text in texts.items() if text in numbers])
    # What of a message without a content counts as said depends on how long it is.
    counts = head.empty and opaque_field(message) is not None
    return None if counts or shown.count(PROBE) != len(found) else found


def texts_in(value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The texts in a JSON value, with the keys and indices that lead to them."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while waiting:
        path, inner = waiting.pop()
        if isinstance(inner, str):
            yield path, inner
        elif isinstance(inner, dict):
            waiting += [((*path, key), each) for key, each in cast("dict[str, Any]", inner).items()]
        elif isinstance(inner, list):
            waiting += [((*path, at), each) for at, each in enumerate(cast("list[Any]", inner))]


def place_of(content: Content, numbers: Mapping[str, int]) -> Place | None:
    """Where a content stands among values; None where a probe stands in it with other text.

    Args:
        content: any.
        numbers: probes, and which of the values each stands for.
    """
    if isinstance(content, str):
        return numbers.get(content, None if PROBE in content else content) if content else NONE
    slots = [
        (at, numbers[part.text]) for at, part in enumerate(content) if isinstance(part, Text) if part.text in numbers
    ]
    media = [
        (at, field, numbers[value])
        for at, part in enumerate(content)
        if isinstance(part, Media)
        for field, value in (("url", part.url), ("data", part.data))
        if value is not None and value in numbers
    ]
    return Parts(content, tuple(slots), tuple(media))


def has_others(messages: Sequence[Slots]) -> bool:
    """Whether a probe stands in a content elsewhere than as a text or an address, such as in the name of a file."""
    return any(_has_others(slots.content) for slots in messages)


def _has_others(place: Place) -> bool:
    if not isinstance(place, Parts):
        return False
    empty = [*place.parts]
    for field, index in [("text", index) for index, _ in place.slots] + [
        (field, index) for index, field, _ in place.media
    ]:
        empty[index] = replace(empty[index], **{field: ""})
    return PROBE in repr(empty)


def shown(value: Any) -> str:
    """What stands for a value with a probe in it: text for itself, any other JSON value as a text that shows it."""
    return value if isinstance(value, str) else repr(value)
