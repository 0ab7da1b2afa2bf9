"""Recognises JSON texts that differ from earlier ones only in some strings, and reads them without parsing them.

JSON texts that are equal but for some strings parse to values that are equal but for these strings. So the text is
split at its quotation marks: what is outside of the strings, together with all strings that are not contents or ids,
is the cache key of its `TextPlan`. The plan says how the units are read, and which strings are their values. It is
learned as the plan of a unit is: the text is read once more with probes as its strings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

import orjson

from ...common.memo import Meetings, Memo
from ...errors import BridgeError
from ...json_values import jsontext
from ...model import Json
from ...units.conversation import ConversationPlan
from ...units.reader import UnitReader
from .conversations import PlannedUnits
from .payoff import Payoff
from .probes import PROBES, probe

LONGEST: Final = 200_000
"""How long a text may be that is split, in bytes."""
SIZE: Final = 4_000_000
"""The size of each cache of a reader, in bytes."""
_OVERHEAD: Final = 1000
"""How many bytes an entry counts in addition to its key."""
MEETINGS: Final = 2
"""How often a key is met before its plan is learned, if other texts with the same outside have plans."""
_COUNTED: Final = 4096
"""How many keys without a plan are counted at once."""
_MOST_SHAPES: Final = 4
"""How many shapes the texts with the same outside may have, as their objects may have their members in any order."""
_BACKSLASH: Final = re.compile(rb"\\\\")
_QUOTE: Final = re.compile(rb'\\"')
"""Match escapes. They split bytes twice as fast as `bytes.split` with the same two bytes."""
_SPELLED_BACKSLASH: Final = rb"\u005c"
_SPELLED_QUOTE: Final = rb"\u0022"
"""The same characters, spelled without a backslash before a quotation mark."""

Get = Callable[[Sequence[Any]], tuple[Any, ...]]
"""Returns some elements of a sequence."""


class JsonText:
    """A JSON text, split at its quotation marks.

    Args:
        pieces: in turns, what is outside of strings, and the strings as they are spelled.

    Attributes:
        pieces: as given.
        outside: all that is outside of strings.
    """

    __slots__ = ("outside", "pieces")

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces: Final = pieces
        self.outside: Final = b'"'.join(pieces[::2])


UNSPLIT: Final = JsonText([])
"""A text that is not split, because that is not worth the time."""


def split_text(data: str | bytes) -> JsonText | None:
    """Split a JSON text; return None if it is certainly not JSON."""
    try:
        text = data.encode() if isinstance(data, str) else data
    except UnicodeEncodeError:
        return None
    if _QUOTE.search(text) is not None:
        text = _SPELLED_QUOTE.join(_QUOTE.split(_SPELLED_BACKSLASH.join(_BACKSLASH.split(text))))
    pieces = text.split(b'"')
    return JsonText(pieces) if len(pieces) % 2 and len(pieces) > 1 else None


def _parsed(strings: Sequence[bytes]) -> list[str] | None:
    """Return the values of strings as they are spelled in JSON; None if one is not valid."""
    try:
        return orjson.loads(b'["' + b'","'.join(strings) + b'"]')
    except orjson.JSONDecodeError:
        return None


class _Shape:
    """Which strings of a text are contents and ids.

    Args:
        places: the indices of these strings among the pieces.
        count: how many pieces there are.

    Attributes:
        places: as given.
        variable: gets these strings from the pieces.
        fixed: gets all others.
    """

    __slots__ = ("fixed", "places", "variable")

    def __init__(self, places: Sequence[int], count: int) -> None:
        self.places: Final = places
        self.variable: Final = _getter(places)
        self.fixed: Final = _getter([at for at in range(1, count, 2) if at not in places])

    def key_of(self, text: JsonText) -> _Key:
        """Return the cache key of a text."""
        return self, b'"'.join(self.fixed(text.pieces))


_Key = tuple[_Shape, bytes]
"""The key of a text: its shape, and all strings that are fixed."""


class TextPlan(NamedTuple):
    """How the texts with the same key are read.

    Attributes:
        units: their units.
        constants: those values of the units that are no variable strings of the text.
        order: gets the values in the order of the units from the strings and constants; None if that is their order.
        lengths: for some variable strings, the lengths that they may have.
        stripped: from which of the variable strings on none may begin or end with white space, by its index.
    """

    units: PlannedUnits
    constants: list[str]
    order: Get | None
    lengths: list[tuple[int, range]]
    stripped: int


class TextPlans:
    """Learns the plans of texts, and caches them.

    Args:
        grammar: the format's reader of units.
        read: reads the JSON value of a text up to its units: returns their key and their values.
    """

    def __init__(self, grammar: UnitReader, read: Callable[[Json], tuple[Hashable, Sequence[str]] | None]) -> None:
        self._are_only_values: Final = grammar.are_only_values
        self._read: Final = read
        self._shapes = Memo[bytes, list[_Shape]](SIZE)
        self._plans = Memo[_Key, TextPlan](SIZE)
        self._meetings = Meetings(_COUNTED)
        self._payoff: Final = Payoff()

    def split(self, data: str | bytes) -> JsonText | None:
        """Split a JSON text.

        Returns:
            `UNSPLIT` if too few texts have plans; None if the text is too long, or certainly not JSON.
        """
        if len(data) > LONGEST:
            return None
        return split_text(data) if self._payoff.pays else UNSPLIT

    def find(self, text: JsonText) -> tuple[PlannedUnits, Sequence[str]] | None:
        """Return the units and the values of a text; None if it has no plan, or if its key depends on a value."""
        for shape in self._shapes.get(text.outside, ()):
            plan = self._plans.get(shape.key_of(text))
            if plan is None:
                continue
            values = _parsed(shape.variable(text.pieces))
            if values is None or not self._are_only_values(values):
                break
            if not all(len(values[at]) in lengths for at, lengths in plan.lengths):
                break
            if any(value.strip() != value for value in values[plan.stripped :]):
                break
            if plan.order is not None:
                values = plan.order(values + plan.constants)
            self._payoff.succeeded()
            return plan.units, values
        return None

    def count(self, text: JsonText, *, planned: bool) -> None:
        """Count a text without a plan.

        Args:
            text: the text.
            planned: whether its conversation has a plan, so that the text may get one.
        """
        if text is UNSPLIT:
            self._payoff.skipped(likely=planned)
        else:
            self._payoff.failed()

    def learn_if_repeated(
        self, text: JsonText, units: PlannedUnits, values: Sequence[str], plan: ConversationPlan
    ) -> None:
        """Learn the plan of a text; if similar texts have plans, once its key was met often enough.

        Args:
            text: the text, which has no plan.
            units: as it was read.
            values: of its units.
            plan: the plan by which its conversation was read.
        """
        if text is UNSPLIT or not self._is_learned(text, units, values, plan):
            self.count(text, planned=True)

    def _is_learned(self, text: JsonText, units: PlannedUnits, values: Sequence[str], plan: ConversationPlan) -> bool:
        shapes = self._shapes.get(text.outside, [])
        if len(shapes) >= _MOST_SHAPES or not self._is_due(shapes[0].key_of(text) if shapes else text.outside):
            return False
        variable = plan.variable(values)
        places = _places(text, [values[number] for number in variable])
        learned = self._learned(text, places, units, values, variable) if places else None
        if learned is None:
            return False
        shape = next((known for known in shapes if known.places == places), None)
        if shape is None:
            shape = _Shape(places, len(text.pieces))
            self._shapes.keep(text.outside, [*shapes, shape], len(text.outside) + _OVERHEAD)
        key = shape.key_of(text)
        self._plans.keep(key, learned, len(key[1]) + _OVERHEAD)
        return True

    def _is_due(self, key: Hashable) -> bool:
        """Count a key; return whether a plan is to be learned now: what cannot be learned is tried less and less."""
        met = self._meetings.met(key)
        return met & (met - 1) == 0 and (met >= MEETINGS or isinstance(key, bytes))

    def _learned(
        self,
        text: JsonText,
        places: Sequence[int],
        units: PlannedUnits,
        values: Sequence[str],
        variable: Mapping[int, range | None],
    ) -> TextPlan | None:
        """Read a text with probes in some places, and return its plan; None if other texts may have another key.

        Args:
            text: the text.
            places: the indices of the pieces that may be values.
            units: as `learn_if_repeated` has it.
            values: as `learn_if_repeated` has it.
            variable: as `ConversationPlan.variable` returned it.
        """
        if any(map(PROBES.search, values)):
            return None
        strings = _parsed([text.pieces[at] for at in places])
        if strings is None or not self._are_only_values(strings):
            return None
        read = self._read_with(text, dict.fromkeys(places, ""))
        if read is None or read[0] != units.key or len(read[1]) != len(values):
            return None
        constants: list[str] = []
        order: list[int] = []
        for number, (value, filled) in enumerate(zip(values, read[1], strict=True)):
            found = PROBES.fullmatch(filled)
            if found is None and filled == value:
                order.append(len(places) + len(constants))
                constants.append(value)
            elif found is not None and number in variable:
                order.append(int(found[1]))
            else:
                return None
        used = sorted([at for at in order if at < len(places)])
        if used != list(range(len(places))):
            return None
        all_lengths = [(at, variable.get(number)) for number, at in enumerate(order)]
        lengths = [(at, allowed) for at, allowed in all_lengths if allowed is not None and at < len(places)]
        is_in_order = not constants and order == used
        # White space may matter: at the end of the last text, if that is an answer to be continued.
        contents = {at for number, at in enumerate(order) if number in variable and variable[number] is None}
        for stripped in (len(places), len(places) - 1, 0):
            spaces = [" " if at < stripped and at in contents else "" for at in range(len(places))]
            spaced = self._read_with(text, dict(zip(places, spaces, strict=True)))
            if spaced is not None and spaced[0] == units.key:
                return TextPlan(units, constants, None if is_in_order else _getter(order), lengths, stripped)
        return None

    def _read_with(self, text: JsonText, spaces: Mapping[int, str]) -> tuple[Hashable, Sequence[str]] | None:
        """Read a text with probes in place of some pieces; return None if it cannot be read so.

        Args:
            text: the text.
            spaces: what stands before and after each probe, by the index of its piece.
        """
        probed = [*text.pieces]
        for number, (at, space) in enumerate(spaces.items()):
            probed[at] = f"{space}{probe(number)}{space}".encode()
        try:
            return self._read(jsontext.loads(b'"'.join(probed)))
        except BridgeError:
            return None


def _getter(indices: Sequence[int]) -> Get:
    """Return what gets the elements with these indices as a tuple, of whatever length."""
    if len(indices) > 1:
        return itemgetter(*indices)
    return lambda elements: tuple([elements[at] for at in indices])


def _places(text: JsonText, values: Sequence[str]) -> list[int]:
    """Return the indices of the pieces that are these values and not keys; none if there are more than values."""
    pieces = text.pieces
    wanted = {*values}
    strings = _parsed(pieces[1::2]) or []
    places = [
        at
        for at, string in zip(range(1, len(pieces), 2), strings, strict=False)
        if string in wanted and not pieces[at + 1].lstrip().startswith(b":")
    ]
    return places if len(places) <= len(values) else []
