"""Make the report of a run: JSON values for programs, a table for people."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence

from ..loss import CLASSES, LossClass, LossCode, Severity
from ..model import Json
from .batch import Status
from .plan import Finished, Plan
from .tally import Tally


def report(plan: Plan, finished: Finished) -> dict[str, Json]:
    """Return counts by outcome and by code with the first examples, for all and for each input, as JSON values."""
    total = Tally()
    inputs: list[Json] = []
    for index, item in enumerate(plan.inputs):
        progress = finished.inputs.get(index)
        if progress is None:
            continue
        tally = progress.tally
        total.merge(tally, {"input": item.path})
        written = plan.job.folder is not None and progress.stage == "done"
        inputs.append(
            {
                "input": item.path,
                "output": item.output if written else None,
                "quarantine": item.quarantine if written and tally.quarantined else None,
                "records": tally.records,
                **tally.summary(),
                "error": progress.error,
            }
        )
    return {
        "source": plan.job.settings.source,
        "target": plan.job.settings.target,
        "dry_run": plan.job.folder is None,
        **total.to_json(),
        **_left_out(finished),
        "inputs": inputs,
    }


def _left_out(finished: Finished) -> dict[str, Json]:
    chosen = finished.selection
    return {} if chosen is None else {"left_out": {"repeated": chosen.repeated, "undrawn": chosen.undrawn}}


def table(plan: Plan, finished: Finished, *, width: int | None = None, colour: bool = False) -> str:
    """Return the counts as a table, and lines on inputs that failed.

    Args:
        plan: the plan of the run.
        finished: its result.
        width: the width of the terminal; None if the output is not a terminal.
        colour: whether to use colours.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    tally = finished.tally
    lines = Table("", "records", "places", "", box=box.SIMPLE, pad_edge=False, show_header=True)
    lines.columns[1].justify = lines.columns[2].justify = "right"
    for name, style in _OUTCOMES.items():
        lines.add_row(name, f"{tally.outcomes[name]:,}", "", "", style=style if tally.outcomes[name] else "dim")
        for each in LossClass if name is Status.LOSSY and tally.outcomes[name] else ():
            lines.add_row(f"  {each}", f"{tally.lossy[each]:,}", "", "", style="" if tally.lossy[each] else "dim")
    lines.add_row("in all", f"{tally.records:,}", "", "", end_section=True)
    for row in _codes(tally):
        lines.add_row(*row)
    console = Console(file=io.StringIO(), force_terminal=colour, no_color=not colour, width=width or 1000)
    with console.capture() as captured:
        console.print(lines)
    drawn = [line.rstrip() for line in captured.get().splitlines()]
    read, written = tally.characters
    sizes = f"characters of text: {read:,} read, {written:,} written"
    chosen = finished.selection
    left = "" if chosen is None else f"left out: {chosen.repeated:,} repeated, {chosen.undrawn:,} not in the sample"
    return "".join(f"{line}\n" for line in (*drawn, sizes, left, *failures(plan, finished)) if line.strip())


_OUTCOMES = {Status.CONVERTED: "green", Status.LOSSY: "yellow", Status.QUARANTINED: "red"}


def _codes(tally: Tally) -> Sequence[tuple[str, str, str, str]]:
    rows: list[tuple[str, str, str, str]] = []
    for kind, entries in (("error", tally.errors), ("loss", tally.losses), ("finding", tally.findings)):
        for code, entry in sorted(entries.items(), key=lambda pair: (-pair[1].records, pair[0])):
            how = ", ".join(f"{entry.severities[name]:,} {name}" for name in Severity if entry.severities[name])
            of = f"{CLASSES[LossCode(code)]}: " if kind == "loss" else ""
            rows.append((f"{kind} {code}", f"{entry.records:,}", f"{entry.places:,}" if how else "", f"{of}{how}"))
    return rows


def failures(plan: Plan, finished: Finished) -> list[str]:
    """Return a line for each input that could not be read."""
    return [
        f"{plan.inputs[index].path}: cannot be read: {progress.error}; nothing of it was written"
        for index, progress in sorted(finished.inputs.items())
        if progress.error is not None
    ]


def first_errors(plan: Plan, finished: Finished) -> list[str]:
    """Return a line for the first record with each error, and one for the files with all of them."""
    total, files = Tally(), list[str]()
    for index, progress in sorted(finished.inputs.items()):
        item = plan.inputs[index]
        total.merge(progress.tally, {"input": item.path})
        if plan.job.folder is not None and progress.tally.quarantined and progress.stage == "done":
            files.append(os.path.join(plan.job.folder, item.quarantine))
    lines = [
        f"{_place_of(entry.examples[0])}: {code}: {entry.examples[0]['message']}"
        for code, entry in total.errors.items()
        if entry.examples
    ]
    if files:
        more = len(files) - 1
        others = f", and {more:,} more file{'s' if more > 1 else ''}" if more else ""
        lines.append(f"quarantined records are in {files[0]}{others}")
    return lines


def _place_of(example: Mapping[str, Json]) -> str:
    """Return the place of an example of a report: the input, and the file, line or row in it."""
    if "file" in example:
        return os.path.join(str(example["input"]), str(example["file"]))
    number = next((example[key] for key in ("line", "row", "item") if key in example), None)
    return str(example["input"]) if number is None else f"{example['input']}:{number}"
