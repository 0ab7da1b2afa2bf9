"""`convert_batch` over a column of an Arrow table: what all engines have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from .. import jsontext, registry
from ..adapter import Source
from ..bulk import Outcome, Settings, convert_batch
from ..bulk.compression import library
from ..bulk.parquet import given
from ..bulk.tally import position
from ..bulk.work import kept_raw
from ..errors import BridgeError, ErrorCode
from ..model import Json
from ..profiles import profile


@dataclass(frozen=True, slots=True)
class Added:
    """The columns that are added, all of them text, by the names that they get.

    Attributes:
        status: converted, lossy or quarantined.
        losses: how many places were lost or changed, by loss code, as JSON.
        error: why a record is quarantined, as JSON; null where it is not.
    """

    status: str = "status"
    losses: str = "losses"
    error: str = "error"

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return self.status, self.losses, self.error


ADDED: Final = Added()
ROWS: Final = 512
"""How many rows a batch has: strings of one batch must stay below 2 GiB."""


def check(names: Sequence[str], column: str, settings: Settings, added: Added = ADDED) -> None:
    """Refuse what would make every record fail, before the engine begins.

    Args:
        names: the columns that there are.
        column: the one that the transcripts stand in.
        settings: how they are converted.
        added: the columns that are added.

    Raises:
        BridgeError: OCB-OPTION for a column that is not there, stands there twice, or has the name of one that is
            added; OCB-FORMAT-UNKNOWN for a format that there is not; OCB-DEPENDENCY for one that cannot be loaded.
    """
    twice = [name for name, count in Counter((*names, *added.names)).items() if count > 1]
    if column not in names:
        known = ", ".join(names) or "none"
        raise BridgeError(ErrorCode.OPTION, f"there is no column {column!r}; the columns are {known}")
    if twice:
        fields = ", ".join(asdict(added))
        message = f"the column {twice[0]!r} would stand there twice; rename it, or give Added({fields}) other names"
        raise BridgeError(ErrorCode.OPTION, message)
    if settings.source is not None:
        registry.adapter(settings.source)
    registry.adapter(settings.target)
    if settings.profile is not None:
        profile(settings.profile, settings.target)


def convert_table(table: Any, column: str, settings: Settings, added: Added = ADDED) -> Any:
    """Convert a column. As many rows come out as go in, in order, and nothing is raised for a record.

    Args:
        table: a `pyarrow.Table`.
        column: the column that the transcripts stand in: text, bytes, or nested values.
        settings: how to convert them.
        added: the names of the columns that are added.

    Returns:
        The table with the outputs as text in that column (JSON formats as JSON text), and the columns of `added`. A
        record that is quarantined keeps its raw text; where it is not UTF-8, `raw_base64` in its error has it.

    Raises:
        BridgeError: as `check`.
    """
    check(table.schema.names, column, settings, added)
    arrow = library("pyarrow", "bulk")
    at = table.schema.get_field_index(column)
    pairs = [given(table, column, index) for index in range(table.num_rows)]
    outcomes = convert_batch((value for _, value in pairs), settings)
    rows = [_row(raw, outcome) for (raw, _), outcome in zip(pairs, outcomes, strict=True)]
    kind = table.schema.field(at).type
    kind = kind if kind in (arrow.string(), arrow.large_string()) else arrow.large_string()
    table = table.set_column(at, arrow.field(column, kind), arrow.array([text for text, _ in rows], kind))
    for number, name in enumerate(added.names):
        table = table.append_column(name, arrow.array([values[number] for _, values in rows], arrow.string()))
    return table


def _row(value: Source | bytes, outcome: Outcome) -> tuple[str | None, tuple[str | None, ...]]:
    """The text of one record, and the values of the columns that are added."""
    text, error = outcome.text, None
    if outcome.error is not None:
        raw = kept_raw(value)
        text = _text(raw.pop("raw", None))
        error = _json({**position(outcome.error), **raw})
    return text, (str(outcome.status), _json(dict[str, Json](outcome.counts)), error)


def _text(value: Json) -> str | None:
    return value if value is None or isinstance(value, str) else _json(value)


def _json(value: Json) -> str:
    return jsontext.dumps(value).decode()
