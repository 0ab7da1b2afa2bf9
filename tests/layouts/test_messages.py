"""Rows with a list of messages or turns: the conversation that a person reads in each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from layouts.row_pieces import (
    ANSWERED,
    ASK,
    ASKED,
    BOTH,
    CALL,
    DOLCI,
    SWIFT,
    TURN,
    TURNS,
    WEATHER,
    WEATHER_TEXT,
    RowCase,
    check_row,
    ids_of,
)
from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.layouts.messages import ROLES
from recognised_examples import EXAMPLES
from rows import Pair, as_pairs, conversations

USED = {"name": "weather", "input": {"city": "Rome"}}
AG_UI: list[dict[str, Any]] = [
    {"id": "1", **ASK},
    {"id": "2", "role": "assistant", "toolCalls": [{"id": "t", "function": {"name": "weather", "arguments": "{}"}}]},
    {"id": "3", "role": "tool", "toolCallId": "t", "content": "20"},
]
SPOKEN: dict[str, Any] = {"type": "output_text", "text": "Because.", "annotations": []}
DOLCI_CALLS: list[Pair] = [("call weather", '{"city":"Rome"}'), ("call weather", '{"city":"Oslo","days":[1,2]}')]


ROWS: list[RowCase] = [
    # langchain-community 0.4.2 (MIT), tests/unit_tests/chat_loaders/data/telegram_chat_json: pieces with styles
    (
        "messages",
        {"messages": [{"from": "user", "text": ["Is it ", {"type": "bold", "text": "BOLD"}, "?"]}]},
        [("user", "Is it BOLD?")],
    ),
    # teich 0.3.6 (Apache-2.0), examples/example_cursor_session.jsonl: the role is beside the message
    (
        "wrapped",
        {
            "messages": [
                {"role": "user", "message": {"content": [{"type": "text", "text": "Rome?"}]}},
                {"role": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", **USED}]}},
                {"role": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "2"}]}},
            ]
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "2")],
    ),
    # Continue (core/index.d.ts): thoughts are messages, and calls are in camel case
    (
        "wrapped",
        {
            "history": [
                {"message": ASK},
                {"message": {"role": "thinking", "content": "Hm."}},
                {"message": {"role": "assistant", "content": "", "toolCalls": AG_UI[1]["toolCalls"]}},
                {"message": {"role": "tool", "toolCallId": "t", "content": "20"}},
            ]
        },
        [ASKED, ("thought", "Hm."), ("call weather", "{}"), ("tool", "20")],
    ),
    # MultiWOZ: the speaker SYSTEM is the assistant
    (
        "spoken",
        {"turns": [{"speaker": "USER", "utterance": "Why?"}, {"speaker": "SYSTEM", "utterance": "Because."}]},
        BOTH,
    ),
    # tau-bench, TypingMind, smolagents
    ("messages", {"task_id": 0, "traj": [ASK, {"role": "assistant", "content": "Because."}], "trial": 0}, BOTH),
    ("messages", {"systemMessage": "Be kind.", "messages": [ASK]}, [("system", "Be kind."), ASKED]),
    # BoltAI, and messages next to Gemini's content
    ("messages", {"systemInstruction": "Be kind.", "messages": [ASK]}, [("system", "Be kind."), ASKED]),
    (
        "messages",
        {"system_instruction": {"parts": [{"text": "Be kind."}]}, "messages": [ASK]},
        [("system", "Be kind."), ASKED],
    ),
    ("messages", {"messages": [ASK, {"role": "tool-response", "content": "20"}]}, [ASKED, ("tool", "20")]),
    # ms-swift, agent support: messages whose roles are ShareGPT's words for calls and results
    (
        "sharegpt",
        {"messages": SWIFT, "tools": json.dumps([WEATHER])},
        [("user", "Rome?"), ("call weather", '{"city": "Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    # turns that are thoughts, or have one
    (
        "messages",
        {
            "conversations": [
                TURN,
                {"from": "thought", "value": "Hm."},
                {"from": "gpt", "value": "Because.", "thinking": "So."},
            ]
        },
        [ASKED, ("thought", "Hm."), ("thought", "So."), ANSWERED],
    ),
    # SWE-agent trajectories: all turns have the same keys, some of them null; the system prompt has its own key
    (
        "messages",
        {
            "trajectory": [
                {"role": "system", "text": None, "system_prompt": "You fix bugs.", "mask": False},
                {"role": "user", "text": "Why?", "system_prompt": None, "mask": False},
                {"role": "ai", "text": "Because.", "system_prompt": None, "mask": True},
            ]
        },
        [("system", "You fix bugs."), *BOTH],
    ),
    ("messages", {"messages": [{"role": "system", "text": "", "system_prompt": "No."}, ASK]}, [("system", ""), ASKED]),
    # ms-swift: a conversation with a rejected answer
    (
        "ms-swift",
        {"messages": SWIFT, "tools": json.dumps([WEATHER]), "rejected_response": "No idea."},
        [("user", "Rome?"), ("call weather", '{"city": "Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    # Cohere's roles, and ShareGPT's roles under the keys of Chat Completions
    (
        "messages",
        {"messages": [{"role": "User", "content": "Why?"}, {"role": "Chatbot", "content": "Because."}]},
        [ASKED, ANSWERED],
    ),
    (
        "messages",
        {"turns": [{"role": "human", "content": "Why?"}, {"role": "gpt", "content": "Because."}]},
        [ASKED, ANSWERED],
    ),
    # LangChain's calls
    (
        "messages",
        {
            "messages": [
                {"role": "user", "content": "Rome?"},
                {
                    "role": "ai",
                    "content": "",
                    "tool_calls": [{"name": "weather", "args": {"city": "Rome"}, "id": "c", "type": "tool_call"}],
                },
            ]
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}')],
    ),
    # ms-swift, custom datasets: pairs of texts
    (
        "texts",
        {"conversations": [["Hi", "Hello"], ["Why?", "Because."]]},
        [("user", "Hi"), ("assistant", "Hello"), ASKED, ANSWERED],
    ),
    # Guanaco: headings in one line
    (
        "dialogue",
        {"text": "### Human: Hi### Assistant: Hello### Human: Why?### Assistant: Because."},
        [("user", "Hi"), ("assistant", "Hello"), ASKED, ANSWERED],
    ),
    # LLaMA-Factory, ShareGPT with tools
    (
        "sharegpt",
        {
            "conversations": [
                {"from": "human", "value": "Rome?"},
                {"from": "function_call", "value": CALL},
                {"from": "observation", "value": "20"},
                {"from": "gpt", "value": "20 degrees."},
            ],
            "tools": f"[{WEATHER_TEXT}]",
        },
        [("user", "Rome?"), ("call weather", '{"city": "Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    (
        "sharegpt",
        {
            "conversations": [{"from": "human", "value": "Why?"}],
            "chosen": {"from": "gpt", "value": "Because."},
            "rejected": {"from": "gpt", "value": "No."},
        },
        [ASKED, ANSWERED],
    ),
    # axolotl, turns in other keys
    (
        "messages",
        {"messages": [{"from": "human", "text": "Why?"}, {"from": "gpt", "text": "Because."}]},
        [ASKED, ANSWERED],
    ),
    # the column `messages` of datasets on the Hub, and the column of the system prompt
    (
        "messages",
        {
            "messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}],
            "system": "Be kind.",
        },
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    ("messages", {"conversations": '[{"role": "user", "content": "Why?"}]'}, [ASKED]),
    # UltraChat
    ("texts", {"id": "0", "data": ["Why?", "Because.", "So?"]}, [ASKED, ANSWERED, ("user", "So?")]),
    ("dialogue", {"text": "### Human: Why?\n### Assistant: Because."}, [ASKED, ANSWERED]),
    # Orca Mini's headings, and OIG's labels
    (
        "dialogue",
        {"text": "### System:\nBe kind.\n\n### User:\nWhy?\n\n### Response:\nBecause."},
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    ("dialogue", {"text": "<human>: Why?\n<bot>: Because."}, [ASKED, ANSWERED]),
    # chats as people copy them from pages, and as extensions of browsers export them
    ("dialogue", {"text": "You said:\nWhy?\n\nChatGPT said:\nBecause.\n"}, [ASKED, ANSWERED]),
    ("dialogue", {"text": "##### You said:\n\nWhy?\n\n###### ChatGPT said:\n\nBecause.\n"}, [ASKED, ANSWERED]),
    ("dialogue", {"text": "**You said:**\nWhy?\n\n**Claude said:**\nBecause.\n"}, [ASKED, ANSWERED]),
    ("dialogue", {"text": "You: Why?\n\nClaude: Because.\n"}, [ASKED, ANSWERED]),
    ("dialogue", {"text": "**user**: Why?\n\n**assistant**: Because."}, [ASKED, ANSWERED]),
    ("dialogue", {"text": "**You**: Why?\n\n**ChatGPT:** Because."}, [ASKED, ANSWERED]),
    (
        "dialogue",
        {"text": "## Prompt:\nWhy?\n\n## Response:\n### So\n\n**User:** quoted\n\n## Prompt:\nSo?\n"},
        [ASKED, ("assistant", "### So\n\n**User:** quoted"), ("user", "So?")],
    ),
    # TRL's earlier documentation (`formatting_prompts_func`), Phi-2 (its card)
    ("dialogue", {"text": "### Question: Why?\n ### Answer: Because."}, [ASKED, ANSWERED]),
    ("dialogue", {"text": "Instruct: Why?\nOutput: Because."}, [ASKED, ANSWERED]),
    ("dialogue", {"text": "Question: Why?\n\nAnswer: Because."}, [ASKED, ANSWERED]),
    (
        "prompt-completion",
        {"prompt": "Question: How?\nAnswer: So.\n\nQuestion: Why?\nAnswer:", "completion": "Because."},
        [("user", "Question: How?\nAnswer: So.\n\nQuestion: Why?\nAnswer:"), ANSWERED],
    ),
    ("history", {"history": [ASK, {"role": "assistant", "metadata": None, "content": "Because."}]}, BOTH),
    ("dialogue", {"text": "user: Why?\nassistant: Because.\nuser: So?"}, [ASKED, ANSWERED, ("user", "So?")]),
    # rows that are documents of a format
    (
        "anthropic",
        {"model": "m", "max_tokens": 9, "system": "Be kind.", "messages": [{"role": "user", "content": "Why?"}]},
        [("system", "Be kind."), ASKED],
    ),
    ("chatml", {"text": "<|im_start|>user\nWhy?<|im_end|>\n", "id": 1}, [ASKED]),
    ("harmony", {"text": "<|start|>user<|message|>Why?<|end|>"}, [ASKED]),
    ("gemini", {"contents": [{"role": "user", "parts": [{"text": "Why?"}]}]}, [ASKED]),
    # labels after the token that ends an answer
    (
        "dialogue",
        {"text": "System: Be kind.\nUser: Why?\nAssistant: Because.</s>User: So?\nAssistant: So.<|end_of_text|>\n"},
        [("system", "Be kind."), ASKED, ANSWERED, ("user", "So?"), ("assistant", "So.")],
    ),
    # Oumi's parts; those with images are among the public rows
    (
        "messages",
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "content": "Why?", "binary": None}]},
                {"role": "assistant", "content": "Because."},
            ]
        },
        [ASKED, ANSWERED],
    ),
    # Vercel's AI SDK: calls, results and thoughts as parts (5), calls in another member than the text (4)
    (
        "messages",
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Rome?"}]},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "reasoning", "text": "Hm."},
                        {"type": "text", "text": "Let me look."},
                        {"type": "tool-call", "toolCallId": "c", "toolName": "weather", "input": {"city": "Rome"}},
                        {"type": "tool-call", "toolCallId": "d", "toolName": "time", "input": {}},
                    ],
                },
                {
                    "role": "tool",
                    "content": [
                        {
                            "type": "tool-result",
                            "toolCallId": "c",
                            "toolName": "weather",
                            "output": {"type": "json", "value": {"degrees": 20}},
                        },
                        {
                            "type": "tool-result",
                            "toolCallId": "d",
                            "toolName": "time",
                            "output": {"type": "text", "value": "noon"},
                        },
                    ],
                },
                {"role": "assistant", "content": [{"type": "text", "text": "20 degrees."}]},
            ]
        },
        [
            ("user", "Rome?"),
            ("thought", "Hm."),
            ("assistant", "Let me look."),
            ("call weather", '{"city":"Rome"}'),
            ("call time", "{}"),
            ("tool", '{"degrees":20}'),
            ("tool", "noon"),
            ("assistant", "20 degrees."),
        ],
    ),
    (
        "messages",
        {
            "messages": [
                {"role": "user", "content": "Rome?"},
                {
                    "role": "assistant",
                    "content": "20 degrees.",
                    "toolInvocations": [
                        {
                            "state": "result",
                            "step": 0,
                            "toolCallId": "c",
                            "toolName": "weather",
                            "args": {"city": "Rome"},
                            "result": "20",
                        },
                        {
                            "state": "result",
                            "step": 1,
                            "toolCallId": "d",
                            "toolName": "time",
                            "args": {},
                            "result": "noon",
                        },
                    ],
                },
            ]
        },
        [
            ("user", "Rome?"),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "20"),
            ("call time", "{}"),
            ("tool", "noon"),
            ("assistant", "20 degrees."),
        ],
    ),
    # turns and messages in the column `items`
    ("sharegpt", {"items": [TURN, {"from": "gpt", "value": "Because."}], "id": "x"}, BOTH),
    ("messages", {"items": [ASK, {"role": "assistant", "content": "Because.", "weight": 1.0}]}, BOTH),
    # BitAgent: calls and results as objects; Locutusque: arguments in single quotes
    (
        "messages",
        {
            "conversation": json.dumps(
                [
                    {"role": "user", "content": "Rome?"},
                    {"role": "tool call", "content": {"name": "weather", "arguments": {"city": "Rome"}}},
                    {"role": "tool response", "content": {"degrees": 20}},
                    {"role": "assistant", "content": "20 degrees."},
                ]
            )
        },
        [
            ("user", "Rome?"),
            ("call weather", '{"city":"Rome"}'),
            ("tool", '{"degrees":20}'),
            ("assistant", "20 degrees."),
        ],
    ),
    (
        "sharegpt",
        {
            "conversations": [
                {"from": "human", "value": "Rome?"},
                {"from": "function-call", "value": '{"name": "weather", "arguments": \'{"city": "Rome"}\'}'},
                {"from": "function-response", "value": "20"},
                {"from": "gpt", "value": "20 degrees."},
            ]
        },
        [("user", "Rome?"), ("call weather", '{"city": "Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    # messages that end in an answer: the other columns are no answer
    (
        "messages",
        {"messages": [ASK, {"role": "assistant", "content": "Because."}], "cot": "I see.", "answer": "4"},
        BOTH,
    ),
    # Taskmaster
    (
        "spoken",
        {"utterances": [{"speaker": "USER", "text": "Why?"}, {"speaker": "ASSISTANT", "text": "Because."}]},
        BOTH,
    ),
    # the column `response` is not the answer if the messages end in an answer, or if it contains the user's message
    ("messages", {"messages": [ASK, {"role": "assistant", "content": "Because."}], "response": "No."}, BOTH),
    ("messages", {"messages": [ASK], "response": {"role": "user", "content": "So?"}}, [ASKED]),
    # messages with other keys; Vertex AI's tuning data for chat-bison
    ("messages", {"messages": [{"role": "user", "text": "Why?"}, {"role": "assistant", "text": "Because."}]}, BOTH),
    ("spoken", {"messages": [{"speaker": "user", "text": "Why?"}, {"speaker": "assistant", "text": "Because."}]}, BOTH),
    (
        "spoken",
        {
            "context": "Be kind.",
            "messages": [{"author": "user", "content": "Why?"}, {"author": "bot", "content": "Because."}],
        },
        [("system", "Be kind."), *BOTH],
    ),
    # Gradio's history
    ("history", {"history": [["Why?", "Because."]]}, BOTH),
    ("history", {"chatbot": [["Why?", "Because."], ["So?", None]], "id": 1}, [*BOTH, ("user", "So?")]),
    # Vertex AI's and Gemini's tuning data
    (
        "gemini",
        {
            "systemInstruction": {"role": "system", "parts": [{"text": "Be kind."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "Why?"}]},
                {"role": "model", "parts": [{"text": "Because."}]},
            ],
        },
        [("system", "Be kind."), *BOTH],
    ),
    ("messages", {"messages": [ASK, {"role": "model", "content": "Because."}]}, BOTH),
    # SODA and Doc2Dial
    ("texts", {"dialogue": ["Why?", "Because."], "speakers": ["Ann", "Bob"]}, BOTH),
    (
        "messages",
        {"turns": [{"role": "user", "utterance": "Why?"}, {"role": "agent", "utterance": "Because."}]},
        BOTH,
    ),
    # Cohere's chat API, version 1: the question and the earlier messages are in different columns
    (
        "history",
        {"message": "Why?", "preamble": "Be kind.", "chat_history": [{"role": "CHATBOT", "message": "Hello."}]},
        [("system", "Be kind."), ("assistant", "Hello."), ASKED],
    ),
    # FastChat's conversations: pairs of speaker and text
    (
        "texts",
        {
            "system_message": "Be kind.",
            "roles": ["USER", "ASSISTANT"],
            "messages": [["USER", "Why?"], ["ASSISTANT", "Because."]],
        },
        [("system", "Be kind."), *BOTH],
    ),
    # OLMo's data with tools (Dolci)
    ("messages", {"messages": DOLCI}, [("system", "Be kind."), ASKED, *DOLCI_CALLS, ("tool", "[20, 21]"), ANSWERED]),
    # messages of any API in a column with another name
    (
        "wrapped",
        {
            "task_id": "1",
            "trajectory": [ASK, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", **USED}]}],
        },
        [ASKED, ("call weather", '{"city":"Rome"}')],
    ),
    # a session of OpenAI's Agents SDK
    (
        "wrapped",
        {"session_id": "s", "items": [ASK, {"type": "message", "role": "assistant", "content": [SPOKEN]}]},
        BOTH,
    ),
    # ESConv's words for roles, and WildBench's column
    (
        "spoken",
        {"dialog": [{"speaker": "seeker", "content": "Why?"}, {"speaker": "supporter", "content": "Because."}]},
        BOTH,
    ),
    ("messages", {"conversation_input": [ASK], "references": {"gpt-4": "Because."}}, [ASKED]),
    # PIPPA, SillyTavern and chats of apps: a flag of each message is true if a person wrote it
    (
        "messages",
        {
            "bot_id": "b",
            "conversation": [{"message": "Why?", "is_human": True}, {"message": "Because.", "is_human": False}],
        },
        BOTH,
    ),
    ("messages", {"messages": [{"mes": "Why?", "is_user": True}, {"mes": "Because.", "is_user": False}]}, BOTH),
    # requests to MCP's clients (`sampling/createMessage`), and AG-UI's messages
    (
        "messages",
        {"systemPrompt": "Be kind.", "messages": [{"role": "user", "content": {"type": "text", "text": "Why?"}}]},
        [("system", "Be kind."), ASKED],
    ),
    ("messages", {"threadId": "t", "messages": AG_UI}, [ASKED, ("call weather", "{}"), ("tool", "20")]),
    # Llama 3's role for the output of code
    ("messages", {"messages": [ASK, {"role": "ipython", "content": "20"}]}, [ASKED, ("tool", "20")]),
]


@pytest.mark.parametrize(("name", "row", "expected"), ROWS, ids=ids_of(ROWS))
def test_a_row_is_read_as_a_person_reads_it(name: str, row: dict[str, Any], expected: list[Pair]) -> None:
    check_row(name, row, expected)


def test_media_of_messages_are_read_from_their_columns() -> None:
    row = {"messages": [{"role": "user", "content": "<image>Who?"}], "images": ["a.jpg"]}
    [conversation] = conversations(row)
    [image, text] = conversation.messages[0].content
    assert (getattr(image, "url", None), getattr(text, "text", None)) == ("a.jpg", "Who?")


def test_the_layout_of_a_changed_row_is_detected_again() -> None:
    row: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "Why?"}]}]}
    assert read_row(Plan((AUTO,)), row).layout.name == "gemini"
    row["messages"] = [{"role": "user", "content": row.pop("contents")[0]["parts"][0]["text"]}]
    assert read_row(Plan((AUTO,)), row).layout.name == "messages"


NUMPY = " ".join(("[" + str(TURNS[0]), *(f"\n {turn}" for turn in TURNS[1:]))) + "]"


@pytest.mark.parametrize("text", [str(TURNS), NUMPY, str([{**TURNS[0], "weight": None}, TURNS[1]])])
@pytest.mark.parametrize("column", ["messages", "conversations"])
def test_messages_that_are_printed_python_values_are_read(column: str, text: str) -> None:
    row = {column: text, "id": "1"}
    found = read_row(Plan((AUTO,)), row)
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [(turn["role"], turn["content"]) for turn in TURNS]
    assert [(each.code, each.path) for each in found.documents[0].findings] == [("json-repaired", f"/{column}")]
    assert found.extra_columns == {"id": "1"}


ANSWERS = [{"role": "assistant", "content": text} for text in ("Because.", "No.")]
PRINTED: list[RowCase] = [
    ("texts", {"conversations": "['Why?', 'Because.']"}, BOTH),
    ("texts", {"data": "[\"Why?\" 'Because.']"}, BOTH),
    ("texts", {"dialog": json.dumps(["Why?", "Because."])}, BOTH),
    ("texts", {"dialog": "[['Why?' 'Because.']]"}, BOTH),
    ("alpaca", {"instruction": "Why?", "output": "Because.", "history": "[['Hi', None]]"}, [("user", "Hi"), *BOTH]),
    ("prompt-completion", {"prompt": str([ASK]), "completion": "[{'role': 'ai', 'content': 'Because.'}]"}, BOTH),
    ("messages", {"messages": "[{'role': 'user', 'content': array([{'type': 'text', 'text': 'Why?'}])}]"}, [ASKED]),
    ("messages", {"messages": "[{'content': 'Why?', 'role': 'user', 'calls': array([], dtype=object)}]"}, [ASKED]),
    ("alpaca", {"question": json.dumps([ASK]), "answer": "Because."}, BOTH),
    (
        "arena",
        {"conversation_a": str([ASK, ANSWERS[0]]), "conversation_b": json.dumps([ASK, ANSWERS[1]]), "winner": "a"},
        BOTH,
    ),
    ("messages", {"messages": [json.dumps(ASK), '{"role": "assistant", "content": "Because."}']}, BOTH),
    ("messages", {"messages": json.dumps([json.dumps(ASK)])}, [ASKED]),
]
"""Lists as `str`, pandas (`to_csv`) and numpy print them, and lists of messages as JSON texts."""


@pytest.mark.parametrize(("name", "row", "expected"), PRINTED, ids=ids_of(PRINTED))
def test_lists_that_are_texts_are_read(name: str, row: dict[str, Any], expected: list[Pair]) -> None:
    check_row(name, row, expected)


@pytest.mark.parametrize("images", [["a.jpg"], "a.jpg", '["a.jpg"]', "['a.jpg']"], ids=str)
def test_the_addresses_of_media_may_be_a_text(images: Any) -> None:
    row = {"conversations": [{"from": "human", "value": "<image>Who?"}], "images": images}
    [conversation] = conversations(row)
    assert getattr(conversation.messages[0].content[0], "url", None) == "a.jpg"


@pytest.mark.parametrize("text", EXAMPLES["a dialogue as plain text"])
def test_what_is_called_a_dialogue_is_read_as_one(text: str) -> None:
    [conversation] = conversations({"text": text})
    assert as_pairs(conversation.messages) == [("user", "Hi"), ("assistant", "Hello")]


@pytest.mark.parametrize(
    "text",
    [
        "# User\n\nAn account.\n\n## Response\n\nJSON.",  # headings of several levels are those of a page
        "**User:** Why?",
        "Me: Why?\nYou: Because.",  # a chat of people
    ],
)
def test_texts_with_few_labels_are_no_dialogues(text: str) -> None:
    with pytest.raises(BridgeError):
        read_row(Plan((AUTO,)), {"text": text})


@pytest.mark.parametrize("empty", [[], "[]", ""])
def test_an_empty_column_of_tools_does_not_hide_another_one(empty: Any) -> None:
    declared: list[Any] = [{"name": "look", "parameters": {"type": "object", "properties": {}}}]
    row: dict[str, Any] = {
        "messages": [ASK, {"role": "assistant", "content": "Because."}],
        "tools": empty,
        "functions": declared,
    }
    [conversation] = conversations(row)
    assert [tool.name for tool in conversation.tools or ()] == ["look"]
    assert not conversations(row | {"functions": []})[0].tools


@pytest.mark.parametrize("tools", ["search, calculator", ["search"], "None", "null", "nan"], ids=str)
def test_names_of_tools_are_an_extra_column(tools: Any) -> None:
    found = read_row(Plan((AUTO,)), {"messages": [ASK], "tools": tools})
    assert (found.layout.name, found.extra_columns) == ("messages", {"tools": tools})
    with pytest.raises(BridgeError):
        read_row(Plan((AUTO,)), {"messages": [ASK], "tools": '[{"name": '})


def test_printed_tools_are_declared() -> None:
    found = read_row(Plan((AUTO,)), {"messages": [ASK], "tools": str([{"type": "function", "function": WEATHER}])})
    [document] = found.documents
    assert document.value["tools"] == [{"type": "function", "function": WEATHER}]
    assert [(each.code, each.path) for each in document.findings] == [("json-repaired", "/tools")]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "[{'a': 1}]",
            "[{'role': f()}]",
            "[{'role': 'user'",
            "[1, 2]",
            "[{'role': 'user'} x]",
            "['Why?'",
            "['a', [['b']]]",
        ),
        *("[{'role': array(1)}]", "[{'role': 'user', 'content': array([f()])}]", "['a', 1]"),
    ],
)
def test_other_printed_python_values_are_refused(text: str) -> None:
    with pytest.raises(BridgeError):
        read_row(Plan((AUTO,)), {"messages": text})


@pytest.mark.parametrize(
    ("member", "weight"),
    [
        ({"loss": False}, 0),
        ({"train": True}, 1),
        ({"training": False}, 0),  # axolotl's default for `message_field_training`
        ({"loss_weight": 0.5}, 0.5),
        ({"loss": 2.3}, None),
        ({"loss": None}, None),
    ],
)
def test_other_members_for_the_training_weight_of_a_message_are_read(
    member: dict[str, Any], weight: float | None
) -> None:
    [conversation] = conversations({"messages": [ASK, {"role": "assistant", "content": "Because.", **member}]})
    assert [message.weight for message in conversation.messages] == [None, weight]


def test_the_path_of_an_error_has_the_name_of_the_column() -> None:
    for row, path in [
        ({"ground_truth": [["f(1)"]]}, "/ground_truth/0/0"),
        ({"dialog": [ASK], "functions": "{"}, "/functions"),
    ]:
        with pytest.raises(BridgeError) as caught:
            conversations(row)
        assert caught.value.path == path


def test_sharegpt_rows_have_every_word_for_a_role_that_messages_have() -> None:
    """shenweizhou/alpha-umi-toolbench-processed-v2 and medical dialogues have words that ShareGPT does not know."""
    for word, role in ROLES.items():
        row = {"conversations": [{"from": "human", "value": "Why?"}, {"from": word, "value": "Because."}]}
        found = read_row(Plan((AUTO,)), row)
        [conversation] = conversations(row)
        assert (found.layout.name, conversation.messages[-1].role) == ("sharegpt", role), word
