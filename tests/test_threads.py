"""Conversions in several threads at once, as in the workers of a server, share plans and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import NamedTuple

import pytest

from ocml_bridge import BridgeError, convert
from ocml_bridge.engine.instances import reader_for, writer_for
from ocml_bridge.report.policy import LENIENT
from sources import ROOT

TARGETS = ("harmony", "chatml:hermes", "openai", "anthropic", "gemini", "ocm-0.1", "canonical")
ROUNDS = 5
"""A plan of a conversation is learned at its fourth meeting, and used at the fifth."""


class Job(NamedTuple):
    source: str
    data: str
    target: str


def jobs() -> list[Job]:
    """Inputs of the golden cases of some formats, to some formats."""
    inputs = [
        (source, path.read_text("utf-8"))
        for source in ("openai", "anthropic", "chatml", "harmony")
        for path in sorted((ROOT / "golden" / source).glob("*/input.*"))[:6]
    ]
    return [Job(source, data, target) for (source, data), target in product(inputs, TARGETS)]


def outcome(job: Job) -> tuple[object, ...]:
    try:
        result = convert(job.data, source=job.source, target=job.target, policy=LENIENT)
    except BridgeError as error:
        return str(error.code), error.message
    return result.data, *map(str, (*result.losses, *result.findings))


@pytest.fixture
def hurried() -> Iterator[None]:
    """Let threads take turns as often as the interpreter can, with no plan known yet."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    reader_for.cache_clear()
    writer_for.cache_clear()
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hurried")
def test_threads_do_not_see_each_other() -> None:
    every = jobs()
    with ThreadPoolExecutor(8) as pool:
        together = [*pool.map(outcome, every * ROUNDS)]
    alone = [*map(outcome, every)]
    assert any(isinstance(data, bytes) for data, *_ in alone)
    assert together == alone * ROUNDS
