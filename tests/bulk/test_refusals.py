"""What ends a run, or keeps it from beginning, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import BridgeError, ErrorCode
from ocml_bridge.bulk import batch as module
from ocml_bridge.bulk import parts
from ocml_bridge.bulk.tally import Tally
from ocml_bridge.errors import ExitCode

Batch = Callable[..., int]


@pytest.fixture
def source(many: Any, tmp_path: Path) -> Path:
    path = tmp_path / "data" / "a.jsonl"
    path.parent.mkdir()
    path.write_bytes(many.lines(20))
    return path


def test_a_missing_library_ends_the_run_and_no_record_pays_for_it(
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
    """Each of the two checks, on a mistake that only it can see."""
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
    told = capfd.readouterr().err
    assert "OCB-INTERNAL" in told
    assert ("hold 19 and 0 records, 20 and 0 records were counted" if lost == "an output" else "20 rows read") in told


def test_no_input_is_overwritten(source: Path, batch: Batch, tmp_path: Path) -> None:
    before = source.read_bytes()
    assert batch("-f", "chatml", "-t", "openai", source, "-o", source.parent) == ExitCode.USAGE
    assert batch("-f", "chatml", "-t", "openai", source, "-o", tmp_path / "out", "--report", source) == ExitCode.USAGE
    assert source.read_bytes() == before


def test_a_folder_is_not_converted_into_itself(source: Path, batch: Batch) -> None:
    (source.parent / "a.txt").write_text("<|im_start|>user\nhi<|im_end|>\n")
    assert batch("-f", "chatml", "-t", "openai", source.parent, "-o", source.parent / "out") == ExitCode.USAGE
    assert not (source.parent / "out").exists()


def test_an_output_folder_is_asked_for(source: Path, batch: Batch) -> None:
    assert batch("-f", "chatml", "-t", "openai", source) == ExitCode.USAGE
    assert batch("-f", "chatml", "-t", "openai", source, "--dry-run") == ExitCode.OK
