"""Turns a unit or an output that contains probes into a function that builds it with other contents and ids.

The function is compiled from source. The texts and the paths to the values are its arguments rather than literals, so
that units of the same shape have the same source, which is compiled once.
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
"""How many compiled sources are cached."""


class Hole(NamedTuple):
    """A place in a unit or an output for a content or an id.

    Attributes:
        path: the indices that lead to the value in the argument of the function: the items, or the list of values.
        encode: converts the value to what stands there; None if it stands there unchanged.
        whole: whether it can only be a whole value of JSON, and not a part of a text.
    """

    path: tuple[int, ...]
    encode: Callable[[str], Any] | None = None
    whole: bool = False


def builder(
    unit: Unit, holes: Mapping[str, Hole], *, embedded: bool = False
) -> Callable[[Sequence[Item]], Unit] | None:
    """Return a function that builds a unit from its items; None if a probe does not stand in the unit.

    In a text, a probe must stand exactly once.

    Args:
        unit: a text with probes in it, or JSON in which each probe is a whole value.
        holes: for each probe, as it stands there (`shown`), its hole.
        embedded: whether probes may stand inside texts of the JSON.
    """
    source = _Source(holes, embedded=embedded, own_functions=False)
    function = source.function(unit)
    is_complete = sorted(source.used) == sorted(holes) if isinstance(unit, str) else {*source.used} == {*holes}
    return function if is_complete else None


def filler(
    output: Unit, holes: Mapping[str, Hole], times: Mapping[str, int], *, longest: int, embedded: bool
) -> Callable[[Sequence[str]], Unit] | None:
    """Return a function that builds an output from the values of a conversation.

    Args:
        output: as the unit of `builder`.
        holes: as for `builder`.
        times: for some probes, as in `holes`, whether they must stand in the output (1) or must not (0); in a text,
            they must not be repeated. Other probes may stand there repeatedly, or not at all.
        longest: how long the output may be without its values, in characters, or packed bytes of JSON without a value.
        embedded: as for `builder`.

    Returns:
        None if the output is too long, or if a probe stands where no value can be filled in.
    """
    source = _Source(holes, embedded=embedded, own_functions=True)
    function = source.function(output)
    if function is None or source.length > longest:
        return None
    used = Counter(source.used if isinstance(output, str) else {*source.used})
    return function if all(used[shown] == count for shown, count in times.items()) else None


class _Source:
    """The source of a function that builds a unit or an output.

    Args:
        holes: as for `builder`.
        embedded: as for `builder`.
        own_functions: whether an object in a list is built by a function of its own, as many outputs have the same.
        parent: the source that has this one as such a function.

    Attributes:
        used: the probes whose holes are filled, each as often as that.
        length: how long the rest of the unit is, in characters or packed bytes.
    """

    def __init__(
        self, holes: Mapping[str, Hole], *, embedded: bool, own_functions: bool, parent: _Source | None = None
    ) -> None:
        self._holes: Final = holes
        self._embedded: Final = embedded
        self._own_functions: Final = own_functions
        self._arguments: Final = list[Any]()
        self._shown: Final = _shown(holes) if parent is None else parent._shown
        self.used: Final[list[str]] = [] if parent is None else parent.used
        self.length = 0

    def function(self, unit: Unit) -> Callable[[Any], Unit] | None:
        """Return the function that builds a text or a JSON value.

        Returns:
            None if a probe stands where there is no hole, or if there is a value that is not JSON, which a caller may
            have put into a message.
        """
        try:
            source = self._of_text(unit) if isinstance(unit, str) else self._of(unit)
        except (KeyError, ValueError):
            return None
        return _compiled(source, len(self._arguments))(*self._arguments)

    def _of(self, value: Any) -> str:
        """Return the source of a JSON value.

        Raises:
            ValueError: if a value is not JSON, or a probe stands where there is no hole.
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
        if any(key.__class__ is not str for key in members):
            raise ValueError(members)
        if PROBE in "".join(members):
            return self._filled(repr(members))
        return "{" + ", ".join([f"{key!r}: {self._of(item)}" for key, item in members.items()]) + "}"

    def _of_element(self, value: Any) -> str:
        if not self._own_functions or value.__class__ is not dict:
            return self._of(value)
        source = _Source(self._holes, embedded=self._embedded, own_functions=False, parent=self)
        function = source.function(value)
        if function is None:
            raise ValueError(value)
        self.length += source.length
        return f"{self._name(function)}(values)"

    def _of_text_value(self, text: str) -> str:
        """Return the source of a text that is a JSON value."""
        if text in self._holes:
            return self._filled(text)
        if PROBE not in text:
            return self._text(text)
        inside = self._embedded or DERIVED.fullmatch(text) is not None or DATA.fullmatch(text) is not None
        return self._of_text(text) if inside else self._text(text)

    def _of_text(self, text: str) -> str:
        """Return the source of a text that may contain probes."""
        if PROBE not in text:
            return self._text(text)
        sources: list[str] = []
        at = 0
        for match in PROBES.finditer(text):
            shown, before = self._shown[match[0]]
            start = match.start() - before
            if start < at or not text.startswith(shown, start) or self._holes[shown].whole:
                raise ValueError(text)
            sources += [self._text(text[at:start]), self._filled(shown)]
            at = start + len(shown)
        return f"''.join(({', '.join(sources)}, {self._text(text[at:])}))"

    def _filled(self, shown: str) -> str:
        """Return the source of the value of the hole with a probe."""
        self.used.append(shown)
        path, encode, _ = self._holes[shown]
        source = "values" + "".join([f"[{self._name(index)}]" for index in path])
        return source if encode is None else f"{self._name(encode)}({source})"

    def _text(self, text: str) -> str:
        """Return the name of the argument for a text without probes."""
        if PROBE in text:
            raise ValueError(text)
        self.length += len(text)
        return self._name(text)

    def _name(self, argument: Any) -> str:
        """Add an argument of the source, and return its name."""
        self._arguments.append(argument)
        return f"a{len(self._arguments) - 1}"


_PROBE: Final = PROBE.encode()


def _shown(holes: Mapping[str, Hole]) -> dict[str, tuple[str, int]]:
    """Return, for each probe, the text of its hole, and where the probe stands in that."""
    return {match[0]: (shown, match.start()) for shown in holes for match in PROBES.finditer(shown)}


@lru_cache(maxsize=_COMPILED)
def _compiled(source: str, arguments: int) -> Callable[..., Callable[[Any], Unit]]:
    """Compile a source to a function of its arguments, which returns the function of the values."""
    names = ", ".join([f"a{number}" for number in range(arguments)])
    # The source comes from this module: it consists of names, brackets and the literals of keys.
    return eval(f"lambda {names}: lambda values: {source}", {"unpack": unpack})
