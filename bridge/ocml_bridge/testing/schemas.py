"""Draw JSON Schemas for the laws."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

_SCHEMA_LEAVES: list[Any] = [
    {"type": "string"},
    {"type": "string", "enum": ["a", "b"], "description": "one of two"},
    {"type": "integer", "minimum": 0, "default": 3},
    {"type": "number"},
    {"type": "boolean", "default": False},
    {"type": "array", "items": {"type": "string"}, "maxItems": 3},
    {"anyOf": [{"type": "string"}, {"type": "null"}]},
    {"type": ["string", "null"]},
    {"oneOf": [{"type": "string"}, {"type": "number"}]},
    {},
    True,
]


def _object(properties: dict[str, Any], required: bool, more: dict[str, Any]) -> dict[str, Any]:
    names = {"required": sorted(properties)[:1]} if required and properties else {}
    return {"type": "object", "properties": properties, **names, **more}


def schemas_of(words: SearchStrategy[str], values: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """Draw JSON Schemas of tools' parameters, mostly objects.

    Args:
        words: draws names of properties.
        values: draws any JSON values.
    """
    leaves = st.sampled_from(_SCHEMA_LEAVES)

    def objects(inner: SearchStrategy[Any]) -> SearchStrategy[Any]:
        names = st.one_of(st.sampled_from(["a", "b", "city"]), words)
        more: list[dict[str, Any]] = [
            {},
            {},
            {"additionalProperties": False},
            {"description": "an object"},
            {"title": "T"},
        ]
        return st.builds(_object, st.dictionaries(names, inner, max_size=3), st.booleans(), st.sampled_from(more))

    return st.one_of(objects(st.recursive(leaves, objects, max_leaves=4)), values)
