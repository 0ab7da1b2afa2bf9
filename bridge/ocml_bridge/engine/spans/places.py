"""Where contents and ids stand in a unit: found by its own grammar, which is given probes in their places.

What does not change with a content is not it. So no format says where its bodies are, and whatever spells a unit, spans
of it are told by the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...errors import BridgeError
from ...loss import Log
from ...model import Content, Part, Text, Tools, replace
from ...spans.frames import Slot
from ...units.grammar import ANY_CONTENT, ContentClass, State
from ...units.grammar import Unit as Spelling
from ...units.heads import Item, messages_of
from ...units.writer import UnitWriter
from ..plans.learning import Plan
from ..plans.probes import probe, shown

_LEAD: Final = 12
"""How much before arguments tells whose they are."""
MOST: Final = 16
"""How many messages of a unit are looked for one by one; where it has more, by their texts alone."""
AN_OBJECT: Final = ContentClass('{"', '": 0}')
"""The class of arguments that a format does not tell apart: nearly all are objects, and stand there as they are."""
_PROBE: Final = probe(0)
_AS_JSON: Final = ContentClass(encode='"{}"'.format)
_NO_ARGUMENTS: Final = "{}"
Range = tuple[int, int]
Found = tuple[int, int, Slot]
"""Where a content or an id stands, and whose it is."""


def pieces_of_plan(grammar: UnitWriter, plan: Plan) -> list[str | Slot]:
    """The texts of the units of a plan, with contents and ids of any size between them."""
    if plan.build is None:
        slot = () if plan.items[0][0].empty else (Slot(0, "content"),)
        return [plan.before, *slot, plan.after]
    slots: dict[str, Slot] = {}
    for at, ((_, content, call_id), (_, _, encode)) in enumerate(zip(plan.items, plan.classes, strict=True)):
        if isinstance(content, str) and content:
            slots[content if encode is None else shown(encode(content))] = Slot(at, "content")
        if call_id:
            slots[call_id] = Slot(at, "call_id")
    text = text_of(grammar, plan.build(plan.items))
    pieces = re.split("(" + "|".join(map(re.escape, slots)) + ")", text) if slots else [text]
    return [slots[piece] if number % 2 else piece for number, piece in enumerate(pieces)]


def text_of(grammar: UnitWriter, unit: Spelling) -> str:
    """The text that a unit is, or that its tokens spell."""
    return unit if grammar.tokens is None else grammar.tokens.text_of(unit)


class PlainUnit:
    """A unit whose contents are looked for.

    Args:
        grammar: the format's.
        group: its messages.
        text: the unit.
        state: what the unit before left.
        last: whether nothing follows.
        paths: where its messages stand in the document.

    Attributes:
        group: its messages, the last with an end where the unit has one.
    """

    def __init__(
        self,
        grammar: UnitWriter,
        group: Sequence[Item],
        text: str,
        state: State,
        *,
        last: bool,
        paths: Sequence[str],
    ) -> None:
        self._grammar: Final = grammar
        self._text: Final = text
        self._state: Final = state
        self._last: Final = last
        self._paths: Final = paths
        self._known: dict[tuple[int, str, str | None], str | None] = {}
        self.group: Final = self._ended(group)

    def found(self) -> list[Found]:
        """Where the contents and ids stand that are found, in order."""
        found: list[Found] = []
        behind = 0
        for begin, end, slot in sorted(self._slots(), key=lambda one: one[:2]):
            if begin >= behind:
                found.append((begin, end, slot))
                behind = end
        return found

    def _ended(self, group: Sequence[Item]) -> Sequence[Item]:
        """The messages, the last with an end where the unit has one all the same: whether it has may be its content's.

        A text that is cut off where no reader would see it is written with an end.
        """
        head, content, call_id = group[-1]
        if head.end is not None or not self._last:
            return group
        ended = [*group[:-1], (head.replaced(end="call" if head.calls else "end"), content, call_id)]
        return ended if self._text_of(ended, self._paths) == self._text else group

    def _slots(self) -> Iterator[Found]:
        behind = 0
        for at, (head, content, call_id) in enumerate(self.group):
            if isinstance(content, str):
                found = self._content(at, content, behind) if content else None
                if found is not None:
                    yield (*found, Slot(at, "content"))
                    behind = found[1]
            else:
                yield from self._parts(at, content)
            if self._grammar.keeps_ids and head.has_id and call_id and len(self.group) <= MOST:
                found = self._where(at, _PROBE, content, _PROBE)
                if found is not None:
                    yield (*found, Slot(at, "call_id"))

    def _content(self, at: int, content: str, behind: int) -> Range | None:
        """Where a content that is one text stands."""
        if len(self.group) > 1 and self.group[at][0].calls and (found := self._by_itself(at, behind)) is not None:
            return found
        if len(self.group) <= MOST:
            for text, spelled in self._shapes(at, content):
                found = self._where(at, spelled, text, None)
                if found is not None:
                    return found
        begin = self._text.find(content, behind)
        if begin >= 0:
            return begin, begin + len(content)
        return self._arguments(at) if self.group[at][0].calls and len(self.group) <= MOST else None

    def _by_itself(self, at: int, behind: int) -> Range | None:
        """Where arguments stand among other messages: as they do in a unit of their own, behind the same name."""
        group, paths = [self.group[at]], self._paths[at : at + 1]
        text = self._text_of(group, paths)
        if text is None:
            return None
        alone = PlainUnit(self._grammar, group, text, self._state, last=self._last, paths=paths)
        found = alone._content(0, str(group[0][1]), 0)
        if found is None:
            return None
        lead = text[max(found[0] - _LEAD, 0) : found[0]]
        begin = self._text.find(f"{lead}{text[found[0] : found[1]]}", behind) + len(lead)
        return (begin, begin + found[1] - found[0]) if begin >= max(behind, len(lead)) else None

    def _shapes(self, at: int, content: str) -> Iterator[tuple[str, str]]:
        """Contents that may be written like one, and what of them is looked for."""
        head = self.group[at][0]
        known = ANY_CONTENT if self._grammar.follows(head) else self._grammar.classify(head, content)
        for one in (known,) if known is not None else (AN_OBJECT, ANY_CONTENT, _AS_JSON):
            text = f"{one.before}{_PROBE}{one.after}"
            yield text, text if one.encode is None else shown(one.encode(text))

    def _arguments(self, at: int) -> Range | None:
        """Where arguments stand that are spelled otherwise than as JSON: between what stays where there are none."""
        none, some = self._spelled(at, _NO_ARGUMENTS), self._spelled(at, f'{{"{_PROBE}": 0}}')
        if none is None or some is None:
            return None
        before = _alike(none, some)
        opened = _OPENED.search(none, 0, before)
        before = before if opened is None else opened.start()
        return self._between(none[:before], none[before:])

    def _parts(self, at: int, content: Sequence[Part]) -> Iterator[Found]:
        """Where the parts of a content stand."""
        texts = {number: part.text for number, part in enumerate(content) if isinstance(part, Text) and part.text}
        found: list[Found] = []
        for number, text in texts.items() if len(texts) <= MOST else ():
            parts = [*content]
            parts[number] = replace(parts[number], text=_PROBE)
            place = self._where(at, _PROBE, tuple(parts), None)
            if place is not None and place[1] > place[0] and text:
                found.append((*place, Slot(at, "content", part=number)))
        yield from found
        at_tools = next((number for number, part in enumerate(content) if isinstance(part, Tools)), None)
        if at_tools is None:
            return
        tools = Slot(at, "content", part=at_tools, declares=True)
        whole = self._where(at, _PROBE, _PROBE, None) or (self._beside(at) or self._declared(at, content))
        if whole is None:
            return
        # Tools stand where no text does: before all texts, behind them, or between two.
        begin = max((end for _, end, slot in found if slot.part < at_tools), default=whole[0])
        end = min((start for start, _, slot in found if slot.part > at_tools), default=whole[1])
        if begin < end:
            yield begin, end, tools

    def _beside(self, at: int) -> Range | None:
        """Where declared tools stand beside one text: what is not there where nothing but a text is."""
        if len(self.group) != 2:
            return None
        head, content, call_id = self.group[1 - at]
        found = self._where(1 - at, _PROBE, _PROBE, None) if content else None
        alone = self._text_of([(head, _PROBE, call_id)], self._paths[1 - at : 2 - at])
        if found is None or alone is None or alone.count(_PROBE) != 1:
            return None
        before, _, after = alone.partition(_PROBE)
        leads = found[0] > len(before)
        return (len(before), found[0]) if leads else (found[1], len(self._text) - len(after))

    def _declared(self, at: int, content: Sequence[Part]) -> Range | None:
        """Where declared tools stand: where it is that fewer change the unit, from the beginning of a line."""
        fewer = tuple(Tools(()) if isinstance(part, Tools) else part for part in content)
        other, text = self._spelled(at, fewer), self._text
        if other is None or other == text:
            return None
        begin = _alike(text, other)
        end = len(text) - _alike(text[begin:][::-1], other[begin:][::-1])
        rest = _WORD.match(text, end)
        return text.rfind("\n", 0, begin) + 1, end if rest is None else rest.end()

    # --- the unit with something else in it ---------------------------------------------------------------------------

    def _where(self, at: int, looked_for: str, content: Content, call_id: str | None) -> Range | None:
        """Where something stands in the unit that is otherwise the same with another content or id."""
        other = self._spelled(at, content, call_id)
        if other is None or other.count(looked_for) != 1:
            return None
        before, _, after = other.partition(looked_for)
        return self._between(before, after)

    def _between(self, before: str, after: str) -> Range | None:
        end = len(self._text) - len(after)
        if end < len(before) or not (self._text.startswith(before) and self._text.endswith(after)):
            return None
        return len(before), end

    def _spelled(self, at: int, content: Content, call_id: str | None = None) -> str | None:
        """The text of the unit with another content of one of its messages, or with another id."""
        key = None if not isinstance(content, str) else (at, content, call_id)
        if key is not None and key in self._known:
            return self._known[key]
        group: list[Any] = [*self.group]
        head, _, own_id = group[at]
        group[at] = head, content, own_id if call_id is None else call_id
        text = self._text_of(group, self._paths)
        if key is not None:
            self._known[key] = text
        return text

    def _text_of(self, group: Sequence[Item], paths: Sequence[str]) -> str | None:
        messages = messages_of(group)
        try:
            spelled = self._grammar.spell(messages, self._state, last=self._last, paths=paths, log=Log())
        except BridgeError:
            return None
        return text_of(self._grammar, spelled.unit)


_WORD: Final = re.compile(r"[^\n<]*")
_OPENED: Final = re.compile(r"<[^<>]*\Z")
"""A tag that is not closed."""


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
