"""What a migration costs: throughput beside jq, DuckDB and a bare loop in one run, and the parent's part of it.

    python -m perf.migration [--records N] [--rounds N] [--before FOLDER] [--parent]     from the folder `tests`

CPU seconds of whole commands and what they start, the best of all rounds, in turns. `FOLDER` is a checkout of an
earlier state. What is not installed, and real transcripts where there are none, are left out. `--parent` measures the
parent's part alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from ocml_bridge import adapter
from ocml_bridge.bulk import Settings
from ocml_bridge.bulk.inputs import find_inputs
from ocml_bridge.bulk.plan import Plan
from ocml_bridge.bulk.records import Job
from ocml_bridge.bulk.running.run import run
from ocml_bridge.formats.adapter import Kind
from ocml_bridge.layouts import AUTO

from .corpus import conversations

REAL: Final = Path(os.environ.get("OCML_CORPUS", "corpus")) / "openai"
BATCH: Final = ("-m", "ocml_bridge", "batch", "-q", "-j", "1", "-f", "openai", "-t", "harmony")
LAYOUTS: Final = ("alpaca", "sharegpt", "messages")
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
duckdb.sql("set threads = 1")
rows = f"read_json('{source}', format = 'newline_delimited', maximum_object_size = 100000000)"
duckdb.sql(f"copy (select * from {rows}) to '{target}' (format json)")
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
            contents = [" ".join(drawn.choices(WORDS, k=60)) for _ in range(6)]
            turns = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(contents)]
            request: dict[str, Any] = {"id": number, "model": "m", "messages": turns, "tools": [TOOL]}
            file.write(json.dumps(request, ensure_ascii=False) + "\n")


def write_rows(path: Path, layout: str, count: int) -> None:
    """Rows of a layout of datasets, of some 2 kB, with an id."""
    drawn = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            asked, answered, thanked, again = (" ".join(drawn.choices(WORDS, k=60)) for _ in range(4))
            row = {
                "alpaca": {"instruction": asked, "input": answered, "output": f"{thanked} {again}"},
                "sharegpt": {
                    "conversations": _turns("from", "value", ("human", "gpt"), asked, answered, thanked, again)
                },
                "messages": {
                    "messages": _turns("role", "content", ("user", "assistant"), asked, answered, thanked, again)
                },
            }[layout]
            file.write(json.dumps({"id": number, **row}, ensure_ascii=False) + "\n")


def _turns(role: str, text: str, speakers: tuple[str, str], *contents: str) -> list[dict[str, str]]:
    return [{role: speakers[at % 2], text: each} for at, each in enumerate(contents)]


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


def real_requests() -> list[bytes]:
    """Requests of real transcripts, unchanged."""
    lines = [line for path in sorted(REAL.glob("*.jsonl")) for line in path.read_bytes().splitlines() if line.strip()]
    return [line for line in lines if "messages" in orjson.loads(line)]


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """One line for each."""
    path.write_bytes(b"".join(line.strip() + b"\n" for line in lines))


class Peer(NamedTuple):
    """A command that reads a file of JSON lines.

    Attributes:
        name: what it is called in the table.
        command: it; `SOURCE` and `TARGET` are replaced by the file and by the output.
        reads: whether it takes the file at its standard input, and writes to its standard output.
        root: the checkout whose packages it imports; None for those that are installed.
    """

    name: str
    command: tuple[str, ...]
    reads: bool = False
    root: Path | None = None


SOURCE: Final = "SOURCE"
TARGET: Final = "TARGET"
OURS: Final = (sys.executable, *BATCH, SOURCE, "-o", TARGET)
PEERS: Final = (
    Peer("openai → harmony", (*OURS, "--overwrite")),
    Peer("the same with a ledger", (*OURS, "--overwrite", "--ledger", "jsonl")),
    Peer("bare orjson loop", (sys.executable, "-c", LOOP), reads=True),
    Peer("`jq -c .`", ("jq", "-c", "."), reads=True),
    Peer("DuckDB", (sys.executable, "-c", TABLE, SOURCE, TARGET)),
)


def plans(layout: str) -> tuple[Peer, ...]:
    """The commands that read rows of a layout: by its name, and with the name of the layout."""
    command = (*BATCH[:-4], "-t", "harmony", SOURCE, "-o", TARGET, "--overwrite", "--plan")
    return tuple(Peer(f"`--plan {name}`", (sys.executable, *command, name)) for name in (layout, AUTO))


def peers(before: Path | None) -> tuple[Peer, ...]:
    """Everything that is measured."""
    return PEERS if before is None else (*PEERS, Peer("before", OURS, root=before))


def seconds(peer: Peer, source: Path, folder: Path) -> float | None:
    """CPU seconds of a command; None where it cannot be run."""
    out = folder / "peer"
    shutil.rmtree(out, ignore_errors=True)
    out.unlink(missing_ok=True)
    places = {SOURCE: str(source), TARGET: str(out)}
    command = [places.get(each, each) for each in peer.command]
    if shutil.which(command[0]) is None:
        return None
    # Packages are compiled where they are installed: what that takes is no part of a command.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if peer.root is not None:
        environment["PYTHONPATH"] = os.pathsep.join(str(peer.root / name) for name in ("bridge", "adapters"))
    with source.open("rb") as lines, (folder / "stdout").open("wb") as written:
        status: list[int] = []
        cost = measured(
            lambda: status.append(
                subprocess.call(
                    command,
                    stdin=lines if peer.reads else subprocess.DEVNULL,
                    stdout=written,
                    stderr=subprocess.DEVNULL,
                    env=environment,
                )
            )
        )
    return cost.workers if status[0] in (0, 6) else None


def throughput(source: Path, folder: Path, rounds: int, commands: tuple[Peer, ...]) -> None:
    """Print a table of MB for each CPU second."""
    size = source.stat().st_size / 1e6
    best: dict[str, float] = {}
    for _ in range(rounds):
        for peer in commands:
            took = seconds(peer, source, folder)
            if took is not None:
                best[peer.name] = min(took, best.get(peer.name, took))
    print(
        f"\n{source.stem}: {size:.0f} MB, load {os.getloadavg()[0]:.1f}\n\n| | CPU s | MB/CPU s |\n| --- | --: | --: |"
    )
    for name, took in best.items():
        print(f"| {name} | {took:.2f} | {size / took:.1f} |")


def parents(records: int, folder: Path, rounds: int) -> None:
    """Print a table of what the parent does beside the processes that convert: to start, and for each MB.

    A run of all records costs what a run of a quarter of them costs, and what the others do.
    """
    sources: list[Path] = []
    for count in (records // 4, records):
        sources.append(folder / f"requests-{count}.jsonl")
        write_requests(sources[-1], count)
    sizes = [source.stat().st_size / 1e6 for source in sources]
    print(f"\n| {sizes[1]:.0f} MB | to start, CPU s | for each MB, CPU ms | of a worker's |\n| --- | --: | --: | --: |")
    for jobs, ledger in ((2, None), (8, None), (8, "jsonl")):
        little, all_of_it = (_least(source, folder / "out", jobs, ledger, rounds) for source in sources)
        parent, worker = ((much - few) / (sizes[1] - sizes[0]) for few, much in zip(little, all_of_it, strict=True))
        workers_and_ledger = f"{jobs} workers{', with a ledger' if ledger else ''}"
        start = [few - sizes[0] * each for few, each in zip(little, (parent, worker), strict=True)]
        print(f"| {workers_and_ledger}: the parent | {start[0]:.2f} | {1e3 * parent:.2f} | {parent / worker:.3f} |")
        print(f"| each of them | {start[1]:.2f} | {1e3 * worker:.2f} | |")


def _least(source: Path, out: Path, jobs: int, ledger: str | None, rounds: int) -> Cost:
    """The least that the parent, and that one of its workers, took in any round."""
    costs: list[Cost] = []
    for _ in range(rounds):
        shutil.rmtree(out, ignore_errors=True)
        costs.append(converted(source, out, jobs, ledger))
    return Cost(min(cost.parent for cost in costs), min(cost.workers for cost in costs) / jobs)


def main(records: int, rounds: int, before: Path | None, *, parent: bool) -> None:
    """Measure, and print tables."""
    with tempfile.TemporaryDirectory() as name:
        parents(records, Path(name), rounds)
    if parent:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        requests = folder / "requests.jsonl"
        write_requests(requests, records)
        write_lines(folder / "generated.jsonl", islice(conversations(), records // 2))
        if REAL.is_dir():
            write_lines(folder / "real.jsonl", islice(cycle(real_requests()), records))
        for source in sorted(folder.glob("*.jsonl")):
            throughput(source, folder, rounds, peers(before))
        for layout in LAYOUTS:
            rows = folder / f"{layout}.jsonl"
            write_rows(rows, layout, records)
            throughput(rows, folder, rounds, plans(layout))


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--records", type=int, default=20_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--before", type=Path)
    options.add_argument("--parent", action="store_true")
    given = options.parse_args()
    main(given.records, given.rounds, given.before, parent=given.parent)
