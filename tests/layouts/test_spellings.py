"""One conversation in the spellings of many datasets: `plan` proposes a plan that reads it in each of them.

The spellings are those of the datasets and trainers that docs/layouts.md names: keys of a turn, words for roles,
columns, calls beside a text, as a turn or in tags, tools as a list or as text, thoughts beside a text or in tags. Each
two of them are combined.
"""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any, Final

import pytest
import yaml

from ocml_bridge.layouts import plan_of
from ocml_bridge.layouts.propose import Survey, proposal
from rows import as_pairs, conversations

ARGUMENTS: Final = {"city": "Rome"}
CALL: Final = {"name": "weather", "arguments": ARGUMENTS}
SCHEMA: Final = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOL: Final[dict[str, Any]] = {"name": "weather", "description": "Of a city.", "parameters": SCHEMA}
WRAPPED: Final = {"type": "function", "function": TOOL}
TAGGED: Final = f"<tool_call>\n{json.dumps(CALL)}\n</tool_call>"
SPELLINGS: Final[dict[str, tuple[Any, ...]]] = {
    "keys": (
        *(("role", "content"), ("from", "value"), ("speaker", "text"), ("author", "content"), ("sender", "message")),
        *(("role", "text"), ("from", "content"), ("role", "value"), ("speaker", "utterance")),
    ),
    "column": (
        *("messages", "conversations", "conversation", "dialog", "dialogue", "history", "trajectory", "chat", "turns"),
        *("transcript", "items", "chat_history", "message_list", "data"),
    ),
    "roles": (
        ("system", "user", "assistant", "tool"),
        ("system", "human", "gpt", "observation"),
        ("system", "human", "bot", "function_response"),
        ("system", "user", "model", "function"),
        ("System", "User", "Assistant", "Tool"),
        ("SYSTEM", "USER", "CHATBOT", "TOOL"),
        ("system", "human", "assistant", "tool_response"),
        ("system", "user", "agent", "tool-result"),
    ),
    "call": ("tool_calls", "none", "objects", "bare", "json", "function_call", "turn", "tag", "text and tag"),
    "tools": (
        {"tools": [WRAPPED]},
        {},
        {"tools": [TOOL]},
        {"tools": json.dumps([WRAPPED])},
        {"functions": [TOOL]},
        {"tools": [{"name": "weather", "description": "Of a city.", "inputSchema": SCHEMA}]},
        {"tools": [json.dumps(WRAPPED)]},
    ),
    "system": ("message", "none", "column", "null", "empty"),
    "thought": ("none", "reasoning_content", "thinking", "tag"),
    "form": ("plain", "with nulls", "json"),
}
"""The spellings of each aspect; the first one is that of Chat Completions."""


def spelled(keys: Any, roles: Any, call: str, system: str, thought: str) -> list[dict[str, Any]]:
    """The messages of the conversation."""
    (role, text), (of_system, user, assistant, tool) = keys, roles

    def turn(word: str, words: str | None, **members: Any) -> dict[str, Any]:
        return {role: word, text: words, **members}

    of_call: dict[str, list[dict[str, Any]]] = {
        "none": [],
        "tool_calls": [turn(assistant, "", tool_calls=[_function("c", json.dumps(ARGUMENTS))])],
        "objects": [turn(assistant, None, tool_calls=[_function("c", ARGUMENTS)])],
        "bare": [turn(assistant, "", tool_calls=[CALL])],
        "json": [turn(assistant, "", tool_calls=json.dumps([_function("c", json.dumps(ARGUMENTS))]))],
        "function_call": [turn(assistant, None, function_call={"name": "weather", "arguments": json.dumps(ARGUMENTS)})],
        "turn": [turn("function_call", json.dumps(CALL))],
        "tag": [turn(assistant, TAGGED)],
        "text and tag": [turn(assistant, f"I look.\n{TAGGED}")],
    }
    in_tags = "tag" in call and tool != "tool"
    named = {"name": "weather"} if call == "function_call" or tool == "function" else {}
    answered = {"tool_call_id": "c"} if tool == "tool" and call in ("tool_calls", "objects", "json") else {}
    result = turn(tool, "<tool_response>\n20\n</tool_response>" if in_tags else "20", **named, **answered)
    beside = {thought: "Hm."} if thought in ("reasoning_content", "thinking") else {}
    answer = "<think>\nHm.\n</think>\n\n20 degrees." if thought == "tag" else "20 degrees."
    return [
        *([turn(of_system, "Be kind.")] if system == "message" else []),
        turn(user, "Rome?"),
        *([*of_call[call], result] if of_call[call] else []),
        turn(assistant, answer, **beside),
        *(turn(user, "Thanks."), turn(assistant, "Well.")),
    ]


def _function(identity: str, arguments: Any) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": "weather", "arguments": arguments}}


def row_of(spelling: dict[str, Any]) -> dict[str, Any]:
    """The conversation as a row in some spelling."""
    messages = spelled(*(spelling[name] for name in ("keys", "roles", "call", "system", "thought")))
    if spelling["form"] == "with nulls":
        names = {name: None for each in messages for name in each}
        messages = [{**names, **each} for each in messages]
    system = {"column": {"system": "Be kind."}, "null": {"system": None}, "empty": {"system": ""}}
    value = json.dumps(messages) if spelling["form"] == "json" else messages
    return {"id": 7, spelling["column"]: value, **system.get(spelling["system"], {}), **spelling["tools"]}


def expected(spelling: dict[str, Any]) -> list[tuple[str, str]]:
    """The conversation as a person reads it."""
    call = [("call weather", json.dumps(ARGUMENTS)), ("tool", "20")]
    return [
        *([("system", "Be kind.")] if spelling["system"] in ("message", "column") else []),
        ("user", "Rome?"),
        *([("assistant", "I look.")] if spelling["call"] == "text and tag" else []),
        *([] if spelling["call"] == "none" else call),
        *([] if spelling["thought"] == "none" else [("thought", "Hm.")]),
        *(("assistant", "20 degrees."), ("user", "Thanks."), ("assistant", "Well.")),
    ]


def read_by_proposal(row: dict[str, Any]) -> tuple[list[tuple[str, str]], list[str]]:
    """The messages and the names of the tools that the proposed plan reads."""
    survey = Survey()
    survey.look(row)
    [conversation] = conversations(row, plan_of(yaml.safe_load(proposal(survey, []))))
    pairs = [
        (who, json.dumps(json.loads(what)) if who.startswith("call") else what)
        for who, what in as_pairs(conversation.messages)
    ]
    return [each for each in pairs if each != ("assistant", "")], [tool.name for tool in conversation.tools or ()]


@pytest.mark.parametrize(("one", "other"), [*combinations(SPELLINGS, 2)])
def test_the_proposed_plan_reads_a_conversation_in_any_spelling(one: str, other: str) -> None:
    for first in SPELLINGS[one]:
        for second in SPELLINGS[other]:
            spelling = {**{name: each[0] for name, each in SPELLINGS.items()}, one: first, other: second}
            messages, tools = read_by_proposal(row_of(spelling))
            assert messages == expected(spelling), spelling
            assert tools == (["weather"] if spelling["tools"] else []), spelling
