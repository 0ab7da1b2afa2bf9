"""Assemble the events of a stream to the response that the server would have sent without streaming.

Deltas continue the texts of items. An event that ends an item, a part or a text has all of it, which is taken if it
continues what was streamed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, cast

from ocml_bridge.json_values.form import Object, is_empty
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import Json
from ocml_bridge.model.ownership import own_json
from ocml_bridge.stream.assembled import Note, may_say, note_unknown, object_of
from ocml_bridge.stream.decoder import text_of

from .item_assembly import Item, NewText, Place, text_at
from .item_members import COMPLETED
from .items import is_state, read_item
from .syntax import BODIES, MESSAGE, OUTPUT_TEXT, REASONING, REASONING_TEXT, SUMMARY, SUMMARY_TEXT

# --- members of events ------------------------------------------------------------------------------------------------

_PLACES: Final = frozenset(
    {
        *("type", "sequence_number", "obfuscation"),
        *("item_id", "output_index", "content_index", "summary_index", "annotation_index"),
    }
)
"""The members of events that say where something belongs, and nothing of the answer."""
_ITEMS: Final = frozenset({"item_id", "output_index"})
"""Those that name an item."""
KNOWN: Final = _PLACES | frozenset(
    {
        *("response", "item", "part", "annotation"),
        *("delta", "text", "logprobs", "refusal", "arguments", "name", "input", "code", "status"),
    }
)
"""The members of events that are used, or that mean nothing for the answer."""


def missing_keys(before: Json, after: Json) -> Iterator[str]:
    """Yield the keys of objects in a value that say something, and are missing from the value that replaces it."""
    if isinstance(before, dict) and isinstance(after, dict):
        members: Object = cast("Object", after)
        for key, value in cast("Object", before).items():
            if key in members:
                yield from missing_keys(value, members[key])
            elif not is_empty(value):
                yield key
    elif isinstance(before, list) and isinstance(after, list):
        for old, new in zip(cast("list[Json]", before), cast("list[Json]", after), strict=False):
            yield from missing_keys(old, new)


# --- the response -----------------------------------------------------------------------------------------------------


class _TextEvents(NamedTuple):
    """The events of a kind of text.

    Attributes:
        key: the member of the item with the text, or with the list of parts.
        at: the member of the event with the index of the part; None if the text is not in a part.
        kind: the type of the part.
        text: the member with the whole text: of a part, and of the event that ends the text.
        item: the type of the items that have such texts: a message's is not a thought's; "" for any other type.
    """

    key: str
    at: str | None = None
    kind: str = ""
    text: str = "text"
    item: str = ""


_TEXTS: Final[dict[str, _TextEvents]] = {
    "response.output_text": _TextEvents("content", "content_index", OUTPUT_TEXT, item=MESSAGE),
    "response.refusal": _TextEvents("content", "content_index", "refusal", "refusal", MESSAGE),
    "response.reasoning_text": _TextEvents("content", "content_index", REASONING_TEXT, item=REASONING),
    "response.reasoning_summary_text": _TextEvents("summary", "summary_index", SUMMARY_TEXT, item=REASONING),
    "response.function_call_arguments": _TextEvents("arguments", text="arguments"),
    "response.custom_tool_call_input": _TextEvents("input", text="input"),
    "response.mcp_call_arguments": _TextEvents("arguments", text="arguments"),
    "response.mcp_call.arguments": _TextEvents("arguments", text="arguments"),
    "response.code_interpreter_call_code": _TextEvents("code", text="code"),
    "response.code_interpreter_call.code": _TextEvents("code", text="code"),
}
"""The events of texts, by their types without `.delta` and `.done`."""
_PARTS: Final = {
    "response.content_part": ("content", "content_index"),
    "response.reasoning_summary_part": ("summary", "summary_index"),
}
"""The lists and indices of parts, by the types of their events without `.added` and `.done`."""


_PARTS_OF: Final[dict[str, frozenset[str]]] = {
    MESSAGE: frozenset({OUTPUT_TEXT, "text", "refusal"}),
    REASONING: frozenset({REASONING_TEXT, SUMMARY_TEXT}),
}
"""The types of parts whose texts are passed on, by the type of their item."""
_MAX_INDEX: Final = 10_000
"""Indices of parts must be lower than this."""


class Assembly:
    """A response so far.

    Args:
        note: takes a sentence about what was mended.

    Attributes:
        envelope: the response as the last event had it.
        items: its items, in order.
    """

    def __init__(self, note: Note) -> None:
        self.envelope: Object = {}
        self.items: list[Item] = []
        self._note = note
        self._by_index: dict[int, Item] = {}
        self._by_id: dict[str, Item] = {}
        self._implied: dict[Json, Item] = {}
        """The items of texts whose items have not begun, by the type and the place that the events name."""

    def take(self, kind: str, event: Object) -> NewText | None:
        """Take an event; return the new text in it, if any."""
        new: NewText | None = None
        subject, _, step = kind.rpartition(".")
        if subject in _TEXTS and step in ("delta", "done"):
            new = self._add_text(_TEXTS[subject], step, event)
        elif kind == "response.output_item.added":
            self._add(event)
        elif kind == "response.output_item.done":
            self._finish(event)
        elif subject in _PARTS and step in ("added", "done"):
            new = self._take_part(*_PARTS[subject], event)
        elif kind == "response.output_text.annotation.added":
            self._add_annotation(event)
        elif "response" in event:
            self._take_response(object_of(event["response"], "a response", self._note))
        else:
            self._wait_for_whole(event)
            return None
        note_unknown(event, KNOWN, self._note)
        return new

    def _wait_for_whole(self, event: Object) -> None:
        """Take an event whose pieces are not put together, such as those of an image: the whole item has them."""
        if all(key in _PLACES or is_empty(value) for key, value in event.items()):
            return
        item = self._named_in(event)
        if item is None:
            if may_say(event) or not _ITEMS.isdisjoint(event):
                self._note("an event is not understood; the event is left out")
        elif not item.done:
            item.awaited = True

    def _take_response(self, response: Object) -> None:
        """Take a response, which replaces the previous one."""
        if not isinstance(response.get("output", []), list):
            self._note("the output of a response is not a list; it is left out")
        self._report_missing(self.envelope, response)
        self.envelope = response

    def _report_missing(self, before: Json, after: Json) -> None:
        """Report the members that a value lacks although the value that it replaces has them."""
        for key in missing_keys(before, after):
            self._note(f"a member {key[:40]!r} is missing from the whole that comes later; it is left out")

    def _named_in(self, event: Object) -> Item | None:
        """Return the item of an event, by its index or else its id; None if it has not begun."""
        index, item_id = event.get("output_index"), event.get("item_id")
        item = self._by_index.get(index) if isinstance(index, int) else None
        return self._by_id.get(item_id) if item is None and isinstance(item_id, str) else item

    def _find(self, event: Object) -> Item | None:
        """Return the item of an event; None if there is none that has not ended."""
        item = self._named_in(event)
        if item is None:
            self._note("an event names an item that has not begun; the event is left out")
        elif item.done:
            self._note("an event comes after the end of its item; the event is left out")
            return None
        return item

    def _add(self, event: Object) -> Item | None:
        wire, index = event.get("item"), event.get("output_index")
        if not isinstance(wire, dict) or not wire:
            self._note("an item is not an object with a type; the item is left out")
            return None
        item = Item(own_json(cast("Object", wire)))
        item.waiting += _texts_of(item)
        item.pieces |= {new.place: [] for new in item.waiting}
        self.items.append(item)
        if isinstance(index, int):
            if index in self._by_index:
                self._note("two items have the same index; their ids distinguish them")
            self._by_index[index] = item
        if isinstance(item_id := item.wire.get("id"), str):
            self._by_id[item_id] = item
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
        before, after = item.settle(), own_json(whole)
        for place in () if item.waits_for_end else item.pieces:
            if not text_at(after, place).startswith(text_at(before, place)):
                self._note("a finished item differs from what was streamed; what was streamed is kept")
                item.done = True
                return
        if item.waits_for_end and before.get("type") != after.get("type"):
            self._note("a call ends as an item of another type; the item is kept")
        else:
            self._report_missing(before, after)
        item.wire, item.done, item.awaited = after, True, False
        # The pieces are in it now; it has no such places any more if its type has changed.
        item.pieces = {place: [] for place in item.pieces if text_at(after, place)}
        item.waiting.clear()

    def _add_text(self, texts: _TextEvents, step: str, event: Object) -> NewText | None:
        implied = self._imply(texts.item, event) if texts.item and self._named_in(event) is None else None
        item = implied or self._find(event)
        if item is None:
            return None
        kind = item.wire.get("type")
        if kind in (MESSAGE, REASONING) and texts.item != kind:
            self._note("a text does not fit its item; it is left out")
            return None
        place, is_passed_on = Place(texts.key), True
        if texts.at is not None:
            index = event.get(texts.at, 0)
            if type(index) is not int or not 0 <= index < _MAX_INDEX:
                self._note("an event has no index for its part; the event is left out")
                return None
            kind = item.part(texts.key, index, texts.kind).setdefault("type", texts.kind)
            is_passed_on = str(kind) in _kinds_of(item.wire)
            place = Place(texts.key, index)
        text = event.get("delta" if step == "delta" else texts.text)
        if not isinstance(text, str):
            self._note("a text delta is not a text; it is left out")
            return None
        pieces = item.pieces.setdefault(place, [])
        if step == "done":
            streamed = item.text(place)
            if not text.startswith(streamed):
                self._note("a finished text differs from its deltas; the deltas are kept")
                return None
            text = text[len(streamed) :]
        if not text:
            return None
        pieces.append(text)
        return NewText(item, place, text) if is_passed_on and item is not implied else None

    def _imply(self, kind: str, event: Object) -> Item:
        """Return the item of a text whose item has not begun: it waits for the end, which may have that item."""
        self._note("a text has no item that has begun; it waits for the end")
        place = f"{kind} {event.get('output_index')} {event.get('item_id')}"
        beginning: Object = {"role": "assistant", "content": []} if kind == MESSAGE else {SUMMARY: []}
        return self._implied.setdefault(place, Item({"type": kind, **beginning}))

    def _take_part(self, key: str, name: str, event: Object) -> NewText | None:
        """Take a whole part, if its text continues what was streamed; return the rest of its text."""
        item, index, part = self._find(event), event.get(name, 0), event.get("part")
        if item is None or not isinstance(part, dict):
            return None
        if type(index) is not int or not 0 <= index < _MAX_INDEX:
            self._note("an event has no index for its part; the event is left out")
            return None
        before, after = item.part(key, index, str(members_of(part).get("type"))), own_json(cast("Object", part))
        place = Place(key, index)
        streamed = item.text(place) if place in item.pieces else ""
        text = text_at({key: [after]}, Place(key, 0))
        if not text.startswith(streamed):
            return None
        self._report_missing(before, after)
        before.clear()
        before.update(after)
        item.pieces.setdefault(place, [])
        is_more = text != streamed and str(after.get("type")) in _kinds_of(item.wire)
        return NewText(item, place, text[len(streamed) :]) if is_more else None

    def _add_annotation(self, event: Object) -> None:
        item, index = self._find(event), event.get("content_index", 0)
        if item is None or type(index) is not int or not 0 <= index < _MAX_INDEX:
            return
        part = item.part("content", index, OUTPUT_TEXT)
        listed: Json = part.get("annotations")
        if isinstance(listed, list) and event.get("annotation") is not None:
            cast("list[Json]", listed).append(event["annotation"])

    # --- the response -------------------------------------------------------------------------------------------------

    def output(self) -> list[Json]:
        """Return the items as they were streamed; those that have not ended are marked as incomplete."""
        out: list[Json] = []
        for item in self.items:
            *before, wire = item.split()
            if item.awaited:
                self._note("pieces of an item came without the whole item; they are left out")
            if before:
                self._note("the reasoning text comes after its summary; it is read as an item of its own")
            out += [*before, wire if item.done else {**wire, "status": "incomplete"}]
        return out

    @property
    def has_come(self) -> bool:
        """Whether anything of the response has arrived."""
        return bool(self.envelope or self.items or self._implied)

    def response(self) -> Object:
        """Return the response, with the items of texts that no other item has."""
        response = self._response()
        output = items_of(response.get("output"))
        implied = [item.settle() for item in self._implied.values() if not any(_is_in(item, each) for each in output)]
        if not implied:
            return response
        ended: Object = {} if response.get("status") == COMPLETED else {"status": "incomplete"}
        return {**response, "output": [*output, *({**wire, **ended} for wire in implied)]}

    def _response(self) -> Object:
        """Return the response: with its own items if they continue the streamed ones, else with the streamed items."""
        output: Json = self.envelope.get("output")
        streamed = self.output()
        around = self.envelope or {"object": "response", "status": "in_progress"}
        if isinstance(output, list) and (output or not streamed):
            if output == streamed:
                return self.envelope
            if self._continues(cast("list[Json]", output)):
                self._report_missing([item.wire for item in self.items], output)
                return self.envelope
            self._note("the response differs from the items that were streamed; the streamed items are kept")
        return {**around, "output": streamed}

    def _continues(self, output: list[Json]) -> bool:
        """Return whether the items of a response are those that were streamed, with equal texts, and perhaps more."""
        if len(output) < len(self.items) or not all(
            item and isinstance(item, dict) for item in cast("list[object]", output)
        ):
            return False
        for item, whole in zip(self.items, output, strict=False):
            members, wire = members_of(whole), item.settle()
            same = all(members.get(key) == wire.get(key) for key in ("type", "role", "phase", "name", "call_id"))
            is_split = item.thought_key == SUMMARY and bool(members.get("content"))
            if is_split or not same or any(text_at(members, place) != text_at(wire, place) for place in item.pieces):
                return False
            if item.done and members != wire and _texts_in(members) != _texts_in(wire):
                return False  # it came whole, and was passed on
        return True


def _is_in(item: Item, whole: Json) -> bool:
    """Return whether an item of an output has the texts of another one."""
    members = members_of(whole)
    same = members.get("type") == item.wire.get("type")
    return same and all(text_at(members, place) == item.text(place) for place in item.pieces)


def _texts_in(wire: Object) -> list[str]:
    """Return the text of each message that an item is."""
    return [] if is_state(wire) else list(map(text_of, read_item(wire)))


def _texts_of(item: Item) -> list[NewText]:
    """Return the texts that an item begins with."""
    wire, kind, kinds = item.wire, item.wire.get("type"), _kinds_of(item.wire)
    places = [
        Place(key, at)
        for key in ("content", SUMMARY)
        for at, part in enumerate(items_of(wire.get(key)))
        if str(members_of(part).get("type")) in kinds
    ]
    if isinstance(kind, str) and kind in BODIES:
        places.append(Place(BODIES[kind]))
    return [NewText(item, place, text) for place in places if (text := text_at(wire, place))]


def _kinds_of(wire: Object) -> frozenset[str]:
    """Return the types of the parts of an item whose texts are passed on."""
    return _PARTS_OF.get(str(wire.get("type")), frozenset())
