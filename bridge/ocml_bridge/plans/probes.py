"""Probes: texts that stand for contents and ids while a plan is learned, and what puts others in their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import isfinite
from typing import Any, Final, cast

from ..model import replace
from ..units.grammar import Unit
from ..units.heads import Head, Item
from ..units.places import Place, Slots

PROBE: Final = "Probe"
"""What all probes begin with."""


def probe(number: int) -> str:
    """A text that says nothing to any format. Where it is in a document by chance, no plan is learned from that."""
    return f"{PROBE}{number:04d}Text"


def is_in(head: Head) -> bool:
    """Whether a probe stands in a head, such as in the layout of a unit that is kept whole: no other has that head."""
    return PROBE in repr(head.message("", None))


def has_others(messages: Sequence[Slots]) -> bool:
    """Whether a probe stands in a content elsewhere than as a text, such as in the address of an image."""
    return any(_has_others(slots.content) for slots in messages)


def _has_others(place: Place) -> bool:
    if isinstance(place, int):
        return False
    texts = {index for index, _ in place.slots}
    others = [replace(part, text="") if at in texts else part for at, part in enumerate(place.parts)]
    return PROBE in repr(others)


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
    source = _Source(probes, embedded=embedded)
    made = source.of_unit(unit)
    if made is None or any(made.count(place) != 1 for place in probes.values()):
        return None
    return _maker("items", made, len(source.texts), tuple(encoders))(*source.texts, *encoders.values())


def filler(
    output: Unit,
    probes: Mapping[str, str],
    encoders: Mapping[str, Callable[[str], Any]],
    times: Mapping[str, int],
    *,
    longest: int,
    embedded: bool,
) -> Callable[[Sequence[str]], Unit] | None:
    """What makes an output like this one of other `values`; None where it is too long, or a probe stands there oddly.

    Args:
        output: as the unit of `builder`.
        probes: likewise.
        encoders: likewise.
        times: how often the source of a value has to stand in that of the output; that of any other may do so often.
        longest: how long an output may be without its values, in characters.
        embedded: as for `builder`.
    """
    source = _Source(probes, embedded=embedded)
    made = source.of_unit(output)
    if made is None or len(made) + sum(map(len, source.texts)) > longest:
        return None
    if any(made.count(place) != count for place, count in times.items()):
        return None
    return _made("values", made, len(source.texts), tuple(encoders))(*source.texts, *encoders.values())


def _made(variable: str, source: str, texts: int, encoders: tuple[str, ...]) -> Callable[..., Callable[[Any], Unit]]:
    """What gives a function of a variable for its texts and encoders."""
    names = ", ".join((*(f"text{number}" for number in range(texts)), *encoders))
    return eval(f"lambda {names}: lambda {variable}: {source}")  # the source is made here, of names and literals


_maker: Final = lru_cache(maxsize=1024)(_made)
"""Units that differ in their texts have one source."""


class _Source:
    """The source of a value with probes in it.

    Args:
        probes: as `builder` has them.
        embedded: likewise.

    Attributes:
        texts: the texts of the value that are the same in all units; the source names them.
    """

    def __init__(self, probes: Mapping[str, str], *, embedded: bool) -> None:
        self._probes: Final = probes
        self._embedded: Final = embedded
        self.texts: Final = list[str]()

    def of_unit(self, unit: Unit) -> str | None:
        """The source of a text, or of JSON; None where there is a probe in it where there is no place for one."""
        try:
            return self.of_text(unit) if isinstance(unit, str) else self.of(unit)
        except ValueError:
            return None

    def of(self, value: Any) -> str:
        """The source of a JSON value; of nothing else, as whoever made a message by hand may have put anything into it.

        Raises:
            ValueError: where there is anything else, or a probe where there is no place for one.
        """
        kind = value.__class__
        if kind is str:
            return self._of_member(value)
        if kind is dict:
            place = self._probes.get(repr(value))
            members = cast("dict[str, Any]", value).items()
            return place or "{" + ", ".join(f"{_key(key)}: {self.of(item)}" for key, item in members) + "}"
        if kind is list:
            return "[" + ", ".join(map(self.of, cast("list[Any]", value))) + "]"
        if value is None or kind in (bool, int) or (kind is float and isfinite(value)):
            return repr(value)
        raise ValueError(value)

    def of_text(self, text: str) -> str:
        """The source of a text with probes in it."""
        if not self._probes:
            return self._text(text)
        pieces = re.split("(" + "|".join(map(re.escape, self._probes)) + ")", text)
        sources = [self._probes[piece] if at % 2 else self._text(piece) for at, piece in enumerate(pieces) if piece]
        return f"''.join(({', '.join(sources)},))" if sources else "''"

    def _of_member(self, text: str) -> str:
        """The source of a text that is a JSON value."""
        place = self._probes.get(text)
        if place is None and PROBE in text and self._embedded:
            return self.of_text(text)
        return place or self._text(text)

    def _text(self, text: str) -> str:
        """The name of a text that is the same in all units."""
        if PROBE in text:
            raise ValueError(text)
        self.texts.append(text)
        return f"text{len(self.texts) - 1}"


def _key(key: Any) -> str:
    """The source of a key."""
    if key.__class__ is not str or PROBE in key:
        raise ValueError(key)
    return repr(key)
