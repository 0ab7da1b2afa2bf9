"""Take the one file of `convert`; for several files, folders and compressed files, advise the command to type."""

from __future__ import annotations

import os
import shlex
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import click

from ..errors import BridgeError, ErrorCode
from .conversion_command import typed_options
from .output import PROGRAM, STANDARD, read_bytes

_OUTPUT: Final = "converted"
"""The output folder in the advised command."""
_COMPRESSED: Final = {b"\x1f\x8b": ("gzip", "gzip -dc"), b"\x28\xb5\x2f\xfd": ("Zstandard", "zstd -dc")}
"""The first bytes of compressed files, with the name of the compression and the program that unpacks it."""


def one_file(files: Sequence[str]) -> str:
    """Return the file to convert; standard input if none is named.

    Raises:
        BridgeError: OCB-OPTION with the command to type, for several files or a folder.
    """
    if len(files) > 1:
        raise _for_batch(ErrorCode.OPTION, files, f"convert takes one file, not {len(files)}; this converts them all")
    name = files[0] if files else STANDARD
    if name != STANDARD and os.path.isdir(name):
        raise _for_batch(ErrorCode.OPTION, files, f"{name} is a folder; this converts the files in it")
    return name


def read_file(name: str) -> bytes:
    """Return the file's bytes.

    Raises:
        BridgeError: OCB-ENCODING with the command to type, for a compressed file.
        CommandError: if it cannot be read.
    """
    data = read_bytes(name)
    for beginning, (what, unpack) in _COMPRESSED.items():
        if data.startswith(beginning):
            if name == STANDARD:
                raise BridgeError(
                    ErrorCode.ENCODING, f"the input is compressed with {what}; pipe it through '{unpack}'"
                )
            raise _for_batch(
                ErrorCode.ENCODING, [name], f"{name} is compressed with {what}; this converts what is in it"
            )
    return data


@contextmanager
def one_conversation(name: str) -> Generator[None]:
    """Add the command to type to the error of a file that `batch` can read."""
    try:
        yield
    except BridgeError as error:
        if error.code is ErrorCode.SEVERAL:
            what = "the input is a list of conversations" if error.path == "/0" else "a second conversation begins here"
            error.message = f"{what}; this converts each of them: {_batch_line([name])}"
        for advised, options in _ADVISED.items():
            error.message = error.message.replace(f"`{advised}`", f"`{_batch_line([name], *options)}`")
        raise


_ADVISED: Final = {
    f"{PROGRAM} batch --plan auto": ("--plan", "auto"),
    f"{PROGRAM} batch --preview": ("--preview",),
    f"{PROGRAM} batch": (),
}
"""The options to type for each command in messages of the library."""


def _for_batch(code: ErrorCode, files: Sequence[str], why: str) -> BridgeError:
    return BridgeError(code, f"{why}: {_batch_line(files)}")


def _batch_line(files: Sequence[str], *options: str) -> str:
    return shlex.join([PROGRAM, "batch", *files, *options, *_given(), "-o", _OUTPUT])


def _given() -> Iterator[str]:
    """Return the current options that `batch` takes too, and the format to write."""
    from .batch import batch

    takes = {parameter.name for parameter in batch.every_param()} - {"output", "report"}
    typed, context = typed_options(), click.get_current_context()
    for parameter in context.command.get_params(context):
        if not isinstance(parameter, click.Option) or parameter.name not in takes:
            continue
        spelling = min(parameter.opts, key=len)
        if parameter.name in typed:
            values = typed[parameter.name]
            for value in values if parameter.multiple else [values]:
                yield from (spelling,) if parameter.is_flag else (spelling, value)
        elif parameter.name == "target" and "profile" not in typed:
            yield from (spelling, "FORMAT")
