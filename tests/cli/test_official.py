"""`check --official` compares the official reader with ours; `--drop-analysis` has a report of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "harmony"


def test_equal_readings_are_shown_for_each_message(run: Run) -> None:
    pytest.importorskip("openai_harmony", reason="the official reader is compared with")
    done = run("check", "--official", "--strict", "-f", "harmony", GOLDEN / "function-call" / "input.txt")
    assert done.status == 0
    lines = done.out.decode().splitlines()
    assert len(lines) == 7
    assert all(line.startswith(f"message {index} same ") for index, line in enumerate(lines))


def test_different_readings_are_shown_with_their_fields(run: Run) -> None:
    pytest.importorskip("openai_harmony", reason="the official reader is compared with")
    text = b"<|start|>assistant<|channel|>commentary intent=preamble<|message|>Plan<|end|>"
    done = run("check", "--official", "--strict", "-f", "harmony", stdin=text)
    assert done.status == 3
    line = done.out.decode().splitlines()[-1]
    assert "message 0 differs" in line
    assert "recipient: ours nothing, theirs 'intent=preamble'" in line


def test_records_are_not_compared(run: Run) -> None:
    done = run("check", "--official", "--field", "text", stdin=b'{"text": "Hi"}')
    assert done.status == 2
    assert "--official compares a whole file; leave out --field" in done.err


def test_a_format_without_an_official_reader_is_an_error(run: Run, example: str) -> None:
    done = run("check", "--official", example)
    assert done.status == 2
    assert "ocm-2.2 has no official reader" in done.err


def test_reasoning_that_led_to_an_answer_is_left_out_and_reported_at_its_place(run: Run, tmp_path: Path) -> None:
    text = (
        b"<|start|>user<|message|>Q<|end|><|start|>assistant<|channel|>analysis<|message|>A<|end|>"
        b"<|start|>assistant<|channel|>final<|message|>F<|end|><|start|>user<|message|><|end|>"
        b"<|start|>assistant<|channel|>analysis<|message|>B<|end|>"
        b"<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}<|call|>"
    )
    report, side = tmp_path / "report.json", tmp_path / "side.json"
    options = ("-f", "harmony", "--drop-analysis", "final", "--verify", "-q")
    done = run("-t", "openai", *options, "--report", report, "--sidecar-out", side, stdin=text)
    assert done.status == 0
    roles = [(m["role"], m.get("reasoning")) for m in json.loads(done.out)["messages"]]
    assert roles == [("user", None), ("assistant", None), ("user", None), ("assistant", "B")]
    lost = [loss for loss in json.loads(report.read_bytes())["losses"] if loss["severity"] == "lost"]
    assert [(loss["code"], loss["path"]) for loss in lost] == [("thought", "/messages/1")]
    back = run("-f", "openai", "-t", "harmony", "--sidecar", side, "-q", stdin=done.out)
    assert back.out == text
