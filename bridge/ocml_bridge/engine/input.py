"""Reads a source in a format, without detection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..formats.adapter import Adapter, Options, Source
from ..loss import Finding, Log, without_message
from ..model import Document
from ..units.conversation import Conversation, whole
from .added_tokens import ReadText, added_to
from .instances import reader_for
from .plans.pieces import Pieces
from .reading import Reader


def reader_of_texts(adapter: Adapter, options: Options) -> Reader | None:
    """Return the reader of a format's texts; None if they are first restored, as their added tokens were broken."""
    return reader_for(adapter, options) if added_to(adapter, options) is None else None


def findings_of(conversation: Conversation) -> list[Finding]:
    """Return the findings of a conversation that was read by the plan of its text."""
    plan = conversation.plan
    return [] if plan is None or not plan.findings else _without_declaration(plan.findings, conversation)


def _without_declaration(findings: Sequence[Finding], conversation: Conversation) -> list[Finding]:
    """Return findings with paths in the document, in which the message that declared the tools is not."""
    gone = conversation.declaration_at
    return [*findings] if gone is None else without_message(findings, gone)


def document_in(
    adapter: Adapter, source: Source, options: Options, log: Log, text: Pieces | None = None
) -> Document | Conversation:
    """Read the document in a source.

    Args:
        adapter: its format.
        source: text, or a JSON value.
        options: how to read.
        log: takes the findings.
        text: the text of the source, if `Reader.known` returned one.

    Raises:
        BridgeError: with an offset or a path, if the source is not a document of the format.
    """
    first_finding = len(log.findings)
    document = reader_for(adapter, options).read(source, log, text)
    if isinstance(document, Conversation) and document.declaration_at is not None:
        log.findings[first_finding:] = _without_declaration(log.findings[first_finding:], document)
    return document


def text_reader(adapter: Adapter, options: Options) -> ReadText:
    """Return a function that reads a text in a format, without the dialect of the options."""
    no_dialect = replace(options, dialect=None)
    return lambda text: whole(document_in(adapter, text, no_dialect, Log()))
