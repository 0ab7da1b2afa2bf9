"""read · write · convert: data in, data out. No file, no clock, no environment. `verify.py` checks what was written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, cast

from . import jsontext, registry
from .adapter import DEFAULT, Adapter, Options, Source
from .added_tokens import guarded, refused, restored
from .arrange import Draft, arranged
from .boundary import WHOLE, Place
from .detection import doubt, explain, opened
from .diff import diff
from .errors import BridgeError, ErrorCode
from .fit import report
from .loss import Finding, Log, Loss, LossCode, Severity, is_lossless
from .model import Document, Json, Transcript
from .ownership import own, own_json
from .policy import DEFAULT_POLICY, LossPolicy, refusal
from .source import decode
from .substance import Characters, characters
from .text.unicode import is_unicode
from .transform import drop_analysis as without_analysis
from .transform import remaining, renumber


@dataclass(slots=True)
class Reading:
    """What was read: a value.

    Attributes:
        transcript: the document in the canonical form.
        findings: what the reader mended or assumed, in order.
        source: the format id it was read as.
        place: where it stood, in a document of several conversations.
    """

    transcript: Document
    findings: tuple[Finding, ...]
    source: str
    place: Place = WHOLE


@dataclass(slots=True)
class Result:
    """What was written: a value. `output` and `transcript` are the caller's own, to change; `data` stays as it is.

    Attributes:
        losses: what the target could not hold, in order.
        findings: what the reader of the source mended or assumed.
        source: format id of the source; None where a transcript was written directly.
        target: format id of the output.
        order: indices of the transcript's messages in the order in which the output has them, where some were moved;
            None where all stand in their own order.
    """

    _output: Source
    losses: tuple[Loss, ...]
    findings: tuple[Finding, ...]
    _transcript: Document
    source: str | None
    target: str
    _image: Document
    order: tuple[int, ...] | None = None
    _own_output: Source = field(default=None, init=False, repr=False, compare=False)
    _own_transcript: Document | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def output(self) -> Source:
        """`str` for text formats, plain JSON values for the others."""
        # Copied when it is looked at: whoever wants the bytes need not pay for it.
        if self._own_output is None:
            self._own_output = own_json(self._output)
        return self._own_output

    @property
    def transcript(self) -> Document:
        """The document that was written."""
        if self._own_transcript is None:
            self._own_transcript = own(self._transcript)
        return self._own_transcript

    @property
    def data(self) -> bytes:
        """The bytes to write to a file: text as it is, JSON compact with a final newline."""
        return self.encode()

    def encode(self, *, pretty: bool = False) -> bytes:
        """The bytes to write; JSON indented where `pretty`."""
        output = self._output
        if isinstance(output, str):
            return output.encode("utf-8", "surrogatepass")
        if isinstance(output, jsontext.Lines):
            return b"".join(jsontext.dumps(line) + b"\n" for line in output)
        return jsontext.dumps(output, pretty=pretty) + b"\n"

    @property
    def lossless(self) -> bool:
        """Whether nothing was lost or changed."""
        return is_lossless(self.losses)

    @property
    def origins(self) -> list[int]:
        """For each message of the output, its index in the transcript."""
        count = len(self._transcript.messages) if isinstance(self._transcript, Transcript) else 0
        return remaining(count, self.losses, self.order)

    @property
    def characters(self) -> Characters:
        """How many characters of what was said were read, and how many are in the output; counted when asked for."""
        return Characters(characters(self._transcript), characters(self._image))

    def report(self) -> dict[str, Json]:
        """The report of findings and losses as JSON values."""
        return {
            "source": self.source,
            "target": self.target,
            "lossless": self.lossless,
            "characters": self.characters._asdict(),
            "findings": [note.to_json() for note in self.findings],
            "losses": [note.to_json() for note in self.losses],
        }


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
    document, findings, name, _ = _read(data, source, options, strict, sidecar)
    return Reading(document, tuple(findings), name)


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
    written, name = _written(transcript, target, options, drop_analysis)
    policy.check(written.losses, strict=strict)
    return _result(written, transcript, (), None, name)


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
    document, findings, name, sound = _read(data, source, options, strict, sidecar)
    written, target_id = _written(document, target, options, drop_analysis, sound)
    policy.check(written.losses, strict=strict)
    return _result(written, document, findings, name, target_id)


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
    return make(result._transcript, back, result.origins, data, result.target)  # pyright: ignore[reportPrivateUsage]


# --- inside -----------------------------------------------------------------------------------------------------------


def _read(
    data: Source | bytes, source: str | Adapter | None, options: Options, strict: bool, sidecar: Json
) -> tuple[Document, list[Finding], str, bool]:
    """The document, what its reader noticed, the id of the format that it was in, and whether its text is sound."""
    log = Log()
    if source is not None:
        found, dialect = registry.adapter(source)
        document, sound = _read_named(data, found, replace(options, dialect=dialect) if dialect else options, log)
    else:
        found, value, sound = opened(data, log)
        document = _read_value(value, found, options, log)
    if not isinstance(data, (str, bytes)):
        document = own(document)
    if sidecar is not None:
        from .sidecar import apply

        document = apply(document, sidecar, _bytes(data), found.id, log)
    if strict and log.findings:
        raise refusal(log.findings)
    return document, log.findings, found.id, sound and found.verbatim and sidecar is None


def _read_named(data: Source | bytes, found: Adapter, options: Options, log: Log) -> tuple[Document, bool]:
    """A document in the format that was named, and whether its text is sound.

    Evidence of another format is looked for only where the reader found anything amiss: what is of a format, and all
    that is converted often, is not looked at twice.
    """
    try:
        value, sound = decode(data, found.kind, log)
        document = _read_value(value, found, options, log)
    except BridgeError as error:
        raise explain(error, data, found) from error.__cause__
    if log.findings and not options.force_format:
        doubted = doubt(found, value)
        if doubted is not None:
            raise doubted
    return document, sound


def _read_value(value: Source, found: Adapter, options: Options, log: Log) -> Document:
    try:
        return found.read(restored(found, value, options), options, log)
    except BridgeError as error:
        raise error.locate(value) if isinstance(value, str) else error from error.__cause__


class _Written(NamedTuple):
    """The output, its losses, what it reads as, and the order of its messages where some were moved."""

    output: Source
    losses: list[Loss]
    image: Document
    order: tuple[int, ...] | None = None


def _result(
    written: _Written, document: Document, findings: Iterable[Finding], source: str | None, target: str
) -> Result:
    output, losses, image, order = written
    return Result(output, tuple(losses), tuple(findings), document, source, target, image, order)


def _written(
    transcript: Document, target: str | Adapter, options: Options, drop_analysis: bool, sound: bool = False
) -> tuple[_Written, str]:
    """What was written, and the id of the format that it is in."""
    found, dialect = registry.adapter(target)
    if dialect is not None:
        options = replace(options, dialect=dialect)
    elif options.dialect is not None and options.dialect not in found.dialects:
        known = ", ".join(found.dialects) or "none"
        raise BridgeError(ErrorCode.OPTION, f"{found.id} has no dialect {options.dialect!r}; it has {known}")
    if drop_analysis and isinstance(transcript, Transcript):
        written = _write_answers(found, transcript, options)
    else:
        written = _write(found, transcript, options, sound)
    return _guarded(found, transcript, written, options), found.id


def _guarded(adapter: Adapter, document: Document, written: _Written, options: Options) -> _Written:
    """What was written, with the added tokens in its content broken."""
    safe, losses = guarded(adapter, written.output, written.image, options)
    if not losses:
        return written
    if isinstance(document, Transcript):
        losses = renumber(losses, remaining(len(document.messages), written.losses, written.order))
    if options.control_tokens == "refuse":
        raise refused(losses)
    return written._replace(output=safe, losses=[*written.losses, *losses])


def _bytes(data: Source | bytes) -> bytes:
    """The bytes of an output, however a caller holds it."""
    if isinstance(data, bytes):
        return data
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else jsontext.dumps(data) + b"\n"


def _write(adapter: Adapter, document: Document, options: Options, sound: bool = False) -> _Written:
    found = adapter.direct(document, options, sound) if adapter.direct is not None else None
    if found is not None and found[0] is document:
        return _Written(found[1], [], document)

    def fit(document: Document, log: Log) -> Document:
        return adapter.fit(document, options, log)

    log = Log()
    first = Draft(fit(document, log) if found is None else found[0], log)
    draft = arranged(document, first, fit, target=adapter.id)
    image, log, order = draft
    report(document, image, log, target=adapter.id, order=order)
    if found is not None and order is None:
        return _Written(found[1], log.losses, image)
    known = len(log.losses)
    output = adapter.write(image, options, log)
    if len(log.losses) > known and isinstance(document, Transcript):
        # A writer knows only the image, which lacks the messages that were left out, and has them in its order.
        origins = remaining(len(document.messages), log.losses[:known], order)
        log.losses[known:] = renumber(log.losses[known:], origins)
    if isinstance(output, str) and not is_unicode(output):
        return _write_clean(adapter, document, options)
    return _Written(output, log.losses, image, order)


def _write_answers(adapter: Adapter, transcript: Transcript, options: Options) -> _Written:
    """Write without the reasoning that led to final answers; all is reported by its place in the whole transcript."""
    shortened, dropped = without_analysis(transcript)
    output, losses, image, order = _write(adapter, shortened, options)
    origins = remaining(len(transcript.messages), dropped)
    if order is not None:
        order = tuple(origins[index] for index in order)
    return _Written(output, [*dropped, *renumber(losses, origins)], image, order)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _write_clean(adapter: Adapter, document: Document, options: Options) -> _Written:
    """Text that UTF-8 cannot hold (half of a surrogate pair) becomes U+FFFD, and is reported."""
    from .model.codec import from_json, to_json

    clean = from_json(_scrub(to_json(document)))
    losses = [
        Loss(LossCode.SURROGATE, Severity.CHANGED, place.path, "half of a surrogate pair becomes U+FFFD")
        for place in diff(document, clean)
    ]
    output, rest, image, order = _write(adapter, clean, options)
    return _Written(output, losses + rest, image, order)


def _scrub(value: Json) -> Json:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_scrub(item) for item in cast("list[Json]", value)]
    if isinstance(value, dict):
        return {_scrub(key): _scrub(item) for key, item in cast("dict[str, Json]", value).items()}
    return value
