"""Folders of text files: a transcript a file, converted to a file of the same name, or to a line of one file.

A file that holds several conversations becomes JSON lines, one a conversation.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby, islice
from typing import Final

from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Kind
from ..json_values import jsontext
from ..model import Json
from ..registry import BUILT_IN
from .batch import Outcome
from .compression import compress, ending, open_plain, reading_errors, size_of
from .durable import discard, partial_name, settle_folders
from .lines import count as count_lines
from .lines import spell
from .records import CHUNK_BYTES, CHUNK_RECORDS, DEFAULT_FIELD, Chunk, Input, Job, Position, Range, Record, Row
from .unread import unread

RECORD_FILES: Final = {
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".parquet": "parquet",
    ".csv": "csv",
    **dict.fromkeys((".tsv", ".tab"), "tsv"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
}
"""Files of many records, by the ending in front of that of a compression; every other file is one text."""


def split(name: str) -> tuple[str, str, str]:
    """A file name as stem, ending, and ending of a compression."""
    end = ending(name)
    return (*os.path.splitext(name[: len(name) - len(end)]), name[len(name) - len(end) :])


def kind_of(name: str) -> str:
    """How a file stores records: a key of `work.CONTAINERS`."""
    return RECORD_FILES.get(split(name)[1].lower(), "files")


def steps(name: str) -> tuple[str, ...]:
    """A relative path as what it is sorted by."""
    return tuple(name.split(os.sep))


def walk(folder: str, below: str = "") -> Iterator[str]:
    """The files of a folder and of those in it, as relative paths sorted by their steps; hidden ones left out."""
    with os.scandir(os.path.join(folder, below)) as entries:
        shown = (entry for entry in entries if not entry.name.startswith(".") and not _is_loop(entry))
        found = sorted((entry.name, entry.is_dir()) for entry in shown)
    for name, is_folder in found:
        if is_folder:
            yield from walk(folder, os.path.join(below, name))
        else:
            yield os.path.join(below, name)


def _is_loop(entry: os.DirEntry[str]) -> bool:
    """Whether a link leads back to a folder that it stands in."""
    if not entry.is_symlink():
        return False
    here = os.path.realpath(os.path.dirname(entry.path))
    return os.path.commonpath((here, os.path.realpath(entry.path))) == os.path.realpath(entry.path)


def names_of(item: Input) -> Iterator[str]:
    """The text files of an input, in order."""
    if item.names is not None:
        return iter(item.names)
    return (name for name in walk(item.path) if kind_of(name) == "files")


def output_name(name: str, kind: Kind, target: str) -> str:
    """The name of a text's output: that of the input, but JSON is `.json`, and no ending names another format.

    Args:
        name: of the input.
        kind: whether the output is text or JSON.
        target: the id of the output's format, or nothing where it is not known.
    """
    stem, end, compressed = split(name)
    if (end.lower() == ".json") is not (kind is Kind.JSON):
        end = ".json" if kind is Kind.JSON else ".txt"
    elif kind is Kind.TEXT and target and end.lower() in _ENDINGS:
        end = _ending_of(target)
    return stem + end + compressed


def _ending_of(format_id: str) -> str:
    """How names of files in a format end, where that says which: as its id begins, so `ocm-2.2` has `.ocm`."""
    return "." + format_id.partition(":")[0].partition("-")[0]


_ENDINGS: Final = frozenset(map(_ending_of, BUILT_IN))


def output_of(record: Record, job: Job, item: Input) -> str:
    """Where the output of a record goes that is written to a file of its own, relative to the output folder."""
    name = str(record.where["file"])
    several = "conversation" in record.where
    output = lines_name(name) if several else output_name(name, job.target_kind, job.settings.target)
    return os.path.normpath(os.path.join(item.output, output))


def lines_name(name: str) -> str:
    """The name of the output of a text that holds several conversations: the whole name of the input, and `.jsonl`."""
    stem, end, compressed = split(name)
    return f"{stem}{end}.jsonl{compressed}"


def ranges(item: Input, position: Position | None, most: int | None) -> Iterator[Range]:
    """The text files in ranges, from a position (`files`: how many were before it) on; workers open them."""
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
    """The text files of a range, all in one chunk."""
    rows = [Row({"file": name}, None, size_of(os.path.join(item.path, name))) for name in piece.names]
    yield Chunk(None, rows, {"files": piece.end})


def record_of(row: Row, _payload: None, item: Input, _job: Job) -> Record:
    """The record of a file. One that cannot be read is one whose text nobody has."""
    name = str(row.where["file"])
    try:
        content, raw = open_plain(os.path.join(item.path, name))
        with raw, content:
            data = content.read()
    except reading_errors() as error:
        reason = getattr(error, "strerror", None) or str(error)
        error = BridgeError(ErrorCode.IO, f"the file cannot be read: {reason}")
        return record(b"", row.where)._replace(value=error, raw=None)
    what = unread(split(name)[1], data)
    if what is not None:
        return record(data, row.where)._replace(value=BridgeError(ErrorCode.FORMAT_UNKNOWN, what))
    return record(data, row.where)


def record(data: bytes, where: dict[str, Json]) -> Record:
    """The record of a file that holds some bytes."""
    fields = {"file": jsontext.dumps(where["file"]).decode(), DEFAULT_FIELD: None}
    return Record(data, where, data, fields)


def stamp(item: Input) -> list[int]:
    """What tells whether any of the files was changed, or another one was put beside them: how many, and a digest."""
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
    """Write the outputs of a chunk, each of them whole; there is nothing to append anywhere.

    All reach the disk before any of them takes its place: one by one they would take many times as long.
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
    settle_folders({os.path.dirname(path) for path in written}, job.folder or "")
    return b""


def _outputs(name: str, pairs: Sequence[tuple[Record, Outcome]], job: Job) -> Iterator[tuple[str, bytes | None]]:
    """The two names that the output of a file may have, each with what to write there; None for nothing."""
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
    """How many records the outputs of the first `most` files hold."""
    found = 0
    for name in islice(names_of(item), most):
        one, several = (
            os.path.join(folder, item.output, output)
            for output in (output_name(name, job.target_kind, job.settings.target), lines_name(name))
        )
        found += os.path.isfile(one) or (count_lines(several) if os.path.isfile(several) else 0)
    return found
