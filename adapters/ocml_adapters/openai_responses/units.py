"""Items of the Responses API and their messages."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Final, cast

from ocml_bridge.chat.turns import declares_tools
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.envelopes import Body
from ocml_bridge.units.grammar import ContentClass, Emptied, Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.grouping import with_grouping
from ocml_bridge.units.heads import Head, Item, message_of
from ocml_bridge.units.pairing import name_replies
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.relations import with_tools_apart
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blanks import without_blanks
from ocml_bridge.wires.shell import Shell
from ocml_bridge.wires.units import DocumentReader, DocumentWriter

from .calls import FUNCTION, is_object
from .items import ABSENT, BY_PLACE, MADE_UP, filled, made_up_id, skeleton, without_made_up
from .messages import INSTRUCTIONS, Instructions, declares_more_tools, is_instructions
from .nearest import linked, nearest, with_call_types, with_names, with_reply_types
from .shapes import DOCUMENTS, UNITS, is_incomplete, outline, part, takes_instructions, write_document
from .spelling import is_merged, is_state, notice, read_item, spelled
from .syntax import HOME, INPUT, NOTES

_FIRST: Final = "first"
"""The state before the first item, where what is said before all of them has a place."""

# --- reading and writing ----------------------------------------------------------------------------------------------


class ItemReader(DocumentReader):
    """Reads items."""

    looks_at_contents = False
    documents = DOCUMENTS
    request = UNITS

    def part(self, source: str | Json, log: Log) -> Parted:
        """A document without its items.

        Raises:
            BridgeError: OCB-SHAPE for anything that is none of the shapes; OCB-SEVERAL for a list of documents.
        """
        return part(source, log)

    def emptied(self, source: str | Json) -> Emptied | None:
        """A request as its envelope and its items; None for a document of another shape."""
        found = UNITS.emptied(source)
        return None if found is None else found._replace(units=without_made_up(found.units))

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """An item without contents and ids; None where it has other members that say something."""
        if unit.__class__ is not dict:
            return (INSTRUCTIONS, [str(unit)]) if unit.__class__ is Instructions else None
        return skeleton(unit)

    def filled(self, unit: Any, values: Sequence[str]) -> Unit:
        """An item that has a skeleton, with other contents and ids."""
        if unit.__class__ is Instructions:
            return Instructions(values[0])
        return filled(unit, values)

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of an item.

        Raises:
            BridgeError: OCB-SHAPE with the JSON pointer of what is none.
        """
        if not isinstance(unit, (dict, Instructions)) or not unit:
            place = cast("Shell", parted.document).place(at)
            raise BridgeError(ErrorCode.SHAPE, "an item must be an object with a type or a role", path=place)
        made = read_item(unit)
        notice(unit, made, index, log)
        return made

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation in its turns, with the names of the tools whose calls are answered."""
        name_replies(items, log)
        _cut_short(items, parted.around)
        return Conversation(with_grouping([*with_reply_types(items, FUNCTION)]), parted.around)


class ItemWriter(DocumentWriter):
    """Writes items: a unit is one, or a list where messages that were read from one do not fit into it any more."""

    looks_at_contents = False
    target = HOME
    home = HOME
    reader: ClassVar[type[UnitReader]] = ItemReader
    documents = DOCUMENTS
    request = UNITS
    groups = True
    mixes_roles = True
    keeps_ids = True

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with tools apart from messages, with ids for calls that have none, and with names."""
        conversation, origins = with_tools_apart(conversation, log, declare=_declares_tools)
        items, origins = without_blanks(conversation.items, origins, log, target=HOME)
        items = with_names(with_reply_types(linked(with_call_types(items, conversation.around.tools))))
        start = _FIRST if takes_instructions(conversation.around) else None
        return Prepared(items, conversation.around, origins, start)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Texts in thoughts and calls, parts that are known elsewhere."""
        return nearest(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message was read from one item with the one before it."""
        return not head.bare and is_merged(head.message("", None))

    def follows(self, head: Head) -> bool:
        """What calls say tells their type where nothing else does; some bodies are JSON values."""
        layout = {} if head.bare else NOTES.of(head.message("", None).layout)
        if head.calls:
            return head.promises_json and "body" not in layout and "form" not in layout
        return "body" not in layout

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Whether what a tool is given is a JSON object."""
        layout = {} if head.bare else NOTES.of(head.message("", None).layout)
        if "body" in layout or not head.bare:
            return None
        return _OBJECT if is_object(content) else _OTHER

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """An item, and what it reads as; so is what is said before all items, where it is not the first, or empty."""
        if is_instructions(group[0]) and (state != _FIRST or group[0].content == ""):
            group[0].layout = None
        written = spelled(group)
        items = [*map(_kept, written.items)]
        return Spelled(items[0] if len(items) == 1 else items, written.image, None)

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """The items."""
        return Body(_items_of(units, around))

    def is_read_as(self, parted: Parted, body: Body) -> bool:
        """Whether the items that were read are those that were written; ids that places give are read as none."""
        return super().is_read_as(parted, body._replace(units=[*without_made_up(body.units)]))

    def written(self, around: Transcript, body: Body) -> Json:
        """A request, a response, one of each, or a list of items."""
        return write_document(around, body)

    def outline(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Whether a request says something before its items."""
        return outline(units, around)

    def refilled(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """A request with other items."""
        return super().refilled(envelope, _items_of(units, around), around)

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The conversation in its turns, with the names of the tools whose calls are answered."""
        name_replies(items, Log())
        _cut_short(items, around)
        return Conversation(with_grouping([*with_reply_types(items, FUNCTION)]), around)


_OBJECT: Final = ContentClass('{"a": "', '"}')
_OTHER: Final = ContentClass()
"""What a tool is given: a JSON object, and anything else."""


def _declares_tools(items: Sequence[Item]) -> bool:
    """Whether tools are declared inside messages that were not read from items of additional tools."""
    return any(
        item[1].__class__ is not str
        and declares_tools(message := message_of(item))
        and not declares_more_tools(message)
        for item in items
    )


def _cut_short(items: list[Item], around: Transcript) -> None:
    """Let the last answer be one that was cut off, where the document alone says so. It changes the list.

    Args:
        items: the messages.
        around: what stands around them.
    """
    if not items or not is_incomplete(around) or items[-1][0].role != "assistant":
        return
    head, content, call_id = items[-1]
    message = head.message("", None)
    extras, layout = NOTES.of(message.extras), NOTES.of(message.layout)
    if message.end is not None and "status" not in extras and "status" not in layout:
        own = NOTES.by_format({**layout, "status": ABSENT}) or {}
        items[-1] = (head.replaced(end=None, layout={**(message.layout or {}), **own}), content, call_id)


def _kept(item: Any) -> Object:
    """An item as a JSON object, which plans keep."""
    if isinstance(item, Instructions):
        return {MADE_UP: str(item)}
    return {**item, "id": MADE_UP} if item.get("id") is BY_PLACE else item


def _items_of(units: list[Any], around: Transcript) -> list[Any]:
    """The items of a document, with what is said before all of them, and with those in which nobody says anything.

    Args:
        units: items, and lists of items; the first may be what is said before all of them.
        around: what stands around them.
    """
    items: list[Any] = []
    for unit in units:
        if unit.__class__ is list:
            items += unit
        else:
            items.append(unit)
    if items and items[0].keys() == {MADE_UP}:
        items[0] = Instructions(items[0][MADE_UP])
    _place(items, NOTES.of(around.extras).get(INPUT))
    for at, item in enumerate(items):
        if item.__class__ is dict and item.get("id") == MADE_UP:
            items[at] = {**item, "id": made_up_id(item["type"], at)}
    return items


def _place(items: list[Json], state: Json) -> None:
    """Put items in which nobody says anything among the others, each at its place."""
    for entry in cast("list[Json]", state) if isinstance(state, list) else []:
        one = cast("Object", entry) if isinstance(entry, dict) else {}
        at, item = one.get("at"), cast("Object", one.get("item"))
        if set(one) == {"at", "item"} and type(at) is int and item.__class__ is dict and is_state(item):
            items.insert(max(at, int(bool(items) and isinstance(items[0], Instructions))), item)
