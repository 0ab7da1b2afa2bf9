"""Put mended records of a quarantine into the output, and update the quarantine and the ledger."""

from __future__ import annotations

import base64
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, NamedTuple, cast

from pydantic import TypeAdapter

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..json_values.parameters import members_of
from ..layouts import Plan
from ..model import Json
from ..spans.masks import Mask
from .batch import Outcome, outcome_of
from .containers import lines, parquet, texts
from .containers.compression import compress, ending, plain_content
from .containers.forms import FORMS
from .ledger import PLACES, Key, finished, key_of, row_of, rows_in, storable, store
from .mended_rows import MendedRows, store_rows
from .records import CHUNK_BYTES, Input, Job, Record, Row
from .running.durable import discard, finish_moves, move_together, partial_name, whole_file
from .running.journal import Journal, read_run
from .work import CONTAINERS, name_of, outcomes_in, quarantined


class Requeued(NamedTuple):
    """The numbers of mended records.

    Attributes:
        placed: those that are in an output now.
        still: those that are quarantined again, with new errors.
        unknown: those that are not in the quarantine.
    """

    placed: int
    still: int
    unknown: int


@dataclass(slots=True)
class _Changes:
    """The changes to the files of one input.

    Attributes:
        inserted: new lines of the output, by the number of existing lines before them.
        quarantine: new lines of the quarantine, by record; empty for a record that is placed.
        written: records whose outputs are separate files, with their outcomes.
        mended: the code of each record's previous error, its place, and its new outcomes.
        placed: the number of records that are in an output now.
    """

    inserted: defaultdict[int, list[bytes]] = field(default_factory=lambda: defaultdict[int, list[bytes]](list))
    quarantine: dict[Key, bytes] = field(default_factory=dict[Key, bytes])
    written: list[tuple[Record, Outcome]] = field(default_factory=list[tuple[Record, Outcome]])
    mended: list[tuple[str, dict[str, Json], list[Outcome]]] = field(
        default_factory=list[tuple[str, dict[str, Json], list[Outcome]]]
    )
    placed: int = 0


def requeue(folder: str, mended: Iterable[bytes]) -> Requeued:
    """Put mended records into their outputs.

    Args:
        folder: the output folder of a run that wrote a ledger.
        mended: lines of its quarantines with a mended `raw`.

    Raises:
        BridgeError: OCB-OPTION if the folder has no run or no ledger, or an unfinished run; OCB-SHAPE if a line is not
            of a quarantine.
    """
    run = read_run(folder)
    fields = {name: value for name, value in run.items() if name not in ("version", "limit", "inputs")}
    jobs = TypeAdapter(Job)
    jobs.rebuild(_types_namespace={"Plan": Plan, "Mask": Mask})  # a run that needs neither does not import them
    job = replace(jobs.validate_python(fields), folder=folder)
    inputs = [Input(*members) for members in run["inputs"]]
    records = dict(map(_mended, mended))
    with closing(Journal(folder, run, resume=True)) as journal:
        finish_moves(folder, journal.note)
        known = journal.inputs
        if any(index not in known or known[index].stage not in ("done", "failed") for index in range(len(inputs))):
            raise BridgeError(ErrorCode.OPTION, f"the run in {folder} is not finished: continue it with --resume")
        placed = still = 0
        for index, item in enumerate(inputs):
            own = {key: row for key, row in records.items() if _is_of(key, item)}
            if own:
                changes, moves = _requeued(item, job, own)
                for code, where, outcomes in changes.mended:
                    known[index].tally.mend(code, where, outcomes)
                move_together(folder, moves, journal.recounted(index), journal.note)
                placed, still = placed + changes.placed, still + sum(map(bool, changes.quarantine.values()))
    return Requeued(placed, still, len(records) - placed - still)


def _is_of(key: Key, item: Input) -> bool:
    path = storable(item.path)
    return key[0] == path or (item.kind == "files" and os.path.dirname(key[0]).startswith(path))


def _mended(line: bytes) -> tuple[Key, Row]:
    """Return the key and the row of a quarantine's line."""
    members = members_of(jsontext.loads(line))
    raw = members.get("raw")
    packed = base64.b64decode(str(members.get("raw_base64", "")))
    data = packed if raw is None else str(raw).encode("utf-8", "surrogatepass")
    place = next((name for name in (*PLACES, "file") if name in members), None)
    if "input" not in members or place is None or (raw is None and "raw_base64" not in members):
        message = "a mended record must be a line of a quarantine, with `input`, its place and `raw`"
        raise BridgeError(ErrorCode.SHAPE, message)
    where = {place: members[place]}
    if "conversation" in members:
        where["conversation"] = members["conversation"]
    return _key(members["input"], where), Row(where, data, len(data))


def _key(path: str, where: Mapping[str, Any]) -> Key:
    source, position, conversation = key_of(path, where)
    return storable(source), position, conversation


