"""Golden files: each case in every format, byte for byte, with its reports. `pytest --accept` rewrites them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from ocml_bridge import BridgeError, Result, convert, formats, read, write
from ocml_bridge.policy import LossPolicy

ROOT = Path(__file__).parents[1] / "golden"
EXTENSIONS = {"ocm-2.2": "ocm", "ocm-0.1": "txt", "harmony": "txt", "internlm2": "txt", "chatml": "txt"}
CASES = sorted(path.parent for path in ROOT.glob("*/*/case.yaml"))


def extension(format_id: str) -> str:
    return EXTENSIONS.get(format_id, "json")


def name(case: Path) -> str:
    return f"{case.parent.name}/{case.name}"


def source(case: Path) -> bytes:
    return (case / f"input.{extension(case.parent.name)}").read_bytes()


def about(case: Path) -> dict[str, str]:
    return yaml.safe_load((case / "case.yaml").read_text())


def policy(case: Path) -> LossPolicy:
    """What its `case.yaml` allows to be lost, beyond what is allowed by default."""
    return LossPolicy(allow=tuple(about(case).get("allow", "").split()))


def pretty(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def report(result: Result) -> bytes:
    """One note a line, so that a change is easy to see."""
    lines = [f"lossless: {str(result.lossless).lower()}"]
    lines += [f"finding {note.severity} {note.code} {note.path}: {note.detail}" for note in result.findings]
    lines += [f"loss {note.severity} {note.code} {note.path}: {note.detail}" for note in result.losses]
    return ("\n".join(lines) + "\n").encode()


def expected(case: Path) -> dict[str, bytes]:
    """File name → content, of all that a case gives."""
    try:
        reading = read(source(case), case.parent.name)
    except BridgeError as error:
        return {"error.json": pretty(error.to_json())}
    out = {"canonical.json": write(reading.transcript, "canonical").encode(pretty=True)}
    for target in formats():
        if target in {"canonical", case.parent.name}:
            continue
        result = convert(source(case), source=case.parent.name, target=target, policy=policy(case))
        tokens = target.endswith("-tokens")
        out[f"{target}.{extension(target)}"] = result.encode(pretty=not tokens)
        out[f"{target}.loss.txt"] = report(result)
    return out


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
def test_a_case_says_where_it_is_from(case: Path) -> None:
    members = about(case)
    assert {"source", "section", "shows"} <= set(members) <= {"source", "section", "shows", "allow"}
    assert all(isinstance(value, str) and value for value in members.values())


@pytest.mark.parametrize("case", CASES, ids=name)
def test_what_reads_without_findings_is_written_back_byte_for_byte(case: Path) -> None:
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
