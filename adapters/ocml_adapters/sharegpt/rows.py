"""What stands around the turns: a row of training data with its columns, or nothing (a list of turns)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Source
from ocml_bridge.formats.boundary import ListsOfDocuments
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, form_of, rest, shape
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Json, Media, Tool, Transcript
from ocml_bridge.units.grammar import Emptied

from .calls import read_column, write_column
from .syntax import (
    CALLS,
    CHOSEN,
    HOME,
    MARK_CHOSEN,
    MARK_COLUMN,
    MARK_MEDIA,
    MEDIA,
    NOTES,
    PLACEHOLDER,
    REJECTED,
    ROLES,
    SPEAKERS,
    SYSTEM,
    TEXTS,
    TOOLS,
    TURNS,
    is_turn,
    turns_of,
)
from .thinking import thought_in

_EXPECTED: Final = "expected a row with 'conversations', or a list of turns with 'from' and 'value'"
_LIST: Final = "list"
_TURNS: Final = "turns"
_FORM: Final = "form"
_CHOSEN: Final = "chosen"
"""Keys of the layout of a document: whether it is a bare list, the key of its turns, the order of its columns, and how
what was chosen and what was rejected are given where not as we would: as a list of turns, or as a text."""


class Column(NamedTuple):
    """What the system says in a column of its own."""

    text: str


@dataclass(slots=True)
class Row:
    """A row without its turns.

    Attributes:
        units: its turns, behind the column of the system, and those that were chosen.
        place: index of one of these → JSON pointer to it.
        start: which of them is the first that was chosen.
        rejected: the turns that were rejected.
        media: what the placeholders of each turn stand for.
    """

    units: list[Any]
    place: Callable[[int], str]
    start: int = 0
    rejected: list[Json] = field(default_factory=list[Any])
    media: list[list[Media]] = field(default_factory=list[list[Media]])
    tools: tuple[Tool, ...] | None = None
    extras: Object = field(default_factory=dict[str, Any])
    layout: Object = field(default_factory=dict[str, Any])

    @property
    def around(self) -> Transcript:
        """The transcript without its messages and its alternatives."""
        extras = {HOME: self.extras} if self.extras else None
        return Transcript((), self.tools, extras=extras, layout={HOME: self.layout} if self.layout else None)


def _is_row(row: Object) -> bool:
    return turns_of(row) is not None


_ROWS: Final = ListsOfDocuments(_is_row, None)
split: Final = _ROWS.split
"""The conversations of a list of rows, each with its index; else the one that a source is."""


def read_row(source: Source, log: Log) -> Row:
    """Take a row apart.

    Raises:
        BridgeError: OCB-SHAPE for what is no row; OCB-SEVERAL for a list of rows.
    """
    if isinstance(source, ARRAY):
        _ROWS.refuse(cast("list[Json]", source))
    found = turns_of(source)
    if found is None:
        raise BridgeError(ErrorCode.SHAPE, _EXPECTED, path="")
    key, turns = found
    if key is None:
        return _bound(Row(list(turns), lambda at: f"/{at}", layout={_LIST: True}), {})
    document, known = cast("Object", source), [key]
    system: Json = document.get(SYSTEM)
    before: list[Any] = [Column(system)] if isinstance(system, str) and system else []
    if before:
        known.append(SYSTEM)
        if any(_whose(turn) == SYSTEM for turn in turns):
            log.find(
                FindingCode.SHAPE, f"/extras/{HOME}", "the system prompt is in a column and in a turn; both are kept"
            )
    row = Row([*before, *turns], lambda at: f"/{key}/{at - len(before)}" if at >= len(before) else f"/{SYSTEM}")
    if key != TURNS[0]:
        row.layout[_TURNS] = key
    if TOOLS in document and (declared := read_column(document[TOOLS])) is not None:
        known.append(TOOLS)
        row.tools = declared.tools
        if declared.spelled is not None:
            row.layout[TOOLS] = declared.spelled
    known += _read_preference(document, row, key)
    known += _bound(row, document).layout.pop(_COLUMNS, ())
    order = tuple(name for name in (key, *_ORDER) if name in known)
    form = form_of(document, order, frozenset({key}), known)
    if form is not None:
        row.layout[_FORM] = form
    row.extras = rest(document, known)
    return row


def emptied(source: Source) -> Emptied | None:
    """A row as its envelope and its turns; None for one whose columns belong to turns, and for a list."""
    found = turns_of(source) if source.__class__ is dict else None
    if found is None or not _APART.isdisjoint(cast("Object", source)):
        return None
    (key, turns), row = found, cast("Object", source)
    system: Json = row.get(SYSTEM)
    if not (isinstance(system, str) and system):
        return Emptied({**row, cast("str", key): []}, turns)
    if any(_whose(turn) == SYSTEM for turn in turns):
        return None
    return Emptied({**row, cast("str", key): [], SYSTEM: SYSTEM}, [Column(system), *turns])


_ORDER: Final = (SYSTEM, TOOLS, CHOSEN, REJECTED, *MEDIA.values())
"""Our order of the columns behind the turns; what is not known of a row stands behind them."""
_APART: Final = frozenset({CHOSEN, REJECTED, *MEDIA.values()})
"""Columns that say something of turns."""


def _whose(turn: Json) -> str:
    members = cast("Object", turn)
    word = next((members[key] for key in SPEAKERS if isinstance(members.get(key), str)), "")
    return ROLES.get(word.lower(), word)


# --- what was chosen, and what was rejected ---------------------------------------------------------------------------


def _read_preference(document: Object, row: Row, key: str) -> list[str]:
    """Put what was chosen behind the turns, and take what was rejected; the keys that were understood."""
    chosen, rejected = (_as_turns(document.get(name)) for name in (CHOSEN, REJECTED))
    if chosen is None or rejected is None:
        return []
    row.start, place = len(row.units), row.place
    row.units += chosen[0]
    row.rejected = rejected[0]
    spelled = [how if how != _usual(turns) else None for turns, how in (chosen, rejected)]
    if any(spelled):
        row.layout[_CHOSEN] = spelled
    is_list = chosen[1] == _LIST
    row.place = lambda at: place(at) if at < row.start else f"/{CHOSEN}{f'/{at - row.start}' if is_list else ''}"
    return [CHOSEN, REJECTED]


def _as_turns(value: Json) -> tuple[list[Json], str] | None:
    """The turns of an answer, and how it is given; None for what is none."""
    if isinstance(value, str):
        return [{SPEAKERS[0]: "gpt", TEXTS[0]: value}], "text"
    if isinstance(value, OBJECT) and is_turn(value):
        return [value], "turn"
    if isinstance(value, ARRAY):
        turns = cast("list[Json]", value)
        if turns and all(is_turn(turn) for turn in turns):
            return turns, _LIST
    return None


def _usual(turns: Sequence[Json]) -> str:
    """How we give an answer."""
    return "turn" if len(turns) == 1 else _LIST


def _given(turns: Sequence[Object], how: Json) -> Json:
    """Turns as an answer is given: as it was, where that was otherwise than we would."""
    (turn, *more) = turns
    if how == "text" and not more and turn == {SPEAKERS[0]: "gpt", TEXTS[0]: turn.get(TEXTS[0])}:
        return turn[TEXTS[0]]
    return turn if not more and how != _LIST else list(turns)


# --- media ------------------------------------------------------------------------------------------------------------

_COLUMNS: Final = "columns"


def _bound(row: Row, document: Object) -> Row:
    """Give each turn the media that its placeholders stand for, where the columns have as many as there are.

    Trainers count those of all turns. In data of others an answer may speak of a placeholder: then those of whoever
    asks count.
    """
    columns = {kind: document.get(name) for kind, name in MEDIA.items()}
    found = {kind: cast("list[str]", value) for kind, value in columns.items() if _is_texts(value)}
    row.media = [[] for _ in row.units]
    wanted = _wanted(row.units, found, answers=True) or _wanted(row.units, found, answers=False)
    if wanted is None:
        return row
    left: dict[str, Iterator[str]] = {kind: iter(value) for kind, value in found.items()}
    row.media = [[Media(cast("Any", kind), url=next(left[kind])) for kind in kinds] for kinds in wanted]
    used = {kind for kinds in wanted for kind in kinds}
    row.layout[_COLUMNS] = [MEDIA[kind] for kind in found if kind in used]
    return row


def _wanted(units: Sequence[Any], found: Mapping[str, Sequence[str]], *, answers: bool) -> list[list[str]] | None:
    """The kinds of the placeholders of each unit; None where there are none, or not as many as there are media.

    Args:
        units: of a row.
        found: media by their kind.
        answers: whether placeholders count in what the assistant says and tools give, too.
    """
    wanted: list[list[str]] = []
    for unit in units:
        kinds = _placeholders(unit, answers=answers)
        if kinds is None:
            return None
        wanted.append(kinds)
    count = Counter(kind for kinds in wanted for kind in kinds)
    fits = count and all(count[kind] == len(found.get(kind, ())) for kind in MEDIA)
    return wanted if fits else None


def _is_texts(value: Json) -> bool:
    return isinstance(value, ARRAY) and all(isinstance(each, str) for each in cast("list[Json]", value))


def _placeholders(unit: Any, *, answers: bool) -> list[str] | None:
    """The kinds of the placeholders in a unit; None where one stands in a thought or a call, which have no media."""
    text = unit.text if isinstance(unit, Column) else next((unit.get(key) for key in TEXTS if key in unit), None)
    if not isinstance(text, str) or "<" not in text:
        return []
    if not isinstance(unit, Column):
        word = next(unit[key] for key in SPEAKERS if isinstance(unit.get(key), str))
        is_call = word in CALLS
        if not answers and (is_call or ROLES.get(word.lower()) in ("assistant", "tool")):
            return []
        thought = thought_in(text) if is_call or ROLES.get(word.lower()) == "assistant" else None
        before, text = (thought.text, thought.behind) if thought is not None else ("", text)
        if PLACEHOLDER.search(before) or (is_call and PLACEHOLDER.search(text)):
            return None
    return PLACEHOLDER.findall(text)


# --- writing ----------------------------------------------------------------------------------------------------------


def outline(turns: Sequence[Object], around: Transcript) -> Hashable | None:
    """What of the turns of a row matters to its other columns: whether the first is a column; None for more than that.

    Args:
        turns: they, with the marks of where they go in the row.
        around: what stands around them.
    """
    layout = NOTES.of(around.layout)
    if _LIST in layout or _TURNS in layout or any(MARK_MEDIA in turn for turn in turns):
        return None
    return bool(turns) and turns[0].get(MARK_COLUMN) is True


def refilled(row: Object, turns: Sequence[Object]) -> Object:
    """A row with other turns in it; there are marks of where they go."""
    plain = [_unmarked(turn) for turn in turns]
    if turns and turns[0].get(MARK_COLUMN):
        row[SYSTEM] = plain.pop(0)[TEXTS[0]]
    row[TURNS[0]] = plain
    return row


def _unmarked(turn: Object) -> Object:
    """A turn without the marks of where it goes."""
    if len(turn) == 2 and TEXTS[0] in turn:  # a mark stands beside these two
        return turn
    return {key: value for key, value in turn.items() if not key.startswith("\0")}


def write_row(around: Transcript, turns: Sequence[Object], rejected: Sequence[Object]) -> Json:
    """A row, put together.

    Args:
        around: what stands around its turns.
        turns: they, with the marks of where they go in the row.
        rejected: the turns that were rejected.
    """
    layout, extras = NOTES.of(around.layout), NOTES.of(around.extras)
    media = _columns([*turns, *rejected])
    column = turns[0][TEXTS[0]] if turns and turns[0].get(MARK_COLUMN) else None
    marked = (at for at, turn in enumerate(turns) if rejected and turn.get(MARK_CHOSEN))
    start = next(marked, len(turns))
    plain = [_unmarked(turn) for turn in turns]
    listed = plain[column is not None : start]
    is_bare = around.tools is None and column is None and not (media or rejected or extras)
    if layout.get(_LIST) is True and is_bare and turns_of(listed) is not None:
        return listed
    key = layout.get(_TURNS)
    key = key if key in TURNS and (key != TURNS[2] or all(SPEAKERS[0] in turn for turn in listed)) else TURNS[0]
    row: Object = {key: listed}
    if column is not None:
        row[SYSTEM] = column
    if around.tools is not None:
        row[TOOLS] = write_column(around.tools, layout.get(TOOLS))
    if rejected and start < len(turns):
        spelled: Json = layout.get(_CHOSEN)
        how = cast("list[Json]", spelled) if isinstance(spelled, ARRAY) and len(spelled) == 2 else [None, None]
        row[CHOSEN], row[REJECTED] = _given(plain[start:], how[0]), _given(rejected, how[1])
    row |= media
    fixed = tuple(row)
    return shape(add(row, extras), layout.get(_FORM), fixed=fixed)


def _columns(turns: Sequence[Object]) -> dict[str, Json]:
    columns: dict[str, Json] = {}
    for turn in turns:
        for each in cast("list[Media]", turn.get(MARK_MEDIA, [])):
            columns.setdefault(MEDIA[each.media], []).append(each.url)
    return {name: columns[name] for name in MEDIA.values() if name in columns}
