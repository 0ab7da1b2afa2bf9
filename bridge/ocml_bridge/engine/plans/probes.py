"""Probes: placeholder texts for contents and ids, with which plans are learned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from ...chat.substance import opaque_field
from ...model import Content, Media, Text, replace
from ...units.heads import SIGNATURE, ExtraText, Head
from ...units.planned_items import NONE, Parts, Place, PlannedItem

PROBE: Final = "Probe"
"""The text with which all probes begin."""
PROBES: Final = re.compile(f"{PROBE}([0-9]{{4}})Text")
"""Matches a probe; the group is its number."""
SUFFIX: Final = re.compile("_[0-9]+")
"""Matches the suffix that a writer adds to an id that another message has, to make it unique."""
DERIVED: Final = re.compile(f"{PROBES.pattern}{SUFFIX.pattern}")
"""Matches a probe with such a suffix."""
DATA: Final = re.compile(f"data:[^,]*,[A-Za-z0-9+/]*{PROBES.pattern}")
"""Matches a data URL whose data contain a probe."""


def probe(number: int) -> str:
    """Return the placeholder text with a number; no format treats it in a special way.

    No plan is learned from a document that happens to contain such a text.
    """
    return f"{PROBE}{number:04d}Text"


def numbered(text: str, number: int) -> str:
    """Return a text that contains a probe, such as an address, with the probe of another number in its place."""
    return PROBES.sub(probe(number), text)


def is_in(head: Head) -> bool:
    """Return whether a head contains a probe, such as in a layout with the raw text of a unit: it will not repeat."""
    return PROBE in repr(head.message("", None))


def extra_texts(head: Head, numbers: Mapping[str, int]) -> tuple[ExtraText, ...] | None:
    """Return the texts of a head that are values; None if it contains a probe anywhere but as such a text.

    Args:
        head: any head.
        numbers: for each probe, the index of the value that it stands for.
    """
    message = head.message("", None)
    message_repr = repr(message)
    if PROBE not in message_repr:
        return ()
    texts = dict(texts_in(message.extras))
    if message.signature is not None:
        texts[SIGNATURE] = message.signature.value
    result = tuple([ExtraText(path, numbers[text]) for path, text in texts.items() if text in numbers])
    # Whether a text in the extras of an empty message counts as content depends on its length.
    counts = head.empty and opaque_field(message) is not None
    return None if counts or message_repr.count(PROBE) != len(result) else result


def texts_in(value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield each text in a JSON value, with the keys and indices that lead to it."""
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
    """Return the place of a content among values; None if it is a text that contains a probe and other text.

    None as well if a value is the data of a file, which may be text that a format writes, and if it is a text with
    citations: whether they cover all of it depends on its length.

    Args:
        content: any content.
        numbers: for each probe, the index of the value that it stands for.
    """
    if isinstance(content, str):
        return numbers.get(content, None if PROBE in content else content) if content else NONE
    texts = [
        (at, numbers[part.text]) for at, part in enumerate(content) if isinstance(part, Text) if part.text in numbers
    ]
    if any(isinstance(part, Media) and part.media == "file" and part.data in numbers for part in content):
        return None
    if any(isinstance(part, Text) and part.citations and part.text in numbers for part in content):
        return None
    media = [
        (at, field, numbers[value])
        for at, part in enumerate(content)
        if isinstance(part, Media)
        for field, value in (("url", part.url), ("data", part.data))
        if value is not None and value in numbers
    ]
    return Parts(content, tuple(texts), tuple(media))


def has_others(items: Sequence[PlannedItem]) -> bool:
    """Return whether parts of a content contain a probe in another field than text, address or data."""
    return any(_has_others(item.content) for item in items)


def _has_others(place: Place) -> bool:
    if not isinstance(place, Parts):
        return False
    emptied = [*place.parts]
    for field, index in [("text", index) for index, _ in place.texts] + [
        (field, index) for index, field, _ in place.media
    ]:
        emptied[index] = replace(emptied[index], **{field: ""})
    return PROBE in repr(emptied)


def shown(value: Any) -> str:
    """Return the key of a value that contains a probe: a text itself, the `repr` of any other JSON value."""
    return value if isinstance(value, str) else repr(value)
