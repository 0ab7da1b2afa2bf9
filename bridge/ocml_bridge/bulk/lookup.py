"""Find the records that a ledger lists: in the inputs, and in the outputs."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..layouts import AUTO, Plan
from .containers.compression import library, plain_content, reading_errors
from .containers.contents import stored
from .containers.parquet import columns_of, source_of
from .containers.texts import kind_of, walk
from .ledger import FORMS, Row, rows_in
from .running.journal import read_run
from .work import CONTAINERS


def ledgers(folder: str) -> list[str]:
    """Return the paths of the ledgers in an output folder.

    Raises:
        BridgeError: OCB-IO if there is none.
    """
    ends = tuple(f".ledger.{form}" for form in FORMS)
    found = (
        [os.path.join(folder, name) for name in walk(folder) if name.endswith(ends)] if os.path.isdir(folder) else []
    )
    if not found:
        raise BridgeError(ErrorCode.IO, f"{folder} has no ledger: batch --ledger jsonl writes one")
    return found


class Filter(NamedTuple):
    """Selects rows of a ledger.

    Attributes:
        outcomes: the outcomes to select; empty for all.
        classes: the worst classes of losses to select; empty for all.
        codes: codes, one of which a row must have; empty for all.
        names: the ids to select; empty for all.
    """

    outcomes: Collection[str] = ()
    classes: Collection[str] = ()
    codes: Collection[str] = ()
    names: Collection[str] = ()

    def takes(self, row: Row) -> bool:
        """Return whether a row is selected."""
        return (
            (not self.outcomes or row["outcome"] in self.outcomes)
            and (not self.classes or row["class"] in self.classes)
            and (not self.codes or not set(self.codes).isdisjoint(row["codes"]))
            and (not self.names or row["id"] in self.names)
        )


def rows_of(folder: str, chosen: Filter) -> Iterator[Row]:
    """Yield the selected rows of all ledgers in a folder, in order."""
    for path in ledgers(folder):
        yield from filter(chosen.takes, rows_in(path))


class Found(NamedTuple):
    """A row of a ledger with its record in the input and in the output.

    Attributes:
        row: the row.
        before: the record in the input, a text or a line; None if it is not found.
        after: the record in the output; None if it has none or is not found.
    """

    row: Row
    before: str | None
    after: str | None


def found(rows: Sequence[Row], folder: str) -> list[Found]:
    """Return rows with their records in inputs and outputs; each file is read once."""
    before = _all_at(((row["input"], row["position"]) for row in rows), _kinds_in(folder))
    after = _all_at(
        ((os.path.join(folder, row["output"]), row["output_position"]) for row in rows if row["output"] is not None), {}
    )
    return [
        Found(
            row,
            before.get((row["input"], row["position"])),
            None if row["output"] is None else after.get((os.path.join(folder, row["output"]), row["output_position"])),
        )
        for row in rows
    ]


def _kinds_in(folder: str) -> dict[str, str]:
    """Return how the inputs of a folder's run store records, by their paths; {} if the run is not known."""
    try:
        return {path: kind for kind, path, *_ in read_run(folder)["inputs"] if kind != "files"}
    except BridgeError:
        return {}


def _all_at(places: Iterable[tuple[str, int]], kinds: Mapping[str, str]) -> dict[tuple[str, int], str]:
    by_file: defaultdict[str, set[int]] = defaultdict(set)
    for path, position in places:
        by_file[path].add(position)
    return {(path, at): text for path, wanted in by_file.items() for at, text in _at(path, wanted, kinds)}


def _at(path: str, wanted: Collection[int], kinds: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the records of a file at some positions; records that cannot be read are left out."""
    last = max(wanted)
    try:
        for number, raw in enumerate(_records(path, kinds.get(path)), 1):
            if number in wanted:
                yield number, raw.rstrip(b"\r\n").decode("utf-8", "backslashreplace")
            if number >= last:
                return
    except (BridgeError, *reading_errors()):
        return


def _records(path: str, kind: str | None) -> Iterator[bytes]:
    kind = kind or stored(path, rows=_ROWS if kind_of(path) == "files" else None)
    if kind == "parquet":
        with source_of(path) as source, library("pyarrow.parquet", "bulk").ParquetFile(source) as file:
            for batch in file.iter_batches(batch_size=512):
                yield from (jsontext.dumps(columns_of(batch, index)) for index in range(batch.num_rows))
        return
    lines = CONTAINERS[kind].lines
    with plain_content(path) as content:
        if lines is None:
            yield content.read()
        else:
            yield from lines(content)


_ROWS: Final = Plan((AUTO,))
