"""Calls that agents write as tags in their texts, with what the user then tells them of the result."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, plan_of, read_row
from rows import Pair, as_pairs, conversations

ASK = {"role": "user", "content": "Fix it."}
CALL = "<function=bash>\n<parameter=command>ls</parameter>\n</function>"
OBSERVED = {"role": "user", "content": "OBSERVATION:\na.py"}
RESULT_WITH_NAME = {"role": "user", "content": "EXECUTION RESULT of [bash]:\na.py"}
CALLED: list[Pair] = [("call bash", '{"command":"ls"}'), ("tool", "a.py")]
PREVIEW = Plan((AUTO,), preview=True)


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def read_as(*messages: dict[str, Any], plan: Plan | None = None) -> list[Pair]:
    [conversation] = conversations({"messages": [ASK, *messages]}, plan)
    return as_pairs(conversation.messages)[1:]


def findings(*messages: dict[str, Any]) -> list[tuple[str, str]]:
    [document] = read_row(Plan((AUTO,)), {"messages": [ASK, *messages]}).documents
    return [(each.path, each.code.value) for each in document.findings]


IN_A_PART = {"role": "user", "content": [{"type": "text", "text": "OBSERVATION:\na.py"}]}
"""As SWE-agent's trajectories store it (SWE-bench/SWE-smith-trajectories)."""


@pytest.mark.parametrize("result", [OBSERVED, IN_A_PART, RESULT_WITH_NAME, {"role": "tool", "content": "a.py"}])
def test_a_function_in_tags_is_a_call_if_its_result_follows(result: dict[str, Any]) -> None:
    assert read_as(assistant(CALL), result) == CALLED
    assert findings(assistant(CALL), result) == [("/messages/1/content", "shape")]  # no tool gives a type


@pytest.mark.parametrize(
    "after",
    [[], [{"role": "user", "content": "Thanks."}], [{"role": "user", "content": "EXECUTION RESULT of [f]:\n1"}]],
)
def test_without_a_result_it_is_text(after: list[dict[str, Any]]) -> None:
    assert read_as(assistant(CALL), *after)[0] == ("assistant", CALL)


def test_beside_others_that_are_answered_the_last_one_is_a_call() -> None:
    assert read_as(assistant(CALL), OBSERVED, assistant(CALL)) == [*CALLED, CALLED[0]]


def test_one_that_nothing_answers_stays_text_and_is_found() -> None:
    assert read_as(assistant(CALL), OBSERVED, assistant(CALL), ASK) == [
        *CALLED,
        ("assistant", CALL),
        ("user", "Fix it."),
    ]
    assert findings(assistant(CALL), OBSERVED, assistant(CALL), ASK)[1:] == [("/messages/3/content", "markup")]


@pytest.mark.parametrize(
    ("inner", "arguments"),
    [
        ("<parameter=a>\n\n x \n\n</parameter>", '{"a":"\\n x \\n"}'),
        ("<parameter=a></parameter>\n<parameter=b>1</parameter>", '{"a":"","b":"1"}'),
        ("<parameter=a><b></parameter> <i></parameter>", '{"a":"<b></parameter> <i>"}'),
    ],
)
def test_values_end_where_another_tag_follows(inner: str, arguments: str) -> None:
    assert read_as(assistant(f"<function=f>\n{inner}\n</function>"), OBSERVED)[0] == ("call f", arguments)


@pytest.mark.parametrize(
    "inner", ["<parameter=a>1</parameter>\n<parameter=a>2</parameter>", "<parameter=a>1", "a", "</parameter>"]
)
def test_what_is_no_call_stays_text(inner: str) -> None:
    text = f"<tool_call>\n<function=f>\n{inner}\n</function>\n</tool_call>"
    assert read_as(assistant(text), OBSERVED) == [("assistant", text), ("user", "OBSERVATION:\na.py")]
    assert findings(assistant(text), OBSERVED) == [("/messages/1/content", "json-opaque")]


# --- Cline and Roo Code -----------------------------------------------------------------------------------------------

READ = "<read_file>\n<path>a.py</path>\n</read_file>"
RESULT = {"role": "user", "content": "[read_file for 'a.py'] Result:\nx = 1"}
READ_CALLS: list[Pair] = [("call read_file", '{"path":"a.py"}'), ("tool", "x = 1")]


def test_a_history_of_cline_is_read_only_as_a_preview() -> None:
    assert read_as(assistant(READ), RESULT)[0] == ("assistant", READ)
    assert read_as(assistant(READ), RESULT, plan=PREVIEW) == READ_CALLS
    with pytest.raises(BridgeError, match=r"OCB-OPTION.*preview: true"):
        plan_of("cline")


