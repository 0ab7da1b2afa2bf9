"""Computes the spans of an output, unit by unit, from the trace of how it was written.

A unit that was written by a plan adds the columns of the plan's pattern (`patterns.py`). In other units, contents are
looked for (`templates.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from ...chat.turns import has_part
from ...model import Content, Text, Tools
from ...spans.columns import Columns
from ...spans.frames import Cell, Slot, cells
from ...spans.positions import sizes_in_bytes, sizes_in_tokens
from ...spans.span import SpanKind
from ...units.grammar import Unit
from ...units.relations import indices_of
from ...units.writer import TOOLS, TOOLS_PATH, UnitWriter
from ..plans.learning import Plan
from ..trace import Step, Trace
from .patterns import Ids, Pattern, ids_of, paths_below, paths_of, pattern_of
from .places import text_of
from .templates import Measured, Templates

if TYPE_CHECKING:
    from ..written import Written


def columns_of(written: Written, grammar: UnitWriter, templates: Templates) -> Columns:
    """Return the spans of an output that was traced: in characters of a text, or in ids of a list of token ids.

    Args:
        written: the output.
        grammar: the format's writer of units.
        templates: of the format.
    """
    trace, output, tokens = written.trace, written.output, grammar.tokens
    assert trace is not None, "the writing of this document records no places"
    spans = _Spans(written, trace, grammar, templates)
    units, text, ends = trace.units, output, ()
    if tokens is not None:
        units, places = trace.whole, written.places
        if places is not None and len(places) == len(units) + 1:
            spans.gap(places[0])
            spans.units(units, places)
            rest = output[places[-1] :]
            spans.in_tokens(tokens.spelled(rest), rest, spans.after_units)
            return spans.columns
        units, (text, ends) = list(map(tokens.text_of, units)), tokens.read(output)
    inner, at = "".join(units), text.find(next(filter(None, units), ""))
    if not text.startswith(inner, at):  # a search in a long text for a long text takes time
        at = text.find(inner)
    if at < 0:  # the output does not spell its units, for example if ids are not valid text
        spans.gap(len(output))
        return spans.columns
    spans.gap(at)
    spans.units(units)
    spans.after_units(text[at + len(inner) :])
    if tokens is None:
        return spans.columns
    return spans.columns.measured(sizes_in_tokens(sizes_in_bytes(spans.columns.sizes, text), ends))


class _Spans:
    """Collects the spans of an output, from its beginning to its end.

    Args:
        written: the output.
        trace: how it was written.
        grammar: the format's writer of units.
        templates: of the format.

    Attributes:
        columns: the spans so far.
    """

    def __init__(self, written: Written, trace: Trace, grammar: UnitWriter, templates: Templates) -> None:
        self.columns = Columns()
        self._written = written
        self._items = written.items
        self._source = written.source.items
        self._declared = written.source.around.tools is not None
        self._origins = indices_of(written.items, written.origins)
        self._trace = trace
        self._grammar = grammar
        self._marks = templates.marks
        self._templates = templates

    def units(self, units: Sequence[Unit], places: Sequence[int] | None = None) -> None:
        """Add the spans of all units.

        Args:
            units: as `Trace.units` has them; in a format of token ids, one for each unit.
            places: in a format of token ids, the places of the units, as in `Enclosed`.
        """
        with_tools, piece = self._with_tools(), 0
        pieces = 3 if self._grammar.tokens is None else 1  # how many texts a unit has whose plan has no `build`
        for number, step in enumerate(self._trace.steps):
            start, stop, plan, _, _ = step
            unit = units[piece]
            piece += pieces if plan is not None and plan.build is None else 1
            sizes = None
            if plan is not None and not (with_tools and not with_tools.isdisjoint(range(start, stop))):
                pattern: Pattern = plan.places[0] if plan.places else self._pattern(plan)
                if places is None:
                    sizes = pattern.sizes_of(self._items, start)
                else:
                    sizes = self._sizes_of_ids(plan, places[number], places[number + 1])
                if sizes is not None:
                    self._add(pattern, sizes, start, stop)
            if sizes is None:
                ids = None if places is None else self._written.output[places[number] : places[number + 1]]
                self._unit_of(step, unit, ids)

    def _add(self, pattern: Pattern, sizes: Sequence[int], start: int, stop: int) -> None:
        """Add the spans of a unit of a plan: the columns of its pattern, with the lengths of its pieces."""
        columns, index, order = self.columns, self._origins[start], self._trace.order
        columns.sizes += sizes
        columns.kinds += pattern.kinds
        columns.sampled += pattern.sampled
        if stop == start + 1 and self._source[index][0].weight in _DEFAULT_WEIGHTS:
            columns.paths += pattern.paths(paths_of(index if order is None else order[index]))
            columns.weights += pattern.weights
        else:
            messages = [*map(self._message, range(start, stop))]
            columns.paths += pattern.paths([*chain.from_iterable(map(paths_below, [path for path, _ in messages]))])
            columns.weights += [messages[cell.at][1] if cell.sampled else 0 for cell in pattern.cells]

    def after_units(self, text: str) -> None:
        """Add the spans of the text after the units: the open turn, and whatever ends the text."""
        if self._written.around.open_turn is None:
            self.gap(len(text))
            return
        for cell in cells([text], self._marks, answers=False):
            if cell.kind is SpanKind.GAP:
                self.gap(cell.size)
            else:
                self.columns.add(cell.size, "/open_turn", SpanKind.OPEN_TURN)

    def in_tokens(self, text: str, ids: Sequence[Any], add_spans: Callable[[str], None]) -> None:
        """Add the spans of a text, and convert their lengths from characters to ids.

        Args:
            text: the text that the ids spell.
            ids: the ids.
            add_spans: adds the spans of the text.
        """
        tokens, sizes, count = self._grammar.tokens, self.columns.sizes, len(self.columns.sizes)
        assert tokens is not None, "only token ids have spans in tokens"
        add_spans(text)
        sizes[count:] = sizes_in_tokens(sizes_in_bytes(sizes[count:], text), tokens.ends(ids))

    def gap(self, size: int) -> None:
        """Add a span that belongs to no message."""
        self.columns.add(size, "", SpanKind.GAP)

    def _with_tools(self) -> set[int]:
        """Return the indices of items that declare tools, or have tools written after their content."""
        if self._written.origins is None and not self._declared:
            return set()
        source, declared = self._source, self._declared
        return {
            at
            for at, (index, item) in enumerate(zip(self._origins, self._items, strict=True))
            if index == TOOLS or (declared and item[1] is not source[index][1])
        }

    def _pattern(self, plan: Plan) -> Pattern:
        """Compute the pattern of a plan, and store it in the plan."""
        pattern, tokens = pattern_of(plan, self._grammar, self._marks), self._grammar.tokens
        plan.places[:] = pattern, None if tokens is None else ids_of(plan, pattern, self._grammar, tokens)
        return pattern

    def _sizes_of_ids(self, plan: Plan, start: int, stop: int) -> Sequence[int] | None:
        """Return how many ids each piece of a unit has; None if the ids around its content are not those of the plan.

        Args:
            plan: the plan of the unit.
            start: the index of its first id in the output.
            stop: the index after its last id.
        """
        ids: Ids | None = plan.places[1]
        if ids is None:
            return None
        output, begin, end = self._written.output, start + len(ids.front), stop - len(ids.back)
        if begin > end or output[start:begin] != ids.front or output[end:stop] != ids.back:
            return None
        sizes = [*ids.sizes]
        if ids.content is None:
            return sizes if begin == end else None
        sizes[ids.content] = end - begin
        return sizes

    def _unit_of(self, step: Step, unit: Unit, ids: Sequence[Any] | None) -> None:
        """Add the spans of a unit without a pattern, in ids if it has ids."""
        if ids is None:
            self._unit(step, *self._cells(step, unit))
        else:
            self.in_tokens(text_of(self._grammar, unit), ids, lambda text: self._unit(step, *self._cells(step, text)))

    def _cells(self, step: Step, text: str) -> Measured:
        """Return the pieces of a unit, and the lengths of its contents and ids, in characters."""
        start, stop, plan, state, last = step
        if plan is None:
            paths = self._written.paths(start, stop)
            return self._templates.cells(self._items[start:stop], text, state, last=last, paths=paths)
        pattern: Pattern = plan.places[0] if plan.places else self._pattern(plan)
        sizes = pattern.sizes_of(self._items, start)
        return pattern.cells, [sizes[filling.number] for filling in pattern.fillings]

    def _unit(self, step: Step, pieces: Sequence[Cell], sizes: Sequence[int]) -> None:
        """Add the spans of a unit, given its pieces, and the lengths of its contents and ids."""
        begin, next_sizes, add = step[0], iter(sizes), self.columns.add
        current, message, message_weight = -1, "", 1.0
        for size, kind, sampled, number, slot in pieces:
            if number < 0:
                self.gap(size)
                continue
            if number != current:
                current = number
                message, message_weight = self._message(begin + number)
            weight = message_weight if sampled else None
            if slot is None:
                add(size, message, kind, weight)
                continue
            size, path = next(next_sizes), self._path(message, begin + number, slot)
            if kind is SpanKind.BODY and message == TOOLS_PATH:
                kind = SpanKind.TOOLS
            elif kind is SpanKind.BODY and self._declared and (tools := self._tools_after(begin + number, size)):
                add(size - tools, path, kind, weight)
                size, path, kind = tools, TOOLS_PATH, SpanKind.TOOLS
            add(size, path, kind, weight)

    def _message(self, at: int) -> tuple[str, float]:
        """Return the path of the message of an item, and its weight."""
        index, order = self._origins[at], self._trace.order
        if index == TOOLS:
            return TOOLS_PATH, 1
        weight = self._source[index][0].weight
        return paths_of(index if order is None else order[index])[1], 1 if weight is None else weight

    def _tools_after(self, at: int, size: int) -> int:
        """Return how many characters at the end of a written content are tools that the document declares elsewhere.

        Args:
            at: the index of the item.
            size: how many characters its content has.
        """
        content, source = self._items[at][1], self._source[self._origins[at]][1]
        if content is source or not (isinstance(content, str) and isinstance(source, str)):
            return 0
        added = len(content) - len(source)
        return added if 0 < added <= size and content.startswith(source) else 0

    def _path(self, message: str, at: int, slot: Slot) -> str:
        """Return the path in the document of a content or an id, given the path of its message and its item's index."""
        if message == TOOLS_PATH:
            return message
        if slot.field == "call_id":
            return f"{message}/call_id"
        if slot.part < 0:
            return f"{message}/content"
        source, content = self._source[self._origins[at]][1], self._items[at][1]
        if slot.declares and self._declared and not has_part(source, Tools):
            return TOOLS_PATH
        part = _part(source, content, slot.part)
        if part is None:
            return f"{message}/content"
        return f"{message}/content/{part}" + ("/text" if isinstance(content[slot.part], Text) else "")


def _part(source: Content, content: Content, number: int) -> int | None:
    """Return the index of a part in the document's content, given its index in what was written.

    Args:
        source: the content in the document.
        content: the content as it was written, some of whose parts may be missing.
        number: the index in it.

    Returns:
        None if the document's content is one text, or does not have the part.
    """
    if isinstance(source, str) or isinstance(content, str):
        return None
    at = -1
    for part in content[: number + 1]:
        at = next((index for index in range(at + 1, len(source)) if source[index] == part), -1)
        if at < 0:
            return None
    return at


_DEFAULT_WEIGHTS: Final = (None, 1)
"""The weights of messages that count fully."""
