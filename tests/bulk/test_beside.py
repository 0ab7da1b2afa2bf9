"""Other fields of a record are carried along and are not lost; what is lost inside of a conversation is reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.errors import ExitCode

Batch = Callable[..., int]
MESSAGES = '[{"role":"user","content":"Hi"}]'


@pytest.fixture
def converted(batch: Batch, tmp_path: Path) -> Callable[..., tuple[list[str], dict[str, Any]]]:
    """Convert one line; returns the lines of the output, and the report."""

    def convert(line: str, *options: str, status: int = ExitCode.OK) -> tuple[list[str], dict[str, Any]]:
        (tmp_path / "a.jsonl").write_text(line + "\n")
        report = tmp_path / "report.json"
        args = ("-f", "openai", *options, tmp_path / "a.jsonl", "-o", tmp_path / "out", "--report", report)
        assert batch(*args) == status
        return (tmp_path / "out" / "a.jsonl").read_text().splitlines(), json.loads(report.read_bytes())

    return convert


def test_an_id_keeps_its_spelling_next_to_a_text(converted: Any) -> None:
    lines, report = converted(f'{{"id":7.10,"messages":{MESSAGES},"meta":{{"a": [1]}}}}', "-t", "harmony", "--strict")
    assert lines == ['{"id":7.10,"meta":{"a": [1]},"text":"<|start|>user<|message|>Hi<|end|>"}']
    assert report["outcomes"]["converted"] == 1


def test_an_id_is_a_member_of_a_json_document(converted: Any) -> None:
    lines, report = converted(f'{{"id":7,"messages":{MESSAGES}}}', "-t", "anthropic")
    assert lines == [f'{{"id":7,"messages":{MESSAGES}}}']
    assert report["outcomes"]["converted"] == 1


def test_a_loss_inside_of_a_message_is_reported(converted: Any) -> None:
    _, report = converted(
        '{"id":7,"messages":[{"role":"user","content":"Hi","name":"bob","weird":1}]}', "-t", "harmony"
    )
    assert {code: entry["records"] for code, entry in report["losses"].items() if code != "layout"} == {
        "name": 1,
        "extras": 1,
    }


def test_an_id_is_lost_with_the_option_bare(converted: Any) -> None:
    line = f'{{"id":7,"messages":{MESSAGES}}}'
    assert converted(line, "-t", "harmony", "--bare")[1]["outcomes"]["lossy"] == 1


def test_a_field_with_the_name_of_the_output_is_lost(converted: Any, tmp_path: Path) -> None:
    """The text of the output has the same name."""
    line = f'{{"text":"a title","messages":{MESSAGES}}}'
    lines, report = converted(line, "-t", "harmony")
    assert lines == ['{"text":"<|start|>user<|message|>Hi<|end|>"}']
    assert report["losses"]["extras"]["records"] == 1


def test_a_refused_class_does_not_refuse_fields_that_are_carried_along(converted: Any) -> None:
    line = f'{{"id":7,"messages":{MESSAGES}}}'
    assert converted(line, "-t", "harmony", "--refuse", "extras")[1]["outcomes"]["converted"] == 1
    quarantined = converted(line, "-t", "harmony", "--refuse", "extras", "--bare", status=ExitCode.SOME_FAILED)[1]
    assert quarantined["errors"]["OCB-LOSS"]["records"] == 1


def test_a_number_keeps_its_spelling_wherever_its_name_occurs(converted: Any) -> None:
    """The name may also occur in a nested object, or be escaped at the top."""
    plain, nested, escaped = "0.70", '1.50,"meta":{"score":2}', "1e3"
    for name, value in (("score", plain), ("score", nested), ("sco\\u0072e", escaped)):
        lines, _ = converted(f'{{"{name}":{value},"messages":{MESSAGES}}}', "-t", "harmony", "--overwrite")
        assert lines[0].startswith(f'{{"score":{value},'), lines


def test_fields_of_repaired_json_are_lost(converted: Any) -> None:
    """Members of repaired JSON have no raw text that could be copied."""
    lines, report = converted(f'{{"id":7, /* seven */ "messages":{MESSAGES}}}', "-t", "harmony")
    assert lines == ['{"text":"<|start|>user<|message|>Hi<|end|>"}']
    assert report["losses"]["extras"]["records"] == 1


@pytest.mark.parametrize(
    "member",
    [
        '"note":"caf\\u00e9 \\"x\\""',
        '"note": -1.50e2',
        '"note":  {"a":[1,2]}',
        '"note": {"a": [1, 2.50]}',
        '"note":{"a":[1,  2]}',
        '"note": true',
    ],
)
def test_a_field_before_or_after_the_messages_is_carried_along(converted: Any, member: str) -> None:
    """The value is the same; numbers, lists and objects keep their spelling."""
    value = member.split(":", 1)[1].strip()
    for line in (f'{{{member},"messages":{MESSAGES}}}', f'{{"messages":{MESSAGES}, {member} }}'):
        lines, report = converted(line, "-t", "harmony", "--overwrite")
        assert json.loads(lines[0])["note"] == json.loads(value)
        assert report["outcomes"]["converted"] == 1
        if not value.startswith('"'):
            assert lines[0].startswith(f'{{"note":{value},')


def test_a_field_is_not_confused_with_a_member_of_a_message(converted: Any) -> None:
    line = '{"messages":[{"role":"user","content":"Hi","score":2.50}],"score":2.5}'
    lines, report = converted(line, "-t", "harmony")
    assert lines[0].startswith('{"score":2.5,')
    assert report["losses"]["extras"]["places"] == 1
