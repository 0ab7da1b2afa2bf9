"""Outputs of conversations that were read alike: they are written once, unit by unit, and filled in from then on.

Whatever a plan of a conversation has is the same in all of them, so nothing but their contents and ids tells what is
written of them apart. A content that is not written as it is takes the way of units.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...common.memo import Memo
from ...loss import Log, Loss, LossCode
from ...model import Document
from ...model.ownership import key_of
from ...units.conversation import Conversation, ConversationPlan, is_plain_id
from ...units.grammar import ANY_CONTENT, ContentClass
from ...units.heads import LIMIT, SIGNATURE, Head
from ...units.writer import TOOLS, UnitWriter
from ..losses import SharedLosses, shared_losses
from .conversations import SIZE
from .holes import build_of, derived_ids
from .probes import probe, texts_in

if TYPE_CHECKING:
    from ...spans.columns import Columns
    from ..written import Written


class Use(NamedTuple):
    """What is written of a value.

    Attributes:
        head: of its message, as the format holds it.
        known: its class, where what is written does not follow from the head; else None.
        encode: how it stands in the output; None where it stands there as it is.
        settled: what is lost where the format says it in its own words, as of a content at ""; None where it does not.
        beside: whether it stands among parts, or in a unit with such, and is spelled by the grammar.
    """

    head: Head
    known: ContentClass | None
    encode: Callable[[str], Any] | None
    settled: Sequence[Loss] | None
    beside: bool = False


class OutputPlan:
    """How conversations that were read alike are written.

    Args:
        grammar: the format's, with the options in it.
        build: makes an output of the contents and ids.
        contents: which values are contents, with the heads of their messages.
        uses: by value, what is written of each content.
        losses: what is lost of them.
        beside: how many characters of what was said the output has beside these contents.
        derived: ids in it that were made of others; each as the number of the other, and what stands behind that.
        ids: which values are ids.
        order: indices of the messages in the order in which the output has them; None where none was moved.

    Attributes:
        losses: as given.
        order: as given.
    """

    __slots__ = (
        "_beside",
        "_build",
        "_characters",
        "_classes",
        "_contents",
        "_derived",
        "_grammar",
        "_ids",
        "_looks",
        "_settled",
        "_texts",
        "losses",
        "order",
    )

    def __init__(
        self,
        grammar: UnitWriter,
        build: Callable[[Sequence[str]], Any],
        contents: Sequence[tuple[Head, int]],
        uses: dict[int, Use],
        losses: SharedLosses,
        beside: int,
        derived: Collection[tuple[int, str]],
        ids: Collection[int],
        order: tuple[int, ...] | None,
    ) -> None:
        self._grammar: Final = grammar
        self._texts: Final = [*uses]
        self._characters: Final = beside
        self._build: Final = build
        self._contents: Final = [slot for _, slot in contents]
        self._looks: Final = contents if grammar.looks_at_contents else ()
        self._beside: Final = [(slot, use.head) for slot, use in uses.items() if use.beside]
        self._settled: Final = [(slot, use.head, use.settled) for slot, use in uses.items() if use.settled is not None]
        self._classes: Final = [(slot, use.head, use.known) for slot, use in uses.items() if use.known is not None]
        self._derived: Final = derived
        self._ids: Final = ids
        self.losses: Final = losses
        self.order: Final = order

    def characters(self, values: Sequence[str]) -> int:
        """How many characters of what was said are in the output of some values, as the format says them."""
        return self._characters + sum([len(values[slot]) for slot in self._texts])

    def output(self, values: Sequence[str]) -> tuple[Any, Sequence[str]] | None:
        """The output, and the values as the format says them; None where one is not written as the plan's are."""
        grammar = self._grammar
        mark, inert = grammar.mark, grammar.inert
        if mark is not None and (not mark or mark in "".join(values)):
            for slot in self._contents:
                if mark in values[slot] and not inert(values[slot]):
                    return None
        if self._derived and not self._are_free(values):
            return None
        for head, slot in self._looks:
            if not grammar.is_prepared_alike(head, values[slot]):
                return None
        for slot, head in self._beside:
            if not grammar.is_plain_part(head, values[slot]):
                return None
        if self._settled:
            values = [*values]
            for slot, head, losses in self._settled:
                values[slot], lost = _settled(grammar, head, values[slot])
                if lost != losses:
                    return None
        for slot, head, known in self._classes:
            if grammar.classify(head, values[slot]) != known:
                return None
        return self._build(values), values

    def _are_free(self, values: Sequence[str]) -> bool:
        """Whether ids that are made of others are none of those that are there, and ids that every format takes."""
        ids = {values[slot] for slot in self._ids}
        made = [values[slot] + suffix for slot, suffix in self._derived]
        return ids.isdisjoint(made) and all(map(is_plain_id, made))


