"""Define the unit reader and the unit writer of Converse; a unit is a wire message or the system prompt."""

from __future__ import annotations

from typing import ClassVar

from ocml_bridge.loss import Log
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.pairing import identified
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blocks.grammar import Grammar
from ocml_bridge.wires.blocks.units import BlockReader, BlockWriter

from .blocks import BlockGrammar
from .shapes import DOCUMENTS, UNITS
from .syntax import HOME
from .tools import NAMES, with_ids

_GRAMMAR = BlockGrammar()


class MessageReader(BlockReader):
    """The unit reader of wire messages."""

    grammar: ClassVar[Grammar] = _GRAMMAR
    documents = DOCUMENTS
    request = UNITS


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
        """Prepare a conversation: calls without an id get one, and all ids and names become valid."""
        prepared = super().prepare(conversation, log)
        items, around = NAMES.fitted(with_ids(identified(prepared.items, HOME)), prepared.around)
        return prepared._replace(items=items, around=around)
