"""Wire messages of Anthropic Messages, the system prompt among them, and their messages."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple, cast

from ocml_bridge.chat.turns import is_blank, is_call, parts_of
from ocml_bridge.json_values.form import Object, add, shape
from ocml_bridge.loss import FindingCode, Log, LossCode, Severity
from ocml_bridge.model import Json, Message, Text, Transcript, replace
from ocml_bridge.units.arrange import gathered
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.envelopes import Body
from ocml_bridge.units.grammar import ANY_CONTENT, ContentClass, Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.pairing import name_replies
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.relations import with_tools_apart
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blocks.values import AN_OBJECT, compact_object, nearest_object
from ocml_bridge.wires.shell import Shell
from ocml_bridge.wires.units import DocumentReader, DocumentWriter

from .blocks import ends_in_reply, write_block
from .nearest import is_in_turn, is_spoken, joins, nearest, note_repeated, with_ids, with_one_prompt, without_blocks
from .parts import without_unknown, write_content, write_parts
from .reader import filled, is_system_prompt, notice, read_unit, skeleton
from .shapes import DOCUMENTS, UNITS, blocks_in, is_answer, is_response, outline, trims, write_document
from .syntax import EMPTY, HOME, MESSAGE, MESSAGES, NOTES, SYSTEM, UNSIGNED, WIRE_ORDER
from .tools import NAMES

# --- spelling ---------------------------------------------------------------------------------------------------------


def spelled(group: Sequence[Message], *, apart: bool) -> tuple[Object, list[Message]]:
    """A unit, and its messages as they are read; without what these remember of their spelling if it misleads.

    Args:
        group: the messages of one unit.
        apart: whether it is the system prompt, which stands beside the messages.
    """
    unit = _write_unit(group, apart=apart)
    image = read_unit(unit)
    if image == list(group):
        return unit, image
    if [message.content for message in image] != [message.content for message in group]:
        unit = _write_unit([replace(message, extras=None, layout=None) for message in group], apart=apart)
        image = read_unit(unit)
    return unit, image


def with_object(message: Message, path: str, log: Log) -> Message:
    """A call whose arguments are the compact JSON of an object; any other message as it is."""
    if not is_call(message) or compact_object(cast("str", message.content)) is not None:
        return message
    given = nearest_object(cast("str", message.content), f"{path}/content", log, target=HOME)
    return replace(message, content=given)


def _write_unit(group: Sequence[Message], *, apart: bool) -> Object:
    first = group[0]
    if apart:
        return {SYSTEM: write_content(first.content, NOTES.of(first.layout))}
    role = "assistant" if is_in_turn(first) else "user" if first.role == "tool" else first.role
    if len(group) == 1 and is_spoken(first):
        content = write_content(first.content, NOTES.of(first.layout))
    else:
        content = [block for message in group for block in _blocks(message, role)]
    wire: Object = {"role": role, "content": content}
    if more := NOTES.of(first.extras).get(MESSAGE):
        wire = add(wire, more, WIRE_ORDER)
    form = NOTES.of(first.layout).get(MESSAGE)
    if form is None:
        return wire
    return shape(wire, form, fixed=("role", "content") if content else ("role",))


def _blocks(message: Message, role: str) -> list[Json]:
    if is_spoken(message):
        return write_parts(parts_of(message.content), NOTES.of(message.layout).get("parts"))
    return [write_block(message, role)]


# --- reading and writing ----------------------------------------------------------------------------------------------


class WireReader(DocumentReader):
    """Reads wire messages."""

    looks_at_contents = False
    documents = DOCUMENTS
    request = UNITS

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """A wire message without contents and ids; None where it has other members that say something."""
        return skeleton(unit, before)

    def filled(self, unit: Unit, values: Sequence[str]) -> Unit:
        """A wire message that has a skeleton, with other contents and ids."""
        return filled(unit, values)

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a wire message, or that of the system prompt.

        Raises:
            BridgeError: OCB-SHAPE with the JSON pointer of what is none.
        """
        wire = unit if is_system_prompt(unit) else cast("Shell", parted.document).message(unit, at)
        made = read_unit(wire)
        notice(wire, made, index, log)
        if _is_reply(made[0]) and at and ends_in_reply(parted.units[at - 1]):
            _note(made[0], "apart", True)
        if _is_system(wire) and not is_system_prompt(wire) and all(map(_is_system, parted.units[:at])):
            _note(made[0], "place", MESSAGES)
        return made

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with the names of the tools whose calls are answered."""
        return _related(items, parted.around, log)


class Behind(NamedTuple):
    """What a unit depends on, of those before it.

    Attributes:
        instructed: whether nobody has spoken yet.
        has_units: whether there is a unit at all.
        replied: whether the unit before ends in what a tool replied.
        cut: whether the unit before was cut off.
    """

    instructed: bool = True
    has_units: bool = False
    replied: bool = False
    cut: bool = False


class WireWriter(DocumentWriter):
    """Writes wire messages."""

    target = HOME
    home = HOME
    mark = ""
    reader: ClassVar[type[UnitReader]] = WireReader
    documents = DOCUMENTS
    request = UNITS
    groups = True
    mixes_roles = True
    keeps_ids = True
    settles = True

    def inert(self, text: str) -> bool:
        """Whether a text is not white space alone, which the API refuses; an empty one is told by its head."""
        return not text.isspace()

    def is_prepared_alike(self, head: Head, content: str) -> bool:
        """Whether a message is none that might be trimmed as the last one."""
        return head.role != "assistant" or head.calls or not content[-1:].isspace()

    def arranged(self, conversation: Conversation) -> Sequence[int] | None:
        """The API wants what tools reply to a turn directly behind it, in the order of its calls."""
        if NOTES.of(conversation.around.layout).get(_ORDER) == _AS_GIVEN:
            return None
        return gathered(conversation.items, is_in_turn)

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with tools apart from messages, with ids and names that the API takes, and one system prompt."""
        conversation, origins = with_tools_apart(conversation, log)
        items, origins = with_one_prompt(with_ids(conversation.items), origins, log)
        if not (is_response(conversation.around) or UNSIGNED.of(self.options) == "keep"):
            items = without_unknown(items, origins, log)
        if len(items) == 1 and is_answer(conversation.around):
            items = [_with_list(items[0])]
        items, around = NAMES.fitted(items, conversation.around)
        if trims(around):
            items = self._trimmed(items, origins, log)
        return Prepared(items, around, origins, Behind())

    def _trimmed(self, items: Sequence[Item], origins: Sequence[int] | None, log: Log) -> Sequence[Item]:
        """The items, a last text of the assistant without white space at its end: the API refuses to continue it."""
        at = len(items) - 1
        while at >= 0 and items[at][0].role == "assistant" and self.nearest(message_of(items[at]), at, Log()) is None:
            at -= 1
        if at < 0 or items[at][0].role != "assistant":
            return items
        message = message_of(items[at])
        trimmed = _without_space(message)
        if trimmed is message:
            return items
        detail = f"{HOME} refuses a last text of the assistant that ends in white space; it is written without"
        path = f"/messages/{at if origins is None else origins[at]}/content"
        log.lose(LossCode.CONTENT, path, detail, Severity.CHANGED)
        return [*items[:at], item_of(trimmed), *items[at + 1 :]]

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Texts in thoughts and calls, parts that are known elsewhere."""
        return nearest(message, index, log, keeps_unsigned=UNSIGNED.of(self.options) == "keep")

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message stands in one wire message with the one before it."""
        one, other = (each.message("" if each.empty else "x", None) for each in (before, head))
        return joins(one, other)

    def settled(self, head: Head, content: str, path: str, log: Log) -> str:
        """Arguments are the JSON of an object in our spelling."""
        return nearest_object(content, path, log, target=HOME) if head.calls else content

    def follows(self, head: Head) -> bool:
        """Arguments are written as an object, and what servers' tools give as the value that it was."""
        return not head.calls and (head.bare or NOTES.of(head.message("", None).layout).get("content") != "json")

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Arguments that are spelled as we spell an object are written alike."""
        if head.calls:
            return AN_OBJECT
        return ANY_CONTENT if self.follows(head) else None

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """A wire message or the system prompt, and what it reads as."""
        before, first = cast("Behind", state), group[0]
        instructs = first.role == SYSTEM
        among = NOTES.of(first.layout).get("place") == MESSAGES
        apart = instructs and not before.has_units and not among and bool(first.content)
        unit, image = spelled(group, apart=apart)
        # What tells where a unit stands is not in the unit.
        if _is_reply(image[0]) and before.replied:
            _note(image[0], "apart", True)
        if instructs and before.instructed and not is_system_prompt(unit):
            _note(image[0], "place", MESSAGES)
        instructed, replied = before.instructed and instructs, _is_reply(image[-1])
        return Spelled(unit, image, Behind(instructed, True, replied, group[-1].end is None))

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """The system prompt, where there is one, and the wire messages."""
        return Body(units, cut_off=cast("Behind", state).cut)

    def written(self, around: Transcript, body: Body) -> Json:
        """A request, a response or a list of messages."""
        return write_document(around, body)

    def is_read_as(self, parted: Parted, body: Body) -> bool:
        """Whether the units that were read are those that were written; a response is one message, a list of blocks."""
        if super().is_read_as(parted, body):
            return True
        if len(parted.units) != 1 or len(body.units) != 1 or is_system_prompt(wire := cast("Object", body.units[0])):
            return False
        return parted.units[0] == {**wire, "content": blocks_in(wire)}

    def outline(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Whether the units of a request begin with a system prompt, and in what they end."""
        return outline(units, around)

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The conversation, with the names of the tools whose calls are answered."""
        if NOTES.of(around.layout).get("shape") == "response":
            _list_content(items)
        return _related(items, around, Log())


_ORDER, _AS_GIVEN = "order", "kept"
"""The note of a document whose replies do not stand where the API wants them."""


def _related(items: list[Item], around: Transcript, log: Log) -> Conversation:
    name_replies(items, log)
    note_repeated(items, log)
    order = gathered(items, is_in_turn)
    if order is not None:
        place = next(at for at, index in enumerate(order) if at != index)
        detail = "the API requires replies directly after their calls, in the order of the calls; they are not moved"
        log.find(FindingCode.SHAPE, f"/messages/{place}", detail)
        around = replace(around, layout={**(around.layout or {}), HOME: {**NOTES.of(around.layout), _ORDER: _AS_GIVEN}})
    return Conversation(items, around)


def _list_content(items: list[Item]) -> None:
    """The content of a response is a list of blocks, also where it is one text."""
    if len(items) != 1:
        return
    head, content, call_id = items[0]
    message = head.message(content, call_id)
    if isinstance(content, str) and content and is_spoken(message):
        _note(message, "content", "list")
        items[0] = (head.replaced(layout=message.layout), content, call_id)


def _with_list(item: Item) -> Item:
    """An answer as a response may say it: with texts that say nothing, and with an empty list of blocks.

    A message in a request is never empty.
    """
    head, content, call_id = item
    if head.role != "assistant" or head.calls or head.channel == "analysis":
        return item
    if isinstance(content, str) and not is_blank(content):
        return item
    message = head.message(content, call_id)
    if content == "":
        return item_of(without_blocks(message))
    _note(message, EMPTY, True)
    return item_of(message)


def _without_space(message: Message) -> Message:
    """A text of the assistant without white space at its end; any other message as it is."""
    parts = parts_of(message.content)
    text = parts[-1] if parts else None
    if not is_spoken(message) or not isinstance(text, Text):
        return message
    if not text.text[-1:].isspace() or is_blank(text.text):
        return message
    trimmed = replace(text, text=text.text.rstrip())
    return replace(message, content=trimmed.text if isinstance(message.content, str) else (*parts[:-1], trimmed))


def _is_reply(message: Message) -> bool:
    """Whether a message is what a tool of the client's replied."""
    return message.role == "tool" and not is_in_turn(message)


def _is_system(unit: Any) -> bool:
    return unit.__class__ is dict and (unit.get("role") == SYSTEM or is_system_prompt(unit))


def _note(message: Message, key: str, value: Json) -> None:
    message.layout = NOTES.by_format({**NOTES.of(message.layout), key: value})
