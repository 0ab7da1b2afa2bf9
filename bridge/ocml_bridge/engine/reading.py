"""Reading unit by unit: those that are alike are read once by the format's grammar, and remembered."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final

from ..errors import BridgeError
from ..loss import Log
from ..memo import Memo
from ..model import Completion, Document, Json, Transcript
from ..plans.learning import MEETINGS
from ..plans.probes import is_in, probe
from ..units.conversation import Conversation, whole
from ..units.grammar import Parted, Skeleton, Unit
from ..units.heads import Head, Item, head_of, item_of
from ..units.reader import UnitReader
from .conversations import MOST, ConversationPlans, Slots
from .envelopes import OpenedEnvelopes

LIMIT: Final = 4096
"""How many plans a reader knows at once; where there are more, all are forgotten."""


_UNKNOWN: Final[Any] = object()
"""Stands for what has not been learned."""


class UnitPlan:
    """What a unit is read as, other than one message whose content is its only value.

    Args:
        slots: for each message its head, and which of the unit's values its content and its id are; -1 for none.
        count: how many values a unit has.
    """

    __slots__ = ("count", "slots")

    def __init__(self, slots: Slots, count: int) -> None:
        self.slots: Final = slots
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
        self._counts = Memo[int, int](LIMIT)
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
        plain = True
        for at, unit in enumerate(parted.units):
            found = skeleton(unit, before)
            before = unit
            plan = None
            if found is not None:
                plan = known.get(found[0], _UNKNOWN)
                if plan is _UNKNOWN:
                    plan = self._met(unit, at, found, parted)
            if plan is None or found is None:
                plain, plan = False, None
            else:
                values += found[1]
            plans.append(plan)
        key = (parted.envelope, *plans) if plain and parted.envelope is not None and len(plans) <= MOST else None
        if key is not None:
            alike = self._conversations.find(key, values)
            if alike is not None:
                return Conversation(None, alike.around, plan=alike, values=values)
        conversation = self._related(parted, plans, values, log)
        conversation.plain = plain
        if key is not None and self._conversations.is_due(key):
            slots = _slots_of(plans, cut_off=parted.cut_off)
            self._conversations.learn(key, conversation, parted, slots, values)
        return conversation

    def _related(
        self, parted: Parted, plans: Sequence[Reading | None], values: Sequence[str], log: Log
    ) -> Conversation:
        """The conversation of a document, unit by unit.

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
            elif plan is None:
                items += map(item_of, self._grammar.read(parted.units[at], at, len(items), parted, log))
            else:
                for head, content, call_id in plan.slots:
                    text = values[start + content] if content >= 0 else ""
                    push((head, text, values[start + call_id] if call_id >= 0 else None))
                start += plan.count
        if parted.cut_off and items:
            head, content, call_id = items[-1]
            items[-1] = (head.replaced(end=None), content, call_id)
        return self._grammar.relate(items, parted, log)

    def _met(self, unit: Unit, at: int, skeleton: Skeleton, parted: Parted) -> Reading | None:
        """What a unit is read as, where units like it were met often enough to learn that; None for the plain way.

        Args:
            unit: the unit.
            at: its index.
            skeleton: of the unit.
            parted: its document.
        """
        key, _ = skeleton
        number = hash(key)
        met = self._counts.get(number, 0) + 1
        self._counts.keep(number, met, 1 if met == 1 else 0)
        return None if met < MEETINGS else self._plans.keep(key, self._learned(unit, at, skeleton, parted))

    def _learned(self, unit: Unit, at: int, skeleton: Skeleton, parted: Parted) -> Reading | None:
        """What units like this one are read as; None where that depends on more, or there is something to note."""
        key, values = skeleton
        filled = self._grammar.filled(unit, [probe(number) for number in range(len(values))])
        log = Log()
        try:
            made = self._grammar.read(filled, at, 0, parted, log)
            other = self._grammar.skeleton(filled, parted.units[at - 1] if at else None)
        except BridgeError:
            return None
        if log.findings or other is None or other[0] != key:
            return None
        probes = other[1]
        numbers = {text: number for number, text in enumerate(probes)}
        plan: list[tuple[Head, int, int]] = []
        for message in made:
            content, call_id, head = message.content, message.call_id, head_of(message, expected=True)
            if not isinstance(content, str) or not head.shared or is_in(head):
                return None
            if (content and content not in numbers) or (call_id is not None and call_id not in numbers):
                return None
            plan.append((head, numbers[content] if content else -1, -1 if call_id is None else numbers[call_id]))
        used = sorted(number for _, *places in plan for number in places if number >= 0)
        if used != list(range(len(probes))):
            return None
        return plan[0][0] if [place[1:] for place in plan] == [(0, -1)] else UnitPlan(tuple(plan), len(values))


def _slots_of(plans: Sequence[Reading | None], *, cut_off: bool) -> list[tuple[Head, int, int]]:
    """The messages of units that all have plans, before they are related."""
    slots: list[tuple[Head, int, int]] = []
    start = 0
    for plan in plans:
        if isinstance(plan, Head):
            slots.append((plan, start, -1))
            start += 1
        elif plan is not None:
            for head, *places in plan.slots:
                content, call_id = [start + place if place >= 0 else -1 for place in places]
                slots.append((head, content, call_id))
            start += plan.count
    if cut_off and slots:
        head, content, call_id = slots[-1]
        slots[-1] = head.replaced(end=None), content, call_id
    return slots


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
