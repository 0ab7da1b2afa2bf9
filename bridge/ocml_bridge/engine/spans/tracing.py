"""The spans of what was written, unit by unit: places are found once for units that are alike, as their plans are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from ...model import Content, Text, Tools
from ...spans.columns import Columns
from ...spans.frames import Cell, Slot, cells
from ...spans.positions import sizes_in_bytes, sizes_in_tokens
from ...spans.span import SpanKind
from ...units.grammar import State, Unit
from ...units.writer import TOOLS, TOOLS_PATH, UnitWriter
from ..plans.learning import Plan
from .patterns import Ids, Pattern, ids_of, paths_below, paths_of, pattern_of
from .places import text_of
from .templates import Measured, Templates

if TYPE_CHECKING:
    from ..written import Written

Step = tuple[int, int, Plan | None, State, bool]
"""A unit that was written.

The indices of its first item and behind its last; the plan by which it was written, or None where the grammar spelled
it; what the unit before left; whether nothing follows.
"""


Size = tuple[int, int, int]
"""How many tokens a unit has before its body, in it, and behind it."""


class Trace:
    """How an output was written.

    Attributes:
        steps: its units.
        units: these as they are written, or their pieces: three where a plan has no `build`.
        order: where messages were moved before, the index of each in the document; else None.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.units: list[Unit] = []
        self.order: Sequence[int] | None = None

    @property
    def whole(self) -> list[Unit]:
        """The units, whatever they are made of."""
        if len(self.units) == len(self.steps):
            return self.units
        pieces = iter(self.units)
        return [
            next(pieces)
            if plan is None or plan.build is not None
            else "".join((next(pieces), next(pieces), next(pieces)))
            for _, _, plan, _, _ in self.steps
        ]


