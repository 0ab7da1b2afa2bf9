"""Survey inputs before a run: how they store rows, and the layouts of their first rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Kind
from ..layouts import AUTO, Plan
from ..layouts.propose import Survey, proposal
from ..model import Json
from .as_lines import as_lines
from .batch import Settings
from .containers import parquet
from .containers.compression import plain_content, reading_errors
from .inputs import find_inputs
from .plan_rows import row_of
from .records import Input, Job, Record, Row
from .work import CONTAINERS

_STORED: Final = {
    "jsonl": "JSON lines",
    "json": "a JSON array",
    "object": "a JSON object, which is one row",
    "values": "JSON values, one after another",
    "keyed": "rows under their keys",
    "csv": "comma-separated values",
    "tsv": "tab-separated values",
    "arrow": "Arrow",
    "events": "a recorded stream",
    "session": "a session, which is one row",
    "parquet": "Parquet",
    "files": "a folder of texts",
}


def propose(arguments: Sequence[str], most: int, *, preview: bool = False) -> str:
    """Return a plan for the rows of some inputs, as YAML.

    Args:
        arguments: the files, folders and patterns of a command.
        most: the number of rows of each input to read.
        preview: whether to find layouts, too, whose reading may change with any release.

    Raises:
        BridgeError: as `find_inputs`; OCB-IO if no input can be read; OCB-OPTION if two columns have the same name;
            OCB-DEPENDENCY if a library is missing.
    """
    plan = Plan((AUTO,), preview=preview)
    survey = Survey(plan)
    stored: list[str] = []
    printer: str | None = None
    unread: BridgeError | None = None
    for item in find_inputs(arguments, Kind.JSON, rows=plan):
        printer = as_lines(item) if not stored else printer
        stored.append(_container(item))
        if item.kind == "parquet":
            parquet.check(item, _JOB)
        read = survey.rows
        try:
            for row in islice(_rows(item, most), most):
                survey.look(row)
            if survey.rows - read == most:
                stored[-1] += f", of which only the first {most:,} rows were looked at (--rows)"
        except BridgeError as error:
            if error.code is not ErrorCode.IO:
                raise
            unread = error
            reason = error.message.removeprefix(f"{item.path}: ")
            stored[-1] = f"{item.path}: cannot be read: {' '.join(reason.split())}"
    if unread is not None and not survey.rows:
        raise unread
    return proposal(survey, stored, printer)


def _container(item: Input) -> str:
    """Return a line on how an input stores its rows."""
    if item.names is not None and len(item.names) == 1:
        return f"{os.path.join(item.path, item.names[0])}: a file that is one row"
    return f"{item.path}: {_STORED.get(item.kind, item.kind)}"


def _rows(item: Input, most: int) -> Iterator[Json | BridgeError]:
    """Yield the first rows of an input."""
    try:
        yield from islice(map(_columns, _records(item, most)), most)
    except reading_errors() as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BridgeError(ErrorCode.IO, f"{item.path}: {reason}") from error


def _columns(record: Record) -> Json | BridgeError:
    try:
        return row_of(record.value, text="file" in record.where)
    except BridgeError as error:
        return error


def _records(item: Input, most: int) -> Iterator[Record]:
    container = CONTAINERS[item.kind]
    if container.lines is not None:
        with plain_content(item.path) as content:
            rows = (Row({}, line, len(line)) for line in container.lines(content) if line.strip())
            yield from (_record(row, None, item) for row in rows)
    elif container.ranges is not None:
        for piece in container.ranges(item, None, most):
            for chunk in container.chunks(piece, item, _JOB):
                yield from (_record(row, chunk.payload, item) for row in chunk.rows)


def _record(row: Row, payload: Any, item: Input) -> Record:
    """Return the record of a row, with the error as its value if the row cannot be read."""
    try:
        return CONTAINERS[item.kind].record_of(row, payload, item, _JOB)
    except BridgeError as error:
        return Record(error, row.where, row.raw or b"")


_JOB: Final = Job(Settings("openai"), Kind.JSON, Kind.JSON, plan=Plan((AUTO,)))
