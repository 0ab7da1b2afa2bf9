"""Learns plans of outputs: one for all conversations that were read by the same plan.

These conversations differ only in their contents and ids. So one of them is written unit by unit with probes as its
values, and the output is split at the probes; the losses likewise. From then on, one function fills in the values. Each
content is checked before, as for a plan of a unit (`inert`, `json_content`, `classify`); if one fails, the conversation
is written unit by unit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...common.memo import Memo
from ...loss import Log, Loss
from ...model.ownership import key_of
from ...units.call_ids import is_plain_id
from ...units.conversation import Conversation, ConversationPlan
from ...units.grammar import ANY_CONTENT, ContentClass
from ...units.heads import LIMIT, Head
from ...units.writer import TOOLS, UnitWriter
from ..losses import SharedLosses, shared_losses
from .conversations import SIZE
from .filled import Filled
from .holes import build_of, derived_ids
from .probes import probe, texts_in

if TYPE_CHECKING:
    from ..written import Written


class Use(NamedTuple):
    """How a content is written. Contents for which it differs are not written by the plan.

    Attributes:
        head: of its message, as the format holds it.
        content_class: its class; None if the head alone determines what is written.
        encode: returns what the content becomes in the output; None if it is written unchanged.
        json_losses: the losses that `UnitWriter.json_content` reports, with the path ""; None if it is not called.
        among_parts: whether it is written among parts, or in a unit without a plan: `is_plain_part` must allow it.
    """

    head: Head
    content_class: ContentClass | None
    encode: Callable[[str], Any] | None
    json_losses: Sequence[Loss] | None
    among_parts: bool = False


class OutputPlan:
    """How the conversations with a certain plan are written.

    Args:
        grammar: the format's writer of units.
        build: builds an output from the values of a conversation.
        contents: for each value that is a content: the index of its message, the head, and the index of the value.
        uses: for each content that is written, by the index of its value, how it is.
        losses: the losses of these conversations.
        other_characters: how many characters of the output count as content but are in no value (`chat.substance`).
        derived: ids in the output that the format made from others; each as the index of the other id, and a suffix.
        ids: the indices of the values that are ids.
        order: the indices of the messages in the order of the output; None if none was moved.
        losses_of_units: the index among the losses at which `write_unit` reports its own; None if tokens in contents
            cannot be reported there.

    Attributes:
        losses: as given.
        order: as given.
        losses_of_units: as given.
    """

    __slots__ = (
        *("_among_parts", "_breakable", "_build", "_classes", "_contents", "_derived", "_grammar", "_ids"),
        *("_json_content", "_other_characters", "_prepared", "_texts", "losses", "losses_of_units", "order"),
    )

    def __init__(
        self,
        grammar: UnitWriter,
        build: Callable[[Sequence[str]], Any],
        contents: Sequence[tuple[int, Head, int]],
        uses: dict[int, Use],
        losses: SharedLosses,
        other_characters: int,
        derived: Collection[tuple[int, str]],
        ids: Collection[int],
        order: tuple[int, ...] | None,
        losses_of_units: int | None,
    ) -> None:
        self._grammar: Final = grammar
        self._texts: Final = [*uses]
        self._other_characters: Final = other_characters
        self._build: Final = build
        self._contents: Final = [slot for _, _, slot in contents]
        self._prepared: Final = [each[1:] for each in contents] if grammar.looks_at_contents else ()
        paths = {slot: f"/messages/{index}/content" for index, _, slot in contents}
        self._breakable: Final = {
            slot: (use.head, paths[slot])
            for slot, use in uses.items()
            if losses_of_units is not None and use.encode is use.json_losses is None and not use.among_parts
        }
        """The contents whose tokens may be broken: the head and the path of each, in the order of the output."""
        self._among_parts: Final = [(slot, use.head) for slot, use in uses.items() if use.among_parts]
        self._json_content: Final = [
            (slot, use.head, use.json_losses) for slot, use in uses.items() if use.json_losses is not None
        ]
        self._classes: Final = [
            (slot, use.head, use.content_class) for slot, use in uses.items() if use.content_class is not None
        ]
        self._derived: Final = derived
        self._ids: Final = ids
        self.losses: Final = losses
        self.order: Final = order
        self.losses_of_units: Final = losses_of_units

    def characters(self, values: Sequence[str]) -> int:
        """Return how many characters of content the output has, given its values as `output` returned them."""
        return self._other_characters + sum([len(values[slot]) for slot in self._texts])

    def output(self, values: Sequence[str]) -> tuple[Any, Sequence[str], Sequence[Loss]] | None:
        """Build the output of a conversation from its values.

        Returns:
            The output, the values after `json_content`, and the losses of tokens that are broken; None if a value is
            not written as the plan has it.
        """
        grammar = self._grammar
        mark, inert = grammar.mark, grammar.inert
        with_tokens: list[int] = []
        if mark is not None and (not mark or mark in "".join(values)):
            with_tokens = [slot for slot in self._contents if mark in values[slot] and not inert(values[slot])]
        if self._derived and not self._can_derive(values):
            return None
        for head, slot in self._prepared:
            if not grammar.prepares_by_head(head, values[slot]):
                return None
        for slot, head in self._among_parts:
            if not grammar.is_plain_part(head, values[slot]):
                return None
        if self._json_content:
            values = [*values]
            for slot, head, losses in self._json_content:
                values[slot], lost = _json_content(grammar, head, values[slot])
                if lost != losses:
                    return None
        for slot, head, content_class in self._classes:
            if grammar.classify(head, values[slot]) != content_class:
                return None
        if not with_tokens:
            return self._build(values), values, ()
        broken = self._with_broken_tokens(values, with_tokens)
        return None if broken is None else (self._build(broken[0]), values, broken[1])

    def _with_broken_tokens(
        self, values: Sequence[str], with_tokens: Collection[int]
    ) -> tuple[Sequence[str], Sequence[Loss]] | None:
        """Return the values with the tokens in some contents broken, and the losses; None if one is no such content."""
        if not self._breakable.keys() >= {*with_tokens}:
            return None
        out, log = [*values], Log()
        for slot, (head, path) in self._breakable.items():
            if slot in with_tokens:
                broken = self._grammar.with_broken_tokens(head, values[slot], path, log)
                if broken is None:
                    return None
                out[slot] = broken
        return out, log.losses

    def _can_derive(self, values: Sequence[str]) -> bool:
        """Return whether the derived ids differ from those of the conversation, and are plain (`is_plain_id`)."""
        ids = {values[slot] for slot in self._ids}
        derived = [values[slot] + suffix for slot, suffix in self._derived]
        return ids.isdisjoint(derived) and all(map(is_plain_id, derived))


class OutputPlans:
    """Learns the plans of a writer's outputs, and caches them.

    Args:
        grammar: the format's writer of units.
        write: writes a conversation unit by unit.
        traced: as `write`, and records by which plan each unit was written.
    """

    def __init__(
        self, grammar: UnitWriter, write: Callable[[Conversation], Written], traced: Callable[[Conversation], Written]
    ) -> None:
        self._grammar: Final = grammar
        self._write: Final = write
        self._traced: Final = traced
        self._plans = Memo[ConversationPlan, OutputPlan | None](SIZE)
        self._head_only_cache = Memo[Head, bool](LIMIT)

    def filled(self, conversation: Conversation, plan: ConversationPlan) -> Filled | None:
        """Write a conversation by the plan of its output.

        Args:
            conversation: what to write.
            plan: the plan by which it was read.

        Returns:
            None if there is no plan, or if it is not valid for a value; then it is to be written unit by unit.
        """
        output_plan = self._plans.get(plan)
        output = None if output_plan is None else output_plan.output(conversation.values)
        if output is None or output_plan is None:
            return None
        return Filled(*output, output_plan, conversation, self._write)

    def without_tokens(self, conversation: Conversation, plan: ConversationPlan) -> Conversation | None:
        """Return a conversation with other texts in place of those with tokens, to learn the plan of its output from.

        None if the plan is known, or if no text has tokens; or if arguments have, whose texts cannot be replaced.
        """
        grammar, values = self._grammar, [*conversation.values]
        if plan in self._plans or grammar.mark is None:
            return None
        with_tokens = [
            (item.head, slot)
            for item in plan.items
            for slot in item.texts
            if grammar.mark in values[slot] and not grammar.inert(values[slot])
        ]
        if not with_tokens or any(head.calls or head.promises_json for head, _ in with_tokens):
            return None
        for _, slot in with_tokens:
            values[slot] = "x"
        return Conversation(None, conversation.around, plan=plan, values=values)

    def learn(self, conversation: Conversation, plan: ConversationPlan) -> None:
        """Learn the plan of the output from a conversation whose units were all written by plans."""
        if plan not in self._plans:
            self._plans.keep(plan, self._learned(conversation, plan), len(plan.items) + 1)

    def _learned(self, conversation: Conversation, plan: ConversationPlan) -> OutputPlan | None:
        """Write the conversation with probes as its values, and make a plan of the output.

        Returns:
            None if the output with probes cannot be split, or if the plan does not give the output and the losses of
            the conversation itself.
        """
        grammar, values = self._grammar, conversation.values
        if grammar.tokens is not None:
            return None
        written = self._traced(conversation)
        if not written.planned or (uses := self._uses(written, plan, values)) is None:
            return None
        media = {slot: address for item in plan.items for slot, address in item.media.items()}
        probes = [
            probe(plan.ids[slot]) if slot in plan.ids else media.get(slot) or self._probed(slot, uses.get(slot))
            for slot in range(len(values))
        ]
        # With probes, each content must be written in the same way.
        probed = self._traced(Conversation(None, plan.around, plan=plan, values=probes))
        if not probed.planned or self._uses(probed, plan, probes) != uses:
            return None
        for slot, use in uses.items():
            if use.json_losses is not None:
                probes[slot], _ = _json_content(grammar, use.head, probes[slot])
        probed_losses = probed.losses
        texts = [*(text for _, text in texts_in(probed.output)), *(loss.detail for loss in probed_losses)]
        derived = derived_ids(texts, plan)
        if derived is None:
            return None
        # JSON may repeat an address or an extra text, unchanged; a text has neither.
        extras = [text.number for item in plan.items for text in item.extra_texts]
        labels = {label.number: label.encode for label in plan.labels}
        repeatable = {*plan.ids} if isinstance(probed.output, str) else {*plan.ids, *media, *extras}
        if not (isinstance(probed.output, str) or grammar.embeds):
            repeatable |= labels.keys()
        encodes = {slot: use.encode for slot, use in uses.items()}
        build = build_of(probed.output, probes, repeatable, encodes, labels, embedded=grammar.embeds)
        if build is None or (losses := shared_losses(probed_losses, plan)) is None:
            return None
        contents = [(at, item.head, number) for at, item in enumerate(plan.items) for number in item.texts]
        other_characters = probed.characters - sum(len(probes[slot]) for slot in uses)
        output_plan = OutputPlan(
            *(grammar, build, contents, uses, losses, other_characters, derived, plan.ids, probed.order),
            losses_of_units=probed.losses_of_units,
        )
        # The plan must give what was written without it.
        output = output_plan.output(values)
        if output is None or not _is_same(output[0], written.output) or [*losses.of(values)] != [*written.losses]:
            return None
        same = probed.order == written.order and output_plan.characters(output[1]) == written.characters
        return output_plan if same else None

    def _is_plain(self, use: Use, text: str) -> bool:
        """Return whether a text that is written among parts is written unchanged there."""
        grammar, head, content_class = self._grammar, use.head, use.content_class
        same_class = content_class is None or grammar.classify(head, text) == content_class
        return same_class and grammar.is_plain_part(head, text)

    def _depends_on_head_only(self, head: Head) -> bool:
        """Return what `UnitWriter.depends_on_head_only` returns, from the cache."""
        head_only = self._head_only_cache.get(head)
        return (
            self._head_only_cache.keep(head, self._grammar.depends_on_head_only(head))
            if head_only is None
            else head_only
        )

    def _class_of(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a content in a unit that has no plan; None if it is not written unchanged there."""
        content_class = ANY_CONTENT if self._depends_on_head_only(head) else self._grammar.classify(head, content)
        return content_class if self._grammar.is_plain_part(head, content) else None

    def _probed(self, slot: int, use: Use | None) -> str:
        """Return a content with a probe in it that is written with the same class and losses as a content was."""
        before, after, _ = ANY_CONTENT if use is None or use.content_class is None else use.content_class
        text = f"{before}{probe(slot)}{after}"
        if use is None or use.json_losses is None:
            return text
        # The content is JSON: in its usual spelling it has no loss, with a space before it `json_content` reports one.
        candidates = text, _json_content(self._grammar, use.head, text)[0], f" {text}"
        same = [one for one in candidates if _json_content(self._grammar, use.head, one)[1] == use.json_losses]
        return same[0] if same else text

    def _uses(self, written: Written, plan: ConversationPlan, values: Sequence[str]) -> dict[int, Use] | None:
        """Return how each content was written, by the index of its value.

        Args:
            written: the output, traced.
            plan: of the conversation.
            values: of the conversation.

        Returns:
            None if other contents of the same heads and classes may be written differently.
        """
        assert written.trace is not None, "what is learned is traced"
        uses: dict[int, Use] = {}
        order = range(len(plan.items)) if written.trace.order is None else written.trace.order
        joined = written.joined if written.trace.order is None else ()
        for start, stop, unit_plan, _, _ in written.trace.steps:
            for at in range(start, stop):
                index = at if written.origins is None else written.origins[at]
                head, content, _ = written.items[at]
                read = None if index == TOOLS else plan.items[order[index]]
                slots = [] if read is None else [*read.texts]
                head_only = self._depends_on_head_only(head)
                if not isinstance(content, str):
                    while index + 1 in joined:
                        index += 1
                        slots += plan.items[index].texts
                    use = Use(head, None if head_only else ANY_CONTENT, None, None, among_parts=True)
                    if not all(self._is_plain(use, values[slot]) for slot in slots):
                        return None
                    uses |= dict.fromkeys(slots, use)
                    continue
                if not head.shared and read is not None:  # other messages differ only in the extra texts
                    head = head.without_extra_texts(read.extra_texts)
                for slot in slots:
                    content_class = (
                        self._class_of(head, values[slot]) if unit_plan is None else unit_plan.classes[at - start]
                    )
                    if content_class is None:
                        return None
                    has_json_contents = self._grammar.has_json_contents and (head.calls or head.role == "tool")
                    json_losses = _json_content(self._grammar, head, values[slot])[1] if has_json_contents else None
                    among_parts = unit_plan is None or head.parts_around is not None
                    use_class = None if head_only else content_class
                    uses[slot] = Use(head, use_class, content_class.encode, json_losses, among_parts)
        return uses


def _is_same(output: Any, other: Any) -> bool:
    """Return whether two outputs are equal; in JSON values, the order of members and the types of numbers count."""
    return output == other and (isinstance(output, str) or key_of(output) == key_of(other))


def _json_content(grammar: UnitWriter, head: Head, content: str) -> tuple[str, Sequence[Loss]]:
    """Return a content after `UnitWriter.json_content`, and the losses."""
    log = Log()
    return grammar.json_content(head, content, "", log), log.losses
