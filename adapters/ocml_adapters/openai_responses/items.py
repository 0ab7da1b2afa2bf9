"""What all items share, both ways: ids that are made up, how one ended, how it was spelled; and their skeletons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import Any, Final, cast

from ocml_bridge.json_values.form import Object, add, form_of, rest, shape
from ocml_bridge.model import Json, Message
from ocml_bridge.units.grammar import Skeleton
from ocml_bridge.units.media import add_medium, next_medium, of_address

from .syntax import FUNCTION_CALL, FUNCTION_OUTPUT, MESSAGE, NOTES, REASONING

BY_PLACE: Final[Any] = object()
"""Stands for an id that the place of an item gives."""
MADE_UP: Final = "\0"
"""Stands for the same in units that are written, until the place is known; and, as a key, for what no item has."""
_PREFIXES: Final = {"reasoning": "rs", "message": "msg"}
_IMPLIED: Final = ("type", "id", "status")
"""Keys that a form may leave out although we write them."""
COMPLETED: Final = "completed"
_SPELLED: Final = (COMPLETED, "in_progress")
"""What the status of an item says of no message: servers leave calls that are whole `in_progress`."""
INCOMPLETE: Final = "incomplete"
ABSENT: Final = "absent"
"""Remembered as the status of an item that was cut off, and does not say so: its document does."""
MERGED: Final[Object] = {"merged": True}
"""The layout of a message that stands in one item with the one before it."""


def made_up_id(kind: str, at: int) -> str:
    """The id of an item that needs one and has none: by its place, and like no id of a server.

    Args:
        kind: the type of the item.
        at: its index among the items of the document.
    """
    return f"{_PREFIXES[kind]}_{at:032d}"


def without_made_up(items: Sequence[Any]) -> Sequence[Any]:
    """Items with `BY_PLACE` for the ids that their places give; the very same where there are none."""
    made_up = [at for at, item in enumerate(items) if item.__class__ is dict and "id" in item and _is_made_up(item, at)]
    if not made_up:
        return items
    found = [*items]
    for at in made_up:
        found[at] = {**found[at], "id": BY_PLACE}
    return found


def _is_made_up(item: Object, at: int) -> bool:
    """Whether an item has the id that its place gives; not one that may be kept whole."""
    kind, role = cast("Any", item.get("type")), cast("Any", item.get("role"))
    spoken = kind == MESSAGE and isinstance(role, str) and role != "tool"
    return (spoken or kind == REASONING) and item["id"] == made_up_id(kind, at)


class Opened:
    """An item as it is read: its extras, its layout, how it ended.

    Args:
        item: the item.
        order: its keys, in our order.
        required: the keys that we always write.
        known: the keys whose value is known otherwise.
    """

    __slots__ = ("end", "extras", "layout")

    def __init__(self, item: Object, order: tuple[str, ...], required: frozenset[str], known: Collection[str]) -> None:
        read_keys = ["type", *known] if item.get("type") else [*known]
        made_up = item.get("id") is BY_PLACE
        if made_up:
            read_keys.append("id")
        self.layout: Object = {}
        self.end = True
        status: Json = item.get("status")
        if status == INCOMPLETE:
            self.end = False
            read_keys.append("status")
        elif made_up and status == COMPLETED and item["type"] == MESSAGE:
            read_keys.append("status")
        elif status in _SPELLED:
            self.layout["status"] = status
            read_keys.append("status")
        form = form_of(item, order, required, read_keys)
        if form is not None:
            self.layout["form"] = form
        self.extras = rest(item, read_keys)

    def give(self, message: Message) -> None:
        """Put extras and layout into a message, beside the layout that it has."""
        message.extras = NOTES.by_format(self.extras)
        message.layout = NOTES.by_format({**self.layout, **NOTES.of(message.layout)})


def closed(out: Object, group: Sequence[Message], order: tuple[str, ...], *, needs_id: bool = False) -> Object:
    """An item with all that is written of any: id, status, extras, in the spelling that is remembered.

    Args:
        out: what is written of it alone, its type first.
        group: its messages.
        order: its keys, in our order.
        needs_id: whether it is no item without an id.
    """
    extras, layout = NOTES.of(group[0].extras), NOTES.of(group[0].layout)
    if extras.get("id") == MADE_UP:
        extras = {key: value for key, value in extras.items() if key != "id"}
    made: Object = {"type": out["type"]}
    if needs_id and "id" not in extras:
        made["id"] = BY_PLACE
        if out["type"] == MESSAGE:
            made["status"] = COMPLETED
    status = layout.get("status")
    if any(message.end is None and NOTES.of(message.layout).get("status") != ABSENT for message in group):
        made["status"] = INCOMPLETE
    elif status in _SPELLED:
        made["status"] = status
    out = {**made, **out}
    if extras:
        out = add(out, extras, order)
    form = layout.get("form")
    return out if form is None else shape(out, form, implied=_IMPLIED)


# --- skeletons --------------------------------------------------------------------------------------------------------

_LONGEST: Final = 200
"""The longest name that plans are made for, in characters."""
_TEXTS: Final = frozenset({"content", "arguments", "input", "output", "call_id"})
"""Members that are contents and ids."""
_OWN: Final = frozenset({"id", "encrypted_content"})
"""Members that nobody said."""
_VALUES: Final = _TEXTS | _OWN
_TEXT, _IMAGE = "text", "image_url"
"""Members of parts that are contents."""
_OF_PARTS: Final = frozenset({"type", "detail"})
"""Members of parts that many have in common."""
_WORDS: Final = frozenset({"type", "role", "name", "namespace", "status", "phase"})


def _add(item: dict[str, Any], key: list[Hashable], values: list[str]) -> bool:
    """Add members to a skeleton; False for what is not for plans."""
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
            elif value and name in _OWN:
                values.append(value)
            else:
                return False
        elif value.__class__ is list:
            if not _add_parts(value, key, values):
                return False
        elif value is None or value is BY_PLACE:
            key.append(value is BY_PLACE)
        else:
            return False
    return True


def _add_parts(parts: list[Any], key: list[Hashable], values: list[str]) -> bool:
    """A list of texts and images."""
    key.append((len(parts),))
    return all(part.__class__ is dict and _add_part(part, key, values) for part in parts)


def _add_part(part: Object, key: list[Hashable], values: list[str]) -> bool:
    """A text or an image, which says nothing else."""
    for name, value in part.items():
        key.append(name)
        if name == _TEXT and value.__class__ is str and value:
            values.append(value)
        elif name in _OF_PARTS and value.__class__ is str and len(value) <= _LONGEST:
            key.append(value)
        elif name == _IMAGE and value is not None:
            if not add_medium(of_address(value), key, values):
                return False
        elif name != _TEXT and (value is None or value == []):
            key.append(value is None)
        else:
            return False
    key.append(0)
    return _TEXT in part or _IMAGE in part


def _message(unit: Any) -> Skeleton | None:
    """The skeleton of a message that is one text, as most are."""
    role, text = unit["role"], unit["content"]
    if not (role.__class__ is text.__class__ is str) or not text or len(role) > _LONGEST:
        return None
    kind = unit.get("type")
    return ((kind, role), [text]) if kind == MESSAGE or "type" not in unit else None


def _call(unit: Any) -> Skeleton | None:
    """The skeleton of a function's call."""
    name, call_id, body = unit["name"], unit["call_id"], unit["arguments"]
    if not (name.__class__ is call_id.__class__ is body.__class__ is str) or len(name) > _LONGEST:
        return None
    return ((FUNCTION_CALL, name), [call_id, body]) if call_id and body and unit["type"] == FUNCTION_CALL else None


