"""A plan of an output: how a conversation is written by filling in its values, and when that is valid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NamedTuple

from ...common.search import contains
from ...loss import Log, Loss
from ...units.call_ids import is_plain_id
from ...units.grammar import ContentClass
from ...units.heads import Head
from ...units.writer import UnitWriter
from ..losses import SharedLosses


class Use(NamedTuple):
    """How a content is written. Contents for which it differs are not written by the plan.

    Attributes:
        head: of its message, as the format holds it.
        content_class: its class; None if the head alone determines what is written.
        encode: returns what the content becomes in the output; None if it is written unchanged.
        json_losses: the losses that `UnitWriter.json_content` reports, with the path ""; None if it is not called.
        is_changed: whether a content that `ContentClass.parse` parses is not the text that it returns; None if the
            class parses no content, or not this one.
        among_parts: whether it is written among parts, or in a unit without a plan: `is_plain_part` must allow it.
    """

    head: Head
    content_class: ContentClass | None
    encode: Callable[[str], Any] | None
    json_losses: Sequence[Loss] | None
    is_changed: bool | None = None
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
        *("_json_content", "_other_characters", "_parsed", "_prepared", "_texts", "losses", "losses_of_units", "order"),
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
        self._contents: Final = [number for _, _, number in contents]
        self._prepared: Final = [each[1:] for each in contents] if grammar.looks_at_contents else ()
        paths = {number: f"/messages/{index}/content" for index, _, number in contents}
        self._breakable: Final = {
            number: (use.head, paths[number])
            for number, use in uses.items()
            if losses_of_units is not None and use.head.bare
            if use.encode is use.json_losses is None and not use.among_parts
        }
        """The contents whose tokens may be broken: the head and the path of each, in the order of the output."""
        self._among_parts: Final = [(number, use.head) for number, use in uses.items() if use.among_parts]
        self._parsed: Final = [
            (number, use.content_class.parse, use.is_changed)
            for number, use in uses.items()
            if use.content_class is not None and use.content_class.parse is not None and use.is_changed is not None
        ]
        others = {number: use for number, use in uses.items() if use.is_changed is None}
        self._json_content: Final = [
            (number, use.head, use.json_losses) for number, use in others.items() if use.json_losses is not None
        ]
        self._classes: Final = [
            (number, use.head, use.content_class) for number, use in others.items() if use.content_class is not None
        ]
        self._derived: Final = derived
        self._ids: Final = ids
        self.losses: Final = losses
        self.order: Final = order
        self.losses_of_units: Final = losses_of_units

    def characters(self, values: Sequence[str]) -> int:
        """Return how many characters of content the output has, given its values as `output` returned them."""
        return self._other_characters + sum([len(values[number]) for number in self._texts])

    def output(self, values: Sequence[str]) -> tuple[Any, Sequence[str], Sequence[Loss]] | None:
        """Build the output of a conversation from its values.

        Returns:
            The output, the values after `json_content`, and the losses of tokens that are broken; None if a value is
            not written as the plan has it.
        """
        grammar = self._grammar
        mark, inert = grammar.mark, grammar.inert
        with_tokens: list[int] = []
        if mark is not None and (not mark or contains("".join(values), mark)):
            with_tokens = [number for number in self._contents if mark in values[number] and not inert(values[number])]
        if not self._fits(values):
            return None
        texts = [*values]
        for number, head, losses in self._json_content:
            texts[number], lost = json_content_of(grammar, head, texts[number])
            if lost != losses:
                return None
        for number, head, content_class in self._classes:
            if grammar.classify(head, texts[number]) != content_class:
                return None
        written, broken = texts, ()
        if with_tokens:
            without_tokens = self._with_broken_tokens(texts, with_tokens)
            if without_tokens is None:
                return None
            written, broken = without_tokens
        if self._parsed:
            written = self._with_parsed(written, texts)
            if written is None:
                return None
        return self._build(written), texts, broken

    def _with_parsed(self, written: Sequence[Any], texts: list[str]) -> list[Any] | None:
        """Return what is written with the contents that are parsed, whose texts are replaced by what they become.

        Returns:
            None if a content does not belong to its class, or if it changes and those of the plan do not.
        """
        out = [*written]
        for number, parse, is_changed in self._parsed:
            text = texts[number]
            parsed = parse(text)
            if parsed is None or (parsed[1] != text) is not is_changed:
                return None
            out[number], texts[number] = parsed
        return out

    def _fits(self, values: Sequence[str]) -> bool:
        """Return whether the ids and the contents among parts are written as the plan has it."""
        grammar = self._grammar
        if self._derived and not self._can_derive(values):
            return False
        for head, number in self._prepared:
            if not grammar.prepares_by_head(head, values[number]):
                return False
        return not self._among_parts or all(
            grammar.is_plain_part(head, values[number]) for number, head in self._among_parts
        )

    def _with_broken_tokens(
        self, values: Sequence[str], with_tokens: Collection[int]
    ) -> tuple[Sequence[str], Sequence[Loss]] | None:
        """Return the values with the tokens in some contents broken, and the losses; None if one is no such content."""
        if not self._breakable.keys() >= {*with_tokens}:
            return None
        out, log = [*values], Log()
        for number, (head, path) in self._breakable.items():
            if number in with_tokens:
                broken = self._grammar.with_broken_tokens(head, values[number], path, log)
                if broken is None:
                    return None
                out[number] = broken
        return out, log.losses

    def _can_derive(self, values: Sequence[str]) -> bool:
        """Return whether the derived ids differ from those of the conversation, and are plain (`is_plain_id`)."""
        ids = {values[number] for number in self._ids}
        derived = [values[number] + suffix for number, suffix in self._derived]
        return ids.isdisjoint(derived) and all(map(is_plain_id, derived))


def json_content_of(grammar: UnitWriter, head: Head, content: str) -> tuple[str, Sequence[Loss]]:
    """Return a content after `UnitWriter.json_content`, and the losses."""
    log = Log()
    return grammar.json_content(head, content, "", log), log.losses
