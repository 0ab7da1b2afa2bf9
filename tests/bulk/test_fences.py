"""A record that takes too long or too much memory, or kills its process, is quarantined; the others are converted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.errors import ExitCode

PLUGIN = '''
"""A format whose reader never ends, uses all memory, or kills its process; the text of a record decides which."""

import os, signal
from dataclasses import replace
from ocml_bridge.registry import adapter

class Reader:
    def __init__(self, options):
        self._reader = chatml.reads_units(options)

    def split_units(self, source, log):
        if "HANG" in source:
            while True:
                pass
        if "EAT" in source:
            source *= 1_000_000_000
        if "DIE" in source:
            os.kill(os.getpid(), signal.SIGKILL)
        if "RAISE" in source:
            raise RecursionError("too deep")
        return self._reader.split_units(source, log)

    def __getattr__(self, name):
        return getattr(self._reader, name)

chatml = adapter("chatml")[0]
ADAPTER = replace(chatml, id="poison", reads_units=Reader)
'''
ENTRY = "[ocml_bridge.formats]\npoison = poison_format:ADAPTER\n"


@pytest.fixture
def poison(tmp_path: Path) -> dict[str, str]:
    """The environment of a process in which a format of a third party is installed."""
    site = tmp_path / "site"
    about = site / "poison-1.dist-info"
    about.mkdir(parents=True)
    (site / "poison_format.py").write_text(PLUGIN)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: poison\nVersion: 1\n")
    (about / "entry_points.txt").write_text(ENTRY)
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), *filter(None, sys.path)))}


def rows(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("kind", ["jsonl", pytest.param("parquet", marks=pytest.mark.long)])
def test_a_poisoned_record_is_quarantined_and_the_others_are_converted(
    kind: str, many: Any, poison: dict[str, str], tmp_path: Path
) -> None:
    texts = [many.transcript(number, 200) for number in range(600)]
    for number, word in ((100, "HANG"), (200, "EAT"), (300, "DIE"), (400, "RAISE")):
        texts[number] = word
    source, out = tmp_path / f"a.{kind}", tmp_path / "out"
    if kind == "jsonl":
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    else:
        arrow: Any = pytest.importorskip("pyarrow")
        parquet: Any = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({"text": texts}), source, row_group_size=150, compression="none")
    command = (sys.executable, "-m", "ocml_bridge", "batch", "-f", "poison", "-t", "openai", "--into", "jsonl")
    options = ("--seconds", "2", "--memory", "400M", "--jobs", "2", "--quiet")
    done = subprocess.run((*command, *options, str(source), "-o", str(out)), env=poison, check=False)
    assert done.returncode == ExitCode.SOME_FAILED
    assert len(rows(out / "a.jsonl")) == 596
    quarantined = [(row["line" if kind == "jsonl" else "row"], row["code"]) for row in rows(out / "a.quarantine.jsonl")]
    assert quarantined == [(101, "OCB-LIMIT"), (201, "OCB-LIMIT"), (301, "OCB-LIMIT"), (401, "OCB-INTERNAL")]
    messages = [row["message"] for row in rows(out / "a.quarantine.jsonl")]
    assert "--seconds" in messages[0]
    assert "--memory" in messages[1]
    assert "died twice (signal 9)" in messages[2]


def test_a_poisoned_record_of_a_small_file_is_quarantined(poison: dict[str, str], tmp_path: Path) -> None:
    """A small file is converted without further processes."""
    texts = ["HANG", "EAT", "RAISE", "<|im_start|>user\nHi<|im_end|>\n"]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    command = (sys.executable, "-m", "ocml_bridge", "batch", "-f", "poison", "-t", "openai", "-q")
    options = ("--seconds", "0.5", "--memory", "400M", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "out"))
    assert subprocess.run((*command, *options), env=poison, check=False).returncode == ExitCode.SOME_FAILED
    quarantined = [(row["line"], row["code"]) for row in rows(tmp_path / "out" / "a.quarantine.jsonl")]
    assert quarantined == [(1, "OCB-LIMIT"), (2, "OCB-LIMIT"), (3, "OCB-INTERNAL")]
    assert len(rows(tmp_path / "out" / "a.jsonl")) == 1


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.long), "2"])
def test_the_same_bytes_come_from_any_number_of_processes(
    jobs: str, many: Any, batch: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines longer than a range, ranges in which no line begins, blank lines and a last line without its end."""
    data = many.lines(300, broken_each=50, words=200) + b"\n \n"
    long = json.dumps({"text": many.transcript(1, 600_000)}).encode()
    source = tmp_path / "a.jsonl"
    source.write_bytes(data + long + b"\n" + data + long + b"\n" + data[:-4])
    assert len(long) > 1 << 22
    args = ("-q", "-f", "chatml", "-t", "harmony", source)
    command = (sys.executable, "-m", "ocml_bridge", "batch", *map(str, args), "--jobs", jobs)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run((*command, "-o", str(tmp_path / "many")), env=environment, check=False)
    assert done.returncode == ExitCode.SOME_FAILED
    lines = source.read_bytes().splitlines()
    wrong = [row["line"] for row in rows(tmp_path / "many" / "a.quarantine.jsonl")]
    assert [lines[number - 1] for number in wrong] == [line.rstrip(b"\n") for line in many.broken] * 3
    monkeypatch.setattr("ocml_bridge.bulk.running.run.CHUNK_BYTES", 1 << 40)  # too little for a process of its own
    assert batch(*args, "-o", tmp_path / "one") == ExitCode.SOME_FAILED
    assert many.tree(tmp_path / "many") == many.tree(tmp_path / "one")
