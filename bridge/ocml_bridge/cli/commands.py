"""List the commands by name, and import each when it is used; without a name, the command is `convert`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

import click

from ..common.lazy import find
from ..common.suggestions import nearest_name
from .output import PROGRAM

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS: Final[dict[str, str]] = {
    "batch": "ocml_bridge.cli.batch:batch",
    "check": "ocml_bridge.cli.check:check",
    "convert": "ocml_bridge.cli.convert:convert",
    "formats": "ocml_bridge.cli.inspect:formats",
    "ledger": "ocml_bridge.cli.ledger:ledger",
    "matrix": "ocml_bridge.cli.inspect:matrix",
    "plan": "ocml_bridge.cli.plan:plan",
    "playground": "ocml_bridge.cli.playground:playground",
    "profiles": "ocml_bridge.cli.inspect:profiles",
    "requeue": "ocml_bridge.cli.requeue:requeue",
    "schema": "ocml_bridge.cli.inspect:schema",
    "serve": "ocml_bridge.cli.serve:serve",
    "stream": "ocml_bridge.cli.stream:stream",
    "view": "ocml_bridge.cli.view:view",
}
DEFAULT: Final = "convert"
"""The command if none is named."""

_MEANT: Final = {"help": "--help", "version": "--version", "list": "formats"}
"""The command or option for words that people try as commands."""


class Commands(click.Group):
    """The program, which takes the name and the arguments of a command, or the arguments of `convert`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # as click calls it
        """Return the names of the commands; the default one comes first, as most people want it."""
        return [DEFAULT, *(name for name in COMMANDS if name != DEFAULT)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command with a name."""
        return find(COMMANDS[cmd_name]) if cmd_name in COMMANDS else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, after the name of the default command if they do not begin with another.

        Raises:
            click.UsageError: if the first word is not a file, and is similar to the name of a command.
        """
        if ctx.resilient_parsing:
            # The word that is being completed is not among the arguments.
            named = not args or self._is_named(ctx, args[0])
            return super().parse_args(ctx, args if named else [DEFAULT, *args])
        if not args and sys.stdin is not None and sys.stdin.isatty():
            args = ["--help"]
        if not args or not self._is_named(ctx, args[0]):
            if args:
                _refuse_misspelt(ctx, args[0])
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command, and add its context to errors of its arguments."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            name = ctx.invoked_subcommand
            if error.ctx is None and name in COMMANDS:
                error.ctx = click.Context(find(COMMANDS[name]), ctx, info_name=name)
            raise

    def _is_named(self, ctx: click.Context, word: str) -> bool:
        """Return whether a first word is a command, or an option of the program itself."""
        return word in COMMANDS or any(word in parameter.opts for parameter in self.get_params(ctx))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with a line each."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _line(find(COMMANDS[name]))) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return commands, and the files and options that the default command takes."""
        from click.shell_completion import CompletionItem

        found = super().shell_complete(ctx, incomplete)
        if not incomplete.startswith("-"):
            # Bash drops candidates before a file.
            return [CompletionItem(incomplete, type="file"), *found]
        default = find(COMMANDS[DEFAULT])
        own = {item.value for item in found}
        context = click.Context(default, ctx, info_name=DEFAULT, resilient_parsing=True)
        return [*found, *(item for item in default.shell_complete(context, incomplete) if item.value not in own)]


def _line(command: click.Command) -> str:
    """Return the first sentence of a command's help."""
    return command.get_short_help_str(limit=200)


def _refuse_misspelt(ctx: click.Context, word: str) -> None:
    """Raise if a word is not a file, and is similar to a command.

    Raises:
        click.UsageError: with the command.
    """
    if word.startswith("-") or os.path.exists(word):
        return
    meant = _MEANT.get(word.casefold()) or nearest_name(word, COMMANDS)
    if meant is not None:
        raise click.UsageError(f"there is no command and no file {word!r}; did you mean '{PROGRAM} {meant}'?", ctx)
