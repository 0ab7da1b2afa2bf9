"""Processes convert ranges of an input; one process adds the parts to the output, and then the journal records it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.bulk import Settings
from ocml_bridge.bulk.containers import lines, unpacking
from ocml_bridge.bulk.inputs import find_inputs
from ocml_bridge.bulk.plan import Plan
from ocml_bridge.bulk.records import Job, RangeResult
from ocml_bridge.bulk.running import progress
from ocml_bridge.bulk.running.journal import NAME
from ocml_bridge.bulk.running.outputs import append
from ocml_bridge.bulk.running.progress import WritingRun
from ocml_bridge.bulk.tally import Tally
from ocml_bridge.errors import ExitCode
from ocml_bridge.formats.adapter import Kind

Batch = Callable[..., int]


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[WritingRun]:
    """A run of one input before anything is converted."""
    source = tmp_path / "a.jsonl"
    source.write_bytes(b"{}\n" * 4)
    folder = str(tmp_path / "out")
    job = Job(Settings("openai", "openai"), Kind.JSON, Kind.JSON, folder=folder)
    written = WritingRun(Plan(find_inputs([str(source)], Kind.JSON), job), folder)
    written.begin()
    written.open(0)
    yield written
    written.close()


def converted(written: WritingRun, number: int, output: bytes) -> None:
    """Receive a range with its part of the output."""
    part = f"{written.parts}/{number}"
    Path(f"{part}.output").write_bytes(output)
    tally = Tally(records=1, rows=1)
    tally.outcomes["converted"] += 1
    written.append(0, RangeResult(tally, rows=1, end={"offset": 3 * number, "line": number}), part)


def added(written: WritingRun) -> tuple[dict[str, int], ...]:
    """Add the parts that are due."""
    due = written.due(now=True)
    return tuple(append(each, written.plan.inputs[each.input], written.plan.job) for each in due)


def accounts(tmp_path: Path) -> list[dict[str, Any]]:
    """The journal's entries on files on the disk."""
    entries = [json.loads(line) for line in (tmp_path / "out" / NAME).read_bytes().splitlines()]
    return [line for line in entries if "sizes" in line]


def test_the_journal_records_only_what_was_added(begun: WritingRun, tmp_path: Path) -> None:
    converted(begun, 1, b"one\n")
    sizes = added(begun)
    converted(begun, 2, b"two\n")  # comes back while the first is added
    assert accounts(tmp_path) == []
    begun.record_sizes(sizes)
    (account,) = accounts(tmp_path)
    assert (account["position"], account["tally"]["records"]) == ({"offset": 3, "line": 1}, 1)
    assert account["sizes"]["output"] == len(b"one\n") == (tmp_path / "out" / ".a.jsonl.partial").stat().st_size
    begun.record_sizes(added(begun))
    assert (tmp_path / "out" / ".a.jsonl.partial").read_bytes() == b"one\ntwo\n"
    assert accounts(tmp_path)[-1]["position"] == {"offset": 6, "line": 2}


def test_parts_are_added_once_at_a_time(begun: WritingRun) -> None:
    converted(begun, 1, b"one\n")
    due = begun.due(now=True)
    converted(begun, 2, b"two\n")
    assert len(due) == 1
    assert begun.due(now=True) == ()


def test_parts_that_were_added_are_removed(begun: WritingRun) -> None:
    converted(begun, 1, b"one\n")
    begun.record_sizes(added(begun))
    assert list(Path(str(begun.parts)).iterdir()) == []


def test_an_input_that_fails_while_something_is_added_to_it_leaves_nothing(begun: WritingRun, tmp_path: Path) -> None:
    converted(begun, 1, b"one\n")
    sizes = added(begun)
    converted(begun, 2, b"two\n")
    begun.fail(0, "torn")
    begun.record_sizes(sizes)
    assert accounts(tmp_path) == []
    begun.close()
    out = tmp_path / "out"
    assert [path.name for path in out.rglob("*") if path.is_file()] == [NAME]


def test_an_input_that_is_complete_is_prepared_when_all_of_it_is_added(begun: WritingRun, tmp_path: Path) -> None:
    converted(begun, 1, b"one\n")
    begun.finish(0)
    assert begun.record_sizes(added(begun)) == ((0, 1),)
    assert [account["complete"] for account in accounts(tmp_path)] == [0]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_truncated_input_leaves_no_file_and_does_not_affect_the_others(
    jobs: str, many: Any, batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "CHECKPOINT_SECONDS", 0.0)
    for module in (lines, unpacking):
        monkeypatch.setattr(module, "RANGE_BYTES", 40_000)
    whole = many.lines(1500)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(whole)
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(whole)[:-20])
    (folder / "c.jsonl").write_bytes(whole)
    args = ("-f", "chatml", "-t", "openai", folder, "-o", tmp_path / "out", "--jobs", jobs)
    assert batch(*args) == ExitCode.SOME_FAILED
    tree = many.tree(tmp_path / "out")
    assert set(tree) == {"a.jsonl", "c.jsonl"}
    assert tree["a.jsonl"] == tree["c.jsonl"]
    assert tree["a.jsonl"].count(b"\n") == 1500
    assert not list((tmp_path / "out").glob(".*partial*"))
