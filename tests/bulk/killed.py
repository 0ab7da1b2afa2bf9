"""Run a migration again and again, killed at its nth step on the disk, for every n, and continued: a program.

    python killed.py SOURCE TARGET_FOLDER

For each n it prints one line of JSON: n, whether the run was killed, and a digest of all outputs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ocml_bridge.bulk.containers import lines, parquet, texts, unpacking
from ocml_bridge.bulk.running import durable, journal, outputs, progress
from ocml_bridge.cli import main

STEPS = (
    *((module, "sync") for module in (durable, journal, outputs)),
    *((module, "discard") for module in (durable, outputs, texts)),
    (outputs, "join"),
)
COMMAND = ("batch", "-q", "-j1", "-f", "chatml", "-t", "openai", "--resume", "--ledger", "jsonl")
CHUNK = 5
"""The number of records in a chunk, small so that there are many steps."""
RANGE = 2000
"""The number of bytes in a range."""


def killed_at(count: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Wrap functions so that the process dies, as by `kill -9`, before the nth call of any of them."""
    left = [count]

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **options)

        return call

    return wrap


def migrate(source: str, folder: str, count: int) -> bool:
    """One run in a child process; whether it came to its end."""
    child = os.fork()
    if child == 0:
        wrap = killed_at(count)
        for module, name in STEPS:
            setattr(module, name, wrap(getattr(module, name)))
        os.replace = wrap(os.replace)
        os._exit(main([*COMMAND, source, "-o", folder]))
    status = os.waitpid(child, 0)[1]
    return os.WIFEXITED(status) and os.WEXITSTATUS(status) == 6


def digest(folder: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != journal.NAME:
            found.update(f"{path.relative_to(folder)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return found.hexdigest()


if __name__ == "__main__":
    source, folder = sys.argv[1:]
    os.fsync = lambda _descriptor: None  # a killed process leaves what it wrote; only a power cut would not
    progress.CHECKPOINT_SECONDS = 0.0
    lines.CHUNK_RECORDS = texts.CHUNK_RECORDS = parquet.CHUNK_RECORDS = CHUNK
    lines.RANGE_BYTES = parquet.RANGE_BYTES = unpacking.RANGE_BYTES = RANGE
    main([*COMMAND, source, "-o", folder])  # what is imported is imported once, and not in each child
    for nth in range(1, 1000):
        shutil.rmtree(folder, ignore_errors=True)
        whole = migrate(source, folder, nth)
        if not whole and not migrate(source, folder, 0):
            sys.exit(f"it could not be continued when killed at step {nth}")
        print(json.dumps({"step": nth, "killed": not whole, "digest": digest(Path(folder))}))
        if whole:
            break
