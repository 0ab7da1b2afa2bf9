"""Define parameters for files and formats, with completion; formats are checked before anything is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

from .. import registry

Command = Any
"""The function of a click command, which gets its options by name."""

FILE: Final = click.Path(allow_dash=True)
"""A file name, or `-`. The file is only checked when it is opened, so that all errors read alike."""


def format_option(*names: str, text: str) -> Callable[[Any], Any]:
    """Add an option whose value is `ID` or `ID:DIALECT` of a known format.

    Args:
        names: the option's spellings, then the parameter that it fills.
        text: its text in `--help`.
    """
    return click.option(
        *names,
        metavar="FORMAT",
        callback=_known,
        shell_complete=_complete,
        help=text,
    )


def force_option(command: Command) -> Command:
    """Add the option that reads the input in the format of `--from` without detection."""
    text = "Read the input as --from says, even if it is certainly something else."
    return click.option("--force-format", is_flag=True, help=text)(command)


def preview_option(command: Command) -> Command:
    """Add the option that reads layouts, too, whose reading may change with any release."""
    text = "Read layouts, too, whose reading may change with any release: sessions of agents."
    return click.option("--preview", is_flag=True, help=text)(command)


def _known(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """Return the id; end the command with OCB-FORMAT-UNKNOWN and status 5 if there is no such format."""
    if value is not None:
        registry.adapter(value)
    return value


def _complete(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Return ids of formats; after an id and a colon, its dialects."""
    name, colon, _ = begun.partition(":")
    if not colon:
        return [known for known in registry.formats() if known.startswith(begun)]
    if name not in registry.formats():
        return []
    spelled = (f"{name}:{dialect}" for dialect in registry.adapter(name)[0].dialects)
    return [one for one in spelled if one.startswith(begun)]


def complete_profile(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Return names of profiles, for `shell_complete`."""
    from ..profiles import profiles_of

    known = (each.name or "" for adapter in registry.load_all()[0] for each in profiles_of(adapter))
    return [name for name in dict.fromkeys(known) if name.startswith(begun)]


if TYPE_CHECKING:
    _Whole = click.ParamType[int]
else:
    _Whole = click.ParamType  # it is generic since click 8.5


class _Size(_Whole):
    """A size in bytes, with K, M, G or T for the powers of 1024."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the size as a number."""
        found = re.fullmatch(r"(\d+)([KMGT]?)(?:i?B)?", str(value), re.IGNORECASE)
        if found is None or not int(found[1]):
            self.fail(f"{value!r} is not a size such as 500M or 4G", param, ctx)
        return int(found[1]) << 10 * " KMGT".index(found[2].upper() or " ")


SIZE: Final = _Size()
"""A size in bytes, such as `500M`."""
