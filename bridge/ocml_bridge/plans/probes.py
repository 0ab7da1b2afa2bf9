"""Probes: texts that stand for contents and ids while a plan is learned, and what puts others in their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any, Final, cast

from ..units.grammar import Unit
from ..units.heads import Head, Item

PROBE: Final = "Probe"
"""What all probes begin with."""


def probe(number: int) -> str:
    """A text that says nothing to any format. Where it is in a document by chance, no plan is learned from that."""
    return f"{PROBE}{number:04d}Text"


def is_in(head: Head) -> bool:
    """Whether a probe stands in a head, such as in the layout of a unit that is kept whole: no other has that head."""
    return PROBE in repr(head.message("", None))


def shown(value: Any) -> str:
    """What stands for a value with a probe in it: text for itself, any other JSON value as a text that shows it."""
    return value if isinstance(value, str) else repr(value)


def builder(
    unit: Unit, probes: Mapping[str, str], encoders: Mapping[str, Callable[[str], Any]], *, embedded: bool = False
) -> Callable[[Sequence[Item]], Unit] | None:
    """What makes a unit like this one of other items; None where a probe does not stand in it once.

    Args:
        unit: a text with probes in it, or JSON in which each is a whole value.
        probes: each probe, as it stands there and is `shown` → the source of its value.
        encoders: the functions that these sources name.
        embedded: whether probes may stand inside of texts of the JSON.
    """
    try:
        source = _text_source(unit, probes) if isinstance(unit, str) else _source(unit, probes, embedded=embedded)
    except ValueError:
        return None
    if any(source.count(place) != 1 for place in probes.values()):
        return None
    return eval(f"lambda items: {source}", dict(encoders))  # the source is made here, of literals


def _text_source(text: str, probes: Mapping[str, str]) -> str:
    if not probes:
        return repr(text)
    pieces = re.split("(" + "|".join(map(re.escape, probes)) + ")", text)
    sources = [probes[piece] if at % 2 else repr(piece) for at, piece in enumerate(pieces) if piece]
    if any(PROBE in source for source in sources):
        raise ValueError(text)
    return f"''.join(({', '.join(sources)},))"


def _source(value: Any, probes: Mapping[str, str], *, embedded: bool) -> str:
    """The source of a JSON value; of nothing else, as whoever made a message by hand may have put anything into it."""
    kind, place_of = value.__class__, partial(_source, probes=probes, embedded=embedded)
    if kind is str:
        if value not in probes and PROBE in value:
            if embedded:
                return _text_source(value, probes)
            raise ValueError(value)
        return probes.get(value) or repr(value)
    if kind is dict and (place := probes.get(repr(value))) is not None:
        return place
    if kind is dict:
        members = cast("dict[str, Any]", value).items()
        return "{" + ", ".join(f"{_source(key, {}, embedded=False)}: {place_of(item)}" for key, item in members) + "}"
    if kind is list:
        return "[" + ", ".join(place_of(item) for item in cast("list[Any]", value)) + "]"
    if value is None or kind in (bool, int) or (kind is float and isfinite(value)):
        return repr(value)
    raise ValueError(value)
