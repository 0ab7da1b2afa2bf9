"""Learns the plans by which units are written: one for all units with the same heads, after the same state.

The format's grammar (a `UnitWriter`) spells a unit whose contents and ids are probes. The result is split at the
probes, which gives a template that is filled with the contents and ids of other units. A plan is used only if it gives
the same result as the grammar for the unit from which it was learned.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple

from ...common.memo import Memo
from ...errors import BridgeError
from ...loss import Log, Loss
from ...model import Content, Message, Text
from ...units.grammar import ANY_CONTENT, ContentClass, State, Unit
from ...units.heads import LIMIT, NO_TEXT, Head, Item, head_of, messages_of
from ...units.writer import TOOLS_PATH, UnitWriter
from .fillers import Hole, builder
from .probes import PROBE, is_in, probe, shown

MEETINGS: Final = 2
"""How often units with the same heads are met before their plan is learned, as learning costs more than spelling.

Most heads repeat in many messages, but many a tool is called in one conversation alone.
"""


class Plan(NamedTuple):
    """How units with certain heads are written, after a certain state.

    Attributes:
        before: if the unit is a text with one content and no id: the text before the content.
        after: the text after it.
        build: for any other unit: builds the unit from its items.
        image: the heads of the messages that the unit reads as.
        next: the plans for the unit after it.
        items: the items from which the plan was learned, with probes in place of contents and ids.
        classes: the class of each item's content.
        places: a cache of where contents and ids stand in its units (`engine/spans/patterns.py`); empty until spans are
            needed.
    """

    before: str
    after: str
    build: Callable[[Sequence[Item]], Unit] | None
    image: tuple[Head, ...]
    next: Table
    items: tuple[Item, ...]
    classes: tuple[ContentClass, ...]
    places: list[Any]


BY_CLASS: Final = -1
"""The cache entry of heads for which the plan also depends on the classes of contents, which are then in the key."""
Cached = Plan | int | None
"""A cache entry: a plan, None if there can be none, or how many more units to meet before it is learned."""


class Table:
    """The plans for units after a certain state.

    Attributes:
        state: the state.
        plans: the cache of plans. The key is the head of a unit, or a tuple of its heads; if its entry is `BY_CLASS`,
            the plan has the key of heads and content classes.
        last: the same for units after which nothing follows.
    """

    __slots__ = ("last", "plans", "state")

    def __init__(self, state: State) -> None:
        self.state: Final = state
        self.plans: Final = Memo[Hashable, Cached](LIMIT)
        self.last: Final = Memo[Hashable, Cached](LIMIT)


class Nearest(NamedTuple):
    """What `UnitWriter.nearest` returns for all messages with a certain head.

    Attributes:
        head: of the nearest message; None if the format has no place for such messages.
        losses: the losses of such a message, if it is at index 0.
        has_extra_texts: whether the format writes extra texts of the message, such as a signature, which differ from
            message to message. Then `head` is only similar to the heads of the nearest messages, so each is made by the
            grammar.
        within: whether the format writes the text of such a message among parts.
        plain: whether nothing is lost, and `has_extra_texts` and `within` are False.
    """

    head: Head | None
    losses: tuple[Loss, ...]
    has_extra_texts: bool = False
    within: bool = False
    plain: bool = False


class Learner:
    """Learns the plans of a format, and caches them.

    Args:
        grammar: the format's writer of units.
    """

    def __init__(self, grammar: UnitWriter) -> None:
        self._grammar: Final = grammar
        self._nearest = Memo[Head, Nearest | None](LIMIT)
        self._tables = Memo[State, Table](LIMIT)

    def table(self, state: State) -> Table:
        """Return the plans for units after a state."""
        table = self._tables.get(state)
        return self._tables.keep(state, Table(state)) if table is None else table

    def local(self, head: Head) -> Head:
        """Return a head without what the format never writes: extras and layout of other formats, signatures."""
        return head.local(self._grammar.home, signed=self._grammar.keeps_signatures)

    def nearest(self, head: Head) -> Nearest | None:
        """Return the nearest head to a head, and what is lost; None if that also depends on the content."""
        if head in self._nearest:
            return self._nearest[head]
        if head is self._grammar.declaration:  # the format itself made that message
            return self._nearest.keep(head, Nearest(head, (), plain=True))
        local = self.local(head)
        if not head.shared and local.shared:
            return self.nearest(local)
        if head.shared:
            return self._nearest.keep(head, self._learned_nearest(local))
        # No other message has a head that is not shared, so there is nothing to learn of it but its pattern.
        return None if head.pattern is None else self._nearest_to_pattern(head.pattern)

    def _nearest_to_pattern(self, pattern: Head) -> Nearest | None:
        """Return `nearest` for heads with a pattern."""
        if pattern not in self._nearest:
            nearest = self._learned_nearest(self.local(pattern))
            if nearest is not None and nearest.head is not None and is_in(nearest.head):
                nearest = nearest._replace(has_extra_texts=True, plain=False)
            self._nearest.keep(pattern, nearest)
        return self._nearest[pattern]

    def _learned_nearest(self, head: Head) -> Nearest | None:
        text, call_id = "" if head.empty else probe(0), head.id_like(probe(1))
        log = Log()
        message = self._grammar.nearest(head.message(text, call_id), 0, log)
        # The detail of a loss that quotes the content differs from message to message.
        if any(PROBE in loss.detail for loss in log.losses):
            return None
        if message is None:
            return Nearest(None, tuple(log.losses))
        near_head = _head_of(message, text, expected=head.shared)
        if message.call_id not in (None, call_id) or near_head is None:
            return None
        within = near_head.parts_around is not None
        return Nearest(near_head, tuple(log.losses), within=within, plain=not (log.losses or within))

    def _path(self, head: Head, at: int) -> str:
        """Return the path of a message at an index, given its head."""
        return TOOLS_PATH if head is self._grammar.declaration else f"/messages/{at}"

    def plan(
        self, plans: Memo[Hashable, Cached], heads: Hashable, group: Sequence[Item], state: State, *, last: bool
    ) -> Plan | None:
        """Return the plan for a unit, and learn it if units with its key were met often enough.

        Args:
            plans: the cache: `plans` or `last` of a table.
            heads: the key of the unit's heads there.
            group: the items of the unit; all their heads are shared.
            state: the state after the unit before it.
            last: whether nothing follows.

        Returns:
            None if the grammar has to spell the unit, now or always.
        """
        key, classes = heads, [ANY_CONTENT] * len(group)
        cached = plans.get(key, MEETINGS)
        if cached == MEETINGS and not all(self._grammar.depends_on_head_only(item[0]) for item in group):
            cached = plans.keep(key, BY_CLASS)
        if cached is BY_CLASS:
            classified = self._classes(group)
            if classified is None:
                return None
            key, classes = (heads, tuple(classified)), classified
            cached = plans.get(key, MEETINGS)
        if isinstance(cached, Plan) or cached is None:
            return cached
        if cached > 1:
            plans.keep(key, cached - 1, 1 if cached == MEETINGS else 0)
            return None
        plan = plans[key] = self._learned_plan(group, classes, state, last=last)
        return plan

    def _classes(self, group: Sequence[Item]) -> list[ContentClass] | None:
        """Return the classes of the contents of a unit; None if one of them has no class."""
        classes: list[ContentClass] = []
        for head, content, _ in group:
            content_class = self._grammar.classify(head, content) if isinstance(content, str) else None
            if content_class is None:
                return None
            classes.append(content_class)
        return classes

    def _learned_plan(
        self, group: Sequence[Item], classes: Sequence[ContentClass], state: State, *, last: bool
    ) -> Plan | None:
        """Learn a plan from a unit; None if the plan does not give for the unit itself what the grammar gives."""
        plan, texts = self._plan_of_probes(group, classes, state, last=last), [item[1] for item in group]
        if plan is None:
            return None
        unit = plan.build(group) if plan.build is not None else f"{plan.before}{texts[0]}{plan.after}"
        paths = [self._path(item[0], 0) for item in group]
        spelled = self._grammar.write_unit(messages_of(group), state, last=last, paths=paths, log=Log())
        if spelled.unit != unit or len(spelled.image) != len(texts):
            return None
        image = [_head_of(message, text) for message, text in zip(spelled.image, texts, strict=True)]
        return plan if image == [*plan.image] else None

    def _plan_of_probes(
        self, group: Sequence[Item], classes: Sequence[ContentClass], state: State, *, last: bool
    ) -> Plan | None:
        """Spell a unit with probes in it, and make a plan of the result.

        Returns:
            None if a probe does not stand in the unit exactly once, or if there is a loss to report.
        """
        heads, keeps_ids = [item[0] for item in group], self._grammar.keeps_ids
        items = tuple(
            (head, "" if head.empty else each.example(probe(2 * at)), head.id_like(probe(2 * at + 1)))
            for at, (head, each) in enumerate(zip(heads, classes, strict=True))
        )
        log = Log()
        paths = [self._path(head, at) for at, head in enumerate(heads)]
        try:
            unit, messages, after_state = self._grammar.write_unit(
                messages_of(items), state, last=last, paths=paths, log=log
            )
        except BridgeError:
            return None
        ids = [item[2] if keeps_ids else None for item in items]
        if log.losses or ids != [message.call_id for message in messages]:
            return None
        image_heads = [_head_of(message, item[1]) for message, item in zip(messages, items, strict=True)]
        image = tuple([head for head in image_heads if head is not None and head.shared])
        table = self.table(after_state)
        if len(image) != len(image_heads) or any(map(is_in, image)):
            return None
        if not keeps_ids and isinstance(unit, str) and any(item[2] is not None and item[2] in unit for item in items):
            return None
        if len(heads) == 1 and isinstance(unit, str) and classes[0].encode is None and not (keeps_ids and items[0][2]):
            before, content, after = (unit, "", "") if heads[0].empty else unit.partition(items[0][1])
            once = heads[0].empty or (content and items[0][1] not in after)
            return Plan(before, after, None, image, table, items, (*classes,), []) if once else None
        build = _builder(unit, items, classes, keeps_ids=keeps_ids, embedded=self._grammar.embeds)
        return None if build is None else Plan("", "", build, image, table, items, (*classes,), [])


def _head_of(message: Message, text: Content, *, expected: bool = True) -> Head | None:
    """Return the head of a message whose content is a text, alone or among parts; None for any other content.

    Args:
        message: what the grammar returned for a message with that text.
        text: the content that the grammar was given.
        expected: as for `head_of`.
    """
    head, content = head_of(message, expected=expected), message.content
    if content == text:
        return head
    if isinstance(content, str) or not text or NO_TEXT in content:
        return None
    beside = tuple([NO_TEXT if part == Text(str(text)) else part for part in content])
    return head.within(beside) if beside.count(NO_TEXT) == 1 and PROBE not in repr(beside) else None


def _builder(
    unit: Unit,
    items: Sequence[tuple[Head, str, str | None]],
    classes: Sequence[ContentClass],
    *,
    keeps_ids: bool,
    embedded: bool,
) -> Callable[[Sequence[Item]], Unit] | None:
    """Return a function that builds a unit from its items, given the unit of items with probes; None as `builder`."""
    holes: dict[str, Hole] = {}
    for at, ((_, content, call_id), content_class) in enumerate(zip(items, classes, strict=True)):
        encode = content_class.encode
        if content:
            holes[content if encode is None else shown(encode(content))] = Hole((at, 1), encode)
        if call_id is not None and keeps_ids:
            holes[call_id] = Hole((at, 2))
    return builder(unit, holes, embedded=embedded)
