"""The promises of a migration for 200,000 mixed records, 1 % invalid in twelve ways. `pytest -m long tests/bulk`.

JSON lines, compressed lines and Parquet go through one run; it is killed 50 times at random moments and continued.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from ocml_bridge.errors import ExitCode

pytestmark = pytest.mark.long

RECORDS: Final = 200_000
KILLS: Final = 50
WORDS: Final = 290
POISON: Final = 200_000_000
"""The number of bytes of the largest invalid record."""
MEASURE: Final = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""
BROKEN_LINES: Final = (
    b'{"id":1,"text":"<|im_st',  # cut off
    b'{"id":2}',  # no text
    b"\xff\xfe",  # no UTF-8
    b'{"text":"nothing"}',  # no frames
    b"[1]",  # no object
    b'{"text":null}',
    b'{"text":{"a":' + b"[" * 5_000 + b"]" * 5_000 + b"}}",  # too deep
    b'{"text":"' + b"src/* src/* " * 20_000,  # globs, cut off
    b'{"id":1,"id":2,"text":""}',  # a key twice
    b'{"text":"<|im_start|>user\\nhi<|im_end|>\\n"} {}',  # two on a line
)
"""Ten kinds of invalid lines; the other kinds are a line of 200 MB, and a column of Parquet that is not UTF-8."""


def lines(many: Any, count: int, *, first: int) -> Iterator[bytes]:
    """Lines of which every hundredth is invalid."""
    for number, line in enumerate(many.lines(count, first=first, words=WORDS).splitlines(keepends=True), first):
        yield BROKEN_LINES[number // 100 % len(BROKEN_LINES)] + b"\n" if number % 100 == 99 else line


def write_parquet(many: Any, path: Path, count: int) -> None:
    """Rows with dates that Python cannot represent; every hundredth text is not UTF-8."""
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    writer = None
    for first in range(0, count, 2000):
        texts = [many.transcript(number, WORDS).encode() for number in range(first, first + 2000)]
        texts[99::100] = [b"<|im_start|>user\n\xff<|im_end|>\n"] * len(texts[99::100])
        far = arrow.array([300_000_000_000] * len(texts), arrow.timestamp("s"))
        column = arrow.array(texts, arrow.binary())
        text = arrow.Array.from_buffers(arrow.string(), len(column), column.buffers())
        table = arrow.table({"id": arrow.array(range(first, first + 2000)), "text": text, "when": far})
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


@pytest.fixture
def source(many: Any, tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "legacy"
    folder.mkdir()
    half, quarter = RECORDS // 2, RECORDS // 4
    with (folder / "a.jsonl").open("wb") as file:
        for first in range(0, half, 2000):
            file.writelines(lines(many, 2000, first=first))
        file.write(b'{"messages":[{"role":"user","content":"' + b"word " * (POISON // 5) + b"\n")
    with gzip.open(folder / "b.jsonl.gz", "wb", 1) as file:
        for first in range(half, half + quarter, 2000):
            file.writelines(lines(many, 2000, first=first))
    write_parquet(many, folder / "c.parquet", quarter)
    yield folder
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
    """The time of a run in seconds, and the largest memory of any of its processes in KiB."""
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    command = (sys.executable, "-c", MEASURE, sys.executable, "-m", "ocml_bridge", "batch", *map(str, arguments))
    began = time.monotonic()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    assert done.returncode == ExitCode.SOME_FAILED
    return time.monotonic() - began, int(done.stdout)


def test_a_migration(source: Path, process: Callable[..., subprocess.Popen[bytes]], tmp_path: Path) -> None:
    args = ("-q", "-f", "chatml", "-t", "openai", "--jobs", "2", "--ledger", "jsonl", source)
    report = tmp_path / "report.json"
    took, peak = measured(*args, "-o", tmp_path / "whole", "--report", report)
    counts = json.loads(report.read_bytes())
    broken = RECORDS // 100 + 1
    assert counts["records"] == RECORDS + 1 == sum(counts["outcomes"].values())
    assert counts["outcomes"]["quarantined"] == broken == sum(entry["records"] for entry in counts["errors"].values())
    listed: Counter[str] = Counter()
    for path in (tmp_path / "whole").glob("*.ledger.jsonl"):
        with path.open("rb") as file:
            positions: list[int] = []
            for line in file:
                row = json.loads(line)
                listed[row["outcome"]] += 1
                positions.append(row["position"])
        assert positions == list(range(1, len(positions) + 1))
    assert listed == {name: count for name, count in counts["outcomes"].items() if count}
    print(f"\n{RECORDS} records: {took:.1f} s, {peak} KiB")

    moments = random.Random(6)
    killed = 0
    while killed < KILLS:
        with process(*args, "-o", tmp_path / "killed", "--resume") as run:
            time.sleep(moments.uniform(0.5, 4) * took / KILLS + 0.5)
            run.send_signal(signal.SIGKILL)
            killed += 1
    measured(*args, "-o", tmp_path / "killed", "--resume")
    assert digests(tmp_path / "killed") == digests(tmp_path / "whole")


def test_memory_is_flat(many: Any, tmp_path: Path) -> None:
    peaks: list[int] = []
    for count in (RECORDS // 20, RECORDS // 2):
        path = tmp_path / f"{count}.jsonl"
        with path.open("wb") as file:
            for first in range(0, count, 2000):
                file.writelines(lines(many, 2000, first=first))
        args = ("-q", "-f", "chatml", "-t", "openai", "--jobs", "2", "--ledger", "parquet", path)
        took, peak = measured(*args, "-o", tmp_path / f"{count}")
        print(f"\n{count} records: {took:.1f} s, {peak} KiB")
        peaks.append(peak)
        path.unlink()
    assert peaks[1] < 1.2 * peaks[0]
