"""read · write · convert: data in, data out. No file, no clock, no environment. `verify.py` checks what was written."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from . import registry
from .chat.transform import Dropped
from .detection import doubt, explain, opened
from .engine.added_tokens import restored
from .engine.input import document_in
from .engine.output import written
from .errors import BridgeError, ErrorCode
from .formats.adapter import DEFAULT, Adapter, Options, Source
from .formats.source import decode
from .json_values import jsontext
from .json_values.parsed import as_document
from .loss import Finding, FindingCode, Log
from .model import Document, Json
from .model.misfit import misfit
from .model.ownership import own
from .report.policy import DEFAULT_POLICY, LossPolicy, refusal
from .report.result import Outcome, Reading, Result
from .units.conversation import Conversation, whole


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
    registry.check_format_options(options, source)
    document, findings, name = _read(data, source, options, strict, sidecar)
    return Reading(whole(document), tuple(findings), name)


def write(
    transcript: Document,
    target: str | Adapter,
    *,
    options: Options = DEFAULT,
    strict: bool = False,
    policy: LossPolicy = DEFAULT_POLICY,
    drop_analysis: Dropped | None = None,
    spans: bool = False,
) -> Result:
    """Write a document in a format.

    Args:
        transcript: the document.
        target: the format id, with a dialect where wanted, or an adapter.
        options: how to write.
        strict: refuse where anything would be lost or changed that the policy does not allow.
        policy: which losses are allowed and which are refused.
        drop_analysis: leave out private reasoning, and report it: `"final"`, of the turns that ended in a final answer
            (HIP-1 §12.7); `"all"`, of every turn.
        spans: tell what stands where in the output.

    Raises:
        BridgeError: OCB-LOSS or OCB-EMPTIED where the policy refuses a loss; OCB-CONTROL-TOKEN where that for control
            tokens does; OCB-OPTION for spans of what is neither text nor token ids; OCB-SHAPE with the place of what is
            not of the model's classes, or no JSON.
    """
    registry.check_format_options(options, target)
    try:
        transcript = own(as_document(transcript))
        outcome, name = _written(transcript, target, options, drop_analysis, spans)
        _check(outcome, policy, strict)
    except (AttributeError, KeyError, TypeError) as error:
        raise misfit(transcript) or error from error
    except BridgeError as error:
        nearer = misfit(transcript) if error.code is ErrorCode.SHAPE else None
        if nearer is None:
            raise
        raise nearer from error
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
    drop_analysis: Dropped | None = None,
    spans: bool = False,
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
        drop_analysis: leave out private reasoning, and report it: `"final"`, of the turns that ended in a final answer
            (HIP-1 §12.7); `"all"`, of every turn.
        spans: tell what stands where in the output.

    Raises:
        BridgeError: with code and position, where it cannot be read or may not be written; OCB-OPTION for spans of what
            is neither text nor token ids.
    """
    registry.check_format_options(options, source, target)
    read = _read(data, source, options, strict, sidecar)
    return _converted(read, target, options, drop_analysis, strict=strict, policy=policy, spans=spans)


def convert_unshared(
    data: Source,
    *,
    source: str | Adapter | None,
    target: str | Adapter,
    options: Options = DEFAULT,
    strict: bool = False,
    policy: LossPolicy = DEFAULT_POLICY,
    spans: bool = False,
) -> Result:
    """As `convert`, of parsed JSON that nobody changes as long as the result is there: nothing of it is copied."""
    registry.check_format_options(options, source, target)
    read = _read(data, source, options, strict, None, shared=False)
    return _converted(read, target, options, None, strict=strict, policy=policy, spans=spans)


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
    from .report.sidecar import make

    data = result.encode(pretty=pretty)
    back = read(data, target or result.target, options=replace(options, dialect=None, force_format=True)).transcript
    return make(result.document, back, result.origins, data, result.target)


# --- inside -----------------------------------------------------------------------------------------------------------


def _converted(
    read: tuple[Document | Conversation, list[Finding], str],
    target: str | Adapter,
    options: Options,
    drop_analysis: Dropped | None,
    *,
    strict: bool,
    policy: LossPolicy,
    spans: bool,
) -> Result:
    """What was read, with the findings and the id of its format, in another one."""
    document, findings, name = read
    outcome, target_id = _written(document, target, options, drop_analysis, spans)
    _check(outcome, policy, strict)
    return Result(outcome, document, tuple(findings), name, target_id)


def _read(
    data: Source | bytes,
    source: str | Adapter | None,
    options: Options,
    strict: bool,
    sidecar: Json,
    *,
    shared: bool = True,
) -> tuple[Document | Conversation, list[Finding], str]:
    """The document, what its reader noticed, and the id of the format that it was in.

    JSON values that are `shared` are copied: their owner may change them.
    """
    log = Log()
    if sidecar is not None:  # it says what it is an output of, whatever that looks like
        options = replace(options, force_format=True)
    if source is not None:
        found, dialect = registry.adapter(source)
        document = _read_named(data, found, replace(options, dialect=dialect) if dialect else options, log)
    else:
        found, value = opened(data, log)
        document = _read_value(value, found, options, log)
    if shared and not isinstance(data, (str, bytes)):
        document = own(whole(document))
    if sidecar is not None:
        from .report.sidecar import apply

        document = apply(whole(document), sidecar, _bytes(data), found.id, log)
    if strict and log.findings:
        raise refusal(log.findings)
    return document, log.findings, found.id


def _read_named(data: Source | bytes, found: Adapter, options: Options, log: Log) -> Document | Conversation:
    """A document in the format that was named.

    Evidence of another format is looked for only where the reader found anything amiss, other than which reply answers
    which call: what is of a format, and all that is converted often, is not looked at twice.
    """
    try:
        value = decode(data, found.kind, log)
        document = _read_value(value, found, options, log)
    except BridgeError as error:
        raise explain(error, data, found) from error.__cause__
    if not options.force_format and any(finding.code not in _OF_RELATIONS for finding in log.findings):
        doubted = doubt(found, value)
        if doubted is not None:
            raise doubted
    return document


_OF_RELATIONS: Final = frozenset({FindingCode.REPLY_UNPAIRED, FindingCode.CALL_ID_REPEATED})


def _read_value(value: Source, found: Adapter, options: Options, log: Log) -> Document | Conversation:
    try:
        return document_in(found, restored(found, value, options), options, log)
    except BridgeError as error:
        raise error.locate(value) if isinstance(value, str) else error from error.__cause__


def _check(outcome: Outcome, policy: LossPolicy, strict: bool) -> None:
    """Refuse what the policy refuses; losses that it surely allows are not looked at."""
    if losses := outcome.losses_of(policy.refusable(strict=strict)):
        policy.check(losses, strict=strict)


def _written(
    document: Document | Conversation, target: str | Adapter, options: Options, drop: Dropped | None, spans: bool
) -> tuple[Outcome, str]:
    """What was written, and the id of the format that it is in."""
    found, dialect = registry.adapter(target)
    if dialect is not None:
        options = replace(options, dialect=dialect)
    elif options.dialect is not None and options.dialect not in found.dialects:
        known = ", ".join(found.dialects) or "none"
        raise BridgeError(ErrorCode.OPTION, f"{found.id} has no dialect {options.dialect!r}; it has {known}")
    return written(found, document, options, drop_analysis=drop, spans=spans), found.id


def _bytes(data: Source | bytes) -> bytes:
    """The bytes of an output, however a caller holds it."""
    if isinstance(data, bytes):
        return data
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else jsontext.dumps(data) + b"\n"
