"""What a unit looks like that no plan was made of: its text with probes for all contents at once, as far as that tells.

The text of a unit may follow from its heads where what it reads as does not. So it is remembered for units that are
alike, and what stands between their contents is looked for in each.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple

from ..errors import BridgeError
from ..loss import Log
from ..memo import Memo
from ..model import Part, Text, Tools, replace
from ..plans.probes import probe, shown
from ..spans.frames import Slot
from ..units.grammar import ANY_CONTENT, ContentClass, State
from ..units.heads import LIMIT, Item, messages_of
from ..units.writer import UnitWriter

AN_OBJECT: Final = ContentClass('{"', '": 0}')
"""The class of arguments that a format does not tell apart: nearly all are objects, and stand there as they are."""
Found = tuple[int, int, Slot]
"""Where a content or an id stands, and whose it is."""
_LONGEST: Final = 200
"""The longest of a part that is no text, as it is shown, in a unit that is remembered."""


class _Probed(NamedTuple):
    """A content or an id that a probe stands for.

    Attributes:
        slot: where it stands.
        value: how it is expected to stand there.
    """

    slot: Slot
    value: str


class Templates:
    """Finds contents in units by others that are like them.

    Args:
        grammar: the format's.
    """

    def __init__(self, grammar: UnitWriter) -> None:
        self._grammar: Final = grammar
        self._known = Memo[Hashable, "tuple[str, ...] | None"](LIMIT)

    def slots(self, group: Sequence[Item], text: str, state: State, *, last: bool) -> list[Found] | None:
        """Where all contents and ids stand in a unit, in order; None where that has to be looked for one by one.

        Args:
            group: its messages.
            text: the unit.
            state: what the unit before left.
            last: whether nothing follows.
        """
        probes: dict[str, _Probed] = {}
        items: list[Item] = []
        for at, item in enumerate(group):
            made = self._probed(at, item, probes)
            if made is None:
                return None
            items.append(made)
        pieces = self._pieces(items, [*probes], state, last=last) if probes else None
        return None if pieces is None else _matched(text, pieces[::2], [probes[piece] for piece in pieces[1::2]])

    def _probed(self, at: int, item: Item, probes: dict[str, _Probed]) -> Item | None:
        """A message with probes for what it says, which are added to those of the unit; None for one that is odd."""
        head, content, call_id = item
        if call_id and self._grammar.keeps_ids and head.has_id:
            probes[probe(len(probes))] = _Probed(Slot(at, "call_id"), call_id)
            call_id = [*probes][-1]
        if isinstance(content, str):
            if not content:
                return head, content, call_id
            one = ANY_CONTENT if self._grammar.follows(head) else self._grammar.classify(head, content)
            before, after, encode = one or (AN_OBJECT if head.calls else ANY_CONTENT)
            made = f"{before}{probe(len(probes))}{after}"
            stands, value = (made, content) if encode is None else (shown(encode(made)), shown(encode(content)))
            probes[stands] = _Probed(Slot(at, "content"), value)
            return head, made, call_id
        parts: list[Part] = []
        for number, part in enumerate(content):
            if isinstance(part, Text) and part.text:
                made = probe(len(probes))
                probes[made] = _Probed(Slot(at, "content", part=number), part.text)
                part = replace(part, text=made)
            elif isinstance(part, Tools) or len(repr(part)) > _LONGEST:
                return None
            parts.append(part)
        return head, tuple(parts), call_id

    def _pieces(
        self, items: Sequence[Item], probes: Sequence[str], state: State, *, last: bool
    ) -> tuple[str, ...] | None:
        """The unit of some items, with each probe apart from what stands between them; None where one is not there."""
        if not all(item[0].shared for item in items):
            return self._spelled(items, probes, state, last=last)
        said = tuple([item[1:] if isinstance(item[1], str) else (repr(item[1]), item[2]) for item in items])
        key = tuple([item[0] for item in items]), said, tuple(probes), state, last
        if key not in self._known:
            return self._known.keep(key, self._spelled(items, probes, state, last=last))
        return self._known[key]

    def _spelled(
        self, items: Sequence[Item], probes: Sequence[str], state: State, *, last: bool
    ) -> tuple[str, ...] | None:
        paths = [""] * len(items)
        try:
            unit = self._grammar.spell(messages_of(items), state, last=last, paths=paths, log=Log()).unit
        except BridgeError:
            return None
        text: Any = unit if self._grammar.tokens is None else self._grammar.tokens.text_of(unit)
        if any(text.count(one) != 1 for one in probes):
            return None
        return tuple(re.split("(" + "|".join(map(re.escape, probes)) + ")", text))


def _matched(text: str, fixed: Sequence[str], found: Sequence[_Probed]) -> list[Found] | None:
    """Where contents stand in a text between fixed pieces; all but one have to stand there as they are expected to."""
    front: list[Found] = []
    at = 0
    for (slot, value), before, behind in zip(found, fixed, fixed[1:], strict=False):
        begin = at + len(before)
        end = begin + len(value)
        if not text.startswith(before, at):
            return None
        if not (text.startswith(value, begin) and text.startswith(behind, end)):
            break
        front.append((begin, end, slot))
        at = end
    else:
        return front if at + len(fixed[-1]) == len(text) else None
    odd, left = len(front), at + len(fixed[len(front)])
    back: list[Found] = []
    at = len(text)
    for (slot, value), behind in zip(found[:odd:-1], fixed[: odd + 1 : -1], strict=True):
        end = at - len(behind)
        begin = end - len(value)
        if begin < left or not (text.startswith(behind, end) and text.startswith(value, begin)):
            return None
        back.append((begin, end, slot))
        at = begin
    right = at - len(fixed[odd + 1])
    if right < left or not text.startswith(fixed[odd + 1], right):
        return None
    return [*front, (left, right, found[odd].slot), *reversed(back)]
