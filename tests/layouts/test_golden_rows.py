"""Rows of public datasets, and the conversations that a person reads in them: `golden/rows`, each with its source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import Transcript, read
from ocml_bridge.layouts import AUTO, PREVIEWS, Plan, read_row
from ocml_bridge.model import Message
from rows import speaker

ROOT = Path(__file__).parents[2] / "golden" / "rows"
PREVIEWED = {layout.name for layout in PREVIEWS}
FILES = sorted(ROOT.glob("*.json"))


def golden(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))


CASES = [(path.stem, case) for path in FILES for case in golden(path)["cases"]]


def contents_by_speaker(messages: tuple[Message, ...]) -> list[list[Any]]:
    """The speaker and the content of each message; of parts, their texts and addresses."""

    def content(message: Message) -> Any:
        if isinstance(message.content, str):
            return message.content
        return [getattr(part, "text", None) or getattr(part, "url", None) for part in message.content]

    return [[speaker(message), content(message)] for message in messages]


@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}-{at}" for at, (name, _) in enumerate(CASES)])
def test_a_public_row_is_the_conversation_that_a_person_reads(name: str, case: dict[str, Any]) -> None:
    found = read_row(Plan((AUTO,), preview=case["layout"] in PREVIEWED), case["row"])
    documents = [read(each.value, found.layout.format).transcript for each in found.documents]
    transcripts = [each for each in documents if isinstance(each, Transcript)]
    assert found.layout.name == case["layout"]
    assert [contents_by_speaker(each.messages) for each in transcripts] == case["conversations"]
    rejected = [contents_by_speaker(other.messages) for each in transcripts for other in each.alternatives or ()]
    assert rejected == case.get("rejected", [])
    assert [tool.name for tool in transcripts[0].tools or ()] == case.get("tools", [])
    assert [*found.extra_columns, *found.documents[0].extra_columns] == case["beside"]
    if "weights" in case:
        assert [[message.weight for message in each.messages] for each in transcripts] == case["weights"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_public_row_names_its_source(path: Path) -> None:
    assert "(" in golden(path)["source"]
