"""`convert_batch` over a column of an Arrow table: what all engines have in common."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from .. import jsontext
from ..adapter import Source
from ..bulk import Outcome, Settings, convert_batch
from ..bulk.compression import library
from ..bulk.parquet import given
from ..bulk.tally import position
from ..bulk.work import kept_raw
from ..model import Json

ADDED: Final = ("status", "losses", "error")
"""The columns that are added, all of them text: the status; the losses by code and the error, as JSON."""
ROWS: Final = 512
"""How many rows a batch has: strings of one batch must stay below 2 GiB."""


def convert_table(table: Any, column: str, settings: Settings) -> Any:
    """Convert a column. As many rows come out as go in, in order, and nothing is raised for a record.

    Args:
        table: a `pyarrow.Table`.
        column: the column that the transcripts stand in: text, bytes, or nested values.
        settings: how to convert them.

    Returns:
        The table with the outputs as text in that column (JSON formats as JSON text), and the columns of `ADDED`. A
        record that is quarantined keeps its raw text; where it is not UTF-8, `raw_base64` in its error has it.

    Raises:
        KeyError: where there is no such column.
    """
    arrow = library("pyarrow", "bulk")
    at = table.schema.get_field_index(column)
    if at < 0:
        raise KeyError(column)
    pairs = [given(table, column, index) for index in range(table.num_rows)]
    outcomes = convert_batch((value for _, value in pairs), settings)
    rows = [_row(raw, outcome) for (raw, _), outcome in zip(pairs, outcomes, strict=True)]
    kind = table.schema.field(at).type
    kind = kind if kind in (arrow.string(), arrow.large_string()) else arrow.large_string()
    table = table.set_column(at, arrow.field(column, kind), arrow.array([row.text for row in rows], kind))
    for name in ADDED:
        table = table.append_column(name, arrow.array([getattr(row, name) for row in rows], arrow.string()))
    return table


class _Row(NamedTuple):
    """What the columns have of one record."""

    text: str | None
    status: str
    losses: str
    error: str | None


def _row(value: Source | bytes, outcome: Outcome) -> _Row:
    text, error = outcome.text, None
    if outcome.error is not None:
        raw = kept_raw(value)
        text = _text(raw.pop("raw", None))
        error = _json({**position(outcome.error), **raw})
    return _Row(text, str(outcome.status), _json(dict[str, Json](outcome.counts)), error)


def _text(value: Json) -> str | None:
    return value if value is None or isinstance(value, str) else _json(value)


def _json(value: Json) -> str:
    return jsontext.dumps(value).decode()
