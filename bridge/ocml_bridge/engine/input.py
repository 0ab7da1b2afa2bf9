"""Reading a source in a format."""

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
    return reader_for(adapter, options).read(source, log)


def text_reader(adapter: Adapter, options: Options) -> ReadText:
    """What reads a text in a format as it stands there."""
    bare = replace(options, dialect=None)
    return lambda text: whole(document_in(adapter, text, bare, Log()))
