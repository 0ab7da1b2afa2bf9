"""A run that was killed at any moment and resumed writes the same bytes as one that was not killed."""

from __future__ import annotations

import gzip
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.bulk.running.journal import NAME, Journal
from ocml_bridge.errors import BridgeError, ErrorCode, ExitCode
from sampling import sweep

Batch = Callable[..., int]
Process = Callable[..., "subprocess.Popen[bytes]"]
KILLED = Path(__file__).with_name("killed.py")


def parquet_of(many: Any, path: Path, count: int, rows: int) -> None:
    pa: Any = pytest.importorskip("pyarrow")
    pq: Any = pytest.importorskip("pyarrow.parquet")
    texts = [many.transcript(number) if number % 9 else "broken" for number in range(count)]
    pq.write_table(pa.table({"id": list(range(count)), "text": texts}), path, row_group_size=rows)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", sweep(["parquet", "jsonl", "gz", "texts"], 4))
def test_a_run_killed_before_any_step_on_the_disk_continues(kind: str, many: Any, tmp_path: Path) -> None:
    """Steps are synced writes, renames, removals and chunks, of two files or of a folder of texts."""
    source = tmp_path / "source"
    source.mkdir()
    for name in "ab":
        if kind == "jsonl":
            (source / f"{name}.jsonl").write_bytes(many.lines(13, broken_each=5))
        elif kind == "gz":
            (source / f"{name}.jsonl.gz").write_bytes(gzip.compress(many.lines(13, broken_each=5)))
        elif kind == "parquet":
            parquet_of(many, source / f"{name}.parquet", 8 if name == "a" else 3, 5)
        else:
            for number in range(3):
                (source / f"{name}{number}.txt").write_text(many.transcript(number) if number % 4 else "broken")
    environment: dict[str, str] = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    command = (sys.executable, str(KILLED), str(source), str(tmp_path / "out"))
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(steps) > 15
    assert [step["killed"] for step in steps] == [True] * (len(steps) - 1) + [False]
    assert len({step["digest"] for step in steps}) == 1


