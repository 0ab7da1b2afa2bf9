"""Records found again: those of an input that a ledger names, and what was written of them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from .compression import library, open_plain, reading_errors
from .contents import stored
from .ledger import FORMS, Row, rows_in
from .parquet import columns_of
from .texts import kind_of, walk
from .work import CONTAINERS


def ledgers(folder: str) -> list[str]:
    """The ledgers in an output folder.

    Raises:
        BridgeError: OCB-IO where there is none.
    """
    ends = tuple(f".ledger.{form}" for form in FORMS)
    found = (
        [os.path.join(folder, name) for name in walk(folder) if name.endswith(ends)] if os.path.isdir(folder) else []
    )
    if not found:
        raise BridgeError(ErrorCode.IO, f"{folder} has no ledger: batch --ledger jsonl writes one")
    return found


class Filter(NamedTuple):
    """Which rows of a ledger to take.

    Attributes:
        outcomes: what became of them; empty for anything.
        classes: the worst class of what they lost; empty for any.
        codes: what is among their codes; empty for any.
        names: what they are called; empty for any.
    """

    outcomes: Collection[str] = ()
    classes: Collection[str] = ()
    codes: Collection[str] = ()
    names: Collection[str] = ()

    def takes(self, row: Row) -> bool:
        """Whether it takes a row."""
        return (
            (not self.outcomes or row["outcome"] in self.outcomes)
            and (not self.classes or row["class"] in self.classes)
            and (not self.codes or not set(self.codes).isdisjoint(row["codes"]))
            and (not self.names or row["id"] in self.names)
        )


def rows_of(folder: str, chosen: Filter) -> Iterator[Row]:
    """The rows of all ledgers of a folder that a filter takes, in order."""
    for path in ledgers(folder):
        yield from filter(chosen.takes, rows_in(path))


class Found(NamedTuple):
    """A record of a ledger, before and after.

    Attributes:
        row: its row.
        before: the record as it stands in the input: text or a line; None where the record is no longer there.
        after: what was written of it; None for nothing.
    """

    row: Row
    before: str | None
    after: str | None


def found(rows: Sequence[Row], folder: str) -> list[Found]:
    """Rows with their records before and after; each file is read once."""
    before = _all_at((row["input"], row["position"]) for row in rows)
    after = _all_at(
        (os.path.join(folder, row["output"]), row["output_position"]) for row in rows if row["output"] is not None
    )
    return [
        Found(
            row,
            before.get((row["input"], row["position"])),
            None if row["output"] is None else after.get((os.path.join(folder, row["output"]), row["output_position"])),
        )
        for row in rows
    ]


def _all_at(places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
    by_file: defaultdict[str, set[int]] = defaultdict(set)
    for path, position in places:
        by_file[path].add(position)
    return {(path, at): text for path, wanted in by_file.items() for at, text in _at(path, wanted)}


def _at(path: str, wanted: Collection[int]) -> Iterator[tuple[int, str]]:
    """The records of a file at some positions; what cannot be read is not there."""
    last = max(wanted)
    try:
        for number, raw in enumerate(_records(path), 1):
            if number in wanted:
                yield number, raw.rstrip(b"\r\n").decode("utf-8", "backslashreplace")
            if number >= last:
                return
    except (BridgeError, *reading_errors()):
        return


def _records(path: str) -> Iterator[bytes]:
    kind = stored(path, rows=kind_of(path) == "files")
    if kind == "parquet":
        with library("pyarrow.parquet", "bulk").ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=512):
                yield from (jsontext.dumps(columns_of(batch, index)) for index in range(batch.num_rows))
        return
    lines = CONTAINERS[kind].lines
    content, raw = open_plain(path)
    with raw, content:
        if lines is None:
            yield content.read()
        else:
            yield from lines(content)
