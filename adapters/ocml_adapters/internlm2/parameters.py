"""The parameters of a function in a list, as lagent has them ↔ their JSON Schema.

[{"name": "city", "type": "STRING", "description": "…"}], and "required": ["city"] beside it
"""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.model import Json

_TYPES: Final = {
    **{name.upper(): name for name in ("string", "number", "integer", "boolean", "array", "object", "null")},
    "FLOAT": "number",
    "INT": "integer",
    "BOOL": "boolean",
}
"""Type in a list → type in a schema."""


def schema_of(listed: Json, required: Json) -> Json:
    """The schema of listed parameters; None for what is no such list.

    Args:
        listed: the parameters.
        required: the names of those that must be given; None where nothing is said of it.
    """
    if not isinstance(listed, list):
        return None
    properties: dict[str, Json] = {}
    for item in cast("list[Json]", listed):
        fields = dict(cast("dict[str, Json]", item)) if isinstance(item, dict) else {}
        name, kind = fields.pop("name", None), fields.get("type")
        if not isinstance(name, str) or name in properties:
            return None
        if isinstance(kind, str):
            fields["type"] = _TYPES.get(kind, kind)
        properties[name] = fields
    schema: dict[str, Json] = {"type": "object", "properties": properties}
    return schema if required is None else {**schema, "required": required}


def list_of(schema: Json) -> dict[str, Json] | None:
    """The listed parameters of a schema, and beside them which are required; None where a list cannot say all of it."""
    whole = cast("dict[str, Json]", schema) if isinstance(schema, dict) else {}
    properties = whole.get("properties")
    if not isinstance(properties, dict) or not all(isinstance(each, dict) for each in properties.values()):  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        return None
    listed: Json = [
        {"name": name, **fields, **_listed_type(fields)}
        for name, fields in cast("dict[str, dict[str, Json]]", properties).items()
    ]
    required = whole.get("required")
    if schema_of(listed, required) != schema:
        return None
    return {"parameters": listed} | ({} if required is None else {"required": required})


def _listed_type(fields: dict[str, Json]) -> dict[str, Json]:
    kind = fields.get("type")
    return {"type": kind.upper()} if isinstance(kind, str) and kind.upper() in _TYPES else {}
