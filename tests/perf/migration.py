"""What a migration costs: the parent's part of it, and throughput beside jq, DuckDB and a bare loop, in one run.

    python -m perf.migration [RECORDS]     from the folder `tests`

CPU seconds of each process tree; the parent's are told apart from those of the processes that convert. What is not
installed is left out.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from ocml_bridge import adapter
from ocml_bridge.adapter import Kind
from ocml_bridge.bulk import Settings
from ocml_bridge.bulk.inputs import find_inputs
from ocml_bridge.bulk.plan import Plan
from ocml_bridge.bulk.records import Job
from ocml_bridge.bulk.run import run

WORDS: Final = [f"{word}{number}" for word in ("ship", "harbour", "größe", "天气") for number in range(100)]
PARAMETERS: Final[dict[str, Any]] = {"type": "object", "properties": {}}
TOOL: Final[dict[str, Any]] = {"type": "function", "function": {"name": "f", "parameters": PARAMETERS}}
LOOP: Final = """
import sys, orjson
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(orjson.dumps(orjson.loads(line)) + b"\\n")
"""
TABLE: Final = """
import sys, duckdb
source, target = sys.argv[1:]
duckdb.sql(f"copy (select * from read_json('{source}')) to '{target}' (format json)")
"""


class Cost(NamedTuple):
    """CPU seconds of this process, and of those that it started."""

    parent: float
    workers: float


def write_requests(path: Path, count: int) -> None:
    """Requests of some 2.8 kB, with an id and tools."""
    drawn = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            said = [" ".join(drawn.choices(WORDS, k=60)) for _ in range(6)]
            turns = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(said)]
            request: dict[str, Any] = {"id": number, "model": "m", "messages": turns, "tools": [TOOL]}
            file.write(json.dumps(request, ensure_ascii=False) + "\n")


def measured(act: Callable[[], object]) -> Cost:
    """What something costs."""
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    act()
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Cost(*(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(before, after, strict=True)))


def converted(source: Path, folder: Path, jobs: int, ledger: str | None = None) -> Cost:
    """One migration of JSON lines from Chat Completions to Harmony."""
    job = Job(Settings("harmony", "openai"), adapter("openai")[0].kind, Kind.TEXT, ledger=ledger, folder=str(folder))
    inputs = find_inputs([str(source)], Kind.TEXT, ledger=ledger)
    return measured(lambda: run(Plan(inputs, job, jobs), lambda _read, _rows: None))


def main(count: int) -> None:
    """Measure, and print a table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "requests.jsonl"
        write_requests(source, count)
        size = source.stat().st_size / 1e6
        print(f"{count:,} records, {size:.0f} MB; load {os.getloadavg()[0]:.1f}")
        print(f"{'':34}{'parent':>9}{'workers':>9}{'MB/CPU s':>10}{'parent/worker at 8':>20}")
        for jobs, ledger in ((1, None), (2, None), (8, None), (8, "jsonl")):
            cost = converted(source, folder / f"out-{jobs}-{ledger}", jobs, ledger)
            # Each of 8 processes has an eighth of the records: the parent must not be busier than any of them.
            share = 8 * cost.parent / cost.workers
            told = f"openai → harmony, {jobs} process{'es' * (jobs > 1)}{', ledger' if ledger else ''}"
            rate = size / (cost.parent + cost.workers)
            print(f"{told:34}{cost.parent:9.2f}{cost.workers:9.2f}{rate:10.1f}{share:20.2f}")
        peers = {
            "bare orjson loop": (sys.executable, "-c", LOOP),
            "jq -c .": ("jq", "-c", "."),
            "DuckDB": (sys.executable, "-c", TABLE, str(source), str(folder / "table.json")),
        }
        for peer, command in peers.items():
            if shutil.which(command[0]) is None:
                continue
            with source.open("rb") as lines, (folder / "peer").open("wb") as out:
                start = partial(subprocess.call, command, stdin=lines, stdout=out, stderr=subprocess.DEVNULL)
                status: list[int] = []
                cost = measured(lambda start=start, status=status: status.append(start()))
            if status == [0]:
                print(f"{peer:34}{'':9}{cost.workers:9.2f}{size / cost.workers:10.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000)