class Filled:
    """What was written by the plan of its output: all else is found by writing it unit by unit, when someone asks.

    Args:
        output: the text, or the JSON.
        values: the contents and ids of the conversation, as the format says them.
        plan: of the output.
        conversation: what was written.
        write: writes it unit by unit.

    Attributes:
        output: as given.
        order: of the plan.
        spans: None, as nobody wanted to know.
    """

    __slots__ = ("_conversation", "_plan", "_values", "_whole", "_write", "order", "output", "spans")

    def __init__(
        self,
        output: Any,
        values: Sequence[str],
        plan: OutputPlan,
        conversation: Conversation,
        write: Callable[[Conversation], Written],
    ) -> None:
        self.output = output
        self._values = values
        self.order = plan.order
        self.spans: Columns | None = None
        self._plan = plan
        self._conversation = conversation
        self._write = write
        self._whole: Written | None = None

    @property
    def whole(self) -> Written:
        """The same, written unit by unit."""
        if self._whole is None:
            self._whole = self._write(self._conversation)
        return self._whole

    @property
    def losses(self) -> Sequence[Loss]:
        """Every loss, in order."""
        return self._plan.losses.of(self._conversation.values)

    @property
    def logged(self) -> Sequence[Loss]:
        """The losses that the format itself reported, before the document was compared with the image."""
        return self.whole.logged

    def losses_of(self, codes: frozenset[LossCode]) -> Sequence[Loss]:
        """The losses with one of these codes."""
        if codes.isdisjoint(self._plan.losses.codes):
            return ()
        return [loss for loss in self.losses if loss.code in codes]

    @property
    def image(self) -> Document:
        """What the output reads as."""
        return self.whole.image

    @property
    def characters(self) -> int:
        """How many characters of what was said are in the output."""
        return self._plan.characters(self._values)


