"""Compare two versions of a JSON Schema, and decide which changes are breaking.

A change is breaking if a document of the old version can be invalid in the new one, or if readers of documents can meet
a value that the old schema excluded. Not breaking are a new optional member, a new word in an enum, and a new type of
object next to named ones: readers are expected to skip what they do not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from ..model import Json

Schema = Mapping[str, Any]

_SILENT: Final = frozenset({"title", "description", "$comment", "examples", "$schema", "$defs", "discriminator"})
"""Keywords that do not restrict documents."""
_NAMES: Final = frozenset({"anyOf", "oneOf", "type", "$ref", "const"})
"""Keywords that restrict the types of values."""
_WALKED: Final = _NAMES | {"properties", "required", "additionalProperties"}
"""Keywords that are compared by their meaning; so are `enum` and `items` if both schemas have them."""
_REFERENCE: Final = "#/$defs/"


class SchemaChange(NamedTuple):
    """One change.

    Attributes:
        path: the place of the change, from the root or from a named type: `/Message/content`.
        breaking: whether the change is breaking.
        what: a description for people.
    """

    path: str
    breaking: bool
    what: str

    def __str__(self) -> str:
        return f"{'breaking' if self.breaking else 'compatible'} {self.path or '/'}: {self.what}"


def schema_changes(old: Schema, new: Schema) -> list[SchemaChange]:
    """Return the changes between two versions of a schema: of the root, then of each named type of the old version."""
    before, after = _kinds(old), _kinds(new)
    changes = list(_between(old, new, ""))
    for name, kind in before.items():
        if name in after:
            changes += _between(kind, after[name], f"/{name}")
        else:
            changes.append(SchemaChange(f"/{name}", True, "this kind is gone"))
    return changes


def _kinds(schema: Schema) -> Mapping[str, Schema]:
    return schema.get("$defs", {})


def _between(old: Schema, new: Schema, path: str) -> Iterator[SchemaChange]:
    """Yield the changes of a schema and of its subschemas."""
    yield from _keywords(old, new, path)
    yield from _members(old, new, path)
    yield from _words(old, new, path)
    yield from _alternatives(old, new, path)
    if "items" in old and "items" in new:
        yield from _between(old["items"], new["items"], f"{path}/*")
    yield from _others(old.get("additionalProperties", True), new.get("additionalProperties", True), path)


def _keywords(old: Schema, new: Schema, path: str) -> Iterator[SchemaChange]:
    """Compare the values of all other keywords; every change is breaking, since their meaning is not known here."""
    walked = _SILENT | _WALKED | {key for key in ("enum", "items") if key in old and key in new}
    for key in sorted({*old, *new} - walked):
        before, after = old.get(key), new.get(key)
        if key not in old:
            yield SchemaChange(path, True, f"{key} is {after!r} now")
        elif key not in new:
            yield SchemaChange(path, True, f"{key} was {before!r}, and is gone")
        elif before != after:
            yield SchemaChange(path, True, f"{key} was {before!r}, and is {after!r} now")


def _members(old: Schema, new: Schema, path: str) -> Iterator[SchemaChange]:
    before, after = old.get("properties", {}), new.get("properties", {})
    was_required, is_required = set(old.get("required", ())), set(new.get("required", ()))
    for name, member in before.items():
        place = f"{path}/{name}"
        if name not in after:
            yield SchemaChange(place, True, "removed")
            continue
        if (name in was_required) != (name in is_required):
            now = "must be there now" if name in is_required else "need not be there any more"
            yield SchemaChange(place, True, now)
        yield from _between(member, after[name], place)
    for name in after:
        if name not in before:
            must = name in is_required
            yield SchemaChange(f"{path}/{name}", must, "new" + (", and must be there" if must else ""))


def _words(old: Schema, new: Schema, path: str) -> Iterator[SchemaChange]:
    if "enum" not in old or "enum" not in new:
        return
    for word in old["enum"]:
        if word not in new["enum"]:
            yield SchemaChange(path, True, f"can no longer be {word!r}")
    for word in new["enum"]:
        if word not in old["enum"]:
            yield SchemaChange(path, False, f"can also be {word!r}")


def _alternatives(old: Schema, new: Schema, path: str) -> Iterator[SchemaChange]:
    """Compare the alternatives of `anyOf` and `oneOf`, which are identified by their named type or by `type`."""
    before, after = _by_name(old), _by_name(new)
    for name, each in before.items():
        if name not in after:
            yield SchemaChange(path, True, f"can no longer be {name}")
        elif each is not old:
            yield from _between(each, after[name], path)
    for name, each in after.items():
        if name not in before:
            yield SchemaChange(path, "$ref" not in each, f"can also be {name}")


def _by_name(schema: Schema) -> dict[str, Schema]:
    alternatives: list[Schema] = schema.get("anyOf") or schema.get("oneOf") or [schema]
    return {_name(each): each for each in alternatives}


def _name(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE)
    return f"{schema.get('type', 'anything')}{' ' + repr(schema['const']) if 'const' in schema else ''}"


def _others(old: Json, new: Json, path: str) -> Iterator[SchemaChange]:
    """Compare which members are allowed that `properties` does not name."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _between(cast("Schema", old), cast("Schema", new), f"{path}/*")
    elif old != new:
        yield SchemaChange(path, new is not True, f"further members were {_allowed(old)}, and are {_allowed(new)} now")


def _allowed(value: Json) -> str:
    return "allowed" if value is True else "refused" if value is False else "of one kind"
