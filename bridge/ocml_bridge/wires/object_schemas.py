"""Write the schemas of tools for APIs that require the type `object` in them."""

from __future__ import annotations

from typing import Final, cast

from ..json_values.form import Object
from ..model import Json

UNTYPED: Final = "untyped"
"""The key of the layout of a tool that was read with a schema without a type."""


def object_schema(schema: Json, layout: Object) -> Object:
    """Return the schema of a tool as it is written: that of any object if the tool has none, or one of another kind.

    A schema without a type gets the type `object`. It says nothing new, because arguments are always an object.

    Args:
        schema: the parameters of the tool.
        layout: the layout of the tool; `UNTYPED` in it keeps a schema as it is.
    """
    if not isinstance(schema, dict):
        return {"type": "object", "properties": {}}
    members = cast("Object", schema)
    return members if "type" in members or layout.get(UNTYPED) is True else {"type": "object", **members}


def untyped(schema: Json) -> Object:
    """Return the layout of a tool that is read with a schema: `UNTYPED` if the schema has no type."""
    return {UNTYPED: True} if isinstance(schema, dict) and "type" not in schema else {}
