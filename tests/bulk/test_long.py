"""What migration promises, at size: 200,000 records, half a gigabyte, 1 % broken. `pytest -m long tests/bulk`."""

from __future__ import annotations

import hashlib
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.errors import ExitCode

pytestmark = pytest.mark.long

RECORDS = 200_000
WORDS = 290
MEASURE = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""


@pytest.fixture
def source(many: Any, tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "legacy.jsonl"
    with path.open("wb") as file:
        for first in range(0, RECORDS, 2000):
            file.write(many.lines(2000, first=first, broken_each=100, words=WORDS))
    assert path.stat().st_size > 500_000_000
    yield path
    for each in sorted(tmp_path.rglob("*"), reverse=True):
        if each.is_file():
            each.unlink()


def digests(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        if not path.name.startswith("."):
            with path.open("rb") as file:
                found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def measured(*arguments: str | Path) -> tuple[float, int]:
    """How long a run takes in seconds, and the most memory that any of its processes takes in KiB."""
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    command = (sys.executable, "-c", MEASURE, sys.executable, "-m", "ocml_bridge", "batch", *map(str, arguments))
    began = time.monotonic()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    assert done.returncode == ExitCode.SOME_FAILED
    return time.monotonic() - began, int(done.stdout)


def test_a_migration(source: Path, process: Callable[..., subprocess.Popen[bytes]], tmp_path: Path) -> None:
    args = ("-q", "-f", "chatml", "-t", "openai", "--jobs", "2", source)
    report = tmp_path / "report.json"
    took, peak = measured(*args, "-o", tmp_path / "whole", "--report", report)
    counts = json.loads(report.read_bytes())
    assert counts["records"] == RECORDS == sum(counts["outcomes"].values())
    assert counts["outcomes"]["quarantined"] == RECORDS // 100 == sum(e["records"] for e in counts["errors"].values())
    assert (tmp_path / "whole" / "legacy.quarantine.jsonl").read_bytes().count(b"\n") == RECORDS // 100

    tenth, less = measured(*args, "-o", tmp_path / "tenth", "--limit", str(RECORDS // 10))
    print(f"\n{RECORDS} records, {source.stat().st_size} bytes: {took:.1f} s, {peak} KiB")
    print(f"{RECORDS // 10} records: {tenth:.1f} s, {less} KiB")
    assert peak < 1.2 * less

    moments = random.Random(6)
    for _ in range(5):
        with process(*args, "-o", tmp_path / "killed", "--resume") as run:
            moment = moments.uniform(0.05, 0.3) * took
            time.sleep(moment)
            run.send_signal(signal.SIGKILL)
        partial = tmp_path / "killed" / ".legacy.jsonl.partial"
        print(f"killed after {moment:.1f} s, {partial.stat().st_size if partial.exists() else 0} bytes are there")
    measured(*args, "-o", tmp_path / "killed", "--resume")
    assert digests(tmp_path / "killed") == digests(tmp_path / "whole")