def columns_of(written: Written, grammar: UnitWriter, templates: Templates) -> Columns:
    """The spans of an output that was traced: of characters in a text, of indices in a list of tokens.

    Args:
        written: what was written.
        grammar: the format's, which wrote it.
        templates: of its units.
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
            spans.in_tokens(tokens.spelled(rest), rest, spans.behind)
            return spans.columns
        units, (text, ends) = list(map(tokens.text_of, units)), tokens.read(output)
    inner, at = "".join(units), text.find(next(filter(None, units), ""))
    if not text.startswith(inner, at):  # a long text is looked for in a long one only where it has to be
        at = text.find(inner)
    if at < 0:  # what stands there is not what its units spell, such as ids that are no text
        spans.gap(len(output))
        return spans.columns
    spans.gap(at)
    spans.units(units)
    spans.behind(text[at + len(inner) :])
    if tokens is None:
        return spans.columns
    return spans.columns.measured(sizes_in_tokens(sizes_in_bytes(spans.columns.sizes, text), ends))


class _Spans:
    """The spans of an output as they are told.

    Args:
        written: what was written.
        trace: how.
        grammar: the format's.
        templates: of its units.

    Attributes:
        columns: as far as they are told.
    """

    def __init__(self, written: Written, trace: Trace, grammar: UnitWriter, templates: Templates) -> None:
        self.columns = Columns()
        self._written = written
        self._items = written.items
        self._source = written.source.items
        self._declared = written.source.around.tools is not None
        self._origins = range(len(written.items)) if written.origins is None else written.origins
        self._trace = trace
        self._grammar = grammar
        self._marks = templates.marks
        self._templates = templates

    def units(self, units: Sequence[Unit], places: Sequence[int] | None = None) -> None:
        """All units: of a text their pieces, as they were written; of tokens, where they stand among them."""
        odd, piece = self._odd(), 0
        pieces = 3 if self._grammar.tokens is None else 1  # of a text, a unit whose plan has no `build` is as many
        for number, step in enumerate(self._trace.steps):
            start, stop, plan, _, _ = step
            unit = units[piece]
            piece += pieces if plan is not None and plan.build is None else 1
            sizes = None
            if plan is not None and not (odd and not odd.isdisjoint(range(start, stop))):
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
        """Add the pieces of a unit that is like others, of these sizes, to all columns."""
        columns, index, order = self.columns, self._origins[start], self._trace.order
        columns.sizes += sizes
        columns.kinds += pattern.kinds
        columns.sampled += pattern.sampled
        if stop == start + 1 and self._source[index][0].weight in _PLAIN:
            columns.paths += pattern.paths(paths_of(index if order is None else order[index]))
            columns.weights += pattern.weights
        else:
            messages = [*map(self._message, range(start, stop))]
            columns.paths += pattern.paths([*chain.from_iterable(map(paths_below, [path for path, _ in messages]))])
            columns.weights += [messages[cell.at][1] if cell.sampled else 0 for cell in pattern.cells]

    def behind(self, text: str) -> None:
        """What stands behind the units: the open turn, and what ends the text."""
        if self._written.around.open_turn is None:
            self.gap(len(text))
            return
        for cell in cells([text], self._marks, answers=False):
            if cell.kind is SpanKind.GAP:
                self.gap(cell.size)
            else:
                self.columns.add(cell.size, "/open_turn", SpanKind.OPEN_TURN)

    def in_tokens(self, text: str, ids: Sequence[Any], tell: Callable[[str], None]) -> None:
        """Tell the spans of a text that some tokens spell, which are those that come next."""
        tokens, sizes, count = self._grammar.tokens, self.columns.sizes, len(self.columns.sizes)
        assert tokens is not None, "only token ids have spans in tokens"
        tell(text)
        sizes[count:] = sizes_in_tokens(sizes_in_bytes(sizes[count:], text), tokens.ends(ids))

    def gap(self, size: int) -> None:
        """What says nothing."""
        self.columns.add(size, "", SpanKind.GAP)

    def _odd(self) -> set[int]:
        """The places of items that are declared tools, or have these behind their own content."""
        if self._written.origins is None and not self._declared:
            return set()
        source, declared = self._source, self._declared
        return {
            at
            for at, (index, item) in enumerate(zip(self._origins, self._items, strict=True))
            if index == TOOLS or (declared and item[1] is not source[index][1])
        }

    def _pattern(self, plan: Plan) -> Pattern:
        """The pieces of the units of a plan, which has them from now on."""
        pattern, tokens = pattern_of(plan, self._grammar, self._marks), self._grammar.tokens
        plan.places[:] = pattern, None if tokens is None else ids_of(plan, pattern, self._grammar, tokens)
        return pattern

    def _sizes_of_ids(self, plan: Plan, start: int, stop: int) -> Sequence[int] | None:
        """How many ids each piece of a unit has; None where the ids at its ends are not those of its plan.

        Args:
            plan: by which it was written.
            start: where it begins.
            stop: where it ends.
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
        """A unit that is one of its kind, which may be counted in ids."""
        if ids is None:
            self._unit(step, *self._cells(step, unit))
        else:
            self.in_tokens(text_of(self._grammar, unit), ids, lambda text: self._unit(step, *self._cells(step, text)))

    def _cells(self, step: Step, text: str) -> Measured:
        """The pieces of a unit, and the sizes of its contents and ids, in characters."""
        start, stop, plan, state, last = step
        if plan is None:
            paths = self._written.paths(start, stop)
            return self._templates.cells(self._items[start:stop], text, state, last=last, paths=paths)
        pattern: Pattern = plan.places[0] if plan.places else self._pattern(plan)
        sizes = pattern.sizes_of(self._items, start)
        return pattern.cells, [sizes[filling.number] for filling in pattern.fillings]

    def _unit(self, step: Step, found: Sequence[Cell], sizes: Sequence[int]) -> None:
        """A unit, of which these are the pieces, and the sizes of its contents and ids."""
        begin, left, add = step[0], iter(sizes), self.columns.add
        of, message, counts = -1, "", 1.0
        for size, kind, sampled, number, slot in found:
            if number < 0:
                self.gap(size)
                continue
            if number != of:
                of = number
                message, counts = self._message(begin + number)
            weight = counts if sampled else None
            if slot is None:
                add(size, message, kind, weight)
                continue
            size, path = next(left), self._path(message, begin + number, slot)
            if kind is SpanKind.BODY and message == TOOLS_PATH:
                kind = SpanKind.TOOLS
            elif kind is SpanKind.BODY and self._declared and (tools := self._tools_behind(begin + number, size)):
                add(size - tools, path, kind, weight)
                size, path, kind = tools, TOOLS_PATH, SpanKind.TOOLS
            add(size, path, kind, weight)

    def _message(self, at: int) -> tuple[str, float]:
        """The path of a message, and its weight."""
        index, order = self._origins[at], self._trace.order
        if index == TOOLS:
            return TOOLS_PATH, 1
        weight = self._source[index][0].weight
        return paths_of(index if order is None else order[index])[1], 1 if weight is None else weight

    def _tools_behind(self, at: int, size: int) -> int:
        """How many characters of a content are tools that were declared apart, and are written behind its text."""
        content, source = self._items[at][1], self._source[self._origins[at]][1]
        if content is source or not (isinstance(content, str) and isinstance(source, str)):
            return 0
        added = len(content) - len(source)
        return added if 0 < added <= size and content.startswith(source) else 0

    def _path(self, message: str, at: int, slot: Slot) -> str:
        if message == TOOLS_PATH:
            return message
        if slot.field == "call_id":
            return f"{message}/call_id"
        if slot.part < 0:
            return f"{message}/content"
        source, content = self._source[self._origins[at]][1], self._items[at][1]
        if slot.declares and self._declared and not _declares(source):
            return TOOLS_PATH
        part = _part(source, content, slot.part)
        if part is None:
            return f"{message}/content"
        return f"{message}/content/{part}" + ("/text" if isinstance(content[slot.part], Text) else "")


def _declares(content: Content) -> bool:
    return content.__class__ is not str and any(isinstance(part, Tools) for part in content)


def _part(source: Content, content: Content, number: int) -> int | None:
    """Which part of a document's content a part is; None where that is one text."""
    if isinstance(source, str) or isinstance(content, str):
        return None
    at = -1
    for part in content[: number + 1]:
        at = next((index for index in range(at + 1, len(source)) if source[index] == part), -1)
        if at < 0:
            return None
    return at


_PLAIN: Final = (None, 1)
"""Weights of messages that count as any other."""
