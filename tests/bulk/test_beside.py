"""What stands beside a conversation travels with it, and is no loss; what belongs to it is one as ever."""

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
    """The lines that come of a line, and the report."""

    def convert(line: str, *options: str, status: int = ExitCode.OK) -> tuple[list[str], dict[str, Any]]:
        (tmp_path / "a.jsonl").write_text(line + "\n")
        report = tmp_path / "report.json"
        args = ("-f", "openai", *options, tmp_path / "a.jsonl", "-o", tmp_path / "out", "--report", report)
        assert batch(*args) == status
        return (tmp_path / "out" / "a.jsonl").read_text().splitlines(), json.loads(report.read_bytes())

    return convert


def test_an_id_stands_beside_a_text_as_it_was_spelled(converted: Any) -> None:
    lines, report = converted(f'{{"id":7.10,"messages":{MESSAGES},"meta":{{"a": [1]}}}}', "-t", "harmony", "--strict")
    assert lines == ['{"id":7.10,"meta":{"a": [1]},"text":"<|start|>user<|message|>Hi<|end|>"}']
    assert report["outcomes"]["converted"] == 1


def test_an_id_stands_beside_a_document_in_json(converted: Any) -> None:
    lines, report = converted(f'{{"id":7,"messages":{MESSAGES}}}', "-t", "anthropic")
    assert lines == [f'{{"id":7,"messages":{MESSAGES}}}']
    assert report["outcomes"]["converted"] == 1


def test_what_a_message_loses_is_lost(converted: Any) -> None:
    _, report = converted(
        '{"id":7,"messages":[{"role":"user","content":"Hi","name":"bob","weird":1}]}', "-t", "harmony"
    )
    assert {code: entry["records"] for code, entry in report["losses"].items() if code != "layout"} == {
        "name": 1,
        "extras": 1,
    }


def test_without_a_place_beside_it_is_a_loss(converted: Any) -> None:
    line = f'{{"id":7,"messages":{MESSAGES}}}'
    assert converted(line, "-t", "harmony", "--bare")[1]["outcomes"]["lossy"] == 1


def test_a_text_of_the_record_gives_way_to_no_other_text(converted: Any, tmp_path: Path) -> None:
    """It would stand under the name that the output has."""
    line = f'{{"text":"a title","messages":{MESSAGES}}}'
    lines, report = converted(line, "-t", "harmony")
    assert lines == ['{"text":"<|start|>user<|message|>Hi<|end|>"}']
    assert report["losses"]["extras"]["records"] == 1


def test_what_is_refused_and_travels_is_not_refused(converted: Any) -> None:
    line = f'{{"id":7,"messages":{MESSAGES}}}'
    assert converted(line, "-t", "harmony", "--refuse", "extras")[1]["outcomes"]["converted"] == 1
    quarantined = converted(line, "-t", "harmony", "--refuse", "extras", "--bare", status=ExitCode.SOME_FAILED)[1]
    assert quarantined["errors"]["OCB-LOSS"]["records"] == 1


def test_a_number_is_spelled_as_it_was_wherever_its_name_stands(converted: Any) -> None:
    """A name may stand below others as well, or be escaped at the top."""
    plain, nested, escaped = "0.70", '1.50,"meta":{"score":2}', "1e3"
    for name, value in (("score", plain), ("score", nested), ("sco\\u0072e", escaped)):
        lines, _ = converted(f'{{"{name}":{value},"messages":{MESSAGES}}}', "-t", "harmony", "--overwrite")
        assert lines[0].startswith(f'{{"score":{value},'), lines


def test_what_stands_beside_in_json_that_was_mended_is_a_loss(converted: Any) -> None:
    """Its members have no text of their own."""
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
def test_a_member_is_carried_before_and_behind_the_messages(converted: Any, member: str) -> None:
    """Alike in value wherever it stands; numbers, lists and objects are spelled as they were."""
    value = member.split(":", 1)[1].strip()
    for line in (f'{{{member},"messages":{MESSAGES}}}', f'{{"messages":{MESSAGES}, {member} }}'):
        lines, report = converted(line, "-t", "harmony", "--overwrite")
        assert json.loads(lines[0])["note"] == json.loads(value)
        assert report["outcomes"]["converted"] == 1
        if not value.startswith('"'):
            assert lines[0].startswith(f'{{"note":{value},')


def test_a_member_of_a_message_is_not_taken_for_one_beside_it(converted: Any) -> None:
    line = '{"messages":[{"role":"user","content":"Hi","score":2.50}],"score":2.5}'
    lines, report = converted(line, "-t", "harmony")
    assert lines[0].startswith('{"score":2.5,')
    assert report["losses"]["extras"]["places"] == 1
