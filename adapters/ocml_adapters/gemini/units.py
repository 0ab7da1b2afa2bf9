"""Define the unit reader and the unit writer of Gemini; a unit is a content or the system instruction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ocml_bridge.loss import Log
from ocml_bridge.model import Transcript
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import SplitDocument
from ocml_bridge.units.heads import Item, messages_of
from ocml_bridge.units.pairing import pair
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blocks.grammar import Grammar
from ocml_bridge.wires.blocks.preparing import named
from ocml_bridge.wires.blocks.units import BlockReader, BlockWriter
from ocml_bridge.wires.documents import SHAPE

from .blocks import AS, PYTHON, PartGrammar, is_code
from .parts import with_citations
from .shapes import DOCUMENTS, TOP, UNITS
from .syntax import ALONE, HOME, NOTES, RESPONSE
from .tools import NAMES

_GRAMMAR = PartGrammar()


class ContentReader(BlockReader):
    """The unit reader of contents."""

    grammar: ClassVar[Grammar] = _GRAMMAR
    documents = DOCUMENTS
    request = UNITS

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is blank or could be an object: what else a text says is in no key."""
        return super().are_only_values(texts) and not any(text.lstrip()[:1] == "{" for text in texts)

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation, with the citations of its answer, and with the alternative answers."""
        conversation = super().relate(items, split, log)
        with_citations(items, split.around)
        return conversation


class ContentWriter(BlockWriter):
    """The unit writer of contents."""

    target = HOME
    home = HOME
    reader = ContentReader
    others = (SHAPE, TOP, ALONE)

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Prepare a conversation: each reply gets the name of its tool, by which the API finds its call."""
        prepared = super().prepare(conversation, log)
        items = list(named(prepared.items))
        if PYTHON in [item[0].recipient for item in items if item[0].calls]:
            messages = messages_of(items)
            for reply, call in pair(messages).items():
                if not is_code(messages[call]) and messages[reply].name == PYTHON:
                    head, content, call_id = items[reply]
                    layout = NOTES.adding(head.layout, {AS: RESPONSE})
                    items[reply] = (head.replaced(layout=layout), content, call_id)
        fitted, around = NAMES.fitted(items, prepared.around)
        return prepared._replace(items=fitted, around=around)

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the conversation, with the citations of its answer, which the candidate around its content has."""
        with_citations(items, around)
        return super().relate_image(items, around, log)
