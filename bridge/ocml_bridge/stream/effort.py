"""How much work a JSON Schema makes of a value, told before the work is done.

A schema of a few lines can ask for more steps than there are atoms: each definition refers to the next one twice. A
validator takes all of them. So the steps are counted first, as far as they are allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast
from urllib.parse import unquote

from ..model import Json

_TO_THE_SAME: Final = ("not", "if", "then", "else")
_TO_THE_SAME_EACH: Final = ("allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies")
_LISTS: Final = ("enum", "required", "properties", "patternProperties", "dependentRequired", "dependencies")
"""What a validator may go through whole at each step."""
_UNEVALUATED: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_SCALE: Final = 64
"""So many characters count as one step."""


def parts(value: Json) -> Iterator[Json]:
    """A JSON value and everything in it, keys too, in any order."""
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        yield item
        if isinstance(item, dict):
            todo += [*cast("dict[str, Json]", item), *cast("dict[str, Json]", item).values()]
        elif isinstance(item, list):
            todo += cast("list[Json]", item)


def size(value: Json) -> int:
    """How large a JSON value is, in steps."""
    return sum(1 + len(part) // _SCALE if isinstance(part, str) else 1 for part in parts(value))


def effort(schema: Json, value: Json, most: int) -> int | None:
    """How many steps a validator takes at most; None where that is more than `most`.

    Args:
        schema: whose references all are `#` or `#/…`, into itself.
        value: to be validated.
        most: takes time in proportion to it.
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
            # What these keywords ask for is which of the others looked at what: everything is gone through again.
            todo += same * 2 if _UNEVALUATED & rule.keys() else same
            todo += _below(rule, item)
        if steps + len(todo) > most:
            return None
    return steps


def _weight(rule: dict[str, Json], item: Json) -> int:
    """What looking at one value costs, beyond one step."""
    if isinstance(item, str):
        return len(item) // _SCALE
    if isinstance(item, list) and "uniqueItems" in rule:
        return len(cast("list[Json]", item))
    return 0


def _in_place(root: Json, rule: dict[str, Json]) -> Iterator[Json]:
    """Schemas that apply to the same value."""
    target = rule.get("$ref")
    if isinstance(target, str):
        yield resolve(root, target)
    for key in _TO_THE_SAME:
        if key in rule:
            yield rule[key]
    for key in _TO_THE_SAME_EACH:
        found = rule.get(key)
        yield from found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()


def resolve(root: Json, reference: str) -> Json:
    """What a reference of the form `#` or `#/…` points to; None where it leads nowhere."""
    found = root
    for step in unquote(reference[1:]).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict):
            found = cast("dict[str, Json]", found).get(key)
        elif isinstance(found, list) and key.isdecimal() and int(key) < len(cast("list[Json]", found)):
            found = cast("list[Json]", found)[int(key)]
        else:
            return None
    return found


def _below(rule: dict[str, Json], item: Json) -> Iterator[tuple[Json, Json]]:
    """Schemas that apply to what is inside the value, each with that."""
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
    found = rule.get(key)
    return cast("dict[str, Json]", found) if isinstance(found, dict) else {}


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
