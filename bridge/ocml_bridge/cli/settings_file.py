"""Read a YAML file with the options of a command, by their long names; the command line overrides them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import click

from ..common.suggestions import did_you_mean, with_choices
from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from .output import about, read_bytes
from .parameters import FILE, Command
from .yaml_files import yaml_in

UPSTREAMS: Final = "upstreams"
"""The key of the list of upstreams, each with its options."""
_META: Final = "ocml_bridge.upstreams"


def settings_option(command: Command) -> Command:
    """Add the option that names the file; other options that the command line does not have come from it."""
    text = "Read options by their long names, and a list 'upstreams', from a YAML file. The command line overrides it."
    option = click.option(
        "--settings", metavar="FILE", type=FILE, is_eager=True, expose_value=False, callback=_read, help=text
    )
    return option(command)


def upstreams_of(context: click.Context) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the options of the upstreams in the file: those for all of them, and those of each."""
    return context.meta.get(_META, [])


def _read(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    if name is None:
        return
    data = read_bytes(name)
    with about(name):
        members = mapping(yaml_in(data), "the file")
        upstreams: Any = members.pop(UPSTREAMS, [])
        if not isinstance(upstreams, list):
            raise BridgeError(ErrorCode.OPTION, "'upstreams' must be a list with a mapping for each upstream")
        context.default_map = defaults(context.command.params, members)
        entries = [mapping(each, "one of 'upstreams'") for each in cast("list[Any]", upstreams)]
        context.meta[_META] = [(members, entry) for entry in entries]


def defaults(
    parameters: Sequence[click.Parameter], members: Mapping[str, Any], *, others: bool = False
) -> dict[str, Any]:
    """Return options of a command by their parameters.

    Args:
        parameters: the parameters of the command.
        members: values by the options' long names.
        others: whether options that the command does not have are ignored.

    Raises:
        BridgeError: OCB-OPTION for options that the command does not have, unless they are ignored.
    """
    known = {name.removeprefix("--"): each for each in parameters for name in each.opts if name.startswith("--")}
    found: dict[str, Any] = {}
    for key, value in members.items():
        parameter = known.get(key.replace("_", "-"))
        if parameter is not None:
            found[parameter.name] = _value(parameter, value)
        elif not others:
            choices = with_choices(did_you_mean(key, known), f"there are {', '.join(sorted(known))}")
            raise BridgeError(ErrorCode.OPTION, f"there is no option {key!r}{choices}")
    return found


def _value(parameter: click.Parameter, value: Any) -> Any:
    """Return a value as an option takes it: pairs of a mapping as `KEY=VALUE`, other objects as JSON."""
    if not isinstance(value, dict):
        return (value,) if parameter.multiple and isinstance(value, str) else value
    pairs = cast("dict[str, Any]", value)
    return [f"{key}={each}" for key, each in pairs.items()] if parameter.multiple else jsontext.dumps(pairs).decode()


def mapping(value: Any, what: str) -> dict[str, Any]:
    """Return the options in a file: values by their long names.

    Raises:
        BridgeError: OCB-OPTION if it is not a mapping of names.
    """
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in cast("dict[Any, Any]", value)):
        raise BridgeError(ErrorCode.OPTION, f"{what} must map options to values")
    return {key.replace("_", "-"): each for key, each in cast("dict[str, Any]", value).items()}
