"""Keep the members of a record that its target cannot hold, such as an id, in the record of its output.

A request or a dataset's row is one JSON object: messages and tools, and any members of its owner. A member that the
record of the output keeps is not a loss.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping, Set
from dataclasses import replace
from functools import lru_cache
from typing import Final, cast

from ..common.unicode import BOM
from ..formats.adapter import Kind, Source
from ..json_values import jsontext
from ..json_values.parameters import members_of
from ..loss import Loss, LossCode, Severity
from ..model import Json
from ..report.result import Result, extras_of
from .batch import Outcome, Settings, outcome_of
from .containers.member_texts import leading, text_of_member
from .records import DEFAULT_FIELD, Job, Record

_CODES: Final = frozenset({LossCode.EXTRAS, LossCode.SETTINGS})


def converted(record: Record, job: Job) -> tuple[Record, Outcome]:
    """Convert a record, and return the record with the fields that its output record keeps, and the outcome."""
    raw = record.value
    if job.bare or record.fields is not None or not isinstance(raw, bytes) or not _is_object(raw):
        return record, outcome_of(raw, job.settings)
    members = _KeptMembers(raw, job)
    outcome = outcome_of(raw, lenient(job.settings), members.remaining_losses)
    if outcome.error is not None or not members.fields:
        return record, outcome
    own: dict[str, str | None] = {DEFAULT_FIELD: None} if job.target_kind is Kind.TEXT else {}
    return record._replace(fields={**members.fields, **own}), outcome


def _is_object(raw: bytes) -> bool:
    return raw.removeprefix(BOM_UTF8).lstrip().startswith(b"{")


class _KeptMembers:
    """The members of a record that its output record keeps.

    Attributes:
        fields: these members as JSON text, in the order of the record.
    """

    __slots__ = ("_job", "_raw", "fields")

    def __init__(self, raw: bytes, job: Job) -> None:
        self._raw = raw
        self._job = job
        self.fields: dict[str, str] = {}

    def remaining_losses(self, result: Result, output: Source, losses: tuple[Loss, ...]) -> tuple[Loss, ...]:
        """Return the losses without those of members that are kept.

        Raises:
            BridgeError: OCB-LOSS if the policy refuses a remaining loss.
        """
        of_members = {at: member_of(loss) for at, loss in enumerate(losses) if loss[0] in _CODES}
        if not of_members:
            return losses
        lost = {name for name in of_members.values() if name is not None}
        if lost and (lost := lost - self._names_in_output(output, lost)):
            self.fields = fields = _members(self._raw, lost, result)
            losses = tuple([loss for at, loss in enumerate(losses) if of_members.get(at) not in fields])
        settings = self._job.settings
        settings.policy.check(losses, strict=settings.strict)
        return losses

    def _names_in_output(self, output: Source, names: Set[str]) -> Set[str]:
        """Return those of some names that the record of the output has no place for."""
        if self._job.target_kind is Kind.TEXT:
            return names & {DEFAULT_FIELD}
        return names & members_of(output).keys() if isinstance(output, dict) else names


@lru_cache(maxsize=64)
def lenient(settings: Settings) -> Settings:
    """Return the settings that allow losses of members, until it is known which of them are kept."""
    policy = settings.policy
    refuse = tuple(name for name in policy.refuse if name not in _CODES)
    allow = (*(name for name in policy.allow if name not in _CODES), *sorted(map(str, _CODES)))
    return replace(settings, policy=replace(policy, allow=allow, refuse=refuse))


def _members(raw: bytes, names: Set[str], result: Result) -> dict[str, str]:
    """Return the members of a record by name, in its order, as JSON text, spelled as in the record.

    Most records begin with them, or have only them besides their messages; others are parsed once more.

    Args:
        raw: the record.
        names: the names of the members.
        result: the result of its conversion.
    """
    texts: dict[str, str] = {}
    extras: Mapping[str, Json] = {}
    if not result.findings:  # repaired JSON has other texts
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
    """Return the text of a member's value; None if the record has to be parsed to find it."""
    if isinstance(value, (str, int)) or value is None:
        return jsontext.as_text(value)
    return text_of_member(raw, name, value)


def member_of(loss: Loss) -> str | None:
    """Return the name of a record's member if a loss is of the whole member; None otherwise."""
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
"""The longest path that is cached."""
