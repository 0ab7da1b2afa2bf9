"""An item of a response as it arrives: its texts are put together when somebody asks for them."""

from __future__ import annotations

from typing import Final, NamedTuple, cast

from ocml_bridge.json_values.form import Object, without
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import Json
from ocml_bridge.model.ownership import own_json

from .item_members import COMPLETED
from .syntax import BODIES, OUTPUT_TEXT, SUMMARY


class Place(NamedTuple):
    """The place of a text in an item.

    Attributes:
        key: the key of the item's member.
        at: the index of the part that has the text; None if the member is the text.
    """

    key: str
    at: int | None = None


class Item:
    """An item so far.

    Attributes:
        wire: the item.
        done: whether it has ended.
        awaited: whether pieces of it came that only the whole item has.
        waits_for_end: whether nothing of it is emitted before it ends. A call that begins completed may end as another
            item: Perplexity's search begins as a call and ends as its results.
        pieces: by place, the pieces of a text that are not in the item yet.
        waiting: the new texts that were not emitted yet, because earlier items have not ended.
        thought_key: of reasoning, the list whose texts were emitted as thoughts; "" if none were.
    """

    def __init__(self, wire: Object) -> None:
        self.wire = wire
        self.done = False
        self.awaited = False
        kind = wire.get("type")
        self.waits_for_end: Final = isinstance(kind, str) and kind in BODIES and wire.get("status") == COMPLETED
        self.pieces: dict[Place, list[str]] = {}
        self.waiting: list[NewText] = []
        self.thought_key = ""

    def text(self, place: Place) -> str:
        """Return the text at a place so far."""
        text = self._object_with(place).get(self._key_of(place))
        pieces = self.pieces.get(place)
        if pieces:
            text = (text if isinstance(text, str) else "") + "".join(pieces)
            pieces[:] = []
            self._object_with(place)[self._key_of(place)] = text
        return text if isinstance(text, str) else ""

    def _object_with(self, place: Place) -> Object:
        return self.wire if place.at is None else self.wire[place.key][place.at]

    def _key_of(self, place: Place) -> str:
        if place.at is None:
            return place.key
        return "refusal" if self._object_with(place).get("type") == "refusal" else "text"

    def part(self, key: str, index: int, kind: str) -> Object:
        """Return a part of a list; missing parts are added."""
        parts: Json = self.wire.get(key)
        if not isinstance(parts, list):
            parts = self.wire[key] = []
        listed = cast("list[Json]", parts)
        while len(listed) <= index:
            listed.append({"type": kind, **own_json(_EMPTY.get(kind, _EMPTY_TEXT))})
        if not isinstance(listed[index], dict):
            listed[index] = {"type": kind, "text": ""}
        return listed[index]

    def settle(self) -> Object:
        """Return the item with all pieces in it."""
        for place in self.pieces:
            self.text(place)
        return self.wire

    def split(self) -> list[Object]:
        """Return the item as it is read: reasoning text after an emitted summary is an item of its own."""
        wire = self.settle()
        if self.thought_key != SUMMARY or not wire.get("content"):
            return [wire]
        summary = without(wire, "content")
        return [summary, {"type": wire.get("type"), SUMMARY: [], "content": wire["content"]}]


_EMPTY: Final[dict[str, Object]] = {OUTPUT_TEXT: {"text": "", "annotations": []}, "refusal": {"refusal": ""}}
"""The members of a new part by its type; each part gets a copy."""
_EMPTY_TEXT: Final[Object] = {"text": ""}


class NewText(NamedTuple):
    """New text at a place in an item."""

    item: Item
    place: Place
    text: str


def text_at(wire: Object, place: Place) -> str:
    """Return the text at a place of an item; "" if there is none."""
    value: Json = wire.get(place.key)
    if place.at is not None:
        parts = items_of(value)
        part = members_of(parts[place.at]) if place.at < len(parts) else {}
        value = part.get("refusal" if part.get("type") == "refusal" else "text")
    return value if isinstance(value, str) else ""
