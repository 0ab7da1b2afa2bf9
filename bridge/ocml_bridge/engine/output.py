"""Writing a document in a format, whatever it holds: with its report, and with nothing in it that breaks the output."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, cast

from ..adapter import Adapter, Options
from ..added_tokens import added_to, guarded, refused
from ..arrange import Draft, arranged
from ..diff import diff
from ..loss import Log, Loss, LossCode, Severity
from ..model import Completion, Document, Json, Transcript
from ..plans.writing import PlanWriter
from ..plans.written import Written as PlanWritten
from ..report import Report, compared
from ..result import DocumentOutcome, Outcome
from ..text.unicode import is_unicode
from ..transform import drop_analysis as without_analysis
from ..transform import remaining, renumber
from ..turns import as_transcript
from ..units.conversation import Conversation, conversation_of, whole
from ..units.grammar import ByDocument
from .by_format import writer_for
from .input import text_reader
from .writing import Writer


def written(
    adapter: Adapter, document: Document | Conversation, options: Options, *, drop_analysis: bool = False
) -> Outcome:
    """What was written.

    Args:
        adapter: the format.
        document: what to write; it is not changed.
        options: how, with the dialect in them.
        drop_analysis: leave out the reasoning of turns that ended in a final answer, and report it.

    Raises:
        BridgeError: OCB-CONTROL-TOKEN where the options refuse a token in contents.
    """
    if drop_analysis and isinstance(transcript := whole(document), Transcript):
        outcome = _write_answers(adapter, transcript, options)
    else:
        outcome = _write(adapter, document, options)
    return _guarded(adapter, document, outcome, options)


def _write(adapter: Adapter, document: Document | Conversation, options: Options) -> Outcome:
    writer = writer_for(adapter, options)
    if isinstance(writer, Writer):
        written = _write_units(writer, document)
    elif writer is not None and not isinstance(writer, Writer) and not isinstance(document, Completion):
        written = _write_planned(writer, document)
    else:
        written = None
    if written is None:
        return _write_document(adapter, whole(document), options)
    output = written.output
    if isinstance(output, str) and not is_unicode(output):
        return _write_clean(adapter, whole(document), options)
    return written


def _write_units(writer: Writer, document: Document | Conversation) -> Outcome:
    """What was written unit by unit; a text to be completed becomes a message where the format has no other place."""
    if isinstance(document, Conversation):
        return writer.write(document)
    if isinstance(document, Transcript):
        return writer.write(conversation_of(document))
    completed = writer.complete(document)
    if completed is not None:
        return completed
    log = Log()
    written = writer.write(conversation_of(as_transcript(document, log)))
    written.document = document
    written.log.losses[:0] = log.losses
    return written


def _write_planned(writer: PlanWriter, document: Transcript | Conversation) -> PlanWritten | None:
    """What was written unit by unit; None where the document is written as a whole."""
    try:
        return writer.write(conversation_of(document) if isinstance(document, Transcript) else document)
    except ByDocument:
        return None


def _guarded(adapter: Adapter, document: Document | Conversation, written: Outcome, options: Options) -> Outcome:
    """What was written, with the added tokens in its content broken."""
    if added_to(adapter, options) is None:
        return written
    safe, losses = guarded(adapter, written.output, written.image, options, text_reader(adapter, options))
    if not losses:
        return written
    known, document = tuple(written.losses), whole(document)
    if isinstance(document, Transcript):
        losses = renumber(losses, remaining(len(document.messages), known, written.order))
    if options.control_tokens == "refuse":
        raise refused(losses)
    return DocumentOutcome(safe, Report((*known, *losses)), written.image, written.order)


def _write_document(adapter: Adapter, document: Document, options: Options) -> Outcome:
    def fit(document: Document, log: Log) -> Document:
        return document if adapter.fit is None else adapter.fit(document, options, log)

    assert adapter.write is not None
    log = Log()
    first = Draft(fit(document, log), log)
    draft = arranged(document, first, fit, target=adapter.id)
    image, log, order = draft
    report = compared(document, image, log.losses, target=adapter.id, order=order)
    log = Log()
    output = adapter.write(image, options, log)
    if isinstance(output, str) and not is_unicode(output):
        return _write_clean(adapter, document, options)
    losses: Sequence[Loss] = log.losses
    if losses and isinstance(document, Transcript):
        # A writer knows only the image, which lacks the messages that were left out, and has them in its order.
        losses = renumber(losses, remaining(len(document.messages), report.losses, order))
    return DocumentOutcome(output, report.with_more(losses), image, order)


def _write_answers(adapter: Adapter, transcript: Transcript, options: Options) -> Outcome:
    """Write without the reasoning that led to final answers; all is reported by its place in the whole transcript."""
    shortened, dropped = without_analysis(transcript)
    written = _write(adapter, shortened, options)
    origins = remaining(len(transcript.messages), dropped)
    order = None if written.order is None else tuple(origins[index] for index in written.order)
    losses = (*dropped, *renumber(written.losses, origins))
    return DocumentOutcome(written.output, Report(losses), written.image, order)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _write_clean(adapter: Adapter, document: Document, options: Options) -> Outcome:
    """Text that UTF-8 cannot hold (half of a surrogate pair) becomes U+FFFD, and is reported."""
    from ..model.codec import from_json, to_json

    clean = from_json(_scrub(to_json(document)))
    losses = [
        Loss(LossCode.SURROGATE, Severity.CHANGED, place.path, "half of a surrogate pair becomes U+FFFD")
        for place in diff(document, clean)
    ]
    written = _write(adapter, clean, options)
    return DocumentOutcome(written.output, Report((*losses, *written.losses)), written.image, written.order)


def _scrub(value: Json) -> Json:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_scrub(item) for item in cast("list[Json]", value)]
    if isinstance(value, dict):
        return {_scrub(key): _scrub(item) for key, item in cast("dict[str, Json]", value).items()}
    return value
