"""The command, run in the process of the test, which is faster than a process of its own."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from ocml_bridge import registry
from ocml_bridge.cli import main
from ocml_bridge.formats.adapter import Adapter

EXAMPLE = Path(__file__).resolve().parents[2] / "golden" / "ocm-2.2" / "function-call" / "input.ocm"


class Finished(NamedTuple):
    """The exit status of a command, and its output."""

    status: int
    out: bytes
    err: str


Run = Callable[..., Finished]
Plug = Callable[[Adapter], None]


@pytest.fixture
def example() -> str:
    """OpenChatML 2.2 §16.2 as a file."""
    return str(EXAMPLE)


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command with arguments and standard input."""

    def start(*arguments: str | Path, stdin: bytes = b"") -> Finished:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfdbinary.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Finished(status, out, err.decode())

    return start


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Plug:
    """Add a format for one test; its id must be new."""

    def add(adapter: Adapter) -> None:
        module = f"format_of_a_test_{adapter.id}"
        monkeypatch.setitem(sys.modules, module, SimpleNamespace(ADAPTER=adapter))
        monkeypatch.setitem(registry.BUILT_IN, adapter.id, f"{module}:ADAPTER")

    return add
