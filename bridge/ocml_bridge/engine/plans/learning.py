"""Learning plans: a grammar is given a unit with probes for contents and ids, and what it gives is taken apart."""

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
"""How often units that are alike are met before their plan is learned: that takes as long as some go the plain way.

Most headers are those of many messages, but many a tool is called in one conversation alone.
"""


class Plan(NamedTuple):
    """How the units with some heads are written behind a state.

    Attributes:
        before: of a text with one content and no id: what stands before the content.
        after: and behind it.
        build: of any other unit: makes it of its items.
        image: the heads of what it reads as.
        next: the plans for the unit behind it.
        items: the items that it was made of, with probes in place of contents and ids.
        classes: of each of them the class of its content.
        places: what was found of where contents stand in its units; empty until somebody wants to know.
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
"""Stands for the plans of units whose heads do not tell all."""
Known = Plan | int | None
"""What is known of units that are alike."""


class Table:
    """The plans for units behind a state.

    Attributes:
        state: what the unit before left.
        plans: by what a unit looks like depends on: a plan, None where that is more than can be told in advance, or
            after how many meetings there may be one.
        last: the same for a unit that nothing follows.
    """

    __slots__ = ("last", "plans", "state")

    def __init__(self, state: State) -> None:
        self.state: Final = state
        self.plans: Final = Memo[Hashable, Known](LIMIT)
        self.last: Final = Memo[Hashable, Known](LIMIT)


class Nearest(NamedTuple):
    """What a format holds of the messages with some head.

    Attributes:
        head: of the nearest message; None where there is none.
        losses: what is lost of a message at index 0.
        signed: whether the head is but like that of the nearest message, which has another signature.
    """

    head: Head | None
    losses: tuple[Loss, ...]
    signed: bool = False

    @property
    def within(self) -> bool:
        """Whether its text stands among parts."""
        return self.head is not None and self.head.beside is not None


class Learner:
    """Learns the plans of a format, each when it is needed first.

    Args:
        grammar: the format's, with the options in it.
    """

    def __init__(self, grammar: UnitWriter) -> None:
        self._grammar: Final = grammar
        self._nearest = Memo[Head, Nearest | None](LIMIT)
        self._tables = Memo[State, Table](LIMIT)

    def table(self, state: State) -> Table:
        """The plans for units behind a state."""
        found = self._tables.get(state)
        return self._tables.keep(state, Table(state)) if found is None else found

    def local(self, head: Head) -> Head:
        """A head without what the format says nothing of: other formats' extras and layout, signatures."""
        return head.local(self._grammar.home, signed=self._grammar.keeps_signatures)

    def nearest(self, head: Head) -> Nearest | None:
        """What the format holds of messages with a head; None where that depends on what they say."""
        if head in self._nearest:
            return self._nearest[head]
        if head is self._grammar.declaration:  # it is as near as can be
            return self._nearest.keep(head, Nearest(head, ()))
        local = self.local(head)
        if not head.shared and local.shared:
            return self.nearest(local)
        if head.shared:
            return self._nearest.keep(head, self._learned_nearest(local))
        # Of a head that no other message has, there is nothing to learn.
        return None if head.pattern is None else self._nearest_to_pattern(head.pattern)

    def _nearest_to_pattern(self, pattern: Head) -> Nearest | None:
        """What the format holds of messages with a pattern; None where it says more of what differs than signatures."""
        if pattern not in self._nearest:
            found = self._learned_nearest(self.local(pattern))
            if found is not None and found.head is not None and is_in(found.head):
                unsigned = found.head.local(None, signed=False)
                found = None if is_in(unsigned) else found._replace(signed=True)
            self._nearest.keep(pattern, found)
        return self._nearest[pattern]

    def _learned_nearest(self, head: Head) -> Nearest | None:
        text, call_id = "" if head.empty else probe(0), head.id_like(probe(1))
        log = Log()
        message = self._grammar.nearest(head.message(text, call_id), 0, log)
        # A sentence that quotes a content is not the same for all messages.
        if any(PROBE in loss.detail for loss in log.losses):
            return None
        if message is None:
            return Nearest(None, tuple(log.losses))
        made = _head_of(message, text, expected=head.shared)
        return None if message.call_id not in (None, call_id) or made is None else Nearest(made, tuple(log.losses))

    def _path(self, head: Head, at: int) -> str:
        """Where a message with a head stands in a document."""
        return TOOLS_PATH if head is self._grammar.declaration else f"/messages/{at}"

    def plan(
        self, plans: Memo[Hashable, Known], heads: Hashable, group: Sequence[Item], state: State, *, last: bool
    ) -> Plan | None:
        """The plan for units like one, all of whose heads are shared; None where there is none, or none as yet.

        Args:
            plans: where it is looked for, and kept.
            heads: the key of the heads there.
            group: a unit.
            state: what the unit before left.
            last: whether nothing follows.
        """
        key, classes = heads, [ANY_CONTENT] * len(group)
        known = plans.get(key, MEETINGS)
        if known == MEETINGS and not all(self._grammar.follows(item[0]) for item in group):
            known = plans.keep(key, BY_CLASS)
        if known is BY_CLASS:
            found = self._classes(group)
            if found is None:
                return None
            key, classes = (heads, tuple(found)), found
            known = plans.get(key, MEETINGS)
        if isinstance(known, Plan) or known is None:
            return known
        if known > 1:
            plans.keep(key, known - 1, 1 if known == MEETINGS else 0)
            return None
        made = plans[key] = self._checked(group, classes, state, last=last)
        return made

    def _classes(self, group: Sequence[Item]) -> list[ContentClass] | None:
        """The classes of the contents of a unit; None where it is one of a kind."""
        classes: list[ContentClass] = []
        for head, content, _ in group:
            found = self._grammar.classify(head, content) if isinstance(content, str) else None
            if found is None:
                return None
            classes.append(found)
        return classes

    def _checked(
        self, group: Sequence[Item], classes: Sequence[ContentClass], state: State, *, last: bool
    ) -> Plan | None:
        """The plan for units like this one, where it gives what the grammar gives of this one."""
        plan, texts = self._tried(group, classes, state, last=last), [item[1] for item in group]
        if plan is None:
            return None
        unit = plan.build(group) if plan.build is not None else f"{plan.before}{texts[0]}{plan.after}"
        paths = [self._path(item[0], 0) for item in group]
        spelled = self._grammar.spell(messages_of(group), state, last=last, paths=paths, log=Log())
        if spelled.unit != unit or len(spelled.image) != len(texts):
            return None
        image = [_head_of(message, text) for message, text in zip(spelled.image, texts, strict=True)]
        return plan if image == [*plan.image] else None

    def _tried(
        self, group: Sequence[Item], classes: Sequence[ContentClass], state: State, *, last: bool
    ) -> Plan | None:
        """How units like this one are written; None where that depends on more, or there is something to report."""
        heads, keeps_ids = [item[0] for item in group], self._grammar.keeps_ids
        items = tuple(
            (head, "" if head.empty else f"{before}{probe(2 * at)}{after}", head.id_like(probe(2 * at + 1)))
            for at, (head, (before, after, _)) in enumerate(zip(heads, classes, strict=True))
        )
        log = Log()
        paths = [self._path(head, at) for at, head in enumerate(heads)]
        try:
            unit, messages, behind = self._grammar.spell(messages_of(items), state, last=last, paths=paths, log=log)
        except BridgeError:
            return None
        ids = [item[2] if keeps_ids else None for item in items]
        if log.losses or ids != [message.call_id for message in messages]:
            return None
        image = [_head_of(message, item[1]) for message, item in zip(messages, items, strict=True)]
        made, table = tuple([head for head in image if head is not None and head.shared]), self.table(behind)
        if len(made) != len(image) or any(map(is_in, made)):
            return None
        if not keeps_ids and isinstance(unit, str) and any(item[2] is not None and item[2] in unit for item in items):
            return None
        if len(heads) == 1 and isinstance(unit, str) and classes[0].encode is None and not (keeps_ids and items[0][2]):
            before, content, after = (unit, "", "") if heads[0].empty else unit.partition(items[0][1])
            once = heads[0].empty or (content and items[0][1] not in after)
            return Plan(before, after, None, made, table, items, (*classes,), []) if once else None
        build = _builder(unit, items, classes, keeps_ids=keeps_ids, embedded=self._grammar.embeds)
        return None if build is None else Plan("", "", build, made, table, items, (*classes,), [])


def _head_of(message: Message, text: Content, *, expected: bool = True) -> Head | None:
    """The head of a message that says a text, alone or among parts; None for one that says anything else.

    Args:
        message: what was made of a message with that text.
        text: of the message.
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
    """What makes a unit like this one, which was made of items with probes."""
    holes: dict[str, Hole] = {}
    for at, ((_, content, call_id), (_, _, encode)) in enumerate(zip(items, classes, strict=True)):
        if content:
            holes[content if encode is None else shown(encode(content))] = Hole((at, 1), encode)
        if call_id is not None and keeps_ids:
            holes[call_id] = Hole((at, 2))
    return builder(unit, holes, embedded=embedded)
