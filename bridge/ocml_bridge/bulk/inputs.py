"""Find the inputs that the arguments of a command name."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Kind
from .containers import remote
from .containers.compression import size_of
from .containers.contents import stored
from .containers.texts import kind_of, lines_name, names_of, output_name, split, walk
from .records import QUARANTINE, STANDARD, Input

if TYPE_CHECKING:
    from ..layouts import Plan

INTO: Final = {
    **dict.fromkeys(("jsonl", "jsonl.gz", "jsonl.zst"), "jsonl"),
    "json": "json",
    "csv": "csv",
    "parquet": "rows",
}
"""The endings of outputs that gather all rows, and how they are stored."""
LINES: Final = "jsonl"


def find_inputs(
    arguments: Iterable[str],
    kind: Kind,
    into: str | None = None,
    *,
    target: str = "",
    rows: Plan | None = None,
    ledger: str | None = None,
    output_folder: str | None = None,
) -> tuple[Input, ...]:
    """Return the inputs that arguments name: files, folders, patterns, and `-` for standard input.

    Args:
        arguments: the arguments of a command.
        kind: whether the output is text or JSON, for the names of outputs.
        into: the kind of file that outputs are gathered into, a key of `INTO`; None for files like the inputs.
        target: the format of the output, for the names of outputs.
        rows: the plan of the rows that records are, whose outputs are JSON lines; None if they are transcripts.
        ledger: how to store ledgers; None for no ledgers.
        output_folder: the output folder, whose files are not inputs if it is in a folder that is converted.

    Raises:
        BridgeError: OCB-IO if a file does not exist; OCB-OPTION if there is nothing to convert, or if two inputs would
            have the same output.
        OSError: if a folder cannot be read.
    """
    found: list[Input] = []
    for folder, texts in _gathered(arguments, output_folder, rows=rows):
        if isinstance(texts, _Records):
            unchanged = texts.kind == "parquet" and not rows and into == "parquet"
            lines = LINES if rows and texts.kind == "parquet" else None
            found.append(_of_records(folder, texts, None if unchanged else into or lines))
        else:
            found.append(_of_texts(folder, texts, (kind, target), into or (LINES if rows else None)))
    if not found:
        raise BridgeError(ErrorCode.OPTION, "there is nothing to convert: name files, folders or patterns, or '-'")
    _refuse_collisions(found, ledger)
    return tuple(found)


_Texts = tuple[str, ...] | None


class _Records(NamedTuple):
    """A file of records, and how it stores them."""

    name: str
    kind: str


def _gathered(
    arguments: Iterable[str], output_folder: str | None, *, rows: Plan | None
) -> Iterator[tuple[str, _Records | _Texts]]:
    """Yield folders with a file of records in each, or folders with their text files (None for all of them)."""
    named: dict[str, list[str]] = {}
    for argument in arguments:
        for path, base in _expanded(argument, output_folder):
            if os.path.isdir(path):
                yield from _in_folder(path, output_folder, rows=rows)
                continue
            if remote.is_address(path):
                yield base, _Records(path.removeprefix(f"{base}/"), _stored_at_address(path, rows=rows))
                continue
            name = path if path == STANDARD else os.path.relpath(path, base or ".")
            is_file = path != STANDARD and os.path.isfile(path)
            kind = stored(path, rows=rows, refuse=path == argument) if is_file else "jsonl"
            if kind == "files":
                named.setdefault(base, []).append(name)
            else:
                yield base, _Records(name, kind)
    for folder, names in named.items():
        yield folder or ".", tuple(sorted(set(names), key=lambda name: name.split(os.sep)))


def _stored_at_address(address: str, *, rows: Plan | None) -> str:
    """Return how the file of an address stores records.

    Raises:
        BridgeError: OCB-OPTION if it is a file of one text.
    """
    kind = stored(address, rows=rows)
    if kind == "files":
        message = f"{address}: this kind of file cannot be read from an address; download it first"
        raise BridgeError(ErrorCode.OPTION, message)
    return kind


def _expanded(argument: str, output_folder: str | None) -> list[tuple[str, str]]:
    """Return the paths that an argument names, each with the folder that its output path is relative to."""
    if argument == STANDARD:
        return [(argument, "")]
    if remote.is_address(argument):
        return remote.found(argument)
    if os.path.exists(argument):
        return [(argument, os.path.dirname(argument))]
    if glob.has_magic(argument):
        argument = argument.replace(os.altsep or os.sep, os.sep)
        steps = argument.split(os.sep)
        fixed = os.sep.join(steps[: next(at for at, step in enumerate(steps) if glob.has_magic(step))])
        base = fixed or (os.sep if argument.startswith(os.sep) else "")
        found = sorted(glob.glob(argument, recursive=True), key=lambda path: path.split(os.sep))
        if paths := [
            (path, base) for path in found if os.path.isfile(path) and not _is_output(path, base, output_folder)
        ]:
            return paths
    raise BridgeError(ErrorCode.IO, f"{argument}: there is no such file or folder")


def _in_folder(folder: str, output_folder: str | None, *, rows: Plan | None) -> Iterator[tuple[str, _Records | _Texts]]:
    texts: list[str] = []
    within = output_folder is not None and _is_below(output_folder, folder)
    for name in walk(folder):
        path = os.path.join(folder, name)
        if _is_output(path, folder, output_folder):
            continue
        if os.path.exists(path) and not os.path.isfile(path):
            raise BridgeError(
                ErrorCode.OPTION, f"{path} is a pipe or a device: give it as the only input, or leave it out"
            )
        kind = stored(os.path.join(folder, name), rows=rows, refuse=False) if rows else kind_of(name)
        if kind == "files":
            texts.append(name)
        else:
            yield folder, _Records(name, kind)
    if texts:
        yield folder, tuple(texts) if rows or within else None


def _is_output(path: str, folder: str, output_folder: str | None) -> bool:
    """Return whether a file in a folder is in the output folder below it."""
    return output_folder is not None and _is_below(output_folder, folder) and _is_below(path, output_folder)


def _is_below(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.join(os.path.realpath(folder or "."), ""))


def _of_records(folder: str, records: _Records, into: str | None) -> Input:
    name, kind = records
    path = name if name == STANDARD else os.path.join(folder, name)
    stem, end, compressed = split("stdin.jsonl" if name == STANDARD else name)
    if path != STANDARD and os.path.exists(path) and not os.path.isfile(path):
        end = end or ".jsonl"  # a pipe, which the shell gives a number for a name
    as_lines = kind not in ("jsonl", "parquet")
    output = f"{stem}.{into}" if into else stem + (".jsonl" if as_lines else end) + compressed
    stored_as = INTO[into] if into else LINES if as_lines else kind
    return Input(kind, path, output, stem + QUARANTINE, stored_as, size_of(path))


def _of_texts(folder: str, names: _Texts, output_format: tuple[Kind, str], into: str | None) -> Input:
    called = os.path.basename(os.path.abspath(folder)) or "texts"
    size = 0
    outputs: dict[str, str] = {}
    for name in walk(folder) if names is None else names:
        if kind_of(name) == "files":
            size += size_of(os.path.join(folder, name))
            if into is None:
                _refuse_same(outputs, output_name(name, *output_format), name)
    output = f"{called}.{into}" if into else "."
    return Input("files", folder, output, called + QUARANTINE, INTO[into] if into else "files", size, names)


def _refuse_same(outputs: dict[str, str], output: str, name: str) -> None:
    if output in outputs:
        both = f"{outputs[output]} and {name}"
        message = f"{both} would both be written to {output}; convert each into a folder of its own"
        raise BridgeError(ErrorCode.OPTION, message)
    outputs[output] = name


def _refuse_collisions(inputs: Sequence[Input], ledger: str | None) -> None:
    outputs: dict[str, str] = {}
    for item in inputs:
        for output in (item.output, item.quarantine, *((item.ledger(ledger),) if ledger else ())):
            if output != ".":
                _refuse_same(outputs, output, item.path)
    for item in inputs:
        if item.into == "files" and any(other.into != "files" for other in inputs):
            for name in names_of(item):
                if (output := lines_name(name)) in outputs:
                    _refuse_same(outputs, output, os.path.join(item.path, name))
