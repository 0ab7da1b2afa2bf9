"""Name the commands that print the rows of an input as JSON lines, which `jq` reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .records import Input

_UNPACKERS: Final[Mapping[str, str]] = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_CSV: Final = (
    'python3 -c \'import csv, json, sys; sys.stdin.reconfigure(encoding="utf-8-sig", newline=""); '
    '[print(json.dumps(row)) for row in csv.DictReader(sys.stdin, delimiter="{delimiter}")]\''
)
_PANDAS: Final = (
    'python3 -c \'import pandas, sys; pandas.read_{kind}("DATA").to_json(sys.stdout, orient="records", lines=True)\''
)
_PRINTERS: Final[Mapping[str, str]] = {
    "json": "jq -c '.[]'",
    "csv": _CSV.format(delimiter=","),
    "tsv": _CSV.format(delimiter="\\t"),
}
"""Commands that read standard input, by the kind of an input."""
_READERS: Final[Mapping[str, str]] = {
    "parquet": _PANDAS.format(kind="parquet"),
    "arrow": _PANDAS.format(kind="feather"),
}
"""Commands that read the file `DATA`."""


def as_lines(item: Input) -> str | None:
    """Return the command that prints the rows of the file `DATA`, stored as those of an input; None for JSON lines."""
    if item.kind in _READERS:
        return _READERS[item.kind]
    unpacker = next((each for ending, each in _UNPACKERS.items() if item.path.lower().endswith(ending)), None)
    printer = _PRINTERS.get(item.kind)
    if unpacker is not None:
        return " | ".join([f"{unpacker} -dc DATA", *([] if printer is None else [printer])])
    return None if printer is None else f"{printer} < DATA"
