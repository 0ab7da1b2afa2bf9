"""A migration on disks that are full, failing or read-only, and with clocks that jump."""

from __future__ import annotations

import builtins
import errno
import itertools
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.bulk.running import progress
from ocml_bridge.bulk.running.journal import Journal
from ocml_bridge.cli import main
from ocml_bridge.errors import ExitCode

Batch = Callable[..., int]
STEPS = ("fsync", "replace", "open", "copy_file_range", "mkdir")


@pytest.fixture
def moved(many: Any, batch: Batch, tmp_path: Path) -> tuple[tuple[str | Path, ...], dict[str, bytes]]:
    """The arguments of a migration without its output folder, and the files that it writes if nothing fails."""
    (tmp_path / "a.jsonl").write_bytes(many.lines(40, broken_each=10))
    args = ("-f", "chatml", "-t", "openai", "--ledger", "jsonl", tmp_path / "a.jsonl", "-o")
    assert batch(*args, tmp_path / "whole") == ExitCode.SOME_FAILED
    return args, many.tree(tmp_path / "whole")


@pytest.mark.parametrize("step", STEPS)
def test_a_full_disk_ends_the_run_and_the_next_run_continues(
    step: str, moved: Any, many: Any, batch: Batch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The disk is full at the first step of one kind, then at the second, and so on."""
    args, whole = moved
    out = tmp_path / "out"
    for nth in range(1, 20):
        with pytest.MonkeyPatch.context() as patch:
            left = _fail(patch, step, nth, errno.ENOSPC, out)
            capfd.readouterr()
            status = batch(*args, out, "--resume")
            err = capfd.readouterr().err
        if next(left) <= nth:  # there was no such step any more
            break
        if step != "copy_file_range":  # which is a shorter way, and not the only one
            assert status == ExitCode.FAILED, err
            assert f"OCB-IO: {out}" in err
            assert "No space left on device; when there is space, the same command with --resume continues" in err
            assert err.count("\n") == 1
    assert batch(*args, out, "--resume") == ExitCode.SOME_FAILED
    assert many.tree(out) == whole


def _fail(patch: pytest.MonkeyPatch, step: str, nth: int, number: int, folder: Path) -> Any:
    """Let the nth call fail; returns the number of calls."""
    count = itertools.count(1)
    owner: Any = builtins if step == "open" else os
    real = getattr(owner, step)

    def call(first: Any, *args: Any, **options: Any) -> Any:
        counts = step != "open" or (str(folder) in str(first) and args and "r" not in args[0])
        if counts and not (step == "mkdir" and os.path.exists(first)) and next(count) == nth:
            raise OSError(number, os.strerror(number), first if step in ("open", "mkdir") else None)
        return real(first, *args, **options)

    patch.setattr(owner, step, call)
    return count


def _refused(path: object, *_: object, **__: object) -> int:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)


def test_an_output_that_is_a_file_is_refused(moved: Any, batch: Batch, tmp_path: Path, capfd: Any) -> None:
    args, _ = moved
    (tmp_path / "file").write_text("mine")
    assert batch(*args, tmp_path / "file") == ExitCode.USAGE
    assert "is a file; name a folder" in capfd.readouterr().err
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="who may do anything may write there, too")
def test_a_folder_without_write_permission_is_an_error(moved: Any, batch: Batch, tmp_path: Path) -> None:
    args, _ = moved
    (tmp_path / "out").mkdir(mode=0o500)
    assert batch(*args, tmp_path / "out") == ExitCode.FAILED


def test_a_read_only_disk_is_an_error_in_one_line(
    moved: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    args, _ = moved
    for line in (
        ["batch", "-q", *map(str, args), str(tmp_path / "out")],
        ["convert", "-q", "-f", "canonical", "-t", "chatml", str(tmp_path / "in.json"), "-o", str(tmp_path / "o.txt")],
    ):
        (tmp_path / "in.json").write_text('{"type":"transcript","messages":[{"role":"user","content":"Hi"}]}')
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "mkdir", _refused)
            patch.setattr(os, "open", _refused)
            assert main(line) == ExitCode.FAILED
        err = capfd.readouterr().err
        assert "OCB-IO: " in err
        assert err.endswith("Read-only file system\n")
        assert err.count("\n") == 1
    assert not (tmp_path / "o.txt").exists()


@pytest.mark.parametrize("clock", ["stands", "goes back", "jumps"])
def test_the_output_does_not_depend_on_the_clock(
    clock: str, moved: Any, many: Any, batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args, whole = moved
    times = {
        "stands": itertools.repeat(1e9),
        "goes back": itertools.count(2e9, -3600),
        "jumps": itertools.cycle((0.0, 4e9, -1e9)),
    }[clock]
    monkeypatch.setattr(time, "time", lambda: next(times))
    if clock != "goes back":  # no monotonic clock does
        steps = itertools.repeat(5.0) if clock == "stands" else itertools.count(0.0, 1e6)
        monkeypatch.setattr(progress.time, "monotonic", lambda: next(steps))
    assert batch(*args, tmp_path / "out") == ExitCode.SOME_FAILED
    assert many.tree(tmp_path / "out") == whole


@pytest.mark.parametrize("changed", [0, -86_400 * 365 * 60, 86_400 * 365 * 200])
def test_an_input_with_any_date_is_recognised_as_the_same_input(
    changed: int, moved: Any, many: Any, batch: Batch, tmp_path: Path
) -> None:
    """Files that are dated before 1970, or in the far future, as copies and archives leave them."""
    args, whole = moved
    os.utime(tmp_path / "a.jsonl", (changed, changed))
    assert batch(*args, tmp_path / "out", "--limit", "7") == ExitCode.SOME_FAILED
    assert batch(*args, tmp_path / "out", "--overwrite") == ExitCode.SOME_FAILED
    assert many.tree(tmp_path / "out") == whole


def test_a_run_that_a_full_disk_stopped_is_not_overwritten(
    moved: Any, batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args, _ = moved
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "done", _refused)
        assert batch(*args, tmp_path / "out") == ExitCode.FAILED
    assert batch(*args, tmp_path / "out") == ExitCode.USAGE  # the unfinished run is not overwritten
    assert batch(*args, tmp_path / "out", "--resume") == ExitCode.SOME_FAILED


def test_a_system_that_syncs_only_writable_files_and_opens_no_folder(
    batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows: `fsync` of a file that is open for reading fails, and folders cannot be opened."""
    fcntl = pytest.importorskip("fcntl", reason="the system is one of these itself")
    fsync, opens = os.fsync, os.open

    def fsync_of_writers(descriptor: int) -> None:
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        fsync(descriptor)

    def open_no_folder(path: Any, *options: Any, **more: Any) -> int:
        if os.path.isdir(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return opens(path, *options, **more)

    monkeypatch.setattr(os, "fsync", fsync_of_writers)
    monkeypatch.setattr(os, "open", open_no_folder)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.chatml").write_bytes(b"<|im_start|>user\nHi<|im_end|>\n")
    (folder / "b.jsonl").write_bytes(b'{"text":"<|im_start|>user\\nHo<|im_end|>\\n"}\n')
    assert batch("-t", "openai", folder, "-o", tmp_path / "out", "--ledger", "jsonl", "--jobs", "1") == ExitCode.OK
    assert b"Hi" in (tmp_path / "out" / "a.json").read_bytes()
    assert b"Ho" in (tmp_path / "out" / "b.jsonl").read_bytes()
