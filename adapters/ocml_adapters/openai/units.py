"""Define the unit reader and the unit writer of Chat Completions; a unit is a wire message."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, cast

from ocml_bridge.json_values.jsontext import parsed_compact
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript, replace
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.envelopes import Body, Branches
from ocml_bridge.units.grammar import AN_OBJECT as OBJECT_AS_IT_IS
from ocml_bridge.units.grammar import ANY_CONTENT, ContentClass, SplitDocument, State, Unit, WrittenUnit
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.pairing import name_replies
from ocml_bridge.units.relations import with_tools_apart
from ocml_bridge.units.repeats import mark_repeats, with_repeats_joined
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blanks import without_blanks
from ocml_bridge.wires.documents import SHAPE
from ocml_bridge.wires.freeform import is_object
from ocml_bridge.wires.reply_order import ReplyOrder
from ocml_bridge.wires.shell import Shell
from ocml_bridge.wires.units import DocumentWriter

from .calls import AN_OBJECT, call_layout, is_open, with_call_types
from .marked_thoughts import EXTRA, decides, is_marked
from .nearest import answered_at_once, joins, linked, nearest, with_names
from .reader import read_message, report_findings
from .shapes import DOCUMENTS, UNITS, branches_of, read_alternatives, write_document
from .skeletons import SkeletonReader
from .spelling import spelled
from .syntax import CONTENT, DETAILS, HOME, MESSAGES, NOTES, OBJECT_AS_TEXT

# --- reading and writing ----------------------------------------------------------------------------------------------


class WireReader(SkeletonReader):
    """The unit reader: it reads each wire message by itself."""

    documents = DOCUMENTS
    request = UNITS

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the messages of a wire message.

        Raises:
            BridgeError: OCB-SHAPE with its JSON pointer, if it is no object with a role.
        """
        wire = cast("Shell", split.document).message(unit, at)
        messages = read_message(wire)
        report_findings(wire, messages, index, log)
        return messages

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation: replies get the names of their tools, and alternatives are added."""
        conversation = _related(items, split.around, log)
        branches = cast("Shell", split.document).branches
        if not branches:
            return conversation
        alternatives = tuple(read_alternatives(branches, items, log))
        return Conversation(items, replace(conversation.around, alternatives=alternatives))


class WireWriter(DocumentWriter):
    """The unit writer: it writes each wire message without regard to the others, so that it needs no state."""

    looks_at_contents = False
    target = HOME
    home = HOME
    reader = WireReader
    groups = True
    keeps_ids = True
    embeds = True

    def required_order(self, conversation: Conversation) -> Sequence[int] | None:
        """Return the order with the replies directly after the wire message of their calls, or None."""
        return _REPLY_ORDER.of(conversation)

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Prepare a conversation: declare all tools once, give ids to calls without one, and place the alternatives.

        A reply whose tool's name would not follow from its call gets the layout of a reply with a name.
        """
        conversation, origins = with_tools_apart(conversation, log)
        items, origins = without_blanks(conversation.items, origins, log, target=HOME, alone=True)
        items, origins = with_repeats_joined(items, origins, log, NOTES)
        around = conversation.around
        items = with_names(linked(with_call_types(items, around.tools)))
        return self._placed(Prepared(items, around, origins), log)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Return the nearest message that Chat Completions can hold, or None."""
        return nearest(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """Return whether a message is written in one wire message with the previous one."""
        return joins(before.example(), head.example())

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether a message is written the same way whatever its content.

        Not if this was read from a value, if it is compared with details of reasoning that are extras, or if it may
        have a thought between tags.
        """
        layout = call_layout(head)
        is_text = NOTES.of(head.layout).get(CONTENT) != OBJECT_AS_TEXT and DETAILS not in NOTES.of(head.extras)
        if _may_have_tags(head):
            return False
        return is_text and layout.get("arguments") is None and "raw" not in layout and not is_open(head)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of texts that were read from a value, or that decide the kind of their call.

        Of values, only objects are surely written in the same way.
        """
        if self.depends_on_head_only(head):
            return ANY_CONTENT
        if _may_have_tags(head):
            return None if decides(content) else ANY_CONTENT
        if is_open(head):
            return OBJECT_AS_IT_IS if is_object(content) else ANY_CONTENT
        has_class = "raw" not in call_layout(head) and DETAILS not in NOTES.of(head.extras)
        return AN_OBJECT if has_class and isinstance(parsed_compact(content), dict) else None

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Return the wire message of a group of messages, and the messages that are read from it."""
        return spelled(group, self.options)

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """Return the wire messages, and those of the alternatives."""
        return Body(units, [self._wires(one.messages) for one in around.alternatives or ()])

    def written(self, around: Transcript, body: Body) -> Json:
        """Return a request, a response, a preference line or a list of messages."""
        return write_document(around, body)

    def branches(self, split: SplitDocument, around: Transcript) -> Branches | None:
        """Return the alternatives of a document that was read, or None."""
        return branches_of(split)

    def envelope_key(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Return a constant for requests, whose envelope does not depend on wire messages; None for other shapes."""
        return MESSAGES if SHAPE not in NOTES.of(around.layout) else None

    def _wires(self, messages: Sequence[Message]) -> list[Json]:
        """Return the wire messages of an alternative."""
        items = with_names(linked(list(map(item_of, messages))))
        groups: list[list[Message]] = []
        for index, item in enumerate(items):
            message = nearest(message_of(item), index, Log())
            if message is None:
                continue
            if groups and joins(groups[-1][-1], message):
                groups[-1].append(message)
            else:
                groups.append([message])
        return [spelled(group, self.options).unit for group in groups]

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the conversation: replies get the names of their tools."""
        return _related(items, around, Log())


_REPLY_ORDER: Final = ReplyOrder(NOTES, answered_at_once)


def _related(items: list[Item], around: Transcript, log: Log) -> Conversation:
    name_replies(items, log)
    mark_repeats(items, NOTES)
    if answered_at_once(items) is not None:
        around = _REPLY_ORDER.with_own_order(around)
    return Conversation(items, around)


def _may_have_tags(head: Head) -> bool:
    """Return whether a content may be read as a thought between tags, and what follows it."""
    has_tags = isinstance(members_of(NOTES.of(head.layout).get("templates")).get(CONTENT), str)
    return has_tags or is_marked(NOTES.of(head.extras).get(EXTRA))
