"""What is kept of how an object was spelled: the order of its keys, its nulls, or all of it where it takes that."""

from __future__ import annotations

from typing import cast

from ocml_bridge.conformance import TOOL_CALLS
from ocml_bridge.model import ByFormat, Json, Message

from .syntax import HOME, KEYS

Object = dict[str, Json]


def own(by_format: ByFormat | None) -> Object:
    """What a document or message keeps under this format's id."""
    return (by_format or {}).get(HOME) or {}


def unknown_keys(values: Object) -> Object:
    """The keys that §10 does not know, with their values."""
    return {key: value for key, value in values.items() if key not in (*KEYS, TOOL_CALLS) and value is not None}


def object_layout(wire: Object, plain: Object) -> Object:
    """The layout with which `respell` turns the object that we would write into the one that was read."""
    extras = unknown_keys(wire)
    nulls = [key for key, value in wire.items() if value is None]
    layout: Object = {"nulls": nulls} if nulls else {}
    respelled = _respell(plain, extras, layout)
    if respelled == wire and [*respelled] != [*wire]:
        layout["order"] = [*wire]
    elif respelled != wire:
        return {"object": wire}
    return layout if same(_respell(plain, extras, layout), wire) else {"object": wire}


def same(one: Json, other: Json) -> bool:
    """Whether two JSON values are the same, the order of keys included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        pairs, others = list(cast("Object", one).items()), list(cast("Object", other).items())
        return len(pairs) == len(others) and all(
            key == its and same(value, theirs) for (key, value), (its, theirs) in zip(pairs, others, strict=True)
        )
    if isinstance(one, list):
        left, right = cast("list[Json]", one), cast("list[Json]", other)
        return len(left) == len(right) and all(map(same, left, right))
    return one == other


def respell(plain: Object, message: Message) -> Object:
    """The object as its layout has it."""
    layout = own(message.layout)
    whole = layout.get("object")
    if isinstance(whole, dict):
        return cast("Object", whole)
    return _respell(plain, own(message.extras), layout)


def _respell(plain: Object, extras: Object, layout: Object) -> Object:
    values = {**plain, **extras, **dict.fromkeys(cast("list[str]", layout.get("nulls", ())))}
    order = cast("list[str]", layout.get("order", values))
    return {key: values[key] for key in order}
