"""This release reads the files of older releases, golden/compat/<version>/, which are never written again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import click
import pytest

from ocml_bridge import Settings, Transcript, read, write
from ocml_bridge.cli import command, main
from ocml_bridge.cli.serve import serve, upstreams
from ocml_bridge.errors import ExitCode
from ocml_bridge.loss import FindingCode
from ocml_bridge.model.codec import to_json
from promises import releases
from release_files import ROWS

RELEASES = pytest.mark.parametrize("release", releases(), ids=lambda path: path.name)
DOCUMENTS = [path for release in releases() for path in sorted(release.glob("canonical/*.json"))]
SIDECARS = [path for release in releases() for path in sorted(release.glob("sidecars/*.output"))]


def identifier(path: Path) -> str:
    return f"{path.parents[1].name}-{path.stem}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=identifier)
def test_an_old_document_is_read_without_changes(path: Path) -> None:
    reading = read(path.read_bytes(), "canonical")
    assert {finding.code for finding in reading.findings} <= {FindingCode.EARLIER_FORM}
    if not reading.findings:
        assert to_json(reading.transcript) == json.loads(path.read_bytes())


@pytest.mark.parametrize("output", SIDECARS, ids=identifier)
def test_an_old_sidecar_restores_its_document(output: Path) -> None:
    document = read((output.parent / "document.json").read_bytes(), "canonical").transcript
    sidecar = json.loads(output.with_suffix(".json").read_bytes())
    restored = read(output.read_bytes(), output.stem, sidecar=sidecar)
    assert (restored.transcript, restored.findings) == (document, ())
    assert write(restored.transcript, "canonical").lossless


@RELEASES
def test_settings_of_an_old_gateway_are_read(release: Path) -> None:
    program = click.Context(command, info_name="ocml-convert", **command.context_settings)
    context = serve.make_context("serve", ["--settings", str(release / "settings.yaml")], parent=program)
    made = upstreams(context, {**context.params, "policy": None})
    assert [(each.upstream, each.profile, each.read_timeout) for each in made] == [
        ("http://127.0.0.1:8000/v1", "gpt-oss", 20),
        ("http://127.0.0.1:8001/v1", "qwen3", 20),
    ]


@RELEASES
def test_an_old_plan_converts_rows(release: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"prompt":"Hi","completion":"Hello!"}\n')
    line = ["batch", "-q", "--plan", release / "plan.yaml", tmp_path / "rows.jsonl", "-o", tmp_path / "out"]
    assert main([str(word) for word in line]) == ExitCode.OK
    assert json.loads((tmp_path / "out" / "rows.jsonl").read_bytes()) == {
        "text": "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>Hello!<|end|>"
    }


@RELEASES
def test_the_ledger_of_an_old_migration_is_read_and_requeued(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(release, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    assert _ids(capfd, "--outcome", "lossy") == ["2"]
    assert _ids(capfd, "--code", "OCB-NO-FRAMES") == ["4"]
    quarantine = [json.loads(line) for line in Path("migration", "rows.quarantine.jsonl").read_text().splitlines()]
    mended = [{**row, "raw": ROWS[0].replace('"id":1', f'"id":{row["line"]}')} for row in quarantine]
    Path("mended.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in mended))
    assert main(["requeue", "migration", "mended.jsonl"]) == ExitCode.OK
    rows = [json.loads(line) for line in Path("migration", "rows.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [1, 2, 3, 4]
    assert _ids(capfd, "--outcome", "quarantined") == []


def _ids(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[Any]:
    capfd.readouterr()
    assert main(["ledger", "migration", "--rows", *arguments]) == ExitCode.OK
    return [json.loads(line)["id"] for line in capfd.readouterr().out.splitlines()]


def test_settings_of_an_earlier_form_are_added_to_existing_extras() -> None:
    header = {"generation_settings": {"temperature": 1, "odd": 2}}
    earlier: Any = {"type": "transcript", "messages": [], "header": header, "extras": {"ocm-2.2": {"a": 1}}}
    found = read(earlier, "canonical").transcript
    assert isinstance(found, Transcript)
    assert found.extras == {"ocm-2.2": {"a": 1, "generation_settings": {"odd": 2}}}
    assert found.settings == Settings(temperature=1)
