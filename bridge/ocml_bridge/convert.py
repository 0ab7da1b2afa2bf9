"""Read, write and convert documents.

These functions take data and return data: they use no file, no clock and no environment. `checks/verify.py` checks an
output against the laws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from . import registry
from .chat.transform import Dropped
from .detection import doubt, explain, opened
from .engine.added_tokens import restored
from .engine.input import document_in, findings_of, reader_of_texts
from .engine.output import Target, target_of, write_document
from .engine.plans.pieces import Pieces
from .engine.reading import Reader
from .errors import BridgeError, ErrorCode
from .formats.adapter import DEFAULT, Adapter, Kind, Options, Source
from .formats.source import decode
from .json_values import jsontext
from .json_values.parsed import as_document
from .loss import OF_RELATIONS, Finding, Log
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
        source: its format id, `id` or `id:dialect`, or an adapter; None to detect it.
        options: how to read. With `force_format`, the named format reads the data even if it looks like another one.
        strict: refuse a document that the reader had to repair.
        sidecar: the result of `make_sidecar` for this output. Then the document that was written is returned.

    Raises:
        BridgeError: with code and position, if the data cannot be read; OCB-FORMAT-DOUBT if the data is certainly in
            another format than the named one; OCB-SIDECAR if the sidecar belongs to another output.
    """
    registry.check_format_options(options, source)
    document, findings, name = _read(data, _origin(source, options), strict, sidecar)
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
        target: the format id, `id` or `id:dialect`, or an adapter.
        options: how to write.
        strict: refuse every loss and change that the policy does not allow by name.
        policy: which losses are allowed and which are refused.
        drop_analysis: leave out private reasoning, and report it: `"final"`, of the turns that ended in a final answer
            (HIP-1 §12.7); `"all"`, of every turn.
        spans: whether to record which part of the output comes from which part of the document (`Result.spans`).

    Raises:
        BridgeError: OCB-LOSS or OCB-EMPTIED if the policy refuses a loss; OCB-CONTROL-TOKEN if `options` refuse control
            tokens in content; OCB-OPTION for spans of an output that is neither text nor token ids; OCB-SHAPE, with the
            path, for a value that is not of the model's classes or is not JSON.
    """
    registry.check_format_options(options, target)
    to = _target(target, options)
    try:
        transcript = own(as_document(transcript))
        outcome = write_document(to, transcript, drop_analysis=drop_analysis, spans=spans)
        _check(outcome, policy, strict)
    except (AttributeError, KeyError, TypeError) as error:
        raise misfit(transcript) or error from error
    except BridgeError as error:
        nearer = misfit(transcript) if error.code is ErrorCode.SHAPE else None
        if nearer is None:
            raise
        raise nearer from error
    return Result(outcome, transcript, (), None, to.adapter.id)


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
        source: the format id of the data; None to detect it.
        target: the format id to write, `id` or `id:dialect`.
        options: how to read and write.
        strict: refuse a document that the reader had to repair, and every loss and change that the policy does not
            allow by name.
        policy: which losses are allowed and which are refused.
        sidecar: the sidecar of `data`, if `data` is an output that has one.
        drop_analysis: leave out private reasoning, and report it: `"final"`, of the turns that ended in a final answer
            (HIP-1 §12.7); `"all"`, of every turn.
        spans: whether to record which part of the output comes from which part of the document (`Result.spans`).

    Raises:
        BridgeError: with code and position, if the data cannot be read or the output is refused; OCB-OPTION for spans
            of an output that is neither text nor token ids.
    """
    origin, to = _route(source, target, options)
    document, findings, source_id = _read(data, origin, strict, sidecar)
    outcome = write_document(to, document, drop_analysis=drop_analysis, spans=spans)
    _check(outcome, policy, strict)
    return Result(outcome, document, tuple(findings), source_id, to.adapter.id)


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
    """Convert as `convert` does, without copying the input.

    Args:
        data: text or parsed JSON. Nobody may change it as long as the result is in use.
        source: as for `convert`.
        target: as for `convert`.
        options: as for `convert`.
        strict: as for `convert`.
        policy: as for `convert`.
        spans: as for `convert`.
    """
    origin, to = _route(source, target, options)
    document, findings, source_id = _read(data, origin, strict, None, shared=False)
    outcome = write_document(to, document, spans=spans)
    _check(outcome, policy, strict)
    return Result(outcome, document, tuple(findings), source_id, to.adapter.id)


