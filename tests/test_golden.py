"""Golden files: each case is converted to every format, and compared. `pytest --accept` rewrites them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from ocml_bridge import BridgeError, formats, read, write
from ocml_bridge.report.policy import LossPolicy
from ocml_bridge.testing.golden import extension, golden_files

ROOT = Path(__file__).parents[1] / "golden"
CASES = sorted(path.parent for path in ROOT.glob("*/*/case.yaml"))


def name(case: Path) -> str:
    return f"{case.parent.name}/{case.name}"


def source(case: Path) -> bytes:
    return (case / f"input.{extension(case.parent.name)}").read_bytes()


def about(case: Path) -> dict[str, str]:
    return yaml.safe_load((case / "case.yaml").read_text())


def policy(case: Path) -> LossPolicy:
    """The losses that `case.yaml` allows, in addition to the default policy."""
    return LossPolicy(allow=tuple(about(case).get("allow", "").split()))


def expected(case: Path) -> dict[str, bytes]:
    """File name → content, of all that a case gives."""
    own = case.parent.name
    return golden_files(own, source(case), [each for each in formats() if each not in ("canonical", own)], policy(case))


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_case_gives_its_golden_files(case: Path, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    outputs = expected(case)
    kept = {"case.yaml", f"input.{extension(case.parent.name)}"}
    if request.config.getoption("--accept"):
        for path in case.iterdir():
            if path.name not in outputs and path.name not in kept:
                path.unlink()
        for file, data in outputs.items():
            (case / file).write_bytes(data)
    assert {path.name for path in case.iterdir()} == kept | set(outputs)
    for file, data in outputs.items():
        assert (case / file).read_bytes() == data, f"{name(case)}/{file}"


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_case_names_its_source(case: Path) -> None:
    members = about(case)
    assert {"source", "section", "shows"} <= set(members) <= {"source", "section", "shows", "allow"}
    assert all(isinstance(value, str) and value for value in members.values())


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_document_without_findings_is_written_back_byte_for_byte(case: Path) -> None:
    """Law 1."""
    own = case.parent.name
    if case.name.startswith("invalid-"):
        with pytest.raises(BridgeError):
            read(source(case), own)
        return
    reading = read(source(case), own)
    output = write(reading.transcript, own).output
    if isinstance(output, str):
        back, original = output, source(case).decode()
    else:
        back, original = json.dumps(output), json.dumps(read_json(source(case)))
    assert reading.findings or back == original


def read_json(data: bytes) -> object:
    text = data.decode()
    try:
        return json.loads(text)
    except ValueError:
        try:
            return [json.loads(line) for line in text.splitlines()]
        except ValueError:
            return None


def test_every_format_has_cases() -> None:
    assert {case.parent.name for case in CASES} == set(formats())
