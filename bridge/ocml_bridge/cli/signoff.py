"""Make the sign-off page of a finished migration."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..bulk.batch import Status
from ..bulk.ledger import rows_in
from ..bulk.lookup import found
from ..bulk.records import largest, slowest
from ..bulk.tally import Tally
from ..loss import CLASSES, LossClass, LossCode, Severity
from ..view.characters import visible
from ..view.signoff import Entry, Example, Group, SignOff

if TYPE_CHECKING:
    from ..bulk.plan import Finished, Plan
    from ..bulk.tally import Entries

_INPUTS: Final = 100
"""The number of inputs on the page."""
_LONG: Final = 4_000
"""The number of characters of a record on the page."""
_PLACES: Final = ("line", "item", "row")
_Key = tuple[str, int]


def sign_off(plan: Plan, finished: Finished) -> SignOff:
    """Return the content of the page. With a ledger, examples have the records before and after."""
    total = Tally()
    for index, progress in sorted(finished.inputs.items()):
        total.merge(progress.tally, {"input": plan.inputs[index].path})
    records = _records(plan, finished, (total.losses, total.errors, total.findings))
    settings = plan.job.settings
    losses = [(code, entry) for code, entry in _entries(total.losses, records) if _matters(total.losses[code])]
    inputs = [
        (item.path, finished.inputs[index].tally.records, item.output if plan.job.folder is not None else "")
        for index, item in enumerate(plan.inputs)
        if index in finished.inputs
    ]
    costs = [cost for _, cost in finished.costs]
    places = {id(cost): f"{plan.inputs[index].path}:{_place(cost.where)}" for index, cost in finished.costs}
    return SignOff(
        source=settings.source or "detected for each record",
        target=settings.profile or settings.target,
        records=total.records,
        outcomes=tuple((str(status), total.outcomes[status]) for status in Status),
        losses=tuple(
            Group(str(each), total.lossy[each], own)
            for each in LossClass
            if (own := tuple(entry for code, entry in losses if CLASSES[LossCode(code)] is each))
        ),
        quarantine=tuple(entry for _, entry in _entries(total.errors, records)),
        findings=tuple(entry for _, entry in _entries(total.findings, records)),
        read=total.characters.read,
        written=total.characters.written,
        slowest=tuple((places[id(cost)], f"{cost.seconds:.3f} s") for cost in slowest(costs)),
        largest=tuple((places[id(cost)], f"{cost.size:,} bytes") for cost in largest(costs)),
        inputs=tuple(inputs[:_INPUTS]),
        more=max(0, len(inputs) - _INPUTS),
        failures=tuple(
            f"{plan.inputs[index].path} cannot be read: {progress.error}"
            for index, progress in sorted(finished.inputs.items())
            if progress.error is not None
        ),
    )


def _matters(entry: Any) -> bool:
    """Return whether any place was lost or changed, apart from layout."""
    return any(entry.severities[severity] for severity in (Severity.LOST, Severity.CHANGED))


def _entries(entries: Entries, records: Mapping[_Key, tuple[str | None, str | None]]) -> list[tuple[str, Entry]]:
    listed = sorted(entries.items(), key=lambda pair: (-pair[1].records, pair[0]))
    return [
        (
            code,
            Entry(
                code,
                entry.records,
                ", ".join(f"{count:,} {severity}" for severity, count in sorted(entry.severities.items())),
                tuple(_example(example, records) for example in entry.examples),
            ),
        )
        for code, entry in listed
    ]


def _example(example: Mapping[str, Any], records: Mapping[_Key, tuple[str | None, str | None]]) -> Example:
    before, after = records.get(_key(example), (None, None))
    about = [str(example[key]) for key in ("severity", "path", "detail", "message") if example.get(key)]
    place = f"{example['input']}:{_place(example)}"
    return Example(visible(place), visible(" ".join(about)), _shown(before), _shown(after))


def _shown(text: str | None) -> str | None:
    if text is None:
        return None
    more = len(text) - _LONG
    return visible(text[:_LONG]) + (f"\n… {more:,} more characters" if more > 0 else "")


def _place(where: Mapping[str, Any]) -> str:
    number = next((str(where[place]) for place in (*_PLACES, "file") if place in where), "")
    return number if "conversation" not in where else f"{number}, conversation {where['conversation']}"


def _key(example: Mapping[str, Any]) -> _Key:
    file = example.get("file")
    position = next((int(example[place]) for place in _PLACES if place in example), 1)
    return (example["input"] if file is None else f"{example['input']}/{file}", position)


def _records(plan: Plan, finished: Finished, kinds: Iterable[Entries]) -> dict[_Key, tuple[str | None, str | None]]:
    """Return the records of examples before and after, by their keys in the ledger; none without a ledger."""
    job = plan.job
    if job.folder is None or job.ledger is None:
        return {}
    wanted = {_key(example) for entries in kinds for entry in entries.values() for example in entry.examples}
    rows = [
        row
        for index, item in enumerate(plan.inputs)
        if index in finished.inputs and finished.inputs[index].stage == "done"
        for row in rows_in(os.path.join(job.folder, item.ledger(job.ledger)))
        if (row["input"], row["position"]) in wanted
    ]
    return {
        (each.row["input"], each.row["position"]): (each.before, each.after)
        for each in reversed(found(rows, job.folder))
    }
