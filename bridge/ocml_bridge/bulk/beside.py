"""What stands beside a conversation in its record, as an id: it is carried along, and is no loss then.

A request or a dataset's row is one JSON object: messages and tools, and beside them whatever its owner put there. A
target that has no place for that loses nothing as long as the record of the output has it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, cast

from .. import jsontext
from ..adapter import Kind
from ..errors import BridgeError
from ..loss import Loss, LossCode, Severity, is_lossless
from ..model import Json
from ..text.unicode import BOM
from .batch import Outcome, Settings, Status, outcome_of
from .records import DEFAULT_FIELD, Job, Record

_CODES: Final = (LossCode.EXTRAS, LossCode.SETTINGS)


def converted(record: Record, job: Job) -> tuple[Record, Outcome]:
    """What becomes of a record, and the record with the fields that its output gets beside it."""
    raw = record.value
    if job.bare or record.fields is not None or not isinstance(raw, bytes) or not raw.lstrip().startswith(b"{"):
        return record, outcome_of(raw, job.settings)
    outcome = outcome_of(raw, _lenient(job.settings))
    if outcome.error is not None:
        return record, outcome
    if names := _names(outcome, job):
        fields: dict[str, str | None] = {**_members(raw, names)}
        if fields:
            losses = tuple(loss for loss in outcome.losses if _name(loss) not in fields)
            status = Status.CONVERTED if is_lossless(losses) else Status.LOSSY
            outcome = replace(outcome, losses=losses, status=status)
            own: dict[str, str | None] = {DEFAULT_FIELD: None} if job.target_kind is Kind.TEXT else {}
            record = record._replace(fields={**fields, **own})
    try:
        job.settings.policy.check(outcome.losses, strict=job.settings.strict)
    except BridgeError as error:
        return record._replace(fields=None), Outcome(Status.QUARANTINED, None, error=error)
    return record, outcome


@lru_cache(maxsize=8)
def _lenient(settings: Settings) -> Settings:
    """The settings that let such losses pass, until it is known which of them are none."""
    policy = settings.policy
    refuse = tuple(name for name in policy.refuse if name not in _CODES)
    allow = (*(name for name in policy.allow if name not in _CODES), *map(str, _CODES))
    return replace(settings, policy=replace(policy, allow=allow, refuse=refuse))


def _names(outcome: Outcome, job: Job) -> set[str]:
    """The members that are lost whole, and that the record of the output has room for."""
    if job.target_kind is Kind.TEXT:
        taken: Collection[str] = (DEFAULT_FIELD,)
    else:
        output = cast("Any", outcome.output)
        if not isinstance(output, dict):
            return set()
        taken = cast("dict[str, Json]", output)
    return {name for loss in outcome.losses if (name := _name(loss)) is not None and name not in taken}


def _members(raw: bytes, names: Collection[str]) -> dict[str, str]:
    """The members of a record by name, in its order, as JSON text: numbers and what holds them as they are spelled."""
    values = cast("dict[str, Json]", jsontext.loads(raw))
    told = {name: value for name, value in values.items() if name in names}
    if all(isinstance(value, (str, int)) or value is None for value in told.values()):
        return {name: jsontext.dumps(value).decode("utf-8", "surrogatepass") for name, value in told.items()}
    found = jsontext.members(raw.decode("utf-8", "surrogatepass").removeprefix(BOM))
    return {} if found is None else {name: span.raw for name, span in found[0].items() if name in names}


def _name(loss: Loss) -> str | None:
    """The member of a record that a loss is all of; None where it is something else."""
    if loss.code not in _CODES or loss.severity is not Severity.LOST:
        return None
    steps = loss.path.split("/")
    whole = len(steps) == (3 if steps[1] == "settings" else 4) and steps[1] in ("settings", "extras")
    return steps[-1].replace("~1", "/").replace("~0", "~") if whole else None
