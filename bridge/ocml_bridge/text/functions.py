"""Read and write declared tools as the function objects of Chat Completions: name, description, JSON schema.

Many formats have these objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from ..chat.turns import full_name, split_name
from ..model import Json, Tool

MEMBERS: Final = ("name", "description", "parameters", "strict")
"""The members of a function object that a `Tool` has a field for, in the order in which they are written."""


def read_function(value: Json) -> tuple[Tool, dict[str, Json]] | None:
    """Return the tool that a function object declares, and its other members; None if the value declares no tool."""
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, Any]", value)
    name, description, strict = (fields.get(key) for key in ("name", "description", "strict"))
    if not isinstance(name, str) or not (description is None or isinstance(description, str)):
        return None
    namespace, bare_name = split_name(name)
    members = MEMBERS if strict is None or isinstance(strict, bool) else MEMBERS[:-1]
    tool = Tool(
        bare_name, description, fields.get("parameters"), namespace, strict=strict if members is MEMBERS else None
    )
    return tool, {key: other for key, other in fields.items() if key not in members}


def write_function(tool: Tool, others: Mapping[str, Json]) -> dict[str, Json]:
    """Return the function object of a tool, without members for the fields that are None.

    Args:
        tool: the tool.
        others: further members; those of `MEMBERS` are added only if a `Tool` cannot have their value.
    """
    fields: dict[str, Json] = {"name": full_name(tool)}
    for key in MEMBERS[1:]:
        if (value := getattr(tool, key)) is not None:
            fields[key] = value
    fields.update({key: value for key, value in others.items() if key not in MEMBERS or _is_odd(key, value, tool)})
    return fields


def _is_odd(key: str, value: Json, tool: Tool) -> bool:
    """Return whether a member has a value that no tool can have, and the tool has no value of its own."""
    return key == "strict" and tool.strict is None and not (value is None or isinstance(value, bool))
