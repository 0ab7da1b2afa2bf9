"""Reading a source in a format, unit by unit or as a whole."""

from __future__ import annotations

from dataclasses import replace

from ..adapter import Adapter, Options, Source
from ..added_tokens import ReadText
from ..loss import Log
from ..model import Document
from ..units.conversation import Conversation, whole
from .by_format import reader_for


def document_in(adapter: Adapter, source: Source, options: Options, log: Log) -> Document | Conversation:
    """The document in a source.

    Args:
        adapter: its format.
        source: text, or a JSON value.
        options: how to read.
        log: takes what is noticed.

    Raises:
        BridgeError: with the offset or the path, where there is nothing that could be read.
    """
    reader = reader_for(adapter, options)
    conversation = None if reader is None else reader.read(source, log)
    if conversation is not None:
        return conversation
    assert adapter.read is not None, f"{adapter.id} has nothing that reads such a source"
    return adapter.read(source, options, log)


def text_reader(adapter: Adapter, options: Options) -> ReadText:
    """What reads a text in a format as it stands there."""
    bare = replace(options, dialect=None)
    return lambda text: whole(document_in(adapter, text, bare, Log()))
