"""Records in, outcomes out: the one function that every front stands on. It opens nothing and never raises."""

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
from .nested import Nested

if TYPE_CHECKING:
    from ..layouts import Plan
    from ..profiles import Prompt
    from ..spans.masks import Mask


class Status(StrEnum):
    """What became of a record."""

    CONVERTED = "converted"
    """Nothing was lost; its layout may differ."""
    LOSSY = "lossy"
    """Converted, and something was lost or changed, which is reported."""
    QUARANTINED = "quarantined"
    """Not converted; its error says why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to convert each record.

    Attributes:
        target: the format to write, as `id` or `id:dialect`.
        source: the format to read; None to tell it from each record.
        options: how to read and write.
        strict: quarantine what had to be mended, and what would lose or change anything that the policy does not allow.
        policy: which losses are allowed; a record with others is quarantined.
        verify: read each output back; quarantine (OCB-UNREPORTED) what reads differently and does not say so.
        profile: make a model's prompt of each record, or with `options.training` a line to train on; None to convert.
        date: with a profile, the date that prompts say, `YYYY-MM-DD`.
        effort: with a profile, how much to reason; None for what each record asks for.
        layout: what rows to make of the documents that are written; None for the documents as they are.
        mask: what is trained on: makes a row to train on of each output, which is text or token ids; None for none.
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
    """What became of one record.

    Attributes:
        status: converted, lossy or quarantined.
        output: text for text formats, JSON values for the others; None where it is quarantined.
        losses: what the target could not hold, in order.
        findings: what the reader mended or assumed, in order.
        error: why it is quarantined, with code and position; None where it is not.
        characters: how much of what was said was read and written; None where it is quarantined.
    """

    status: Status
    output: Source
    losses: tuple[Loss, ...] = ()
    findings: tuple[Finding, ...] = ()
    error: BridgeError | None = None
    characters: Characters | None = None

    @property
    def loss_class(self) -> LossClass | None:
        """The worst class of what was lost or changed; None where nothing was."""
        return worst_class(self.losses)

    @property
    def text(self) -> str | None:
        """The output as one text, JSON compact; None where it is quarantined."""
        if self.error is not None:
            return None
        return self.output if isinstance(self.output, str) else jsontext.dumps(self.output).decode()

    @property
    def counts(self) -> dict[str, int]:
        """How many places were lost or changed, by loss code."""
        return dict(Counter(str(loss.code) for loss in self.losses if loss.severity is not Severity.LAYOUT))


def convert_batch(
    records: Iterable[Source | bytes | Nested | Reading | BridgeError], settings: Settings
) -> list[Outcome]:
    """Convert records, one outcome for each, in order.

    Args:
        records: text, bytes (UTF-8), parsed JSON, what nested columns gave, or what was read already; an error stands
            for a record that could not even be taken out of what it was stored in, and becomes its outcome.
        settings: how to convert them.

    Returns:
        As many outcomes as there are records. Nothing is raised: what goes wrong is in the outcome of its record.
    """
    return [outcome_of(record, settings) for record in records]


Spare = Callable[[Result, Source, tuple[Loss, ...]], tuple[Loss, ...]]
"""Which losses are left where something of a record is kept elsewhere."""


def outcome_of(
    record: Source | bytes | Nested | Reading | BridgeError, settings: Settings, spare: Spare | None = None
) -> Outcome:
    """What becomes of one record; nothing is raised.

    Args:
        record: as `convert_batch` takes it.
        settings: how to convert it.
        spare: tells of a result, its output and its losses which of these are left; what it raises is the outcome.
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
        return Outcome(Status.QUARANTINED, None, error=_bare(error))
    except Exception as error:  # a mistake of ours costs one record, not the run
        return Outcome(Status.QUARANTINED, None, error=unexpected(error))
    status = Status.CONVERTED if is_lossless(losses) else Status.LOSSY
    return Outcome(status, output, losses, (*findings, *result.findings), characters=result.characters)


def _in_layout(result: Result, settings: Settings) -> tuple[Source, tuple[Loss, ...]]:
    """The output as a row of the layout that was asked for, and all losses.

    Raises:
        BridgeError: OCB-SHAPE where the layout cannot hold it; OCB-LOSS where the policy refuses what it loses.
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
    """An error of any kind as that of one record."""
    if isinstance(error, BridgeError):
        return _bare(error)
    if isinstance(error, MemoryError):
        return BridgeError(ErrorCode.LIMIT, "the record takes more memory than is allowed; --memory allows more")
    return BridgeError(ErrorCode.INTERNAL, f"{type(error).__name__}: {error}")


def _result(record: Source | bytes | Reading, settings: Settings, *, shared: bool) -> Result:
    """What is written of a record; one whose JSON values are not `shared` with a caller is not copied."""
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


def _bare(error: BridgeError) -> BridgeError:
    """The error without its traceback, whose frames would keep all records of the batch in memory."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _verify(result: Result, options: Options) -> None:
    """Law 2 on this record.

    Raises:
        BridgeError: OCB-UNREPORTED where the output says something else than its losses admit.
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
