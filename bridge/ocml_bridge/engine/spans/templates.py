"""What a unit looks like that no plan was made of: its text with probes for all contents at once, as far as that tells.

The text of a unit may follow from its heads where what it reads as does not. So it is remembered for units that are
alike, and what stands between their contents is looked for in each.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple

from ...common.memo import Memo
from ...errors import BridgeError
from ...loss import Log
from ...model import Part, Text, Tool, Tools, replace
from ...spans.frames import Cell, FrameMarks, Slot, cells
from ...units.grammar import ANY_CONTENT, ContentClass, State
from ...units.heads import LIMIT, Head, Item, messages_of
from ...units.writer import TOOLS_PATH, UnitWriter
from ..plans.probes import PROBE, probe, shown
from .places import AN_OBJECT, Found, PlainUnit, text_of

Measured = tuple[Sequence[Cell], Sequence[int]]
"""The pieces of a unit, and the sizes of its contents and ids in their order."""
_LONGEST: Final = 200
"""The longest of a part that is no text, as it is shown, in a unit that is remembered."""
_FIRST: Final = 100
"""The number of the first probe: the others are those of whoever looks for a content."""
_TOOLS: Final = Tools((Tool("a_tool", "Is not there.", {"type": "object", "properties": {}}),))
"""Stand for declared tools."""


class Template(NamedTuple):
    """What units that are alike look like.

    Attributes:
        fixed: the texts before, between and behind their contents and ids.
        slots: these, in order.
        cells: their pieces.
    """

    fixed: Sequence[str]
    slots: Sequence[Slot]
    cells: Sequence[Cell]


class Templates:
    """Finds contents in units by others that are like them.

    Args:
        grammar: the format's.
        marks: what its tokens mean.

    Attributes:
        marks: as given.
    """

    def __init__(self, grammar: UnitWriter, marks: FrameMarks) -> None:
        self._grammar: Final = grammar
        self.marks: Final = marks
        self._known = Memo[Hashable, "Template | None"](LIMIT)

    def cells(self, group: Sequence[Item], text: str, state: State, *, last: bool, paths: Sequence[str]) -> Measured:
        """The pieces of a unit, and the sizes of its contents and ids.

        Args:
            group: its messages.
            text: the unit.
            state: what the unit before left.
            last: whether nothing follows.
            paths: where its messages stand in the document.
        """
        unit = PlainUnit(self._grammar, group, text, state, last=last, paths=paths)
        template = self._template(unit.group, state, last=last, paths=paths)
        sizes = None if template is None else self._matched(text, template, unit.group)
        if template is not None and sizes is not None:
            return template.cells, sizes
        found = unit.found()
        made = _template_of(text, found, self.marks, answers=_answers(group))
        return made.cells, [end - begin for begin, end, _ in found]

    def _template(self, group: Sequence[Item], state: State, *, last: bool, paths: Sequence[str]) -> Template | None:
        """What units like one look like; None where that has to be looked for in each."""
        shapes = [self._shape(item) for item in group]
        if None in shapes:
            return None
        if not all(item[0].shared for item in group):
            return self._made(group, state, last=last, paths=paths)
        key = tuple([item[0] for item in group]), tuple(shapes), tuple(map(TOOLS_PATH.__eq__, paths)), state, last
        found = self._known.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            return self._known.keep(key, self._made(group, state, last=last, paths=paths))
        return found

    def _shape(self, item: Item) -> Hashable | None:
        """What of a content and an id matters to how a unit looks; None where that is too much to be remembered."""
        head, content, call_id = item
        if isinstance(content, str):
            return bool(call_id), content and self._class(head, content)
        parts = [*map(_kind, content)]
        return None if None in parts else (bool(call_id), tuple(parts))

    def _class(self, head: Head, content: str) -> ContentClass:
        one = ANY_CONTENT if self._grammar.follows(head) else self._grammar.classify(head, content)
        return one or (AN_OBJECT if head.calls else ANY_CONTENT)

    def _made(self, group: Sequence[Item], state: State, *, last: bool, paths: Sequence[str]) -> Template | None:
        """What units like one look like, spelled with probes; None where a probe does not stand there once."""
        probes: dict[str, Slot] = {}
        items = [self._probed(at, item, probes) for at, item in enumerate(group)]
        try:
            spelled = self._grammar.spell(messages_of(items), state, last=last, paths=paths, log=Log())
        except BridgeError:
            return None
        text = text_of(self._grammar, spelled.unit)
        if any(text.count(one) != 1 for one in probes):
            return None
        if any(map(_declares, items)):
            found = PlainUnit(self._grammar, items, text, state, last=last, paths=paths).found()
        else:
            standing = re.finditer("|".join(map(re.escape, probes)), text) if probes else ()
            found = [(*one.span(), probes[one[0]]) for one in standing]
        made = _template_of(text, found, self.marks, answers=_answers(group))
        return None if any(PROBE in piece for piece in made.fixed) else made

    def _probed(self, at: int, item: Item, probes: dict[str, Slot]) -> Item:
        """A message with probes for what it says, which are added to those of the unit as they stand there."""
        head, content, call_id = item
        if call_id and self._grammar.keeps_ids and head.has_id:
            call_id = probe(_FIRST + len(probes))
            probes[call_id] = Slot(at, "call_id")
        if isinstance(content, str):
            if content:
                before, after, encode = self._class(head, content)
                content = f"{before}{probe(_FIRST + len(probes))}{after}"
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
        """The sizes of contents and ids in a unit; all but one have to stand there as they are expected to."""
        fixed, slots = template.fixed, template.slots
        values = [self._value(group[slot.at], slot) for slot in slots]
        sizes, begin = list[int](), len(fixed[0])
        if not text.startswith(fixed[0]):
            return None
        for value, behind in zip(values, fixed[1:], strict=True):
            if value is None or not text.startswith(value + behind, begin):
                break
            sizes.append(len(value))
            begin += len(value) + len(behind)
        odd = len(sizes)
        if odd == len(slots):
            return sizes if begin == len(text) else None
        end = len(text)
        back: list[int] = []
        for value, before in zip(values[:odd:-1], fixed[: odd + 1 : -1], strict=True):
            if value is None or not text.endswith(value + before, begin, end):
                return None
            back.append(len(value))
            end -= len(value) + len(before)
        if not text.endswith(fixed[odd + 1], begin, end):
            return None
        return [*sizes, end - len(fixed[odd + 1]) - begin, *reversed(back)]

    def _value(self, item: Item, slot: Slot) -> str | None:
        """How a content or an id is expected to stand in its unit; None for declared tools."""
        head, content, call_id = item
        if slot.field == "call_id":
            return call_id
        if isinstance(content, str):
            encode = self._class(head, content).encode
            return content if encode is None else shown(encode(content))
        part = content[slot.part]
        return part.text if isinstance(part, Text) else None


_UNKNOWN: Final[Any] = object()
"""Stands for a template that has not been looked for."""


def _template_of(text: str, found: Sequence[Found], marks: FrameMarks, *, answers: bool) -> Template:
    """What a unit looks like in which contents and ids were found."""
    slots, edges = [slot for _, _, slot in found], [0]
    for begin, end, _ in found:
        edges += (begin, end)
    fixed = [text[begin:end] for begin, end in zip(edges[::2], [*edges[1::2], len(text)], strict=True)]
    pieces: list[str | Slot] = [fixed[0]]
    for slot, piece in zip(slots, fixed[1:], strict=True):
        pieces += (slot, piece)
    return Template(fixed, slots, cells(pieces, marks, answers=answers))


def _answers(group: Sequence[Item]) -> bool:
    return group[0][0].role == "assistant"


def _declares(item: Item) -> bool:
    return not isinstance(item[1], str) and any(isinstance(part, Tools) for part in item[1])


def _kind(part: Part) -> Hashable | None:
    """What of a part matters to how its unit looks; None where that is too much to be remembered."""
    if part.__class__ is Tools:
        return Tools
    if isinstance(part, Text) and part.text and part.is_bare:
        return Text
    shown_part = repr(part)
    return shown_part if len(shown_part) <= _LONGEST else None
