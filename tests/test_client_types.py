"""Outputs for an API match the types of its official client; a client would not send other documents.

Differences with a reason in `client_types.REASONS` are counted on the conformance page.
"""

from __future__ import annotations

from typing import Any

import pytest

from client_types import faults, reason, unexplained
from ocml_bridge import convert
from wire_facts import FOLDERS, recorded


def test_an_empty_description_of_a_tool_is_left_out_if_the_api_refuses_it() -> None:
    tool = {"type": "function", "function": {"name": "ping", "description": "", "parameters": {"type": "object"}}}
    request: dict[str, Any] = {"messages": [{"role": "user", "content": "Who?"}], "tools": [tool]}
    result = convert(request, source="openai", target="bedrock-converse")
    assert faults("bedrock-converse", result.output) == []
    assert [(loss.path, loss.severity) for loss in result.losses] == [("/tools/0/description", "layout")]


@pytest.mark.parametrize(
    ("wire", "document", "fault"),
    [
        ("openai", {"messages": [{"role": "assistant", "tool_calls": [{"id": "1"}]}]}, "function missing"),
        ("openai", {"messages": [], "response_format": {"type": "json_schema"}}, "request: response_format."),
        ("openai-responses", {"input": [{"type": "function_call", "name": "f", "call_id": "1"}]}, "arguments missing"),
        ("anthropic", {"messages": [{"role": "user"}]}, "content missing"),
        ("gemini", {"contents": [], "generationConfig": {"thinkingConfig": {"thinkingLevel": "X"}}}, "generationConf"),
        ("bedrock-converse", {"messages": [{"role": "user"}]}, "Missing required parameter"),
    ],
)
def test_the_types_refuse_invalid_documents(wire: str, document: Any, fault: str) -> None:
    [found] = faults(wire, document)
    assert fault in found
    assert reason(found) is None


def _unexplained(wire: str, *, every: int) -> list[tuple[str, str, str, str]]:
    return [
        (each.case, each.kind, other, fault)
        for each in recorded(FOLDERS[wire])[::every]
        for other in FOLDERS
        if other != wire
        for fault in unexplained(each.data, wire, other)
    ]


@pytest.mark.parametrize("wire", FOLDERS)
def test_outputs_for_recorded_documents_match_the_types(wire: str) -> None:
    assert _unexplained(wire, every=40) == []


@pytest.mark.long
@pytest.mark.parametrize("wire", FOLDERS)
def test_outputs_for_every_recorded_document_match_the_types(wire: str) -> None:
    assert _unexplained(wire, every=1) == []