class OutputPlans:
    """The plans of the outputs that a writer has written often.

    Args:
        grammar: the format's, with the options in it.
        write: writes a conversation unit by unit.
        traced: likewise, and keeps how.
    """

    def __init__(
        self, grammar: UnitWriter, write: Callable[[Conversation], Written], traced: Callable[[Conversation], Written]
    ) -> None:
        self._grammar: Final = grammar
        self._write: Final = write
        self._traced: Final = traced
        self._known = Memo[ConversationPlan, OutputPlan | None](SIZE)
        self._followed = Memo[Head, bool](LIMIT)

    def filled(self, conversation: Conversation, plan: ConversationPlan) -> Filled | None:
        """A conversation written by the plan of its output; None where it is written unit by unit.

        Args:
            conversation: it.
            plan: by which it was read.
        """
        found = self._known.get(plan)
        output = None if found is None else found.output(conversation.values)
        return None if output is None or found is None else Filled(*output, found, conversation, self._write)

    def learn(self, conversation: Conversation, plan: ConversationPlan) -> None:
        """Learn how conversations like one are written, which was written by the plans of its units alone."""
        if plan not in self._known:
            self._known.keep(plan, self._learned(conversation, plan), len(plan.items) + 1)

    def _learned(self, conversation: Conversation, plan: ConversationPlan) -> OutputPlan | None:
        """How conversations like this one are written; None where that depends on more."""
        grammar, values = self._grammar, conversation.values
        if grammar.tokens is not None:
            return None
        written = self._traced(conversation)
        if not written.planned or (uses := self._uses(written, plan, values)) is None:
            return None
        media = {slot: address for item in plan.items for slot, address in item.media.items()}
        probes = [
            probe(plan.same[slot]) if slot in plan.same else media.get(slot) or self._probed(slot, uses.get(slot))
            for slot in range(len(values))
        ]
        made = self._traced(Conversation(None, plan.around, plan=plan, values=probes))
        if not made.planned or self._uses(made, plan, probes) != uses:
            return None
        for slot, use in uses.items():
            if use.settled is not None:
                probes[slot], _ = _settled(grammar, use.head, probes[slot])
        lost = made.losses
        derived = derived_ids([*(text for _, text in texts_in(made.output)), *(loss.detail for loss in lost)], plan)
        if derived is None:
            return None
        # JSON has an address or a signature as it is, once or more often; no text of frames has one.
        signatures = [text.number for item in plan.items for text in item.own if text.path == SIGNATURE]
        labels = {label.number: label.encode for label in plan.labels}
        often = {*plan.same} if isinstance(made.output, str) else {*plan.same, *media, *signatures}
        if not (isinstance(made.output, str) or grammar.embeds):
            often |= labels.keys()
        encodes = {slot: use.encode for slot, use in uses.items()}
        build = build_of(made.output, probes, often, encodes, labels, embedded=grammar.embeds)
        if build is None or (losses := shared_losses(lost, plan)) is None:
            return None
        contents = [(item.head, number) for item in plan.items for number in item.texts]
        beside = made.characters - sum(len(probes[slot]) for slot in uses)
        found = OutputPlan(grammar, build, contents, uses, losses, beside, derived, plan.same, made.order)
        output = found.output(values)
        if output is None or not _is_same(output[0], written.output) or [*losses.of(values)] != [*written.losses]:
            return None
        same = made.order == written.order and found.characters(output[1]) == written.characters
        return found if same else None

    def _is_plain(self, use: Use, text: str) -> bool:
        """Whether a text that stands among parts, or in a unit with such, is written there as it is."""
        grammar, head, known = self._grammar, use.head, use.known
        return (known is None or grammar.classify(head, text) == known) and grammar.is_plain_part(head, text)

    def _follows(self, head: Head) -> bool:
        """As `UnitWriter.follows`, for heads that are met again."""
        known = self._followed.get(head)
        return self._followed.keep(head, self._grammar.follows(head)) if known is None else known

    def _class_of(self, head: Head, content: str) -> ContentClass | None:
        """The class of a content, in a unit that has no plan; None where it is one of a kind."""
        known = ANY_CONTENT if self._follows(head) else self._grammar.classify(head, content)
        return known if self._grammar.is_plain_part(head, content) else None

    def _probed(self, slot: int, use: Use | None) -> str:
        """A content that is written as one, with a probe in it."""
        before, after, _ = ANY_CONTENT if use is None or use.known is None else use.known
        text = f"{before}{probe(slot)}{after}"
        if use is None or use.settled is None:
            return text
        others = _settled(self._grammar, use.head, text)[0], f" {text}"  # JSON that no format writes so
        tried = [one for one in (text, *others) if _settled(self._grammar, use.head, one)[1] == use.settled]
        return tried[0] if tried else text

    def _uses(self, written: Written, plan: ConversationPlan, values: Sequence[str]) -> dict[int, Use] | None:
        """By content, what was written of it; None where it is one that may be written otherwise."""
        assert written.trace is not None, "what is learned is traced"
        uses: dict[int, Use] = {}
        order = range(len(plan.items)) if written.trace.order is None else written.trace.order
        joined = written.joined if written.trace.order is None else ()
        for start, stop, of_unit, _, _ in written.trace.steps:
            for at in range(start, stop):
                index = at if written.origins is None else written.origins[at]
                head, content, _ = written.items[at]
                slots = [] if index == TOOLS else [*plan.items[order[index]].texts]
                follows = self._follows(head)
                if not isinstance(content, str):
                    while index + 1 in joined:
                        index += 1
                        slots += plan.items[index].texts
                    use = Use(head, None if follows else ANY_CONTENT, None, None, beside=True)
                    if not all(self._is_plain(use, values[slot]) for slot in slots):
                        return None
                    uses |= dict.fromkeys(slots, use)
                    continue
                if not head.shared:  # other messages have its like with another signature
                    head = head.local(None, signed=False)
                for slot in slots:
                    known = self._class_of(head, values[slot]) if of_unit is None else of_unit.classes[at - start]
                    if known is None:
                        return None
                    settles = self._grammar.settles and (head.calls or head.role == "tool")
                    settled = _settled(self._grammar, head, values[slot])[1] if settles else None
                    beside = of_unit is None or head.beside is not None
                    uses[slot] = Use(head, None if follows else known, known.encode, settled, beside)
        return uses


def _is_same(one: Any, other: Any) -> bool:
    """Whether two outputs are equal; of JSON values, the order of members counts, and the kinds of numbers."""
    return one == other and (isinstance(one, str) or key_of(one) == key_of(other))


def _settled(grammar: UnitWriter, head: Head, content: str) -> tuple[str, Sequence[Loss]]:
    """A content as the format says it, and what is lost of it."""
    log = Log()
    return grammar.settled(head, content, "", log), log.losses
