"""Messages of Converse and ours."""

from __future__ import annotations

from typing import ClassVar

from ocml_bridge.blocks.grammar import Grammar
from ocml_bridge.blocks.shell import Parts, Shell
from ocml_bridge.blocks.units import BlockReader, BlockWriter
from ocml_bridge.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.model import Json
from ocml_bridge.pairing import identified
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Emptied
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import Prepared

from .alphabet import fitted
from .blocks import BlockGrammar
from .shapes import SHAPE, emptied, read_shell, write_document
from .syntax import CONTENT, HOME, MESSAGES, SYSTEM

_GRAMMAR = BlockGrammar()


class MessageReader(BlockReader):
    """Reads messages."""

    grammar: ClassVar[Grammar] = _GRAMMAR

    def shell(self, source: str | Json, log: Log) -> Shell:
        """A document without its messages.

        Raises:
            BridgeError: OCB-SHAPE for anything that is none of the shapes; OCB-SEVERAL for a list of documents.
        """
        return read_shell(source)

    def emptied(self, source: str | Json) -> Emptied | None:
        """A request as its envelope and its messages; None for a document of another shape."""
        return emptied(source)


class MessageWriter(BlockWriter):
    """Writes messages."""

    target = HOME
    home = HOME
    grammar: ClassVar[Grammar] = _GRAMMAR
    reader: ClassVar[type[UnitReader]] = MessageReader
    shapes = (SHAPE,)
    wires = MESSAGES
    top = SYSTEM

    def document(self, parts: Parts) -> Json:
        """A request, a response or a list of messages."""
        return write_document(parts)

    def top_value(self, wire: Object) -> Json:
        """What the system says is a list of blocks."""
        return wire[CONTENT]

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with ids for calls that have none, and with ids and names that the API takes."""
        made = super().prepare(conversation, log)
        items, around = fitted(identified(made.items, HOME), made.around)
        return made._replace(items=items, around=around)
