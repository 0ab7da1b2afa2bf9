"""Write the canonical form as JSON by hand (fast, defaults left out), and read it through pydantic (strict)."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, cast

from ..errors import BridgeError, ErrorCode
from .message import Message
from .parts import Json
from .transcript import Document

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

SCHEMA_ID = "https://openchatml.org/ocml-convert/canonical/1"

_ALWAYS = frozenset({"type", "role", "content", "messages", "name", "kind", "flags", "tools", "media", "text", "value"})


@cache
def _defaults(kind: type[Any]) -> tuple[tuple[str, object], ...]:
    """Return the names and defaults of a class's fields; `type` is first, because it defines how to read the others."""
    defaults = [(field.name, field.default) for field in fields(kind)]
    return tuple(sorted(defaults, key=lambda field: field[0] != "type"))


def to_json(value: object) -> Json:
    """Return a model object as plain JSON values, without the fields that have their default and are not `_ALWAYS`."""
    if isinstance(value, tuple):
        return [to_json(item) for item in cast("tuple[object, ...]", value)]
    if not is_dataclass(value):
        return value
    out: dict[str, Json] = {}
    for name, default in _defaults(type(value)):
        item = getattr(value, name)
        if name in _ALWAYS and item is not None:
            out[name] = item if isinstance(item, str) else to_json(item)
        elif item is not default and item != default:
            out[name] = item if isinstance(item, (str, dict)) else to_json(item)
    return out


# pydantic is imported where it is needed, because its import takes longer than converting most transcripts.


@cache
def _validator() -> TypeAdapter[Document]:
    from pydantic import Field, TypeAdapter

    return TypeAdapter(Annotated[Document, Field(discriminator="type")])


@cache
def _message_validator() -> TypeAdapter[Message]:
    from pydantic import TypeAdapter

    return TypeAdapter(Message)


def from_json(value: Json) -> Document:
    """Validate plain JSON values as a document.

    Raises:
        BridgeError: OCB-SHAPE, with the JSON pointer of the first invalid value.
    """
    from pydantic import ValidationError

    try:
        return _validator().validate_python(value)
    except ValidationError as error:
        raise _refused(error, "", 1) from error


def message_from_json(value: Json, path: str) -> Message:
    """Validate plain JSON values as a message.

    Args:
        value: the message.
        path: its JSON pointer in its document.

    Raises:
        BridgeError: OCB-SHAPE, with the JSON pointer of the first invalid value.
    """
    from pydantic import ValidationError

    try:
        return _message_validator().validate_python(value)
    except ValidationError as error:
        raise _refused(error, path, 0) from error


def _refused(error: ValidationError, path: str, skipped: int) -> BridgeError:
    """Return the error for the first problem of a value at a path, whose first steps pydantic adds."""
    problem = error.errors()[0]
    steps = [str(step) for step in problem["loc"]][skipped:]
    place = path + "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)
    detail = f"not the canonical form: {problem['msg']}; see 'ocml-convert schema'"
    return BridgeError(ErrorCode.SHAPE, detail, path=place)


def json_schema() -> dict[str, Json]:
    """Return the JSON Schema (draft 2020-12) of the canonical form."""
    schema = _validator().json_schema(mode="validation")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "ocml-convert canonical form",
        **schema,
    }
