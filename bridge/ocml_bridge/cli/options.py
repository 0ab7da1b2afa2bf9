"""The options of `Options` and `LossPolicy`, which several commands take: each gives its command one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final

import click

from ..adapter import Options
from ..policy import REFUSED_BY_DEFAULT, LossPolicy
from .conversion_command import given_format_options
from .parameters import Command
from .special_tokens import special_tokens_option

_FIELDS: Final = ("control_tokens", "training", "special_tokens", "force_format")


def format_options(command: Command) -> Command:
    """The options that say how to read and write; the command, a `ConversionCommand`, takes them as `options`.

    With `force_option`, that one too, which has to stand above.
    """
    command = _gathered(command, "options", _options, _FIELDS)
    for option in reversed(
        (
            click.option(
                "--control-tokens",
                type=click.Choice(("neutralise", "refuse", "raw")),
                default="neutralise",
                show_default=True,
                help="Control tokens in content, where the target has no escape: break them up, refuse, or leave them.",
            ),
            click.option("--training", is_flag=True, help="End the last answer as a model is trained to end it."),
            special_tokens_option,
        )
    ):
        command = option(command)
    return command


def _options(**given: Any) -> Options:
    return Options(**given, format_options=given_format_options())


def profile_options(command: Command) -> Command:
    """The options that say whose prompts are made: `profile`, `date`, `effort`."""
    for option in reversed(
        (
            click.option(
                "--profile",
                metavar="NAME",
                help="Make a model's prompt of a request, as it was trained on, or with --training a line to train on;"
                " `profiles` lists them.",
            ),
            click.option("--date", metavar="YYYY-MM-DD", help="With --profile: the date that the prompt says."),
            click.option(
                "--effort",
                type=click.Choice(("none", "minimal", "low", "medium", "high", "xhigh")),
                help="With --profile: how much to reason; what the request asks for if left out.",
            ),
        )
    ):
        command = option(command)
    return command


def policy_options(command: Command) -> Command:
    """The options that say which losses are allowed; the command takes them as `policy`."""
    command = _gathered(command, "policy", LossPolicy, ("allow", "refuse"))
    default = ", ".join(REFUSED_BY_DEFAULT)
    for name, text in (
        ("--refuse", "Refuse these losses: codes, or classes (content, structure, bookkeeping)."),
        (
            "--allow",
            f"Allow these, although they are refused: by default ({default}), by --strict, or with their class.",
        ),
    ):
        command = click.option(name, metavar="CODE,...", multiple=True, callback=_names, help=text)(command)
    return command


def _names(_context: click.Context, _option: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip() for value in values for name in value.split(","))


def _gathered(command: Command, name: str, make: Callable[..., Any], fields: Sequence[str]) -> Command:
    """A command that is given one value in place of several.

    Args:
        command: takes the value.
        name: the parameter that it takes it as.
        make: makes it.
        fields: what it is made of, as far as it is among the command's options.
    """

    @wraps(command)
    def gathering(**given: Any) -> Any:
        value = make(**{field: given.pop(field) for field in fields if field in given})
        return command(**given, **{name: value})

    return gathering
