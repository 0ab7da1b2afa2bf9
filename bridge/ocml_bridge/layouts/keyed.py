"""Read rows that one object holds: each under its key (`{"id1": {…}, "id2": {…}}`), or in lists (`{"data": […]}`).

Tables that pandas and `datasets` write as one object are rows, too: by columns, or their names next to lists of values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, cast

from ..errors import BridgeError
from ..model import Json
from .fitting import as_object, items_of, without_members
from .layout import Object
from .plan import AUTO, Plan, read_row

_MOST_TRIED: Final = 8
"""The number of members that are tried before an object is taken for something else."""
_TURNS: Final = "messages"
"""The column for a conversation that is only a list of turns."""
_KEYS: Final = ("id", "key")
"""Columns for the key of a row: the first that the row does not have is used."""
_PLAN: Final = Plan((AUTO,))
_ROWS: Final = "rows"
"""The member of an answer of the dataset viewer with its rows."""
_ROW: Final = "row"
"""The member of such a row with its columns."""


def is_keyed(value: Json) -> bool:
    """Return whether an object holds rows: its members are alike, or lists, may be rows, and it is not a row."""
    if not isinstance(value, dict) or not value:
        return False
    members = cast("dict[str, Any]", value)
    if _viewed(members) or _table(members):
        return True
    first = next(iter(members.values()))
    alike = all(_may_be_row(each) and _are_alike(first, each) for each in members.values())
    if not (alike or _lists(members)) or _is_row(members):
        return False
    return _has_rows(rows_by_key(members))


def _lists(value: Object) -> dict[str, list[Object]]:
    """Return the lists of rows in an object whose other members are texts and numbers; none for any other object."""
    lists: dict[str, list[Object]] = {}
    for key, each in value.items():
        if isinstance(each, list) and each:
            items = cast("list[Any]", each)
            if not all(isinstance(item, dict) for item in items) or not _is_row(items[0]):
                return {}
            lists[key] = items
        elif isinstance(each, dict) and each:
            return {}
    return lists


def _viewed(value: Object) -> list[Object]:
    """Return the items of an answer of the Hub's dataset viewer, each with a `row`; none for any other object."""
    items = items_of(value.get(_ROWS))
    viewed = [found for found in map(as_object, items) if found and as_object(found.get(_ROW))]
    return viewed if len(viewed) == len(items) and "features" in value else []


def _table(value: Object) -> list[Object]:
    """Return the rows of a table: by columns, or as lists of values (pandas: `orient="split"`); none for others."""
    names, lists = items_of(value.get("columns")), list(map(items_of, items_of(value.get("data"))))
    if value.keys() <= _SPLIT and all(isinstance(name, str) for name in names):
        if not names or not all(len(each) == len(names) for each in lists):
            return []
        rows = [dict(zip(cast("list[str]", names), each, strict=True)) for each in lists]
        return _indexed(rows, items_of(value.get("index")))
    columns = [as_object(each) or {str(at): item for at, item in enumerate(items_of(each))} for each in value.values()]
    keys = list(columns[0])
    alike = len(columns) >= _FEWEST_COLUMNS and bool(keys) and all(list(each) == keys for each in columns)
    if not alike or _is_row(value) or _lists(value) or _is_row(next(iter(value.values()))):
        return []
    return _indexed([dict(zip(value, [each[key] for each in columns], strict=True)) for key in keys], keys)


def _indexed(rows: list[Object], index: Sequence[Json]) -> list[Object]:
    """Return rows with their labels in a column, if these are not only their numbers; none if they are no rows."""
    if not _has_rows(rows):
        return []
    if len(index) != len(rows) or [str(each) for each in index] == [str(at) for at in range(len(rows))]:
        return rows
    return [{_INDEX: label, **row} for label, row in zip(index, rows, strict=True)]


_INDEX: Final = "index"
_SPLIT: Final = frozenset({"columns", _INDEX, "data"})
_FEWEST_COLUMNS: Final = 2


def _has_rows(rows: Iterable[Object]) -> bool:
    return any(map(_is_row, islice(rows, _MOST_TRIED)))


def rows_by_key(value: Object) -> Iterator[Object]:
    """Yield the rows that an object holds, each with its key in a column; those of a list with what is beside it.

    A row of the dataset viewer has its number beside it, and the names of cells that the viewer cut off; the first row
    also has what the viewer says of all.
    """
    if viewed := _viewed(value):
        of_all: Object = without_members(value, _ROWS)
        for item in viewed:
            row = cast("Object", item[_ROW])
            beside = {**of_all, **{name: each for name, each in item.items() if each != [] and name != _ROW}}
            yield {**row, **{name: each for name, each in beside.items() if name not in row}}
            of_all = {}
        return
    if rows := _table(value):
        yield from rows
        return
    lists = _lists(value)
    for key, rows in lists.items():
        around: Object = {name: each for name, each in value.items() if name not in lists}
        around |= {_KEYS[1]: key} if len(lists) > 1 else {}
        yield from ({**row, **{name: each for name, each in around.items() if name not in row}} for row in rows)
    for key, found in value.items() if not lists else ():
        row = cast("Object", found) if isinstance(found, dict) else {_TURNS: found}
        name = next((each for each in _KEYS if row.get(each, key) == key), None)
        yield row if name is None or name in row else {name: key, **row}


def _may_be_row(value: Json) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and value != [] and all(isinstance(turn, dict) for turn in cast("list[Any]", value))
    )


def _are_alike(one: Any, other: Any) -> bool:
    """Return whether two rows may be of one dataset: both are lists of turns, or share half of their columns."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return isinstance(one, list) and isinstance(other, list)
    one_columns, other_columns = cast("dict[str, Any]", one).keys(), cast("dict[str, Any]", other).keys()
    return 2 * len(one_columns & other_columns) >= min(len(one_columns), len(other_columns))


def _is_row(value: Json) -> bool:
    try:
        return bool(read_row(_PLAN, value).documents)
    except BridgeError:
        return False