@pytest.mark.sweep
@pytest.mark.parametrize("jobs", sweep(["2", "1"], 2))
def test_a_run_killed_at_random_moments_continues(
    jobs: str, many: Any, process: Process, batch: Batch, tmp_path: Path
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_bytes(many.lines(1200, broken_each=100, words=200))
    args = ("-f", "chatml", "-t", "harmony", "--verify", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    began = time.monotonic()
    with process(*args, "-o", tmp_path / "whole", "--quiet", "--jobs", jobs) as undisturbed:
        assert undisturbed.wait() == ExitCode.SOME_FAILED
    took = time.monotonic() - began
    moments = random.Random(int(jobs))
    for _ in range(3):
        with process(*args, "-o", tmp_path / "killed", "--resume", "--quiet", "--jobs", jobs) as run:
            time.sleep(moments.uniform(0.2, 0.7) * took)
            run.send_signal(signal.SIGKILL)
    assert batch(*args, "-o", tmp_path / "killed", "--resume") == ExitCode.SOME_FAILED
    assert many.tree(tmp_path / "killed") == many.tree(tmp_path / "whole")
    assert not [path for path in (tmp_path / "killed").iterdir() if path.name.endswith(".partial")]


def test_processes_end_with_the_run_that_was_killed(many: Any, process: Process, tmp_path: Path) -> None:
    if not Path("/proc/self/task").exists():
        pytest.skip("the children of a process are seen in /proc")
    (tmp_path / "a.jsonl").write_bytes(many.lines(6000, words=200))
    args = ("-f", "chatml", "-t", "harmony", "--verify", tmp_path / "a.jsonl", "-o", tmp_path / "out")
    with process(*args, "--quiet", "--jobs", "2") as run:
        children: list[str] = []
        while len(children) < 3:  # two workers, and what keeps track of what they share
            time.sleep(0.02)
            children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        time.sleep(0.3)
        run.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while any(is_alive(child) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_alive(process: str) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


# --- what may be continued --------------------------------------------------------------------------------------------


@pytest.fixture
def stopped(many: Any, batch: Batch, tmp_path: Path) -> tuple[str | Path, ...]:
    """A run that stopped at its first broken record."""
    (tmp_path / "a.jsonl").write_bytes(many.lines(3000, broken_each=1000))
    args = ("-f", "chatml", "-t", "openai", tmp_path / "a.jsonl", "-o", tmp_path / "out")
    assert batch(*args, "--fail-fast") == ExitCode.SOME_FAILED
    assert many.tree(tmp_path / "out") == {}
    return args


def test_a_stopped_run_continues_after_the_record(
    stopped: tuple[str | Path, ...], many: Any, batch: Batch, tmp_path: Path
) -> None:
    assert batch(*stopped, "--fail-fast", "--resume") == ExitCode.SOME_FAILED
    assert many.tree(tmp_path / "out") == {}
    assert batch(*stopped, "--resume") == ExitCode.SOME_FAILED
    assert batch(*stopped[:-1], tmp_path / "whole") == ExitCode.SOME_FAILED
    assert many.tree(tmp_path / "out") == many.tree(tmp_path / "whole")


def test_an_unfinished_run_is_not_overwritten(stopped: tuple[str | Path, ...], batch: Batch, tmp_path: Path) -> None:
    before = (tmp_path / "out" / NAME).read_bytes()
    assert batch(*stopped) == ExitCode.USAGE
    assert (tmp_path / "out" / NAME).read_bytes() == before


def test_only_the_same_run_is_continued(
    stopped: tuple[str | Path, ...], batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert batch(*stopped, "--resume", "--strict") == ExitCode.USAGE
    assert "had other options (settings)" in capsys.readouterr().err
    with (tmp_path / "a.jsonl").open("ab") as file:
        file.write(b"\n")
    assert batch(*stopped, "--resume") == ExitCode.USAGE
    assert "was changed since the run began" in capsys.readouterr().err


def test_finished_inputs_are_not_converted_again(many: Any, batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(many.lines(20, broken_each=10))
    args = ("-f", "chatml", "-t", "openai", tmp_path / "a.jsonl", "-o", tmp_path / "out")
    reports: list[dict[str, Any]] = []
    for number in range(2):
        report = tmp_path / f"report{number}.json"
        assert batch(*args, "--resume", "--report", report) == ExitCode.SOME_FAILED
        reports.append(json.loads(report.read_bytes()))
        assert (tmp_path / "out" / "a.jsonl").stat().st_ino  # it is there
    assert reports[0] == reports[1]
    when = (tmp_path / "out" / "a.jsonl").stat().st_mtime_ns
    assert batch(*args, "--resume") == ExitCode.SOME_FAILED
    assert (tmp_path / "out" / "a.jsonl").stat().st_mtime_ns == when


def test_one_run_at_a_time(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path), {}, resume=False)
    with pytest.raises(BridgeError, match="another run is writing") as error:
        Journal(str(tmp_path), {}, resume=True)
    assert error.value.code is ErrorCode.OPTION
    journal.close()
    Journal(str(tmp_path), {}, resume=True).close()


def test_a_truncated_line_of_the_journal_is_ignored(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path), {}, resume=False)
    journal.begin(0, [1, 2]).position = {"offset": 5, "line": 1}
    journal.checkpoint([(journal.progress_line(0), {})])
    journal.close()
    whole = (tmp_path / NAME).read_bytes()
    for cut in range(len(whole)):
        (tmp_path / NAME).write_bytes(whole[:cut])
        journal = Journal(str(tmp_path), {}, resume=True)
        known = journal.inputs.get(0)
        journal.close()
        assert (known is None) == (whole.count(b"\n", 0, cut) < 2)
        assert known is None or known.position is None
