"""A recorded stream that is read and written again is what the API has sent, but for what a table names."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from ocml_bridge import decoder, encoder
from ocml_bridge.chat.visibility import DEBUG
from stream_pieces import events_in
from wire_facts import Recorded, recorded

FOLDERS = {
    "anthropic-sse": "anthropic",
    "bedrock-converse": "bedrock",
    "gemini-sse": "google",
    "openai-responses-sse": "responses",
    "openai-sse": "chat-completions",
}
OF_TOOLS = "toolUsePromptTokenCount"
NOT_PASSED_ON: dict[str, frozenset[str]] = {
    "anthropic-sse": frozenset(
        {
            *("cache_creation", "cache_creation_input_tokens", "cache_read_input_tokens"),
            *("context_management", "inference_geo", "service_tier", "stop_details"),
        }
    ),
    "bedrock-converse": frozenset({"latencyMs"}),
    "gemini-sse": frozenset(
        {
            *("candidatesTokensDetails", "promptTokensDetails", "serviceTier", OF_TOOLS),
            *("finishMessage", "groundingMetadata", "toolUsePromptTokensDetails", "urlContextMetadata"),
        }
    ),
    "openai-responses-sse": frozenset(
        {
            *("input_tokens_details", "logprobs", "obfuscation", "phase", "sequence_number"),
            *("encrypted_content",),  # it is so each time anew
        }
    ),
    "openai-sse": frozenset({"logprobs", "obfuscation", "refusal", "service_tier", "system_fingerprint"}),
}
"""Stream → members that are no part of the conversation, or that come otherwise and mean the same."""
OF_A_RESPONSE = frozenset({"id", "object", "created_at", "status", "incomplete_details", "model", "output", "usage"})
"""The members of a response that are compared; others repeat the request."""


def sent(stream: str, event: Any) -> str:
    text = json.dumps(event)
    return f"{text}\n" if stream == "bedrock-converse" else f"data: {text}\n\n"


def passed_on(stream: str, events: list[Any]) -> list[Any]:
    reader, writer = decoder(stream), encoder(stream, visibility=DEBUG)
    out = [piece for event in events for piece in writer.encode(reader.feed(sent(stream, event)))]
    return events_in(b"".join([*out, *writer.encode(reader.finish()), *writer.finish()]))


def compared(stream: str, value: Any) -> Any:
    """The members of an event that have to be passed on."""
    if isinstance(value, list):
        return [compared(stream, item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    if members.get("object") == "response":
        members = {key: member for key, member in members.items() if key in OF_A_RESPONSE and member is not None}
    if OF_TOOLS in members:  # such tokens of the prompt are among its others
        members = {**members, "promptTokenCount": members["promptTokenCount"] + members[OF_TOOLS]}
    if members.get("type") == "reasoning":  # an empty list of texts and the status have no contents
        members = {key: member for key, member in members.items() if key != "status" and member != []}
    return {key: compared(stream, member) for key, member in members.items() if key not in NOT_PASSED_ON[stream]}


# --- each event -------------------------------------------------------------------------------------------------------


def of_anthropic(events: list[Any]) -> list[Any]:
    """Its events, the arguments of a call as one value, without numbers of tokens that are sent too early."""
    kept: list[Any] = []
    arguments = ""
    for event in events:
        if "partial_json" in event.get("delta", {}):
            arguments += event["delta"]["partial_json"]
            continue
        if arguments:
            kept.append(json.loads(arguments))
            arguments = ""
        if event["type"] == "message_start":
            message = event["message"]
            event = {**event, "message": {key: member for key, member in message.items() if key != "usage"}}
        kept.append(event)
    return kept


def of_responses(events: list[Any]) -> list[Any]:
    """Its events item by item, as the end of an item may be sent later."""
    kept: list[Any] = []
    for event in events:
        kind, item = event["type"], dict(event.get("item", {}))
        if kind.endswith(".added"):
            item.pop("status", None)
        own = {key: member for key, member in event.items() if (kind, key) != (_ARGUMENTS, "name")}
        kept.append({**own, "item": item})
    last = len(events)
    places = {"response.created": -2, "response.in_progress": -1}
    return sorted(kept, key=lambda event: event.get("output_index", places.get(event["type"], last)))


_ARGUMENTS = "response.function_call_arguments.done"


def of_gemini(events: list[Any]) -> list[Any]:
    """The answer of all chunks together: parts, the signatures of texts by themselves behind them; the last numbers."""
    parts: list[Any] = []
    signatures: list[Any] = []
    around: dict[str, Any] = {}
    for event in events:
        for candidate in event.get("candidates", []):
            for part in candidate.get("content", {}).get("parts", []):
                is_text = "text" in part and "thought" not in part
                signatures += [part["thoughtSignature"]] if is_text and "thoughtSignature" in part else []
                parts += ([{"text": part["text"]}] if part["text"] else []) if is_text else [part]
            around |= {key: member for key, member in candidate.items() if key != "content"}
        around |= {key: member for key, member in event.items() if key != "candidates"}
    return [*parts, *signatures, around]


EVENTS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "anthropic-sse": of_anthropic,
    "gemini-sse": of_gemini,
    "openai-responses-sse": of_responses,
}
OTHERWISE = {
    ("anthropic-sse", "fableTemperatureParam"): "a thought of nothing but a signature has it from the start",
    ("openai-responses-sse", "responsesProgrammaticToolCallingToolsParam"): "the API's own items are not passed on",
    ("openai-responses-sse", "codeInterpreterToolParam"): "a call of a server's tool is sent when it is complete",
}
CASES = [
    pytest.param(stream, case, id=f"{stream}-{case.case}-{at}")
    for stream, folder in FOLDERS.items()
    for at, case in enumerate(recorded(folder, streams=True))
    if (stream, case.case) not in OTHERWISE and len(case.data) < 200_000
]


@pytest.mark.parametrize(("stream", "case"), CASES)
def test_a_stream_is_passed_on_as_it_came(stream: str, case: Recorded) -> None:
    given: list[Any] = case.value if case.data.lstrip().startswith(b"[") else [case.value]
    before, after = (EVENTS.get(stream, list)(compared(stream, events)) for events in (given, passed_on(stream, given)))
    assert after == before
