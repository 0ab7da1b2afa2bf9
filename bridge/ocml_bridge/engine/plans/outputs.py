"""Learns plans of outputs: one for all conversations that were read by the same plan.

These conversations differ only in their contents and ids. So one of them is written unit by unit with probes as its
values, and the output is split at the probes; the losses likewise. From then on, one function fills in the values. Each
content is checked before, as for a plan of a unit (`inert`, `json_content`, `classify`); if one fails, the conversation
is written unit by unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...common.memo import Meetings, Memo
from ...model.ownership import key_of
from ...units.conversation import Conversation, ConversationPlan
from ...units.grammar import ANY_CONTENT, ContentClass
from ...units.heads import LIMIT, Head
from ...units.writer import TOOLS, UnitWriter
from ..losses import shared_losses
from .conversations import SIZE
from .filled import Filled
from .holes import build_of, derived_ids
from .output_plan import OutputPlan, Use, json_content_of
from .probes import probe

if TYPE_CHECKING:
    from ..trace import Step
    from ..written import Written


_MOST: Final = 4
"""How many plans of outputs one plan of a conversation has at most."""


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
        self._plans = Memo[ConversationPlan, tuple[OutputPlan, ...]](SIZE)
        self._meetings = Meetings(LIMIT)
        """How many conversations with a plan were written without a plan of the output."""
        self._head_only_cache = Memo[Head, bool](LIMIT)

    def filled(self, conversation: Conversation, plan: ConversationPlan) -> Filled | None:
        """Write a conversation by the plan of its output.

        Args:
            conversation: what to write.
            plan: the plan by which it was read.

        Returns:
            None if there is no plan, or if it is not valid for a value; then it is to be written unit by unit.
        """
        for output_plan in self._plans.get(plan, ()):
            output = output_plan.output(conversation.values)
            if output is not None:
                return Filled(*output, output_plan, conversation, self._write)
        return None

    def is_due(self, plan: ConversationPlan) -> bool:
        """Count a conversation that no plan of the output writes; return whether one is to be learned from it.

        There are several for one plan of the conversation if its contents are of several classes. Some contents are
        written by none, so it is tried less and less.

        Args:
            plan: the plan by which the conversation was read.
        """
        if self._grammar.tokens is not None or len(self._plans.get(plan, ())) == _MOST:
            return False
        return self._meetings.is_due(plan)

    def learn(self, conversation: Conversation, plan: ConversationPlan, written: Written) -> None:
        """Learn the plan of the output from a conversation, if all its units are written by plans.

        Args:
            conversation: what was written.
            plan: the plan by which it was read.
            written: the output, traced.
        """
        if not written.planned:
            without_tokens = self._without_tokens(conversation, plan)
            if without_tokens is None:
                return
            conversation, written = without_tokens, self._traced(without_tokens)
        learned = self._learned(conversation, plan, written) if written.planned else None
        if learned is not None:
            self._plans.keep(plan, (*self._plans.get(plan, ()), learned), len(plan.items) + 1)

    def _without_tokens(self, conversation: Conversation, plan: ConversationPlan) -> Conversation | None:
        """Return a conversation with other texts in place of those with tokens, to learn the plan of its output from.

        None if no text has tokens; or if arguments have, whose texts cannot be replaced.
        """
        grammar, values = self._grammar, [*conversation.values]
        if grammar.mark is None:
            return None
        with_tokens = [
            (item.head, number)
            for item in plan.items
            for number in item.texts
            if grammar.mark in values[number] and not grammar.inert(values[number])
        ]
        if not with_tokens or any(head.calls or head.promises_json for head, _ in with_tokens):
            return None
        for _, number in with_tokens:
            values[number] = "x"
        return Conversation(None, conversation.around, plan=plan, values=values)

    def _learned(self, conversation: Conversation, plan: ConversationPlan, written: Written) -> OutputPlan | None:
        """Write the conversation with probes as its values, and make a plan of the output.

        Returns:
            None if the output with probes cannot be split, or if the plan does not give the output and the losses of
            the conversation itself.
        """
        values, uses = conversation.values, self._uses(written, plan, conversation.values)
        if uses is None:
            return None
        probes = self._probes(plan, uses, len(values))
        # With probes, each content must be written in the same way.
        probed = self._traced(Conversation(None, plan.around, plan=plan, values=probes))
        if not probed.planned or self._uses(probed, plan, probes) != uses:
            return None
        output_plan = self._plan_of_probes(plan, uses, probes, probed)
        # The plan must give what was written without it.
        filled = None if output_plan is None else output_plan.output(values)
        if output_plan is None or filled is None or not _is_same(filled[0], written.output):
            return None
        is_same = (
            [*output_plan.losses.of(values)] == [*written.losses]
            and output_plan.order == written.order
            and output_plan.characters(filled[1]) == written.characters
        )
        return output_plan if is_same else None

    def _probes(self, plan: ConversationPlan, uses: Mapping[int, Use], count: int) -> list[str]:
        """Return the probes in place of the values of a conversation: equal ids and all addresses stay what they are.

        Args:
            plan: of the conversation.
            uses: how its contents are written.
            count: how many values it has.
        """
        probes = [self._probed(number, uses.get(number)) for number in range(count)]
        for item in plan.items:
            for number, address in item.media.items():
                probes[number] = address
        for number, first in plan.ids.items():
            probes[number] = probe(first)
        return probes

    def _plan_of_probes(
        self, plan: ConversationPlan, uses: dict[int, Use], probes: Sequence[str], probed: Written
    ) -> OutputPlan | None:
        """Return the plan of an output that was written with probes; None if it cannot be split at them.

        Args:
            plan: of the conversation.
            uses: how its contents are written.
            probes: its values.
            probed: the output.
        """
        grammar, losses = self._grammar, probed.losses
        probes = [*probes]
        for number, use in uses.items():
            if use.json_losses is not None:
                probes[number], _ = json_content_of(grammar, use.head, probes[number])
        derived = derived_ids(probed.output, losses, plan)
        if derived is None:
            return None
        # JSON may repeat an address or an extra text, unchanged; a text has neither.
        media = {number for item in plan.items for number in item.media}
        extras = [text.number for item in plan.items for text in item.extra_texts]
        labels = {label.number: label.encode for label in plan.labels}
        repeatable = {*plan.ids} if isinstance(probed.output, str) else {*plan.ids, *media, *extras, *labels}
        encodes = {number: use.encode for number, use in uses.items()}
        parsed = {number for number, use in uses.items() if use.is_changed is not None}
        build = build_of(probed.output, probes, repeatable, encodes, labels, parsed, embedded=grammar.embeds)
        shared = None if build is None else shared_losses(losses, plan)
        if build is None or shared is None:
            return None
        contents = [(at, item.head, number) for at, item in enumerate(plan.items) for number in item.texts]
        other_characters = probed.characters - sum(len(probes[number]) for number in uses)
        return OutputPlan(
            *(grammar, build, contents, uses, shared, other_characters, derived, plan.ids, probed.order),
            losses_of_units=probed.index_of_units(losses),
        )

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

    def _probed(self, number: int, use: Use | None) -> str:
        """Return a content with a probe in it that is written with the same class and losses as a content was."""
        content_class = ANY_CONTENT if use is None or use.content_class is None else use.content_class
        text = content_class.example(probe(number))
        if use is None or use.json_losses is None:
            return text
        # The content is JSON: in its usual spelling it has no loss, with a space before it `json_content` reports one.
        candidates = text, json_content_of(self._grammar, use.head, text)[0], f" {text}"
        same = [one for one in candidates if json_content_of(self._grammar, use.head, one)[1] == use.json_losses]
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
        for step in written.trace.steps:
            for at in range(step.start, step.stop):
                index = at if written.origins is None else written.origins[at]
                head, content, _ = written.items[at]
                read = None if index == TOOLS else plan.items[order[index]]
                numbers = [] if read is None else [*read.texts]
                if not isinstance(content, str):
                    while index + 1 in joined:
                        index += 1
                        numbers += plan.items[index].texts
                    use_class = None if self._depends_on_head_only(head) else ANY_CONTENT
                    use = Use(head, use_class, encode=None, json_losses=None, among_parts=True)
                    if not all(self._is_plain(use, values[number]) for number in numbers):
                        return None
                    uses |= dict.fromkeys(numbers, use)
                    continue
                if not head.shared and read is not None:  # other messages differ only in the extra texts
                    head = head.without_extra_texts(read.extra_texts)
                for number in numbers:
                    use = self._use(head, values[number], step, at)
                    if use is None:
                        return None
                    uses[number] = use
        return uses

    def _use(self, head: Head, content: str, step: Step, at: int) -> Use | None:
        """Return how a content that is a message's only text was written; None if it was changed.

        Args:
            head: of the message.
            content: the content.
            step: how its unit was written.
            at: the index of the message among the items.
        """
        plan = step.plan
        content_class = self._class_of(head, content) if plan is None else plan.classes[at - step.start]
        if content_class is None:
            return None
        has_json_contents = self._grammar.has_json_contents and (head.calls or head.role == "tool")
        json_losses = json_content_of(self._grammar, head, content)[1] if has_json_contents else None
        use_class = None if self._depends_on_head_only(head) else content_class
        among_parts = plan is None or head.parts_around is not None
        parse = None if json_losses is None or use_class is None else use_class.parse
        parsed = None if parse is None else parse(content)
        is_changed = None if parsed is None else parsed[1] != content
        return Use(head, use_class, content_class.encode, json_losses, is_changed, among_parts)


def _is_same(output: Any, other: Any) -> bool:
    """Return whether two outputs are equal; in JSON values, the order of members and the types of numbers count."""
    return output == other and (isinstance(output, str) or key_of(output) == key_of(other))