def test_a_command_in_the_label_may_have_lines_and_brackets() -> None:
    call = "<execute_command>\n<command>a[0]\nb</command>\n</execute_command>"
    result = {"role": "user", "content": "[execute_command for 'a[0]\nb'] Result:\n\nx = 1"}
    assert read_as(assistant(call), result, plan=PREVIEW) == [
        ("call execute_command", '{"command":"a[0]\\nb"}'),
        ("tool", "x = 1"),
    ]


def test_a_value_may_hold_tags() -> None:
    html = "<p>\n</content>\n</p>"
    call = f"<write_to_file>\n<path>a</path>\n<content>\n{html}\n</content>\n</write_to_file>"
    result = {"role": "user", "content": "[write_to_file for 'a'] Result:\nx = 1"}
    arguments = '{"path":"a","content":"<p>\\n</content>\\n</p>"}'
    assert read_as(assistant(call), result, plan=PREVIEW) == [("call write_to_file", arguments), ("tool", "x = 1")]


@pytest.mark.parametrize(
    "messages",
    [
        [assistant(f"{READ}\nand more"), RESULT],
        [assistant(READ), {"role": "user", "content": "[list_files for 'a'] Result:\nx"}],
        [assistant("<read_file>\na.py\n</read_file>"), RESULT],
    ],
)
def test_a_call_and_a_result_that_do_not_agree_stay_text_and_are_found(messages: list[dict[str, Any]]) -> None:
    row = {"messages": [ASK, assistant(READ), RESULT, *messages, assistant("Done.")]}
    found = read_row(PREVIEW, row)
    assert read_as(*row["messages"][1:], plan=PREVIEW)[:3] == [*READ_CALLS, ("assistant", messages[0]["content"])]
    assert [(each.path, each.code.value) for each in found.documents[0].findings] == [("/messages/3/content", "markup")]


def test_a_plain_chat_is_none() -> None:
    assert read_row(PREVIEW, {"messages": [ASK, assistant("<b>\n<i>x</i>\n</b>"), ASK]}).layout.name == "messages"
    assert read_row(PREVIEW, {"messages": [ASK, assistant("Done."), RESULT]}).layout.name == "messages"


# --- xLAM-2 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    ['[{"name": "h", "arguments": {}}]', '[{"name": "f", "arguments": {}, "id": 1}]', '[{"name": "f"}', "[{}]"],
)
def test_a_list_that_is_no_list_of_calls_of_declared_tools_stays_text(answer: str) -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]
    called = assistant('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>')
    row = {"messages": [ASK, called, assistant(answer)], "tools": tools}
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages)[-1] == ("assistant", answer)


# --- MiniMax and MiniCPM3 ---------------------------------------------------------------------------------------------

INVOKE = '<minimax:tool_call>\n<invoke name="f">\n<parameter name="a">1</parameter>\n</invoke>\n</minimax:tool_call>'
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}}


def test_a_value_has_the_type_that_its_tool_declares() -> None:
    row: dict[str, Any] = {"messages": [ASK, assistant(f"I look.\n{INVOKE}")]}
    for more, arguments in (({}, '{"a":1}'), ({"tools": [TOOL]}, '{"a":"1"}')):
        [conversation] = conversations(row | more)
        assert as_pairs(conversation.messages)[1:] == [("assistant", "I look."), ("call f", arguments)]


@pytest.mark.parametrize(
    "text",
    [
        INVOKE.replace("</invoke>", ""),
        INVOKE.replace("<invoke", "and\n<invoke"),
        INVOKE.replace("</parameter>", '</parameter>\n<parameter name="a">2</parameter>'),
        "<|tool_call_start|>\n```python\nf(1)\n```\n<|tool_call_end|>",
        "<|tool_call_start|>\n```python\nx = 1\n```\n<|tool_call_end|>",
    ],
)
def test_what_is_no_call_between_these_tags_stays_text(text: str) -> None:
    assert read_as(assistant(text), {"role": "tool", "content": "1"})[0] == ("assistant", text)
    assert findings(assistant(text)) == [("/messages/1/content", "json-opaque")]


def test_the_text_of_a_message_may_follow_its_calls() -> None:
    """LFM2's card shows such an answer, and MiniCPM3's template writes it."""
    text = '<|tool_call_start|>[f(a="x")]<|tool_call_end|>I look.'
    assert read_as(assistant(text)) == [("assistant", "I look."), ("call f", '{"a":"x"}')]
