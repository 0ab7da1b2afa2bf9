"""The command `ocml-convert`. With `bulk`, it is the only place that opens files, prints, or reads the environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click
from click_default_group import DefaultGroup

from .. import __version__
from ..errors import BridgeError, ErrorCode, ExitCode
from ..lazy import find
from .output import PROGRAM, CommandError, describe, say

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS: Final[dict[str, str]] = {
    "batch": "ocml_bridge.cli.batch:batch",
    "check": "ocml_bridge.cli.inspect:check",
    "convert": "ocml_bridge.cli.convert:convert",
    "formats": "ocml_bridge.cli.inspect:formats",
    "matrix": "ocml_bridge.cli.inspect:matrix",
    "plan": "ocml_bridge.cli.plan:plan",
    "profiles": "ocml_bridge.cli.inspect:profiles",
    "schema": "ocml_bridge.cli.inspect:schema",
    "serve": "ocml_bridge.cli.serve:serve",
    "stream": "ocml_bridge.cli.stream:stream",
    "view": "ocml_bridge.cli.view:view",
}
_DEFAULT: Final = "convert"


class _Commands(DefaultGroup):
    """The commands, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # as click calls it
        """Their names."""
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, else the default one."""
        self.add_command(find(COMMANDS.get(cmd_name, COMMANDS[_DEFAULT])))
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments; where they are only completed, no command is put in that nobody typed."""
        return click.Group.parse_args(self, ctx, args) if ctx.resilient_parsing else super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands, and the files that the default one converts."""
        from click.shell_completion import CompletionItem

        return [*super().shell_complete(ctx, incomplete), CompletionItem(incomplete, type="file")]


@click.group(cls=_Commands, default=_DEFAULT, default_if_no_args=True)
@click.version_option(__version__, prog_name=PROGRAM, message="%(prog)s %(version)s")
def command() -> None:
    """Convert chat transcripts from one format to another, lossless or saying what was lost.

    \b
    ocml-convert transcript.ocm -t openai
    ocml-convert -f openai -t harmony in.json -o out.txt --report losses.json
    cat transcript.ocm | ocml-convert -t openai --pretty
    cat answer.txt | ocml-convert stream -f harmony -t openai-sse

    `convert` is the command where none is named; 'ocml-convert convert --help' has its options.

    \b
    Exit status: 0 done, 1 input or output failed, 2 wrong usage, 3 refused
    because of loss or findings, 4 invalid input, 5 format unknown or
    ambiguous, 6 some records of a batch failed, 130 interrupted.
    """  # noqa: D301  # not raw: a backspace tells click to keep the lines behind it


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: the command line behind the program's name; None for the process's own.

    Returns:
        The exit status, from `ExitCode`. Whatever goes wrong is one line on stderr.
    """
    try:
        status = command.main(arguments, prog_name=PROGRAM, standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    except SystemExit as left:  # click's way of leaving when the reader of a pipe is gone
        return left.code if isinstance(left.code, int) else ExitCode.FAILED
    except Exception as error:
        line, status = _explain(error)
        say(f"{PROGRAM}: {line}")
    return status or ExitCode.OK


def _explain(error: Exception) -> tuple[str, int]:
    """An error as one line and an exit status."""
    if isinstance(error, CommandError):
        return error.line, error.status
    if isinstance(error, BridgeError):
        return describe(error), error.exit_code
    if isinstance(error, click.ClickException):
        return f"{ErrorCode.OPTION}: {error.format_message().rstrip('.')} (see '{PROGRAM} --help')", ExitCode.USAGE
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{last.name}, line {last.lineno}"
    return f"this is a mistake in {PROGRAM}: {type(error).__name__} in {where}: {error}", ExitCode.FAILED
