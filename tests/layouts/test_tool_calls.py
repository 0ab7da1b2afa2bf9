"""Rows with tools, calls and results: layouts of function calling, and calls in messages."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from layouts.row_pieces import (
    ASK,
    ASKED,
    CALL,
    DOLCI,
    TURN,
    WEATHER,
    WEATHER_TEXT,
    RowCase,
    check_row,
    ids_of,
)
from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, plan_of, read_row
from ocml_bridge.layouts.pieces import Pieces
from rows import Pair, as_pairs, conversations

MARKET = json.dumps({**WEATHER, "name": "Market API", "required": None})


ROWS: list[RowCase] = [
    # lilacai/glaive-function-calling-v2-sharegpt (Apache-2.0): the token at the end of a call is no part of it
    (
        "hermes-functions",
        {
            "conversations": [
                TURN,
                {"from": "gpt", "value": '<functioncall> {"name": "weather", "arguments": \'{}\'} <|endoftext|>'},
                {"from": "tool", "value": "20"},
            ]
        },
        [ASKED, ("call weather", "{}"), ("tool", "20")],
    ),
    *(
        (
            "hermes-functions",
            {
                "conversations": [
                    TURN,
                    {"from": "gpt", "value": '<functioncall> {"name": "weather", "arguments": \'{}\'} <|endoftext|>'},
                    result,
                    {"from": "gpt", "value": "Warm. <|endoftext|>"},
                ]
            },
            [ASKED, ("call weather", "{}"), ("tool", "20"), ("assistant", "Warm.")],
        )
        for result in ({"from": "tool", "value": "20"}, {"from": "human", "value": "FUNCTION RESPONSE: 20"})
    ),
    # HuggingFaceTB/smoltalk, `apigen-80k` (Apache-2.0): an empty list of calls says that there is none
    (
        "hermes-functions",
        {"messages": [ASK, {"role": "assistant", "content": "<tool_call>[]</tool_call>"}]},
        [ASKED, ("assistant", "<tool_call>[]</tool_call>")],
    ),
    # LLaMA-Factory v1
    (
        "llamafactory-v1",
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "value": "Rome?"}]},
                {
                    "role": "assistant",
                    "content": [{"type": "reasoning", "value": "Hm."}, {"type": "tool_call", "value": CALL}],
                },
                {"role": "tool", "content": [{"type": "text", "value": "20"}]},
            ]
        },
        [("user", "Rome?"), ("thought", "Hm."), ("call weather", '{"city":"Rome"}'), ("tool", "20")],
    ),
    # hermes-function-calling-v1
    (
        "hermes-functions",
        {
            "conversations": [
                {"from": "system", "value": f"Call.\n<tools>[{WEATHER_TEXT}]</tools>\nSo."},
                {"from": "human", "value": "Rome?"},
                {"from": "gpt", "value": f"Let me see.\n<tool_call>\n{CALL}\n</tool_call>"},
                {"from": "tool", "value": "<tool_response>\n20\n</tool_response>"},
                {"from": "gpt", "value": "20 degrees."},
            ]
        },
        [
            ("system", "Call.\nSo."),
            ("user", "Rome?"),
            ("assistant", "Let me see."),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "20"),
            ("assistant", "20 degrees."),
        ],
    ),
    # glaive-function-calling-v2
    (
        "glaive",
        {
            "system": f"SYSTEM: You have access to the following functions. Use them -\n{WEATHER_TEXT}\n",
            "chat": 'USER: Rome?\n\n\nASSISTANT: <functioncall> {"name": "weather", "arguments": \'{"city": "Rome"}\'} '
            "<|endoftext|>\n\n\nFUNCTION RESPONSE: 20\n\n\nASSISTANT: 20 degrees. <|endoftext|>\n\n\n",
        },
        [
            ("system", "You have access to the following functions. Use them -"),
            ("user", "Rome?"),
            ("call weather", '{"city": "Rome"}'),
            ("tool", "20"),
            ("assistant", "20 degrees."),
        ],
    ),
    # xlam-function-calling-60k
    (
        "xlam",
        {"id": 1, "query": "Rome?", "answers": f"[{CALL}]", "tools": f"[{WEATHER_TEXT}]"},
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}')],
    ),
    # the Berkeley Function-Calling Leaderboard
    ("bfcl", {"question": [[{"role": "user", "content": "Why?"}]], "function": [WEATHER]}, [ASKED]),
    (
        "bfcl",
        {"question": [{"role": "user", "content": "Why?"}], "function": [WEATHER]},
        [ASKED],
    ),
    # its newer parts: the tools are named in another column, and some turns are empty
    (
        "bfcl",
        {
            "question": [[{"role": "user", "content": "Why?"}], [], [{"role": "user", "content": "So?"}]],
            "involved_classes": ["MathAPI"],
        },
        [ASKED, ("user", "So?")],
    ),
    (
        "bfcl-answers",
        {"id": "0", "ground_truth": [{"weather": {"city": ["Rome", "Roma"], "unit": ["", "C"]}}]},
        [("call weather", '{"city":"Rome"}')],
    ),
    # ToolACE: functions in the system's text, calls as Python in brackets, results in a list
    (
        "toolace",
        {
            "system": f"Here is a list of functions:\n[{MARKET}, {WEATHER_TEXT}].\nWrite them as [func1(a=b)].",
            "conversations": [
                {"from": "user", "value": "Rome?"},
                {
                    "from": "assistant",
                    "value": '[Market API(type="A, (b)", n=[1, {"k": null}], ok=true), weather(city=\'Rome\')]',
                },
                {
                    "from": "tool",
                    "value": '[{"name": "Market API", "results": {"ok": 1}}, {"name": "weather", "results": "20"}]',
                },
                {"from": "assistant", "value": "20 degrees."},
            ],
        },
        [
            ("system", "Here is a list of functions:\n.\nWrite them as [func1(a=b)]."),
            ("user", "Rome?"),
            ("call Market API", '{"type":"A, (b)","n":[1,{"k":null}],"ok":true}'),
            ("call weather", '{"city":"Rome"}'),
            ("tool", '{"ok":1}'),
            ("tool", "20"),
            ("assistant", "20 degrees."),
        ],
    ),
    # NESTFUL (its wrapper 0.0.8, data_v1 and its card): calls that name their results, with and without tools
    (
        "xlam",
        {"input": "Rome?", "output": [{"name": "weather", "arguments": {"city": "Rome"}, "label": "var1"}]},
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}')],
    ),
    (
        "xlam",
        {
            "sample_id": "1",
            "input": "Rome?",
            "output": '[{"name": "weather", "arguments": {"city": "Rome"}, "label": "$var_1"}]',
            "tools": json.dumps([WEATHER]),
            "gold_answer": "20",
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}')],
    ),
    # the instruction next to an input is not the whole question
    (
        "xlam",
        {"instruction": "Call.", "input": "Rome?", "output": json.dumps([{"name": "weather"}]), "tools": [WEATHER]},
        [("user", "Call.\nRome?"), ("call weather", "{}")],
    ),
    # xLAM's data, whose steps its model reads (README of xLAM-7b-r, Berkeley's handler for it)
    (
        "agent-steps",
        {
            "task_instruction": "You are an expert.",
            "query": "Rome?",
            "tools": [WEATHER],
            "few_shot_examples": [],
            "steps": [
                {
                    "step_id": 1,
                    "thought": "Hm.",
                    "tool_calls": [{"name": "weather", "arguments": {"city": "Rome"}}],
                    "next_observation": "20",
                    "user_input": "",
                },
                {"step_id": 2, "thought": "20.", "tool_calls": [], "next_observation": "", "user_input": "And Pisa?"},
                {"step_id": 3, "thought": "", "tool_calls": [{"name": "weather"}], "next_observation": ""},
            ],
        },
        [
            *(("system", "You are an expert."), ("user", "Rome?"), ("thought", "Hm.")),
            *(("call weather", '{"city":"Rome"}'), ("tool", "20"), ("assistant", "20."), ("user", "And Pisa?")),
            ("call weather", "{}"),
        ],
    ),
    # messages of Chat Completions whose calls and results are text in tags, as templates render them
    (
        "hermes-functions",
        {
            "messages": [
                {"role": "system", "content": f"You may call functions.\n<tools>\n{WEATHER_TEXT}\n</tools>"},
                {"role": "user", "content": "Rome?"},
                {"role": "assistant", "content": f"<think>\nHm.\n</think>\n\n<tool_call>\n{CALL}\n</tool_call>"},
                {"role": "user", "content": "<tool_response>\n20\n</tool_response>"},
                {"role": "assistant", "content": "20 degrees."},
            ]
        },
        [
            ("system", "You may call functions."),
            ("user", "Rome?"),
            ("thought", "Hm."),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "20"),
            ("assistant", "20 degrees."),
        ],
    ),
]


@pytest.mark.parametrize(("name", "row", "expected"), ROWS, ids=ids_of(ROWS))
def test_a_row_is_read_as_a_person_reads_it(name: str, row: dict[str, Any], expected: list[Pair]) -> None:
    check_row(name, row, expected)


def test_functions_of_olmos_data_are_read_as_tools() -> None:
    [conversation] = conversations({"messages": DOLCI})
    assert [tool.name for tool in conversation.tools or ()] == ["weather"]


def test_code_that_is_not_a_call_is_not_changed() -> None:
    each = {"role": "assistant", "content": None, "function_calls": "print(x)"}
    [document] = read_row(Plan((AUTO,)), {"messages": [ASK, each]}).documents
    assert document.value["messages"][1] == each


def test_a_reply_whose_id_is_that_of_a_call_answers_that_call() -> None:
    """tau2: the `id` of a tool's message is the id of the call."""
    call: dict[str, Any] = {"name": "weather", "arguments": {}, "requestor": "assistant"}
    calls = [{"id": name, **call} for name in ("one", "two")]
    replies = [{"id": name, "role": "tool", "content": name, "requestor": "assistant"} for name in ("two", "one")]
    [conversation] = conversations({"messages": [ASK, {"role": "assistant", "tool_calls": calls}, *replies]})
    assert [(each.call_id, each.content) for each in conversation.messages if each.role == "tool"] == [
        ("two", "two"),
        ("one", "one"),
    ]


