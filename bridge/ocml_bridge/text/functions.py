"""Declared tools as the function objects of Chat Completions, which many formats write: name, description, schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from ..chat.turns import full_name, split_name
from ..model import Json, Tool

MEMBERS: Final = ("name", "description", "parameters", "strict")
"""What a function object says of a tool, in the order in which it is written; anything else is its format's own."""


def read_function(value: Json) -> tuple[Tool, dict[str, Json]] | None:
    """The tool that a function object declares, and what else is in it; None for a value that declares none."""
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, Any]", value)
    name, description, strict = (fields.get(key) for key in ("name", "description", "strict"))
    if not isinstance(name, str) or not (description is None or isinstance(description, str)):
        return None
    namespace, bare = split_name(name)
    known = MEMBERS if strict is None or isinstance(strict, bool) else MEMBERS[:-1]
    tool = Tool(bare, description, fields.get("parameters"), namespace, strict=strict if known is MEMBERS else None)
    return tool, {key: other for key, other in fields.items() if key not in known}


def write_function(tool: Tool, others: Mapping[str, Json]) -> dict[str, Json]:
    """The function object of a tool; what the tool does not say is left out.

    Args:
        tool: the tool.
        others: what else is in the object; members that say what the tool says are left out.
    """
    fields: dict[str, Json] = {"name": full_name(tool)}
    for key in MEMBERS[1:]:
        if (value := getattr(tool, key)) is not None:
            fields[key] = value
    fields.update({key: value for key, value in others.items() if key not in MEMBERS or _is_odd(key, value, tool)})
    return fields


def _is_odd(key: str, value: Json, tool: Tool) -> bool:
    """Whether a member has a value that a tool cannot have there, and the tool has none."""
    return key == "strict" and tool.strict is None and not (value is None or isinstance(value, bool))
