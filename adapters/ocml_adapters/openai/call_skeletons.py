"""Split the calls of wire messages, and their unknown members, into parts of a skeleton and their values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import permutations
from typing import Any, Final

from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.jsontext import text_of
from ocml_bridge.model.ownership import key_of
from ocml_bridge.units.long_texts import is_long, with_long, without_long
from ocml_bridge.wires.blocks.skeletons import object_with

from .syntax import ANNOTATIONS, CUSTOM, FUNCTION, FUNCTION_CALL, IMAGES
from .thought_lists import LISTS

LONGEST: Final = 200
"""The maximum length of a name in a skeleton, in characters, and of a packed member that is no text, in bytes."""
_CALLS: Final = frozenset(permutations(("id", "type", FUNCTION)))
"""The members of nearly all calls, in any order."""
_USUAL: Final = ("id", "type", FUNCTION)
"""These members in the order of most: the fast path."""
_FUNCTIONS: Final = frozenset(permutations(("name", "arguments")))
"""The members of nearly all functions in calls, in any order."""
_CUSTOM: Final = ("name", "input")
"""The members of a custom tool in a call, in their order."""
_SCALARS: Final = frozenset({str, int, bool, type(None)})
REPEATING: Final = frozenset({*LISTS, ANNOTATIONS, IMAGES, FUNCTION_CALL, "refusal"})
"""Members that repeat or replace a text, so that they cannot be part of a skeleton."""

# --- calls ------------------------------------------------------------------------------------------------------------


def add_calls(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add the calls of a message."""
    if not value:
        return add_other(name, value, key, values)
    if value.__class__ is not list:
        return False
    for call in value:
        if (
            call.__class__ is dict
            and tuple(call) == _USUAL
            and call["type"] == FUNCTION
            and call["id"].__class__ is str
        ):
            key.append(_USUAL)
            values.append(call["id"])
            if not call["id"] or not _add_function(call[FUNCTION], key, values):
                return False
        elif not _add_call(call, key, values):
            return False
    return True


def _add_call(call: Any, key: list[Hashable], values: list[str]) -> bool:
    if call.__class__ is not dict:
        return False
    members = tuple(call)
    key.append(members)
    plain = members in _CALLS and call["type"] == FUNCTION
    for member, value in call.items():
        if member == "id":
            if value.__class__ is not str or not value:
                return False
            values.append(value)
        elif member == FUNCTION:
            if not _add_function(value, key, values):
                return False
        elif member == CUSTOM:
            if not _add_custom(value, key, values):
                return False
        elif not plain and not (member == "type" and value == FUNCTION) and not add_other(member, value, key, values):
            return False
    return plain or FUNCTION in call or CUSTOM in call


def _add_function(function: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add the name of a function, and its arguments."""
    if function.__class__ is not dict or (members := tuple(function)) not in _FUNCTIONS:
        return False
    name, arguments = function["name"], function["arguments"]
    if name.__class__ is not str or len(name) > LONGEST:
        return False
    if arguments.__class__ is dict:
        key += (members, name, dict)
        arguments = text_of(arguments)
    else:
        key += (members, name, not arguments)
    if arguments:
        values.append(arguments)
    return arguments.__class__ is str


def _add_custom(custom: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add the name of a custom tool, and the text that it is given."""
    if custom.__class__ is not dict or tuple(custom) != _CUSTOM:
        return False
    name, text = custom["name"], custom["input"]
    if name.__class__ is not str or len(name) > LONGEST or text.__class__ is not str:
        return False
    key += (_CUSTOM, name, not text)
    if text:
        values.append(text)
    return True


def add_legacy(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add the deprecated `function_call`."""
    if not value:
        return add_other(name, value, key, values)
    return _add_function(value, key, values)


def filled_call(call: Object, values: Iterator[str]) -> Object:
    """Return a call with other values."""
    out = dict(call)
    for member in call:
        if member == "id":
            out["id"] = next(values)
        elif member == FUNCTION:
            out[FUNCTION] = filled_function(call[FUNCTION], values)
        elif member == CUSTOM:
            custom = call[CUSTOM]
            out[CUSTOM] = {**custom, "input": next(values)} if custom["input"] else custom
        else:
            out[member] = with_long(call[member], values)
    return out


def filled_function(function: Object, values: Iterator[str]) -> Object:
    """Return a function with other arguments."""
    arguments = function["arguments"]
    if isinstance(arguments, dict):
        return {**function, "arguments": object_with(next(values))}
    return {**function, "arguments": next(values)} if arguments else function


# --- other members ----------------------------------------------------------------------------------------------------


def add_other(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    """Add an unknown member, such as a mark or the name of an agent; long texts in it are values."""
    if value and name in REPEATING:
        return False
    if value.__class__ in _SCALARS and not is_long(value):
        key.append((name, value, value.__class__))
        return True
    packed = key_of(without_long(value, values))
    key.append((name, packed))
    return len(packed) <= LONGEST
