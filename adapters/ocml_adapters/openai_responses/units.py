"""Define the unit reader and the unit writer of the Responses API; a unit is an item."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, cast

from ocml_bridge.chat.turns import declares_tools
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.envelopes import Body
from ocml_bridge.units.grammar import ContentClass, Skeleton, SplitDocument, SplitEnvelope, State, Unit, WrittenUnit
from ocml_bridge.units.grouping import with_grouping
from ocml_bridge.units.heads import Head, Item, message_of
from ocml_bridge.units.pairing import identified, name_replies
from ocml_bridge.units.relations import with_tools_apart
from ocml_bridge.units.repeats import mark_repeats, with_repeats_joined
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blanks import without_blanks
from ocml_bridge.wires.freeform import is_object
from ocml_bridge.wires.shell import Shell
from ocml_bridge.wires.units import DocumentReader, DocumentWriter

from .calls import FUNCTION
from .item_members import ABSENT, GENERATED_ID, PLACEHOLDER, generated_id, with_generated_ids
from .items import is_state, read_item, report_findings, spelled
from .messages import INSTRUCTIONS, Instructions, is_additional_tools, is_instructions
from .nearest import nearest, read_preambles, with_call_types, with_names, with_phases, with_reply_types
from .shapes import DOCUMENTS, UNITS, envelope_key, is_incomplete, split_document, takes_instructions, write_document
from .skeletons import skeleton, with_values
from .syntax import HOME, INPUT, NOTES

_FIRST: Final = "first"
"""The state before the first item of a document that has a place for instructions."""

# --- reading and writing ----------------------------------------------------------------------------------------------


class ItemReader(DocumentReader):
    """The unit reader: it reads each item by itself."""

    documents = DOCUMENTS
    request = UNITS

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Split a document into its items and all else.

        Raises:
            BridgeError: OCB-SHAPE if it has none of the shapes; OCB-SEVERAL if it is a list of documents.
        """
        return split_document(source, log)

    def split_envelope(self, source: str | Json) -> SplitEnvelope | None:
        """Split a request into its envelope and its items; None for a document of another shape."""
        split = UNITS.split_envelope(source)
        return None if split is None else split._replace(units=with_generated_ids(split.units))

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """Return an item without contents and ids; None if another member has a value that is not part of a key."""
        if unit.__class__ is not dict:
            return (INSTRUCTIONS, [str(unit)]) if unit.__class__ is Instructions else None
        return skeleton(unit)

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is empty: what else a text says is in no key."""
        return all(texts)

    def with_values(self, unit: Any, values: Sequence[str]) -> Unit:
        """Return an item that has a skeleton, with other contents and ids."""
        if unit.__class__ is Instructions:
            return Instructions(values[0])
        return with_values(unit, values)

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the messages of an item.

        Raises:
            BridgeError: OCB-SHAPE with its JSON pointer, if it is no object with members.
        """
        if not isinstance(unit, (dict, Instructions)) or not unit:
            place = cast("Shell", split.document).place(at)
            raise BridgeError(ErrorCode.SHAPE, "an item must be an object with a type or a role", path=place)
        messages = read_item(unit)
        report_findings(unit, messages, index, log)
        return messages

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation: texts before calls are preambles, turns are grouped, replies are named."""
        return _related(items, split.around, log)


class ItemWriter(DocumentWriter):
    """The unit writer: a unit is an item, or a list of items if messages that were read from one no longer fit it."""

    looks_at_contents = False
    target = HOME
    home = HOME
    reader = ItemReader
    groups = True
    mixes_roles = True
    keeps_ids = True

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Prepare a conversation: declare all tools once, give ids to calls without one, mark calls of custom tools.

        A text that would be read with another phase gets its own. A reply whose tool's name would not follow from its
        call gets the layout of a reply with a name.
        """
        conversation, origins = with_tools_apart(conversation, log, declare=_declares_tools)
        items, origins = without_blanks(conversation.items, origins, log, target=HOME)
        items, origins = with_repeats_joined(items, origins, log, NOTES)
        items = identified(with_call_types(with_phases(items), conversation.around.tools), HOME)
        items = with_names(with_reply_types(items))
        start = _FIRST if takes_instructions(conversation.around) else None
        return Prepared(items, conversation.around, origins, start)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Return the nearest message that the Responses API can hold, or None."""
        return nearest(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """Return whether a message was read from the same item as the previous one."""
        return NOTES.is_merged(head.layout)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether the head decides all: a call's input may decide its type; some contents are JSON values."""
        layout = NOTES.of(head.layout)
        if head.calls:
            return head.promises_json and "body" not in layout and "form" not in layout
        return "body" not in layout

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a call's input: a JSON object or not; None if the call was read from this format."""
        if not head.bare:
            return None
        return _OBJECT if is_object(content) else _OTHER

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Write messages as an item; instructions that are empty or not first become an ordinary message."""
        if is_instructions(group[0]) and (state != _FIRST or group[0].content == ""):
            group[0].layout = None
        written = spelled(group)
        items = [*map(_as_json, written.unit)]
        return written._replace(unit=items[0] if len(items) == 1 else items)

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """Return the items."""
        return Body(_items_of(units, around))

    def is_read_as(self, split: SplitDocument, body: Body) -> bool:
        """Return whether the items that were read are those that were written; generated ids are read as absent."""
        return super().is_read_as(split, body._replace(units=[*with_generated_ids(body.units)]))

    def written(self, around: Transcript, body: Body) -> Json:
        """Return a request, a response, an exchange of both, or a list of items."""
        return write_document(around, body)

    def envelope_key(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Return whether a request has instructions; None if its envelope depends on more, or for another shape."""
        return envelope_key(units, around)

    def with_units(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """Return a request with other items in an envelope."""
        return super().with_units(envelope, _items_of(units, around), around)

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the conversation: turns are grouped, and replies get the names of their tools."""
        return _related(items, around, Log())


_OBJECT: Final = ContentClass('{"a": "', '"}')
_OTHER: Final = ContentClass()
"""The classes of a call's input: a JSON object, and any other text."""


def _declares_tools(items: Sequence[Item]) -> bool:
    """Return whether messages declare tools, other than those that were read from items of additional tools."""
    return any(
        item[1].__class__ is not str
        and declares_tools(message := message_of(item))
        and not is_additional_tools(message)
        for item in items
    )


def _related(items: list[Item], around: Transcript, log: Log) -> Conversation:
    """Return the conversation of messages that were read or written; change the list."""
    name_replies(items, log)
    mark_repeats(items, NOTES)
    _cut_off_last(items, around)
    read_preambles(items)
    return Conversation(with_grouping([*with_reply_types(items, FUNCTION)]), around)


def _cut_off_last(items: list[Item], around: Transcript) -> None:
    """Mark the last message as cut off if its document says so, and the message does not; change the list.

    Args:
        items: the messages.
        around: the transcript around them.
    """
    if not items or not is_incomplete(around) or items[-1][0].role != "assistant":
        return
    head, content, call_id = items[-1]
    if head.end is not None and "status" not in NOTES.together(head.extras, head.layout):
        layout = NOTES.adding(head.layout, {"status": ABSENT})
        items[-1] = (head.replaced(end=None, layout=layout), content, call_id)


def _as_json(item: Any) -> Object:
    """Return an item as JSON that plans can store, with placeholders for instructions and generated ids."""
    if isinstance(item, Instructions):
        return {"type": PLACEHOLDER, "text": str(item)}
    return {**item, "id": PLACEHOLDER} if item.get("id") is GENERATED_ID else item


def _items_of(units: list[Any], around: Transcript) -> list[Any]:
    """Return the items of a document, with the items that are no messages, and with generated ids.

    Args:
        units: items and lists of items; the first may be the instructions.
        around: the transcript around them.
    """
    items: list[Any] = []
    for unit in units:
        if unit.__class__ is list:
            items += unit
        else:
            items.append(unit)
    if items and items[0].get("type") is PLACEHOLDER:
        items[0] = Instructions(items[0]["text"])
    _insert_state(items, NOTES.of(around.extras).get(INPUT))
    for at, item in enumerate(items):
        if item.__class__ is dict and item.get("id") is PLACEHOLDER:
            items[at] = {**item, "id": generated_id(item["type"], at)}
    return items


def _insert_state(items: list[Json], entries: Json) -> None:
    """Insert the items that are no messages, each at its index; ignore malformed ones."""
    for each in items_of(entries):
        entry = members_of(each)
        at, item = entry.get("at"), cast("Object", entry.get("item"))
        if set(entry) == {"at", "item"} and type(at) is int and item.__class__ is dict and is_state(item):
            items.insert(max(at, int(bool(items) and isinstance(items[0], Instructions))), item)
