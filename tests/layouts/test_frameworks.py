"""Messages as frameworks of agents store them; the rows follow the types of each framework and its documentation.

* Vercel's AI SDK: `packages/ai/src/ui/ui-messages.ts` (5 and 6), and its page on persistence of messages.
* Pydantic AI: `pydantic_ai_slim/pydantic_ai/messages.py`, and its page on messages and chat history.
* Agent Development Kit: `google/adk/events/event.py` and `sessions/session.py`; its server's answers, in camel case.
* LlamaIndex: `llama_index/core/base/llms/types.py`. Haystack: `haystack/dataclasses/chat_message.py`.
* Semantic Kernel: `semantic_kernel/contents/chat_history.py`. Microsoft.Extensions.AI: `Contents/AIContent.cs`.
* Genkit: `genkit-tools/genkit-schema.json`.
* Gemini CLI: `packages/core/src/services/chatRecordingService.ts`.
* AutoGen: `autogen_agentchat/messages.py`, and `autogen_core/models/_types.py` for the context of a model.
* Mastra: `packages/core/src/agent/message-list`. Letta: `letta/schemas/letta_message.py`. Jan: `thread.message`.
* Mistral: its API's conversations. Assistants: the answer of `GET /threads/{thread_id}/messages`.
* Spring AI: `spring-ai-model`, `messages`. LangChain4j: `ChatMessageSerializer`.
* LangChain: `langchain_core/messages/content.py`; LangGraph: the answer of `GET /threads/{thread_id}/state`.
* OpenHands: `openhands-sdk/openhands/sdk/event/llm_convertible` of its SDK.
* Strands: `strands/types/session.py`; Continue: `core/index.d.ts`, `ChatHistoryItem`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from ocml_bridge import BridgeError, convert
from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.model import Foreign, Media
from rows import Pair, as_pairs, conversations

PNG = "data:image/png;base64,iVBORw0KGgo="
ASKED: Pair = ("user", "Rome?")
THOUGHT: Pair = ("thought", "Hm.")
CALLED: list[Pair] = [("call weather", '{"city":"Rome"}'), ("tool", "20")]
ANSWERED: Pair = ("assistant", "20 degrees.")
WHOLE = [[ASKED, THOUGHT, *CALLED, ANSWERED]]


def openhands_text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "cache_prompt": False}


def ui(role: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": f"msg-{role}", "role": role, "parts": list(parts), **more}


def ui_text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "state": "done"}


STEP = {"type": "step-start"}
UI_THOUGHT = {"type": "reasoning", "text": "Hm.", "providerMetadata": {"anthropic": {"signature": "c2ln"}}}
UI_CALL = {
    "type": "tool-weather",
    "toolCallId": "t",
    "state": "output-available",
    "input": {"city": "Rome"},
    "output": "20",
    "callProviderMetadata": {"openai": {"itemId": "fc_1"}},
}
UI_ASKS = ui("user", ui_text("Rome?"), metadata={"createdAt": 1756800000000})
TANSTACK = [
    ui("user", {"type": "text", "content": "Rome?"}),
    ui(
        "assistant",
        {"type": "thinking", "content": "Hm."},
        {"type": "tool-call", "id": "t", "name": "weather", "arguments": '{"city":"Rome"}', "state": "input-complete"},
        {"type": "tool-result", "toolCallId": "t", "content": "20", "state": "complete"},
        {"type": "text", "content": "20 degrees."},
    ),
]
CHATBOX: list[Any] = [
    {"type": "reasoning", "text": "Hm.", "startTime": 1756800000000, "duration": 900},
    {
        "type": "tool-call",
        "state": "result",
        "toolCallId": "t",
        "toolName": "weather",
        "args": {"city": "Rome"},
        "result": "20",
    },
]
SOURCE = {"type": "source-url", "sourceId": "s", "url": "https://rome.example", "title": "Weather of Rome"}


def other_tool(**more: Any) -> dict[str, Any]:
    return {"type": "dynamic-tool", "toolName": "weather", "toolCallId": "t", "input": {"city": "Rome"}, **more}


def pydantic(kind: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"parts": list(parts), "kind": kind, **more}


def prompt(content: Any) -> dict[str, Any]:
    return {"content": content, "timestamp": "2025-09-01T10:00:00Z", "part_kind": "user-prompt"}


P_CALL = {"tool_name": "weather", "args": '{"city":"Rome"}', "tool_call_id": "t", "part_kind": "tool-call"}
P_RETURN = {"tool_name": "weather", "content": "20", "tool_call_id": "t", "metadata": None, "part_kind": "tool-return"}
P_ANSWER = {"content": "20 degrees.", "id": None, "part_kind": "text"}
PYDANTIC = [
    pydantic("request", prompt("Rome?")),
    pydantic(
        "response",
        {"content": "Hm.", "id": "rs_1", "signature": "gAAA", "provider_name": "openai", "part_kind": "thinking"},
        P_CALL,
        model_name="gpt-5",
        usage={"input_tokens": 5, "details": {}},
    ),
    pydantic("request", P_RETURN),
    pydantic("response", P_ANSWER, finish_reason="stop"),
]


def event(role: str, *parts: dict[str, Any], author: str = "guide", **more: Any) -> dict[str, Any]:
    content = {"parts": list(parts), "role": role}
    return {"content": content, "invocation_id": "e-1", "author": author, "id": "ev", "timestamp": 1.5, **more}


ADK = [
    event("user", {"text": "Rome?"}, author="user"),
    event(
        "model",
        {"text": "Hm.", "thought": True},
        {"function_call": {"id": "adk-1", "name": "weather", "args": {"city": "Rome"}}},
        usage_metadata={"prompt_token_count": 5},
    ),
    event("user", {"function_response": {"id": "adk-1", "name": "weather", "response": {"output": "20"}}}),
    event("model", {"text": "20 degrees."}, actions={"state_delta": {"last": "Rome"}}),
]
CAMEL = [
    {"invocationId": "e-1", "author": "user", "content": {"parts": [{"text": "Rome?"}], "role": "user"}},
    {"invocationId": "e-1", "author": "guide", "content": {"parts": [{"text": "20 degrees."}], "role": "model"}},
    {"invocationId": "e-1", "author": "guide", "actions": {"stateDelta": {"last": "Rome"}}},
]


def llama(role: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": role, "additional_kwargs": more, "blocks": list(blocks)}


def llama_text(words: str) -> dict[str, Any]:
    return {"block_type": "text", "text": words}


LLAMA_CALL = {"block_type": "tool_call", "tool_call_id": "t", "tool_name": "weather", "tool_kwargs": {"city": "Rome"}}
LLAMA = [
    llama("user", llama_text("Rome?")),
    llama("assistant", {"block_type": "thinking", "content": "Hm.", "num_tokens": None}, LLAMA_CALL),
    llama("tool", llama_text("20"), tool_call_id="t", name="weather"),
    llama("assistant", llama_text("20 degrees.")),
]
EARLIER_CALL = {"id": "t", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Rome"}'}}


def kernel(role: str, *items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"metadata": {}, "content_type": "message", "role": role, "items": list(items), **more}


KERNEL = [
    kernel("user", {"content_type": "text", "text": "Rome?"}),
    kernel(
        "assistant",
        {"content_type": "reasoning", "text": "Hm."},
        {"content_type": "function_call", "id": "t", "name": "weather", "arguments": '{"city":"Rome"}'},
        finish_reason="tool_calls",
    ),
    kernel("tool", {"content_type": "function_result", "id": "t", "result": "20", "name": "weather"}),
    kernel("assistant", {"content_type": "text", "text": "20 degrees."}),
]


def net(role: str, *contents: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "contents": list(contents), "messageId": "m"}


NET = [
    net("user", {"$type": "text", "text": "Rome?"}),
    net(
        "assistant",
        {"$type": "reasoning", "text": "Hm."},
        {"$type": "functionCall", "callId": "t", "name": "weather", "arguments": {"city": "Rome"}},
    ),
    net("tool", {"$type": "functionResult", "callId": "t", "result": "20"}),
    net("assistant", {"$type": "text", "text": "20 degrees."}),
]


def hay(role: str, *content: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "meta": {}, "name": None, "content": list(content)}


HAY_CALL = {"tool_name": "weather", "arguments": {"city": "Rome"}, "id": "t"}
HAYSTACK = [
    hay("user", {"text": "Rome?"}),
    hay("assistant", {"reasoning": {"reasoning_text": "Hm.", "extra": {}}}, {"tool_call": HAY_CALL}),
    hay("tool", {"tool_call_result": {"result": "20", "origin": HAY_CALL, "error": False}}),
    hay("assistant", {"text": "20 degrees."}),
]
GENKIT = [
    {"role": "user", "content": [{"text": "Rome?"}]},
    {
        "role": "model",
        "content": [{"reasoning": "Hm."}, {"toolRequest": {"name": "weather", "ref": "t", "input": {"city": "Rome"}}}],
    },
    {"role": "tool", "content": [{"toolResponse": {"name": "weather", "ref": "t", "output": "20"}}]},
    {"role": "model", "content": [{"text": "20 degrees."}]},
]
CLI = [
    {"id": "1", "timestamp": "2025-10-01T00:00:01Z", "type": "user", "content": "Rome?"},
    {
        "id": "2",
        "timestamp": "2025-10-01T00:00:02Z",
        "type": "gemini",
        "content": "",
        "thoughts": [{"subject": "Looking", "description": "Hm.", "timestamp": "2025-10-01T00:00:02Z"}],
        "toolCalls": [
            {
                "id": "t",
                "name": "weather",
                "args": {"city": "Rome"},
                "result": [{"functionResponse": {"id": "t", "name": "weather", "response": {"output": "20"}}}],
                "status": "success",
                "displayName": "Weather",
            }
        ],
        "model": "gemini-2.5-pro",
    },
    {"id": "3", "timestamp": "2025-10-01T00:00:03Z", "type": "info", "content": "Update available."},
    {"id": "4", "timestamp": "2025-10-01T00:00:04Z", "type": "gemini", "content": "20 degrees."},
]


def team(kind: str, source: str, content: Any) -> dict[str, Any]:
    return {"type": kind, "source": source, "content": content, "models_usage": None, "metadata": {}}


TEAM_CALL = {"id": "t", "name": "weather", "arguments": '{"city":"Rome"}'}
TEAM_RESULT = {"content": "20", "name": "weather", "call_id": "t", "is_error": False}
TEAM = [
    team("TextMessage", "user", "Rome?"),
    team("ThoughtEvent", "guide", "Hm."),
    team("ToolCallRequestEvent", "guide", [TEAM_CALL]),
    team("ToolCallExecutionEvent", "guide", [TEAM_RESULT]),
    team("TextMessage", "guide", "20 degrees."),
]
CONTEXT = [
    {"type": "SystemMessage", "content": "Be kind."},
    {"type": "UserMessage", "source": "user", "content": ["Rome?"]},
    {"type": "AssistantMessage", "source": "guide", "content": [TEAM_CALL], "thought": "Hm."},
    {"type": "FunctionExecutionResultMessage", "content": [TEAM_RESULT]},
    {"type": "AssistantMessage", "source": "guide", "content": "20 degrees.", "thought": None},
]
STORED = {"threadId": "th", "createdAt": "2025-06-01T00:00:00Z"}
MASTRA = [
    {"role": "user", "content": {"format": 2, "parts": [ui_text("Rome?")]}, **STORED},
    {"role": "assistant", "content": {"format": 2, "parts": [UI_THOUGHT, UI_CALL, ui_text("20 degrees.")]}, **STORED},
]
LETTA = [
    {"id": "message-1", "message_type": "user_message", "content": "Rome?"},
    {"id": "message-2", "message_type": "reasoning_message", "reasoning": "Hm.", "source": "reasoner_model"},
    {"id": "message-2", "message_type": "tool_call_message", "tool_call": {**TEAM_CALL, "tool_call_id": "t"}},
    {"id": "message-3", "message_type": "tool_return_message", "tool_return": "20", "tool_call_id": "t"},
    {"id": "message-4", "message_type": "assistant_message", "content": [{"type": "text", "text": "20 degrees."}]},
]
ENTRIES = [
    {"object": "entry", "type": "message.input", "role": "user", "content": "Rome?", "prefix": False},
    {
        "object": "entry",
        "type": "function.call",
        "tool_call_id": "t",
        "name": "weather",
        "arguments": TEAM_CALL["arguments"],
    },
    {"object": "entry", "type": "function.result", "tool_call_id": "t", "result": "20"},
    {
        "object": "entry",
        "type": "message.output",
        "role": "assistant",
        "content": [{"type": "text", "text": "20 degrees."}],
    },
]

# Mistral, Conversations API: chunks of an answer, and what a connector did
CHUNKS: list[Any] = [
    ENTRIES[0],
    {"object": "entry", "type": "tool.execution", "id": "s", "name": "web_search", "arguments": "rome"},
    {
        "object": "entry",
        "type": "message.output",
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
            {"type": "text", "text": "20 degrees."},
            {"type": "tool_reference", "tool": "web_search", "title": "Rome", "url": "https://example.org"},
        ],
    },
]
# crmne/ruby_llm, spec/fixtures/vcr_cassettes (Gemini's Interactions); Google's docs of function calling
STEPS: list[Any] = [
    {"type": "user_input", "content": [{"type": "text", "text": "Rome?"}]},
    {"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "Hm."}]},
    {"type": "function_call", "id": "t", "name": "weather", "arguments": {"city": "Rome"}},
    {"type": "function_result", "call_id": "t", "name": "weather", "result": [{"type": "text", "text": "20"}]},
    {"type": "google_search_call", "id": "s", "arguments": {"queries": ["rome"]}, "signature": "c2ln"},
    {"type": "google_search_result", "call_id": "s", "signature": "c2ln"},
    {"type": "model_output", "content": [{"type": "text", "text": "20 degrees."}]},
]


def in_thread(role: str, text: str, at: int) -> dict[str, Any]:
    content: list[Any] = [{"type": "text", "text": {"value": text, "annotations": []}}]
    return {"id": f"msg_{at}", "object": "thread.message", "role": role, "created_at": at, "content": content}


SPRING: list[Any] = [
    {"messageType": "USER", "text": "Rome?", "metadata": {}, "media": []},
    {"messageType": "ASSISTANT", "text": "", "toolCalls": [{**TEAM_CALL, "type": "function"}], "metadata": {}},
    {"messageType": "TOOL", "responses": [{"id": "t", "name": "weather", "responseData": "20"}], "metadata": {}},
    {"messageType": "ASSISTANT", "text": "20 degrees.", "metadata": {"finishReason": "STOP"}},
]
JAVA = [
    {"type": "USER", "contents": [{"type": "TEXT", "text": "Rome?"}]},
    {"type": "AI", "thinking": "Hm.", "toolExecutionRequests": [TEAM_CALL]},
    {"type": "TOOL_EXECUTION_RESULT", "id": "t", "toolName": "weather", "text": "20"},
    {"type": "AI", "text": "20 degrees."},
]
STRANDS = [
    {"message": {"role": "user", "content": [{"text": "Rome?"}]}, "message_id": 0, "redact_message": None},
    {"message": {"role": "assistant", "content": [{"text": "20 degrees."}]}, "message_id": 1},
]
CONTINUE: list[Any] = [
    {"message": {"role": "user", "content": "Rome?"}, "contextItems": [{"name": "a.py", "content": "print()"}]},
    {"message": {"role": "assistant", "content": "20 degrees."}, "contextItems": []},
]

OPENHANDS: list[dict[str, Any]] = [
    {
        "kind": "SystemPromptEvent",
        "source": "agent",
        "system_prompt": {"type": "text", "text": "Be kind."},
        "tools": [{"title": "weather", "action_type": "WeatherAction"}],
    },
    {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [openhands_text("Rome?")]}},
    {
        "kind": "ActionEvent",
        "source": "agent",
        "thought": [],
        "reasoning_content": "Hm.",
        "action": {"kind": "WeatherAction", "city": "Rome"},
        "tool_name": "weather",
        "tool_call_id": "c",
        "tool_call": {"id": "c", "name": "weather", "arguments": '{"city":"Rome"}', "origin": "completion"},
    },
    {"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "stats", "value": {}},
    {
        "kind": "ObservationEvent",
        "source": "environment",
        "tool_name": "weather",
        "tool_call_id": "c",
        "observation": {"kind": "WeatherObservation", "content": [{"type": "text", "text": "20"}], "is_error": False},
    },
    {
        "kind": "MessageEvent",
        "source": "agent",
        "llm_message": {"role": "assistant", "content": [openhands_text("20 degrees.")]},
    },
]


ROWS: list[tuple[str, dict[str, Any], list[list[Pair]]]] = [
    (
        "ui-messages",
        {
            "id": "chat-1",
            "messages": [UI_ASKS, ui("assistant", STEP, UI_THOUGHT, UI_CALL, STEP, ui_text("20 degrees."))],
        },
        WHOLE,
    ),
    # a source, and data that only the page shows, are extra columns
    (
        "ui-messages",
        {
            "messages": [
                UI_ASKS,
                ui("assistant", ui_text("20 degrees."), SOURCE, {"type": "data-map", "data": {"a": 5}}),
            ]
        },
        [[ASKED, ANSWERED]],
    ),
    # a tool that is known only when it runs, and its error
    (
        "ui-messages",
        {"messages": [UI_ASKS, ui("assistant", other_tool(state="output-error", errorText="20"))]},
        [[ASKED, *CALLED]],
    ),
    # calls that wait for a person, or that one has denied, have no result
    (
        "ui-messages",
        {
            "messages": [
                UI_ASKS,
                ui("assistant", other_tool(state="output-denied", approval={"id": "a", "reason": "No."})),
            ]
        },
        [[ASKED, CALLED[0]]],
    ),
    # AI SDK 4 has the calls and the text twice
    (
        "ui-messages",
        {
            "messages": [
                ui(
                    "assistant",
                    {
                        "type": "tool-invocation",
                        "toolInvocation": {
                            "state": "result",
                            "toolCallId": "t",
                            "toolName": "weather",
                            "args": {"city": "Rome"},
                            "result": "20",
                        },
                    },
                    ui_text("20 degrees."),
                    content="20 degrees.",
                )
            ]
        },
        [[*CALLED, ANSWERED]],
    ),
    # TanStack AI (`packages/typescript/ai/src/types.ts`): parts with a `content`; calls and results are parts of a kind
    ("ui-messages", {"messages": TANSTACK}, WHOLE),
    # parts with the names of the AI SDK's messages
    (
        "ui-messages",
        {
            "messages": [
                UI_ASKS,
                ui(
                    "assistant",
                    {"type": "tool-call", "toolCallId": "t", "toolName": "weather", "args": {"city": "Rome"}},
                    {"type": "tool-result", "toolCallId": "t", "result": "20"},
                ),
            ]
        },
        [[ASKED, *CALLED]],
    ),
    # Chatbox (`src/shared/types.ts`): a thought has the time that it took, and a call its result
    (
        "chatbox",
        {
            "id": "s",
            "name": "Weather",
            "messages": [
                {"id": "1", "role": "user", "contentParts": [{"type": "text", "text": "Rome?"}]},
                {"id": "2", "role": "assistant", "contentParts": CHATBOX, "aiProvider": "openai"},
                {"id": "3", "role": "assistant", "contentParts": [{"type": "text", "text": "20 degrees."}]},
            ],
        },
        WHOLE,
    ),
    ("pydantic-ai", {"id": "c", "messages": PYDANTIC}, WHOLE),
    # each request has the instructions of the run; they are read once
    (
        "pydantic-ai",
        {
            "messages": [
                pydantic("request", prompt("Rome?"), instructions="Be kind."),
                pydantic("response", P_CALL),
                pydantic("request", P_RETURN, instructions="Be kind."),
            ]
        },
        [[("system", "Be kind."), ASKED, *CALLED]],
    ),
    (
        "pydantic-ai",
        {
            "messages": [
                pydantic(
                    "request",
                    {"content": "Be kind.", "dynamic_ref": None, "part_kind": "system-prompt"},
                    prompt("Rome?"),
                ),
                pydantic("response", P_CALL),
                pydantic("request", {**P_RETURN, "part_kind": "retry-prompt"}),
                # no tool is asked to try again
                pydantic("request", {"content": "Once more.", "tool_name": None, "part_kind": "retry-prompt"}),
            ]
        },
        [[("system", "Be kind."), ASKED, *CALLED, ("user", "Once more.")]],
    ),
    ("adk", {"id": "s", "app_name": "a", "user_id": "u", "state": {}, "events": ADK}, WHOLE),
    ("adk", {"id": "s", "appName": "a", "userId": "u", "state": {}, "events": CAMEL}, [[ASKED, ANSWERED]]),
    ("llama-index", {"messages": LLAMA}, WHOLE),
    # earlier versions have calls in another member than the blocks, or in both
    (
        "llama-index",
        {"messages": [LLAMA[0], llama("assistant", tool_calls=[EARLIER_CALL]), *LLAMA[2:]]},
        [[ASKED, *CALLED, ANSWERED]],
    ),
    (
        "llama-index",
        {"messages": [LLAMA[0], llama("assistant", LLAMA_CALL, tool_calls=[EARLIER_CALL]), *LLAMA[2:]]},
        [[ASKED, *CALLED, ANSWERED]],
    ),
    ("semantic-kernel", {"messages": KERNEL}, WHOLE),
    ("extensions-ai", {"messages": NET}, WHOLE),
    ("haystack", {"messages": HAYSTACK}, WHOLE),
    ("genkit", {"messages": GENKIT}, WHOLE),
    ("gemini-cli", {"sessionId": "0e1f", "projectHash": "ab12", "messages": CLI}, WHOLE),
    ("autogen", {"messages": TEAM, "stop_reason": "Done"}, WHOLE),
    ("autogen", {"messages": CONTEXT}, [[("system", "Be kind."), *WHOLE[0]]]),
    ("mastra", {"thread": {"id": "th"}, "messages": MASTRA}, WHOLE),
    ("letta", {"messages": LETTA}, WHOLE),
    ("mistral-conversations", {"conversation_id": "c", "entries": ENTRIES}, [[ASKED, *CALLED, ANSWERED]]),
    ("mistral-conversations", {"conversation_id": "c", "entries": CHUNKS}, [[ASKED, THOUGHT, ANSWERED]]),
    ("gemini-interactions", {"model": "m", "input": STEPS}, [[ASKED, THOUGHT, *CALLED, ANSWERED]]),
    ("gemini-interactions", {"object": "interaction", "steps": STEPS}, [[ASKED, THOUGHT, *CALLED, ANSWERED]]),
    ("gemini-interactions", {"system_instruction": "", "input": STEPS[:1]}, [[ASKED]]),
    (
        "gemini-interactions",
        {"system_instruction": "Be brief.", "input": STEPS[:1]},
        [[("system", "Be brief."), ASKED]],
    ),
    ("gemini-outputs", {"object": "interaction", "outputs": [ui_text("20 degrees.")]}, [[ANSWERED]]),
    # lists of the API begin with the last message
    (
        "assistants",
        {"object": "list", "data": [in_thread("assistant", "20 degrees.", 2), in_thread("user", "Rome?", 1)]},
        [[ASKED, ANSWERED]],
    ),
    ("spring-ai", {"messages": SPRING}, [[ASKED, *CALLED, ANSWERED]]),
    ("langchain4j", {"messages": JAVA}, WHOLE),
    ("openhands", {"instance_id": "i", "history": OPENHANDS}, [[("system", "Be kind."), *WHOLE[0]]]),
    ("wrapped", {"messages": STRANDS}, [[ASKED, ANSWERED]]),
    ("wrapped", {"sessionId": "5c", "title": "Weather", "history": CONTINUE}, [[ASKED, ANSWERED]]),
]


def test_contents_of_an_input_are_not_what_the_model_says() -> None:
    row = {"model": "m", "input": [{"type": "text", "text": "Rome?"}]}
    assert not read_row(Plan((AUTO,)), row).layout.name.startswith("gemini")


IDS = [f"{name}-{at}" for at, (name, *_) in enumerate(ROWS)]


@pytest.mark.parametrize(("name", "row", "expected"), ROWS, ids=IDS)
def test_stored_messages_are_the_conversation_that_a_person_reads(
    name: str, row: dict[str, Any], expected: list[list[Pair]]
) -> None:
    assert read_row(Plan((AUTO,)), row).layout.name == name
    assert [as_pairs(each.messages) for each in conversations(row)] == expected


STRUCTURE = frozenset(
    {
        "system-prompt",
        "user-prompt",
        "tool-return",
        "retry-prompt",
        "text",
        "reasoning",
        "step-start",
        "request",
        "response",
        "message",
        "model",
        "tool-call",
        "tool-result",
        "tool_call",
        "function",
    }
    | {
        "gemini",
        "SystemMessage",
        "FunctionExecutionResultMessage",
        "thinking",
        "functionCall",
        "functionResult",
        "function_call",
        "function_result",
        "tool-invocation",
        "user_input",
        "model_output",
        "thought",
    }
    | {"USER", "AI", "ASSISTANT", "TOOL", "TOOL_EXECUTION_RESULT", "TEXT", "agent", "environment"}
)
"""Names of kinds of parts: the kinds are represented by the canonical messages, not by these words."""


def words(value: Any) -> Iterator[str]:
    if isinstance(value, (dict, list)):
        members = cast("dict[str, Any]", value).values() if isinstance(value, dict) else cast("list[Any]", value)
        for each in members:
            yield from words(each)
    elif isinstance(value, str) and value not in STRUCTURE:
        yield value


@pytest.mark.parametrize("row", [row for _, row, _ in ROWS], ids=IDS)
def test_every_word_is_in_the_conversation_or_in_extra_columns(row: dict[str, Any]) -> None:
    found = read_row(Plan((AUTO,)), row)
    kept = [*words([found.extra_columns, [[each.value, each.extra_columns] for each in found.documents]])]
    everything = "\n".join(kept)
    assert [each for each in words(row) if each not in everything] == []


DATA = Media("image", data="iVBORw0KGgo=", format="image/png")
AT_URL = Media("image", url="https://a.example/a")
B64 = {"data": "iVBORw0KGgo=", "media_type": "image/png", "kind": "binary"}
VIDEO = {"url": "https://a.example/a", "kind": "video-url"}
LLAMA_IMAGE = {"block_type": "image", "image": "iVBORw0KGgo=", "image_mimetype": "image/png"}
SHOWN: list[tuple[Any, Media]] = [
    (ui("user", {"type": "file", "mediaType": "image/png", "url": PNG}), DATA),
    (ui("user", {"type": "file", "mediaType": "image/png", "url": "https://a.example/a"}), AT_URL),
    (pydantic("request", prompt([B64])), DATA),
    (pydantic("request", prompt([VIDEO])), Media("video", url="https://a.example/a")),
    (llama("user", LLAMA_IMAGE), DATA),
    (hay("user", {"image": {"base64_image": "iVBORw0KGgo=", "mime_type": "image/png"}}), DATA),
    ({"role": "user", "content": [{"media": {"url": PNG, "contentType": "image/png"}}]}, DATA),
]


@pytest.mark.parametrize(("message", "media"), SHOWN)
def test_media_are_parts_of_messages(message: Any, media: Media) -> None:
    [conversation] = conversations({"messages": [message]})
    [found] = conversation.messages
    assert found.content == (media,)


def test_a_file_keeps_its_name() -> None:
    file = {
        "type": "file",
        "mediaType": "application/pdf",
        "filename": "a.pdf",
        "url": "data:application/pdf;base64,QQ==",
    }
    [conversation] = conversations({"messages": [ui("user", file)]})
    [part] = conversation.messages[0].content
    assert isinstance(part, Media)
    assert (part.media, part.data, part.filename) == ("file", "QQ==", "a.pdf")


def test_results_of_one_step_follow_all_its_calls() -> None:
    calls = [{**UI_CALL, "toolCallId": name, "output": name} for name in ("one", "two")]
    [conversation] = conversations({"messages": [ui("assistant", *calls)]})
    assert [message.call_id for message in conversation.messages] == ["one", "two", "one", "two"]


def test_each_thought_is_a_message_of_its_own() -> None:
    thoughts = [{"type": "reasoning", "text": words} for words in ("Hm.", "Ah.")]
    [conversation] = conversations({"messages": [ui("assistant", *thoughts, ui_text("Yes."))]})
    assert as_pairs(conversation.messages) == [("thought", "Hm."), ("thought", "Ah."), ("assistant", "Yes.")]


def test_messages_with_types_are_not_read_by_layouts_without_types() -> None:
    row: dict[str, Any] = {"messages": [{"role": "user", "meta": {}, "content": [{"type": "text", "text": "Rome?"}]}]}
    assert read_row(Plan((AUTO,)), row).layout.name == "messages"


@pytest.mark.parametrize(
    "messages", [PYDANTIC, LLAMA, KERNEL, NET, HAYSTACK, GENKIT[1:], ADK, TEAM, CLI[1:], [UI_ASKS]]
)
def test_a_document_of_a_framework_is_refused_with_what_reads_it(messages: list[Any]) -> None:
    with pytest.raises(BridgeError) as caught:
        convert(messages, target="openai")
    assert "`ocml-convert batch --plan auto` reads such rows" in caught.value.message


def test_the_role_names_of_voice_agents_are_read() -> None:
    stored = [{"role": "agent", "message": "20 degrees."}, {"role": "user", "message": "Thanks."}]
    for name in ("transcript", "messages"):
        [conversation] = conversations({"agent_id": "a", name: stored})
        assert as_pairs(conversation.messages) == [ANSWERED, ("user", "Thanks.")]


def test_the_history_of_promptflow_comes_before_the_question() -> None:
    history = [{"inputs": {"question": "Rome?"}, "outputs": {"answer": "20 degrees."}}]
    [conversation] = conversations({"question": "Oslo?", "chat_history": history, "answer": "5 degrees."})
    assert as_pairs(conversation.messages) == [ASKED, ANSWERED, ("user", "Oslo?"), ("assistant", "5 degrees.")]
    [alone] = conversations({"chat_history": history})
    assert as_pairs(alone.messages) == [ASKED, ANSWERED]


def test_records_of_bedrocks_batches_are_a_request_and_its_answer() -> None:
    asked = {
        "anthropic_version": "bedrock-2023-05-31",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Rome?"}],
    }
    answer = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "20 degrees."}]}
    [conversation] = conversations({"recordId": "1", "modelInput": asked, "modelOutput": answer})
    assert as_pairs(conversation.messages) == [ASKED, ANSWERED]


def chain(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "content": content, "additional_kwargs": {}, "response_metadata": {}, **more}


CHAIN_CALL = {"name": "weather", "args": {"city": "Rome"}, "id": "t", "type": "tool_call"}
CHAIN = [
    chain("human", [{"type": "text", "text": "Rome?"}]),
    chain(
        "ai",
        [
            {"type": "reasoning", "reasoning": "Hm.", "extras": {"signature": "c2ln"}},
            {"type": "text", "text": "I look."},
            {"type": "tool_call", "name": "weather", "args": {"city": "Rome"}, "id": "t"},
        ],
        tool_calls=[CHAIN_CALL],
    ),
    chain("tool", "20", tool_call_id="t"),
    chain("ai", "20 degrees."),
]


@pytest.mark.parametrize(
    "row", [{"messages": CHAIN}, {"values": {"messages": CHAIN, "turns": 2}, "next": [], "config": {"thread": "t-1"}}]
)
def test_standard_blocks_of_langchain_are_read_as_thoughts_and_calls(row: dict[str, Any]) -> None:
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [ASKED, THOUGHT, ("assistant", "I look."), *CALLED, ANSWERED]


def test_the_state_of_a_graph_is_an_extra_column() -> None:
    found = read_row(Plan((AUTO,)), {"values": {"messages": CHAIN, "turns": 2}, "next": []})
    assert (found.layout.name, found.extra_columns) == ("langchain", {"next": []})
    assert found.documents[0].extra_columns == {"values": {"turns": 2}}


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"},
        {"type": "image", "source_type": "base64", "data": "iVBORw0KGgo=", "mime_type": "image/png"},
        {"type": "file", "base64": "iVBORw0KGgo=", "mime_type": "image/png"},
    ],
)
def test_standard_blocks_of_langchain_are_read_as_media(block: dict[str, Any]) -> None:
    [conversation] = conversations({"messages": [chain("human", [block])]})
    assert conversation.messages[0].content == (DATA,)


def test_a_block_of_langchain_with_unknown_members_is_kept_as_it_is() -> None:
    block = {"type": "image", "url": "https://a.example/a", "extras": {"alt": "Rome"}}
    [conversation] = conversations({"messages": [chain("human", [block])]})
    assert conversation.messages[0].content == (Foreign("openai", block),)


def test_a_call_of_langchain_that_is_only_in_a_block_is_kept_as_it_is() -> None:
    block: dict[str, Any] = {"type": "tool_call", "name": "time", "args": {}, "id": "u"}
    [conversation] = conversations({"messages": [chain("ai", [block], tool_calls=[CHAIN_CALL])]})
    assert conversation.messages[0].content == (Foreign("openai", block),)


def test_the_reasoning_of_other_models_is_a_thought() -> None:
    answer = chain("ai", "20 degrees.", additional_kwargs={"reasoning_content": "Hm."})
    [conversation] = conversations({"messages": [CHAIN[0], answer]})
    assert as_pairs(conversation.messages) == [ASKED, THOUGHT, ANSWERED]


def test_requests_to_responses_are_read_from_the_columns_of_nemo_gym() -> None:
    tool: dict[str, Any] = {
        "type": "function",
        "name": "weather",
        "parameters": {"type": "object", "properties": {}},
        "strict": True,
    }
    asked: dict[str, Any] = {
        "input": [{"role": "user", "content": "Rome?"}],
        "tools": [tool],
        "parallel_tool_calls": False,
    }
    [conversation] = conversations({"responses_create_params": asked, "verifier_metadata": {"expected": "20"}})
    assert as_pairs(conversation.messages) == [ASKED]
    assert [each.name for each in conversation.tools or ()] == ["weather"]


def test_a_part_of_text_without_its_text_is_left_out() -> None:
    parts = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text"}, {"type": "text", "text": "Yes."}]
    row = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": parts}]}
    document: Any = read_row(Plan((AUTO,)), row).documents[0].value
    assert document["messages"][1]["content"] == parts[1:]


def test_reasoning_with_an_empty_summary_is_a_thought() -> None:
    parts: list[Any] = [
        {"type": "reasoning", "text": "Hm.", "summary": []},
        {"type": "text", "text": "Yes."},
    ]  # Roo Code
    row: Any = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": parts, "ts": 2}]}
    document: Any = read_row(Plan((AUTO,)), row).documents[0].value
    assert document["messages"][1] == {"ts": 2, "role": "assistant", "reasoning": "Hm.", "content": "Yes."}
