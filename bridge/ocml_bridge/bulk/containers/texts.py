"""Convert folders of text files: each transcript to a file of the same name, or to a line of one file.

A file that holds several conversations becomes JSON lines, one for each conversation.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby, islice
from typing import Final

from ...common.unicode import from_utf_16
from ...errors import BridgeError, ErrorCode
from ...formats.adapter import Kind
from ...json_values import jsontext
from ...model import Json
from ...registry import BUILT_IN
from ..batch import Outcome
from ..records import CHUNK_BYTES, CHUNK_RECORDS, DEFAULT_FIELD, Chunk, Input, Job, Position, Range, Record, Row
from ..running.durable import discard, partial_name, sync_folders
from .compression import compress, ending, plain_content, reading_errors, size_of
from .lines import count as count_lines
from .lines import spell
from .unread import unread

RECORD_FILES: Final = {
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".parquet": "parquet",
    ".csv": "csv",
    **dict.fromkeys((".tsv", ".tab"), "tsv"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
}
"""The kinds of files of many records, by the ending before that of a compression; all other files are texts."""


def split(name: str) -> tuple[str, str, str]:
    """Return the stem, the ending, and the ending of a compression of a file name."""
    end = ending(name)
    return (*os.path.splitext(name[: len(name) - len(end)]), name[len(name) - len(end) :])


def kind_of(name: str) -> str:
    """Return how a file stores records, by its name: a key of `work.CONTAINERS`."""
    return RECORD_FILES.get(split(name)[1].lower(), "files")


def steps(name: str) -> tuple[str, ...]:
    """Return the steps of a relative path, by which it is sorted."""
    return tuple(name.split(os.sep))


def walk(folder: str, below: str = "") -> Iterator[str]:
    """Yield the files in a folder and its subfolders, as relative paths sorted by their steps, without hidden ones."""
    with os.scandir(os.path.join(folder, below)) as entries:
        shown = (entry for entry in entries if not entry.name.startswith(".") and not _is_loop(entry))
        found = sorted((entry.name, entry.is_dir()) for entry in shown)
    for name, is_folder in found:
        if is_folder:
            yield from walk(folder, os.path.join(below, name))
        else:
            yield os.path.join(below, name)


def _is_loop(entry: os.DirEntry[str]) -> bool:
    """Return whether a link leads to a folder that contains it."""
    if not entry.is_symlink():
        return False
    here = os.path.realpath(os.path.dirname(entry.path))
    return os.path.commonpath((here, os.path.realpath(entry.path))) == os.path.realpath(entry.path)


def names_of(item: Input) -> Iterator[str]:
    """Return the text files of an input, in order."""
    if item.names is not None:
        return iter(item.names)
    return (name for name in walk(item.path) if kind_of(name) == "files")


def output_name(name: str, kind: Kind, target: str) -> str:
    """Return the name of a text's output: that of the input, with `.json` for JSON, or an ending for the format.

    Args:
        name: the name of the input.
        kind: whether the output is text or JSON.
        target: the id of the output's format, or "" if it is not known.
    """
    stem, end, compressed = split(name)
    if (end.lower() == ".json") is not (kind is Kind.JSON):
        end = ".json" if kind is Kind.JSON else ".txt"
    elif kind is Kind.TEXT and target and end.lower() in _ENDINGS:
        end = _ending_of(target)
    return stem + end + compressed


def _ending_of(format_id: str) -> str:
    """Return the ending of the names of files in a format: the beginning of its id, as `.ocm` for `ocm-2.2`."""
    return "." + format_id.partition(":")[0].partition("-")[0]


_ENDINGS: Final = frozenset(map(_ending_of, BUILT_IN))


def output_of(record: Record, job: Job, item: Input) -> str:
    """Return the path of a record's output that is a file of its own, relative to the output folder."""
    name = str(record.where["file"])
    several = "conversation" in record.where
    output = lines_name(name) if several else output_name(name, job.target_kind, job.settings.target)
    return os.path.normpath(os.path.join(item.output, output))


def lines_name(name: str) -> str:
    """Return the name of the output of a text with several conversations: the name of the input, and `.jsonl`."""
    stem, end, compressed = split(name)
    return f"{stem}{end}.jsonl{compressed}"


