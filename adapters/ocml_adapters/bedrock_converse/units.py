"""Messages of Converse and ours."""

from __future__ import annotations

from typing import ClassVar

from ocml_bridge.loss import Log
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.pairing import identified
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blocks.grammar import Grammar
from ocml_bridge.wires.blocks.units import BlockReader, BlockWriter

from .blocks import BlockGrammar
from .shapes import DOCUMENTS, UNITS
from .syntax import HOME
from .tools import NAMES, with_ids

_GRAMMAR = BlockGrammar()


class MessageReader(BlockReader):
    """Reads messages."""

    grammar: ClassVar[Grammar] = _GRAMMAR
    documents = DOCUMENTS
    request = UNITS


class MessageWriter(BlockWriter):
    """Writes messages."""

    target = HOME
    home = HOME
    mark = ""
    grammar: ClassVar[Grammar] = _GRAMMAR
    reader: ClassVar[type[UnitReader]] = MessageReader
    documents = DOCUMENTS
    request = UNITS

    def inert(self, text: str) -> bool:
        """Whether a text is not white space alone, which the API refuses; an empty one is told by its head."""
        return not text.isspace()

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with ids for calls that have none, and with ids and names that the API takes."""
        made = super().prepare(conversation, log)
        items, around = NAMES.fitted(with_ids(identified(made.items, HOME)), made.around)
        return made._replace(items=items, around=around)
