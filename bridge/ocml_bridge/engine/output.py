"""Writes a document in a format; around that, handles what no adapter has to: dialects, lone surrogates, added tokens.

`write_document` is the entry point. It also leaves out private reasoning if it is asked to, and writes completions as
messages in formats that have only conversations.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, NamedTuple, cast

from ..chat.transform import Dropped, remaining, renumber
from ..chat.transform import drop_analysis as without_analysis
from ..chat.turns import as_transcript
from ..common.unicode import is_unicode
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Adapter, Options
from ..loss import Log, Loss, LossCode, Severity
from ..model import Completion, Document, Json, Transcript
from ..model.diff import diff
from ..report.report import Report
from ..report.result import DocumentOutcome, Outcome
from ..spans.columns import of_text
from ..spans.origins import renumbered
from ..spans.positions import sizes_behind_breaks
from ..text.control import BREAK
from ..units.conversation import Conversation, conversation_of, whole
from .added_tokens import added_to, guarded, refused
from .input import text_reader
from .instances import writer_for
from .writing import Writer


class Target(NamedTuple):
    """A format in which documents are written, with options.

    Attributes:
        adapter: the format.
        options: how to write, with the dialect.
        writer: the writer of all documents; None if it depends on the document, or if added tokens are to be broken in
            its outputs.
    """

    adapter: Adapter
    options: Options
    writer: Writer | None


def target_of(adapter: Adapter, options: Options) -> Target:
    """Return a format with options as a target."""
    has_own_dialects = options.dialect is None and adapter.dialect_of is not None
    is_plain = not has_own_dialects and added_to(adapter, options) is None
    return Target(adapter, options, writer_for(adapter, options) if is_plain else None)


def write_document(
    target: Target, document: Document | Conversation, *, drop_analysis: Dropped | None = None, spans: bool = False
) -> Outcome:
    """Write a document in a format.

    Args:
        target: the format.
        document: what to write; it is not changed.
        drop_analysis: whose private reasoning to leave out; each message that is left out is reported.
        spans: whether to compute the spans of the output.

    Raises:
        BridgeError: OCB-CONTROL-TOKEN if the options refuse a token in contents; OCB-OPTION if spans are asked for and
            the format has none.
    """
    adapter, options, writer = target
    if writer is not None and isinstance(document, Conversation) and drop_analysis is None and not spans:
        outcome = writer.fill(document)
        if not isinstance(outcome.output, str) or is_unicode(outcome.output):
            return outcome
    if spans and adapter.frame_marks is None:
        detail = f"spans exist for texts and token ids only; {adapter.id} is neither"
        raise BridgeError(ErrorCode.OPTION, detail)
    if drop_analysis is not None and isinstance(transcript := whole(document), Transcript):
        outcome = _write_answers(adapter, transcript, options, drop_analysis, spans)
    else:
        outcome = _write(adapter, document, options, spans)
    return _guarded(adapter, document, outcome, options)


def _write(adapter: Adapter, document: Document | Conversation, options: Options, spans: bool) -> Outcome:
    writer = writer_for(adapter, _in_own_dialect(adapter, document, options))
    outcome = _write_units(writer, document, spans=spans)
    output = outcome.output
    if isinstance(output, str) and not is_unicode(output):
        return _write_clean(adapter, whole(document), options, spans)
    return outcome


def _in_own_dialect(adapter: Adapter, document: Document | Conversation, options: Options) -> Options:
    """Return the options, with the dialect of the document if they name none."""
    if options.dialect is not None or adapter.dialect_of is None or isinstance(document, Completion):
        return options
    dialect = adapter.dialect_of(document.around if isinstance(document, Conversation) else document)
    return options if dialect is None else replace(options, dialect=dialect)


def _write_units(writer: Writer, document: Document | Conversation, *, spans: bool) -> Outcome:
    """Write a document; a text to be completed becomes a message if the format holds conversations only.

    Args:
        writer: of the format.
        document: what to write.
        spans: whether to compute the spans of the output.
    """
    if isinstance(document, Completion):
        return _write_completion(writer, document, spans=spans)
    conversation = document if isinstance(document, Conversation) else conversation_of(document)
    if not spans:
        return writer.fill(conversation)
    written = writer.write(conversation, traced=True)
    written.spans = writer.spans(written)
    return written


def _write_completion(writer: Writer, completion: Completion, *, spans: bool) -> Outcome:
    completed = writer.complete(completion)
    if completed is not None:
        completed.spans = of_text(str(completed.output)) if spans else None
        return completed
    log = Log()
    written = writer.write(conversation_of(as_transcript(completion, log)), traced=spans)
    written.document = completion
    written.log.losses[:0] = log.losses
    written.spans = of_text(written.output) if spans else None
    return written


def _guarded(adapter: Adapter, document: Document | Conversation, written: Outcome, options: Options) -> Outcome:
    """Break the added tokens in the contents of an output, and report it (`added_tokens.py`)."""
    if added_to(adapter, options) is None:
        return written
    safe, losses = guarded(adapter, written.output, written.image, options, text_reader(adapter, options))
    if not losses:
        return written
    reported, spans, document = tuple(written.losses), written.spans, whole(document)
    if spans is not None:
        sizes = sizes_behind_breaks(spans.sizes, cast("str", written.output), cast("str", safe), BREAK)
        spans = spans.measured(sizes)
    if isinstance(document, Transcript):
        losses = renumber(losses, remaining(len(document.messages), reported, written.order))
    if options.control_tokens == "refuse":
        raise refused(losses)
    return DocumentOutcome(safe, Report((*reported, *losses)), written.image, written.order, spans)


def _write_answers(adapter: Adapter, transcript: Transcript, options: Options, of: Dropped, spans: bool) -> Outcome:
    """Write a transcript without private reasoning; losses have their paths in the whole transcript."""
    shortened, dropped = without_analysis(transcript, of)
    written = _write(adapter, shortened, options, spans)
    origins = remaining(len(transcript.messages), dropped)
    order = None if written.order is None else tuple(origins[index] for index in written.order)
    losses = (*dropped, *renumber(written.losses, origins))
    moved = None if written.spans is None else renumbered(written.spans, origins)
    return DocumentOutcome(written.output, Report(losses), written.image, order, moved)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _write_clean(adapter: Adapter, document: Document, options: Options, spans: bool) -> Outcome:
    """Write a document with U+FFFD in place of each half of a surrogate pair, which UTF-8 cannot encode; report it."""
    from ..model.codec import from_json, to_json

    clean = from_json(_scrub(to_json(document)))
    losses = [
        Loss(LossCode.SURROGATE, Severity.CHANGED, place.path, "half of a surrogate pair in the text becomes U+FFFD")
        for place in diff(document, clean)
    ]
    written = _write(adapter, clean, options, spans)
    report = Report((*losses, *written.losses))
    return DocumentOutcome(written.output, report, written.image, written.order, written.spans)


def _scrub(value: Json) -> Json:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_scrub(item) for item in cast("list[Json]", value)]
    if isinstance(value, dict):
        return {_scrub(key): _scrub(item) for key, item in cast("dict[str, Json]", value).items()}
    return value
