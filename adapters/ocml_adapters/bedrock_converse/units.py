"""Define the unit reader and the unit writer of Converse; a unit is a wire message or the system prompt."""

from __future__ import annotations

from typing import ClassVar

from ocml_bridge.loss import Log
from ocml_bridge.model import Transcript
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import SplitDocument
from ocml_bridge.units.heads import Item
from ocml_bridge.units.pairing import identified
from ocml_bridge.units.repeats import mark_repeats, with_repeats_joined
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blocks.grammar import Grammar
from ocml_bridge.wires.blocks.units import BlockReader, BlockWriter

from .blocks import BlockGrammar
from .prepare import mark_repeated_names, with_different_names
from .shapes import DOCUMENTS, UNITS
from .syntax import HOME, NOTES
from .tools import NAMES, with_ids

_GRAMMAR = BlockGrammar()


class MessageReader(BlockReader):
    """The unit reader of wire messages."""

    grammar: ClassVar[Grammar] = _GRAMMAR
    documents = DOCUMENTS
    request = UNITS

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation; documents keep a name that repeats, and calls several results."""
        mark_repeated_names(items)
        conversation = super().relate(items, split, log)
        mark_repeats(items, NOTES)
        return conversation


class MessageWriter(BlockWriter):
    """The unit writer of wire messages."""

    target = HOME
    home = HOME
    mark = ""
    reader = MessageReader

    def inert(self, text: str) -> bool:
        """Return whether a text is not only white space, which the API refuses; a head says whether a text is empty."""
        return not text.isspace()

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Prepare a conversation: ids for calls without one, valid ids and names, different names of documents."""
        prepared = super().prepare(conversation, log)
        items, origins = with_repeats_joined(prepared.items, prepared.origins, log, NOTES)
        items, around = NAMES.fitted(with_ids(identified(items, HOME)), prepared.around)
        return prepared._replace(items=with_different_names(items), around=around, origins=origins)

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the conversation; names and results that repeat were read so."""
        mark_repeated_names(items)
        conversation = super().relate_image(items, around, log)
        mark_repeats(items, NOTES)
        return conversation
