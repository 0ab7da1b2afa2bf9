"""Reading unit by unit: those that are alike are read once by the format's grammar, and remembered."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any, Final, cast

from ..common.memo import Meetings, Memo
from ..errors import BridgeError
from ..loss import Log
from ..model import Completion, Document, Json, Transcript
from ..units.conversation import Conversation, ConversationPlan, whole
from ..units.grammar import Parted, Skeleton, Unit
from ..units.heads import Head, Item, are_same, head_of, item_of
from ..units.places import NONE, Slots
from ..units.reader import UnitReader
from .plans.conversations import MOST, ConversationPlans
from .plans.envelopes import OpenedEnvelopes
from .plans.learning import MEETINGS
from .plans.probes import has_others, own_texts, place_of, probe

LIMIT: Final = 4096
"""How many plans a reader knows at once; where there are more, all are forgotten."""


_A_PLAN: Final = 1000
"""How many characters of what units have in common count as much as a plan."""
_UNKNOWN: Final[Any] = object()
"""Stands for what has not been learned."""


class UnitPlan:
    """What a unit is read as, other than one message whose content is its only value.

    Args:
        slots: its messages.
        count: how many values a unit has.
        noticed: whether a reader notices something of such a unit. What that is names its place, so each is read; only
            conversations that have it at the same place are read by a plan.

    Attributes:
        slots: as given.
        count: as given.
        noticed: as given.
        plain: whether all messages are plain.
    """

    __slots__ = ("count", "noticed", "plain", "slots")

    def __init__(self, slots: Sequence[Slots], count: int, *, noticed: bool = False) -> None:
        self.slots: Final = slots
        self.noticed: Final = noticed
        self.plain: Final = all(slot.is_plain for slot in slots)
        self.count: Final = count


Reading = Head | UnitPlan
"""What a unit is read as: the head of one message whose content is the only value, or more."""


class Reader:
    """Reads a format's documents.

    Args:
        grammar: the format's, with the options in it.
        plans: whether what a unit is read as is remembered; the result is the same without.
    """

    def __init__(self, grammar: UnitReader, *, plans: bool = True) -> None:
        self._grammar = grammar
        self._part = OpenedEnvelopes(grammar).part if plans else grammar.part
        self._skeleton = grammar.skeleton if plans else _none
        self._plans = Memo[Hashable, Reading | None](LIMIT)
        self._meetings: Final = Meetings(LIMIT)
        self._conversations = ConversationPlans(grammar)

    def read(self, source: str | Json, log: Log) -> Conversation | Completion:
        """A document as a conversation, or a text to be completed.

        Args:
            source: text, or a JSON value.
            log: takes what is noticed.

        Raises:
            BridgeError: what the format's reader raises.
        """
        parted = self._part(source, log)
        if isinstance(parted, Completion):
            return parted
        skeleton, known = self._skeleton, self._plans
        plans: list[Reading | None] = []
        values: list[str] = []
        before: Unit | None = None
        for at, unit in enumerate(parted.units):
            found = skeleton(unit, before)
            before = unit
            plan = None
            if found is not None:
                plan = known.get(found[0], _UNKNOWN)
                if plan is _UNKNOWN:
                    plan = self._met(unit, at, found, parted)
                if plan is not None:
                    values += found[1]
            plans.append(plan)
        known_all = None not in plans
        values += parted.values
        key, slots = None, partial(_slots_of, plans, cut_off=parted.cut_off)
        if known_all and parted.envelope is not None and len(plans) <= MOST:
            key = self._conversations.key_of((parted.envelope, *plans), slots, values)
        alike = None if key is None else self._conversations.find(key, values)
        if alike is not None:
            log.findings += alike.findings
            return _by_plan(alike, values)
        noticed = len(log.findings)
        items = self._items(parted, plans, values, log)
        of_units = log.findings[noticed:]
        conversation = self._grammar.relate(items, parted, log)
        conversation.plain = known_all and all(
            isinstance(plan, Head) or (plan is not None and plan.plain) for plan in plans
        )
        if key is not None and self._conversations.is_due(key):
            sizes = [1 if isinstance(plan, Head) else plan.count for plan in plans if plan is not None]
            findings = log.findings[noticed:]
            alike = self._conversations.learn(key, conversation, parted, sizes, slots(), values, findings, of_units)
            return conversation if alike is None else _by_plan(alike, values)
        return conversation

    def _items(self, parted: Parted, plans: Sequence[Reading | None], values: Sequence[str], log: Log) -> list[Item]:
        """The messages of a document, unit by unit, before they are related.

        Args:
            parted: the document.
            plans: what each of its units is read as; None for one that the grammar reads.
            values: the contents and ids of the others.
            log: takes what is noticed.
        """
        items: list[Item] = []
        push, start = items.append, 0
        for at, plan in enumerate(plans):
            if isinstance(plan, Head):
                push((plan, values[start], None))
                start += 1
                continue
            if plan is None or plan.noticed:
                items += map(item_of, self._grammar.read(parted.units[at], at, len(items), parted, log))
            else:
                own = values[start : start + plan.count]
                items += [slots.item(own) for slots in plan.slots]
            start += 0 if plan is None else plan.count
        if parted.cut_off and items:
            head, content, call_id = items[-1]
            items[-1] = (head.replaced(end=None), content, call_id)
        return items

    def _met(self, unit: Unit, at: int, skeleton: Skeleton, parted: Parted) -> Reading | None:
        """What a unit is read as, where units like it were met often enough to learn that; None for the plain way.

        Args:
            unit: the unit.
            at: its index.
            skeleton: of the unit.
            parted: its document.
        """
        key, _ = skeleton
        return (
            None
            if self._meetings.met(key) < MEETINGS
            else self._plans.keep(key, self._learned(unit, at, skeleton, parted), _weight(key))
        )

    def _learned(self, unit: Unit, at: int, skeleton: Skeleton, parted: Parted) -> Reading | None:
        """What units like this one are read as; None where that depends on more."""
        key, values = skeleton
        filled = self._grammar.filled(unit, [probe(number) for number in range(len(values))])
        log = Log()
        try:
            made = self._grammar.read(filled, at, 0, parted, log)
            other = self._grammar.skeleton(filled, parted.units[at - 1] if at else None)
        except BridgeError:
            return None
        if other is None or other[0] != key:
            return None
        probes = other[1]
        numbers = {text: number for number, text in enumerate(probes)}
        plan: list[Slots] = []
        for message in made:
            head, place = head_of(message, expected=True), place_of(message.content, numbers)
            call_id = NONE if message.call_id is None else numbers.get(message.call_id)
            own = own_texts(head, numbers)
            if place is None or call_id is None or own is None or not (head.shared or own):
                return None
            plan.append(Slots(head, place, call_id, own))
        used = sorted([number for slots in plan for number in slots.numbers])
        if used != list(range(len(probes))) or has_others(plan):
            return None
        own_log = Log()
        items = [item_of(message, expected=True) for message in self._grammar.read(unit, at, 0, parted, own_log)]
        if own_log.findings != log.findings or not are_same([slots.item(values) for slots in plan], items):
            return None
        plain = len(plan) == 1 and plan[0][1:] == (0, NONE, ()) and not log.findings
        return plan[0].head if plain else UnitPlan(tuple(plan), len(values), noticed=bool(log.findings))


def _by_plan(plan: ConversationPlan, values: Sequence[str]) -> Conversation:
    """A conversation by the plan of those that are read alike."""
    around = None if plan.labels else plan.around
    return Conversation(None, around, plan=plan, values=values, lifted=plan.lifted)


def _weight(key: Hashable) -> int:
    """How many other plans one counts for: one whose key has declared tools in it takes more memory."""
    parts = cast("tuple[object, ...]", key) if isinstance(key, tuple) else ()
    return 1 + sum([len(part) for part in parts if isinstance(part, str)]) // _A_PLAN


def _slots_of(plans: Sequence[Reading | None], *, cut_off: bool) -> list[Slots]:
    """The messages of units that all have plans, before they are related."""
    found: list[Slots] = []
    start = 0
    for plan in plans:
        if isinstance(plan, Head):
            found.append(Slots(plan, start, NONE))
            start += 1
        elif plan is not None:
            found += [slots.behind(start) for slots in plan.slots]
            start += plan.count
    if cut_off and found:
        found[-1] = found[-1]._replace(head=found[-1].head.replaced(end=None))
    return found


def document_of(grammar: UnitReader, source: str | Json, log: Log) -> Document:
    """What a grammar reads a source as, without plans: for a format's own use.

    Args:
        grammar: the format's, with the options in it.
        source: text, or a JSON value.
        log: takes what is noticed.

    Raises:
        BridgeError: what the grammar raises.
    """
    return whole(Reader(grammar, plans=False).read(source, log))


def transcript_of(grammar: UnitReader, source: str | Json, log: Log) -> Transcript:
    """The same for a format that has conversations only."""
    document = document_of(grammar, source, log)
    assert isinstance(document, Transcript)
    return document


def _none(unit: Unit, before: Unit | None) -> Skeleton | None:  # noqa: ARG001
    return None
