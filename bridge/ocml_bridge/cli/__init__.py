"""The command `ocml-convert`. With `bulk`, it is the only place that opens files, prints, or reads the environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .. import __version__
from ..errors import BridgeError, ErrorCode, ExitCode
from .commands import COMMANDS as COMMANDS
from .commands import Commands
from .output import PROGRAM, CommandError, describe, say

if TYPE_CHECKING:
    from types import FrameType


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    options_metavar="",
    subcommand_metavar="[COMMAND] [OPTIONS] [FILE]",
)
@click.version_option(__version__, "-V", "--version", prog_name=PROGRAM, message="%(prog)s %(version)s")
def command() -> None:
    """Convert chat transcripts from one format to another. A conversion is lossless, or it says what it lost.

    \b
    ocml-convert transcript.ocm -t openai
    ocml-convert -f openai -t harmony in.json -o out.txt --report losses.json
    cat transcript.ocm | ocml-convert -t openai --pretty
    cat answer.txt | ocml-convert stream -f harmony -t openai-sse

    Without a COMMAND, it runs 'convert'; see 'ocml-convert convert --help' for its options. The formats are listed by
    'ocml-convert formats'.

    \b
    Exit status:
      0    done
      1    a file could not be read or written
      2    the command line is wrong
      3    refused, because something would be lost or had to be repaired
      4    the input is invalid
      5    the input's format is unknown or ambiguous
      6    some records of a batch could not be converted
      130  interrupted
    """  # noqa: D301  # not raw: after a backspace, click keeps the lines as they are


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: the command line after the program's name; None for that of the process.

    Returns:
        The exit status, from `ExitCode`. An error is printed as one line on stderr.
    """
    if f"_{PROGRAM.upper().replace('-', '_')}_COMPLETE" in os.environ:
        from . import completion as completion  # registers the class for Bash
    try:
        status = command.main(arguments, prog_name=PROGRAM, standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    except SystemExit as left:  # click raises it when the reader of a pipe is gone
        return left.code if isinstance(left.code, int) else ExitCode.FAILED
    except Exception as error:
        line, status = _explain(error)
        say(f"{PROGRAM}: {line}")
    return status or ExitCode.OK


def _explain(error: Exception) -> tuple[str, int]:
    """Return the line and the exit status for an error."""
    if isinstance(error, CommandError):
        return error.line, error.status
    if isinstance(error, BridgeError):
        return describe(error), error.exit_code
    if isinstance(error, click.ClickException):
        context = error.ctx if isinstance(error, click.UsageError) else None
        path = PROGRAM if context is None else context.command_path
        message = error.format_message().rstrip(".") + _values(error)
        advice = "" if message.endswith("?") else f" (see '{path} --help')"
        return f"{ErrorCode.OPTION}: {message}{advice}", ExitCode.USAGE
    import traceback

    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{last.name}, line {last.lineno}"
    return f"this is a bug in {_culprit(frames)}: {type(error).__name__} in {where}: {error}", ExitCode.FAILED


def _values(error: click.ClickException) -> str:
    """Return the metavar of an option that was given without its value; "" for other errors."""
    if not isinstance(error, click.BadOptionUsage) or error.ctx is None:
        return ""
    options = [param for param in error.ctx.command.params if error.option_name in param.opts]
    return f": {options[0].make_metavar(error.ctx)}" if options else ""


def _culprit(frames: Sequence[FrameType]) -> str:
    """Return the name of the code that failed: a third party's format, or this program; libraries are skipped."""
    from .. import registry

    for frame in reversed(frames):
        module = str(frame.f_globals.get("__name__"))
        if module.partition(".")[0] in ("ocml_bridge", "ocml_adapters"):
            break
        if (name := registry.third_party(module)) is not None:
            return f"the format {name!r}, a plug-in of {PROGRAM}"
    return PROGRAM
