"""The spans of what was written, unit by unit: places are found once for units that are alike, as their plans are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ..model import Content, Text, Tools
from ..plans.learning import Plan
from ..spans.frames import Cell, FrameMarks, Slot, cells
from ..spans.positions import in_bytes, in_tokens
from ..spans.span import Span, SpanKind
from ..units.grammar import State, Unit
from ..units.writer import TOOLS, UnitWriter
from .places import PlainUnit, pieces_of_plan, text_of
from .templates import Templates

if TYPE_CHECKING:
    from .written import Written

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


def spans_of(written: Written, grammar: UnitWriter, marks: FrameMarks, templates: Templates) -> list[Span]:
    """The spans of an output that was traced: of characters in a text, of indices in a list of tokens.

    Args:
        written: what was written.
        grammar: the format's, which wrote it.
        marks: what the format's tokens mean.
        templates: of its units.
    """
    trace, output, tokens = written.trace, written.output, grammar.tokens
    assert trace is not None, "the writing of this document records no places"
    spans = _Spans(written, trace, grammar, marks, templates)
    counted = None if tokens is None else tokens.counted(trace.units, output)
    if tokens is not None and counted is not None:
        spans.gap(counted.front)
        spans.units(trace.units, counted.sizes)
        rest = output[spans.at :]
        spans.in_tokens(tokens.spelled(rest), rest, spans.behind)
        return spans.spans
    units, text, ends = trace.units, output, ()
    if tokens is not None:
        units, (text, ends) = list(map(tokens.text_of, trace.units)), tokens.read(output)
    inner = "".join(units)
    at = text.find(inner)
    if at < 0:  # what stands there is not what its units spell, such as ids that are no text
        return [Span(0, len(output), "", SpanKind.GAP, False, 0)]
    spans.gap(at)
    spans.units(units)
    spans.behind(text[spans.at :])
    return spans.spans if tokens is None else [*in_tokens(in_bytes(spans.spans, text), ends)]


class _Spans:
    """The spans of an output as they are told.

    Args:
        written: what was written.
        trace: how.
        grammar: the format's.
        marks: what its tokens mean.
        templates: of its units.

    Attributes:
        spans: as far as they are told.
        at: where the next one begins.
    """

    def __init__(
        self, written: Written, trace: Trace, grammar: UnitWriter, marks: FrameMarks, templates: Templates
    ) -> None:
        self.spans: list[Span] = []
        self.at = 0
        self._written = written
        self._items = written.items
        self._source = written.source.items
        self._declared = written.source.around.tools is not None
        self._origins = written.origins
        self._trace = trace
        self._grammar = grammar
        self._marks = marks
        self._templates = templates

    def units(self, units: Sequence[Unit], sizes: Sequence[Size] | None = None) -> None:
        """All units, of which these are the texts, or their pieces; `sizes` where these are counted in tokens."""
        number, push, items, source = 0, self.spans.append, self._items, self._source
        origins, order, at = self._origins, self._trace.order, self.at
        for place, step in enumerate(self._trace.steps):
            start, stop, plan, _, _ = step
            unit = units[number]
            number += 3 if plan is not None and plan.build is None else 1
            size = None if sizes is None else sizes[place]
            index = start if origins is None else origins[start]
            plain = plan is not None and stop == start + 1 and index != TOOLS and items[start][1] is source[index][1]
            found: Sequence[Cell] = ()
            if plan is not None and plain:
                found = plan.places[1] if len(plan.places) > 1 else self._alike(step, plan, size)
            if not found:
                self.at = at
                self._unit_of(step, unit, size)
                at = self.at
                continue
            _, content, call_id = items[start]
            message, path_of_content = _paths(index if order is None else order[index])
            own = source[index][0].weight
            weight = 1 if own is None else own
            for count, kind, sampled, of, slot in found:
                path = message if of >= 0 else ""
                if slot is None:
                    behind = at + count
                elif slot.field == "content":
                    path = path_of_content
                    behind = at + (size[1] if size is not None else len(content))
                else:
                    path, behind = f"{message}/call_id", at + len(call_id or "")
                push(_new(Span, (at, behind, path, kind, sampled, weight if sampled else 0)))
                at = behind
        self.at = at

    def behind(self, text: str) -> None:
        """What stands behind the units: the open turn, and what ends the text."""
        if self._written.around.open_turn is None:
            self.gap(len(text))
            return
        for cell in cells([text], self._marks, answers=False):
            if cell.kind is SpanKind.GAP:
                self.gap(cell.size)
            else:
                self._push(cell.size, "/open_turn", SpanKind.OPEN_TURN)

    def in_tokens(self, text: str, ids: Sequence[Any], tell: Callable[[str], None]) -> None:
        """Tell the spans of a text that some tokens spell, which are those that come next."""
        tokens, count, begin = self._grammar.tokens, len(self.spans), self.at
        assert tokens is not None, "only token ids have spans in tokens"
        self.at = 0
        tell(text)
        spans = in_tokens(in_bytes(self.spans[count:], text), tokens.ends(ids))
        self.spans[count:] = [each._replace(start=begin + each.start, end=begin + each.end) for each in spans]
        self.at = begin + len(ids)

    def gap(self, size: int) -> None:
        """What says nothing."""
        self._push(size, "", SpanKind.GAP)

    def _push(self, size: int, path: str, kind: SpanKind, weight: float | None = None) -> None:
        """A piece, with its weight where a model would have written it."""
        if size:
            behind = self.at + size
            self.spans.append(Span(self.at, behind, path, kind, weight is not None, weight or 0))
            self.at = behind

    def _alike(self, step: Step, plan: Plan, size: Size | None) -> Sequence[Cell]:
        """The pieces of units of one message like this one, as they are counted; none where they differ in more."""
        places = plan.places
        if not places:
            places.append(self._cells_of(plan, step))
        if len(places) == 1:
            places.append(self._counted(plan, places[0], size))
        return places[1]

    def _counted(self, plan: Plan, found: Sequence[Cell], size: Size | None) -> Sequence[Cell]:
        if plan.classes[0].encode is not None:
            return ()
        tokens = self._grammar.tokens
        if tokens is None or size is None:
            return found
        text = text_of(self._grammar, plan.build(plan.items) if plan.build is not None else "")
        counted: list[Cell] = []
        for cell in found:
            count = len(str(plan.items[0][1])) if cell.size < 0 else cell.size
            counted.append(cell if cell.slot is not None else cell._replace(size=tokens.size(text[:count])))
            text = text[count:]
        headers = sum(cell.size for cell in counted if cell.kind is SpanKind.HEADER)
        return counted if headers == size[0] else ()

    def _cells_of(self, plan: Plan, step: Step) -> Sequence[Cell]:
        answers = self._items[step[0]][0].role == "assistant"
        return cells(pieces_of_plan(self._grammar, plan), self._marks, answers=answers)

    def _unit_of(self, step: Step, unit: Unit, size: Size | None) -> None:
        """A unit that is one of its kind, or has several messages."""
        if size is None:
            self._unit(step, self._cells(step, unit))
            return
        ids = self._written.output[self.at : self.at + sum(size)]
        self.in_tokens(text_of(self._grammar, unit), ids, lambda text: self._unit(step, self._cells(step, text)))

    def _cells(self, step: Step, text: str) -> Sequence[Cell]:
        """The pieces of a unit, in characters."""
        start, stop, plan, state, last = step
        if plan is not None:
            if not plan.places:
                plan.places.append(self._cells_of(plan, step))
            return plan.places[0]
        items, paths = self._items[start:stop], self._written.paths(start, stop)
        unit = PlainUnit(self._grammar, items, text, state, last=last, paths=paths, templates=self._templates)
        return cells(unit.pieces(), self._marks, answers=self._items[start][0].role == "assistant")

    def _unit(self, step: Step, found: Sequence[Cell]) -> None:
        """A unit, of which these are the pieces."""
        begin, _, plan, _, _ = step
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
                self._push(size, message, kind, weight)
                continue
            if size < 0:
                size = self._size(begin, plan, slot)
            path = self._path(message, begin + number, slot)
            if kind is SpanKind.BODY and message == _TOOLS:
                kind = SpanKind.TOOLS
            elif kind is SpanKind.BODY and self._declared and (tools := self._tools_behind(begin + number, size)):
                self._push(size - tools, path, kind, weight)
                size, path, kind = tools, _TOOLS, SpanKind.TOOLS
            self._push(size, path, kind, weight)

    def _index(self, at: int) -> int:
        """The index of an item's message in the document as it was written, or `TOOLS`."""
        return at if self._origins is None else self._origins[at]

    def _message(self, at: int) -> tuple[str, float]:
        """The path of a message, and its weight."""
        index, order = self._index(at), self._trace.order
        if index == TOOLS:
            return _TOOLS, 1
        weight = self._source[index][0].weight
        return _paths(index if order is None else order[index])[0], 1 if weight is None else weight

    def _size(self, begin: int, plan: Plan | None, slot: Slot) -> int:
        """How many characters a content or an id has in its unit, which was written by a plan."""
        item = self._items[begin + slot.at]
        if slot.field == "call_id":
            return len(item[2] or "")
        assert plan is not None, "only units of a plan have slots of any size"
        content, encode = str(item[1]), plan.classes[slot.at].encode
        return len(content if encode is None else str(encode(content)))

    def _tools_behind(self, at: int, size: int) -> int:
        """How many characters of a content are tools that were declared apart, and are written behind its text."""
        content, source = self._items[at][1], self._source[self._index(at)][1]
        if content is source or not (isinstance(content, str) and isinstance(source, str)):
            return 0
        added = len(content) - len(source)
        return added if 0 < added <= size and content.startswith(source) else 0

    def _path(self, message: str, at: int, slot: Slot) -> str:
        if message == _TOOLS:
            return message
        if slot.field == "call_id":
            return f"{message}/call_id"
        if slot.part < 0:
            return f"{message}/content"
        source, content = self._source[self._index(at)][1], self._items[at][1]
        if slot.declares and self._declared and not _declares(source):
            return _TOOLS
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


@lru_cache(maxsize=4096)
def _paths(index: int) -> tuple[str, str]:
    """The paths of a message and of its content."""
    return f"/messages/{index}", f"/messages/{index}/content"


_new: Final[Any] = tuple[Any, ...].__new__
_TOOLS: Final = "/tools"
"""The path of what stands in no message of the document."""
