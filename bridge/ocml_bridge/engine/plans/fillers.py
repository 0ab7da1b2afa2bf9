"""What makes units and outputs like one of other contents and ids.

A unit that was written with probes is turned into the source of a function. Texts, and where values come from, are
arguments of it, so units that differ in nothing else have one function, which is compiled once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from ...model.ownership import pack, unpack
from ...units.grammar import Unit
from ...units.heads import Item
from .probes import DATA, DERIVED, PROBE, PROBES

_COMPILED: Final = 2048
"""How many functions are kept for units that have the same source."""


class Hole(NamedTuple):
    """Where a content or an id goes.

    Attributes:
        path: the indices that lead to it in what a unit or an output is made of.
        encode: how it stands there; None where it stands there as it is.
    """

    path: tuple[int, ...]
    encode: Callable[[str], Any] | None = None


def builder(
    unit: Unit, holes: Mapping[str, Hole], *, embedded: bool = False
) -> Callable[[Sequence[Item]], Unit] | None:
    """What makes a unit like this one of other items; None where a probe does not stand in it once.

    Args:
        unit: a text with probes in it, or JSON in which each is a whole value.
        holes: each probe, as it stands there and is `shown` → where its value goes.
        embedded: whether probes may stand inside of texts of the JSON.
    """
    source = _Source(holes, embedded=embedded, apart=False)
    made = source.made(unit)
    return made if made is not None and source.used == Counter(holes.values()) else None


def filler(
    output: Unit, holes: Mapping[str, Hole], times: Mapping[Hole, int], *, longest: int, embedded: bool
) -> Callable[[Sequence[str]], Unit] | None:
    """What makes an output like this one of other values; None where it is too long, or a probe stands there oddly.

    Args:
        output: as the unit of `builder`.
        holes: likewise.
        times: how often the value of a hole has to stand in the output; that of any other may do so often.
        longest: how long an output may be without its values, in characters, or bytes of what holds no value.
        embedded: as for `builder`.
    """
    source = _Source(holes, embedded=embedded, apart=True)
    made = source.made(output)
    if made is None or source.length > longest:
        return None
    return made if all(source.used[hole] == count for hole, count in times.items()) else None


class _Source:
    """The source of a function that makes a value like one with probes in it.

    Args:
        holes: as `builder` has them.
        embedded: likewise.
        apart: whether objects that stand in lists are made by functions of their own: many outputs have them in common.
        within: the source in which that of such an object stands.

    Attributes:
        used: how often each hole stands in the value.
        length: of all that is the same in all such values.
    """

    def __init__(
        self, holes: Mapping[str, Hole], *, embedded: bool, apart: bool, within: _Source | None = None
    ) -> None:
        self._holes: Final = holes
        self._embedded: Final = embedded
        self._apart: Final = apart
        self._arguments: Final = list[Any]()
        self._shown: Final = _shown(holes) if within is None else within._shown
        self.used: Final[Counter[Hole]] = Counter() if within is None else within.used
        self.length = 0

    def made(self, unit: Unit) -> Callable[[Any], Unit] | None:
        """The function for a text or JSON; None where there is a probe in it where there is no place for one.

        It is none, too, where there is anything else in it: whoever made a message by hand may have put that there.
        """
        try:
            source = self._of_text(unit) if isinstance(unit, str) else self._of(unit)
        except (KeyError, ValueError):
            return None
        return _compiled(source, len(self._arguments))(*self._arguments)

    def _of(self, value: Any) -> str:
        """The source of a JSON value.

        Raises:
            ValueError: where there is anything else, or a probe where there is no place for one.
        """
        kind = value.__class__
        if kind is str:
            return self._of_text_value(value)
        if value is None or kind is bool or kind is int:
            return repr(value)
        packed = pack(value)
        if _PROBE not in packed:
            self.length += len(packed)
            return f"unpack({self._name(packed)})"
        if kind is dict:
            return self._of_object(cast("dict[Any, Any]", value))
        if kind is list:
            return "[" + ", ".join(map(self._of_element, cast("list[Any]", value))) + "]"
        raise ValueError(value)

    def _of_object(self, members: dict[Any, Any]) -> str:
        if any(PROBE in str(key) for key in members):
            return self._filled(self._holes[repr(members)])
        return "{" + ", ".join([f"{_key(key)}: {self._of(item)}" for key, item in members.items()]) + "}"

    def _of_element(self, value: Any) -> str:
        if not self._apart or value.__class__ is not dict:
            return self._of(value)
        source = _Source(self._holes, embedded=self._embedded, apart=False, within=self)
        made = source.made(value)
        if made is None:
            raise ValueError(value)
        self.length += source.length
        return f"{self._name(made)}(given)"

    def _of_text_value(self, text: str) -> str:
        """The source of a text that is a JSON value."""
        hole = self._holes.get(text)
        if hole is not None:
            return self._filled(hole)
        if PROBE not in text:
            return self._text(text)
        inside = self._embedded or DERIVED.fullmatch(text) is not None or DATA.fullmatch(text) is not None
        return self._of_text(text) if inside else self._text(text)

    def _of_text(self, text: str) -> str:
        """The source of a text with probes in it."""
        if PROBE not in text:
            return self._text(text)
        sources: list[str] = []
        at = 0
        for found in PROBES.finditer(text):
            shown, before = self._shown[found[0]]
            start = found.start() - before
            if start < at or not text.startswith(shown, start):
                raise ValueError(text)
            sources += [self._text(text[at:start]), self._filled(self._holes[shown])]
            at = start + len(shown)
        return f"''.join(({', '.join(sources)}, {self._text(text[at:])}))"

    def _filled(self, hole: Hole) -> str:
        """The source of a value that stands in a hole."""
        self.used[hole] += 1
        source = "given" + "".join([f"[{self._name(index)}]" for index in hole.path])
        return source if hole.encode is None else f"{self._name(hole.encode)}({source})"

    def _text(self, text: str) -> str:
        """The name of a text that is the same in all units."""
        if PROBE in text:
            raise ValueError(text)
        self.length += len(text)
        return self._name(text)

    def _name(self, argument: Any) -> str:
        """The name of something that the function is made with."""
        self._arguments.append(argument)
        return f"a{len(self._arguments) - 1}"


_PROBE: Final = PROBE.encode()


def _shown(holes: Mapping[str, Hole]) -> dict[str, tuple[str, int]]:
    """For each probe what is shown of its value, and where it stands in that."""
    return {found[0]: (shown, found.start()) for shown in holes for found in PROBES.finditer(shown)}


def _key(key: Any) -> str:
    """The source of a key."""
    if key.__class__ is not str:
        raise ValueError(key)
    return repr(key)


@lru_cache(maxsize=_COMPILED)
def _compiled(source: str, arguments: int) -> Callable[..., Callable[[Any], Unit]]:
    """What gives, for its arguments, a function of what is given."""
    names = ", ".join([f"a{number}" for number in range(arguments)])
    # The source is made here, of names, brackets and the literals of keys.
    return eval(f"lambda {names}: lambda given: {source}", {"unpack": unpack})
