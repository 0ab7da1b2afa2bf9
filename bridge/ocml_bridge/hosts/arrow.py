"""`convert_batch` over a column of an Arrow table: what all engines have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any, Final

from .. import registry
from ..bulk import Outcome, Settings, Status, convert_batch
from ..bulk.containers.compression import library
from ..bulk.containers.parquet import columns_of, given
from ..bulk.ledger import outcome_members
from ..bulk.plan_rows import outcomes_of_row
from ..bulk.records import Job, Record
from ..bulk.tally import position
from ..bulk.work import raw_members
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Source
from ..json_values import jsontext
from ..layouts import Plan
from ..model import Json
from ..profiles import profile


@dataclass(frozen=True, slots=True)
class Added:
    """The columns that are added, all of them text, by the names that they get: what a ledger says of a record.

    Attributes:
        sha256: of what the record was.
        outcome: converted, lossy or quarantined.
        loss_class: the worst class of what was lost or changed; null where nothing was.
        codes: the codes of what was lost, and of the error, as JSON.
        losses: what was lost or changed, each with code, severity and path, as JSON.
        findings: what was mended, in the same way.
        error: why a record is quarantined, as JSON; null where it is not.
    """

    sha256: str = "sha256"
    outcome: str = "outcome"
    loss_class: str = "class"
    codes: str = "codes"
    losses: str = "losses"
    findings: str = "findings"
    error: str = "error"

    @classmethod
    def prefixed(cls, prefix: str) -> Added:
        """The same names with something in front."""
        return cls(*(f"{prefix}{name}" for name in ADDED.names))

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return astuple(self)


ADDED: Final = Added()
ROWS: Final = 512
"""How many rows a batch has: strings of one batch must stay below 2 GiB."""


def check(
    names: Sequence[str], column: str, settings: Settings, added: Added = ADDED, plan: Plan | None = None
) -> None:
    """Refuse what would make every record fail, before the engine begins.

    Args:
        names: the columns that there are.
        column: the one that the transcripts stand in; with a plan, the one that outputs are written to.
        settings: how they are converted.
        added: the columns that are added.
        plan: what rows are; None where transcripts stand in a column.

    Raises:
        BridgeError: OCB-OPTION for a column that is not there, stands there twice, or has the name of one that is
            added; OCB-FORMAT-UNKNOWN for a format that there is not; OCB-DEPENDENCY for one that cannot be loaded.
    """
    more = (*added.names, column) if plan is not None else added.names
    twice = [name for name, count in Counter((*names, *more)).items() if count > 1]
    if plan is None and column not in names:
        known = ", ".join(names) or "none"
        raise BridgeError(ErrorCode.OPTION, f"there is no column {column!r}; the columns are {known}")
    if twice:
        message = f"the column {twice[0]!r} would exist twice; rename it, or give the added columns another prefix"
        raise BridgeError(ErrorCode.OPTION, message)
    if settings.source is not None:
        registry.adapter(settings.source)
    registry.adapter(settings.target)
    if settings.profile is not None:
        profile(settings.profile, settings.target)


def convert_table(table: Any, column: str, settings: Settings, added: Added = ADDED, plan: Plan | None = None) -> Any:
    """Convert a column, or rows. As many rows come out as go in, in order, and nothing is raised for a record.

    Args:
        table: a `pyarrow.Table`.
        column: the column that the transcripts stand in: text, bytes, or nested values. With a plan, the one that
            outputs are written to, which is not there yet.
        settings: how to convert them.
        added: the names of the columns that are added.
        plan: what rows are (docs/layouts.md); None where transcripts stand in a column.

    Returns:
        The table with the outputs as text in that column (JSON formats as JSON text), and the columns of `added`. A
        record that is quarantined keeps its raw text; where it is not UTF-8, `raw_base64` in its error has it. With a
        plan, all columns are as they were; what is quarantined has no output.

    Raises:
        BridgeError: as `check`.
    """
    check(table.schema.names, column, settings, added, plan)
    arrow = library("pyarrow", "bulk")
    if plan is None:
        pairs = [given(table, column, index) for index in range(table.num_rows)]
        outcomes = convert_batch((value for _, value in pairs), settings)
        rows = [_row(raw, outcome) for (raw, _), outcome in zip(pairs, outcomes, strict=True)]
        at = table.schema.get_field_index(column)
        kind = table.schema.field(at).type
        kind = kind if kind in (arrow.string(), arrow.large_string()) else arrow.large_string()
        table = table.set_column(at, arrow.field(column, kind), arrow.array([text for text, _ in rows], kind))
    else:
        job = Job(settings, None, registry.adapter(settings.target)[0].kind, plan=plan)
        rows = [_planned(columns_of(table, index), job, plan) for index in range(table.num_rows)]
        table = table.append_column(column, arrow.array([text for text, _ in rows], arrow.large_string()))
    for number, name in enumerate(added.names):
        table = table.append_column(name, arrow.array([values[number] for _, values in rows], arrow.string()))
    return table


def _planned(columns: dict[str, Json], job: Job, plan: Plan) -> tuple[str | None, list[str | None]]:
    """The output of a row, and the values of the columns that are added."""
    outcomes = [outcome for _, outcome in outcomes_of_row(Record(columns, {}, columns), plan, job)]
    outcome = outcomes[0]
    if len(outcomes) > 1:
        message = (
            f"the row holds {len(outcomes)} conversations and can become only one; 'ocml-convert batch' separates them"
        )
        outcome = Outcome(Status.QUARANTINED, None, error=BridgeError(ErrorCode.SEVERAL, message))
    return outcome.text, _added(outcome_members(columns, outcome))


def _row(value: Source | bytes, outcome: Outcome) -> tuple[str | None, list[str | None]]:
    """The text of one record, and the values of the columns that are added."""
    account = outcome_members(value, outcome)
    if outcome.error is None:
        return outcome.text, _added(account)
    raw = raw_members(value)
    text = _text(raw.pop("raw", None))
    return text, _added({**account, "error": {**position(outcome.error), **raw}})


def _added(account: dict[str, Json]) -> list[str | None]:
    return [_text(value) for value in account.values()]


def _text(value: Json) -> str | None:
    return value if value is None or isinstance(value, str) else jsontext.dumps(value).decode()
