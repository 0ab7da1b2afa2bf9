"""A member that nobody knows, at any level of a recorded document or stream, comes back, or is named."""

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


def _hold(wire: str, count: int, seed: int) -> None:
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
def test_a_member_that_nobody_knows_comes_back_and_is_named_elsewhere(wire: str) -> None:
    _hold(wire, 40, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("wire", FOLDERS)
def test_many_members_that_nobody_knows_come_back_and_are_named_elsewhere(wire: str) -> None:
    _hold(wire, 5000, seed=2)


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
"""Wire → a request that declares one tool."""


@pytest.mark.parametrize("wire", DECLARING)
def test_a_tool_with_a_member_that_nobody_knows_is_a_tool_all_the_same(wire: str) -> None:
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
SAID_LAST = frozenset({"usageMetadata"})
"""What each chunk says anew: it counts as it was said last."""
PASSED_OVER = frozenset({"in_progress", "interpreting", "completed", "searching"})
"""How calls of the server's tools go on; the item says it in the end."""


def _sent(wire: str, events: list[Any]) -> str:
    if wire == "bedrock-converse":
        return "".join(json.dumps(event) + "\n" for event in events)
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events)


def _hold_streams(wire: str, count: int, seed: int) -> None:
    chance = Random(seed)
    cases = [case for case in recorded(FOLDERS[wire], streams=True) if len(case.data) < 40_000]
    for _ in range(count):
        case = chance.choice(cases)
        events: list[Any] = case.value
        at = chance.randrange(len(events))
        place, changed = chance.choice(list(injected(events[at])))
        kind = str(events[at].get("type", ""))
        of_a_tool = "_call" in kind and kind.rpartition(".")[2] in PASSED_OVER
        if of_a_tool or kind == "ping" or not SAID_LAST.isdisjoint(place.split("/")) or place.endswith("block/input"):
            continue
        reader = decoder(STREAMS[wire])
        told = [*reader.feed(_sent(wire, [*events[:at], changed, *events[at + 1 :]])), *reader.finish()]
        stop = told[-1]
        assert isinstance(stop, Stop)
        back = json.dumps(write(stop.document, wire, policy=LENIENT).output)
        named = any("x_unknown" in event.detail for event in told if isinstance(event, Finding))
        assert named or "x_unknown" in back, f"{case.case}/{case.kind}/{at}/{place}"


@pytest.mark.parametrize("wire", STREAMS)
def test_a_member_of_an_event_that_nobody_knows_comes_back_or_is_named(wire: str) -> None:
    _hold_streams(wire, 20, seed=3)


@pytest.mark.long
@pytest.mark.parametrize("wire", STREAMS)
def test_many_members_of_events_that_nobody_knows_come_back_or_are_named(wire: str) -> None:
    _hold_streams(wire, 1500, seed=4)
