"""Values and calls that come in pieces, put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from ocml_bridge import jsontext
from ocml_bridge.model import Json

from .form import Object
from .syntax import CUSTOM, FUNCTION, INPUT_KEYS

Note = Callable[[str], None]
"""Takes what had to be mended, in a sentence."""

_ONCE: Final = frozenset({"index", "type", "id", "name", "format"})
"""Members that chunks repeat rather than continue."""


def merged(values: list[Json]) -> Json:
    """What the pieces of a value make: texts and lists are continued, objects by member, anything else is replaced."""
    said = [value for value in values if value is not None]
    if not said:
        return None
    if all(isinstance(value, str) for value in said):
        return "".join(cast("list[str]", said))
    if all(isinstance(value, list) for value in said):
        return [item for value in said for item in cast("list[Json]", value)]
    if all(isinstance(value, dict) for value in said):
        members: dict[str, list[Json]] = {}
        for value in cast("list[Object]", said):
            for key, item in value.items():
                members.setdefault(key, []).append(item)
        return {key: _first(items) if key in _ONCE else merged(items) for key, items in members.items()}
    return said[-1]


def _first(values: list[Json]) -> Json:
    return next((value for value in values if value is not None), None)


def as_object(value: Json) -> Object:
    """An object; an empty one for anything else."""
    return cast("Object", value) if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Any]:
    """A list; an empty one for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_in(members: Object, key: str, note: Note) -> str:
    """The text of a member; "" where there is none, and what is no text is noted."""
    value = members.get(key)
    if value is None or isinstance(value, str):
        return value or ""
    note(f"{key} is no text; it is left out")
    return ""


class Call:
    """A call as far as it has come.

    Args:
        kind: `function` or `custom`.
        legacy: whether it is the deprecated `function_call`.

    Attributes:
        id: None while it has none.
        name: the tool's; "" while it has none.
        pieces: of what the tool is given.
    """

    def __init__(self, kind: str, *, legacy: bool = False) -> None:
        self.kind: Final = kind
        self.id: str | None = None
        self.name = ""
        self.pieces: list[str] = []
        self.legacy: Final = legacy
        self._more: list[Json] = []
        self._within: list[Json] = []

    def take(self, item: Object, note: Note) -> str:
        """More of it, as an item of `tool_calls`; the text that is new."""
        inner = as_object(item.get(self.kind))
        call_id, name, kind = text_in(item, "id", note), text_in(inner, "name", note), item.get("type")
        if kind and kind != self.kind:
            note(f"a call's type is not known; it is read as a {self.kind}'s")
        if call_id and self.id not in (None, call_id):
            note("a call's id changes; the first one is kept")
        self.id = self.id or call_id or None
        if name and name != self.name:
            if self.pieces:
                note("a call's name changes while its arguments come; the first one is kept")
            else:
                self.name += name
        key = INPUT_KEYS[self.kind]
        self._more.append({k: v for k, v in item.items() if k not in ("index", "id", "type", self.kind)})
        self._within.append({k: v for k, v in inner.items() if k not in ("name", key)})
        text = inner.get(key)
        if text is not None and not isinstance(text, str):
            note("a call's arguments are no text; they are written as JSON")
            text = jsontext.compact(text)
        if text:
            self.pieces.append(text)
        return text or ""

    def wire(self) -> Object:
        """The whole call."""
        inner: Object = {"name": self.name, INPUT_KEYS[self.kind]: "".join(self.pieces)}
        inner.update(as_object(merged(self._within)))
        if self.legacy:
            return inner
        out: Object = {} if self.id is None else {"id": self.id}
        return {**out, "type": self.kind, self.kind: inner, **as_object(merged(self._more))}


def kind_of(item: Object) -> str:
    """A call's kind: a custom tool's where only that is there, else a function's."""
    return CUSTOM if CUSTOM in item and FUNCTION not in item else FUNCTION
