"""Probes: texts that stand for contents and ids while a plan is learned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..model import Content, Text, replace
from ..units.heads import Head
from ..units.places import NONE, Parts, Place, Slots

PROBE: Final = "Probe"
"""What all probes begin with."""
PROBES: Final = re.compile(f"{PROBE}([0-9]{{4}})Text")
"""What a probe looks like."""


def probe(number: int) -> str:
    """A text that says nothing to any format. Where it is in a document by chance, no plan is learned from that."""
    return f"{PROBE}{number:04d}Text"


def is_in(head: Head) -> bool:
    """Whether a probe stands in a head, such as in the layout of a unit that is kept whole: no other has that head."""
    return PROBE in repr(head.message("", None))


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
    return Parts(content, tuple(slots))


def has_others(messages: Sequence[Slots]) -> bool:
    """Whether a probe stands in a content elsewhere than as a text, such as in the address of an image."""
    return any(_has_others(slots.content) for slots in messages)


def _has_others(place: Place) -> bool:
    if not isinstance(place, Parts):
        return False
    texts = {index for index, _ in place.slots}
    others = [replace(part, text="") if at in texts else part for at, part in enumerate(place.parts)]
    return PROBE in repr(others)


def shown(value: Any) -> str:
    """What stands for a value with a probe in it: text for itself, any other JSON value as a text that shows it."""
    return value if isinstance(value, str) else repr(value)
