"""Define the unit reader and the unit writer of Anthropic Messages; a unit is a wire message or the system prompt."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.turns import is_blank, parts_of
from ocml_bridge.json_values.form import Object, add, shape
from ocml_bridge.loss import FindingCode, Log, LossCode, Severity
from ocml_bridge.model import Json, Media, Message, Passages, Text, Transcript, replace
from ocml_bridge.units.arrange import gathered
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.envelopes import Body
from ocml_bridge.units.grammar import ANY_CONTENT, ContentClass, Skeleton, SplitDocument, State, Unit, WrittenUnit
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.pairing import name_replies
from ocml_bridge.units.relations import indices_of, with_tools_apart
from ocml_bridge.units.repeats import mark_repeats, with_repeats_joined
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blocks.empty_texts import BESIDE, around
from ocml_bridge.wires.blocks.grammar import BLOCKS, EMPTY
from ocml_bridge.wires.blocks.values import AN_OBJECT, nearest_object, value_in
from ocml_bridge.wires.reply_order import ReplyOrder
from ocml_bridge.wires.shell import Shell
from ocml_bridge.wires.units import DocumentReader, DocumentWriter

from .blocks import CODEC, ends_in_reply, keeps_input, write_block, write_content, write_parts
from .nearest import (
    is_in_assistant_wire,
    is_text,
    joins,
    nearest,
    report_repeated,
    with_ids,
    with_one_prompt,
    without_blocks,
)
from .parts import without_unknown
from .reader import is_system_prompt, read_unit, report_findings, skeleton, with_values
from .shapes import (
    DOCUMENTS,
    UNITS,
    blocks_in,
    envelope_key,
    is_answer,
    is_own_response,
    is_response,
    trims,
    write_document,
)
from .syntax import HOME, MESSAGE, MESSAGES, NOTES, SYSTEM, UNSIGNED, WIRE_ORDER
from .tools import NAMES

# --- spelling ---------------------------------------------------------------------------------------------------------


def spelled(group: Sequence[Message], *, is_prompt: bool) -> WrittenUnit:
    """Return a unit and the messages that it reads as; layout and extras are ignored if they would change these.

    Args:
        group: the messages of one unit.
        is_prompt: whether it is the system prompt.
    """
    unit = _write_unit(group, is_prompt=is_prompt)
    image = read_unit(unit)
    if image == list(group):
        return WrittenUnit(unit, image, None)
    if [message.content for message in image] != [message.content for message in group]:
        unit = _write_unit([replace(message, extras=None, layout=None) for message in group], is_prompt=is_prompt)
        image = read_unit(unit)
    return WrittenUnit(unit, image, None)


def _write_unit(group: Sequence[Message], *, is_prompt: bool) -> Object:
    first = group[0]
    layout = NOTES.of(first.layout)
    role = "assistant" if is_in_assistant_wire(first) else "user" if first.role == "tool" else first.role
    if len(group) == 1 and is_text(first) and BESIDE not in layout:
        content = write_content(first.content, layout)
    else:
        content = [block for message in group for block in _blocks(message, is_first=message is first)]
    if is_prompt:
        return {SYSTEM: content}
    wire: Object = {"role": role, "content": content}
    if more := NOTES.of(first.extras).get(MESSAGE):
        wire = add(wire, more, WIRE_ORDER)
    form = layout.get(MESSAGE)
    return wire if form is None else shape(wire, form, fixed=("role", "content") if content else ("role",))


def _blocks(message: Message, *, is_first: bool) -> list[Json]:
    layout = NOTES.of(message.layout)
    before, after = around(layout)
    return [
        *(CODEC.write_part(Text("")) for _ in range(before if is_first else 0)),
        *(write_parts(parts_of(message.content), layout.get(BLOCKS)) if is_text(message) else [write_block(message)]),
        *(CODEC.write_part(Text("")) for _ in range(after)),
    ]


# --- reading and writing ----------------------------------------------------------------------------------------------


class WireReader(DocumentReader):
    """The unit reader of wire messages."""

    documents = DOCUMENTS
    request = UNITS

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """Return the skeleton of a unit, with its contents and ids; None if it has other members or values."""
        return skeleton(unit, before)

    def with_values(self, unit: Unit, values: Sequence[str]) -> Unit:
        """Return a unit that has a skeleton, with other contents and ids."""
        return with_values(unit, values)

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the messages of a wire message, or the message of the system prompt.

        Raises:
            BridgeError: OCB-SHAPE with its JSON pointer, if it is no wire message.
        """
        wire = unit if is_system_prompt(unit) else cast("Shell", split.document).message(unit, at)
        messages = read_unit(wire)
        report_findings(wire, messages, index, log)
        if _is_reply(messages[0]) and at and ends_in_reply(split.units[at - 1]):
            _set_layout(messages[0], "apart", True)
        if _is_system(wire) and not is_system_prompt(wire) and all(map(_is_system, split.units[:at])):
            _set_layout(messages[0], "place", MESSAGES)
        return messages

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation; replies get the names of the tools whose calls they answer."""
        return _related(items, split.around, log)


class WireState(NamedTuple):
    """The state after a unit, on which the writing of the next one depends.

    Attributes:
        only_system: whether all units so far are instructions.
        has_units: whether there is a unit.
        ends_in_reply: whether the last unit ends in the result of a tool of the client.
        cut_off: whether the last unit was cut off.
    """

    only_system: bool = True
    has_units: bool = False
    ends_in_reply: bool = False
    cut_off: bool = False


class WireWriter(DocumentWriter):
    """The unit writer of wire messages."""

    target = HOME
    home = HOME
    mark = ""
    reader = WireReader
    groups = True
    mixes_roles = True
    keeps_ids = True
    has_json_contents = True

    def inert(self, text: str) -> bool:
        """Return whether a text is not only white space, which the API refuses; a head says whether a text is empty."""
        return not text.isspace()

    def prepares_by_head(self, head: Head, content: str) -> bool:
        """Return whether a message would not be trimmed if it were the last one."""
        return head.role != "assistant" or head.calls or not content[-1:].isspace()

    def required_order(self, conversation: Conversation) -> Sequence[int] | None:
        """Return the order with the replies directly after their turn, in the order of its calls, or None."""
        return _REPLY_ORDER.of(conversation)

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Prepare a conversation: tools declared once, ids and names that the API accepts, one system prompt."""
        conversation, origins = with_tools_apart(conversation, log)
        items, origins = with_repeats_joined(conversation.items, origins, log, NOTES)
        items, origins = with_one_prompt(with_ids(items), origins, log)
        is_sent = not (is_response(conversation.around) and self._is_one_answer(items))
        is_sent = is_sent or (any(map(_is_prompted, items)) and not is_own_response(conversation.around))
        if is_sent and UNSIGNED.of(self.options) != "keep":
            items = without_unknown(items, origins, log)
        if len(items) == 1 and is_answer(conversation.around):
            items = [_with_list(items[0])]
        items, around = NAMES.fitted(items, conversation.around)
        if trims(around):
            items = self._trimmed(items, origins, log)
        return Prepared(items, around, origins, WireState())

    def _is_one_answer(self, items: Sequence[Item]) -> bool:
        """Return whether all messages are the assistant's, and share a wire message, as those of a response do."""
        joined = all(self.joins(before, head) for (before, _, _), (head, _, _) in pairwise(items))
        return joined and all(head.role == "assistant" for head, _, _ in items)

    def _trimmed(self, items: Sequence[Item], origins: Sequence[int] | None, log: Log) -> Sequence[Item]:
        """Return the items; the API refuses to continue white space, so a last text of the assistant is trimmed."""
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
        path = f"/messages/{indices_of(items, origins)[at]}/content"
        log.lose(LossCode.CONTENT, path, detail, Severity.CHANGED)
        return [*items[:at], item_of(trimmed), *items[at + 1 :]]

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Return the nearest message that the format can hold, or None."""
        return nearest(message, index, log, keeps_unsigned=UNSIGNED.of(self.options) == "keep")

    def joins(self, before: Head, head: Head) -> bool:
        """Return whether a message is written in one wire message with the previous one."""
        return joins(before.example(), head.example())

    def json_content(self, head: Head, content: str, path: str, log: Log) -> str:
        """Return the arguments of a call as the compact JSON of an object, or of what was read; a result unchanged."""
        if not head.calls or (keeps_input(head.layout) and value_in(content) is not None):
            return content
        return nearest_object(content, path, log, target=HOME)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether the head alone decides how a message is written, so that its content is no JSON value.

        Arguments are written as objects, and some results of the server's tools as values.
        """
        return not head.calls and NOTES.of(head.layout).get("content") != "json"

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a content: the arguments of a call are objects, as `json_content` returns them."""
        if head.calls:
            return None if keeps_input(head.layout) else AN_OBJECT
        return ANY_CONTENT if self.depends_on_head_only(head) else None

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Return a wire message or the system prompt, and the messages that it reads as."""
        before, first = cast("WireState", state), group[0]
        is_system = first.role == SYSTEM
        among_messages = NOTES.of(first.layout).get("place") == MESSAGES
        has_prompt = bool(first.content) or NOTES.of(first.layout).get("content") == "list"
        is_prompt = is_system and not before.has_units and not among_messages and has_prompt
        unit, image, _ = spelled(group, is_prompt=is_prompt)
        # The reader finds out from the neighbours of a unit what the unit alone does not show.
        if _is_reply(image[0]) and before.ends_in_reply:
            _set_layout(image[0], "apart", True)
        if is_system and before.only_system and not is_system_prompt(unit):
            _set_layout(image[0], "place", MESSAGES)
        only_system, replied = before.only_system and is_system, _is_reply(image[-1])
        return WrittenUnit(unit, image, WireState(only_system, True, replied, group[-1].end is None))

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """Return the system prompt, if there is one, and the wire messages."""
        return Body(units, cut_off=cast("WireState", state).cut_off)

    def written(self, around: Transcript, body: Body) -> Json:
        """Return a request, a response or a list of messages."""
        return write_document(around, body)

    def is_read_as(self, split: SplitDocument, body: Body) -> bool:
        """Return whether the units that are read are those that were written.

        A response may contain a list of blocks in place of the text that was written.
        """
        if super().is_read_as(split, body):
            return True
        if len(split.units) != 1 or len(body.units) != 1 or is_system_prompt(wire := cast("Object", body.units[0])):
            return False
        return split.units[0] == {**wire, "content": blocks_in(wire)}

    def envelope_key(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Return all that the envelope of a request depends on in its units: how they begin and end."""
        return envelope_key(units, around)

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the conversation; replies get the names of the tools whose calls they answer."""
        if NOTES.of(around.layout).get("shape") == "response":
            _list_content(items)
        return _related(items, around, Log())


_REPLY_ORDER: Final = ReplyOrder(NOTES, partial(gathered, in_turn=is_in_assistant_wire))


def _related(items: list[Item], around: Transcript, log: Log) -> Conversation:
    name_replies(items, log)
    mark_repeats(items, NOTES)
    report_repeated(items, log)
    order = _REPLY_ORDER.required(items)
    if order is not None:
        place = next(at for at, index in enumerate(order) if at != index)
        detail = "the API requires replies directly after their calls, in the order of the calls; they are not moved"
        log.find(FindingCode.SHAPE, f"/messages/{place}", detail)
        around = _REPLY_ORDER.with_own_order(around)
    return Conversation(items, around)


def _list_content(items: list[Item]) -> None:
    """Mark the content of a response as a list of blocks if it is one text; the list of items is changed."""
    if len(items) != 1:
        return
    head, content, call_id = items[0]
    message = head.message(content, call_id)
    if isinstance(content, str) and content and is_text(message):
        _set_layout(message, "content", "list")
        items[0] = (head.replaced(layout=message.layout), content, call_id)


def _with_list(item: Item) -> Item:
    """Return an answer as a response may have it, with blank texts or an empty list of blocks.

    A message in a request is never empty. One that was read from this format stays as it was.
    """
    head, content, call_id = item
    if head.role != "assistant" or head.calls or head.channel == "analysis":
        return item
    if isinstance(content, str) and not is_blank(content):
        return item
    message = head.message(content, call_id)
    if content == "":
        return item if MESSAGE in NOTES.of(message.layout) else item_of(without_blocks(message))
    _set_layout(message, EMPTY, "part")
    return item_of(message)


def _without_space(message: Message) -> Message:
    """Return a message whose content is trimmed at its end if it ends with a text; the same message if not."""
    parts = parts_of(message.content)
    text = parts[-1] if parts else None
    if not is_text(message) or not isinstance(text, Text):
        return message
    if not text.text[-1:].isspace() or is_blank(text.text):
        return message
    trimmed = replace(text, text=text.text.rstrip())
    return replace(message, content=trimmed.text if isinstance(message.content, str) else (*parts[:-1], trimmed))


def _is_prompted(item: Item) -> bool:
    """Return whether a message has media or passages, which are in prompts: it is written as one of a request."""
    return any(isinstance(part, (Media, Passages)) for part in parts_of(item[1]))


def _is_reply(message: Message) -> bool:
    """Return whether a message is the reply of a tool of the client."""
    return message.role == "tool" and not is_in_assistant_wire(message)


def _is_system(unit: Any) -> bool:
    return unit.__class__ is dict and (unit.get("role") == SYSTEM or is_system_prompt(unit))


def _set_layout(message: Message, key: str, value: Json) -> None:
    message.layout = NOTES.adding(message.layout, {key: value})
