"""Define commands that take the options of formats in addition to their own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import click

from .. import registry
from ..formats.adapter import FormatOption

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_GIVEN: Final = f"{__name__}.given"
"""The key in a context's `meta` for the values of formats' options, by name."""
_TYPED: Final = f"{__name__}.typed"
"""The key for the arguments as they were typed."""
_EVERY: Final = f"{__name__}.every"
"""The key for whether the context takes the options of all formats."""


class ConversionCommand(click.Command):
    """A command with formats' options. Formats are loaded only for an unknown option, help, and completion."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with the formats' options if one of them is not the command's own."""
        ctx.meta[_TYPED] = [*args]
        try:
            return super().parse_args(ctx, [*args])
        except click.NoSuchOption:
            take_format_options(ctx)
            return super().parse_args(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, with all options."""
        take_format_options(ctx)
        return super().get_help(ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the completions among all options."""
        take_format_options(ctx)
        return super().shell_complete(ctx, incomplete)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters in a context, with the formats' options if it takes them."""
        params = super().get_params(ctx)
        return [*self.every_param(), *params[len(self.params) :]] if ctx.meta.get(_EVERY) else params

    def every_param(self) -> list[click.Parameter]:
        """Return the parameters, with the options of all formats whose names the command does not use."""
        own = {param.name for param in self.params}
        declared = registry.format_options().values()
        return [*self.params, *[_declared(option) for option in declared if _parameter(option) not in own]]


def take_format_options(ctx: click.Context) -> None:
    """Let the commands of a context and its children take the options of all formats."""
    ctx.meta[_EVERY] = True


def given_format_options() -> Mapping[str, str]:
    """Return the formats' options that the current command was given."""
    return click.get_current_context().meta.get(_GIVEN, {})


def typed_options() -> Mapping[str, Any]:
    """Return the current options by their parameters' names: strings as they were typed, True for flags."""
    context = click.get_current_context()
    return context.command.make_parser(context).parse_args([*context.meta[_TYPED]])[0]


def _parameter(option: FormatOption[str] | FormatOption[None]) -> str:
    """Return the parameter's name for an option of a format: without hyphens."""
    return option.name.replace("-", "_")


@cache
def _declared(option: FormatOption[str] | FormatOption[None]) -> click.Option:
    def take(context: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            context.meta.setdefault(_GIVEN, {})[option.name] = value

    return click.Option(
        [f"--{option.name.replace('_', '-')}", _parameter(option)],
        type=click.Choice(option.choices) if option.choices else None,
        metavar=None if option.choices else "TEXT",
        help=option.help if option.default is None else f"{option.help}  [default: {option.default}]",
        callback=take,
        expose_value=False,
    )