@pytest.mark.parametrize("given", [[WEATHER], [{"type": "function", "function": WEATHER}]], ids=["bare", "wrapped"])
def test_tools_may_be_functions_or_wrapped_functions_a_list_or_json_text(given: list[Any]) -> None:
    for tools in (given, json.dumps(given)):
        [conversation] = conversations({"messages": [{"role": "user", "content": "Why?"}], "tools": tools})
        assert conversation.tools is not None
        assert [(tool.name, tool.description) for tool in conversation.tools] == [("weather", "Of a city.")]


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
OF_APIS: list[dict[str, Any]] = [
    {"name": "weather", "description": "Of a city.", "input_schema": SCHEMA},
    {"name": "weather", "description": "Of a city.", "inputSchema": SCHEMA},  # MCP
    {"functionDeclarations": [{"name": "weather", "description": "Of a city.", "parameters": SCHEMA}]},
    {"toolSpec": {"name": "weather", "description": "Of a city.", "inputSchema": {"json": SCHEMA}}},
    {"type": "function", "name": "weather", "description": "Of a city.", "parameters": SCHEMA},
]
CALLED: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
MADE: dict[str, list[dict[str, Any]]] = {
    "openai": [{"role": "assistant", "tool_calls": [CALLED]}, {"role": "tool", "tool_call_id": "c", "content": "20"}],
    "anthropic": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "weather", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "20"}]},
    ],
    "openai-responses": [
        {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "20"},
    ],
}


