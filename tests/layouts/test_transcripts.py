"""Transcripts of voice agents, bots and interpreters, and results that several calls share.

* ElevenLabs: the answer of `GET /v1/convai/conversations/{conversation_id}` (elevenlabs-python,
  `ConversationHistoryTranscriptCommonModelOutput`).
* Vapi: `messages` of a call (vapi-client, `ToolCallMessage`, `ToolCallResultMessage`).
* Rasa: `rasa/shared/core/events.py`, the dumped tracker.
* Open Interpreter: `interpreter.messages` (its page on messages, LMC).
* AutoGen 0.2: `ConversableAgent.generate_tool_calls_reply`. ComplexFuncBench: its card.
"""

from __future__ import annotations

from typing import Any

import pytest

from layouts.row_pieces import WEATHER, RowCase, check_row, ids_of
from ocml_bridge.layouts import AUTO, Plan, read_row
from rows import Pair, as_pairs, conversations

ASKED: Pair = ("user", "Rome?")
CALLED: Pair = ("call weather", '{"city":"Rome"}')
ANSWERED: Pair = ("assistant", "20 degrees.")
WHOLE = [ASKED, CALLED, ("tool", "20"), ANSWERED]
FUNCTION = {"name": "weather", "arguments": '{"city":"Rome"}'}


def spoken(role: str, message: str | None, calls: Any = (), results: Any = ()) -> dict[str, Any]:
    return {
        "role": role,
        "message": message,
        "tool_calls": list(calls),
        "tool_results": list(results),
        "feedback": None,
        "time_in_call_secs": 0,
    }


ELEVENLABS = [
    spoken("agent", "Hello!"),
    spoken("user", "Rome?"),
    spoken(
        "agent",
        None,
        [
            {
                "type": "webhook",
                "request_id": "r1",
                "tool_name": "weather",
                "params_as_json": '{"city":"Rome"}',
                "tool_has_been_called": True,
            }
        ],
    ),
    spoken("agent", None, results=[{"request_id": "r1", "tool_name": "weather", "result_value": "20"}]),
    spoken("agent", "20 degrees."),
]


def timed(role: str, **members: Any) -> dict[str, Any]:
    return {"role": role, "time": 1700000000.0, "secondsFromStart": 1.5, **members}


VAPI = [
    timed("system", message="Be kind."),
    timed("bot", message="Hello!", endTime=1700000001.0, duration=900),
    timed("user", message="Rome?"),
    timed("tool_calls", message="", toolCalls=[{"id": "c", "type": "function", "function": FUNCTION}]),
    timed("tool_call_result", name="weather", result="20", toolCallId="c"),
    timed("bot", message="20 degrees."),
]
RASA = [
    {"event": "action", "timestamp": 1.0, "name": "action_session_start"},
    {"event": "session_started", "timestamp": 1.1},
    {"event": "user", "timestamp": 2.0, "text": "Rome?", "parse_data": {"intent": {"name": "ask"}}},
    {"event": "slot", "timestamp": 2.1, "name": "city", "value": "Rome"},
    {"event": "bot", "timestamp": 3.0, "text": "20 degrees.", "data": {"buttons": None}},
]
INTERPRETER = [
    {"role": "user", "type": "message", "content": "Count."},
    {"role": "assistant", "type": "message", "content": "I count."},
    {"role": "assistant", "type": "code", "format": "python", "content": "print(1)"},
    {"role": "computer", "type": "console", "format": "active_line", "content": "1"},
    {"role": "computer", "type": "console", "format": "output", "content": "1\n"},
    {"role": "assistant", "type": "message", "content": "One."},
]
AUTOGEN = [
    {"content": "Rome?", "role": "user", "name": "proxy"},
    {
        "content": None,
        "role": "assistant",
        "tool_calls": [{"id": at, "type": "function", "function": FUNCTION} for at in "ab"],
    },
    {
        "content": "20\n\n21",
        "role": "tool",
        "tool_responses": [
            {"tool_call_id": "b", "role": "tool", "content": "20"},
            {"tool_call_id": "a", "role": "tool", "content": "21"},
        ],
    },
    {"content": "20 degrees.", "role": "assistant"},
]
CALL = {"name": "weather", "arguments": {"city": "Rome"}}
COMPLEX = [
    {"role": "user", "content": "Rome?"},
    {"role": "assistant", "function_call": [CALL, CALL]},
    {"role": "observation", "content": [{"status": True, "data": 20}, {"status": False}]},
    {"role": "assistant", "function_call": [CALL]},
    {"role": "observation", "content": [{"status": True}]},
    {"role": "assistant", "content": "20 degrees."},
]

ROWS: list[RowCase] = [
    ("elevenlabs", {"agent_id": "a", "status": "done", "transcript": ELEVENLABS}, [("assistant", "Hello!"), *WHOLE]),
    ("vapi", {"id": "c", "messages": VAPI}, [("system", "Be kind."), ("assistant", "Hello!"), *WHOLE]),
    ("rasa", {"sender_id": "s", "slots": {}, "events": RASA}, [ASKED, ANSWERED]),
    (
        "open-interpreter",
        {"messages": INTERPRETER},
        [
            *(("user", "Count."), ("assistant", "I count."), ("call python", "print(1)")),
            *(("tool", "1\n"), ("assistant", "One.")),
        ],
    ),
    ("messages", {"messages": AUTOGEN}, [ASKED, CALLED, CALLED, ("tool", "20"), ("tool", "21"), ANSWERED]),
    (
        "messages",
        {"id": "Car-1", "conversations": COMPLEX, "functions": [WEATHER]},
        [
            *(ASKED, CALLED, CALLED, ("tool", '{"status":true,"data":20}'), ("tool", '{"status":false}')),
            *(CALLED, ("tool", '{"status":true}'), ANSWERED),
        ],
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids_of(ROWS))
def test_transcripts_are_the_conversations_that_a_person_reads(case: RowCase) -> None:
    check_row(*case)


def test_what_else_a_transcript_has_is_beside_it() -> None:
    found = read_row(Plan((AUTO,)), {"sender_id": "s", "events": RASA})
    assert found.extra_columns == {"sender_id": "s"}
    assert [each.get("name") for each in found.documents[0].extra_columns["nodes"]] == [
        *("action_session_start", None, None, "city", None)
    ]


def test_results_with_ids_answer_their_calls() -> None:
    [conversation] = conversations({"messages": AUTOGEN})
    assert [each.call_id for each in conversation.messages if each.call_id] == ["a", "b", "b", "a"]


@pytest.mark.parametrize(
    "reply",
    [
        {"role": "tool", "content": "another text", "tool_responses": [{"tool_call_id": "a", "content": "20"}]},
        {"role": "tool", "content": "20", "tool_responses": []},
        {"role": "tool", "content": [{"type": "text", "text": "20"}], "tool_call_id": "a"},
    ],
)
def test_a_result_of_one_call_is_one_message(reply: dict[str, Any]) -> None:
    [conversation] = conversations({"messages": [*AUTOGEN[:2], reply]})
    assert len(as_pairs(conversation.messages)) == 4


def test_several_results_for_another_number_of_calls_are_one() -> None:
    reply = {"role": "observation", "content": [{"status": True}, {"status": False}]}
    [conversation] = conversations({"conversations": [*COMPLEX[:1], COMPLEX[3], reply], "functions": [WEATHER]})
    assert as_pairs(conversation.messages)[-1] == ("tool", '[{"status":true},{"status":false}]')
