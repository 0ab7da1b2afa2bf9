"""Convert rows of datasets by a plan: their conversations become records, and outputs become columns again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from ..convert import read
from ..detection import surely
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Source
from ..json_values import jsontext
from ..layouts import (
    AUTO,
    EVENTS,
    SESSION,
    Layout,
    Plan,
    answers_of,
    is_session,
    layout_for,
    layouts_of,
    read_row,
    stream_of,
    turns_of,
)
from ..layouts.wrapped import LISTS
from ..loss import Finding, Loss, LossCode
from ..model import Json, Transcript
from ..report.result import Reading, Result
from .batch import Outcome, Settings, Spare, Status, outcome_of
from .containers.encodings import decoded
from .containers.member_texts import texts_of
from .containers.nested import Nested, unpadded
from .kept_members import converted, lenient, member_of
from .records import DEFAULT_FIELD, Job, Record

MEMBERS: Final = "\0members"
"""The key, among the fields of a record, that marks the place of its output's members."""
_SPACES: Final = str.maketrans("\r\n", "  ")
"""Replaces line breaks in JSON text, which are only between values, so that a column is written in one line."""
_PREFIX: Final = "source_"
"""The prefix for the name of a column if the output has a member of that name."""


def outcomes_of_row(row: Record, plan: Plan, job: Job) -> Iterator[tuple[Record, Outcome]]:
    """Yield the conversations of a row with their outcomes, in order."""
    for record, layout, columns in _records(row, plan):
        yield from _outcomes(record, layout, columns, job)


class _Row(NamedTuple):
    """The columns of a row.

    Attributes:
        columns: their values.
        findings: the null members that were left out.
        raw: the JSON text of the row; None if the row is not text.
    """

    columns: dict[str, Json]
    findings: tuple[Finding, ...] = ()
    raw: bytes | None = None

    def texts(self, names: Iterable[str]) -> dict[str, str]:
        """Return the JSON text of some columns, spelled as in the row."""
        values = {name: self.columns[name] for name in names if name in self.columns}
        if self.raw is not None and values:
            return texts_of(self.raw, values)
        return {name: jsontext.as_text(value) for name, value in values.items()}


class Columns(NamedTuple):
    """The columns of a layout's fields.

    Attributes:
        names: the names of the columns, by field.
        row: the row.
    """

    names: Mapping[str, str]
    row: _Row


_NOTHING: Final = Columns({}, _Row({}))


def _records(row: Record, plan: Plan) -> Iterator[tuple[Record, Layout | None, Columns]]:
    """Yield the conversations of a row as records, each with its layout and the columns of the layout's fields.

    An error has no layout.
    """
    try:
        columns = _columns(row.value, text="file" in row.where)
        found = read_row(plan, columns.columns)
    except BridgeError as error:
        yield row._replace(value=error), None, _NOTHING
        return
    texts = columns.texts(found.extra_columns)
    fields: dict[str, str | None] = {}
    for name in columns.columns:
        if name in texts:
            fields[name] = texts[name]
        else:
            fields[MEMBERS] = None
    fields.setdefault(MEMBERS, None)
    for number, each in enumerate(found.documents, 1):
        where = dict(row.where)
        if len(found.documents) > 1:
            where |= {"conversation": number, **({} if each.path is None else {"path": each.path})}
        extra_columns = {name: jsontext.as_text(value) for name, value in each.extra_columns.items()}
        value = Nested(each.value, (*columns.findings, *each.findings))
        yield Record(value, where, row.raw, {**fields, **extra_columns}), found.layout, Columns(found.sources, columns)


def row_of(value: Any, *, text: bool = False) -> dict[str, Json]:
    """Return the columns of a row, as a plan reads them.

    Args:
        value: the row.
        text: whether the row is a file, which may be a text.

    Raises:
        BridgeError: OCB-ENCODING, OCB-JSON or OCB-SHAPE if it is not a row.
    """
    return _columns(value, text=text).columns


def _columns(value: Any, *, text: bool) -> _Row:
    """Return the columns of a row. A file of text has the column `text`.

    Raises:
        BridgeError: OCB-ENCODING, OCB-JSON or OCB-SHAPE if the value is not a row.
    """
    if isinstance(value, BridgeError):
        raise value
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        try:
            found = jsontext.loads(value)
        except BridgeError:
            found = _parsed(decoded(value), text=text)
        else:
            if isinstance(found, dict):
                members = cast("dict[str, Json]", found)
                return _Row({name: _as_turns(each) for name, each in members.items()}, raw=value)
        value = found
    if isinstance(value, list) and value:
        value = _list_as_row(cast("list[Json]", value))
    if not isinstance(value, dict):
        raise BridgeError(ErrorCode.SHAPE, "a row must be an object, with a member for each column", path="")
    row, findings = unpadded(cast("dict[str, Json]", value))
    return _Row({name: _as_turns(each) for name, each in row.items()}, findings)