@pytest.mark.parametrize("tool", OF_APIS, ids=lambda tool: "-".join(tool))
@pytest.mark.parametrize("column", ["history", "conversations", "trajectory"])
@pytest.mark.parametrize("api", MADE)
def test_tools_in_the_form_of_any_api_are_declared_next_to_messages_of_any(
    api: str, column: str, tool: dict[str, Any]
) -> None:
    """The column is not one in which the format's own reader looks."""
    [conversation] = conversations({column: [{"role": "user", "content": "Why?"}, *MADE[api]], "tools": [tool]})
    assert as_pairs(conversation.messages) == [ASKED, ("call weather", "{}"), ("tool", "20")]
    assert [(each.name, each.description, each.parameters) for each in conversation.tools or ()] == [
        ("weather", "Of a city.", SCHEMA)
    ]


def test_messages_of_chat_completions_are_these_next_to_tools_as_anthropics() -> None:
    row = {"messages": [{"role": "user", "content": "Why?"}, *MADE["openai"]], "tools": OF_APIS[:1]}
    assert read_row(Plan((AUTO,)), row).layout.name == "messages"
    assert as_pairs(conversations(row)[0].messages)[-1] == ("tool", "20")


@pytest.mark.parametrize("spelled", [json.dumps, dict])
def test_tools_in_metadata_are_declared(spelled: Any) -> None:
    """Nemotron-Post-Training-Dataset-v1 (its card), the rows of tool calling."""
    row = {"messages": [{"role": "user", "content": "Why?"}], "metadata": spelled({"tools": [WEATHER], "seed": 1})}
    [conversation] = conversations(row)
    assert [tool.name for tool in conversation.tools or ()] == ["weather"]
    assert read_row(Plan((AUTO,)), row).extra_columns == {"metadata": row["metadata"]}