def _output(unit: Any) -> Skeleton | None:
    """The skeleton of what it gave."""
    call_id, text = unit["call_id"], unit["output"]
    if not (call_id.__class__ is text.__class__ is str) or not (call_id and text):
        return None
    return (FUNCTION_OUTPUT, [call_id, text]) if unit["type"] == FUNCTION_OUTPUT else None


_PLAIN: Final[dict[tuple[str, ...], Callable[[Any], Skeleton | None]]] = {
    ("type", "role", "content"): _message,
    ("role", "content"): _message,
    ("type", "call_id", "name", "arguments"): _call,
    ("type", "call_id", "output"): _output,
}
"""The keys of the commonest items → what gives their skeletons."""


def _filled(value: Any, name: str, values: Iterator[str]) -> Any:
    if value.__class__ is list:
        return [{key: _filled_member(inner, key, values) for key, inner in part.items()} for part in value]
    return next(values) if name in _VALUES and value.__class__ is str and value else value


def _filled_member(value: Any, name: str, values: Iterator[str]) -> Any:
    """A member of a part, with the next text or image where it is one."""
    if name == _TEXT:
        return next(values)
    image = of_address(value) if name == _IMAGE else None
    return value if image is None else next_medium(image, values)


def skeleton(item: Any) -> Skeleton | None:
    """An item without contents and ids; None where it has other members that say something."""
    plain = _PLAIN.get(tuple(item))
    if plain is not None and (found := plain(item)) is not None:
        return found
    key: list[Hashable] = []
    values: list[str] = []
    return (tuple(key), values) if _add(item, key, values) else None


def filled(item: Object, values: Sequence[str]) -> Object:
    """An item that has a skeleton, with other contents and ids."""
    following = iter(values)
    return {name: _filled(value, name, following) for name, value in item.items()}
