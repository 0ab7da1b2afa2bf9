"""Estimate how many steps the validation of a value with a JSON Schema takes, before it is run.

A short schema can take an exponential number of steps, if each definition refers to the next one twice. So the steps
are counted first, up to a limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast
from urllib.parse import unquote

from ..model import Json

_TO_THE_SAME: Final = ("not", "if", "then", "else")
_TO_THE_SAME_EACH: Final = ("allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies")
_LISTS: Final = ("enum", "required", "properties", "patternProperties", "dependentRequired", "dependencies")
"""The keywords whose whole list or object a validator may go through at each step."""
_UNEVALUATED: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_SCALE: Final = 64
"""The number of characters that count as one step."""


def parts(value: Json) -> Iterator[Json]:
    """Yield a JSON value and everything in it, also the keys, in any order."""
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        yield item
        if isinstance(item, dict):
            todo += [*cast("dict[str, Json]", item), *cast("dict[str, Json]", item).values()]
        elif isinstance(item, list):
            todo += cast("list[Json]", item)


def size(value: Json) -> int:
    """Return the size of a JSON value, in steps."""
    return sum(1 + len(part) // _SCALE if isinstance(part, str) else 1 for part in parts(value))


def effort(schema: Json, value: Json, most: int) -> int | None:
    """Return an upper bound of the steps of a validation, or None if it is greater than `most`.

    Args:
        schema: the schema; all its references must be `#` or `#/…`.
        value: the value to be validated.
        most: the limit; the estimate takes time in proportion to it.
    """
    todo: list[tuple[Any, Any]] = [(schema, value)]
    steps = 0
    while todo:
        rule, item = todo.pop()
        steps += 1
        if isinstance(rule, dict):
            rule = cast("dict[str, Json]", rule)
            steps += sum(len(found) for key in _LISTS if isinstance(found := rule.get(key), (list, dict)))  # type: ignore[arg-type]
            steps += _weight(rule, item)
            same = [(each, item) for each in _in_place(schema, rule)]
            # These keywords need to know what the others have evaluated: a validator evaluates these again.
            todo += same * 2 if _UNEVALUATED & rule.keys() else same
            todo += _below(rule, item)
        if steps + len(todo) > most:
            return None
    return steps


def _weight(rule: dict[str, Json], item: Json) -> int:
    """Return the steps that one value takes, beyond the first."""
    if isinstance(item, str):
        return len(item) // _SCALE
    if isinstance(item, list) and "uniqueItems" in rule:
        return len(cast("list[Json]", item))
    return 0


def _in_place(root: Json, rule: dict[str, Json]) -> Iterator[Json]:
    """Yield the schemas inside a schema that apply to the same value."""
    target = rule.get("$ref")
    if isinstance(target, str):
        yield resolve(root, target)
    for key in _TO_THE_SAME:
        if key in rule:
            yield rule[key]
    for key in _TO_THE_SAME_EACH:
        subschemas = rule.get(key)
        yield from (
            subschemas.values() if isinstance(subschemas, dict) else subschemas if isinstance(subschemas, list) else ()
        )


def resolve(root: Json, reference: str) -> Json:
    """Return the target of a reference of the form `#` or `#/…`; None if there is none."""
    target = root
    for step in unquote(reference[1:]).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(target, dict):
            target = cast("dict[str, Json]", target).get(key)
        elif isinstance(target, list) and key.isdecimal() and int(key) < len(cast("list[Json]", target)):
            target = cast("list[Json]", target)[int(key)]
        else:
            return None
    return target


def _below(rule: dict[str, Json], item: Json) -> Iterator[tuple[Json, Json]]:
    """Yield the schemas that apply to the members or items of a value, each with the member or item."""
    if isinstance(item, dict):
        yield from _members(rule, cast("dict[str, Json]", item))
    elif isinstance(item, list):
        yield from _items(rule, cast("list[Json]", item))


def _members(rule: dict[str, Json], item: dict[str, Json]) -> Iterator[tuple[Json, Json]]:
    named, always = _table(rule, "properties"), _table(rule, "patternProperties").values()
    others = [rule[key] for key in ("additionalProperties", "unevaluatedProperties") if key in rule]
    for key, value in item.items():
        for each in (named[key],) if key in named else others:
            yield each, value
        for each in always:
            yield each, value
        if "propertyNames" in rule:
            yield rule["propertyNames"], key


def _table(rule: dict[str, Json], key: str) -> dict[str, Json]:
    table = rule.get(key)
    return cast("dict[str, Json]", table) if isinstance(table, dict) else {}


def _items(rule: dict[str, Json], item: list[Json]) -> Iterator[tuple[Json, Json]]:
    first = rule.get("prefixItems", rule.get("items"))
    first = cast("list[Json]", first) if isinstance(first, list) else []
    others = [rule[key] for key in ("additionalItems", "unevaluatedItems") if key in rule]
    if "items" in rule and not isinstance(rule["items"], list):
        others.append(rule["items"])
    for at, value in enumerate(item):
        for each in (first[at],) if at < len(first) else others:
            yield each, value
        if "contains" in rule:
            yield rule["contains"], value
