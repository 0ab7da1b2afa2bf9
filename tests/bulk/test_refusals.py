"""Errors that end a run or prevent it, and the files that are left afterwards."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import BridgeError, ErrorCode
from ocml_bridge.bulk import batch as module
from ocml_bridge.bulk.running import parts
from ocml_bridge.bulk.tally import Tally
from ocml_bridge.cli import main
from ocml_bridge.errors import ExitCode

Batch = Callable[..., int]


@pytest.fixture
def source(many: Any, tmp_path: Path) -> Path:
    path = tmp_path / "data" / "a.jsonl"
    path.parent.mkdir()
    path.write_bytes(many.lines(20))
    return path


def test_the_first_record_with_each_error_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = '{"messages":[{"role":"user","content":"Hi"}]}', '{"message', "{", '{"x":1}'
    Path("a.jsonl").write_text("".join(f"{line}\n" for line in lines))
    Path("b").mkdir()
    Path("b/c.txt").write_text("Hi")
    assert main(["batch", "-t", "harmony", "-j", "1", "a.jsonl", "b", "-o", "out"]) == ExitCode.SOME_FAILED
    *_, first, second, files = capsys.readouterr().err.splitlines()
    assert first.startswith("a.jsonl:2: OCB-JSON: not JSON: ")
    assert second == (
        "a.jsonl:4: OCB-FORMAT-UNKNOWN: the format of the input is not recognised; name it with --from "
        "(`ocml-convert formats` lists them)"
    )
    assert files == f"quarantined records are in {Path('out/a.quarantine.jsonl')}, and 1 more file"


def test_a_missing_library_ends_the_run_without_quarantining_records(
    source: Path, many: Any, batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(*_args: object, **_options: object) -> None:
        raise BridgeError(ErrorCode.DEPENDENCY, "the encoder is not installed")

    with monkeypatch.context() as patch:
        patch.setattr(module, "convert", lacks)
        assert batch("-f", "chatml", "-t", "openai", source, "-o", tmp_path / "out") == ExitCode.FAILED
    assert many.tree(tmp_path / "out") == {}
    assert batch("-f", "chatml", "-t", "openai", source, "-o", tmp_path / "out", "--resume") == ExitCode.OK
    assert len(many.tree(tmp_path / "out")["a.jsonl"].splitlines()) == 20


@pytest.mark.parametrize("lost", ["an output", "a count"])
def test_counts_that_do_not_add_up_are_a_failure(
    lost: str, source: Path, batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """Each of the two checks, with a mistake that only this check finds."""
    if lost == "an output":
        whole = parts.Part.write

        def write(self: parts.Part, pieces: tuple[bytes, ...]) -> None:
            whole(self, (pieces[0].partition(b"\n")[2], *pieces[1:]))

        monkeypatch.setattr(parts.Part, "write", write)
    else:

        def forget(*_args: object) -> None:
            return

        monkeypatch.setattr(Tally, "add", forget)
    assert batch("-f", "chatml", "-t", "openai", source, "-o", tmp_path / "out") == ExitCode.FAILED
    err = capfd.readouterr().err
    assert "OCB-INTERNAL" in err
    assert (
        "hold 19 and 0 records, but 20 and 0 records were counted" if lost == "an output" else "20 rows read"
    ) in err


def test_no_input_is_overwritten(source: Path, batch: Batch, tmp_path: Path) -> None:
    before = source.read_bytes()
    assert batch("-f", "chatml", "-t", "openai", source, "-o", source.parent) == ExitCode.USAGE
    assert batch("-f", "chatml", "-t", "openai", source, "-o", tmp_path / "out", "--report", source) == ExitCode.USAGE
    assert source.read_bytes() == before


def test_outputs_in_the_input_folder_are_not_inputs(source: Path, many: Any, batch: Batch) -> None:
    (source.parent / "a.txt").write_text("<|im_start|>user\nhi<|im_end|>\n")
    out = source.parent / "out"
    for _ in range(2):
        assert batch("-f", "chatml", "-t", "openai", source.parent, "-o", out) == ExitCode.OK
        assert set(many.tree(out)) == {"a.json", "a.jsonl"}
    assert batch("-f", "chatml", "-t", "openai", source.parent, "-o", out, "--resume") == ExitCode.OK
    pattern = f"{source.parent}/**/*.jsonl"
    assert batch("-f", "chatml", "-t", "openai", pattern, "-o", out, "--overwrite") == ExitCode.OK
    assert set(many.tree(out)) == {"a.json", "a.jsonl"}


def test_a_file_of_another_program_is_not_overwritten_without_the_option(
    source: Path, batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other" / "a.jsonl"
    other.parent.mkdir()
    other.write_bytes(source.read_bytes()[: len(source.read_bytes()) // 2])
    out = tmp_path / "out"
    args = ("-f", "chatml", "-t", "openai", "-o", out)
    assert batch(*args, source) == ExitCode.OK
    before = (out / "a.jsonl").read_bytes()
    assert batch(*args, other) == ExitCode.USAGE
    assert "out/a.jsonl would be overwritten; allow it with --overwrite" in capsys.readouterr().err
    assert (out / "a.jsonl").read_bytes() == before
    assert batch(*args, source) == ExitCode.OK  # its own
    batch(*args, other, "--overwrite")
    assert (out / "a.jsonl").read_bytes() != before


def test_a_text_file_of_another_program_is_not_overwritten(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("<|im_start|>user\nhi<|im_end|>\n")
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.json").write_text("mine")
    assert batch("-f", "chatml", "-t", "openai", tmp_path / "a.txt", "-o", out) == ExitCode.USAGE
    assert (out / "a.json").read_text() == "mine"


@pytest.mark.parametrize("change", ["edited", "added", "removed"])
def test_a_folder_that_was_changed_is_not_continued(change: str, batch: Batch, tmp_path: Path, capsys: Any) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.txt").write_text("<|im_start|>user\nhi<|im_end|>\n")
    args = ("-f", "chatml", "-t", "openai", folder, "-o", tmp_path / "out", "--resume")
    assert batch(*args) == ExitCode.OK
    if change == "edited":
        (folder / "2.txt").write_text("<|im_start|>user\nho, too<|im_end|>\n")
    elif change == "added":
        (folder / "00.txt").write_text("<|im_start|>user\nhi<|im_end|>\n")
    else:
        (folder / "2.txt").unlink()
    assert batch(*args) == ExitCode.USAGE
    assert "was changed since the run began" in capsys.readouterr().err


def test_a_dangling_link_is_an_error_of_its_input_alone(source: Path, many: Any, batch: Batch, tmp_path: Path) -> None:
    (source.parent / "gone.jsonl").symlink_to("nowhere")
    report = tmp_path / "report.json"
    args = ("-f", "chatml", "-t", "openai", source.parent, "-o", tmp_path / "out")
    assert batch(*args, "--report", report) == ExitCode.SOME_FAILED
    assert set(many.tree(tmp_path / "out")) == {"a.jsonl"}
    assert "No such file" in report.read_text()
    assert batch(*args, "--resume") == ExitCode.SOME_FAILED


def test_a_named_pipe_is_read(source: Path, many: Any, batch: Batch, tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "pipe")
    data = source.read_bytes()
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(data))
    writer.start()
    assert batch("-f", "chatml", "-t", "openai", tmp_path / "pipe", "-o", tmp_path / "out") == ExitCode.OK
    writer.join()
    assert len(many.tree(tmp_path / "out")["pipe.jsonl"].splitlines()) == 20


def test_a_report_that_could_not_be_written_is_refused_before_the_run(
    source: Path, batch: Batch, tmp_path: Path
) -> None:
    args = ("-f", "chatml", "-t", "openai", source, "-o", tmp_path / "out")
    assert batch(*args, "--report", tmp_path / "no" / "folder.json") == ExitCode.FAILED
    assert not (tmp_path / "out").exists()


def test_an_output_folder_is_required(source: Path, batch: Batch) -> None:
    assert batch("-f", "chatml", "-t", "openai", source) == ExitCode.USAGE
    assert batch("-f", "chatml", "-t", "openai", source, "--dry-run") == ExitCode.OK
