"""Define the options of `Options` and `LossPolicy` for several commands; each command gets them as one value."""

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
    """Add the options of reading and writing; the command, a `ConversionCommand`, gets them as `options`.

    `force_option` belongs to them if it is above.
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
    """Add the options of a model's prompt: `profile`, `date`, `effort`."""
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


def policy_options(command: Command, *, strict: bool = True) -> Command:
    """Add the options of allowed losses; the command gets them as `policy`.

    Args:
        command: the command.
        strict: whether the command has the option `--strict`.
    """
    command = _gathered(command, "policy", LossPolicy, ("allow", "refuse"))
    default, by_strict = ", ".join(REFUSED_BY_DEFAULT), " by --strict" if strict else ""
    for name, text in (
        ("--refuse", "Refuse these losses: codes, or classes (content, structure, bookkeeping)."),
        (
            "--allow",
            f"Allow these losses, even those that are refused by default ({default}),{by_strict} or by class.",
        ),
    ):
        command = click.option(
            name, metavar="CODE,...", multiple=True, callback=_names, shell_complete=_complete, help=text
        )(command)
    return command


def _names(_context: click.Context, _option: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip() for value in values for name in value.split(","))


def _complete(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Return codes and classes of losses, after those that are typed already."""
    before, comma, last = begun.rpartition(",")
    return [f"{before}{comma}{name}" for name in dict.fromkeys((*LossClass, *LossCode)) if name.startswith(last)]


def _gathered(command: Command, name: str, make: Callable[..., Any], fields: Sequence[str]) -> Command:
    """Return a command that gets one value in place of several.

    Args:
        command: the command that takes the value.
        name: the parameter for the value.
        make: makes the value.
        fields: the parameters that it is made of, if the command has them.
    """

    @wraps(command)
    def gathering(**given: Any) -> Any:
        value = make(**{field: given.pop(field) for field in fields if field in given})
        return command(**given, **{name: value})

    return gathering
