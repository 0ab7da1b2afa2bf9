"""Reads documents: splits them into units, parses each unit or takes it from a cache, and relates the messages.

The format's grammar (a `UnitReader`) gives a cache key for a unit, its skeleton. The second time that a key is met, a
**plan** is learned: the grammar parses the unit once more, with probes (placeholder texts) as its values, and the plan
says which probe became which content or id. From then on, a unit with this key is read by looking up the plan.
Conversations whose units have the same plans get a plan of their own (`plans/conversations.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any, Final, cast

from ..common.memo import Meetings, Memo
from ..errors import BridgeError
from ..loss import Log
from ..model import Completion, Document, Json, Transcript
from ..units.conversation import Conversation, ConversationPlan, whole
from ..units.grammar import Skeleton, SplitDocument, Unit
from ..units.heads import Head, Item, are_same, head_of, item_of
from ..units.planned_items import NONE, PlannedItem
from ..units.reader import UnitReader
from .plans.conversations import MOST, ConversationPlans, PlannedUnits, UnrelatedItems
from .plans.envelopes import OpenedEnvelopes
from .plans.learning import MEETINGS
from .plans.pieces import Pieces, splitter_for
from .plans.probes import extra_texts, has_others, place_of, probe
from .plans.texts import TextPlans

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


class Reader:
    """Reads the documents of a format.

    Args:
        grammar: the format's reader of units.
        plans: whether plans are learned and used; the result is the same without.
    """

    def __init__(self, grammar: UnitReader, *, plans: bool = True) -> None:
        self._grammar = grammar
        self._split = OpenedEnvelopes(grammar).split_units if plans else grammar.split_units
        self._skeleton = grammar.skeleton if plans else _no_skeleton
        self._plans = Memo[Hashable, ReadingPlan | None](LIMIT)
        self._meetings: Final = Meetings(LIMIT)
        self._conversations = ConversationPlans(grammar)
        splitter = splitter_for(grammar) if plans else None
        self._texts = None if splitter is None else TextPlans(grammar, splitter, self._planned_units)

    def split_text(self, data: str | bytes) -> Pieces | None:
        """Split a text for `read_text`; return None if it is to be parsed at once."""
        return None if self._texts is None else self._texts.split(data)

    def read_text(self, text: Pieces, *, detected: bool = False) -> Conversation | None:
        """Read a text by its plan, without parsing it; return None if it has to be parsed.

        Args:
            text: the text.
            detected: whether the format of a text like it must have been detected (`store_detected`).
        """
        found = self._texts.find(text, detected=detected) if text.pieces and self._texts is not None else None
        if found is None:
            return None
        units, values = found
        plan = self._conversations.for_units(units, values)
        return None if plan is None or plan.findings else _by_plan(plan, values)

    def store_detected(self, text: Pieces) -> None:
        """Store that the format of a text was detected, for texts like it."""
        if self._texts is not None:
            self._texts.store_detected(text)

    def read(self, source: str | Json, log: Log, text: Pieces | None = None) -> Conversation | Completion:
        """Read a document as a conversation, or as a text to be completed.

        Args:
            source: text, or a JSON value.
            log: takes the findings.
            text: the text of the source, if it is split and `read_text` returned None for it.

        Raises:
            BridgeError: as the format's reader raises it.
        """
        split = self._split(source, log)
        if isinstance(split, Completion):
            return split
        plans, values = self._unit_plans(split)
        all_planned = None not in plans
        values += split.values
        # If all units have plans, there may be a plan of the conversation.
        key, planned_items = None, partial(_items_of, plans, cut_off=split.cut_off)
        units_key = (split.envelope, *plans)
        if all_planned and split.envelope is not None and len(plans) <= MOST:
            key = self._conversations.key_of(units_key, planned_items, values)
        plan = None if key is None else self._conversations.find(key, values)
        is_due = (
            text is not None
            and self._texts is not None
            and self._texts.is_due(text, self._conversations.least_meetings)
        )
        conversation = None
        if plan is not None:
            log.findings += plan.findings
        else:
            first_finding = len(log.findings)
            items = self._items(split, plans, values, log)
            unit_findings = log.findings[first_finding:]
            conversation = self._grammar.relate(items, split, log)
            if all_planned:
                conversation.plain = all(each.plain for each in plans if isinstance(each, UnitPlan))
            if self._conversations.is_due(key, at_once=is_due) and key is not None:
                sizes = [1 if isinstance(each, Head) else each.count for each in plans if each is not None]
                unrelated = UnrelatedItems(split, planned_items(), values, sizes)
                findings = log.findings[first_finding:]
                plan = self._conversations.learn(key, conversation, unrelated, findings, unit_findings)
        if text is not None and self._texts is not None:
            plan_of_all = None if self._grammar.looks_at_contents else plan
            units = PlannedUnits(units_key, planned_items, plan_of_all)
            self._texts.learn(text, units, values, None if log.findings else plan, is_due=is_due)
        if plan is not None:
            return _by_plan(plan, values)
        assert conversation is not None
        return conversation

    def _planned_units(self, source: str | Json) -> tuple[Hashable, Sequence[str]] | None:
        """Return the envelope with the plans of the units of a document, and its values; None for a completion."""
        split = self._split(source, Log())
        if isinstance(split, Completion):
            return None
        plans, values = self._unit_plans(split)
        return (split.envelope, *plans), [*values, *split.values]

    def _unit_plans(self, split: SplitDocument) -> tuple[list[ReadingPlan | None], list[str]]:
        """Return the plan of each unit, or None, and the values of all units with a plan, in order."""
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
        return plans, values

    def _items(
        self, split: SplitDocument, plans: Sequence[ReadingPlan | None], values: Sequence[str], log: Log
    ) -> list[Item]:
        """Return the messages of all units, before they are related.

        Args:
            split: the document.
            plans: the plan of each unit; None for a unit that the grammar parses.
            values: the values of all units with a plan, in order.
            log: takes the findings.
        """
        items: list[Item] = []
        push, start = items.append, 0
        for at, plan in enumerate(plans):
            if isinstance(plan, Head):
                push((plan, values[start], None))
                start += 1
                continue
            if plan is None or plan.has_findings:
                items += map(item_of, self._grammar.read_unit(split.units[at], at, len(items), split, log))
            elif plan.simple is not None:
                for head, place, call_id in plan.simple:
                    content = values[start + place] if place >= 0 else ""
                    push((head, content, values[start + call_id] if call_id >= 0 else None))
            else:
                unit_values = values[start : start + plan.count]
                items += [item.with_values(unit_values) for item in plan.items]
            start += 0 if plan is None else plan.count
        if split.cut_off and items:
            head, content, call_id = items[-1]
            items[-1] = (head.replaced(end=None), content, call_id)
        return items

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


def _by_plan(plan: ConversationPlan, values: Sequence[str]) -> Conversation:
    """Return the conversation with some values, by its plan: no message is built before it is needed."""
    around = None if plan.labels else plan.around
    return Conversation(None, around, plan=plan, values=values, declaration_at=plan.declaration_at)


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


def document_of(grammar: UnitReader, source: str | Json, log: Log) -> Document:
    """Read a source without plans; adapters use this to read back what they write.

    Args:
        grammar: the format's reader of units.
        source: text, or a JSON value.
        log: takes the findings.

    Raises:
        BridgeError: as the format's reader raises it.
    """
    return whole(Reader(grammar, plans=False).read(source, log))


def transcript_of(grammar: UnitReader, source: str | Json, log: Log) -> Transcript:
    """Read a source as `document_of` does, in a format that has conversations only."""
    document = document_of(grammar, source, log)
    assert isinstance(document, Transcript)
    return document


def _no_skeleton(unit: Unit, before: Unit | None) -> Skeleton | None:  # noqa: ARG001
    return None
