"""An unknown member at any level of a recorded document or stream is restored or reported."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from ocml_bridge import Severity, Transcript, convert, read, write
from ocml_bridge.events import Stop
from ocml_bridge.loss import Finding
from ocml_bridge.pipe import decoder
from ocml_bridge.report.policy import LENIENT
from wire_facts import injected, recorded

FOLDERS = {
    "openai": "chat-completions",
    "openai-responses": "responses",
    "anthropic": "anthropic",
    "gemini": "google",
    "bedrock-converse": "bedrock",
}


def _check_documents(wire: str, count: int, seed: int) -> None:
    chance = Random(seed)
    cases = [case for case in recorded(FOLDERS[wire]) if len(case.data) < 40_000]
    for _ in range(count):
        case = chance.choice(cases)
        place, changed = chance.choice(list(injected(case.value)))
        label = f"{case.case}/{case.kind}/{place}"
        back = write(read(json.dumps(changed), wire).transcript, wire, policy=LENIENT)
        assert json.dumps(back.output) == json.dumps(changed), label
        other = chance.choice([each for each in FOLDERS if each != wire])
        there = convert(changed, source=wire, target=other, policy=LENIENT)
        if "x_unknown" not in json.dumps(there.output):
            assert [loss for loss in there.losses if loss.severity is not Severity.LAYOUT], (label, other)


@pytest.mark.parametrize("wire", FOLDERS)
def test_an_unknown_member_is_restored_and_reported_in_other_formats(wire: str) -> None:
    _check_documents(wire, 40, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("wire", FOLDERS)
def test_many_unknown_members_are_restored_and_reported_in_other_formats(wire: str) -> None:
    _check_documents(wire, 5000, seed=2)


SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
DECLARING: dict[str, dict[str, Any]] = {
    "openai": {
        "messages": [],
        "tools": [{"type": "function", "function": {"name": "f", "description": "D.", "parameters": SCHEMA}}],
    },
    "openai-responses": {
        "input": [],
        "tools": [{"type": "function", "name": "f", "description": "D.", "parameters": SCHEMA}],
    },
    "anthropic": {"messages": [], "tools": [{"name": "f", "description": "D.", "input_schema": SCHEMA}]},
    "gemini": {
        "contents": [],
        "tools": [{"functionDeclarations": [{"name": "f", "description": "D.", "parametersJsonSchema": SCHEMA}]}],
    },
    "bedrock-converse": {
        "messages": [],
        "toolConfig": {"tools": [{"toolSpec": {"name": "f", "description": "D.", "inputSchema": {"json": SCHEMA}}}]},
    },
}
"""Wire → a request with one declared tool."""


@pytest.mark.parametrize("wire", DECLARING)
def test_a_tool_with_an_unknown_member_is_read_as_a_tool(wire: str) -> None:
    for place, changed in injected(DECLARING[wire]):
        transcript = read(changed, wire).transcript
        assert isinstance(transcript, Transcript)
        assert [(tool.name, tool.description) for tool in transcript.tools or ()] == [("f", "D.")], place
        assert write(transcript, wire).output == changed, place


# --- streams ----------------------------------------------------------------------------------------------------------

STREAMS = {
    "openai": "openai-sse",
    "openai-responses": "openai-responses-sse",
    "anthropic": "anthropic-sse",
    "gemini": "gemini-sse",
    "bedrock-converse": "bedrock-converse",
}
REPEATED = frozenset({"usageMetadata"})
"""Members that each chunk repeats: the last one counts."""
PASSED_OVER = frozenset({"in_progress", "interpreting", "completed", "searching"})
"""Events on the progress of calls of the server's tools, whose result is in the item at the end."""


def _sent(wire: str, events: list[Any]) -> str:
    if wire == "bedrock-converse":
        return "".join(json.dumps(event) + "\n" for event in events)
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events)


def _check_streams(wire: str, count: int, seed: int) -> None:
    chance = Random(seed)
    cases = [case for case in recorded(FOLDERS[wire], streams=True) if len(case.data) < 40_000]
    for _ in range(count):
        case = chance.choice(cases)
        events: list[Any] = case.value
        at = chance.randrange(len(events))
        place, changed = chance.choice(list(injected(events[at])))
        kind = str(events[at].get("type", ""))
        of_a_tool = "_call" in kind and kind.rpartition(".")[2] in PASSED_OVER
        if of_a_tool or kind == "ping" or not REPEATED.isdisjoint(place.split("/")) or place.endswith("block/input"):
            continue
        reader = decoder(STREAMS[wire])
        decoded = [*reader.feed(_sent(wire, [*events[:at], changed, *events[at + 1 :]])), *reader.finish()]
        stop = decoded[-1]
        assert isinstance(stop, Stop)
        back = json.dumps(write(stop.document, wire, policy=LENIENT).output)
        named = any("x_unknown" in event.detail for event in decoded if isinstance(event, Finding))
        assert named or "x_unknown" in back, f"{case.case}/{case.kind}/{at}/{place}"


@pytest.mark.parametrize("wire", STREAMS)
def test_an_unknown_member_of_an_event_is_restored_or_reported(wire: str) -> None:
    _check_streams(wire, 20, seed=3)


@pytest.mark.long
@pytest.mark.parametrize("wire", STREAMS)
def test_many_unknown_members_of_events_are_restored_or_reported(wire: str) -> None:
    _check_streams(wire, 1500, seed=4)
