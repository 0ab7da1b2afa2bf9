"""Wire messages of Chat Completions and their messages."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, cast

from ocml_bridge.chat.transform import missing
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Alternative, Json, Message, Transcript, replace
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.envelopes import Body, Branches
from ocml_bridge.units.grammar import Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.pairing import name_replies
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.relations import with_tools_apart
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blanks import without_blanks
from ocml_bridge.wires.documents import SHAPE
from ocml_bridge.wires.shell import Shell
from ocml_bridge.wires.units import DocumentReader, DocumentWriter

from .calls import call_layout, with_call_types
from .nearest import joins, linked, nearest, with_names
from .reader import notice, read_message
from .shapes import DOCUMENTS, UNITS, branches_of, read_alternatives, write_document
from .skeletons import Skeletons, filled
from .spelling import spelled
from .syntax import (
    HOME,
    MESSAGES,
    NOTES,
)

# --- reading and writing ----------------------------------------------------------------------------------------------


class WireReader(DocumentReader):
    """Reads wire messages."""

    looks_at_contents = False
    documents = DOCUMENTS
    request = UNITS

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._skeletons = Skeletons()

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """A wire message without contents and ids; None where something else in it is long, or spelled oddly."""
        return self._skeletons.of(unit)

    def filled(self, unit: Unit, values: Sequence[str]) -> Unit:
        """A wire message that has a skeleton, with other contents and ids."""
        return filled(unit, values)

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a wire message.

        Raises:
            BridgeError: OCB-SHAPE with the JSON pointer of what is none.
        """
        wire = cast("Shell", parted.document).message(unit, at)
        made = read_message(wire)
        notice(wire, made, index, log)
        return made

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with the names of the tools whose calls are answered, and with the other answers."""
        name_replies(items, log)
        branches = cast("Shell", parted.document).branches
        if not branches:
            return Conversation(items, parted.around)
        alternatives = tuple(read_alternatives(branches, items, log))
        return Conversation(items, replace(parted.around, alternatives=alternatives))


class WireWriter(DocumentWriter):
    """Writes wire messages, each without regard to those before it: there is but one state."""

    looks_at_contents = False
    target = HOME
    home = HOME
    reader: ClassVar[type[UnitReader]] = WireReader
    documents = DOCUMENTS
    request = UNITS
    groups = True
    keeps_ids = True

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with all tools apart from messages, with ids for calls that have none, and with names.

        A reply whose call does not tell its tool's name is given the layout of one that says it.
        """
        conversation, origins = with_tools_apart(conversation, log)
        items, origins = without_blanks(conversation.items, origins, log, target=HOME)
        around = conversation.around
        if around.alternatives is not None:
            indices = range(len(items)) if origins is None else origins
            around = replace(around, alternatives=_placed(around.alternatives, items, indices, log))
        return Prepared(with_names(linked(with_call_types(items, around.tools))), around, origins)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Texts in thoughts and calls, parts that are known elsewhere."""
        return nearest(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message stands in one wire message with the one before it."""
        one, other = (each.message("" if each.empty else "x", None) for each in (before, head))
        return joins(one, other)

    def follows(self, head: Head) -> bool:
        """Arguments that were read as JSON values are written as such."""
        layout = call_layout(head.message("", None))
        return layout.get("arguments") is None and "raw" not in layout

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """A wire message, and what it reads as."""
        wire, image = spelled(group, self.options)
        return Spelled(wire, image, None)

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """The wire messages, and those of the other answers."""
        return Body(units, [self._wires(one.messages) for one in around.alternatives or ()])

    def written(self, around: Transcript, body: Body) -> Json:
        """A request, a response, a line of preferences or a list of messages."""
        return write_document(around, body)

    def branches(self, parted: Parted, around: Transcript) -> Branches | None:
        """The other answers of a document that was read."""
        return branches_of(parted)

    def outline(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Nothing of the wire messages of a request matters to what stands around them."""
        return MESSAGES if SHAPE not in NOTES.of(around.layout) else None

    def _wires(self, messages: Sequence[Message]) -> list[Json]:
        """The wire messages of an alternative."""
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
        return [spelled(group, self.options)[0] for group in groups]

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The conversation, with the names of the tools whose calls are answered."""
        name_replies(items, Log())
        return Conversation(items, around)


def _placed(
    alternatives: Sequence[Alternative], items: Sequence[Item], origins: Sequence[int], log: Log
) -> tuple[Alternative, ...]:
    """The alternatives of a document, each behind as many messages as are left there.

    Args:
        alternatives: the document's.
        items: its messages.
        origins: for each of them its index in the document.
        log: what was lost already.
    """
    nearer = Log()
    for index, item in zip(origins, items, strict=True):
        nearest(message_of(item), index, nearer)
    dropped = missing([*log.losses, *nearer.losses])
    return tuple(replace(one, at=one.at - sum(index < one.at for index in dropped)) for one in alternatives)
