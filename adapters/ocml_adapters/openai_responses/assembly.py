"""Events → the response that they are of, as the server would have sent it whole.

What an event tells of an item is put in its place: texts are continued by deltas, and what says that something is done
has the whole of it, which is believed as far as it goes on with what came.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json
from ocml_bridge.model.ownership import own_json
from ocml_bridge.stream.assembled import Note, object_of

from .syntax import OUTPUT_TEXT, REASONING_TEXT, SUMMARY, SUMMARY_TEXT

# --- members of events ------------------------------------------------------------------------------------------------

KNOWN: Final = frozenset(
    {
        *("type", "sequence_number", "obfuscation", "response", "item", "part", "annotation"),
        *("item_id", "output_index", "content_index", "summary_index", "annotation_index"),
        *("delta", "text", "logprobs", "refusal", "arguments", "name", "input", "code", "status"),
    }
)
"""The members of the events that say something of the answer."""


def left_out(before: Json, after: Json) -> Iterator[str]:
    """The keys of objects in a value that say something, and are not in the value that takes its place."""
    if isinstance(before, dict) and isinstance(after, dict):
        members: Object = cast("Object", after)
        for key, value in cast("Object", before).items():
            if key in members:
                yield from left_out(value, members[key])
            elif value is not None:
                yield key
    elif isinstance(before, list) and isinstance(after, list):
        for one, other in zip(cast("list[Json]", before), cast("list[Json]", after), strict=False):
            yield from left_out(one, other)


# --- the response -----------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """Where a text stands in an item.

    Attributes:
        key: of the item.
        at: in the list that stands there; None where the text itself does.
    """

    key: str
    at: int | None = None


class _Texts(NamedTuple):
    """What the events of a text are about.

    Attributes:
        key: of the item.
        at: the member of the event that is the place in a list; None where there is no list.
        kind: the type of the parts in the list.
        text: the member of a part, and of the event that has the whole.
    """

    key: str
    at: str | None = None
    kind: str = ""
    text: str = "text"


_TEXTS: Final[dict[str, _Texts]] = {
    "response.output_text": _Texts("content", "content_index", OUTPUT_TEXT),
    "response.refusal": _Texts("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text": _Texts("content", "content_index", REASONING_TEXT),
    "response.reasoning_summary_text": _Texts("summary", "summary_index", SUMMARY_TEXT),
    "response.function_call_arguments": _Texts("arguments", text="arguments"),
    "response.custom_tool_call_input": _Texts("input", text="input"),
    "response.mcp_call_arguments": _Texts("arguments", text="arguments"),
    "response.mcp_call.arguments": _Texts("arguments", text="arguments"),
    "response.code_interpreter_call_code": _Texts("code", text="code"),
    "response.code_interpreter_call.code": _Texts("code", text="code"),
}
"""What events are called without `.delta` and `.done` → what they are about."""
_PARTS: Final = {
    "response.content_part": ("content", "content_index"),
    "response.reasoning_summary_part": ("summary", "summary_index"),
}
"""What events of whole parts are called without `.added` and `.done` → where the parts stand."""


class Item:
    """An item as far as it has come.

    Attributes:
        wire: the item.
        done: whether it is whole.
        pieces: of the text at each place, since it was put together last.
        thought: of reasoning, the list whose texts were told as thoughts; "" where none were.
    """

    def __init__(self, wire: Object) -> None:
        self.wire = wire
        self.done = False
        self.pieces: dict[Place, list[str]] = {}
        self.thought = ""

    def text(self, place: Place) -> str:
        """The text at a place, as far as it has come."""
        text = self._holder(place).get(self._member(place))
        pieces = self.pieces.get(place)
        if pieces:
            text = (text if isinstance(text, str) else "") + "".join(pieces)
            pieces[:] = []
            self._holder(place)[self._member(place)] = text
        return text if isinstance(text, str) else ""

    def _holder(self, place: Place) -> Object:
        return self.wire if place.at is None else self.wire[place.key][place.at]

    def _member(self, place: Place) -> str:
        if place.at is None:
            return place.key
        return "refusal" if self._holder(place).get("type") == "refusal" else "text"

    def part(self, key: str, index: int, kind: str) -> Object:
        """The part at a place of a list, which is made where it is not there yet."""
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
        """The item with all texts in it."""
        for place in self.pieces:
            self.text(place)
        return self.wire

    def apart(self) -> list[Object]:
        """The item as it is read: thoughts behind a summary that was told are an item of their own."""
        wire = self.settle()
        if self.thought != SUMMARY or not wire.get("content"):
            return [wire]
        summary = {key: value for key, value in wire.items() if key != "content"}
        return [summary, {"type": wire.get("type"), SUMMARY: [], "content": wire["content"]}]


_EMPTY: Final[dict[str, Object]] = {OUTPUT_TEXT: {"text": "", "annotations": []}, "refusal": {"refusal": ""}}
"""Kind of a part → what it has beside its kind before anything of it came; each part gets its own."""
_EMPTY_TEXT: Final[Object] = {"text": ""}
_MOST: Final = 10_000
"""The greatest index of a part; a greater one is no index."""


class More(NamedTuple):
    """What is new: more text at a place of an item."""

    item: Item
    place: Place
    text: str


class Assembly:
    """A response as far as it has come.

    Args:
        note: is told what had to be mended.

    Attributes:
        envelope: the response without its items, as it was told last.
        items: in order.
    """

    def __init__(self, note: Note) -> None:
        self.envelope: Object = {}
        self.items: list[Item] = []
        self._note = note
        self._by_index: dict[int, Item] = {}
        self._by_id: dict[str, Item] = {}

    def take(self, kind: str, event: Object) -> More | None:
        """Take an event; the text that is new."""
        more: More | None = None
        subject, _, what = kind.rpartition(".")
        if subject in _TEXTS and what in ("delta", "done"):
            more = self._more(_TEXTS[subject], what, event)
        elif kind == "response.output_item.added":
            self._add(event)
        elif kind == "response.output_item.done":
            self._finish(event)
        elif subject in _PARTS and what in ("added", "done"):
            self._put(*_PARTS[subject], event)
        elif kind == "response.output_text.annotation.added":
            self._annotate(event)
        elif "response" in event:
            self._enclose(object_of(event["response"], "a response", self._note))
        else:
            return None
        for key in event:
            if key not in KNOWN:
                self._note(f"an event has a member {key[:40]!r} that is not known; it is left out")
        return more

    def _enclose(self, response: Object) -> None:
        """Take what is told of the whole response."""
        if not isinstance(response.get("output", []), list):
            self._note("the output of a response is not a list; it is left out")
        self._replace(self.envelope, response)
        self.envelope = response

    def _replace(self, before: Json, after: Json) -> None:
        """Say what is not told again."""
        for key in left_out(before, after):
            self._note(f"a member {key[:40]!r} is missing from the whole that comes later; it is left out")

    def _item(self, event: Object) -> Item | None:
        """The item that an event is about, by its index, else by its id; None where there is none that goes on."""
        index, own = event.get("output_index"), event.get("item_id")
        found = self._by_index.get(index) if isinstance(index, int) else None
        if found is None and isinstance(own, str):
            found = self._by_id.get(own)
        if found is None:
            self._note("an event names an item that has not begun; the event is left out")
        elif found.done:
            self._note("an event comes after the end of its item; the event is left out")
            return None
        return found

    def _add(self, event: Object) -> Item | None:
        wire, index = event.get("item"), event.get("output_index")
        if not isinstance(wire, dict) or not wire:
            self._note("an item is not an object with a type; the item is left out")
            return None
        item = Item(_copied(cast("Object", wire)))
        self.items.append(item)
        if isinstance(index, int):
            if index in self._by_index:
                self._note("two items have the same index; they are told apart by their ids")
            self._by_index[index] = item
        if isinstance(own := item.wire.get("id"), str):
            self._by_id[own] = item
        return item

    def _finish(self, event: Object) -> None:
        wire, index = event.get("item"), event.get("output_index")
        if not isinstance(wire, dict) or not wire:
            self._note("an item is not an object with a type; the item is left out")
            return
        whole = cast("Object", wire)
        item = self._by_index.get(index) if isinstance(index, int) else self._by_id.get(str(whole.get("id")))
        if item is None or item.done:
            item = self._add(event)
        if item is None:
            return
        before, after = item.settle(), _copied(whole)
        for place in item.pieces:
            if not _text_at(after, place).startswith(_text_at(before, place)):
                self._note("a finished item differs from what was streamed; what was streamed is kept")
                item.done = True
                return
        self._replace(before, after)
        item.wire, item.done = after, True
        item.pieces.clear()  # it has them, or is of another type now

    def _more(self, texts: _Texts, what: str, event: Object) -> More | None:
        item = self._item(event)
        if item is None:
            return None
        place = Place(texts.key)
        if texts.at is not None:
            index = event.get(texts.at, 0)
            if type(index) is not int or not 0 <= index < _MOST:
                self._note("an event has no index for its part; the event is left out")
                return None
            item.part(texts.key, index, texts.kind)
            place = Place(texts.key, index)
        text = event.get("delta" if what == "delta" else texts.text)
        if not isinstance(text, str):
            self._note("a text delta is not a text; it is left out")
            return None
        pieces = item.pieces.setdefault(place, [])
        if what == "done":
            known = item.text(place)
            if not text.startswith(known):
                self._note("a finished text differs from its deltas; the deltas are kept")
                return None
            text = text[len(known) :]
        if not text:
            return None
        pieces.append(text)
        return More(item, place, text)

    def _put(self, key: str, name: str, event: Object) -> None:
        """Take a whole part; its text is what came of it, where that is more."""
        item, index, part = self._item(event), event.get(name, 0), event.get("part")
        if item is None or not isinstance(part, dict):
            return
        if type(index) is not int or not 0 <= index < _MOST:
            self._note("an event has no index for its part; the event is left out")
            return
        known, whole = item.part(key, index, str(members_of(part).get("type"))), _copied(cast("Object", part))
        place = Place(key, index)
        streamed = item.text(place) if place in item.pieces else ""
        if not _text_at({key: [whole]}, Place(key, 0)).startswith(streamed):
            return
        self._replace(known, whole)
        known.clear()
        known.update(whole)
        if streamed or place in item.pieces:
            return
        item.pieces[place] = []

    def _annotate(self, event: Object) -> None:
        item, index = self._item(event), event.get("content_index", 0)
        if item is None or type(index) is not int or not 0 <= index < _MOST:
            return
        part = item.part("content", index, OUTPUT_TEXT)
        listed: Json = part.get("annotations")
        if isinstance(listed, list) and event.get("annotation") is not None:
            cast("list[Json]", listed).append(event["annotation"])

    # --- the whole ----------------------------------------------------------------------------------------------------

    def output(self) -> list[Json]:
        """The items as they came; one that is not whole says so."""
        out: list[Json] = []
        for item in self.items:
            *before, wire = item.apart()
            if before:
                self._note("the reasoning text comes after its summary; it is read as an item of its own")
            out += [*before, wire if item.done else {**wire, "status": "incomplete"}]
        return out

    def response(self) -> Object:
        """The response: its items as they came, unless it has them itself and they go on with these."""
        listed: Json = self.envelope.get("output")
        own = self.output()
        around = self.envelope or {"object": "response", "status": "in_progress"}
        if isinstance(listed, list) and (listed or not own):
            if listed == own:
                return self.envelope
            if self._goes_on(cast("list[Json]", listed)):
                self._replace([item.wire for item in self.items], listed)
                return self.envelope
            self._note("the response differs from the items that were streamed; the streamed items are kept")
        return {**around, "output": own}

    def _goes_on(self, listed: list[Json]) -> bool:
        """Whether a response has the items that came, with the texts that came of them."""
        if len(listed) < len(self.items) or not all(
            item and isinstance(item, dict) for item in cast("list[object]", listed)
        ):
            return False
        for item, whole in zip(self.items, listed, strict=False):
            members, own = members_of(whole), item.settle()
            same = all(members.get(key) == own.get(key) for key in ("type", "role", "phase", "name", "call_id"))
            split = item.thought == SUMMARY and bool(members.get("content"))
            if split or not same or not all(_text_at(members, place) == _text_at(own, place) for place in item.pieces):
                return False
        return True


def _text_at(wire: Object, place: Place) -> str:
    value: Json = wire.get(place.key)
    if place.at is not None:
        parts = cast("list[Any]", value) if isinstance(value, list) else []
        part = members_of(parts[place.at]) if place.at < len(parts) else {}
        value = part.get("refusal" if part.get("type") == "refusal" else "text")
    return value if isinstance(value, str) else ""


def _copied(wire: Object) -> Object:
    """An object whose lists and objects may be changed."""
    return {key: _copy(value) for key, value in wire.items()}


def _copy(value: Json) -> Json:
    if isinstance(value, dict):
        return _copied(cast("Object", value))
    return [_copy(each) for each in cast("list[Json]", value)] if isinstance(value, list) else value
