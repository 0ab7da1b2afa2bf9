"""Read and write a row of training data without its turns: its columns; or a bare list of turns."""

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
from ocml_bridge.units.grammar import SplitEnvelope, Unit

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
from .turns import marks_of, turn_in

_EXPECTED: Final = "expected a row with 'conversations', or a list of turns with 'from' and 'value'"
_LIST: Final = "list"
_TURNS: Final = "turns"
_FORM: Final = "form"
_ANSWER_FORMS: Final = "chosen"
"""Keys of the layout of a document: whether it is a bare list, the key of its turns, and the order of its columns; and
the forms of the chosen and the rejected answer, if they are not the default: a list of turns, or a text.
"""


class Column(NamedTuple):
    """The unit of a system prompt that is in a column."""

    text: str


@dataclass(slots=True)
class Row:
    """A row without its turns.

    Attributes:
        units: the system prompt of the column, if there is one, the turns, and those of the chosen answer.
        place: returns the JSON pointer of a unit, given its index.
        start: the index of the first unit of the chosen answer.
        rejected: the turns of the rejected answer.
        media: the media of the placeholders of each unit.
        tools: the declared tools.
        extras: the columns that the format does not know.
        layout: how the row was spelled.
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
"""Split a list of rows into its rows, each with its index; any other source is one conversation."""


def read_row(source: Source, log: Log) -> Row:
    """Split a row into its units and columns.

    Raises:
        BridgeError: OCB-SHAPE if the source is no row; OCB-SEVERAL if it is a list of rows.
    """
    if isinstance(source, ARRAY):
        _ROWS.refuse(cast("list[Json]", source))
    result = turns_of(source)
    if result is None:
        raise BridgeError(ErrorCode.SHAPE, _EXPECTED, path="")
    key, turns = result
    if key is None:
        return _with_media(Row(list(turns), lambda at: f"/{at}", layout={_LIST: True}), {})
    document, known = cast("Object", source), [key]
    system: Json = document.get(SYSTEM)
    before: list[Any] = [Column(system)] if isinstance(system, str) and system else []
    if before:
        known.append(SYSTEM)
        if any(_role_of(turn) == SYSTEM for turn in turns):
            log.find(
                FindingCode.SHAPE, f"/extras/{HOME}", "the system prompt is in a column and in a turn; both are kept"
            )
    row = Row([*before, *turns], lambda at: f"/{key}/{at - len(before)}" if at >= len(before) else f"/{SYSTEM}")
    if key != TURNS[0]:
        row.layout[_TURNS] = key
    if TOOLS in document and (declared := read_column(document[TOOLS])) is not None:
        known.append(TOOLS)
        row.tools = declared.tools
        if declared.stored is not None:
            row.layout[TOOLS] = declared.stored
    known += _read_preference(document, row, key)
    known += _with_media(row, document).layout.pop(_COLUMNS, ())
    order = tuple(name for name in (key, *_ORDER) if name in known)
    form = form_of(document, order, frozenset({key}), known)
    if form is not None:
        row.layout[_FORM] = form
    row.extras = rest(document, known)
    return row


def split_envelope(source: Source) -> SplitEnvelope | None:
    """Split a row into its envelope and its turns; None if one of its columns depends on turns, and for a list."""
    result = turns_of(source) if source.__class__ is dict else None
    if result is None or not _OF_TURNS.isdisjoint(cast("Object", source)):
        return None
    (key, turns), row = result, cast("Object", source)
    system: Json = row.get(SYSTEM)
    if not (isinstance(system, str) and system):
        return SplitEnvelope({**row, cast("str", key): []}, turns)
    if any(_role_of(turn) == SYSTEM for turn in turns):
        return None
    return SplitEnvelope({**row, cast("str", key): [], SYSTEM: SYSTEM}, [Column(system), *turns])


_ORDER: Final = (SYSTEM, TOOLS, CHOSEN, REJECTED, *MEDIA.values())
"""The order in which columns are written after the turns; unknown columns follow."""
_OF_TURNS: Final = frozenset({CHOSEN, REJECTED, *MEDIA.values()})
"""The columns that depend on turns."""


def _role_of(turn: Json) -> str:
    members = cast("Object", turn)
    word = next((members[key] for key in SPEAKERS if isinstance(members.get(key), str)), "")
    return ROLES.get(word.lower(), word)


# --- the chosen and the rejected answer -------------------------------------------------------------------------------


def _read_preference(document: Object, row: Row, key: str) -> list[str]:
    """Add the chosen answer to the units of a row, and its rejected answer; return the keys that were read."""
    chosen, rejected = (_read_answer(document.get(name)) for name in (CHOSEN, REJECTED))
    if chosen is None or rejected is None:
        return []
    row.start, place = len(row.units), row.place
    row.units += chosen[0]
    row.rejected = rejected[0]
    forms = [form if form != _default_form(turns) else None for turns, form in (chosen, rejected)]
    if any(forms):
        row.layout[_ANSWER_FORMS] = forms
    is_list = chosen[1] == _LIST
    row.place = lambda at: place(at) if at < row.start else f"/{CHOSEN}{f'/{at - row.start}' if is_list else ''}"
    return [CHOSEN, REJECTED]


def _read_answer(value: Json) -> tuple[list[Json], str] | None:
    """Return the turns of an answer, and its form; None if it is none."""
    if isinstance(value, str):
        return [{SPEAKERS[0]: "gpt", TEXTS[0]: value}], "text"
    if isinstance(value, OBJECT) and is_turn(value):
        return [value], "turn"
    if isinstance(value, ARRAY):
        turns = cast("list[Json]", value)
        if turns and all(is_turn(turn) for turn in turns):
            return turns, _LIST
    return None


def _default_form(turns: Sequence[Json]) -> str:
    """Return the form in which an answer is written by default."""
    return "turn" if len(turns) == 1 else _LIST


def _write_answer(turns: Sequence[Object], form: Json) -> Json:
    """Return the turns of an answer in a form; in the default form if they do not fit it."""
    (turn, *more) = turns
    if form == "text" and not more and turn == {SPEAKERS[0]: "gpt", TEXTS[0]: turn.get(TEXTS[0])}:
        return turn[TEXTS[0]]
    return turn if not more and form != _LIST else list(turns)


# --- media ------------------------------------------------------------------------------------------------------------

_COLUMNS: Final = "columns"


def _with_media(row: Row, document: Object) -> Row:
    """Set the media of the placeholders of each unit, if the columns have as many; return the row.

    As in LLaMA-Factory, the placeholders of all turns count. If their number does not fit, only those of the user and
    the system count, because an answer may mention a placeholder.
    """
    columns = {kind: document.get(name) for kind, name in MEDIA.items()}
    urls = {kind: cast("list[str]", value) for kind, value in columns.items() if _is_list_of_texts(value)}
    row.media = [[] for _ in row.units]
    by_unit = _placeholder_kinds(row.units, urls, answers=True) or _placeholder_kinds(row.units, urls, answers=False)
    if by_unit is None:
        return row
    following: dict[str, Iterator[str]] = {kind: iter(value) for kind, value in urls.items()}
    row.media = [[Media(cast("Any", kind), url=next(following[kind])) for kind in kinds] for kinds in by_unit]
    used = {kind for kinds in by_unit for kind in kinds}
    row.layout[_COLUMNS] = [MEDIA[kind] for kind in urls if kind in used]
    return row


def _placeholder_kinds(
    units: Sequence[Any], urls: Mapping[str, Sequence[str]], *, answers: bool
) -> list[list[str]] | None:
    """Return the kinds of the placeholders of each unit; None if there are none, or not as many as there are media.

    Args:
        units: the units of a row.
        urls: the entries of the columns, by the kind of media.
        answers: whether placeholders in answers and results also count.
    """
    by_unit: list[list[str]] = []
    for unit in units:
        kinds = _kinds_in(unit, answers=answers)
        if kinds is None:
            return None
        by_unit.append(kinds)
    count = Counter(kind for kinds in by_unit for kind in kinds)
    fits = count and all(count[kind] == len(urls.get(kind, ())) for kind in MEDIA)
    return by_unit if fits else None


def _is_list_of_texts(value: Json) -> bool:
    return isinstance(value, ARRAY) and all(isinstance(each, str) for each in cast("list[Json]", value))


def _kinds_in(unit: Any, *, answers: bool) -> list[str] | None:
    """Return the kinds of the placeholders in a unit; None if one is in a thought or a call, which have no media."""
    text = unit.text if isinstance(unit, Column) else next((unit.get(key) for key in TEXTS if key in unit), None)
    if not isinstance(text, str) or "<" not in text:
        return []
    if not isinstance(unit, Column):
        word = next(unit[key] for key in SPEAKERS if isinstance(unit.get(key), str))
        is_call = word in CALLS
        if not answers and (is_call or ROLES.get(word.lower()) in ("assistant", "tool")):
            return []
        thought = thought_in(text) if is_call or ROLES.get(word.lower()) == "assistant" else None
        before, text = (thought.text, thought.rest) if thought is not None else ("", text)
        if PLACEHOLDER.search(before) or (is_call and PLACEHOLDER.search(text)):
            return None
    return PLACEHOLDER.findall(text)


# --- writing ----------------------------------------------------------------------------------------------------------


def envelope_key(units: Sequence[Unit], around: Transcript) -> Hashable | None:
    """Return whether the first turn is written in a column; None if the columns depend on more of the turns.

    Args:
        units: the turns, with their marks.
        around: the transcript around them.
    """
    layout = NOTES.of(around.layout)
    if _LIST in layout or _TURNS in layout or any(MARK_MEDIA in marks_of(unit) for unit in units):
        return None
    return bool(units) and MARK_COLUMN in marks_of(units[0])


def with_units(row: Object, units: Sequence[Unit]) -> Object:
    """Return a row with other turns, which have marks."""
    plain = list(map(turn_in, units))
    if units and MARK_COLUMN in marks_of(units[0]):
        row[SYSTEM] = plain.pop(0)[TEXTS[0]]
    row[TURNS[0]] = plain
    return row


def write_row(around: Transcript, units: Sequence[Unit], rejected: Sequence[Object]) -> Json:
    """Return a row, or a list of turns.

    Args:
        around: the transcript around the turns.
        units: the turns, with their marks.
        rejected: the turns of the rejected answer.
    """
    layout, extras = NOTES.of(around.layout), NOTES.of(around.extras)
    media = _media_columns(units)
    plain = list(map(turn_in, units))
    column = plain[0][TEXTS[0]] if units and MARK_COLUMN in marks_of(units[0]) else None
    chosen = (at for at, unit in enumerate(units) if rejected and MARK_CHOSEN in marks_of(unit))
    start = next(chosen, len(units))
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
    if rejected and start < len(units):
        stored: Json = layout.get(_ANSWER_FORMS)
        forms = cast("list[Json]", stored) if isinstance(stored, ARRAY) and len(stored) == 2 else [None, None]
        row[CHOSEN], row[REJECTED] = _write_answer(plain[start:], forms[0]), _write_answer(rejected, forms[1])
    row |= media
    fixed = tuple(row)
    return shape(add(row, extras), layout.get(_FORM), fixed=fixed)


def _media_columns(units: Sequence[Unit]) -> dict[str, Json]:
    columns: dict[str, Json] = {}
    for unit in units:
        for each in cast("list[Media]", marks_of(unit).get(MARK_MEDIA, [])):
            columns.setdefault(MEDIA[each.media], []).append(each.url)
    return {name: columns[name] for name in MEDIA.values() if name in columns}