@pytest.mark.parametrize(
    "metadata", [{"tools": ["weather"]}, {"tools": [{"name": "weather"}]}, '{"tools"', "tools", None]
)
def test_metadata_without_declarations_declares_no_tools(metadata: Any) -> None:
    [conversation] = conversations({"messages": [{"role": "user", "content": "Why?"}], "metadata": metadata})
    assert not conversation.tools


def test_calls_and_texts_in_one_column_are_distinguished_in_any_order() -> None:
    texts = ["20 degrees.", json.dumps([{"name": "weather", "arguments": {}}])]
    for outputs in (texts, texts[::-1]):
        rows = [{"input": f"Rome? {len(outputs[0])}", "output": each, "tools": [WEATHER]} for each in outputs]
        found = [as_pairs(conversations(row)[0].messages)[-1][0] for row in rows]
        assert found == ["assistant" if each == texts[0] else "call weather" for each in outputs]


def test_what_a_chat_template_is_given_besides_messages_is_read() -> None:
    """SmolTalk 2 (its card): tools as JSON texts, and the system prompt."""
    kwargs = {"xml_tools": [json.dumps(WEATHER)], "python_tools": [], "custom_instructions": "Be brief."}
    row: dict[str, Any] = {"messages": [{"role": "user", "content": "Why?"}], "chat_template_kwargs": kwargs}
    [conversation] = conversations(row)
    assert [tool.name for tool in conversation.tools or ()] == ["weather"]
    assert as_pairs(conversation.messages) == [("system", "Be brief."), ("user", "Why?")]
    assert read_row(Plan((AUTO,)), row).extra_columns == {"chat_template_kwargs": kwargs}
    row["messages"].insert(0, {"role": "system", "content": "You are kind."})
    assert as_pairs(conversations(row)[0].messages) == [("system", "You are kind."), ("user", "Why?")]


def test_a_column_of_tools_comes_before_those_in_metadata() -> None:
    row = {"messages": [{"role": "user", "content": "Why?"}], "tools": [], "metadata": {"tools": [WEATHER]}}
    assert not conversations(row)[0].tools


def test_choices_among_messages_are_messages() -> None:
    """ART (OpenPipe), `art/trajectories.py`: an answer is a choice of Chat Completions."""
    choice = {"finish_reason": "tool_calls", "index": 0, "logprobs": None, "message": MADE["openai"][0]}
    row = {
        "messages_and_choices": [{"role": "user", "content": "Why?"}, choice, MADE["openai"][1]],
        "tools": [{"type": "function", "function": WEATHER}],
        "reward": 1.0,
    }
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [ASKED, ("call weather", "{}"), ("tool", "20")]
    assert [tool.name for tool in conversation.tools or ()] == ["weather"]
    found = read_row(Plan((AUTO,)), row)
    assert found.documents[0].extra_columns == {"nodes": [{"finish_reason": "tool_calls", "index": 0}]}


def test_parameters_without_a_schema_become_its_properties() -> None:
    tool = {"name": "f", "description": "d", "parameters": {"n": {"type": "int"}}}
    [conversation] = conversations({"query": "Why?", "answers": "[]", "tools": [tool]})
    assert conversation.tools is not None
    assert conversation.tools[0].parameters == {"type": "object", "properties": {"n": {"type": "int"}}}


