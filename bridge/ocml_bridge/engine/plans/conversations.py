"""Conversations that are read alike: what they have in common is found once, and remembered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final

from ...common.memo import Meetings, Memo
from ...errors import BridgeError
from ...loss import Finding, Log
from ...model import Transcript
from ...units.conversation import Conversation, ConversationPlan
from ...units.grammar import AN_OBJECT, Parted
from ...units.heads import LIMIT, Head, Item, are_same
from ...units.places import NONE, Label, Slots, with_labels
from ...units.reader import UnitReader
from .probes import PROBE, has_others, numbered, own_texts, place_of, probe

SIZE: Final = 50_000
"""How many units the plans of a reader have together; where there are more, all are forgotten."""
MOST: Final = 100
"""How many units a conversation has at most that others are expected to be like."""
MEETINGS: Final = 4
"""How often conversations that are alike are met before their plan is learned: that takes as long as five save."""
SELDOM: Final = 64
"""How often they are met where most plans are not used enough."""
WINDOW: Final = 256
"""After how many more plans it is seen whether as many that were learned before were used enough."""
SAVES: Final = 5
"""How often a plan has to be used, so that learning it saves time."""
_COUNTED: Final = 4096
"""How many kinds of conversations without a plan are counted."""
_FIXED: Final = 2
"""How many contents that matter to the whole, such as declared tools, are the same in all conversations of a plan."""
_LONGEST_FIXED: Final = 20_000
"""How long they are together, in characters."""
_A_UNIT: Final = 1000
"""How many characters of them count as much as a unit."""


class Fixed(tuple[Any, ...]):
    """What is equal for conversations that have contents in common: the key of units; each number of these, and it."""


class ConversationPlans:
    """The plans of the conversations that a reader has met often.

    Args:
        grammar: the format's, with the options in it.
    """

    def __init__(self, grammar: UnitReader) -> None:
        self._grammar: Final = grammar
        self._plans = Memo[Hashable, ConversationPlan](SIZE)
        self._meetings = Meetings(_COUNTED)
        self._due = MEETINGS
        self._recent: list[ConversationPlan | None] = []
        self._former: list[ConversationPlan | None] = []
        self._texts: Final[Memo[Hashable, list[tuple[Head, int]]]] = Memo(LIMIT)
        """For units that are read alike, each value that is a content, with the head of its message."""

    def key_of(self, key: Hashable, slots: Callable[[], Sequence[Slots]], values: Sequence[str]) -> Hashable | None:
        """What is equal for conversations that are read and related alike; None where this one is one of a kind.

        Args:
            key: what is equal for those whose units are read alike.
            slots: gives its messages, as they are read before they are related.
            values: its contents and ids.
        """
        if not self._grammar.looks_at_contents:
            return key
        texts = self._texts.get(key)
        if texts is None:
            texts = self._texts.keep(key, [(one.head, number) for one in slots() for number in one.texts])
        alike = self._grammar.is_related_alike
        fixed = [(number, values[number]) for head, number in texts if not alike(head, values[number])]
        if not fixed:
            return key
        few = len(fixed) <= _FIXED and sum([len(text) for _, text in fixed]) <= _LONGEST_FIXED
        return Fixed((key, *fixed)) if few else None

    def find(self, key: Hashable, values: Sequence[str]) -> ConversationPlan | None:
        """The plan of a conversation; None where there is none, or its ids are the same otherwise than in those of it.

        Args:
            key: as `key_of` gives it.
            values: its contents and ids.
        """
        plan = self._plans.get(key)
        if plan is None or not plan.fits(values):
            return None
        plan.uses += 1
        return plan

    def is_due(self, key: Hashable) -> bool:
        """Count a conversation that was read unit by unit; whether its plan is to be learned now.

        Args:
            key: as `key_of` gives it.
        """
        return self._meetings.met(key) == self._due

    def learn(
        self,
        key: Hashable,
        conversation: Conversation,
        parted: Parted,
        sizes: Sequence[int],
        slots: Sequence[Slots],
        values: Sequence[str],
        findings: Sequence[Finding],
        of_units: Sequence[Finding],
    ) -> ConversationPlan | None:
        """Learn the plan of conversations like one; None where there is none.

        Args:
            key: as `key_of` gives it.
            conversation: what was read.
            parted: its document.
            sizes: how many contents and ids each unit has.
            slots: its messages, as they were read before they were related.
            values: its contents and ids.
            findings: what was noticed.
            of_units: that of it which was noticed before the units were related; others like them have it, too.
        """
        fixed = dict[int, str](key[1:]) if isinstance(key, Fixed) else {}
        plan = self._learned(parted, sizes, slots, values, fixed, of_units)
        if plan is not None and not (
            plan.fits(values) and plan.findings == findings and _is_of(plan, conversation, values)
        ):
            plan = None
        if plan is not None:
            self._plans.keep(key, plan, len(parted.units) + 1 + sum(map(len, fixed.values())) // _A_UNIT)
        self._count(plan)
        return plan

    def _count(self, plan: ConversationPlan | None) -> None:
        """Count what was learned; where most of what was learned before is seldom used, the next is learned later."""
        self._recent.append(plan)
        if len(self._recent) < WINDOW:
            return
        if self._former:
            used = sum([former is not None and former.uses >= SAVES for former in self._former])
            due = MEETINGS if 2 * used >= WINDOW else min(2 * self._due, SELDOM)
            if due != self._due:
                self._due, self._meetings = due, Meetings(_COUNTED)
        self._former, self._recent = self._recent, []

    def _learned(
        self,
        parted: Parted,
        sizes: Sequence[int],
        slots: Sequence[Slots],
        values: Sequence[str],
        fixed: Mapping[int, str],
        of_units: Sequence[Finding],
    ) -> ConversationPlan | None:
        """What conversations like this one have in common; None where more is to be known of each.

        Args:
            parted: its document.
            sizes: how many contents and ids each unit has.
            slots: its messages, as they were read before they were related.
            values: its contents and ids.
            fixed: those of them that are the same in all these conversations.
            of_units: what is noticed of units.
        """
        same = _same_ids(slots, values)
        if same is None:
            return None
        probes = [fixed.get(slot) or probe(same.get(slot, slot)) for slot in range(len(values))]
        for one in slots:
            for slot, address in one.media.items():
                probes[slot] = numbered(address, slot)
        for head, place, _, _ in slots:
            if isinstance(place, int) and place >= 0 and place not in fixed and (head.calls or head.promises_json):
                probes[place] = f"{AN_OBJECT.before}{probes[place]}{AN_OBJECT.after}"
        items: list[Item] = ConversationPlan(slots, parted.around, same).items_of(probes)
        first = len(values) - len(parted.values)
        labels = [label._replace(number=label.number + first) for label in parted.labels]
        filled = self._filled(parted, probes, sizes)._replace(around=_probed(parted.around, labels, probes))
        log = Log()
        try:
            made = self._grammar.relate(items, filled, log)
        except BridgeError:
            return None
        around = made.around
        if repr((around, log.findings)).count(PROBE) != len(labels):
            return None
        own = {probes[text.number]: text.number for slot in slots for text in slot.own}
        others = {*same, *fixed, *own.values()}
        contents = {probes[slot]: slot for slot in range(len(values)) if slot not in others}
        ids = {probes[slot]: slot for slot in reversed(same)}
        heads = {slot.head for slot in slots if not slot.own}  # those of units: there is no probe in them

        plan: list[Slots] = []
        for head, content, call_id in made.items:
            place, of_id = place_of(content, contents), NONE if call_id is None else ids.get(call_id)
            texts = () if head in heads else own_texts(head, own)
            if place is None or of_id is None or texts is None or not (head.shared or texts):
                return None
            plan.append(Slots(head, place, of_id, texts))
        if has_others(plan):
            return None
        return ConversationPlan(tuple(plan), around, same, made.lifted, [*of_units, *log.findings], labels)

    def _filled(self, parted: Parted, probes: Sequence[str], sizes: Sequence[int]) -> Parted:
        """The document with probes in place of contents and ids."""
        units, start = list[object](), 0
        for unit, size in zip(parted.units, sizes, strict=True):
            units.append(self._grammar.filled(unit, probes[start : start + size]) if size else unit)
            start += size
        return parted._replace(units=units)


def _probed(around: Transcript, labels: Sequence[Label], probes: Sequence[str]) -> Transcript:
    """What stands around messages, with probes in place of labels."""
    return with_labels(around, [label._replace(encode=str) for label in labels], probes)


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
    return are_same(plan.items_of(values), conversation.items) and plan.around_of(values) == conversation.around
