"""The memory of a migration does not grow with the number of records."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.errors import ExitCode
from sampling import sweep

resource = pytest.importorskip("resource")
SOME_FAILED = ExitCode.SOME_FAILED
MEASURE = f"""
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status != {SOME_FAILED})
"""


@pytest.fixture
def peak(tmp_path: Path) -> Callable[..., int]:
    """The largest memory of any process of a migration, in KiB."""
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}

    def measure(source: Path, *options: str) -> int:
        batch = (sys.executable, "-m", "ocml_bridge", "batch", "-q", "-f", "chatml", "-t", "openai", "--jobs", "2")
        command = (sys.executable, "-c", MEASURE, *batch, *options, str(source), "-o", f"{source}.out")
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
        return int(done.stdout)

    return measure


def pieces(many: Any, records: int) -> Iterator[bytes]:
    piece = many.lines(1000, broken_each=100, words=100)
    yield from (piece for _ in range(records // 1000))


@pytest.mark.sweep
@pytest.mark.parametrize("kind", sweep(["jsonl", "jsonl.gz", "parquet"], 3))
def test_ten_times_as_many_records_take_no_more_memory(
    kind: str, many: Any, peak: Callable[..., int], tmp_path: Path
) -> None:
    sizes = (1_000, 10_000)
    found: list[int] = []
    for records in sizes:
        source = tmp_path / f"{records}.{kind}"
        if kind == "parquet":
            write_parquet(many, source, records)
        else:
            with gzip.open(source, "wb", compresslevel=1) if kind.endswith("gz") else source.open("wb") as file:
                for piece in pieces(many, records):
                    file.write(piece)
        found.append(peak(source))
    assert found[1] < 1.2 * found[0], found


def write_parquet(many: Any, path: Path, records: int) -> None:
    pa: Any = pytest.importorskip("pyarrow")
    pq: Any = pytest.importorskip("pyarrow.parquet")
    texts = [many.transcript(number, 100) if number % 100 else "broken" for number in range(1000)]
    piece = pa.table({"text": texts})
    with pq.ParquetWriter(path, piece.schema) as writer:
        for _ in range(records // 1000):
            writer.write_table(piece)
