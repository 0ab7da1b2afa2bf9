"""Writes conversations: finds the nearest messages that the format holds, writes them unit by unit, encloses the units.

The format's grammar is a `UnitWriter`. Units with the same heads are written by a plan (`plans/learning.py`),
conversations that were read by the same plan by a plan of the output (`plans/outputs.py`); all others by the grammar.
Replies that would be read as the answers to other calls are moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ..common.memo import Memo
from ..loss import Log
from ..model import Completion, Transcript, replace
from ..report.result import DocumentOutcome
from ..spans.columns import Columns
from ..spans.frames import FrameMarks
from ..units.arrange import arrangement_for, gathered_losses, misread, order_losses, pairing_losses, rearranged
from ..units.conversation import Conversation, conversation_of
from ..units.grammar import State, Unit
from ..units.heads import LIMIT, Head, Item, item_of, messages_of
from ..units.pairing import pair
from ..units.relations import indices_of, paired_by_id, paired_in_order
from ..units.writer import TOOLS, UnitWriter
from .losses import LossCache
from .plans.envelopes import SealedEnvelopes
from .plans.filled import Filled
from .plans.learning import MEETINGS, Learner, Nearest, Table
from .plans.outputs import OutputPlans
from .trace import Step, Trace
from .written import Written, report_of

if TYPE_CHECKING:
    from .spans.templates import Templates


class Writer:
    """Writes conversations in a format.

    Args:
        grammar: the format's writer of units.
        plans: whether plans are learned and used; the result is the same without.
        marks: which tokens begin and end a frame; None for a format without frames.
    """

    def __init__(self, grammar: UnitWriter, *, plans: bool = True, marks: FrameMarks | None = None) -> None:
        self._grammar: Final = grammar
        self._plans: Final = plans
        self._enclose = SealedEnvelopes(grammar).enclose if plans else grammar.enclose
        self._learner = Learner(grammar)
        self._marks: Final = marks
        self._templates: Templates | None = None
        self._loss_cache = LossCache(grammar.target)
        self._joins_cache = Memo[tuple[Head, Head], bool](LIMIT)
        self._nearest_cache = Memo[Head, Nearest](LIMIT)
        self._outputs = OutputPlans(grammar, self.write, partial(self.write, traced=True))

    def write(self, conversation: Conversation, *, traced: bool = False) -> Written:
        """Write a conversation unit by unit; move replies that would be read as the answers to other calls.

        Args:
            conversation: what to write.
            traced: whether to record how each unit was written, for spans and for plans of outputs.

        Raises:
            BridgeError: as the format's writer raises it.
        """
        order = self._grammar.required_order(conversation)
        if order is not None:
            return self._arranged(conversation.transcript, order, traced=traced)
        written = self._written(conversation, traced=traced)
        items = conversation.items
        replies = _count_replies(written.items)
        # A message may be a reply in this format alone, such as one whose role is the name of a tool.
        if not replies or (replies <= _count_replies(items) and self._keeps_pairs(items, written.items)):
            return written
        return self._rearranged(conversation.transcript, written)

    def fill(self, conversation: Conversation) -> Filled | Written:
        """Write a conversation by the plan of its output if there is one, otherwise unit by unit."""
        plan = conversation.plan if self._plans else None
        filled = None if plan is None else self._outputs.filled(conversation, plan)
        if filled is not None:
            return filled
        if plan is None or not self._outputs.is_due(plan):
            return self.write(conversation)
        written = self.write(conversation, traced=True)
        self._outputs.learn(conversation, plan, written)
        written.trace = None
        return written

    def spans(self, written: Written) -> Columns:
        """Return the spans of an output that was written with `traced=True`."""
        from .spans.templates import Templates  # few conversions have spans
        from .spans.tracing import columns_of

        assert self._marks is not None, "only frames have spans"
        if self._templates is None:
            self._templates = Templates(self._grammar, self._marks)
        return columns_of(written, self._grammar, self._templates)

    def _keeps_pairs(self, items: Sequence[Item], nearest: Sequence[Item]) -> bool:
        """Return whether replies certainly answer the same calls in a document and in its nearest items.

        If it returns False, the document has to be compared with the image (`_rearranged`).
        """
        if not self._grammar.keeps_ids:
            return paired_in_order(items) is not None
        # A call may not be a call in this format, for instance because it has no place for the recipient.
        pairs = paired_in_order(items)
        if pairs is not None and (nearest == items or _count_answered(paired_in_order(nearest)) == len(pairs)):
            return True
        # If neither order nor ids pair all replies, names decide; and the format may not write the names of replies.
        answered = _count_answered(paired_by_id(items))
        return answered is not None and (nearest == items or answered == _count_answered(paired_by_id(nearest)))

    def complete(self, completion: Completion) -> DocumentOutcome | None:
        """Write a text to be completed; return None if the format holds conversations only.

        Raises:
            BridgeError: as the format's writer raises it.
        """
        log = Log()
        completed = self._grammar.complete(completion, log)
        if completed is None:
            return None
        report = report_of(completion, completed.image, log.losses, target=self._grammar.target)
        return DocumentOutcome(completed.output, report, completed.image)

    def _arranged(self, document: Transcript, order: Sequence[int], *, traced: bool) -> Written:
        """Write a document in the order that the format requires, and report the messages that move."""
        messages = document.messages
        moved = self._written(conversation_of(replace(document, messages=rearranged(messages, order))), traced=traced)
        moved.move(document, order)
        moved.log.losses += gathered_losses(moved.order or (), self._grammar.target)
        wrong = misread(messages, pair(messages), moved.image.messages, moved.order)
        moved.log.losses += pairing_losses(wrong, self._grammar.target)
        return moved

    def _rearranged(self, document: Transcript, written: Written) -> Written:
        """Write a document again with replies moved to where they are read as the answers to their calls.

        Replies that are misread in any order are reported.

        Args:
            document: what to write.
            written: the document as it was written in its own order; returned if moving replies does not help.
        """
        pairs, messages = pair(document.messages), document.messages
        wrong = misread(messages, pairs, written.image.messages, written.indices)
        if not wrong:
            return written
        arrangement = arrangement_for(messages, pairs, wrong)
        if arrangement is not None:
            ordered = conversation_of(replace(document, messages=rearranged(messages, arrangement.order)))
            moved = self._written(ordered, traced=written.trace is not None)
            moved.move(document, arrangement.order)
            arrangement = arrangement._replace(order=moved.order or ())
            moved.log.losses += order_losses(messages, arrangement, self._grammar.target)
            still_wrong = misread(messages, pairs, moved.image.messages, moved.order)
            if len(still_wrong) < len(wrong):
                written, wrong = moved, still_wrong
        written.log.losses += pairing_losses(wrong, self._grammar.target)
        return written

    def _written(self, conversation: Conversation, *, traced: bool) -> Written:
        """Write a conversation in the order of its messages."""
        grammar = self._grammar
        written = Written(grammar, self._loss_cache, conversation)
        written.trace = Trace() if traced else None
        items, around, origins, start = grammar.prepare(conversation, written.log)
        items, unplanned, with_extra_texts = self._nearest(items, origins, written)
        written.losses_before_units = len(written.log.losses)
        written.order = _order_of(written.origins)
        units, state = self._units(items, unplanned, with_extra_texts, start, written, ends=around.open_turn is None)
        if written.trace is not None:
            written.trace.units = [*units]
        written.output, written.around, written.cut_off, written.places = self._enclose(units, around, state)
        return written

    def _nearest(
        self, items: Sequence[Item], origins: Sequence[int] | None, written: Written
    ) -> tuple[Sequence[Item], set[int], set[int]]:
        """Find the nearest item for each item; those for which the format has no place are left out and reported.

        Returns:
            The nearest items; the indices of those whose content is not written unchanged, so that no plan is used; and
            the indices of those that are written with their signatures.
        """
        result: list[Item] = []
        push, cache, mark, inert, planned = (
            result.append,
            self._nearest_cache,
            self._grammar.mark,
            self._grammar.inert,
            self._plans,
        )
        unplanned, with_extra_texts, left_out = set[int](), set[int](), set[int]()
        indices = indices_of(items, origins)
        for at, item in enumerate(items):
            head, content, call_id = item
            nearest = None
            if planned and content.__class__ is str and (mark is None or mark not in content or inert(content)):  # pyright: ignore[reportArgumentType, reportOperatorIssue]
                nearest = cache.get(head) or self._learned_nearest(head)
                if nearest is not None:
                    if nearest.plain and nearest.head is head:
                        push(item)
                        continue
                    if nearest.within and not self._grammar.is_plain_part(nearest.head, content):  # pyright: ignore[reportArgumentType]
                        nearest = None
            if nearest is not None and not nearest.has_extra_texts:
                losses, near_head = nearest.losses, nearest.head
                if losses and near_head is not None:
                    written.lose(indices[at], losses)
                near_item = None if near_head is None else (near_head, content, call_id if near_head.has_id else None)
            else:
                losses, is_declaration = (), indices[at] == TOOLS
                if nearest is not None:
                    with_extra_texts.add(len(result))
                elif content.__class__ is str and not is_declaration:
                    written.planned = False
                near_item = item if is_declaration else self._nearest_to(item, indices[at], written)
                if near_item is not None and not self._is_unchanged(near_item):
                    unplanned.add(len(result))
            if near_item is None:
                written.leave_out(indices[at], item, losses)
                left_out.add(at)
            else:
                push(near_item)
        remaining = [index for at, index in enumerate(indices) if at not in left_out] if left_out else indices
        written.items = result
        written.origins = remaining if left_out else origins
        if self._grammar.has_json_contents:
            self._settle(result, remaining, written.log)
        return result, unplanned, with_extra_texts

    def _settle(self, items: list[Item], origins: Sequence[int], log: Log) -> None:
        """Replace the contents of calls and replies in the list by what `UnitWriter.json_content` returns."""
        json_content = self._grammar.json_content
        for at, (head, content, call_id) in enumerate(items):
            if (head.calls or head.role == "tool") and content.__class__ is str:
                new_content = json_content(head, content, f"/messages/{origins[at]}/content", log)  # pyright: ignore[reportArgumentType]
                if new_content is not content:
                    new_head = head.replaced(content=new_content) if head.empty and new_content else head
                    items[at] = (new_head, new_content, call_id)

    def _learned_nearest(self, head: Head) -> Nearest | None:
        """Return the nearest head to a head; None if that also depends on the content."""
        nearest = self._learner.nearest(head)
        return self._nearest_cache.keep(head, nearest) if nearest is not None and head.shared else nearest

    def _nearest_to(self, item: Item, index: int, written: Written) -> Item | None:
        """Return the nearest item to an item, by the grammar; None if the format has no place for it."""
        head, content, call_id = item
        message = self._learner.local(head).message(content, call_id)
        nearest = self._grammar.nearest(message, index, written.log)
        return None if nearest is None else item_of(nearest)

    def _units(
        self,
        items: Sequence[Item],
        unplanned: set[int],
        with_extra_texts: set[int],
        state: State,
        written: Written,
        *,
        ends: bool,
    ) -> tuple[list[Unit], State]:
        """Write the units, and return them (three texts for a unit whose plan has no `build`) and the last state.

        Args:
            items: the nearest items, as `_nearest` returned them.
            unplanned: the indices of items for whose units no plan is used.
            with_extra_texts: the indices of items that are written with extra texts.
            state: the state before the first unit.
            written: takes what the units read as.
            ends: whether no open turn follows.
        """
        grammar, table, trace = self._grammar, self._learner.table(state), written.trace
        planned, closing = self._plans, len(items) if ends else -1
        out, read_as = list[Unit](), written.read_as
        start = 0
        for stop in self._stops(items) if grammar.groups else range(1, len(items) + 1):
            item, last = items[start], stop == closing
            head, content, _ = item
            plans = table.last if last else table.plans
            if stop - start == 1:
                group, key = (item,), head
            else:
                group = items[start:stop]
                key = tuple([item[0] for item in group])
            plan = None
            if planned and (not unplanned or unplanned.isdisjoint(range(start, stop))):
                plan = plans.get(key, MEETINGS)
                if isinstance(plan, int):
                    plan = self._learner.plan(plans, key, group, table.state, last=last) if _are_shared(group) else None
            if trace is not None:
                trace.steps.append(Step(start, stop, plan, table.state, last))
            if plan is None:
                if with_extra_texts.isdisjoint(range(start, stop)) and all(isinstance(item[1], str) for item in group):
                    written.planned = False
                table = self._spelled(group, written.paths(start, stop), table.state, written, out, last=last)
            else:
                if plan.build is None:
                    out += (plan.before, content, plan.after)
                else:
                    out.append(plan.build(group))
                read_as += plan.image
                table = plan.next
            start = stop
        return out, table.state

    def _stops(self, items: Sequence[Item]) -> Iterator[int]:
        """Yield, for each unit, the index after its last item."""
        mixes, cache = self._grammar.mixes_roles, self._joins_cache
        before: Head | None = None
        role = ""
        for at, (head, _, _) in enumerate(items):
            if before is not None:
                joins = False
                if mixes or head.role == role:
                    joins = cache.get((before, head))
                    if joins is None:
                        joins = self._joins(before, head)
                if not joins:
                    yield at
            before, role = head, head.role
        if items:
            yield len(items)

    def _joins(self, before: Head, head: Head) -> bool:
        """Return whether a message belongs to the unit of the one before it, and cache it for shared heads."""
        joins = self._grammar.joins(before, head)
        return self._joins_cache.keep((before, head), joins) if before.shared and head.shared else joins

    def _is_unchanged(self, item: Item) -> bool:
        """Return whether a content is one text that is written unchanged, so that a plan may be used."""
        content, mark = item[1], self._grammar.mark
        return isinstance(content, str) and (mark is None or mark not in content or self._grammar.inert(content))

    def _spelled(
        self,
        group: Sequence[Item],
        paths: Sequence[str],
        state: State,
        written: Written,
        out: list[Unit],
        *,
        last: bool,
    ) -> Table:
        """Write a unit by the grammar, append it to `out`, and return the plans for the unit after it."""
        unit, image, after_state = self._grammar.write_unit(
            messages_of(group), state, last=last, paths=paths, log=written.log
        )
        written.read_as += map(item_of, image)
        written.read_as += [None] * (len(group) - len(image))
        out.append(unit)
        return self._learner.table(after_state)


def _count_answered(pairs: Mapping[int, int | None] | None) -> int | None:
    """Return how many replies answer a call; None if the pairs are not known."""
    return None if pairs is None else len(pairs) - list(pairs.values()).count(None)


def _order_of(origins: Sequence[int] | None) -> tuple[int, ...] | None:
    """Return the indices of messages in the order in which `prepare` put them; None if it moved none."""
    order = [] if origins is None else [index for index in origins if index != TOOLS]
    return tuple(order) if any(after < before for before, after in pairwise(order)) else None


def _count_replies(items: Sequence[Item]) -> int:
    return [item[0].role for item in items].count("tool")  # faster than a generator


def _are_shared(group: Sequence[Item]) -> bool:
    """Return whether all heads of a unit are shared; no plan is learned for others, as no other unit has them."""
    return all(item[0].shared for item in group)