def ranges(item: Input, position: Position | None, most: int | None) -> Iterator[Range]:
    """Yield the text files in ranges, from a position on (`files`: the number of files before it)."""
    done = position["files"] if position else 0
    last = None if most is None else done + most
    names: list[str] = []
    read = size = 0
    for number, name in enumerate(islice(names_of(item), last)):
        each = size_of(os.path.join(item.path, name))
        read += each
        if number < done:
            continue
        names.append(name)
        size += each
        if len(names) == CHUNK_RECORDS or size >= CHUNK_BYTES:
            yield Range(done, done + len(names), read, rows=len(names), names=tuple(names))
            done, names, size = done + len(names), [], 0
    if names:
        yield Range(done, done + len(names), read, rows=len(names), names=tuple(names))


def chunks(piece: Range, item: Input, _job: Job) -> Iterator[Chunk]:
    """Yield the text files of a range in one chunk."""
    rows = [Row({"file": name}, None, size_of(os.path.join(item.path, name))) for name in piece.names]
    yield Chunk(None, rows, {"files": piece.end})


def record_of(row: Row, _payload: None, item: Input, _job: Job) -> Record:
    """Return the record of a file, or of the error with which it cannot be read."""
    name = str(row.where["file"])
    try:
        with plain_content(os.path.join(item.path, name)) as content:
            data = from_utf_16(content.read())
    except reading_errors() as error:
        reason = getattr(error, "strerror", None) or str(error)
        error = BridgeError(ErrorCode.IO, f"the file cannot be read: {reason}")
        return record(b"", row.where)._replace(value=error, raw=None)
    what = unread(split(name)[1], data)
    if what is not None:
        return record(data, row.where)._replace(value=BridgeError(ErrorCode.FORMAT_UNKNOWN, what))
    return record(data, row.where)


def record(data: bytes, where: dict[str, Json]) -> Record:
    """Return the record of a file with some bytes."""
    fields = {"file": jsontext.dumps(where["file"]).decode(), DEFAULT_FIELD: None}
    return Record(data, where, data, fields)


def stamp(item: Input) -> list[int]:
    """Return the number of files, and a digest of their names, sizes and times, to notice changes."""
    found = sha256()
    number = 0
    for name in names_of(item):
        number += 1
        path = os.path.join(item.path, name)
        try:
            about = os.stat(path)
            size_and_time = (about.st_size, about.st_mtime_ns)
        except OSError:
            size_and_time = ()
        found.update(repr((name, *size_and_time)).encode())
    return [number, int.from_bytes(found.digest()[:6])]


def write(_: None, records: Sequence[Record], outcomes: Sequence[Outcome], job: Job, item: Input) -> bytes:
    """Write the outputs of a chunk to their files, and return nothing to append.

    All are flushed to the disk before they are renamed: one by one that would take many times as long.
    """
    written: list[str] = []
    for name, found in groupby(zip(records, outcomes, strict=True), lambda pair: str(pair[0].where["file"])):
        for output, data in _outputs(name, list(found), job):
            path = os.path.join(job.folder or "", item.output, output)
            if data is None:
                discard(path)  # of an earlier run
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(partial_name(path), "wb") as file:
                file.write(data)
            written.append(path)
    for path in written:
        with open(partial_name(path), "r+b") as file:  # Windows has no fsync of what is only read
            os.fsync(file.fileno())
    for path in written:
        os.replace(partial_name(path), path)
    sync_folders({os.path.dirname(path) for path in written}, job.folder or "")
    return b""


def _outputs(name: str, pairs: Sequence[tuple[Record, Outcome]], job: Job) -> Iterator[tuple[str, bytes | None]]:
    """Yield the two possible names of a file's output, each with the bytes to write; None for none."""
    end = ending(name).lower()
    one = several = None
    if "conversation" in pairs[0][0].where:
        records, outcomes = zip(*pairs, strict=True)
        several = spell([record._replace(fields=None) for record in records], outcomes, job, end) or None
    elif (text := pairs[0][1].text) is not None:
        one = compress(text.encode("utf-8", "surrogatepass") + (b"\n" if job.target_kind is Kind.JSON else b""), end)
    yield output_name(name, job.target_kind, job.settings.target), one
    yield lines_name(name), several


def count(folder: str, item: Input, job: Job, most: int) -> int:
    """Return the number of records in the outputs of the first `most` files."""
    found = 0
    for name in islice(names_of(item), most):
        one, several = (
            os.path.join(folder, item.output, output)
            for output in (output_name(name, job.target_kind, job.settings.target), lines_name(name))
        )
        found += os.path.isfile(one) or (count_lines(several) if os.path.isfile(several) else 0)
    return found
