"""What changed between two JSON Schemas of one form, and whether that breaks anything.

A change breaks where a document of the older form is not one of the newer form, or where whoever reads documents finds
something that the older schema ruled out. A new member that may be left out, another word of a closed list and another
kind of object beside named ones break nothing: whoever reads documents passes over what it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from ..model import Json

Schema = Mapping[str, Any]

_SILENT: Final = frozenset({"title", "description", "$comment", "examples", "$schema", "$defs", "discriminator"})
"""Keywords that say nothing of what a document may be."""
_NAMES: Final = frozenset({"anyOf", "oneOf", "type", "$ref", "const"})
"""Keywords that say which kinds of values there may be."""
_WALKED: Final = _NAMES | {"properties", "required", "additionalProperties"}
"""Keywords that are compared by what they say; so are `enum` and `items` where both schemas have them."""
_REFERENCE: Final = "#/$defs/"


class SchemaChange(NamedTuple):
    """One change.

    Attributes:
        path: where, from the root or from a named kind: `/Message/content`.
        breaking: whether it breaks something.
        what: what it is, for people.
    """

    path: str
    breaking: bool
    what: str

    def __str__(self) -> str:
        return f"{'breaking' if self.breaking else 'compatible'} {self.path or '/'}: {self.what}"


def schema_changes(old: Schema, new: Schema) -> list[SchemaChange]:
    """Compare two schemas of one form, kind by kind, in the order of the older one."""
    before, after = _kinds(old), _kinds(new)
    found = list(_between(old, new, ""))
    for name, kind in before.items():
        if name in after:
            found += _between(kind, after[name], f"/{name}")
        else:
            found.append(SchemaChange(f"/{name}", True, "this kind is gone"))
    return found


def _kinds(schema: Schema) -> Mapping[str, Schema]:
    return schema.get("$defs", {})


def _between(old: Schema, new: Schema, path: str) -> Iterator[SchemaChange]:
    """The changes of one place, and of the places below it."""
    yield from _keywords(old, new, path)
    yield from _members(old, new, path)
    yield from _words(old, new, path)
    yield from _alternatives(old, new, path)
    if "items" in old and "items" in new:
        yield from _between(old["items"], new["items"], f"{path}/*")
    yield from _others(old.get("additionalProperties", True), new.get("additionalProperties", True), path)


def _keywords(old: Schema, new: Schema, path: str) -> Iterator[SchemaChange]:
    """Keywords whose value is compared as a whole; what is not known here breaks, to be on the safe side."""
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
    needed, needs = set(old.get("required", ())), set(new.get("required", ()))
    for name, member in before.items():
        place = f"{path}/{name}"
        if name not in after:
            yield SchemaChange(place, True, "removed")
            continue
        if (name in needed) != (name in needs):
            now = "must be there now" if name in needs else "need not be there any more"
            yield SchemaChange(place, True, now)
        yield from _between(member, after[name], place)
    for name in after:
        if name not in before:
            must = name in needs
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
    """Alternatives, which are known by the kind that they name, or by their type."""
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
    found: list[Schema] = schema.get("anyOf") or schema.get("oneOf") or [schema]
    return {_name(each): each for each in found}


def _name(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE)
    return f"{schema.get('type', 'anything')}{' ' + repr(schema['const']) if 'const' in schema else ''}"


def _others(old: Json, new: Json, path: str) -> Iterator[SchemaChange]:
    """What members may be there that are not named."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _between(cast("Schema", old), cast("Schema", new), f"{path}/*")
    elif old != new:
        yield SchemaChange(path, new is not True, f"further members were {_allowed(old)}, and are {_allowed(new)} now")


def _allowed(value: Json) -> str:
    return "allowed" if value is True else "refused" if value is False else "of one kind"
