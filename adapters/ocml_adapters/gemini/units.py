"""Contents of Gemini and their messages."""

from __future__ import annotations

from typing import ClassVar

from ocml_bridge.blocks.grammar import Grammar
from ocml_bridge.blocks.preparing import named
from ocml_bridge.blocks.shell import Parts, Shell
from ocml_bridge.blocks.units import BlockReader, BlockWriter
from ocml_bridge.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Transcript
from ocml_bridge.pairing import pair
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Emptied, Parted
from ocml_bridge.units.heads import Item, messages_of
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import Prepared

from .grounding import with_citations
from .parts import AS, PYTHON, PartGrammar, is_code
from .shapes import SHAPE, TOP, emptied, read_shell, write_document
from .syntax import CONTENTS, HOME, RESPONSE, SYSTEM

_GRAMMAR = PartGrammar()


class ContentReader(BlockReader):
    """Reads contents."""

    grammar: ClassVar[Grammar] = _GRAMMAR

    def shell(self, source: str | Json, log: Log) -> Shell:
        """A document without its contents.

        Raises:
            BridgeError: OCB-SHAPE for anything that is none of the shapes; OCB-SEVERAL for a list of documents.
        """
        return read_shell(source)

    def emptied(self, source: str | Json) -> Emptied | None:
        """A request as its envelope and its contents; None for a document of another shape or spelling."""
        return emptied(source)

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with the sources of its answer, and with the other answers."""
        made = super().relate(items, parted, log)
        with_citations(items, parted.around)
        return made


class ContentWriter(BlockWriter):
    """Writes contents."""

    target = HOME
    home = HOME
    grammar: ClassVar[Grammar] = _GRAMMAR
    reader: ClassVar[type[UnitReader]] = ContentReader
    shapes = (SHAPE, TOP)
    wires = CONTENTS
    top = SYSTEM

    def document(self, parts: Parts) -> Json:
        """A request, a response or a list of contents."""
        return write_document(parts)

    def top_value(self, wire: Object) -> Json:
        """The system's instruction is a content."""
        return wire

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with a name for each reply: Gemini finds calls by it."""
        made = super().prepare(conversation, log)
        items = list(named(made.items))
        if PYTHON in [item[0].recipient for item in items if item[0].calls]:
            messages = messages_of(items)
            for reply, call in pair(messages).items():
                if not is_code(messages[call]) and messages[reply].name == PYTHON:
                    head, content, call_id = items[reply]
                    layout = {**(messages[reply].layout or {})}
                    layout[HOME] = {**layout.get(HOME, {}), AS: RESPONSE}
                    items[reply] = (head.replaced(layout=layout), content, call_id)
        return made._replace(items=items)

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The conversation, with what the units and the candidate of an answer tell of one another."""
        with_citations(items, around)
        return super().assembled(items, around, log)
