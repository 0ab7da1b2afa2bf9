"""Write and read JSON values in TypeScript comments: `default: 20`, `default: "x"`, `default: celsius`.

Values other than strings are compact JSON, with numbers as serde_json (the JSON library of the official encoder) spells
them. Strings are quoted without escapes; the default of an enum has no quotes.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, TypeGuard

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.json_values.jsontext import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ocml_bridge.model import Json

RENDER_DEPTH = MAX_DEPTH
"""The depth of nested schemas and default values that is rendered."""

_spell_string = json.JSONEncoder(ensure_ascii=False).encode


class UnreadableError(ValueError):
    """The text is not one that the renderer writes. It is caught in this package."""


def is_object(value: Json) -> TypeGuard[dict[str, Json]]:
    """Whether it is a JSON object."""
    return isinstance(value, dict)


def is_array(value: Json) -> TypeGuard[list[Json]]:
    """Whether it is a JSON array."""
    return isinstance(value, list)


def is_enum(schema: dict[str, Json]) -> bool:
    """Whether the schema lists its values, of whatever type they are."""
    values = schema.get("enum")
    return is_array(values) and len(values) > 0


def too_deep() -> BridgeError:
    """The error for a schema or a value that nests beyond `RENDER_DEPTH`."""
    return BridgeError(ErrorCode.LIMIT, f"a tool's schema nests more than {RENDER_DEPTH} levels deep")


def spell_default(schema: dict[str, Json], *, bare_enum: bool = True) -> str:
    """Return the text of a schema's `default` in its comment, without `default: `.

    Args:
        schema: a schema that has the key `default`.
        bare_enum: whether the string default of an enum is written without quotes: everywhere except in a `oneOf` that
            is not the type of a property.

    Raises:
        BridgeError: LIMIT, if the value nests too deeply.
    """
    value = schema["default"]
    if not isinstance(value, str):
        return spell_json(value)
    if not is_enum(schema):
        return f'"{value}"'
    return value if bare_enum else _spell_string(value)


def spell_json(value: Json, depth: int = 0) -> str:
    """Return compact JSON, with numbers as serde_json spells them.

    Integers outside 64 bits become floats; numbers that no float can hold, or that are not finite, become `null`.

    Raises:
        BridgeError: LIMIT, if the value nests too deeply.
    """
    if depth > RENDER_DEPTH:
        raise too_deep()
    if isinstance(value, str):
        return _spell_string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return _spell_int(value)
    if isinstance(value, float):
        return _spell_float(value)
    if is_object(value):
        return "{" + ",".join([f"{_spell_string(k)}:{spell_json(v, depth + 1)}" for k, v in value.items()]) + "}"
    return "[" + ",".join([spell_json(item, depth + 1) for item in value]) + "]"


def _spell_int(value: int) -> str:
    if -(1 << 63) <= value < 1 << 64:
        return str(value)
    try:
        return _spell_float(float(value))
    except OverflowError:
        return "null"


def _spell_float(value: float) -> str:
    """Return the shortest digits that read back the same, like Python's, but with exponents as serde_json writes them.

    The official encoder reads numbers less exactly than it writes them, so for a float that needs 17 digits, or an
    exponent beyond 22, it may show the next float up or down. This function always shows the value itself.
    """
    if not math.isfinite(value):
        return "null"
    text = repr(value)
    if "e" not in text:
        return text
    digits, _, exponent = text.partition("e")
    if exponent == "-05":
        sign = "-" if value < 0 else ""
        return f"{sign}0.0000{digits.lstrip('-').replace('.', '')}"
    return f"{digits}e{int(exponent)}"


def read_default(text: str, enum: Sequence[str]) -> Json:
    """Parse the value of a `default: ` comment.

    Args:
        text: the text after `default: `.
        enum: the strings that the schema allows; empty if it lists none.

    Raises:
        UnreadableError: if the text is no default.
    """
    if text in enum:
        return text
    if not enum and len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if enum:
            return text
        raise UnreadableError from error  # a default that is not JSON
