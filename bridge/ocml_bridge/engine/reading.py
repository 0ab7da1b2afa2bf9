"""Reads documents: splits them into units, parses each unit or reads it by its plan, and relates the messages.

A unit has a plan if others like it were read before (`plans/units.py`). Conversations whose units have the same plans
get a plan of their own (`plans/conversations.py`), and texts of such conversations are not even parsed
(`plans/texts.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..loss import Log
from ..model import Completion, Document, Json, Transcript
from ..units.conversation import Conversation, ConversationPlan, whole
from ..units.heads import Head, Item, item_of
from ..units.reader import UnitReader
from .plans.conversations import MOST, ConversationPlans, PlannedUnits, UnrelatedItems
from .plans.envelopes import OpenedEnvelopes
from .plans.pieces import Pieces, splitter_for
from .plans.texts import TextPlans
from .plans.units import SplitByPlan, UnitPlan, UnitPlans


class Reader:
    """Reads the documents of a format.

    Args:
        grammar: the format's reader of units.
        plans: whether plans are learned and used; the result is the same without.
    """

    def __init__(self, grammar: UnitReader, *, plans: bool = True) -> None:
        self._grammar = grammar
        self._split = OpenedEnvelopes(grammar).split_units if plans else grammar.split_units
        self._units = UnitPlans(grammar, plans=plans)
        self._conversations = ConversationPlans(grammar)
        splitter = splitter_for(grammar) if plans else None
        self._texts = None if splitter is None else TextPlans(grammar, splitter, self._planned_units)

    def known(self, data: str | bytes) -> Conversation | Pieces | None:
        """Return the conversation in a text that differs from an earlier one only in contents, ids and the like.

        Returns:
            If it differs in more, the text for `read`; None if that needs none.
        """
        text = None if self._texts is None else self._texts.split(data)
        return None if text is None else self.read_text(text) or text

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
        return _by_plan(plan, values) if plan is not None and plan.is_of_format else None

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
        document = self._units.find(split)
        key, units_key = None, document.key
        if document.is_planned and split.envelope is not None and len(document.plans) <= MOST:
            key = self._conversations.key_of(units_key, document.items, document.values)
        plan = None if key is None else self._conversations.find(key, document.values)
        texts = None if text is None else self._texts
        is_due = text is not None and texts is not None and texts.is_due(text, self._conversations.least_meetings)
        conversation = None
        if plan is not None:
            log.findings += plan.findings
        else:
            conversation, plan = self._relate(document, key, log, is_due=is_due)
        if text is not None and texts is not None:
            plan_of_all = None if self._grammar.looks_at_contents else plan
            units = PlannedUnits(units_key, document.items, plan_of_all)
            is_sound = plan is not None and plan.is_of_format and log.findings == [*plan.findings]
            texts.learn(text, units, document.values, plan if is_sound else None, is_due=is_due)
        if plan is not None:
            return _by_plan(plan, document.values)
        assert conversation is not None
        return conversation

    def _relate(
        self, document: SplitByPlan, key: Hashable | None, log: Log, *, is_due: bool
    ) -> tuple[Conversation, ConversationPlan | None]:
        """Read a conversation without a plan of its own; return it, and its plan if that is learned from it.

        Args:
            document: the document.
            key: the cache key of its plan; None if it cannot have one.
            log: takes the findings.
            is_due: whether its text was met often enough.
        """
        first_finding = len(log.findings)
        items = self._items(document, log)
        unit_findings = log.findings[first_finding:]
        conversation = self._grammar.relate(items, document.split, log)
        if document.is_planned:
            conversation.plain = all(plan.plain for plan in document.plans if isinstance(plan, UnitPlan))
        if not self._conversations.is_due(key, at_once=is_due) or key is None:
            return conversation, None
        unrelated = UnrelatedItems(document.split, document.items(), document.values, document.sizes)
        findings = log.findings[first_finding:]
        return conversation, self._conversations.learn(key, conversation, unrelated, findings, unit_findings)

    def _planned_units(self, source: str | Json) -> tuple[Hashable, Sequence[str]] | None:
        """Return the envelope with the plans of the units of a document, and its values; None for a completion."""
        split = self._split(source, Log())
        if isinstance(split, Completion):
            return None
        document = self._units.find(split)
        return document.key, document.values

    def _items(self, document: SplitByPlan, log: Log) -> list[Item]:
        """Return the messages of all units, before they are related."""
        split, plans, values = document
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


def _by_plan(plan: ConversationPlan, values: Sequence[str]) -> Conversation:
    """Return the conversation with some values, by its plan: no message is built before it is needed."""
    around = None if plan.labels else plan.around
    return Conversation(None, around, plan=plan, values=values, declaration_at=plan.declaration_at)


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