def make_sidecar(
    result: Result, *, options: Options = DEFAULT, target: Adapter | None = None, pretty: bool = False
) -> dict[str, Json]:
    """Return the sidecar of an output: what of the document is not in the output, as JSON values.

    `read` takes it together with the output and returns the document that was written.

    Args:
        result: the result of `write` or `convert`.
        options: the options that it was written with.
        target: the adapter of the output, if it is not registered.
        pretty: whether the JSON of the output is written indented.
    """
    from .report.sidecar import make

    data = result.encode(pretty=pretty)
    back = read(data, target or result.target, options=replace(options, dialect=None, force_format=True)).transcript
    return make(result.document, back, result.origins, data, result.target)


# --- inside -----------------------------------------------------------------------------------------------------------


class _Origin(NamedTuple):
    """How a source is read.

    Attributes:
        adapter: its format; None to detect it.
        options: how to read.
        reader: the reader of all texts in the format; None if they are first restored (`reader_of_texts`).
    """

    adapter: Adapter | None
    options: Options
    reader: Reader | None


@lru_cache(maxsize=256)
def _route(source: str | Adapter | None, target: str | Adapter, options: Options) -> tuple[_Origin, Target]:
    """Return how documents are read and written that are converted from one format to another.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN, OCB-DEPENDENCY or OCB-OPTION for what does not exist.
    """
    registry.check_format_options(options, source, target)
    return _origin(source, options), _target(target, options)


@lru_cache(maxsize=64)
def _origin(source: str | Adapter | None, options: Options) -> _Origin:
    """Return how documents of a format are read, with the dialect that its name has; None for a format to detect.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN or OCB-DEPENDENCY for what does not exist.
    """
    if source is None:
        return _Origin(None, options, None)
    adapter, dialect = registry.adapter(source)
    options = replace(options, dialect=dialect) if dialect else options
    return _Origin(adapter, options, reader_of_texts(adapter, options))


@lru_cache(maxsize=64)
def _target(target: str | Adapter, options: Options) -> Target:
    """Return how documents are written in a format, with the dialect that its name has.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN, OCB-DEPENDENCY or OCB-OPTION for what does not exist.
    """
    adapter, dialect = registry.adapter(target)
    if dialect is not None:
        options = replace(options, dialect=dialect)
    elif options.dialect is not None and options.dialect not in adapter.dialects:
        known = ", ".join(adapter.dialects) or "none"
        raise BridgeError(ErrorCode.OPTION, f"{adapter.id} has no dialect {options.dialect!r}; it has {known}")
    return target_of(adapter, options)


def _read(
    data: Source | bytes, origin: _Origin, strict: bool, sidecar: Json, *, shared: bool = True
) -> tuple[Document | Conversation, Sequence[Finding], str]:
    """Return the document, the findings of its reader, and the id of its format.

    Args:
        data: as for `read`.
        origin: how to read it.
        strict: as for `read`.
        sidecar: as for `read`.
        shared: whether the caller may change `data` later. Then the JSON values in the document are copies.
    """
    adapter, options, reader = origin
    if sidecar is not None:  # The sidecar names the format, so the data need not look like it.
        adapter, options, reader = _origin(adapter, replace(options, force_format=True))
    text: Pieces | None = None
    if sidecar is None and isinstance(data, (str, bytes)):
        if adapter is None:
            known = _known(data, options)
            if known is not None:
                return known[0], _findings_by_plan(known[0], strict), known[1].id
        elif reader is not None:
            found = reader.known(data)
            if isinstance(found, Conversation):
                return found, _findings_by_plan(found, strict), adapter.id
            text = found
    log = Log()
    if adapter is None:
        adapter, document = _detected(data, options, log)
    else:
        document = _read_named(data, adapter, options, log, text)
    # A conversation that was read by a plan has nothing in common with the data but texts.
    by_plan = isinstance(document, Conversation) and document.plan is not None
    if shared and not (by_plan or isinstance(data, (str, bytes))):
        document = own(whole(document))
    if sidecar is not None:
        from .report.sidecar import apply

        document = apply(whole(document), sidecar, _bytes(data), adapter.id, log)
    if strict and log.findings:
        raise refusal(log.findings)
    return document, log.findings, adapter.id


