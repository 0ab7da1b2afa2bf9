"""Files of sessions through `batch --preview`: all lines of a file are one conversation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ocml_bridge.bulk.lookup import Filter, found, rows_of
from ocml_bridge.bulk.survey import propose

Run = Callable[..., int]
FIXED = {"isSidechain": False, "sessionId": "s"}
USER = {"role": "user", "content": "Hi"}
ANSWER = {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "Hello."}]}
SESSIONS: dict[str, list[Any]] = {
    "claude-code": [
        {"type": "summary", "summary": "x"},
        {**FIXED, "parentUuid": None, "type": "user", "uuid": "u", "message": USER},
        {**FIXED, "parentUuid": "u", "type": "assistant", "uuid": "a", "message": ANSWER},
    ],
    "codex": [
        {"type": "session_meta", "payload": {"id": "s"}},
        {"type": "response_item", "payload": {"type": "message", **USER}},
        {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": "Hello."}},
    ],
}


def lines(rows: list[Any]) -> str:
    return "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in rows)


@pytest.mark.parametrize("name", SESSIONS)
def test_a_file_of_a_session_is_one_conversation(name: str, batch: Run, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "lines.jsonl").write_text(lines([*SESSIONS[name], '{"type":"assis']))
    (data / "list.json").write_text(json.dumps(SESSIONS[name]))
    (data / "other.jsonl").write_text(lines([{"instruction": "Why?", "output": "Because."}]))
    out = tmp_path / "out"
    assert batch(data, "--preview", "-t", "openai", "-o", out, "--ledger", "jsonl") == 0
    for file in ("lines", "list"):
        [written] = [json.loads(line) for line in (out / f"{file}.jsonl").read_text().splitlines()]
        assert [message["content"] for message in written["messages"]] == ["Hi", "Hello."]
        assert written["session"]
    assert json.loads((out / "other.jsonl").read_text())["messages"][0]["content"] == "Why?"


def test_the_ledger_shows_a_session_whole(batch: Run, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(SESSIONS["codex"]))
    assert batch(tmp_path / "a.jsonl", "--preview", "-t", "openai", "-o", tmp_path / "out", "--ledger", "jsonl") == 0
    [shown] = found(list(rows_of(str(tmp_path / "out"), Filter())), str(tmp_path / "out"))
    assert json.loads(shown.before or "") == SESSIONS["codex"]


def test_a_proposed_plan_of_a_preview_names_the_preview(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(SESSIONS["codex"]))
    assert yaml.safe_load(propose([str(tmp_path / "a.jsonl")], 10, preview=True)) == {
        "layout": "codex",
        "preview": True,
    }
    assert yaml.safe_load(propose([str(tmp_path / "a.jsonl")], 10)) == {"layout": "auto"}


def test_previews_are_for_rows(batch: Run, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    assert batch(tmp_path / "a.jsonl", "--preview", "-f", "openai", "-t", "openai", "-o", tmp_path / "out") == 2
