"""Merge values that arrive in pieces, or again and again."""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Callable
from typing import Final, cast

from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json
from ocml_bridge.stream.assembled import Note

_ONCE: Final = frozenset({"index", "type", "id", "name", "format", "channel"})
"""Members that chunks repeat, rather than continue."""
_BASE64: Final = "data"
"""The member of sounds, and of encrypted thoughts, whose pieces may be in base64 each by itself."""


def merged(values: list[Json]) -> Json:
    """Merge the pieces of a value: concatenate texts and lists, merge objects by member, take the last other value."""
    values = [value for value in values if value is not None]
    if not values:
        return None
    if all(isinstance(value, str) for value in values):
        return "".join(cast("list[str]", values))
    if all(isinstance(value, list) for value in values):
        return [item for value in values for item in cast("list[Json]", value)]
    if all(isinstance(value, dict) for value in values):
        members: dict[str, list[Json]] = {}
        for value in cast("list[Object]", values):
            for key, item in value.items():
                members.setdefault(key, []).append(item)
        return {key: _MERGED.get(key, merged)(items) for key, items in members.items()}
    return values[-1]


def _joined_base64(values: list[Json]) -> Json:
    """Join the pieces of data in base64: if one of them ends with padding, each is decoded by itself."""
    pieces = [value for value in values if isinstance(value, str) and value]
    if len(pieces) < len(values) or not any(piece.endswith("=") for piece in pieces[:-1]):
        return merged(values)
    try:
        return base64.b64encode(b"".join([base64.b64decode(piece, validate=True) for piece in pieces])).decode()
    except ValueError:
        return merged(values)


def latest(values: list[Json]) -> Json:
    """Return what members beside the deltas say in the end: lists are continued, of other values the last counts."""
    values = [value for value in values if value is not None]
    if values and all(isinstance(value, dict) for value in values):
        objects = cast("list[Object]", values)
        keys = dict.fromkeys(key for value in objects for key in value)
        return {key: latest([value[key] for value in objects if key in value]) for key in keys}
    if values and all(isinstance(value, list) for value in values):
        return merged(values)
    return values[-1] if values else None


def renewed(before: Json, after: Json) -> Json:
    """Return a member of the answer that a chunk has again: objects are completed, lists replaced, all else stays."""
    if isinstance(before, dict) and isinstance(after, dict):
        first, last = cast("Object", before), cast("Object", after)
        return {**first, **{key: renewed(first.get(key), value) for key, value in last.items()}}
    is_newer = not before or bool(after and isinstance(after, list))
    return cast("Json", after if is_newer else before)


class Twice:
    """Finds what a server says twice: in texts, and in items of a list, which may come in chunks of their own."""

    def __init__(self) -> None:
        self._ahead: tuple[deque[str], deque[str]] = deque[str](), deque[str]()
        """What the texts, and what the items, have not repeated yet of the other."""
        self._offsets = [0, 0]
        """How much of the first of these pieces was repeated."""

    @property
    def texts(self) -> deque[str]:
        """The texts that no item has repeated yet; more text is added to them as long as no item has come."""
        return self._ahead[1]

    def take(self, text: str, in_items: str) -> str | None:
        """Take what comes next; return what is new in it if it begins with the text so far, else None.

        Args:
            text: the next text; "" if there is none.
            in_items: the next text in items; it is not read if there is another text.
        """
        rest, rest_of_items = self._take(0, text), self._take(1, in_items)
        if text and in_items:
            self._forget(0)  # what the items have more is not read
        return rest if text else rest_of_items

    def _take(self, source: int, text: str) -> str | None:
        pieces, at = self._ahead[source], 0
        is_again = bool(pieces) and bool(text)
        while pieces and at < len(text):
            start = self._offsets[source]
            count = min(len(pieces[0]) - start, len(text) - at)
            if pieces[0][start : start + count] != text[at : at + count]:
                self._forget(source)
                return None
            at, self._offsets[source] = at + count, start + count
            if start + count == len(pieces[0]):
                pieces.popleft()
                self._offsets[source] = 0
        if at < len(text):
            self._ahead[1 - source].append(text[at:])
        return text[at:] if is_again else None

    def _forget(self, source: int) -> None:
        self._ahead[source].clear()
        self._offsets[source] = 0


def _first(values: list[Json]) -> Json:
    return next((value for value in values if value is not None), None)


_MERGED: Final[dict[str, Callable[[list[Json]], Json]]] = {**dict.fromkeys(_ONCE, _first), _BASE64: _joined_base64}
"""How members are merged that are not merged as other values are."""


def text_in(members: Object, key: str, note: Note) -> str:
    """Return the text of a member; "" if it is missing, or if it is no text, which is reported."""
    value = members.get(key)
    if value is None or isinstance(value, str):
        return value or ""
    note(f"{key} must be a text; it is left out")
    return ""


def error_in(value: Object, name: str | None) -> Json:
    """Return the server's error in an event; None if it has none.

    Args:
        value: the data of the event.
        name: its name; None if it has none.
    """
    if error := value.get("error"):
        return error
    if name == "error" or value.get("object") == "error":
        return value
    code = value.get("error_code")
    if not code or "choices" in value:
        return None
    return {"message": value.get("text") or value.get("error_msg"), "code": code}  # FastChat, Qianfan
