"""Learns plans of conversations: one for all conversations whose units have the same plans.

Reading a conversation by units still relates its messages each time. A plan of the conversation has the result: the
heads of the related messages, and which value (content or id) goes where. Its cache key is the envelope with the plans
of the units, and the texts that `relate` looks at, if any. It is learned as a plan of a unit is: `UnitReader.relate`
runs once with probes in place of the values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...common.memo import Meetings, Memo
from ...errors import BridgeError
from ...loss import Finding, Log
from ...model import Transcript
from ...units.conversation import Conversation, ConversationPlan
from ...units.grammar import AN_OBJECT, SplitDocument
from ...units.heads import LIMIT, Head, are_same
from ...units.planned_items import NONE, Label, PlannedItem, with_labels
from ...units.reader import UnitReader
from .probes import PROBE, extra_texts, has_others, numbered, place_of, probe

SIZE: Final = 50_000
"""How many units the cached plans of a reader have together; if there are more, the cache is cleared."""
MOST: Final = 100
"""How many units a conversation with a plan has at most; longer ones hardly repeat."""
MEETINGS: Final = 2
"""How often a key, or a text, is met before its plan is learned."""
SELDOM: Final = 64
"""The limit to which that number grows while most plans are not used enough."""
WINDOW: Final = 1024
"""How many conversations without a plan are read between two looks at how much earlier plans were used."""
SAVES: Final = 5
"""How often a plan has to be used to save the time that it took to learn it."""
_COUNTED: Final = 4096
"""How many keys without a plan are counted at once."""
_MOST_FIXED: Final = 2
"""How many contents a cache key may have, such as the message that declares the tools."""
_LONGEST_FIXED: Final = 20_000
"""How long these contents may be together, in characters."""
_UNIT_LENGTH: Final = 1000
"""How many characters of them count as one more unit in the size of the cache."""


class KeyWithContents(tuple[Any, ...]):
    """The cache key of conversations with the same contents in some messages.

    Its elements are the key of the units, then a pair for each such content: its index among the values, and the text.
    """


class PlannedUnits(NamedTuple):
    """What is known of the units of a document that all have plans.

    Attributes:
        key: the envelope with the plans of the units.
        items: returns the messages before they are related.
        plan: the plan of the conversation, if it follows from the key; None if contents or ids matter.
    """

    key: Hashable
    items: Callable[[], Sequence[PlannedItem]]
    plan: ConversationPlan | None


class UnrelatedItems(NamedTuple):
    """The messages of a document whose units all have plans, before they are related.

    Attributes:
        split: the document.
        items: its messages, with places among the values.
        values: their contents and ids; behind those of the units, the labels.
        sizes: how many values each unit has.
    """

    split: SplitDocument
    items: Sequence[PlannedItem]
    values: Sequence[str]
    sizes: Sequence[int]


class ConversationPlans:
    """Learns the plans of a reader's conversations, and caches them.

    Args:
        grammar: the format's reader of units.

    Attributes:
        least_meetings: how often a key, or a text, is met before its plan is learned; more often while most plans are
            not used enough.
    """

    def __init__(self, grammar: UnitReader) -> None:
        self._grammar: Final = grammar
        self._plans = Memo[Hashable, ConversationPlan](SIZE)
        self._meetings = Meetings(_COUNTED)
        self.least_meetings = MEETINGS
        self._without_plan = 0
        """How many conversations without a plan were read since the last look."""
        self._recent: list[ConversationPlan | None] = []
        """The plans that were learned since then; None for one that could not be."""
        self._former: list[ConversationPlan | None] = []
        """The same between the last two looks."""
        self._texts: Final[Memo[Hashable, list[tuple[Head, int]]]] = Memo(LIMIT)
        """For each key of units: the index of each value that is a content, with the head of its message."""

    def key_of(
        self, key: Hashable, items: Callable[[], Sequence[PlannedItem]], values: Sequence[str]
    ) -> Hashable | None:
        """Return the cache key of a conversation: that of its units, and the contents that `relate` looks at.

        Args:
            key: the envelope with the plans of the units.
            items: returns the messages before they are related.
            values: the contents and ids of the conversation.

        Returns:
            None if there are too many such contents, or they are too long to repeat.
        """
        if not self._grammar.looks_at_contents:
            return key
        texts = self._texts.get(key)
        if texts is None:
            texts = self._texts.keep(key, [(item.head, number) for item in items() for number in item.texts])
        is_alike = self._grammar.relates_by_head
        fixed = [(number, values[number]) for head, number in texts if not is_alike(head, values[number])]
        if not fixed:
            return key
        few = len(fixed) <= _MOST_FIXED and sum([len(text) for _, text in fixed]) <= _LONGEST_FIXED
        return KeyWithContents((key, *fixed)) if few else None

    def find(self, key: Hashable, values: Sequence[str]) -> ConversationPlan | None:
        """Return the plan for a key, or None if no plan exists or the ids repeat differently.

        Args:
            key: as `key_of` returned it.
            values: the contents and ids of the conversation.
        """
        plan = self._plans.get(key)
        if plan is None or not plan.fits(values):
            return None
        plan.uses += 1
        return plan

    def for_units(self, units: PlannedUnits, values: Sequence[str]) -> ConversationPlan | None:
        """Return the plan of a conversation whose units are known; None if none exists or the ids repeat differently.

        Args:
            units: its units.
            values: its contents and ids.
        """
        plan = units.plan
        if plan is None:
            key = self.key_of(units.key, units.items, values)
            return None if key is None else self.find(key, values)
        if not plan.fits(values):
            return None
        plan.uses += 1
        return plan

    def is_due(self, key: Hashable | None, *, at_once: bool) -> bool:
        """Count a conversation that was read without a plan; return whether its plan is to be learned now.

        Args:
            key: as `key_of` returned it; None as well if a unit has no plan.
            at_once: whether its text was met often enough, though perhaps before its units had plans.
        """
        self._without_plan += 1
        if self._without_plan >= WINDOW:
            self._adapt()
        return key is not None and (self._meetings.met(key) == self.least_meetings or at_once)

    def learn(
        self,
        key: Hashable,
        conversation: Conversation,
        unrelated: UnrelatedItems,
        findings: Sequence[Finding],
        unit_findings: Sequence[Finding],
    ) -> ConversationPlan | None:
        """Learn the plan for a key from a conversation that was read without a plan.

        Args:
            key: as `key_of` returned it.
            conversation: the conversation as it was read.
            unrelated: its messages before they were related.
            findings: all findings of the conversation.
            unit_findings: those of them that come from its units, not from relating them.

        Returns:
            None if a plan does not give the conversation as it was read.
        """
        fixed = dict[int, str](key[1:]) if isinstance(key, KeyWithContents) else {}
        plan, values = self._learned(unrelated, fixed, unit_findings), unrelated.values
        if plan is not None and not (
            plan.fits(values) and plan.findings == findings and _gives(plan, values, conversation)
        ):
            plan = None
        if plan is not None:
            size = len(unrelated.split.units) + 1 + sum(map(len, fixed.values())) // _UNIT_LENGTH
            self._plans.keep(key, plan, size)
        self._recent.append(plan)
        return plan

    def _adapt(self) -> None:
        """Learn plans later if most that were learned in the window before are used too little, else as at first."""
        if self._former:
            used = sum([plan is not None and plan.uses >= SAVES for plan in self._former])
            due = MEETINGS if 2 * used >= len(self._former) else min(4 * self.least_meetings, SELDOM)
            if due != self.least_meetings:
                self.least_meetings, self._meetings = due, Meetings(_COUNTED)
        self._without_plan, self._former, self._recent = 0, self._recent, []

    def _learned(
        self, unrelated: UnrelatedItems, fixed: Mapping[int, str], unit_findings: Sequence[Finding]
    ) -> ConversationPlan | None:
        """Relate the messages with probes in place of their values, and make a plan of the result.

        Args:
            unrelated: the messages.
            fixed: the contents that are in the cache key, by index; they stay in their places.
            unit_findings: the findings of its units.

        Returns:
            None if the result contains a probe anywhere but as a content, an id or an extra text.
        """
        split, items, values, sizes = unrelated
        equal_ids = _equal_ids(items, values)
        probes = _probes_for(items, len(values), equal_ids, fixed)
        first_label = len(values) - len(split.values)
        labels = [label._replace(number=label.number + first_label) for label in split.labels]
        filled = self._filled(split, probes, sizes)._replace(around=_probed(split.around, labels, probes))
        log = Log()
        try:
            related = self._grammar.relate([item.with_values(probes) for item in items], filled, log)
        except BridgeError:
            return None
        around = related.around
        if repr((around, log.findings)).count(PROBE) != len(labels):
            return None
        extras = {probes[text.number]: text.number for item in items for text in item.extra_texts}
        not_contents = {*equal_ids, *fixed, *extras.values()}
        contents = {probes[number]: number for number in range(len(values)) if number not in not_contents}
        ids = {probes[number]: number for number in reversed(equal_ids)}
        without_probes = {item.head for item in items if not item.extra_texts}

        plan: list[PlannedItem] = []
        for head, content, call_id in related.items:
            place, id_number = place_of(content, contents), NONE if call_id is None else ids.get(call_id)
            texts = () if head in without_probes else extra_texts(head, extras)
            if place is None or id_number is None or texts is None or not (head.shared or texts):
                return None
            plan.append(PlannedItem(head, place, id_number, texts))
        if has_others(plan):
            return None
        findings = [*unit_findings, *log.findings]
        return ConversationPlan(tuple(plan), around, equal_ids, related.declaration_at, findings, labels)

    def _filled(self, split: SplitDocument, probes: Sequence[str], sizes: Sequence[int]) -> SplitDocument:
        """Return the document with probes in place of the values of its units."""
        units, start = list[object](), 0
        for unit, size in zip(split.units, sizes, strict=True):
            units.append(self._grammar.with_values(unit, probes[start : start + size]) if size else unit)
            start += size
        return split._replace(units=units)


def _probes_for(
    items: Sequence[PlannedItem], count: int, equal_ids: Mapping[int, int], fixed: Mapping[int, str]
) -> list[str]:
    """Return what stands in place of each value while a plan is learned.

    That is a probe: alone, in an address or in data of a medium, or in a JSON object where the content is JSON.

    Args:
        items: the messages.
        count: how many values they have.
        equal_ids: as `_equal_ids` returned them.
        fixed: the contents that stay in their places, by index.
    """
    probes = [fixed.get(number) or probe(equal_ids.get(number, number)) for number in range(count)]
    for item in items:
        for number, address in item.media.items():
            probes[number] = numbered(address, number)
        head, place = item.head, item.content
        if isinstance(place, int) and place >= 0 and place not in fixed and (head.calls or head.promises_json):
            probes[place] = AN_OBJECT.example(probes[place])
    return probes


def _probed(around: Transcript, labels: Sequence[Label], probes: Sequence[str]) -> Transcript:
    """Return what stands around messages, with probes in place of labels."""
    return with_labels(around, [label._replace(encode=str) for label in labels], probes)


def _equal_ids(items: Sequence[PlannedItem], values: Sequence[str]) -> dict[int, int]:
    """Return, for each value that is an id, the index of the first value that is the same id."""
    first: dict[str, int] = {}
    numbers = [item.call_id for item in items if item.call_id >= 0]
    return {number: first.setdefault(values[number], number) for number in numbers}


def _gives(plan: ConversationPlan, values: Sequence[str], conversation: Conversation) -> bool:
    """Return whether a plan with values gives a conversation that was read without it."""
    return are_same(plan.items_of(values), conversation.items) and plan.around_of(values) == conversation.around
