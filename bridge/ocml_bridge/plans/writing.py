"""Writing by plans: a unit is spelled once by its format's grammar, and those that are like it by what that gave."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final

from ..arrange import misread
from ..memo import Memo
from ..pairing import pair
from ..units.conversation import Conversation
from ..units.grammar import ByDocument, State, Unit, UnitWriter
from ..units.heads import LIMIT, Head, Item, item_of, messages_of
from ..units.relations import paired_by_id, paired_in_order
from .learning import BY_CLASS, Learner, Plan, Table
from .written import HeadLosses, Written


class PlanWriter:
    """Writes conversations in a format.

    Args:
        grammar: the format's, with the options in it.
    """

    def __init__(self, grammar: UnitWriter) -> None:
        self._grammar: Final = grammar
        self._learner = Learner(grammar)
        self._losses = HeadLosses(grammar.target)
        self._joined = Memo[tuple[Head, Head], bool](LIMIT)

    def write(self, conversation: Conversation) -> Written:
        """Write a conversation.

        Raises:
            ByDocument: for one that cannot be written unit by unit.
            BridgeError: what the format's writer raises.
        """
        grammar, around = self._grammar, conversation.around
        written = Written(self._losses, conversation)
        items = grammar.relate(conversation.items, around)
        place = grammar.place(items, around)
        units, at, state = (
            self._grouped(items, place, written)
            if grammar.groups
            else self._single(items, place, written, ends=around.open_turn is None)
        )
        written.output, written.around, cut_off = grammar.enclose(units, at, around, state)
        if cut_off:
            written.cut_off()
        by_id = grammar.keeps_ids and written.origins is None and paired_by_id(items) is not None
        if not by_id and paired_in_order(items) is None:
            pairs = pair(conversation.transcript.messages)
            if misread(conversation.transcript.messages, pairs, written.image.messages, written.origins):
                raise ByDocument
        return written

    # --- units of one message -----------------------------------------------------------------------------------------

    def _single(
        self, items: Sequence[Item], place: int, written: Written, *, ends: bool
    ) -> tuple[list[Unit], int, State]:
        """The units, or their pieces; the index of the first that belongs to the item at `place`; the state behind.

        `ends` is False where an open turn follows the messages.
        """
        grammar, table = self._grammar, self._learner.table(self._grammar.start)
        mark, inert = grammar.mark, grammar.inert
        plans, out, image = table.plans, list[Unit](), written.made
        last, at = self._last(items) if ends else -1, 0
        for index, item in enumerate(items):
            head, content, _ = item
            if index == place:
                at = len(out)
            if index == last:
                plans = table.last
            plan = None
            if content.__class__ is str:
                plan = plans.get(head, _UNKNOWN)
                if plan is _UNKNOWN or plan is BY_CLASS:
                    plan = self._plan(item, table, plan, last=index == last)
            if plan is None or (mark is not None and mark in content and not inert(content)):  # pyright: ignore[reportArgumentType, reportOperatorIssue]
                table = self._odd(item, index, table, written, out, last=index == last)
            elif not plan.image:
                written.leave_out(index, plan.losses)
                continue
            else:
                if plan.build is None:
                    out += (plan.before, content, plan.after)
                else:
                    out.append(plan.build((item,)))
                image.append(plan.image[0])
                table = plan.next
            plans = table.plans
        if grammar.keeps_ids:
            written.related(items)
        return out, len(out) if place == len(items) else at, table.state

    def _plan(self, item: Item, table: Table, known: Plan | None, *, last: bool) -> Plan | None:
        """The plan for messages like one, which is not known by its head alone; None where there is none."""
        head, content, call_id = item
        plans = table.last if last else table.plans
        if not head.shared:
            head = head.local(self._grammar.home)
            known = plans.get(head, _UNKNOWN)
        nearest = self._learner.nearest(head)
        if nearest is None:
            return None
        if nearest.head is None:
            plan = self._learner.left_out(nearest.losses, table)
            return plans.keep(head, plan) if head.shared else plan
        near = (nearest.head, content, call_id if nearest.head.has_id else None)
        plan = self._learner.plan([near], table.state, last=last) if known is _UNKNOWN else known
        if known is _UNKNOWN and head.shared:
            plans.keep(head, plan)
        if plan is BY_CLASS:
            plan = self._learner.plan_of_class(plans, head, [near], table.state, last=last)
        return plan

    def _last(self, items: Sequence[Item]) -> int:
        """The index of the last item that the format has a place for."""
        last = len(items) - 1
        while last >= 0 and isinstance(items[last][1], str):
            nearest = self._learner.nearest(items[last][0])
            if nearest is None or nearest.head is not None:
                break
            last -= 1
        return last

    def _odd(self, item: Item, index: int, table: Table, written: Written, out: list[Unit], *, last: bool) -> Table:
        """Write one message by the grammar; the plans for what stands behind it."""
        head, content, call_id = item
        message = head.local(self._grammar.home).message(content, call_id)
        near = self._grammar.nearest(message, index, written.log)
        if near is None:
            written.leave_out(index, ())
            if last:
                raise ByDocument  # then the unit before is the last one
            return table
        return self._spelled([item_of(near)], [index], table.state, written, out, last=last)

    # --- units of several messages ------------------------------------------------------------------------------------

    def _grouped(self, items: Sequence[Item], place: int, written: Written) -> tuple[list[Unit], int, State]:
        """As `_single`, where a unit may have several messages."""
        near, origins = self._near(items, written)
        written.near = near
        grammar, table = self._grammar, self._learner.table(self._grammar.start)
        mark, inert = grammar.mark, grammar.inert
        out, image = list[Unit](), written.made
        start, count, at = 0, len(near), -1
        while start < count:
            if at < 0 <= place <= origins[start]:
                at = len(out)
            item, stop = near[start], start + 1
            head, content, _ = item
            while stop < count and near[stop][0].role == head.role and self._joins(near[stop - 1][0], near[stop][0]):
                stop += 1
            alone, plans = stop == start + 1, table.plans if stop < count else table.last
            group = [item] if alone else near[start:stop]
            key: Hashable = head if alone else tuple([item[0] for item in group])
            plan = plans.get(key, _UNKNOWN)
            if plan is _UNKNOWN or plan is BY_CLASS:
                plan = self._plan_of(group, key, table, plan, last=stop == count)
            if (
                plan is None
                or content.__class__ is not str
                or (mark is not None and mark in content and not inert(content))  # pyright: ignore[reportArgumentType, reportOperatorIssue]
                or not (alone or all(map(self._is_plain, group)))
            ):
                last = stop == count
                table = self._spelled(group, origins[start:stop], table.state, written, out, last=last)
            else:
                if plan.build is None:
                    out += (plan.before, content, plan.after)
                else:
                    out.append(plan.build(group))
                image += plan.image
                table = plan.next
            start = stop
        return out, len(out) if at < 0 else at, table.state

    def _plan_of(
        self, group: Sequence[Item], key: Hashable, table: Table, known: Plan | None, *, last: bool
    ) -> Plan | None:
        """The plan for units like one, which is not known by its heads alone; None where there is none."""
        if not all(item[0].shared for item in group):
            return None
        plans = table.last if last else table.plans
        plan = plans.keep(key, self._learner.plan(group, table.state, last=last)) if known is _UNKNOWN else known
        return self._learner.plan_of_class(plans, key, group, table.state, last=last) if plan is BY_CLASS else plan

    def _near(self, items: Sequence[Item], written: Written) -> tuple[list[Item], Sequence[int]]:
        """The nearest items that the format can hold, and the index of each; the others are left out."""
        near: list[Item] = []
        for index, item in enumerate(items):
            head, content, call_id = item
            nearest = self._learner.nearest(head) if self._is_plain(item) else None
            if nearest is None:
                local = head.local(self._grammar.home)
                message = self._grammar.nearest(local.message(content, call_id), index, written.log)
                if message is None:
                    written.leave_out(index, ())
                else:
                    near.append(item_of(message))
            elif nearest.head is None:
                written.leave_out(index, nearest.losses)
            elif nearest.head is head:
                near.append(item)
            else:
                near.append((nearest.head, content, call_id if nearest.head.has_id else None))
        return near, written.origins or range(len(items))

    def _joins(self, before: Head, head: Head) -> bool:
        """Whether a message stands in one unit with the one before it."""
        joined = self._joined.get((before, head))
        if joined is None:
            joined = self._grammar.joins(before, head)
            if before.shared and head.shared:
                self._joined.keep((before, head), joined)
        return joined

    def _is_plain(self, item: Item) -> bool:
        """Whether a content stands in its unit as a plan writes it."""
        content, mark = item[1], self._grammar.mark
        return isinstance(content, str) and (mark is None or mark not in content or self._grammar.inert(content))

    # --- any unit -----------------------------------------------------------------------------------------------------

    def _spelled(
        self,
        group: Sequence[Item],
        origins: Sequence[int],
        state: State,
        written: Written,
        out: list[Unit],
        *,
        last: bool,
    ) -> Table:
        """Write one unit by the grammar; the plans for what stands behind it."""
        paths = [f"/messages/{index}" for index in origins]
        log = written.log if self._grammar.guards_first else written.guards
        unit, image, behind = self._grammar.spell(messages_of(group), state, last=last, paths=paths, log=log)
        if len(image) != len(group):
            raise ByDocument
        written.made += map(item_of, image)
        out.append(unit)
        return self._learner.table(behind)


_UNKNOWN: Any = object()
"""Stands for a plan that has not been looked for."""
