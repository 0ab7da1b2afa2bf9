"""What stands beside a conversation in its record, as an id: it is carried along, and is no loss then.

A request or a dataset's row is one JSON object: messages and tools, and beside them whatever its owner put there. A
target that has no place for that loses nothing as long as the record of the output has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from functools import lru_cache
from typing import Final, cast

from ..common.unicode import BOM
from ..formats.adapter import Kind, Source
from ..json_values import jsontext
from ..loss import Loss, LossCode, Severity
from ..model import Json
from ..report.result import Result, extras_of
from .batch import Outcome, Settings, outcome_of
from .member_texts import leading, text_of_member
from .records import DEFAULT_FIELD, Job, Record

_CODES: Final = frozenset({LossCode.EXTRAS, LossCode.SETTINGS})


def converted(record: Record, job: Job) -> tuple[Record, Outcome]:
    """What becomes of a record, and the record with the fields that its output gets beside it."""
    raw = record.value
    if job.bare or record.fields is not None or not isinstance(raw, bytes) or not raw.lstrip().startswith(b"{"):
        return record, outcome_of(raw, job.settings)
    beside = _Beside(raw, job)
    outcome = outcome_of(raw, lenient(job.settings), beside.spared)
    if outcome.error is not None or not beside.fields:
        return record, outcome
    own: dict[str, str | None] = {DEFAULT_FIELD: None} if job.target_kind is Kind.TEXT else {}
    return record._replace(fields={**beside.fields, **own}), outcome


class _Beside:
    """The members of a record that stand beside its output.

    Attributes:
        fields: they, in the order of the record, as JSON text.
    """

    __slots__ = ("_job", "_raw", "fields")

    def __init__(self, raw: bytes, job: Job) -> None:
        self._raw = raw
        self._job = job
        self.fields: dict[str, str] = {}

    def spared(self, result: Result, output: Source, losses: tuple[Loss, ...]) -> tuple[Loss, ...]:
        """The losses without those of what stands beside the output.

        Raises:
            BridgeError: where the policy refuses any of those that are left.
        """
        of_members = [loss for loss in losses if loss[0] in _CODES]  # most are of other codes
        if not of_members:
            return losses
        lost = {name for name in map(member_of, of_members) if name is not None}
        if lost and (lost := lost - self._written_again(output, lost)):
            self.fields = fields = _members(self._raw, lost, result)
            losses = tuple([loss for loss in losses if loss[0] not in _CODES or member_of(loss) not in fields])
        settings = self._job.settings
        settings.policy.check(losses, strict=settings.strict)
        return losses

    def _written_again(self, output: Source, names: Set[str]) -> Set[str]:
        """Those of some names that the record of the output has no room for."""
        if self._job.target_kind is Kind.TEXT:
            return names & {DEFAULT_FIELD}
        return names & cast("dict[str, Json]", output).keys() if isinstance(output, dict) else names


@lru_cache(maxsize=64)
def lenient(settings: Settings) -> Settings:
    """The settings that let such losses pass, until it is known which of them are none."""
    policy = settings.policy
    refuse = tuple(name for name in policy.refuse if name not in _CODES)
    allow = (*(name for name in policy.allow if name not in _CODES), *sorted(map(str, _CODES)))
    return replace(settings, policy=replace(policy, allow=allow, refuse=refuse))


def _members(raw: bytes, names: Set[str], result: Result) -> dict[str, str]:
    """The members of a record by name, in its order, as JSON text: numbers and what holds them as they are spelled.

    Most records begin with them, or have nothing else than them beside their messages; others are parsed once more.

    Args:
        raw: the record.
        names: of the members.
        result: what was written of it.
    """
    texts: dict[str, str] = {}
    extras: Mapping[str, Json] = {}
    if not result.findings:  # what was mended when it was read has no texts
        for name, text in leading(raw):
            if name in names:
                texts[name] = text
                if len(texts) == len(names):
                    return texts
        extras = (extras_of(result) or {}).get(result.source or "", {})
    left = names - texts.keys()
    values = extras if left <= extras.keys() else cast("dict[str, Json]", jsontext.known(raw) or {})
    members = [(name, _spelled(raw, name, value)) for name, value in values.items() if name in left]
    texts |= {name: text for name, text in members if text is not None}
    if all(text is not None for _, text in members):
        return texts
    found = jsontext.members(raw.decode("utf-8", "surrogatepass").removeprefix(BOM))
    return {} if found is None else {name: span.raw for name, span in found[0].items() if name in names}


def _spelled(raw: bytes, name: str, value: Json) -> str | None:
    """The text of a member's value; None where it takes parsing to find it."""
    if isinstance(value, (str, int)) or value is None:
        return jsontext.dumps(value).decode("utf-8", "surrogatepass")
    return text_of_member(raw, name, value)


def member_of(loss: Loss) -> str | None:
    """The member of a record that a loss is all of; None where it is something else."""
    code, severity, path, _ = loss
    if code not in _CODES or severity is not Severity.LOST:
        return None
    return _known_member_at(path) if len(path) <= _SHORT else _member_at(path)


def _member_at(path: str) -> str | None:
    steps = path.split("/")
    whole = len(steps) == (3 if steps[1] == "settings" else 4) and steps[1] in ("settings", "extras")
    return steps[-1].replace("~1", "/").replace("~0", "~") if whole else None


_known_member_at: Final = lru_cache(maxsize=1024)(_member_at)
_SHORT: Final = 100
"""The longest path that is remembered."""
