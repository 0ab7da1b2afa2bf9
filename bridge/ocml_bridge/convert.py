"""read · write · convert: data in, data out. No file, no clock, no environment. `verify.py` checks what was written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from . import jsontext, registry
from .adapter import DEFAULT, Adapter, Options, Source
from .added_tokens import guarded, refused, restored
from .arrange import Draft, arranged
from .detection import doubt, explain, opened
from .diff import diff
from .errors import BridgeError, ErrorCode
from .loss import Finding, Log, Loss, LossCode, Severity
from .model import Completion, Document, Json, Transcript
from .ownership import own
from .plans.by_format import reader_for, writer_for
from .plans.written import Written
from .policy import DEFAULT_POLICY, LossPolicy, refusal
from .report import Report, compared
from .result import DocumentOutcome, Outcome, Reading, Result
from .source import decode
from .text.unicode import is_unicode
from .transform import drop_analysis as without_analysis
from .transform import remaining, renumber
from .units.conversation import Conversation, conversation_of
from .units.grammar import ByDocument


def read(
    data: Source | bytes,
    source: str | Adapter | None = None,
    *,
    options: Options = DEFAULT,
    strict: bool = False,
    sidecar: Json = None,
) -> Reading:
    """Read a document.

    Args:
        data: text, bytes (UTF-8), or parsed JSON for the JSON formats.
        source: its format id, with a dialect where wanted, or an adapter; None to detect it.
        options: how to read; with `force_format`, in the format that was named whatever the data is.
        strict: refuse a document that had to be mended.
        sidecar: what `make_sidecar` gave for this output: the document that was written comes back.

    Raises:
        BridgeError: with code and position, where there is nothing that could be read; OCB-FORMAT-DOUBT where it is
            certainly of another format than the one that was named; OCB-SIDECAR for a sidecar of another output.
    """
    document, findings, name = _read(data, source, options, strict, sidecar)
    return Reading(_whole(document), tuple(findings), name)


def write(
    transcript: Document,
    target: str | Adapter,
    *,
    options: Options = DEFAULT,
    strict: bool = False,
    policy: LossPolicy = DEFAULT_POLICY,
    drop_analysis: bool = False,
) -> Result:
    """Write a document in a format.

    Args:
        transcript: the document.
        target: the format id, with a dialect where wanted, or an adapter.
        options: how to write.
        strict: refuse where anything would be lost or changed that the policy does not allow.
        policy: which losses are allowed and which are refused.
        drop_analysis: leave out the reasoning of turns that ended in a final answer (HIP-1 §12.7), and report it.

    Raises:
        BridgeError: OCB-LOSS or OCB-EMPTIED where the policy refuses a loss; OCB-CONTROL-TOKEN where that for control
            tokens does.
    """
    transcript = own(transcript)
    outcome, name = _written(transcript, target, options, drop_analysis)
    _check(outcome, policy, strict)
    return Result(outcome, transcript, (), None, name)


def convert(
    data: Source | bytes,
    *,
    source: str | Adapter | None = None,
    target: str | Adapter,
    options: Options = DEFAULT,
    strict: bool = False,
    policy: LossPolicy = DEFAULT_POLICY,
    sidecar: Json = None,
    drop_analysis: bool = False,
) -> Result:
    """Read a document in one format and write it in another.

    Args:
        data: text, bytes (UTF-8), or parsed JSON for the JSON formats.
        source: the format id it is in; None to detect it.
        target: the format id to write, with a dialect where wanted.
        options: how to read and write.
        strict: refuse a document that had to be mended, or whose output would lose or change anything that the policy
            does not allow.
        policy: which losses are allowed and which are refused.
        sidecar: the sidecar of `data`, where it is an output that has one.
        drop_analysis: leave out the reasoning of turns that ended in a final answer (HIP-1 §12.7), and report it.

    Raises:
        BridgeError: with code and position, where it cannot be read or may not be written.
    """
    document, findings, name = _read(data, source, options, strict, sidecar)
    outcome, target_id = _written(document, target, options, drop_analysis)
    _check(outcome, policy, strict)
    return Result(outcome, document, tuple(findings), name, target_id)


def make_sidecar(
    result: Result, *, options: Options = DEFAULT, target: Adapter | None = None, pretty: bool = False
) -> dict[str, Json]:
    """What an output does not say of the document it was written from, as JSON values; `read` takes it with the output.

    Args:
        result: what `write` or `convert` gave.
        options: the options it was written with.
        target: the adapter, where it is not registered.
        pretty: whether the JSON of the output is written indented.
    """
    from .sidecar import make

    data = result.encode(pretty=pretty)
    back = read(data, target or result.target, options=replace(options, dialect=None, force_format=True)).transcript
    return make(result.document, back, result.origins, data, result.target)


# --- inside -----------------------------------------------------------------------------------------------------------


def _read(
    data: Source | bytes, source: str | Adapter | None, options: Options, strict: bool, sidecar: Json
) -> tuple[Document | Conversation, list[Finding], str]:
    """The document, what its reader noticed, and the id of the format that it was in."""
    log = Log()
    if source is not None:
        found, dialect = registry.adapter(source)
        document = _read_named(data, found, replace(options, dialect=dialect) if dialect else options, log)
    else:
        found, value = opened(data, log)
        document = _read_value(value, found, options, log)
    if not isinstance(data, (str, bytes)):
        document = own(_whole(document))
    if sidecar is not None:
        from .sidecar import apply

        document = apply(_whole(document), sidecar, _bytes(data), found.id, log)
    if strict and log.findings:
        raise refusal(log.findings)
    return document, log.findings, found.id


def _read_named(data: Source | bytes, found: Adapter, options: Options, log: Log) -> Document | Conversation:
    """A document in the format that was named.

    Evidence of another format is looked for only where the reader found anything amiss: what is of a format, and all
    that is converted often, is not looked at twice.
    """
    try:
        value = decode(data, found.kind, log)
        document = _read_value(value, found, options, log)
    except BridgeError as error:
        raise explain(error, data, found) from error.__cause__
    if log.findings and not options.force_format:
        doubted = doubt(found, value)
        if doubted is not None:
            raise doubted
    return document


def _read_value(value: Source, found: Adapter, options: Options, log: Log) -> Document | Conversation:
    try:
        reader = reader_for(found, options)
        conversation = None if reader is None else reader.read(value, log)
        if conversation is not None:
            return conversation
        return found.read(restored(found, value, options), options, log)
    except BridgeError as error:
        raise error.locate(value) if isinstance(value, str) else error from error.__cause__


def _check(outcome: Outcome, policy: LossPolicy, strict: bool) -> None:
    """Refuse what the policy refuses; losses that it surely allows are not looked at."""
    policy.check(outcome.losses_of(policy.refusable(strict=strict)), strict=strict)


def _whole(document: Document | Conversation) -> Document:
    return document.transcript if isinstance(document, Conversation) else document


def _written(
    document: Document | Conversation, target: str | Adapter, options: Options, drop_analysis: bool
) -> tuple[Outcome, str]:
    """What was written, and the id of the format that it is in."""
    found, dialect = registry.adapter(target)
    if dialect is not None:
        options = replace(options, dialect=dialect)
    elif options.dialect is not None and options.dialect not in found.dialects:
        known = ", ".join(found.dialects) or "none"
        raise BridgeError(ErrorCode.OPTION, f"{found.id} has no dialect {options.dialect!r}; it has {known}")
    if not drop_analysis and (outcome := _write_units(found, document, options)) is not None:
        return outcome, found.id
    transcript = _whole(document)
    if drop_analysis and isinstance(transcript, Transcript):
        written = _write_answers(found, transcript, options)
    else:
        written = _write(found, transcript, options)
    return _guarded(found, transcript, written, options), found.id


def _write_units(adapter: Adapter, document: Document | Conversation, options: Options) -> Written | None:
    """What was written unit by unit; None where the document is written as a whole."""
    if isinstance(document, Completion):
        return None
    writer = writer_for(adapter, options)
    if writer is None:
        return None
    try:
        written = writer.write(conversation_of(document) if isinstance(document, Transcript) else document)
    except ByDocument:
        return None
    output = written.output
    return None if isinstance(output, str) and not is_unicode(output) else written


def _guarded(adapter: Adapter, document: Document, written: DocumentOutcome, options: Options) -> DocumentOutcome:
    """What was written, with the added tokens in its content broken."""
    safe, losses = guarded(adapter, written.output, written.image, options)
    if not losses:
        return written
    if isinstance(document, Transcript):
        losses = renumber(losses, remaining(len(document.messages), written.losses, written.order))
    if options.control_tokens == "refuse":
        raise refused(losses)
    return replace(written, output=safe, report=written.report.with_more(losses))


def _bytes(data: Source | bytes) -> bytes:
    """The bytes of an output, however a caller holds it."""
    if isinstance(data, bytes):
        return data
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else jsontext.dumps(data) + b"\n"


def _write(adapter: Adapter, document: Document, options: Options) -> DocumentOutcome:
    def fit(document: Document, log: Log) -> Document:
        return adapter.fit(document, options, log)

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


def _write_answers(adapter: Adapter, transcript: Transcript, options: Options) -> DocumentOutcome:
    """Write without the reasoning that led to final answers; all is reported by its place in the whole transcript."""
    shortened, dropped = without_analysis(transcript)
    written = _write(adapter, shortened, options)
    origins = remaining(len(transcript.messages), dropped)
    order = None if written.order is None else tuple(origins[index] for index in written.order)
    return replace(written, report=Report((*dropped, *renumber(written.losses, origins))), order=order)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _write_clean(adapter: Adapter, document: Document, options: Options) -> DocumentOutcome:
    """Text that UTF-8 cannot hold (half of a surrogate pair) becomes U+FFFD, and is reported."""
    from .model.codec import from_json, to_json

    clean = from_json(_scrub(to_json(document)))
    losses = [
        Loss(LossCode.SURROGATE, Severity.CHANGED, place.path, "half of a surrogate pair becomes U+FFFD")
        for place in diff(document, clean)
    ]
    written = _write(adapter, clean, options)
    return replace(written, report=Report((*losses, *written.losses)))


def _scrub(value: Json) -> Json:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_scrub(item) for item in cast("list[Json]", value)]
    if isinstance(value, dict):
        return {_scrub(key): _scrub(item) for key, item in cast("dict[str, Json]", value).items()}
    return value