@pytest.mark.parametrize(
    "value", ['{"name", "f"}', '{"name": "f", "arguments": {"a"}}', '{"name": "f", 1: 2}', "{b'x': 1}"]
)
def test_a_python_value_that_json_cannot_represent_is_not_a_call(value: str) -> None:
    """Found by fuzzing: a set, bytes or a key that is not a text raised TypeError. The turn is kept, or refused."""
    turns = [{"from": "human", "value": "Hi"}, {"from": "function_call", "value": value}]
    for row in ({"conversations": turns}, {"text": f"USER: Hi\nASSISTANT: <functioncall> {value}"}):
        with suppress(BridgeError):
            assert value in str(read_row(Plan((AUTO,)), row).documents[0].value)


def test_each_result_in_one_list_answers_its_parallel_call() -> None:
    def message(role: str, *parts: tuple[str, str]) -> dict[str, Any]:
        return {"role": role, "content": [{"type": kind, "value": value} for kind, value in parts]}

    results = [{"tool_call_id": "x", "name": "weather", "content": {"C": 20}}, {"name": "weather", "content": "21"}]
    called = message("assistant", ("tool_call", CALL), ("tool_call", CALL))
    row = {"messages": [message("user", ("text", "?")), called, message("tool", ("text", json.dumps(results)))]}
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages)[3:] == [("tool", '{"C":20}'), ("tool", "21")]
    alone = message("tool", ("text", "[1, 2, 3]"))
    [conversation] = conversations({"messages": [message("user", ("text", "?")), called, alone]})
    assert as_pairs(conversation.messages)[3:] == [("tool", "[1, 2, 3]")]


@pytest.mark.parametrize("part", [{"type": ["text"], "value": "Why?"}, {"type": "reasoning", "value": 1}])
def test_llamafactory_v1_refuses_parts_with_values_of_another_type(part: dict[str, Any]) -> None:
    with pytest.raises(BridgeError):
        read_row(plan_of("llamafactory-v1"), {"messages": [{"role": "assistant", "content": [part]}]})


@pytest.mark.parametrize(
    ("column", "declared", "is_kept"),
    [("[]", ["f"], False), ('[{"name": "f"}]', ["f"], False), ('[{"name": "g"}]', ["g"], True)],
)
def test_tools_that_only_the_system_prompt_declares_are_read(
    column: str, declared: list[str], *, is_kept: bool
) -> None:
    turns = [
        {"from": "system", "value": 'Call them. <tools>[{"name": "f"}]</tools>'},
        {"from": "human", "value": "Why?"},
        {"from": "gpt", "value": '<tool_call>{"name": "f", "arguments": {}}</tool_call>'},
    ]
    (document,) = read_row(Plan((AUTO,)), {"conversations": turns, "tools": column}).documents
    value: Any = document.value
    assert [each["function"]["name"] for each in value["tools"]] == declared
    assert ("<tools>" in value["messages"][0]["content"]) == is_kept
    assert [each.code for each in document.findings] == (["shape"] if is_kept else [])


def test_a_column_of_other_tools_than_those_of_the_system_prompt_is_an_extra_column() -> None:
    turns = [
        {"from": "system", "value": 'Call [{"name": "f", "description": "", "parameters": {}}]'},
        {"from": "user", "value": "Why?"},
        {"from": "assistant", "value": "[f(a=1)]"},
    ]
    found = read_row(Plan((AUTO,)), {"conversations": turns, "tools": '[{"name": "g"}]'})
    assert (found.layout.name, found.extra_columns) == ("toolace", {"tools": '[{"name": "g"}]'})


@pytest.mark.parametrize(
    "value",
    [
        "[weather(city=Rome)]",
        "[weather('Rome')]",
        "[weather(city='Rome'), other(a=1)]",
        "[weather(city='Rome')] Done.",
        "[weather(city='Rome']",
        "[weather(**{'city': 'Rome'})]",
        "[weather(city=__import__('os'))]",
    ],
)
def test_text_in_brackets_that_is_not_a_call_is_read_as_text(value: str) -> None:
    turns = [
        {"from": "human", "value": "Rome?"},
        {"from": "gpt", "value": value},
        {"from": "human", "value": "And?"},
        {"from": "gpt", "value": "[weather(city='Oslo')]"},
    ]
    [conversation] = conversations({"system": f"Functions: [{WEATHER_TEXT}]", "conversations": turns})
    assert as_pairs(conversation.messages)[2:] == [
        ("assistant", value),
        ("user", "And?"),
        ("call weather", '{"city":"Oslo"}'),
    ]


