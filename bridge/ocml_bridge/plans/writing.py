"""Writing by plans: a unit is spelled once by its format's grammar, and those that are like it by what that gave."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple

from ..arrange import misread
from ..errors import BridgeError
from ..loss import Log, Loss
from ..memo import Memo
from ..pairing import pair
from ..units.conversation import Conversation
from ..units.grammar import ANY_CONTENT, ByDocument, ContentClass, State, Unit, UnitWriter
from ..units.heads import LIMIT, Head, Item, head_of, item_of, messages_of
from ..units.relations import answered_in_order
from .probes import builder, probe
from .written import HeadLosses, Written, path_at


class Plan(NamedTuple):
    """How the units with some heads are written behind a state.

    Attributes:
        before: of one message in a text: what stands before its content.
        after: and behind it.
        build: of any other unit: makes it of its items.
        image: the heads of what it reads as.
        next: the plans for the unit behind it.
    """

    before: str
    after: str
    build: Callable[[Sequence[Item]], Unit] | None
    image: tuple[Head, ...]
    next: Table


class Table:
    """The plans for units behind a state.

    Attributes:
        state: what the unit before left.
        plans: by the head of a unit, or by its heads; None where what it looks like depends on more.
        last: the same for a unit that nothing follows.
    """

    __slots__ = ("last", "plans", "state")

    def __init__(self, state: State) -> None:
        self.state: Final = state
        self.plans: Final = Memo[Hashable, Plan | None](LIMIT)
        self.last: Final = Memo[Hashable, Plan | None](LIMIT)


class Nearest(NamedTuple):
    """What a format holds of the messages with some head.

    Attributes:
        head: of the nearest message; None where there is none.
        losses: what is lost of a message at index 0.
    """

    head: Head | None
    losses: tuple[Loss, ...]


class PlanWriter:
    """Writes conversations in a format.

    Args:
        grammar: the format's, with the options in it.
    """

    def __init__(self, grammar: UnitWriter) -> None:
        self._grammar: Final = grammar
        self._losses = HeadLosses(grammar.target)
        self._nearest = Memo[Head, Nearest | None](LIMIT)
        self._joined = Memo[tuple[Head, Head], bool](LIMIT)
        self._tables = Memo[State, Table](LIMIT)

    def write(self, conversation: Conversation) -> Written:
        """Write a conversation.

        Raises:
            ByDocument: for one that cannot be written unit by unit.
            BridgeError: what the format's writer raises.
        """
        grammar, around = self._grammar, conversation.around
        written = Written(self._losses, conversation)
        related = grammar.relate(list(conversation.items), around)
        items = related if not grammar.narrows and _all_plain(related) else self._narrowed(related, written)
        place = grammar.place(items, around)
        units, at, state = self._units(items, place, written)
        written.output, written.around, cut_off = grammar.enclose(units, at, around, state)
        if cut_off and written.items:
            head, content, call_id = written.items[-1]
            written.items[-1] = (head.replaced(end=None), content, call_id)
        if not grammar.keeps_ids and not answered_in_order(related):
            pairs = pair(conversation.transcript.messages)
            if misread(conversation.transcript.messages, pairs, written.image.messages, written.origins):
                raise ByDocument
        return written

    def _units(self, items: Sequence[Item], place: int, written: Written) -> tuple[list[Unit], int, State]:
        """The units, or their pieces; the index of the first that belongs to the item at `place`; the state behind."""
        grammar, table, image = self._grammar, self._table(self._grammar.start), written.items
        mark, inert, keeps_ids, groups = grammar.mark, grammar.inert, grammar.keeps_ids, grammar.groups
        out: list[Unit] = []
        at, count, place_in_out = 0, len(items), 0
        while at < count:
            if at == place:
                place_in_out = len(out)
            head, content, call_id = items[at]
            stop = self._end_of_unit(items, at) if groups else at + 1
            alone = stop == at + 1
            key: Hashable = head if alone else tuple([item[0] for item in items[at:stop]])
            plans = table.plans if stop < count else table.last
            plan = plans.get(key, _UNKNOWN)
            if plan is _UNKNOWN:
                plan = plans.keep(key, self._learned(items[at:stop], table.state, last=stop == count))
            if plan is _BY_CLASS:
                plan = self._of_class(plans, key, items[at:stop], table.state, last=stop == count)
            if plan is None or content.__class__ is not str or (mark and mark in content and not inert(content)):  # pyright: ignore[reportArgumentType]
                table = self._spelled(items, at, stop, table.state, written, out)
            elif alone:
                if plan.build is None:
                    out += (plan.before, content, plan.after)
                else:
                    out.append(plan.build((items[at],)))
                image.append((plan.image[0], content, call_id if keeps_ids else None))
                table = plan.next
            elif plan.build is not None and all(map(self._is_plain, items[at + 1 : stop])):
                group = items[at:stop]
                out.append(plan.build(group))
                image += [
                    (made, item[1], item[2] if keeps_ids else None)
                    for made, item in zip(plan.image, group, strict=True)
                ]
                table = plan.next
            else:
                table = self._spelled(items, at, stop, table.state, written, out)
            at = stop
        return out, len(out) if place == count else place_in_out, table.state

    # --- one message --------------------------------------------------------------------------------------------------

    def _narrowed(self, items: Sequence[Item], written: Written) -> list[Item]:
        """The nearest items that the format can hold; what it has no place for is reported."""
        known, home, log = self._nearest, self._grammar.home, written.log
        out: list[Item] = []
        written.origins = origins = list[int]()
        for index, (head, content, call_id) in enumerate(items):
            if not head.shared:
                written.odd = True
                head = head.local(home)
            found = known.get(head, _UNKNOWN) if content.__class__ is str else None
            if found is _UNKNOWN:
                found = self._learned_nearest(head.local(home))
                if head.shared:
                    known.keep(head, found)
            if found is None:
                written.odd = True
                message = self._grammar.nearest(head.local(home).message(content, call_id), index, log)
                if message is None:
                    continue
                out.append(item_of(message))
            elif found.head is None:
                log.losses += [loss._replace(path=path_at(loss.path, index)) for loss in found.losses]
                continue
            else:
                out.append((found.head, content, call_id if found.head.has_id else None))
            origins.append(index)
        return out

    def _learned_nearest(self, head: Head) -> Nearest | None:
        text, call_id = "" if head.empty else probe(0), probe(1) if head.has_id else None
        log = Log()
        message = self._grammar.nearest(head.message(text, call_id), 0, log)
        if message is None:
            # A sentence that quotes a content is not the same for all messages.
            return None if any("Probe" in loss.detail for loss in log.losses) else Nearest(None, tuple(log.losses))
        if log.losses or message.content != text or message.call_id not in (None, call_id):
            return None
        return Nearest(head_of(message), ())

    # --- one unit -----------------------------------------------------------------------------------------------------

    def _end_of_unit(self, items: Sequence[Item], at: int) -> int:
        """The index behind the last message that stands in one unit with the one at an index."""
        stop = at + 1
        while stop < len(items):
            heads = items[stop - 1][0], items[stop][0]
            joined = self._joined.get(heads)
            if joined is None:
                joined = self._grammar.joins(*heads)
                if heads[0].shared and heads[1].shared:
                    self._joined.keep(heads, joined)
            if not joined:
                break
            stop += 1
        return stop

    def _table(self, state: State) -> Table:
        found = self._tables.get(state)
        return self._tables.keep(state, Table(state)) if found is None else found

    def _is_plain(self, item: Item) -> bool:
        """Whether a content stands in its unit as a plan writes it."""
        content, mark = item[1], self._grammar.mark
        return isinstance(content, str) and not (mark and mark in content and not self._grammar.inert(content))

    def _learned(self, group: Sequence[Item], state: State, *, last: bool) -> Plan | None:
        """The plan for units with these heads; what says that they differ by the classes of their contents."""
        heads = [item[0] for item in group]
        if not all(head.shared for head in heads):
            return None
        if not all(map(self._grammar.follows, heads)):
            return _BY_CLASS
        return self._checked(group, [ANY_CONTENT] * len(group), state, last=last)

    def _of_class(
        self, plans: Memo[Hashable, Plan | None], heads: Hashable, group: Sequence[Item], state: State, *, last: bool
    ) -> Plan | None:
        """The plan for units with these heads and contents of these classes."""
        classes: list[ContentClass] = []
        for head, content, _ in group:
            found = self._grammar.classify(head, content) if isinstance(content, str) else None
            if found is None:
                return None
            classes.append(found)
        key = heads, tuple(classes)
        plan = plans.get(key, _UNKNOWN)
        return plans.keep(key, self._checked(group, classes, state, last=last)) if plan is _UNKNOWN else plan

    def _checked(
        self, group: Sequence[Item], classes: Sequence[ContentClass], state: State, *, last: bool
    ) -> Plan | None:
        """The plan for units like this one, where it gives what the grammar gives of this one."""
        plan, texts = self._tried(group, classes, state, last=last), [item[1] for item in group]
        if plan is None or not all(isinstance(text, str) and self._grammar.inert(text) for text in texts):
            return plan
        unit = plan.build(group) if plan.build is not None else f"{plan.before}{texts[0]}{plan.after}"
        paths = [""] * len(group)
        spelled = self._grammar.spell(messages_of(group), state, last=last, paths=paths, log=Log())
        image = [(item[0], item[1]) for item in map(item_of, spelled.image)]
        return plan if spelled.unit == unit and image == list(zip(plan.image, texts, strict=True)) else None

    def _tried(
        self, group: Sequence[Item], classes: Sequence[ContentClass], state: State, *, last: bool
    ) -> Plan | None:
        """How units like this one are written; None where that depends on more, or there is something to report."""
        heads, keeps_ids = [item[0] for item in group], self._grammar.keeps_ids
        items = [
            (head, "" if head.empty else f"{before}{probe(2 * at)}{after}", probe(2 * at + 1) if head.has_id else None)
            for at, (head, (before, after, _)) in enumerate(zip(heads, classes, strict=True))
        ]
        log = Log()
        paths = [f"/messages/{at}" for at in range(len(heads))]
        try:
            unit, messages, behind = self._grammar.spell(messages_of(items), state, last=last, paths=paths, log=log)
        except (BridgeError, ByDocument):
            return None
        image = list(map(item_of, messages))
        if log.losses or [(item[1], item[2] if keeps_ids else None) for item in items] != [
            (content, call_id) for _, content, call_id in image
        ]:
            return None
        made = tuple(head for head, _, _ in image)
        if not all(head.shared for head in made):
            return None
        if len(heads) == 1 and isinstance(unit, str) and classes[0].encode is None and not (keeps_ids and items[0][2]):
            before, content, after = (unit, "", "") if heads[0].empty else unit.partition(items[0][1])
            once = heads[0].empty or (content and items[0][1] not in after)
            plan = Plan(before, after, None, made, self._table(behind)) if once else None
        else:
            build = _builder(unit, items, classes, keeps_ids=keeps_ids)
            plan = None if build is None else Plan("", "", build, made, self._table(behind))
        ids = [item[2] for item in items if item[2] is not None]
        return None if isinstance(unit, str) and not keeps_ids and any(each in unit for each in ids) else plan

    def _spelled(
        self, items: Sequence[Item], at: int, stop: int, state: State, written: Written, out: list[Unit]
    ) -> Table:
        """Write one unit by the grammar; the plans for what stands behind it."""
        group = messages_of(items[at:stop])
        paths = [f"/messages/{written.origin(index)}" for index in range(at, stop)]
        log = written.log if self._grammar.guards_first else written.guards
        unit, image, behind = self._grammar.spell(group, state, last=stop == len(items), paths=paths, log=log)
        if len(image) != len(group):
            raise ByDocument
        written.odd = True
        written.items += map(item_of, image)
        out.append(unit)
        return self._table(behind)


def _builder(
    unit: Unit, items: Sequence[tuple[Head, str, str | None]], classes: Sequence[ContentClass], *, keeps_ids: bool
) -> Callable[[Sequence[Item]], Unit] | None:
    """What makes a unit like this one, which was made of items with probes."""
    probes: dict[str, str] = {}
    encoders: dict[str, Callable[[str], str]] = {}
    for at, ((_, content, call_id), (_, _, encode)) in enumerate(zip(items, classes, strict=True)):
        if content and encode is None:
            probes[content] = f"items[{at}][1]"
        elif content and encode is not None:
            probes[encode(content)], encoders[f"encode{at}"] = f"encode{at}(items[{at}][1])", encode
        if call_id is not None and keeps_ids:
            probes[call_id] = f"items[{at}][2]"
    return builder(unit, probes, encoders)


def _all_plain(items: Sequence[Item]) -> bool:
    return all([head.bare and content.__class__ is str for head, content, _ in items])  # noqa: C419  # faster


_UNKNOWN: Any = object()
"""Stands for a plan that has not been looked for."""
_BY_CLASS: Any = object()
"""Stands for the plans of units whose heads do not tell all."""
