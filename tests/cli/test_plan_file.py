"""The file that `plan -o` writes, which a person reads and corrects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Run
from ocml_bridge.errors import ExitCode


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = tmp_path / "a.jsonl"
    data.write_text(json.dumps({"instruction": "Why?", "output": "So."}) + "\n")
    return data


def test_a_plan_that_was_corrected_is_kept(run: Run, data: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    assert run("plan", data, "-o", plan).status == ExitCode.OK
    proposed = plan.read_bytes()
    corrected = proposed + b"thoughts: [think]\n"
    plan.write_bytes(corrected)
    refused = run("plan", data, "-o", plan)
    assert (refused.status, plan.read_bytes()) == (ExitCode.USAGE, corrected)
    assert f"{plan} would be overwritten; allow it with --overwrite, or name another file" in refused.err
    assert run("plan", data, "-o", plan, "--overwrite").status == ExitCode.OK
    assert plan.read_bytes() == proposed


@pytest.mark.parametrize("kind", ["empty", "same", "link to nothing"])
def test_a_file_with_nothing_to_lose_is_written(run: Run, data: Path, tmp_path: Path, kind: str) -> None:
    plan = tmp_path / "plan.yaml"
    if kind == "empty":
        plan.touch()
    elif kind == "same":
        plan.write_bytes(run("plan", data).out)
    else:
        plan.symlink_to(tmp_path / "other.yaml")
    assert run("plan", data, "-o", plan).status == ExitCode.OK
    assert plan.read_bytes() == run("plan", data).out
