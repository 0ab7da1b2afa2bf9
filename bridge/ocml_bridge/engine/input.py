"""Reading a source in a format."""

from __future__ import annotations

from dataclasses import replace

from ..formats.adapter import Adapter, Options, Source
from ..loss import Log, without_message
from ..model import Document
from ..units.conversation import Conversation, whole
from .added_tokens import ReadText
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
    noticed = len(log.findings)
    document = reader_for(adapter, options).read(source, log)
    if isinstance(document, Conversation) and document.lifted is not None:
        log.findings[noticed:] = without_message(log.findings[noticed:], document.lifted)
    return document


def text_reader(adapter: Adapter, options: Options) -> ReadText:
    """What reads a text in a format as it stands there."""
    bare = replace(options, dialect=None)
    return lambda text: whole(document_in(adapter, text, bare, Log()))
