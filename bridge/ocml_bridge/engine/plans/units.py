"""Learns the plans of units: what all units with one skeleton read as.

The format's grammar (a `UnitReader`) gives a cache key for a unit, its skeleton. The second time that a key is met, its
plan is learned: the grammar parses the unit once more, with probes (placeholder texts) as its values, and the plan says
which probe became which content or id. From then on, a unit with this key is read by looking up the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, cast

from ...common.memo import Meetings, Memo
from ...errors import BridgeError
from ...loss import Log
from ...units.grammar import Skeleton, SplitDocument, Unit
from ...units.heads import Head, are_same, head_of, item_of
from ...units.planned_items import NONE, PlannedItem
from ...units.reader import UnitReader
from .learning import MEETINGS
from .probes import extra_texts, has_others, place_of, probe

LIMIT: Final = 4096
"""How many plans a reader's cache holds; if there are more, it is cleared."""
_KEY_LENGTH: Final = 1000
"""How many characters of a cache key count as one more plan."""
_NOT_CACHED: Final[Any] = object()
"""The default of look-ups in the cache, in which None says that there is no plan."""


class UnitPlan:
    """What the units with one skeleton read as, unless that is one message whose content is the only value.

    Args:
        items: their messages, with the places of contents and ids among the values of a unit.
        count: how many values a unit has.
        has_findings: whether the reader reports findings for such a unit. A finding names the place of the unit, so
            each unit is parsed all the same; the plan serves only for plans of conversations, which have the place.

    Attributes:
        items: as given.
        count: as given.
        has_findings: as given.
        plain: whether all messages are plain (`PlannedItem.is_plain`).
        simple: for each message its head, and the indices of its content and of its id; None if this does not say all.
    """

    __slots__ = ("count", "has_findings", "items", "plain", "simple")

    def __init__(self, items: Sequence[PlannedItem], count: int, *, has_findings: bool = False) -> None:
        self.items: Final = items
        self.has_findings: Final = has_findings
        self.plain: Final = all(item.is_plain for item in items)
        self.count: Final = count
        self.simple: Final = _simple(items)


ReadingPlan = Head | UnitPlan
"""The plan of a unit. A `Head` is the plan of a unit that is one message whose content is the only value."""


class SplitByPlan(NamedTuple):
    """A document that is split into units, with the plans of its units.

    Attributes:
        split: the document.
        plans: the plan of each unit; None for a unit that the grammar parses.
        values: the values of all units with a plan, in order; behind them, the labels of the document.
    """

    split: SplitDocument
    plans: Sequence[ReadingPlan | None]
    values: Sequence[str]

    @property
    def is_planned(self) -> bool:
        """Whether all units have plans."""
        return None not in self.plans

    @property
    def key(self) -> Hashable:
        """The envelope with the plans of the units."""
        return (self.split.envelope, *self.plans)

    @property
    def sizes(self) -> list[int]:
        """How many values each unit has; only if all have plans."""
        return [1 if isinstance(plan, Head) else plan.count for plan in self.plans if plan is not None]

    @property
    def items(self) -> Callable[[], list[PlannedItem]]:
        """Returns the messages before they are related; only if all units have plans. It keeps no text in memory."""
        return partial(_items_of, self.plans, cut_off=self.split.cut_off)


