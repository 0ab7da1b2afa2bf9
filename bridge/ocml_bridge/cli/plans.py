"""Read plans from the command line: the name of a layout, or a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, cast

import click

from ..errors import BridgeError, ErrorCode
from .output import about, read_bytes
from .settings_file import defaults, mapping
from .yaml_files import yaml_in

if TYPE_CHECKING:
    from ..layouts import Plan

_ENDINGS: Final = (".yaml", ".yml", ".json")
OPTIONS: Final = "options"
"""The key in a plan's file for options of the command."""


def plan_named(name: str, *, preview: bool = False) -> Plan:
    """Return the plan with a name, or the one in a file.

    Args:
        name: the name, or the path.
        preview: whether the plan reads previews, too, whatever the file says.

    Raises:
        BridgeError: OCB-IO, or OCB-OPTION if it is not a plan, with similar names.
    """
    from ..layouts import plan_of

    if not _is_file(name):
        return plan_of(name, preview=preview)
    value = _file(name)
    with about(name):
        if isinstance(value, dict):
            value = {key: each for key, each in cast("dict[Any, Any]", value).items() if key != OPTIONS}
        return plan_of(value, preview=preview)


def _is_file(name: str) -> bool:
    return name.lower().endswith(_ENDINGS) or os.path.basename(name) != name


def _file(name: str) -> Any:
    """Return the value of a file."""
    data = read_bytes(name)
    with about(name):
        return yaml_in(data)


def take_options(context: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    """Take options of the command from a plan's file, by their long names; the command line overrides them.

    Raises:
        BridgeError: OCB-OPTION if the command does not have an option.
    """
    value = _file(name) if name is not None and _is_file(name) else None
    given: Any = cast("dict[str, Any]", value).get(OPTIONS) if isinstance(value, dict) else None
    if given is not None:
        with about(str(name)):
            options = {key: _listed(each) for key, each in mapping(given, f"{OPTIONS!r} in a plan").items()}
            context.default_map = {**(context.default_map or {}), **defaults(context.command.params, options)}
    return name


def _listed(value: Any) -> Any:
    """Return a value as on the command line: a list of names with commas between them."""
    return ",".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else value


def rows_of(name: str | None, source: str | None, turns: str | None, *, preview: bool = False) -> Plan | None:
    """Return the plan of rows; None if records are transcripts. Previews are read by the plan `auto`, if none is named.

    Raises:
        BridgeError: OCB-OPTION if both a plan and a format are given.
    """
    if preview and source is not None:
        raise BridgeError(ErrorCode.OPTION, "--preview is for the layouts of rows: leave out --from")
    if name is None and turns is None and not preview:
        return None
    from ..layouts import AUTO, plan_of

    if name is None:
        return plan_of(source.partition(":")[0] if source else AUTO, preview=preview)
    if source is not None:
        raise BridgeError(ErrorCode.OPTION, "a plan already says what the rows are: leave out --from or --plan")
    return plan_named(name, preview=preview)


def layout_to(name: str | None, other: str | None) -> tuple[Plan, str] | None:
    """Return the layout to write rows in, and the format of its documents.

    Raises:
        BridgeError: OCB-OPTION if the layout cannot be written, if there are several, or if there is another target.
    """
    if name is None:
        return None
    from ..layouts import LAYOUTS, layouts_of

    if other is not None:
        raise BridgeError(
            ErrorCode.OPTION, "--to-plan already says what to write: leave out --to and --profile, or --to-plan"
        )
    plan = plan_named(name)
    layouts = layouts_of(plan)
    if len(layouts) != 1 or layouts[0].writes is None:
        known = ", ".join(layout.name for layout in LAYOUTS if layout.writes is not None)
        raise BridgeError(
            ErrorCode.OPTION, f"rows of {name!r} can be read, but not written; these can be written: {known}"
        )
    return plan, layouts[0].format