def _findings_by_plan(conversation: Conversation, strict: bool) -> list[Finding]:
    """Return the findings of a conversation that was read by the plan of its text.

    Raises:
        BridgeError: as `refusal` returns it, if there are findings and reading is strict.
    """
    findings = findings_of(conversation)
    if strict and findings:
        raise refusal(findings)
    return findings


_MOST_FORMATS: Final = 4
"""How many formats are tried for JSON whose format is not named."""


_LATELY: Final[list[Adapter]] = []
"""The formats of JSON that were detected lately, the last one first."""


def _known(data: str | bytes, options: Options) -> tuple[Conversation, Adapter] | None:
    """Return the conversation in JSON like some whose format was detected, and that format; None if it is not known."""
    text = None
    for adapter in _LATELY:
        reader = _origin(adapter, options).reader
        if reader is None:
            continue
        text = reader.split_text(data) if text is None or not text.pieces else text  # all split JSON in the same way
        conversation = None if text is None else reader.read_text(text, detected=True)
        if conversation is not None:
            return conversation, adapter
    return None


def _detected(data: Source | bytes, options: Options, log: Log) -> tuple[Adapter, Document | Conversation]:
    """Detect the format of data; return it, and the document. JSON like it is read by `_known` from then on."""
    adapter, value = opened(data, log)
    reader = _origin(adapter, options).reader if adapter.kind is Kind.JSON and not log.findings else None
    text = reader.split_text(data) if reader is not None and isinstance(data, (str, bytes)) else None
    conversation = None if reader is None or text is None else reader.read_text(text)
    if reader is None or text is None or conversation is None:
        return adapter, _read_value(value, adapter, options, log, text)
    plan = conversation.plan
    log.findings += findings_of(conversation)
    # A label may be a word that tells formats apart.
    if plan is not None and not (plan.labels or plan.findings):
        reader.store_detected(text)
        _LATELY[:] = [adapter, *(other for other in _LATELY if other is not adapter)][:_MOST_FORMATS]
    return adapter, conversation


def _read_named(
    data: Source | bytes, adapter: Adapter, options: Options, log: Log, text: Pieces | None
) -> Document | Conversation:
    """Read a document in the format that the caller named.

    Detection runs only if the reader had findings other than `OF_RELATIONS`, so that a document which is clearly in
    its format is not examined twice.
    """
    try:
        value = decode(data, adapter.kind, log)
        document = _read_value(value, adapter, options, log, text)
    except BridgeError as error:
        raise explain(error, data, adapter) from error.__cause__
    if not options.force_format and any(finding.code not in OF_RELATIONS for finding in log.findings):
        doubted = doubt(adapter, value)
        if doubted is not None:
            raise doubted
    return document


def _read_value(
    value: Source, adapter: Adapter, options: Options, log: Log, text: Pieces | None = None
) -> Document | Conversation:
    try:
        return document_in(adapter, restored(adapter, value, options), options, log, text)
    except BridgeError as error:
        raise error.locate(value) if isinstance(value, str) else error from error.__cause__


def _check(outcome: Outcome, policy: LossPolicy, strict: bool) -> None:
    """Raise the policy's refusal, if any; losses with codes that the policy allows are not materialised."""
    if losses := outcome.losses_of(policy.refusable(strict=strict)):
        policy.check(losses, strict=strict)


def _bytes(data: Source | bytes) -> bytes:
    """Return the bytes of an output that is given as bytes, text or parsed JSON."""
    if isinstance(data, bytes):
        return data
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else jsontext.dumps(data) + b"\n"
