"""Finds where contents and ids stand in a unit, by spelling the unit again with a probe in place of each.

What stands before and after the probe also stands before and after the content, so what is between is the content. No
format has to say where its bodies are.
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
from ...units.heads import Head, Item, messages_of
from ...units.writer import UnitWriter
from ..plans.learning import Plan
from ..plans.probes import probe, shown

_LEAD: Final = 12
"""How many characters before the arguments of a call are searched for with them, to find the right call."""
MOST: Final = 16
"""In a unit with more messages, contents are found only by searching for their texts, as probes take too long."""
AN_OBJECT: Final = ContentClass('{"', '": 0}')
"""The class assumed for arguments that a format does not classify: nearly all are objects, written unchanged."""
_PROBE: Final = probe(0)
_AS_JSON: Final = ContentClass(encode='"{}"'.format)
_NO_ARGUMENTS: Final = "{}"
Range = tuple[int, int]
"""The indices of the first character and after the last one."""
Located = tuple[int, int, Slot]
"""The range of a content or an id, and which one it is."""


def pieces_of_plan(grammar: UnitWriter, plan: Plan) -> list[str | Slot]:
    """Return the texts of the units of a plan, with slots for contents and ids between them."""
    if plan.build is None:
        slot = () if plan.items[0][0].empty else (Slot(0, "content"),)
        return [plan.before, *slot, plan.after]
    slots: dict[str, Slot] = {}
    for at, ((_, content, call_id), content_class) in enumerate(zip(plan.items, plan.classes, strict=True)):
        if isinstance(content, str) and content:
            encode = content_class.encode
            slots[content if encode is None else shown(encode(content))] = Slot(at, "content")
        if call_id:
            slots[call_id] = Slot(at, "call_id")
    text = text_of(grammar, plan.build(plan.items))
    pieces = re.split("(" + "|".join(map(re.escape, slots)) + ")", text) if slots else [text]
    return [slots[piece] if number % 2 else piece for number, piece in enumerate(pieces)]


def class_of(grammar: UnitWriter, head: Head, content: str) -> ContentClass | None:
    """Return the class of a content; None if the format names none, so that how it is written is only assumed."""
    return ANY_CONTENT if grammar.depends_on_head_only(head) else grammar.classify(head, content)


def text_of(grammar: UnitWriter, unit: Spelling) -> str:
    """Return a unit as text; if it consists of token ids, the text that they spell."""
    return unit if grammar.tokens is None else grammar.tokens.text_of(unit)


class PlainUnit:
    """A unit that was written without a plan, and in which contents and ids are to be found.

    Args:
        grammar: the format's writer of units.
        group: the messages of the unit.
        text: the unit as text.
        state: the state after the unit before it.
        last: whether nothing follows.
        paths: the paths of its messages in the document.

    Attributes:
        group: as given; but the last message has an end if the unit is written with one.
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
        self._spelled_cache: dict[tuple[int, str, str | None], str | None] = {}
        self.group: Final = self._ended(group)

    def located(self) -> list[Located]:
        """Return the contents and ids that are found, in the order of the unit, without overlaps."""
        located: list[Located] = []
        passed = 0
        for begin, end, slot in sorted(self._slots(), key=lambda one: one[:2]):
            if begin >= passed:
                located.append((begin, end, slot))
                passed = end
        return located

    def _ended(self, group: Sequence[Item]) -> Sequence[Item]:
        """Return the messages, the last one with an end if the unit is written with one although the message has none.

        Whether a format can show that a message was cut off may depend on its content, which probes replace.
        """
        head, content, call_id = group[-1]
        if head.end is not None or not self._last:
            return group
        ended = [*group[:-1], (head.replaced(end="call" if head.calls else "end"), content, call_id)]
        return ended if self._text_of(ended, self._paths) == self._text else group

    def _slots(self) -> Iterator[Located]:
        passed = 0
        for at, (head, content, call_id) in enumerate(self.group):
            if isinstance(content, str):
                place = self._content(at, content, passed) if content else None
                if place is not None:
                    yield (*place, Slot(at, "content"))
                    passed = place[1]
            else:
                yield from self._parts(at, content)
            if self._grammar.keeps_ids and head.has_id and call_id and len(self.group) <= MOST:
                place = self._where(at, _PROBE, content, _PROBE)
                if place is not None:
                    yield (*place, Slot(at, "call_id"))

    def _content(self, at: int, content: str, start: int) -> Range | None:
        """Find the content of the message at an index of the group, which is one text.

        Args:
            at: the index of the message in the group.
            content: its content.
            start: where the previous content ends.
        """
        if len(self.group) > 1 and self.group[at][0].calls and (place := self._by_itself(at, start)) is not None:
            return place
        if len(self.group) <= MOST:
            for text, spelled in self._candidates(at, content):
                place = self._where(at, spelled, text, None)
                if place is not None:
                    is_assumed = class_of(self._grammar, self.group[at][0], content) is None
                    return self._without_wrapper(place, content) if is_assumed else place
        begin = self._text.find(content, start)
        if begin >= 0:
            return begin, begin + len(content)
        return self._arguments(at) if self.group[at][0].calls and len(self.group) <= MOST else None

    def _without_wrapper(self, place: Range, content: str) -> Range:
        """Return where a content stands in what is written in its place, which may have more around some contents."""
        begin = self._text.find(content, *place)
        return place if begin < 0 else (begin, begin + len(content))

    def _by_itself(self, at: int, start: int) -> Range | None:
        """Find the arguments of a call among other messages, by how they are written in a unit of the call alone."""
        group, paths = [self.group[at]], self._paths[at : at + 1]
        text = self._text_of(group, paths)
        if text is None:
            return None
        unit = PlainUnit(self._grammar, group, text, self._state, last=self._last, paths=paths)
        place = unit._content(0, str(group[0][1]), 0)
        if place is None:
            return None
        lead = text[max(place[0] - _LEAD, 0) : place[0]]
        begin = self._text.find(f"{lead}{text[place[0] : place[1]]}", start) + len(lead)
        return (begin, begin + place[1] - place[0]) if begin >= max(start, len(lead)) else None

    def _candidates(self, at: int, content: str) -> Iterator[tuple[str, str]]:
        """Yield contents with a probe that may be written as a content is, each with what it becomes in the unit."""
        content_class = class_of(self._grammar, self.group[at][0], content)
        for each in (content_class,) if content_class is not None else (AN_OBJECT, ANY_CONTENT, _AS_JSON):
            text = each.example(_PROBE)
            yield text, text if each.encode is None else shown(each.encode(text))

    def _arguments(self, at: int) -> Range | None:
        """Find arguments that are not written as JSON, by comparing the unit without arguments and with one."""
        none, some = self._spelled(at, _NO_ARGUMENTS), self._spelled(at, f'{{"{_PROBE}": 0}}')
        if none is None or some is None:
            return None
        before = _common_prefix(none, some)
        open_tag = _OPEN_TAG.search(none, 0, before)
        before = before if open_tag is None else open_tag.start()
        return self._between(none[:before], none[before:])

    def _parts(self, at: int, content: Sequence[Part]) -> Iterator[Located]:
        """Find the texts among the parts of a content, and the tools that it declares."""
        texts = {number: part.text for number, part in enumerate(content) if isinstance(part, Text) and part.text}
        located: list[Located] = []
        for number, text in texts.items() if len(texts) <= MOST else ():
            parts = [*content]
            parts[number] = replace(parts[number], text=_PROBE)
            place = self._where(at, _PROBE, tuple(parts), None)
            if place is not None and place[1] > place[0] and text:
                located.append((*place, Slot(at, "content", part=number)))
        yield from located
        at_tools = next((number for number, part in enumerate(content) if isinstance(part, Tools)), None)
        if at_tools is None:
            return
        tools = Slot(at, "content", part=at_tools, declares=True)
        whole = self._where(at, _PROBE, _PROBE, None) or (self._beside_text(at) or self._declared(at, content))
        if whole is None:
            return
        # Tools stand where no text does: before all texts, after them, or between two.
        begin = max((end for _, end, slot in located if slot.part < at_tools), default=whole[0])
        end = min((start for start, _, slot in located if slot.part > at_tools), default=whole[1])
        if begin < end:
            yield begin, end, tools

    def _beside_text(self, at: int) -> Range | None:
        """Find tools in a unit of two messages, by comparing it with the unit of the other message, a text, alone."""
        if len(self.group) != 2:
            return None
        head, content, call_id = self.group[1 - at]
        place = self._where(1 - at, _PROBE, _PROBE, None) if content else None
        text_alone = self._text_of([(head, _PROBE, call_id)], self._paths[1 - at : 2 - at])
        if place is None or text_alone is None or text_alone.count(_PROBE) != 1:
            return None
        before, _, after = text_alone.partition(_PROBE)
        tools_first = place[0] > len(before)
        return (len(before), place[0]) if tools_first else (place[1], len(self._text) - len(after))

    def _declared(self, at: int, content: Sequence[Part]) -> Range | None:
        """Find declared tools by comparing with the unit without tools; they begin at the beginning of a line."""
        no_tools = tuple(Tools(()) if isinstance(part, Tools) else part for part in content)
        other, text = self._spelled(at, no_tools), self._text
        if other is None or other == text:
            return None
        begin = _common_prefix(text, other)
        end = len(text) - _common_prefix(text[begin:][::-1], other[begin:][::-1])
        rest = _WORD.match(text, end)
        return text.rfind("\n", 0, begin) + 1, end if rest is None else rest.end()

    # --- the unit with something else in it ---------------------------------------------------------------------------

    def _where(self, at: int, probe_text: str, content: Content, call_id: str | None) -> Range | None:
        """Return the range in the unit of what a probe replaces; None if more than that changes.

        Args:
            at: the index of the message in the group.
            probe_text: the probe as it is written.
            content: the content with the probe in it, or the message's own.
            call_id: the probe, if it replaces the call id.
        """
        other = self._spelled(at, content, call_id)
        if other is None or other.count(probe_text) != 1:
            return None
        before, _, after = other.partition(probe_text)
        return self._between(before, after)

    def _between(self, before: str, after: str) -> Range | None:
        """Return what stands between a beginning and an end of the unit; None if it does not begin and end so."""
        end = len(self._text) - len(after)
        if end < len(before) or not (self._text.startswith(before) and self._text.endswith(after)):
            return None
        return len(before), end

    def _spelled(self, at: int, content: Content, call_id: str | None = None) -> str | None:
        """Return the text of the unit with another content, or call id, in the message at an index of the group."""
        key = None if not isinstance(content, str) else (at, content, call_id)
        if key is not None and key in self._spelled_cache:
            return self._spelled_cache[key]
        group: list[Any] = [*self.group]
        head, _, original_id = group[at]
        group[at] = head, content, original_id if call_id is None else call_id
        text = self._text_of(group, self._paths)
        if key is not None:
            self._spelled_cache[key] = text
        return text

    def _text_of(self, group: Sequence[Item], paths: Sequence[str]) -> str | None:
        messages = messages_of(group)
        try:
            spelled = self._grammar.write_unit(messages, self._state, last=self._last, paths=paths, log=Log())
        except BridgeError:
            return None
        return text_of(self._grammar, spelled.unit)


_WORD: Final = re.compile(r"[^\n<]*")
_OPEN_TAG: Final = re.compile(r"<[^<>]*\Z")
"""Matches a tag without its closing bracket."""


def _common_prefix(text: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    return next((at for at, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
