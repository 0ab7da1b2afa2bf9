"""The options of `Options` and `LossPolicy`, which several commands take: each gives its command one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final

import click

from ..formats.adapter import Options
from ..loss import LossClass, LossCode
from ..report.policy import REFUSED_BY_DEFAULT, LossPolicy
from .conversion_command import given_format_options
from .parameters import Command, complete_profile
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
                help="Say what to do with control tokens in content that the output cannot escape: break them by"
                " U+200B, refuse them, or leave them.",
            ),
            click.option(
                "--training",
                is_flag=True,
                help="End the last answer with the token that a model is trained to end it with.",
            ),
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
                shell_complete=complete_profile,
                help="Make of a request the prompt that this model was trained on; with --training, a line to train on."
                " The command 'profiles' lists the names.",
            ),
            click.option("--date", metavar="YYYY-MM-DD", help="Put this date into the prompt of a --profile."),
            click.option(
                "--effort",
                type=click.Choice(("none", "minimal", "low", "medium", "high", "xhigh")),
                help="Ask a --profile for this much reasoning, not for what the request says.",
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
            f"Allow these losses, even those that are refused by default ({default}), by --strict or by class.",
        ),
    ):
        command = click.option(
            name, metavar="CODE,...", multiple=True, callback=_names, shell_complete=_complete, help=text
        )(command)
    return command


def _names(_context: click.Context, _option: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip() for value in values for name in value.split(","))


def _complete(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Codes and classes of losses, behind those that stand there already."""
    before, comma, last = begun.rpartition(",")
    return [f"{before}{comma}{name}" for name in dict.fromkeys((*LossClass, *LossCode)) if name.startswith(last)]


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
