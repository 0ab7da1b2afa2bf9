"""Locks of files on this system, and on Windows with a stand-in for its module."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ocml_bridge.bulk.running import locks


def windows_locks(monkeypatch: pytest.MonkeyPatch, taken: set[tuple[int, int]]) -> Any:
    """The module as Windows loads it; `taken` has the file and place of each byte that is locked."""
    windows: Any = ModuleType("msvcrt")
    windows.LK_NBLCK = 2

    def locking(descriptor: int, mode: int, count: int) -> None:
        assert (mode, count) == (windows.LK_NBLCK, 1)
        place = (os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR))
        if place in taken:
            raise OSError(13, "Permission denied")
        taken.add(place)

    windows.locking = locking
    monkeypatch.setitem(sys.modules, "msvcrt", windows)
    monkeypatch.setattr(sys, "platform", "win32")
    spec = importlib.util.spec_from_file_location("locks_of_windows", locks.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("system", ["this", "Windows"])
def test_one_holder_at_a_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str) -> None:
    taken: set[tuple[int, int]] = set()
    module = locks if system == "this" else windows_locks(monkeypatch, taken)
    path = tmp_path / "journal"
    path.write_bytes(b"first line\n")
    with path.open("a+b") as one, path.open("a+b") as other:
        one.seek(0)
        module.lock(one)
        with pytest.raises(OSError, match=r"unavailable|denied"):
            module.lock(other)
        # The file is read from where it was, and the locked byte is none that it has.
        assert one.read() == b"first line\n"
        assert all(at > path.stat().st_size for _, at in taken)
