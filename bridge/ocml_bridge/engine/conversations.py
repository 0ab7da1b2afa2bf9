"""Conversations that are read alike: what they have in common is found once, and remembered."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from ..errors import BridgeError
from ..loss import Log
from ..memo import Meetings, Memo
from ..plans.probes import PROBE, has_others, is_in, probe
from ..units.conversation import Conversation, ConversationPlan
from ..units.grammar import AN_OBJECT, Parted
from ..units.heads import Item
from ..units.places import NONE, Slots, place_of
from ..units.reader import UnitReader

SIZE: Final = 50_000
"""How many units the plans of a reader have together; where there are more, all are forgotten."""
MOST: Final = 100
"""How many units a conversation has at most that others are expected to be like."""
MEETINGS: Final = 4
"""How often conversations that are alike are met before their plan is learned: that takes as long as five save."""
_COUNTED: Final = 4096
"""How many kinds of conversations without a plan are counted."""


class ConversationPlans:
    """The plans of the conversations that a reader has met often.

    Args:
        grammar: the format's, with the options in it.
    """

    def __init__(self, grammar: UnitReader) -> None:
        self._grammar: Final = grammar
        self._plans = Memo[Hashable, ConversationPlan](SIZE)
        self._meetings: Final = Meetings(_COUNTED)

    def find(self, key: Hashable, values: Sequence[str]) -> ConversationPlan | None:
        """The plan of a conversation; None where there is none, or it is related otherwise than those of the plan.

        Args:
            key: what is equal for conversations that are read alike.
            values: its contents and ids.
        """
        plan = self._plans.get(key)
        return plan if plan is not None and self._fits(plan, values) else None

    def _fits(self, plan: ConversationPlan, values: Sequence[str]) -> bool:
        if not plan.fits(values):
            return False
        grammar = self._grammar
        return not grammar.looks_at_contents or all(
            grammar.is_related_alike(item.head, values[number]) for item in plan.items for number in item.texts
        )

    def is_due(self, key: Hashable) -> bool:
        """Count a conversation that was read unit by unit; whether there were as many as a plan is worth.

        Args:
            key: what is equal for conversations that are read alike.
        """
        return self._meetings.met(key) == MEETINGS

    def learn(
        self,
        key: Hashable,
        conversation: Conversation,
        parted: Parted,
        sizes: Sequence[int],
        slots: Sequence[Slots],
        values: Sequence[str],
    ) -> None:
        """Learn the plan of conversations like one.

        Args:
            key: what is equal for them.
            conversation: what was read.
            parted: its document.
            sizes: how many contents and ids each unit has.
            slots: its messages, as they were read before they were related.
            values: its contents and ids.
        """
        plan = self._learned(parted, sizes, slots, values)
        if plan is not None and self._fits(plan, values) and _is_of(plan, conversation, values):
            self._plans.keep(key, plan, len(parted.units) + 1)

    def _learned(
        self, parted: Parted, sizes: Sequence[int], slots: Sequence[Slots], values: Sequence[str]
    ) -> ConversationPlan | None:
        """What conversations like this one have in common; None where there is something to note."""
        same = _same_ids(slots, values)
        if same is None:
            return None
        probes = [probe(same.get(slot, slot)) for slot in range(len(values))]
        for head, place, _ in slots:
            if isinstance(place, int) and place >= 0 and (head.calls or head.promises_json):
                probes[place] = f"{AN_OBJECT.before}{probes[place]}{AN_OBJECT.after}"
        items: list[Item] = ConversationPlan(slots, parted.around, same).items_of(probes)
        filled = self._filled(parted, probes, sizes)
        log = Log()
        try:
            made = self._grammar.relate(items, filled, log)
        except BridgeError:
            return None
        if log.findings or PROBE in repr(made.around):
            return None
        contents = {probes[slot]: slot for slot in range(len(values)) if slot not in same}
        ids = {probes[slot]: slot for slot in reversed(same)}
        heads = {slot.head for slot in slots}  # those of units: there is no probe in them

        plan: list[Slots] = []
        for head, content, call_id in made.items:
            place, of_id = place_of(content, contents), NONE if call_id is None else ids.get(call_id)
            if place is None or of_id is None or not head.shared or (head not in heads and is_in(head)):
                return None
            plan.append(Slots(head, place, of_id))
        if has_others(plan):
            return None
        return ConversationPlan(tuple(plan), made.around, same)

    def _filled(self, parted: Parted, probes: Sequence[str], sizes: Sequence[int]) -> Parted:
        """The document with probes in place of contents and ids."""
        units, start = list[object](), 0
        for unit, size in zip(parted.units, sizes, strict=True):
            units.append(self._grammar.filled(unit, probes[start : start + size]) if size else unit)
            start += size
        return parted._replace(units=units)


def _same_ids(slots: Sequence[Slots], values: Sequence[str]) -> dict[int, int] | None:
    """For each value that is an id, the first that is the same; None where a call or reply has no id though some have.

    Ids that are made up for them must be none of the others.
    """
    first: dict[str, int] = {}
    same = {one.call_id: first.setdefault(values[one.call_id], one.call_id) for one in slots if one.call_id >= 0}
    without = any((one.head.calls or one.head.role == "tool") and one.call_id < 0 for one in slots)
    return None if same and without else same


def _is_of(plan: ConversationPlan, conversation: Conversation, values: Sequence[str]) -> bool:
    """Whether a plan tells a conversation that was read without it."""
    return plan.items_of(values) == [*conversation.items] and plan.around == conversation.around
