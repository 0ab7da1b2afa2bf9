"""Templates: the fixed texts of units without a plan, between their contents and ids, from which spans are computed.

A template is learned by spelling a unit with probes for all of its contents at once. It is cached for units with the
same heads and kinds of contents; in each of them, the fixed texts are searched for. If they are not found, each content
is looked for by itself (`places.py`).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple

from ...chat.turns import has_part
from ...common.memo import Memo
from ...errors import BridgeError
from ...loss import Log
from ...model import Part, Text, Tool, Tools, replace
from ...spans.frames import Cell, FrameMarks, Slot, cells
from ...units.grammar import ANY_CONTENT, ContentClass, State
from ...units.heads import LIMIT, Head, Item, messages_of
from ...units.writer import TOOLS_PATH, UnitWriter
from ..plans.probes import PROBE, probe, shown
from .places import AN_OBJECT, Located, PlainUnit, class_of, text_of

Measured = tuple[Sequence[Cell], Sequence[int]]
"""The pieces of a unit, and the lengths of its contents and ids in their order."""
_LONGEST: Final = 200
"""How long the `repr` of a part that is not a text may be in a cache key."""
_FIRST: Final = 100
"""The number of the first probe here; `places.py` uses lower numbers."""
_TOOLS: Final = Tools((Tool("a_tool", "Is not there.", {"type": "object", "properties": {}}),))
"""The placeholder of declared tools."""


class Template(NamedTuple):
    """The fixed texts of units, and where their contents and ids are.

    Attributes:
        fixed: the texts before, between and after contents and ids.
        slots: the contents and ids, in order.
        cells: the pieces of the units.
    """

    fixed: Sequence[str]
    slots: Sequence[Slot]
    cells: Sequence[Cell]


class Templates:
    """Finds contents and ids in units without a plan, with a cache of templates.

    Args:
        grammar: the format's writer of units.
        marks: which tokens begin and end its frames.

    Attributes:
        marks: as given.
    """

    def __init__(self, grammar: UnitWriter, marks: FrameMarks) -> None:
        self._grammar: Final = grammar
        self.marks: Final = marks
        self._cache = Memo[Hashable, "Template | None"](LIMIT)

    def cells(self, group: Sequence[Item], text: str, state: State, *, last: bool, paths: Sequence[str]) -> Measured:
        """Return the pieces of a unit, and the lengths of its contents and ids.

        Args:
            group: its messages.
            text: the unit as text.
            state: the state after the unit before it.
            last: whether nothing follows.
            paths: the paths of its messages in the document.
        """
        unit = PlainUnit(self._grammar, group, text, state, last=last, paths=paths)
        template = self._template(unit.group, state, last=last, paths=paths)
        sizes = None if template is None else self._matched(text, template, unit.group)
        if template is not None and sizes is not None:
            return template.cells, sizes
        located = unit.located()
        template = _template_of(text, located, self.marks, answers=_answers(group))
        return template.cells, [end - begin for begin, end, _ in located]

    def _template(self, group: Sequence[Item], state: State, *, last: bool, paths: Sequence[str]) -> Template | None:
        """Return the template of a unit, from the cache if possible; None if it has none."""
        content_keys = [self._content_key(item) for item in group]
        if None in content_keys:
            return None
        if not all(item[0].shared for item in group):
            return self._learned(group, state, last=last, paths=paths)
        heads, are_tools = tuple([item[0] for item in group]), tuple(map(TOOLS_PATH.__eq__, paths))
        key = heads, tuple(content_keys), are_tools, state, last
        template = self._cache.get(key, _NOT_CACHED)
        if template is _NOT_CACHED:
            return self._cache.keep(key, self._learned(group, state, last=last, paths=paths))
        return template

    def _content_key(self, item: Item) -> Hashable | None:
        """Return what the fixed texts of a unit depend on in a content and an id; None if it is too long to cache."""
        head, content, call_id = item
        if isinstance(content, str):
            return bool(call_id), content and self._class(head, content)
        parts = [*map(_part_key, content)]
        return None if None in parts else (bool(call_id), tuple(parts))

    def _class(self, head: Head, content: str) -> ContentClass:
        return class_of(self._grammar, head, content) or (AN_OBJECT if head.calls else ANY_CONTENT)

    def _learned(self, group: Sequence[Item], state: State, *, last: bool, paths: Sequence[str]) -> Template | None:
        """Learn a template by spelling a unit with probes; return None if a probe does not stand there exactly once."""
        probes: dict[str, Slot] = {}
        items = [self._probed(at, item, probes) for at, item in enumerate(group)]
        try:
            spelled = self._grammar.write_unit(messages_of(items), state, last=last, paths=paths, log=Log())
        except BridgeError:
            return None
        text = text_of(self._grammar, spelled.unit)
        if any(text.count(one) != 1 for one in probes):
            return None
        if any(has_part(item[1], Tools) for item in items):
            located = PlainUnit(self._grammar, items, text, state, last=last, paths=paths).located()
        else:
            matches = re.finditer("|".join(map(re.escape, probes)), text) if probes else ()
            located = [(*match.span(), probes[match[0]]) for match in matches]
        template = _template_of(text, located, self.marks, answers=_answers(group))
        return None if any(PROBE in piece for piece in template.fixed) else template

    def _probed(self, at: int, item: Item, probes: dict[str, Slot]) -> Item:
        """Return a message with probes in it, and add them to `probes` as they are written in the unit."""
        head, content, call_id = item
        if call_id and self._grammar.keeps_ids and head.has_id:
            call_id = probe(_FIRST + len(probes))
            probes[call_id] = Slot(at, "call_id")
        if isinstance(content, str):
            if content:
                content_class = self._class(head, content)
                content, encode = content_class.example(probe(_FIRST + len(probes))), content_class.encode
                probes[content if encode is None else shown(encode(content))] = Slot(at, "content")
            return head, content, call_id
        parts: list[Part] = []
        for number, part in enumerate(content):
            if isinstance(part, Text) and part.text:
                part = replace(part, text=probe(_FIRST + len(probes)))
                probes[part.text] = Slot(at, "content", part=number)
            parts.append(_TOOLS if isinstance(part, Tools) else part)
        return head, tuple(parts), call_id

    def _matched(self, text: str, template: Template, group: Sequence[Item]) -> list[int] | None:
        """Return the lengths of contents and ids in a unit; None if more than one is not written as expected.

        The fixed texts and values are matched from the beginning up to the first value that differs, then from the end
        back to it; what is between is that value.
        """
        fixed, slots = template.fixed, template.slots
        values = [self._value(group[slot.at], slot) for slot in slots]
        sizes, begin = list[int](), len(fixed[0])
        if not text.startswith(fixed[0]):
            return None
        for value, after in zip(values, fixed[1:], strict=True):
            if value is None or not text.startswith(value + after, begin):
                break
            sizes.append(len(value))
            begin += len(value) + len(after)
        differing = len(sizes)
        if differing == len(slots):
            return sizes if begin == len(text) else None
        head, content, _ = group[slots[differing].at]
        if isinstance(content, str) and class_of(self._grammar, head, content) is None:
            return None
        end = len(text)
        sizes_from_end: list[int] = []
        for value, after in zip(values[:differing:-1], fixed[: differing + 1 : -1], strict=True):
            if value is None or not text.endswith(value + after, begin, end):
                return None
            sizes_from_end.append(len(value))
            end -= len(value) + len(after)
        if not text.endswith(fixed[differing + 1], begin, end):
            return None
        return [*sizes, end - len(fixed[differing + 1]) - begin, *reversed(sizes_from_end)]

    def _value(self, item: Item, slot: Slot) -> str | None:
        """Return a content or an id as it is expected in the unit; None for declared tools."""
        head, content, call_id = item
        if slot.field == "call_id":
            return call_id
        if isinstance(content, str):
            encode = self._class(head, content).encode
            return content if encode is None else shown(encode(content))
        part = content[slot.part]
        return part.text if isinstance(part, Text) else None


_NOT_CACHED: Final[Any] = object()
"""The default of look-ups in the cache, in which None says that there is no template."""


def _template_of(text: str, located: Sequence[Located], marks: FrameMarks, *, answers: bool) -> Template:
    """Return the template of a unit in which contents and ids were found."""
    slots, edges = [slot for _, _, slot in located], [0]
    for begin, end, _ in located:
        edges += (begin, end)
    fixed = [text[begin:end] for begin, end in zip(edges[::2], [*edges[1::2], len(text)], strict=True)]
    pieces: list[str | Slot] = [fixed[0]]
    for slot, piece in zip(slots, fixed[1:], strict=True):
        pieces += (slot, piece)
    return Template(fixed, slots, cells(pieces, marks, answers=answers))


def _answers(group: Sequence[Item]) -> bool:
    return group[0][0].role == "assistant"


def _part_key(part: Part) -> Hashable | None:
    """Return what the fixed texts of a unit depend on in a part; None if it is too long to cache."""
    if part.__class__ is Tools:
        return Tools
    if isinstance(part, Text) and part.text and part.is_bare:
        return Text
    part_repr = repr(part)
    return part_repr if len(part_repr) <= _LONGEST else None
