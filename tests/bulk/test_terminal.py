"""The output of a run on a terminal, and a run that is interrupted there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.errors import ExitCode

pty = pytest.importorskip("pty")
COMMAND = (sys.executable, "-m", "ocml_bridge", "batch", "-f", "chatml", "-t", "harmony", "--verify")


@pytest.fixture
def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": ":".join(path for path in sys.path if path), "TERM": "xterm", "COLUMNS": "120"}


def output_of(descriptor: int) -> str:
    out = b""
    while True:
        try:
            piece = os.read(descriptor, 65536)
        except OSError:  # the terminal has no writers any more
            break
        if not piece:
            break
        out += piece
    return out.decode()


def test_progress_is_for_terminals(many: Any, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(many.lines(3000, words=100))
    ours, theirs = pty.openpty()
    with subprocess.Popen((*COMMAND, str(tmp_path / "a.jsonl"), "--dry-run"), env=environment, stderr=theirs):
        os.close(theirs)
        seen = output_of(ours)
    assert "records, " in seen
    assert "/s" in seen
    assert "100%" in seen
    assert seen.rindex("converted") > seen.rindex("100%")
    piped = subprocess.run(
        (*COMMAND, str(tmp_path / "a.jsonl"), "--dry-run"), env=environment, capture_output=True, check=True
    )
    assert b"%" not in piped.stderr
    assert b"\x1b" not in piped.stderr
    assert b"3,000" in piped.stderr


def test_an_interrupted_run_goes_on(
    many: Any, environment: dict[str, str], batch: Callable[..., int], tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_bytes(many.lines(8000, words=100))
    args = (str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "out"))
    with subprocess.Popen(
        (*COMMAND, *args, "--jobs", "2"), env=environment, stderr=subprocess.PIPE, start_new_session=True
    ) as run:
        while not (tmp_path / "out" / ".a.jsonl.partial").exists():
            time.sleep(0.01)
        os.killpg(run.pid, signal.SIGINT)  # as Ctrl-C at a terminal reaches all processes
        assert run.wait() == ExitCode.INTERRUPTED
        assert run.stderr is not None
        err = run.stderr.read().decode()
        assert "interrupted; the same command with --resume continues" in err
        assert "Traceback" not in err
    assert many.tree(tmp_path / "out") == {}
    assert batch("-f", "chatml", "-t", "harmony", "--verify", *args, "--resume") == ExitCode.OK
    assert len(many.tree(tmp_path / "out")["a.jsonl"].splitlines()) == 8000