def _as_turns(value: Json) -> Json:
    """Return turns as a list if they are stored as a list for each member, as `datasets` stores a sequence."""
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Json]", value)
    lists = [cast("list[Json]", each) for each in members.values() if isinstance(each, list)]
    named = any(key in members for key in _ROLE) and any(key in members for key in _TEXT)
    if not named or len(lists) != len(members) or len({len(each) for each in lists}) != 1:
        return members
    return [dict(zip(members, turn, strict=True)) for turn in zip(*lists, strict=True)]


_ROLE: Final = ("from", "role", "speaker")
_TEXT: Final = ("value", "content", "utterance", "text")


def _list_as_row(items: list[Json]) -> Json:
    """Return the row of a list: of a session's rows, a stream's events, messages, pairs of texts; others unchanged.

    Raises:
        BridgeError: OCB-SHAPE if it is a list of rows, or of texts.
    """
    if all(isinstance(item, list) for item in items):
        return {"messages": items}
    if is_session(items):
        return {SESSION: items}
    if all(isinstance(item, str) for item in items):
        message = "a list of texts does not say who speaks; `jq -c '{data: .}'` makes a row of texts by turns of each"
        raise BridgeError(ErrorCode.SHAPE, message, path="")
    if not all(isinstance(item, dict) for item in items):
        return items
    if stream_of(items) is not None:
        return {EVENTS: items}
    rows = cast("list[dict[str, Json]]", items)
    if not any(key in row for row in rows for key in _ROLE) and all(layout_for(_ANY, row) for row in rows):
        message = "this is a list of rows, not one row; `jq -c '.[]'` makes a line of each"
        raise BridgeError(ErrorCode.SHAPE, message, path="")
    return {LISTS.get(surely(items) or "", "messages"): items}


_ANY: Final = Plan((AUTO,))


def _parsed(value: str, *, text: bool) -> Json:
    """Return the JSON value of a row, or the column of a text; a text may begin like JSON, with a token in brackets."""
    try:
        return jsontext.loads(value)
    except BridgeError:
        if text and _JSON.match(value) is None:
            return {"text": value}
        raise


_JSON: Final = re.compile(r"\s*(?:\{|\[\s*[\[{\"])")
"""The beginning of JSON; a token in brackets has a letter after the bracket."""


def _outcomes(record: Record, layout: Layout | None, columns: Columns, job: Job) -> Iterator[tuple[Record, Outcome]]:
    """Yield the outcome of a record; of each of its turns if they are converted separately."""
    if layout is None:
        yield record, outcome_of(record.value, job.settings)
        return
    settings = _reading(job.settings, layout.format)
    if settings.layout is not None:
        record = _with_required_columns(record, layouts_of(settings.layout)[0])
    if job.each_turn and not isinstance(record.value, BridgeError):
        yield from _by_turns(record, settings)
    elif layout.whole and settings.layout is None and _is_unchanged(record, columns):
        yield _as_document(record, replace(job, settings=settings))
    elif job.bare:
        yield record, _outcome(record, settings)
    else:
        yield _with_columns(record, columns, settings)


def _is_unchanged(record: Record, columns: Columns) -> bool:
    """Return whether a row is the document as it is spelled."""
    value = record.value
    is_row = isinstance(value, Nested) and value.value is columns.row.columns and not value.findings
    return is_row and isinstance(record.raw, bytes)


@lru_cache(maxsize=64)
def _reading(settings: Settings, source: str) -> Settings:
    """Return the settings for the documents of a layout."""
    return replace(settings, source=source, options=replace(settings.options, force_format=True))


def _with_columns(record: Record, columns: Columns, settings: Settings) -> tuple[Record, Outcome]:
    """Convert a record; columns of its layout that the target has no place for, such as images, are kept."""
    fields: dict[str, str | None] = {}

    def remaining_losses(_result: Result, _output: Source, losses: tuple[Loss, ...]) -> tuple[Loss, ...]:
        left: list[Loss] = []
        for loss in losses:
            column = columns.names.get(member_of(loss) or "", "")
            found = columns.row.texts([column])
            if found:
                fields.update(found)
            else:
                left.append(loss)
        settings.policy.check(left, strict=settings.strict)
        return tuple(left)

    outcome = _outcome(record, lenient(settings), remaining_losses)
    if outcome.error is None and fields:
        record = record._replace(fields={**fields, **(record.fields or {})})
    return record, outcome