def _requeued(item: Input, job: Job, records: Mapping[Key, Row]) -> tuple[_Changes, list[tuple[str | None, str]]]:
    """Convert the mended records of an input, and write new versions of its files.

    Returns:
        The changes, and the current and the new path of each file, as `move_together` takes them.
    """
    if job.ledger is None:
        why = "the run wrote no ledger (batch --ledger)"
        message = f"{item.path}: records cannot be put in their places, as {why}; convert them by themselves"
        raise BridgeError(ErrorCode.OPTION, message)
    folder, changes = job.folder or "", _Changes()
    paths = {"ledger": item.ledger(job.ledger), "quarantine": item.quarantine}
    if item.into != "files":
        paths["output"] = item.output
    finals = {kind: os.path.join(folder, path) for kind, path in paths.items()}
    with whole_file(partial_name(finals["ledger"]) + ".new") as file:
        store(finished(_ledger(finals["ledger"], item, job, records, changes)), file, job.ledger)
    with whole_file(partial_name(finals["quarantine"]) + ".new") as file:
        file.writelines(_quarantine(finals["quarantine"], changes))
    if "output" in finals:
        with whole_file(partial_name(finals["output"]) + ".new") as file:
            if item.into == "parquet":
                store_rows(finals["output"], changes.inserted, file)
            else:
                _write_output(finals["output"], item, changes, file)
    else:
        written, outcomes = [record for record, _ in changes.written], [outcome for _, outcome in changes.written]
        texts.write(None, written, outcomes, job, item)
    made: dict[str, str | None] = {kind: partial_name(path) + ".new" for kind, path in finals.items()}
    quarantine = str(made["quarantine"])
    if not os.path.getsize(quarantine):  # nothing is left in it
        discard(quarantine)
        made["quarantine"] = None
    return changes, [(made[kind], path) for kind, path in finals.items()]


def _ledger(path: str, item: Input, job: Job, records: Mapping[Key, Row], changes: _Changes) -> Iterator[bytes]:
    """Yield the rows of the ledger without positions in the output, with new rows for mended records."""
    before = 0
    rows = MendedRows(item)
    for row in rows_in(path):
        key: Key = (storable(row["input"]), row["position"], row["conversation"])
        if key not in records or row["outcome"] != "quarantined":
            before += row["output"] is not None
            row["output_position"] = None
            yield jsontext.dumps(row) + b"\n"
            continue
        payload, pairs = _converted(records[key], rows, item, job)
        broken = item.kind == "parquet" and not payload  # it is no row, so it has no id
        failed = b"".join(
            quarantined(record, outcome, payload, item, job) for record, outcome in pairs if outcome.error
        )
        changes.quarantine[key] = failed
        changes.placed += not failed
        changes.mended.append((row["error"]["code"], records[key].where, [outcome for _, outcome in pairs]))
        for record, outcome in pairs:
            name = row["id"] if broken else name_of(record, payload, item, job)
            yield row_of(record, outcome, item, job, name)
            if outcome.error is None:
                changes.written.append((record, outcome))
                if item.into != "files":
                    spelled = parquet.spell if item.into == "parquet" else _spelled
                    changes.inserted[before].append(spelled(payload, [record], [outcome], job, item))


def _spelled(_payload: object, records: Sequence[Record], outcomes: Sequence[Outcome], job: Job, _item: Input) -> bytes:
    return lines.spell(records, outcomes, job, "")


def _converted(row: Row, rows: MendedRows, item: Input, job: Job) -> tuple[Any, Sequence[tuple[Record, Outcome]]]:
    """Convert a mended record, and return the payload for writing it, and its outcomes."""
    if item.kind == "files":
        return None, outcomes_in(texts.record(row.raw or b"", row.where), job)
    if item.kind != "parquet":
        return None, outcomes_in(CONTAINERS[item.kind].record_of(row, None, item, job), job)
    number = int(str(row.where["row"]))
    try:
        found = rows.of(number, row.raw or b"")
    except BridgeError as error:
        return None, [(Record(error, row.where, row.raw or b""), outcome_of(error, job.settings))]
    return found, outcomes_in(parquet.record_of(row, found, item, job), job)


def _quarantine(path: str, changes: _Changes) -> Iterator[bytes]:
    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        for line in file:
            row = cast("dict[str, Any]", jsontext.loads(line))
            yield changes.quarantine.get(_key(row["input"], row), line)


def _write_output(path: str, item: Input, changes: _Changes, file: BinaryIO) -> None:
    """Write the output with the inserted lines, in the form that it has."""
    form = FORMS.get(item.into)
    if form is not None:
        form.store(lambda: _output(path, form.lines, changes.inserted), file)
        return
    pending: list[bytes] = []
    size = 0
    for line in _output(path, iter, changes.inserted):
        pending.append(line)
        size += len(line)
        if size >= CHUNK_BYTES:
            file.write(compress(b"".join(pending), ending(path)))
            pending, size = [], 0
    file.write(compress(b"".join(pending), ending(path)))


def _output(
    path: str, lines_in: Callable[[BinaryIO], Iterator[bytes]], inserted: Mapping[int, Sequence[bytes]]
) -> Iterator[bytes]:
    """Yield the lines of the output and the inserted lines."""
    number = -1
    with plain_content(path) as content:
        for number, line in enumerate(lines_in(content)):
            yield from inserted.get(number, ())
            yield line
    for _, rest in sorted(each for each in inserted.items() if each[0] > number):
        yield from rest
