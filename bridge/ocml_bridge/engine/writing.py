"""Writing unit by unit: those that are alike are spelled once by the format's grammar, and remembered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Final

from ..common.memo import Memo
from ..loss import Log
from ..model import Completion, Transcript, replace
from ..report.result import DocumentOutcome
from ..spans.columns import Columns
from ..spans.frames import FrameMarks
from ..units.arrange import gathered_losses, in_order, misread, order_losses, pairing_losses, plan_for
from ..units.conversation import Conversation, conversation_of
from ..units.grammar import State, Unit
from ..units.heads import LIMIT, Head, Item, item_of, messages_of
from ..units.pairing import pair
from ..units.relations import paired_by_id, paired_in_order
from ..units.writer import TOOLS, UnitWriter
from .losses import LossCache
from .plans.envelopes import SealedEnvelopes
from .plans.learning import MEETINGS, Learner, Nearest, Table
from .plans.outputs import Filled, OutputPlans
from .spans.templates import Templates
from .spans.tracing import Trace, columns_of
from .written import Written, report_of


class Writer:
    """Writes conversations in a format.

    Args:
        grammar: the format's, with the options in it.
        plans: whether what a unit looks like is remembered; the result is the same without.
        marks: what the format's tokens mean; None for one that has no frames.
    """

    def __init__(self, grammar: UnitWriter, *, plans: bool = True, marks: FrameMarks | None = None) -> None:
        self._grammar: Final = grammar
        self._plans: Final = plans
        self._enclose = SealedEnvelopes(grammar).enclose if plans else grammar.enclose
        self._learner = Learner(grammar)
        self._templates = None if marks is None else Templates(grammar, marks)
        self._losses = LossCache(grammar.target)
        self._joined = Memo[tuple[Head, Head], bool](LIMIT)
        self._known = Memo[Head, Nearest](LIMIT)
        self._outputs = OutputPlans(grammar, self.write, partial(self.write, traced=True))

    def write(self, conversation: Conversation, *, traced: bool = False) -> Written:
        """Write a conversation; replies that would be read as the answers to other calls are moved behind theirs.

        Args:
            conversation: what to write.
            traced: whether the places of what is written are kept.

        Raises:
            BridgeError: what the format's writer raises.
        """
        order = self._grammar.arranged(conversation)
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
        """Write a conversation by the plan of its output where there is one, else as `write`."""
        plan = conversation.plan if self._plans else None
        filled = None if plan is None else self._outputs.filled(conversation, plan)
        if filled is not None:
            return filled
        written = self.write(conversation)
        if plan is not None and written.planned:
            self._outputs.learn(conversation, plan)
        return written

    def spans(self, written: Written) -> Columns:
        """The spans of what was written, and traced."""
        assert self._templates is not None, "only frames have spans"
        return columns_of(written, self._grammar, self._templates)

    def _keeps_pairs(self, items: Sequence[Item], near: Sequence[Item]) -> bool:
        """Whether replies surely answer the same calls in a document and in the items that are nearest to it."""
        if not self._grammar.keeps_ids:
            return paired_in_order(items) is not None
        # A call may be none in this format, such as one whose recipient it has no place for.
        pairs = paired_in_order(items)
        if pairs is not None and (near == items or _count_answered(paired_in_order(near)) == len(pairs)):
            return True
        # Where neither tells all, names do, and a format may not write those of replies.
        answered = _count_answered(paired_by_id(items))
        return answered is not None and (near == items or answered == _count_answered(paired_by_id(near)))

    def complete(self, completion: Completion) -> DocumentOutcome | None:
        """Write a text to be completed; None where the format holds conversations only.

        Raises:
            BridgeError: what the format's writer raises.
        """
        log = Log()
        completed = self._grammar.complete(completion, log)
        if completed is None:
            return None
        report = report_of(completion, completed.image, log.losses, target=self._grammar.target)
        return DocumentOutcome(completed.output, report, completed.image)

    def _arranged(self, document: Transcript, order: Sequence[int], *, traced: bool) -> Written:
        """What was written in the order that the format wants."""
        messages = document.messages
        moved = self._written(conversation_of(replace(document, messages=in_order(messages, order))), traced=traced)
        moved.move(document, order)
        moved.log.losses += gathered_losses(moved.order or (), self._grammar.target)
        wrong = misread(messages, pair(messages), moved.image.messages, moved.order)
        moved.log.losses += pairing_losses(wrong, self._grammar.target)
        return moved

    def _rearranged(self, document: Transcript, written: Written) -> Written:
        """What was written with each reply where it is read as the answer to its call, as far as an order can do it."""
        pairs, messages = pair(document.messages), document.messages
        wrong = misread(messages, pairs, written.image.messages, written.indices)
        if not wrong:
            return written
        plan = plan_for(messages, pairs, wrong)
        if plan is not None:
            ordered = conversation_of(replace(document, messages=in_order(messages, plan.order)))
            moved = self._written(ordered, traced=written.trace is not None)
            moved.move(document, plan.order)
            moved.log.losses += order_losses(messages, plan._replace(order=moved.order or ()), self._grammar.target)
            still = misread(messages, pairs, moved.image.messages, moved.order)
            if len(still) < len(wrong):
                written, wrong = moved, still
        written.log.losses += pairing_losses(wrong, self._grammar.target)
        return written

    def _written(self, conversation: Conversation, *, traced: bool) -> Written:
        """A conversation in the order of its messages."""
        grammar = self._grammar
        written = Written(grammar, self._losses, conversation)
        written.trace = Trace() if traced else None
        items, around, origins, start = grammar.prepare(conversation, written.log)
        items, odd, signed = self._nearest(items, origins, written)
        written.order = _moved(written.origins)
        units, state = self._units(items, odd, signed, start, written, ends=around.open_turn is None)
        if written.trace is not None:
            written.trace.units = [*units]
        written.output, written.around, written.cut_off, written.places = self._enclose(units, around, state)
        return written

    def _nearest(
        self, items: Sequence[Item], origins: Sequence[int] | None, written: Written
    ) -> tuple[Sequence[Item], set[int], set[int]]:
        """The nearest items that the format can hold; the others are left out.

        Returns:
            These items; the places of those whose content does not stand in its unit as plans write it; and the places
            of those that the format writes with their signatures.
        """
        near: list[Item] = []
        push, known, mark, inert, planned = (
            near.append,
            self._known,
            self._grammar.mark,
            self._grammar.inert,
            self._plans,
        )
        odd, signed, left_out = set[int](), set[int](), set[int]()
        indices = range(len(items)) if origins is None else origins
        for at, item in enumerate(items):
            head, content, call_id = item
            nearest = None
            if planned and content.__class__ is str and (mark is None or mark not in content or inert(content)):  # pyright: ignore[reportArgumentType, reportOperatorIssue]
                nearest = known.get(head) or self._learned(head)
                if nearest is not None and nearest.within and not self._grammar.is_plain_part(nearest.head, content):  # pyright: ignore[reportArgumentType]
                    nearest = None
            if nearest is None or nearest.signed:
                if nearest is not None:
                    signed.add(len(near))
                elif content.__class__ is str and indices[at] != TOOLS:
                    written.planned = False
                made = item if indices[at] == TOOLS else self._nearest_to(item, indices[at], written)
                if made is None:
                    written.leave_out(indices[at], head)
                    left_out.add(at)
                    continue
                if not self._is_plain(made):
                    odd.add(len(near))
                push(made)
            elif (made := nearest.head) is None:
                written.leave_out(indices[at], head, nearest.losses)
                left_out.add(at)
            else:
                if nearest.losses:
                    written.lose(indices[at], nearest.losses)
                push(item if made is head else (made, content, call_id if made.has_id else None))
        remaining = [index for at, index in enumerate(indices) if at not in left_out] if left_out else indices
        written.items = near
        written.origins = remaining if left_out else origins
        if self._grammar.settles:
            self._settle(near, remaining, written.log)
        return near, odd, signed

    def _settle(self, items: list[Item], origins: Sequence[int], log: Log) -> None:
        """Let calls and replies say what they do as the format says it. It changes the list."""
        settled = self._grammar.settled
        for at, (head, content, call_id) in enumerate(items):
            if (head.calls or head.role == "tool") and content.__class__ is str:
                made = settled(head, content, f"/messages/{origins[at]}/content", log)  # pyright: ignore[reportArgumentType]
                if made is not content:
                    items[at] = (head, made, call_id)

    def _learned(self, head: Head) -> Nearest | None:
        """What the format holds of messages with a head; None where that depends on what they say."""
        nearest = self._learner.nearest(head)
        return self._known.keep(head, nearest) if nearest is not None and head.shared else nearest

    def _nearest_to(self, item: Item, index: int, written: Written) -> Item | None:
        """The nearest item to one, by the grammar; None for one that is left out."""
        head, content, call_id = item
        message = self._learner.local(head).message(content, call_id)
        made = self._grammar.nearest(message, index, written.log)
        return None if made is None else item_of(made)

    def _units(
        self, items: Sequence[Item], odd: set[int], signed: set[int], state: State, written: Written, *, ends: bool
    ) -> tuple[list[Unit], State]:
        """The units, or their pieces, and the state behind them.

        Args:
            items: each the nearest that the format holds.
            odd: the places of those whose content does not stand in its unit as plans write it.
            signed: the places of those that are written with their signatures.
            state: the state before the first.
            written: takes what they read as.
            ends: whether no open turn follows.
        """
        grammar, table, trace = self._grammar, self._learner.table(state), written.trace
        planned, closing = self._plans, len(items) if ends else -1
        out, made = list[Unit](), written.made
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
            if planned and (not odd or odd.isdisjoint(range(start, stop))):
                plan = plans.get(key, MEETINGS)
                if isinstance(plan, int):
                    plan = self._learner.plan(plans, key, group, table.state, last=last) if _shared(group) else None
            if trace is not None:
                trace.steps.append((start, stop, plan, table.state, last))
            if plan is None:
                if signed.isdisjoint(range(start, stop)) and all(isinstance(item[1], str) for item in group):
                    written.planned = False
                table = self._spelled(group, written.paths(start, stop), table.state, written, out, last=last)
            else:
                if plan.build is None:
                    out += (plan.before, content, plan.after)
                else:
                    out.append(plan.build(group))
                made += plan.image
                table = plan.next
            start = stop
        return out, table.state

    def _stops(self, items: Sequence[Item]) -> Iterator[int]:
        """For each unit the index behind its last item."""
        mixes, known = self._grammar.mixes_roles, self._joined
        before: Head | None = None
        role = ""
        for at, (head, _, _) in enumerate(items):
            if before is not None:
                joined = False
                if mixes or head.role == role:
                    joined = known.get((before, head))
                    if joined is None:
                        joined = self._joins(before, head)
                if not joined:
                    yield at
            before, role = head, head.role
        if items:
            yield len(items)

    def _joins(self, before: Head, head: Head) -> bool:
        """Whether a message stands in one unit with the one before it."""
        joined = self._grammar.joins(before, head)
        return self._joined.keep((before, head), joined) if before.shared and head.shared else joined

    def _is_plain(self, item: Item) -> bool:
        """Whether a content stands in its unit as a plan writes it."""
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
        """Write one unit by the grammar; the plans for what stands behind it."""
        unit, image, behind = self._grammar.spell(messages_of(group), state, last=last, paths=paths, log=written.log)
        written.made += map(item_of, image)
        written.made += [None] * (len(group) - len(image))
        out.append(unit)
        return self._learner.table(behind)


def _count_answered(pairs: Mapping[int, int | None] | None) -> int | None:
    """How many replies answer a call; None where that is not known."""
    return None if pairs is None else len(pairs) - list(pairs.values()).count(None)


def _moved(origins: Sequence[int] | None) -> tuple[int, ...] | None:
    """The indices of messages in the order in which a format has them; None where it moved none."""
    order = [] if origins is None else [index for index in origins if index != TOOLS]
    return tuple(order) if any(after < before for before, after in pairwise(order)) else None


def _count_replies(items: Sequence[Item]) -> int:
    return [item[0].role for item in items].count("tool")  # a list is made faster than a generator is run through


def _shared(group: Sequence[Item]) -> bool:
    """Whether other messages have these very heads: of others there is nothing to learn."""
    return all(item[0].shared for item in group)