def _as_document(record: Record, job: Job) -> tuple[Record, Outcome]:
    """Convert a row that is a document; members that its target has no place for become columns."""
    document, outcome = converted(record._replace(value=record.raw, fields=None), job)
    columns = {name: raw for name, raw in (document.fields or {}).items() if raw is not None}
    return record._replace(fields={**columns, MEMBERS: None}), outcome


def _with_required_columns(record: Record, layout: Layout) -> Record:
    """Return a record with the further columns that its new layout requires, under the layout's names for them."""
    fields = dict(record.fields or {})
    for name, columns in layout.requires.items():
        column = next((each for each in columns if each in fields), None)
        if column is None:
            wanted = f"rows of the layout {layout.name} have a column {name!r}, and this row has none"
            return record._replace(value=BridgeError(ErrorCode.SHAPE, wanted, path=""))
        fields = {name if each == column else each: value for each, value in fields.items()}
    return record._replace(fields=fields)


def _by_turns(record: Record, settings: Settings) -> Iterator[tuple[Record, Outcome]]:
    """Yield the outcome of each turn of the assistant, with the messages before it."""
    try:
        reading = _read(record, settings)
        cuts = list(turns_of(cast("Transcript", reading.transcript)))
    except BridgeError as error:
        yield record, outcome_of(error, settings)
        return
    for number, (cut, losses) in enumerate(cuts, 1):
        where = {**record.where, **({"turn": number} if len(cuts) > 1 else {})}
        part = record._replace(value=replace(reading, transcript=cut), where=where)
        outcome = _outcome(part, settings)
        if losses and outcome.error is None:
            outcome = replace(outcome, losses=(*outcome.losses, *losses), status=Status.LOSSY)
        yield part, outcome


def _read(record: Record, settings: Settings) -> Reading:
    if isinstance(record.value, Reading):
        return record.value
    value, findings = cast("Nested", record.value)
    reading = read(value, settings.source, options=settings.options, strict=settings.strict)
    return replace(reading, findings=(*findings, *reading.findings))


def _outcome(record: Record, settings: Settings, spare: Spare | None = None) -> Outcome:
    """Convert a record; if the target has no place for a rejected answer, both answers are written separately."""
    outcome = outcome_of(record.value, settings, spare)
    refused = outcome.error is not None and outcome.error.code is ErrorCode.LOSS
    left_out = any(loss.code is LossCode.ALTERNATIVES for loss in outcome.losses)
    if settings.layout is not None or not (refused or left_out):
        return outcome
    reading = _read(record, replace(settings, strict=False))
    answers = answers_of(cast("Transcript", reading.transcript))
    if not answers:
        return outcome
    outcomes = [outcome_of(replace(reading, transcript=each), settings, spare) for each in answers.values()]
    failed = next((each for each in outcomes if each.error is not None), None)
    if failed is not None:
        return failed
    chosen, rejected = outcomes
    losses = tuple(dict.fromkeys((*chosen.losses, *rejected.losses)))
    written = {name: each.output for name, each in zip(answers, outcomes, strict=True)}
    status = Status.LOSSY if Status.LOSSY in (chosen.status, rejected.status) else Status.CONVERTED
    return replace(chosen, output=written, losses=losses, status=status)


def columns_of(record: Record, output: Json, name: str | None, *, bare: bool) -> dict[str, bytes]:
    """Return the columns of a written row, each with its JSON.

    Args:
        record: the conversation.
        output: the output.
        name: the column for it; None for the members of an object as columns, and `text` for a text.
        bare: whether the other columns are left out.
    """
    written: dict[str, Json] = {name or DEFAULT_FIELD: output}
    reserved = {*written}
    if isinstance(output, dict) and name is None:
        written = cast("dict[str, Json]", output)
        reserved = {*written, _MESSAGES}
    columns: dict[str, bytes] = {}
    for column, raw in (record.fields or {}).items():
        if column == MEMBERS:
            for key, value in written.items():
                columns[key] = jsontext.dumps(value)
        elif not bare and raw is not None:
            text = raw.translate(_SPACES).encode("utf-8", "surrogatepass")
            columns[_unused_name(column, reserved, record.fields or {})] = text
    return columns


_MESSAGES: Final = "messages"
"""The member that makes a request of a document; with a column of this name, a preference would be read as one."""


def _unused_name(column: str, reserved: Collection[str], fields: dict[str, str | None]) -> str:
    """Return a name for a column that no other has."""
    while column in reserved:
        column = f"{_PREFIX}{column}"
        while column in fields:
            column = f"{_PREFIX}{column}"
    return column