def test_one_result_for_two_calls_of_the_same_tool_is_read_as_one_reply() -> None:
    turns = [
        {"from": "human", "value": "Rome?"},
        {"from": "gpt", "value": "[weather(city='Rome'), weather(city='Oslo')]"},
        {"from": "tool", "value": '[{"name": "weather", "results": 20}]'},
    ]
    row = {"system": f"Functions: [{WEATHER_TEXT}]", "conversations": turns}
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages)[-1] == ("tool", '[{"name": "weather", "results": 20}]')
    [document] = read_row(Plan((AUTO,)), row).documents
    assert [each.code for each in document.findings] == ["shape"]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool-call", "toolCallId": "c", "toolName": "weather", "input": {}, "providerOptions": {"a": 1}},
        {"type": "tool-result", "toolCallId": "c", "toolName": "weather"},
        {"type": "tool_call", "tool_call_id": "c", "arguments": {}},
        {"type": "tool_call", "name": "weather", "arguments": {}, "input": {}},
        {"type": "tool_call", "note": 1, "tool_call": {"id": "c", "function": {"name": "weather"}}},
        {"type": "tool_call", "tool_call": {"id": "c", "note": 1, "function": {"name": "weather"}}},
    ],
    ids=["a member that is not known", "no result", "no name", "arguments twice", "a note", "a note inside"],
)
def test_parts_of_calls_with_unknown_or_missing_members_are_not_changed(part: dict[str, Any]) -> None:
    row = {"messages": [ASK, {"role": "assistant", "content": [part]}]}
    assert read_row(Plan((AUTO,)), row).documents[0].value == row


def test_the_content_of_a_reply_shows_that_the_result_is_an_error() -> None:
    failed = {"type": "error-text", "value": "No."}
    result = {"type": "tool-result", "toolCallId": "c", "toolName": "weather", "output": failed}
    [conversation] = conversations({"messages": [ASK, {"role": "tool", "content": [result]}]})
    assert as_pairs(conversation.messages) == [ASKED, ("tool", '{"type":"error-text","value":"No."}')]


@pytest.mark.parametrize("role", ["user", "system"])
def test_calls_and_thoughts_of_other_roles_are_not_changed(role: str) -> None:
    part: dict[str, Any] = {"type": "tool-call", "toolCallId": "c", "toolName": "weather", "input": {}}
    row: dict[str, Any] = {"messages": [ASK, {"role": role, "content": [part, {"type": "reasoning", "text": "Hm."}]}]}
    assert read_row(Plan((AUTO,)), row).documents[0].value == row


def test_other_members_of_a_message_with_parts_of_calls_stay_in_its_first_message() -> None:
    call = {"type": "tool_call", "tool_call": {"id": "c", "type": "function", "function": {"name": "f"}}}
    row = {"messages": [ASK, {"role": "assistant", "run_id": 3, "content": [{"type": "text", "text": "Hm."}, call]}]}
    [document] = read_row(Plan((AUTO,)), row).documents
    called = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    assert document.value["messages"][1:] == [
        {"role": "assistant", "run_id": 3, "content": "Hm.", "tool_calls": called}
    ]


def test_the_system_column_comes_before_turns_with_calls_in_tags() -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    turns = [{"from": "human", "value": "Why?"}, {"from": "gpt", "value": call}]
    found = read_row(Plan((AUTO,)), {"system": "Be brief.", "conversations": turns})
    document: Any = found.documents[0].value
    assert found.layout.name == "hermes-functions"
    assert [each["role"] for each in document["messages"]] == ["system", "user", "assistant"]


def test_code_for_the_interpreter_is_a_call_of_a_custom_tool() -> None:
    """ChatGLM3's role for code (`ipython`): the code is the input of a custom tool, and not arguments of a function."""
    pieces = Pieces("assistant")
    pieces.command("ipython", "1 + 1")
    (message,) = pieces.messages()
    assert message["tool_calls"] == [{"type": "custom", "custom": {"name": "ipython", "input": "1 + 1"}}]
