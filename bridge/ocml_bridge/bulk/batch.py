"""Convert records to outcomes. It opens no files, and raises no errors of records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from ..chat.substance import Characters
from ..convert import Reading, Result, convert, convert_unshared, refusal, write
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import DEFAULT, Options, Source
from ..json_values import jsontext
from ..loss import Finding, Loss, LossClass, Severity, is_lossless, worst_class
from ..report.policy import DEFAULT_POLICY, LossPolicy
from .containers.nested import Nested

if TYPE_CHECKING:
    from ..layouts import Plan
    from ..profiles import Prompt
    from ..spans.masks import Mask


class Status(StrEnum):
    """The status of a converted record."""

    CONVERTED = "converted"
    """Nothing was lost; its layout may differ."""
    LOSSY = "lossy"
    """Converted, with reported losses or changes."""
    QUARANTINED = "quarantined"
    """Not converted; the error has the reason."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to convert each record.

    Attributes:
        target: the format to write, as `id` or `id:dialect`.
        source: the format to read; None to detect it for each record.
        options: how to read and write.
        strict: quarantine records that had to be repaired, and those with losses that the policy does not allow.
        policy: which losses are allowed; a record with others is quarantined.
        verify: read each output back; quarantine a record (OCB-UNREPORTED) if it differs without a reported loss.
        profile: make a model's prompt of each record, or with `options.training` a line to train on; None to convert.
        date: with a profile, the date in prompts, `YYYY-MM-DD`.
        effort: with a profile, the reasoning effort; None for that of each record.
        layout: the layout of rows to make of the written documents; None for the documents themselves.
        mask: makes a training row of each output, with what of it is trained on; None for no training rows.
        tokenizer: the file `tokenizer.json` of a model, for rows of its token ids; None for rows of text.
    """

    target: str
    source: str | None = None
    options: Options = DEFAULT
    strict: bool = False
    verify: bool = False
    policy: LossPolicy = DEFAULT_POLICY
    profile: str | None = None
    date: str | None = None
    effort: str | None = None
    layout: Plan | None = None
    mask: Mask | None = None
    tokenizer: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one record.

    Attributes:
        status: converted, lossy or quarantined.
        output: text for text formats, JSON values for others; None if the record is quarantined.
        losses: what the target cannot hold, in order.
        findings: what the reader repaired or assumed, in order.
        error: why it is quarantined, with code and position; None if it is not.
        characters: the number of characters of text read and written; None if the record is quarantined.
    """

    status: Status
    output: Source
    losses: tuple[Loss, ...] = ()
    findings: tuple[Finding, ...] = ()
    error: BridgeError | None = None
    characters: Characters | None = None

    @property
    def loss_class(self) -> LossClass | None:
        """Return the worst class of losses; None without losses or changes."""
        return worst_class(self.losses)

    @property
    def text(self) -> str | None:
        """Return the output as one text, JSON compact; None if the record is quarantined."""
        if self.error is not None:
            return None
        return self.output if isinstance(self.output, str) else jsontext.dumps(self.output).decode()

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of places that were lost or changed, by loss code."""
        return dict(Counter(str(loss.code) for loss in self.losses if loss.severity is not Severity.LAYOUT))


def convert_batch(
    records: Iterable[Source | bytes | Nested | Reading | BridgeError], settings: Settings
) -> list[Outcome]:
    """Convert records, and return one outcome for each, in order.

    Args:
        records: text, bytes (UTF-8), parsed JSON, conversations of nested columns, or readings; or the error of a
            record that could not be read from its container, which becomes its outcome.
        settings: how to convert them.

    Returns:
        As many outcomes as there are records. Nothing is raised: an error is in the outcome of its record.
    """
    return [outcome_of(record, settings) for record in records]


Spare = Callable[[Result, Source, tuple[Loss, ...]], tuple[Loss, ...]]
"""Returns the remaining losses of a result, by its output and its losses, if its record keeps some lost members."""


def outcome_of(
    record: Source | bytes | Nested | Reading | BridgeError, settings: Settings, spare: Spare | None = None
) -> Outcome:
    """Convert one record, and return its outcome; nothing is raised.

    Args:
        record: as `convert_batch` takes it.
        settings: how to convert it.
        spare: returns the losses that remain, for a result, its output and its losses; an error of its is the outcome.
    """
    findings: tuple[Finding, ...] = ()
    try:
        if isinstance(record, BridgeError):
            raise record
        shared = not isinstance(record, Nested)
        if isinstance(record, Nested):
            record, findings = record
        if findings and settings.strict:
            raise refusal(findings)
        result = _result(record, settings, shared=shared)
        if settings.verify:
            written = result if settings.profile is None else cast("Prompt", result).written
            _verify(written, settings.options)
        output, losses = _in_layout(result, settings)
        if spare is not None:
            losses = spare(result, output, losses)
    except BridgeError as error:
        return Outcome(Status.QUARANTINED, None, error=_without_traceback(error))
    except Exception as error:  # a bug must not end the run
        return Outcome(Status.QUARANTINED, None, error=unexpected(error))
    status = Status.CONVERTED if is_lossless(losses) else Status.LOSSY
    return Outcome(status, output, losses, (*findings, *result.findings), characters=result.characters)


def _in_layout(result: Result, settings: Settings) -> tuple[Source, tuple[Loss, ...]]:
    """Return the output as a row of the requested layout, and all losses.

    Raises:
        BridgeError: OCB-SHAPE if the layout cannot hold it; OCB-LOSS if the policy refuses a loss.
    """
    if settings.mask is not None:
        from .training_rows import masked

        return masked(result, settings.mask, settings.tokenizer), result.losses
    if settings.layout is None:
        return result.output, result.losses
    from ..layouts import layouts_of

    row, losses = layouts_of(settings.layout)[0].write(result.output)
    settings.policy.check(losses, strict=settings.strict)
    return row, (*result.losses, *losses)


def unexpected(error: Exception) -> BridgeError:
    """Return any error as the error of a record."""
    if isinstance(error, BridgeError):
        return _without_traceback(error)
    if isinstance(error, MemoryError):
        return BridgeError(ErrorCode.LIMIT, "the record takes more memory than is allowed; --memory allows more")
    return BridgeError(ErrorCode.INTERNAL, f"{type(error).__name__}: {error}")


def _result(record: Source | bytes | Reading, settings: Settings, *, shared: bool) -> Result:
    """Convert a record; it is not copied if its JSON values are not `shared` with the caller."""
    if settings.profile is None and isinstance(record, Reading):
        written = write(
            record.transcript,
            settings.target,
            options=settings.options,
            strict=settings.strict,
            policy=settings.policy,
            spans=settings.mask is not None,
        )
        return written.of(written.document, written.losses, record.findings, record.source, written.columns)
    if settings.profile is None:
        assert not isinstance(record, Reading)
        return (convert if shared else convert_unshared)(
            record,
            source=settings.source,
            target=settings.target,
            options=settings.options,
            strict=settings.strict,
            policy=settings.policy,
            spans=settings.mask is not None,
        )
    from ..profiles import profile

    return profile(settings.profile, settings.target).prompt(
        record,
        source=settings.source,
        date=settings.date,
        effort=settings.effort,
        options=settings.options,
        strict=settings.strict,
        policy=settings.policy,
        spans=settings.mask is not None,
    )


def _without_traceback(error: BridgeError) -> BridgeError:
    """Return the error without its traceback, whose frames would keep all records of the batch in memory."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _verify(result: Result, options: Options) -> None:
    """Check law 2 for a record: reading the output gives the image.

    Raises:
        BridgeError: OCB-UNREPORTED if the output reads differently, and no loss reports it.
    """
    from ..checks.verify import verify

    try:
        unreported = verify(result.transcript, result, options=options)
    except BridgeError as error:
        raise BridgeError(ErrorCode.UNREPORTED, f"the output cannot be read back: {error}") from error
    if unreported:
        raise BridgeError(
            ErrorCode.UNREPORTED, "the output reads differently, and no loss reports it", path=unreported[0].path
        )