class UnitPlans:
    """Learns the plans of a reader's units, and caches them.

    Args:
        grammar: the format's reader of units.
        plans: whether plans are learned and used.
    """

    def __init__(self, grammar: UnitReader, *, plans: bool) -> None:
        self._grammar: Final = grammar
        self._skeleton: Final = grammar.skeleton if plans else _no_skeleton
        self._plans: Final = Memo[Hashable, ReadingPlan | None](LIMIT)
        self._meetings: Final = Meetings(LIMIT)

    def find(self, split: SplitDocument) -> SplitByPlan:
        """Return a document with the plans of its units."""
        skeleton_of, cache = self._skeleton, self._plans
        plans: list[ReadingPlan | None] = []
        values: list[str] = []
        before: Unit | None = None
        for at, unit in enumerate(split.units):
            skeleton = skeleton_of(unit, before)
            before = unit
            plan = None
            if skeleton is not None:
                plan = cache.get(skeleton[0], _NOT_CACHED)
                if plan is _NOT_CACHED:
                    plan = self._learn_if_repeated(unit, at, skeleton, split)
                if plan is not None:
                    values += skeleton[1]
            plans.append(plan)
        values += split.values
        return SplitByPlan(split, plans, values)

    def _learn_if_repeated(self, unit: Unit, at: int, skeleton: Skeleton, split: SplitDocument) -> ReadingPlan | None:
        """Learn the plan for a skeleton that is not in the cache, once it was met often enough.

        Args:
            unit: a unit with this skeleton.
            at: its index in the document.
            skeleton: its cache key and values.
            split: its document.

        Returns:
            None if the grammar has to parse the unit.
        """
        key, _ = skeleton
        if self._meetings.met(key) < MEETINGS:
            return None
        return self._plans.keep(key, self._learned(unit, at, skeleton, split), _weight(key))

    def _learned(self, unit: Unit, at: int, skeleton: Skeleton, split: SplitDocument) -> ReadingPlan | None:
        """Return the plan for a skeleton; None if what its units read as depends on more than key and values."""
        key, values = skeleton
        filled = self._grammar.with_values(unit, [probe(number) for number in range(len(values))])
        log = Log()
        try:
            messages = self._grammar.read_unit(filled, at, 0, split, log)
            filled_skeleton = self._grammar.skeleton(filled, split.units[at - 1] if at else None)
        except BridgeError:
            return None
        if filled_skeleton is None or filled_skeleton[0] != key:
            return None
        probes = filled_skeleton[1]
        numbers = {text: number for number, text in enumerate(probes)}
        plan: list[PlannedItem] = []
        for message in messages:
            head, place = head_of(message, expected=True), place_of(message.content, numbers)
            call_id = NONE if message.call_id is None else numbers.get(message.call_id)
            texts = extra_texts(head, numbers)
            if place is None or call_id is None or texts is None or not (head.shared or texts):
                return None
            plan.append(PlannedItem(head, place, call_id, texts))
        used = sorted([number for item in plan for number in item.numbers])
        if used != list(range(len(probes))) or has_others(plan):
            return None
        # The plan must give what the grammar gives for the unit at hand.
        unit_log = Log()
        items = [item_of(message, expected=True) for message in self._grammar.read_unit(unit, at, 0, split, unit_log)]
        if unit_log.findings != log.findings or not are_same([item.with_values(values) for item in plan], items):
            return None
        is_one_content = len(plan) == 1 and plan[0][1:] == (0, NONE, ()) and not log.findings
        return plan[0].head if is_one_content else UnitPlan(tuple(plan), len(values), has_findings=bool(log.findings))


def _simple(items: Sequence[PlannedItem]) -> list[tuple[Head, int, int]] | None:
    """Return the head of each message, and the indices of its content and of its id; None if this does not say all."""
    simple = [(head, place, call_id) for head, place, call_id, texts in items if isinstance(place, int) and not texts]
    return simple if len(simple) == len(items) else None


def _weight(key: Hashable) -> int:
    """Return how much the plan of a key counts in the cache: a key that has declared tools in it takes more memory."""
    parts = cast("tuple[object, ...]", key) if isinstance(key, tuple) else ()
    return 1 + sum([len(part) for part in parts if isinstance(part, str)]) // _KEY_LENGTH


def _items_of(plans: Sequence[ReadingPlan | None], *, cut_off: bool) -> list[PlannedItem]:
    """Return the messages of units that all have plans, with places among the values of the whole document."""
    messages: list[PlannedItem] = []
    start = 0
    for plan in plans:
        if isinstance(plan, Head):
            messages.append(PlannedItem(plan, start, NONE))
            start += 1
        elif plan is not None:
            messages += [item.shifted(start) for item in plan.items]
            start += plan.count
    if cut_off and messages:
        messages[-1] = messages[-1]._replace(head=messages[-1].head.replaced(end=None))
    return messages


def _no_skeleton(unit: Unit, before: Unit | None) -> Skeleton | None:  # noqa: ARG001
    return None
