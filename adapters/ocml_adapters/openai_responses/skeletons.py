"""Split items into a skeleton and their contents, ids, extra texts and signatures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final

from ocml_bridge.json_values.form import Object
from ocml_bridge.model.ownership import key_of
from ocml_bridge.units.grammar import Skeleton
from ocml_bridge.units.long_texts import with_long, without_long
from ocml_bridge.units.media import add_medium, next_medium, of_address

from .item_members import GENERATED_ID
from .syntax import FUNCTION_CALL, FUNCTION_OUTPUT, MESSAGE

_LONGEST: Final = 200
"""The maximum length of a name in a skeleton, in characters."""
_TEXTS: Final = frozenset({"content", "arguments", "input", "output", "code", "call_id"})
"""The members that are contents and ids."""
_EXTRA_TEXTS: Final = frozenset({"id", "encrypted_content"})
"""The members whose texts are extras or signatures."""
_VALUES: Final = _TEXTS | _EXTRA_TEXTS
_TEXT = "text"
_ADDRESSES = ("image_url", "file_url")
"""The members of parts that are contents."""
_OF_PARTS: Final = frozenset({"type", "detail"})
"""The members of parts whose values are part of the key."""
_WORDS: Final = frozenset({"type", "role", "name", "namespace", "status", "phase"})


def _add(item: dict[str, Any], key: list[Hashable], values: list[str]) -> bool:
    """Append the members of an item to the key and the values of its skeleton; return False if it has none."""
    for name, value in item.items():
        key.append(name)
        if value.__class__ is str:
            if name in _TEXTS:
                if value:
                    values.append(value)
                else:
                    key.append("")
            elif name in _WORDS and len(value) <= _LONGEST:
                key.append(value)
            elif value and name in _EXTRA_TEXTS:
                values.append(value)
            elif not _add_other(without_long(value, values), key):
                return False
        elif value.__class__ is list:
            if not _add_parts(value, key, values):
                return False
        elif value is None or value is GENERATED_ID:
            key.append(value is GENERATED_ID)
        elif not _add_other(value, key):
            return False
    return True


def _add_other(value: Any, key: list[Hashable]) -> bool:
    """Append a member whose value is part of the key; return False if it is too long to repeat."""
    packed = key_of(value)
    key.append(packed)
    return len(packed) <= _LONGEST


def _add_parts(parts: list[Any], key: list[Hashable], values: list[str]) -> bool:
    """Append a list of parts; return False if it has anything else."""
    key.append((len(parts),))
    return all(part.__class__ is dict and _add_part(part, key, values) for part in parts)


def _add_part(part: Object, key: list[Hashable], values: list[str]) -> bool:
    """Append a part; return False if a member has a long value that is neither a text nor an address."""
    for name, value in part.items():
        key.append(name)
        if name == _TEXT and value.__class__ is str and value:
            values.append(value)
        elif name in _OF_PARTS and value.__class__ is str and len(value) <= _LONGEST:
            key.append(value)
        elif name in _ADDRESSES and value is not None:
            if not add_medium(of_address(value), key, values):
                return False
        elif name != _TEXT and (value is None or value == []):
            key.append(value is None)
        elif name == _TEXT or not _add_other(value, key):
            return False
    key.append(0)
    return True


def _message(unit: Any) -> Skeleton | None:
    """Return the skeleton of a message whose content is one text, as that of most is."""
    role, text = unit["role"], unit["content"]
    if not (role.__class__ is text.__class__ is str) or not text or len(role) > _LONGEST:
        return None
    kind = unit.get("type")
    return ((kind, role), [text]) if kind == MESSAGE or "type" not in unit else None


def _call(unit: Any) -> Skeleton | None:
    """Return the skeleton of a function's call."""
    name, call_id, body = unit["name"], unit["call_id"], unit["arguments"]
    if not (name.__class__ is call_id.__class__ is body.__class__ is str) or len(name) > _LONGEST:
        return None
    return ((FUNCTION_CALL, name), [call_id, body]) if call_id and body and unit["type"] == FUNCTION_CALL else None


def _output(unit: Any) -> Skeleton | None:
    """Return the skeleton of a function's output."""
    call_id, text = unit["call_id"], unit["output"]
    if not (call_id.__class__ is text.__class__ is str) or not (call_id and text):
        return None
    return (FUNCTION_OUTPUT, [call_id, text]) if unit["type"] == FUNCTION_OUTPUT else None


_FREQUENT: Final[dict[tuple[str, ...], Callable[[Any], Skeleton | None]]] = {
    ("type", "role", "content"): _message,
    ("role", "content"): _message,
    ("type", "call_id", "name", "arguments"): _call,
    ("type", "call_id", "output"): _output,
}
"""The functions that return the skeletons of the most frequent items, by their keys."""


def _filled(value: Any, name: str, values: Iterator[str]) -> Any:
    """Return a member of an item, with the next contents and ids."""
    if value.__class__ is list:
        return [{key: _filled_member(inner, key, values) for key, inner in part.items()} for part in value]
    if value.__class__ is not str or (name in _WORDS and len(value) <= _LONGEST):
        return value
    if name in _VALUES:
        return next(values) if value else value
    return with_long(value, values)


def _filled_member(value: Any, name: str, values: Iterator[str]) -> Any:
    """Return a member of a part, with the next content if it is a text or an image."""
    if name == _TEXT:
        return next(values)
    medium = of_address(value) if name in _ADDRESSES else None
    return value if medium is None else next_medium(medium, values)


def skeleton(item: Any) -> Skeleton | None:
    """Return an item without contents and ids; None if another member has a value that is not part of a key."""
    of_frequent = _FREQUENT.get(tuple(item))
    if of_frequent is not None and (result := of_frequent(item)) is not None:
        return result
    key: list[Hashable] = []
    values: list[str] = []
    return (tuple(key), values) if _add(item, key, values) else None


def with_values(item: Object, values: Sequence[str]) -> Object:
    """Return an item that has a skeleton, with other contents and ids."""
    following = iter(values)
    return {name: _filled(value, name, following) for name, value in item.items()}
