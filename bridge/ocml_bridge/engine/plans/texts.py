"""Recognises texts that differ from earlier ones only in some strings, and reads them without parsing them.

JSON texts that are equal but for some strings parse to values that are equal but for these strings; likewise texts of
frames that are equal but for what is between their tokens. So a text is split (`pieces.py`): what separates its
strings, together with all strings that are not contents or ids, is the cache key of its `TextPlan`. The plan says how
the units are read, and which strings are their values. It is learned as the plan of a unit is: the text is read once
more with probes as its strings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from ...common.memo import Meetings, Memo
from ...errors import BridgeError
from ...model import Json
from ...units.conversation import ConversationPlan
from ...units.reader import UnitReader
from .conversations import PlannedUnits
from .payoff import Payoff
from .pieces import LONGEST, Pieces, Splitter
from .probes import probe

SIZE: Final = 4_000_000
"""The size of each cache of a reader, in bytes."""
_OVERHEAD: Final = 1000
"""How many bytes an entry counts in addition to its key."""
_COUNTED: Final = 4096
"""How many keys without a plan are counted at once."""
_MOST_SHAPES: Final = 4
"""How many shapes the texts with the same outside may have, as their objects may have their members in any order."""
_PROBE: Final = 9 * 10**14
"""The first of the numbers with which plans are learned."""
_WHOLE: Final = re.compile(r"0|[1-9][0-9]*")
"""Matches a whole number that is spelled as such numbers are written."""

Get = Callable[[Sequence[Any]], tuple[Any, ...]]
"""Returns some elements of a sequence."""


UNSPLIT: Final = Pieces([], None)
"""A text that is not split, because too few texts have plans."""


class _Shape:
    """Which strings of a text are contents and ids.

    Args:
        places: the indices of these strings among the pieces.
        repeats: for other strings that repeat one of them, such as a summary of the same reasoning: the index of the
            string by the index of the repetition.
        fixed: the indices of all other strings.
        key: `Splitter.key`.

    Attributes:
        places: as given.
        repeats: as given.
        variable: gets these strings from the pieces.
    """

    __slots__ = ("_fixed", "_key", "places", "repeats", "variable")

    def __init__(
        self,
        places: Sequence[int],
        repeats: Mapping[int, int],
        fixed: Sequence[int],
        key: Callable[[tuple[Any, ...]], Hashable],
    ) -> None:
        self.places: Final = places
        self.repeats: Final = repeats
        self.variable: Final = _getter(places)
        self._fixed: Final = _getter(fixed)
        self._key: Final = key

    def repeats_in(self, pieces: Sequence[Any]) -> bool:
        """Return whether the strings that repeat others do so in a text."""
        return all(pieces[at] == pieces[first] for at, first in self.repeats.items())

    def key_of(self, text: Pieces) -> _Key:
        """Return the cache key of a text."""
        return self, self._key(self._fixed(text.pieces))

    def size_of(self, text: Pieces) -> int:
        """Return how many bytes or characters the strings in the cache key of a text have."""
        return sum(map(len, self._fixed(text.pieces)))


_Key = tuple[_Shape, Hashable]
"""The key of a text: its shape, and all strings that are fixed."""


class TextPlan(NamedTuple):
    """How the texts with the same key are read.

    Attributes:
        units: their units.
        constants: those values of the units that are no variable strings of the text.
        order: gets the values in the order of the units from the strings and constants; None if that is their order.
        lengths: for some variable strings, the lengths that they may have.
        stripped: from which of the variable strings on none may begin or end with white space, by its index.
        numbers: the indices of the variable strings that are whole numbers.
    """

    units: PlannedUnits
    constants: list[str]
    order: Get | None
    lengths: list[tuple[int, range]]
    stripped: int
    numbers: Sequence[int]

    def fits(self, values: Sequence[str]) -> bool:
        """Return whether the plan is valid for variable strings."""
        for at, lengths in self.lengths:
            if len(values[at]) not in lengths:
                return False
        for value in values[self.stripped :]:
            if value.strip() != value:
                return False
        return not self.numbers or all(_WHOLE.fullmatch(values[at]) for at in self.numbers)


class TextPlans:
    """Learns the plans of texts, and caches them.

    Args:
        grammar: the format's reader of units.
        splitter: splits its texts.
        read: reads the source of a text up to its units: returns their key and their values.
    """

    def __init__(
        self,
        grammar: UnitReader,
        splitter: Splitter,
        read: Callable[[str | Json], tuple[Hashable, Sequence[str]] | None],
    ) -> None:
        self._splitter: Final = splitter
        self._are_only_values: Final = grammar.are_only_values
        self._read: Final = read
        self._shapes = Memo[Hashable, list[_Shape]](SIZE)
        self._plans = Memo[_Key, TextPlan](SIZE)
        self._meetings = Meetings(_COUNTED)
        self._payoff: Final = Payoff()
        self._detected = Memo[_Key, bool](SIZE)
        """The keys of texts whose format was detected."""
        self._have_numbers = False
        """Whether some plans have numbers that are values."""

    def split(self, data: str | bytes) -> Pieces | None:
        """Split a text.

        Returns:
            `UNSPLIT` if too few texts have plans; None if the text is too long, or certainly not one of the format.
        """
        if len(data) > LONGEST:
            return None
        return self._splitter.split(data) if self._payoff.pays else UNSPLIT

    def find(self, text: Pieces, *, detected: bool = False) -> tuple[PlannedUnits, Sequence[str]] | None:
        """Return the units and the values of a text; None if it has no plan, or if its key depends on a value.

        Args:
            text: the text.
            detected: whether `store_detected` must have been called for a text with the same key.
        """
        found = self._find(text, detected)
        if found is None and self._have_numbers and (with_numbers := self._splitter.with_numbers(text)) is not None:
            found = self._find(with_numbers, detected)
        if found is not None:
            self._payoff.succeeded()
        return found

    def store_detected(self, text: Pieces) -> None:
        """Store that the format of a text was detected: it is that of all texts with the same key.

        What tells formats apart are the members of objects, and words such as roles and types, which are in the key.
        """
        with_numbers = self._splitter.with_numbers(text) if self._have_numbers else None
        for each in (text,) if with_numbers is None else (text, with_numbers):
            for shape in self._shapes.get(each.outside, ()):
                if (key := shape.key_of(each)) in self._plans and key not in self._detected:
                    self._detected.keep(key, True, shape.size_of(each) + _OVERHEAD)

    def _find(self, text: Pieces, detected: bool) -> tuple[PlannedUnits, Sequence[str]] | None:
        for shape in self._shapes.get(text.outside, ()):
            key = shape.key_of(text)
            plan = self._plans.get(key)
            if plan is None or (detected and key not in self._detected):
                continue
            if shape.repeats and not shape.repeats_in(text.pieces):
                continue
            values = self._splitter.values(shape.variable(text.pieces))
            if values is None or not self._are_only_values(values) or not plan.fits(values):
                continue
            if plan.order is not None:
                values = plan.order(values + plan.constants)
            return plan.units, values
        return None

    def is_due(self, text: Pieces, meetings: int) -> bool:
        """Count a text that has no plan; return whether its plans, also that of its conversation, are to be learned.

        Args:
            text: the text.
            meetings: how often a text like it must have been met. What cannot be learned is tried less and less.
        """
        if text is UNSPLIT:
            return False
        texts = (text, self._splitter.with_numbers(text) or text)
        shapes = [(each, shapes[0]) for each in texts if (shapes := self._shapes.get(each.outside))]
        keys: list[Hashable] = [texts[1].outside, *(shape.key_of(each) for each, shape in shapes[:1])]
        are_due = [self._meetings.is_due(key, meetings) for key in keys]  # each is counted
        return any(are_due)

    def learn(
        self,
        text: Pieces,
        units: PlannedUnits,
        values: Sequence[str],
        plan: ConversationPlan | None,
        *,
        is_due: bool,
    ) -> None:
        """Learn the plan of a text that has none, if it is due; count whether splitting such texts pays.

        Args:
            text: the text.
            units: as it was read.
            values: of its units.
            plan: the plan by which its conversation was read; None if it was read without one, or with other findings
                than the plan has.
            is_due: what `is_due` returned.
        """
        if text is UNSPLIT:
            self._payoff.skipped(likely=plan is not None)
        elif plan is None or not (is_due and self._is_learned(text, units, values, plan)):
            self._payoff.failed()

    def _is_learned(self, text: Pieces, units: PlannedUnits, values: Sequence[str], plan: ConversationPlan) -> bool:
        if plan.has_numbers:
            text = self._splitter.with_numbers(text) or text
        shapes = self._shapes.get(text.outside, [])
        if len(shapes) >= _MOST_SHAPES:
            return False
        variable = plan.variable(values)
        shape = self._shape(text, [values[number] for number in variable])
        learned = self._learned(text, shape, units, values, variable) if shape.places else None
        if learned is None:
            return False
        known = next((one for one in shapes if one.places == shape.places and one.repeats == shape.repeats), None)
        if known is not None:
            shape = known
        else:
            self._shapes.keep(text.outside, [*shapes, shape], len(text.outside) + _OVERHEAD)
        self._have_numbers = self._have_numbers or plan.has_numbers
        self._plans.keep(shape.key_of(text), learned, shape.size_of(text) + _OVERHEAD)
        return True

    def _learned(
        self,
        text: Pieces,
        shape: _Shape,
        units: PlannedUnits,
        values: Sequence[str],
        variable: Mapping[int, range | None],
    ) -> TextPlan | None:
        """Read a text with probes in some places, and return its plan; None if other texts may have another key.

        Args:
            text: the text.
            shape: which pieces may be values.
            units: as `learn` has it.
            values: as `learn` has it.
            variable: as `ConversationPlan.variable` returned it.
        """
        places = shape.places
        strings = self._splitter.values([text.pieces[at] for at in places])
        if strings is None or not self._are_only_values(strings):
            return None
        numbers = [number for number, at in enumerate(places) if self._splitter.is_number(text.pieces, at)]
        least = _least_lengths(values, variable)
        probes = [
            str(_PROBE + number) if number in numbers else probe(number).ljust(least.get(string, 0), "x")
            for number, string in enumerate(strings)
        ]
        indices = {text: number for number, text in enumerate(probes)}
        if not indices.keys().isdisjoint(values):
            return None
        read = self._read_with(text, shape, probes)
        if read is None or read[0] != units.key or len(read[1]) != len(values):
            return None
        constants: list[str] = []
        order: list[int] = []
        for number, (value, filled) in enumerate(zip(values, read[1], strict=True)):
            found = indices.get(filled)
            if found is None and filled == value:
                order.append(len(places) + len(constants))
                constants.append(value)
            elif found is not None and number in variable:
                order.append(found)
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
            ends = [f" {one} " if at < stripped and at in contents else one for at, one in enumerate(probes)]
            spaced = self._read_with(text, shape, ends)
            if spaced is not None and spaced[0] == units.key:
                getter = None if is_in_order else _getter(order)
                return TextPlan(units, constants, getter, lengths, stripped, numbers)
        return None

    def _read_with(self, text: Pieces, shape: _Shape, strings: Sequence[str]) -> tuple[Hashable, Sequence[str]] | None:
        """Read a text with other strings in place of some pieces; return None if it cannot be read so."""
        probed = [*text.pieces]
        for at, string in zip(shape.places, strings, strict=True):
            probed[at] = self._splitter.spelled(string)
        for at, first in shape.repeats.items():
            probed[at] = probed[first]
        try:
            return self._read(self._splitter.source(probed))
        except BridgeError:
            return None

    def _shape(self, text: Pieces, values: Sequence[str]) -> _Shape:
        """Return which pieces are these values; none are if there are more than values, and no repetitions."""
        indices = range(self._splitter.first, len(text.pieces), 2)
        strings = self._splitter.values(text.pieces[self._splitter.first :: 2]) or []
        counts = Counter(values)
        first: dict[str, int] = {}
        places: list[int] = []
        repeats: dict[int, int] = {}
        for at, string in zip(indices, strings, strict=False):
            if string not in counts or self._splitter.is_key(text.pieces, at):
                continue
            if first.setdefault(string, at) != at and counts[string] == 1:
                repeats[at] = first[string]
            else:
                places.append(at)
        if len(places) > len(values):
            places, repeats = [], {}
        others = {*indices} - {*places} - repeats.keys()
        return _Shape(places, repeats, sorted(others), self._splitter.key)


def _least_lengths(values: Sequence[str], variable: Mapping[int, range | None]) -> dict[str, int]:
    """Return how long a text in the place of a value must be at least, by the value, if it may not have any length.

    Args:
        values: the values of a conversation.
        variable: as `ConversationPlan.variable` returned it.
    """
    least: dict[str, int] = {}
    for number, allowed in variable.items():
        if allowed is not None:
            least[values[number]] = max(least.get(values[number], 0), allowed.start)
    return least


def _getter(indices: Sequence[int]) -> Get:
    """Return what gets the elements with these indices as a tuple, of whatever length."""
    if len(indices) > 1:
        return itemgetter(*indices)
    return lambda elements: tuple([elements[at] for at in indices])
