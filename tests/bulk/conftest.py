"""Transcripts for migrations, some of them invalid, and the command `batch`."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ocml_bridge.cli import main
from sources import ROOT

ENVIRONMENT: dict[str, str] = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join((str(ROOT / "bridge"), str(ROOT / "adapters"))),
}
WORDS = [f"{word}{number}" for word in ("ship", "harbour", "größe", "天气") for number in range(100)]


def transcript(number: int, words: int = 30) -> str:
    """A random ChatML text; the same number gives the same text."""
    drawn = random.Random(number).choices(WORDS, k=words)
    question, answer = " ".join(drawn[: words // 2]), " ".join(drawn[words // 2 :])
    return f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n{answer}<|im_end|>\n"


def line(number: int, words: int = 30) -> bytes:
    fields = {"id": number, "text": transcript(number, words), "score": 0.50}
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


BROKEN = (
    b'{"id":1,"text":"<|im_st\n',
    b'{"id":2}\n',
    b"\xff\xfe\n",
    b'{"text":"nothing"}\n',
    b"[1]\n",
    b'{"text":null}\n',
)
"""One line for each kind of invalid record."""


def lines(count: int, *, first: int = 0, broken_each: int = 0, words: int = 30) -> bytes:
    """A file with `count` records, of which every `broken_each`-th one is invalid."""
    parts = [line(first + number, words) for number in range(count)]
    if broken_each:
        for nth, number in enumerate(range(broken_each // 2, count, broken_each)):
            parts[number] = BROKEN[nth % len(BROKEN)]
    return b"".join(parts)


def tree(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name, without hidden ones."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


class Tools(NamedTuple):
    """Helpers that the tests in this folder share."""

    transcript: Callable[..., str]
    lines: Callable[..., bytes]
    tree: Callable[[Path], dict[str, bytes]]
    broken: tuple[bytes, ...]


@pytest.fixture(scope="session")
def many() -> Tools:
    return Tools(transcript, lines, tree, BROKEN)


Run = Callable[..., int]


@pytest.fixture
def batch() -> Run:
    """Run `ocml-convert batch --quiet` in this process; returns its exit status."""

    def start(*arguments: str | Path) -> int:
        return main(["batch", "--quiet", "--jobs", "1", *map(str, arguments)])

    return start


@pytest.fixture(scope="session")
def process() -> Callable[..., subprocess.Popen[bytes]]:
    """`ocml-convert batch` as a process of its own."""

    def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
        command = (sys.executable, "-m", "ocml_bridge", "batch", *map(str, arguments))
        return subprocess.Popen(command, env=ENVIRONMENT)

    return start
