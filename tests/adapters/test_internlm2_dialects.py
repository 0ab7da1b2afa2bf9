"""InternLM2-Chat as vLLM's template and lagent write it; the numbers are those of docs/formats/internlm2.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from corpus import rendered
from ocml_adapters.internlm2.syntax import IM as SYNTAX_IM
from ocml_adapters.internlm2.syntax import UNUSED as SYNTAX_UNUSED
from ocml_bridge import FindingCode, read, write
from ocml_bridge.chat.turns import is_call
from ocml_bridge.formats.adapter import Options
from ocml_bridge.model import Document, Message, Tool, Transcript
from ocml_bridge.stream import replay
from ocml_bridge.testing import laws, strategies
from ocml_bridge.testing.encoding import encoded
from prompts import prompt
from sampling import examples


@pytest.mark.parametrize("begin", ["<think>\n", "<tool_call>\n", ""])
@pytest.mark.parametrize("end", ["</think>", "</tool_call>"])
def test_a_tag_of_other_models_is_text_and_reported(begin: str, end: str) -> None:
    """Also an end tag alone: the prompt of a model that thinks has the start tag."""
    text = f"<|im_start|>assistant\n{begin}Hm.\n{end}\n\nHi.<|im_end|>\n"
    reading = read(text, "internlm2")
    assert [finding.code for finding in reading.findings] == [FindingCode.MARKUP]
    assert write(reading.transcript, "internlm2").output == text


@pytest.mark.parametrize("name", ["chatml", "internlm2"])
@pytest.mark.parametrize("token", ["<|endoftext|>", "<|EOS|>", "<|end_of_text|>"])
def test_a_token_that_ends_a_text_is_reported_inside_an_answer(name: str, token: str) -> None:
    text = f"<|im_start|>user\nHi {token}.<|im_end|>\n<|im_start|>assistant\nHello{token}more<|im_end|>\n"
    reading = read(text, name)
    assert [finding.code for finding in reading.findings] == [FindingCode.STRAY_TOKEN]
    assert reading.findings[0].path.startswith("/messages/1")
    assert write(reading.transcript, name).output == text


CALL = (
    "<|im_start|>user\nParis?<|im_end|>\n"
    "<|im_start|>assistant\nLet me see.<|action_start|><|plugin|>\n"
    '{"name": "get_weather", "parameters": {"city": "Paris"}}<|action_end|><|im_end|>\n'
)


def transcript(text: Any) -> Transcript:
    document = read(text, "internlm2").transcript
    assert isinstance(document, Transcript)
    return document


WEATHER = Tool(
    "get_weather",
    "Get the weather",
    {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "Where"}, "days": {"type": "number"}},
        "required": ["city"],
    },
)
TOOLS = """你可以使用如下工具：
[
    {
        "name": "get_weather",
        "description": "Get the weather",
        "parameters": [
            {
                "name": "city",
                "type": "STRING",
                "description": "Where"
            },
            {
                "name": "days",
                "type": "NUMBER"
            }
        ],
        "required": [
            "city"
        ]
    }
]
如果你已经获得足够信息，请直接给出答案. 避免不必要的工具调用! 同时注意你可以使用的工具，不要随意捏造！"""
LAGENT = f"<|im_start|>system name=<|plugin|>\n{TOOLS}<|im_end|>\n" + CALL.replace("_end|><|im", "_end|>\n<|im")
"""What lagent sends for one tool, and a call: lagent/agents/stream.py, `PLUGIN_CN`."""


def test_10_tools_in_the_prose_of_lagent_are_tools() -> None:
    document = transcript(LAGENT)
    assert document.tools == (WEATHER,)
    assert [message.content for message in document.messages] == ["Paris?", "Let me see.", '{"city": "Paris"}']
    assert write(document, "internlm2").output == LAGENT
    without_layout = replace(
        document, layout=None, messages=tuple(replace(each, layout=None) for each in document.messages)
    )
    assert write(without_layout, "internlm2:lagent").output == LAGENT
    assert write(without_layout, "internlm2").output.endswith(CALL)
    assert read(LAGENT, "internlm2").findings == ()


def test_10_a_schema_that_a_list_cannot_represent_stays_a_schema() -> None:
    nested = Tool("f", None, {"type": "object", "properties": {"a": {"name": "x", "type": "string"}}, "$defs": {}})
    listed = Tool("g", None, [])
    for tools in ((nested, WEATHER), (listed,)):
        assert transcript(write(Transcript(tools=tools), "internlm2:lagent").output).tools == tools


@pytest.mark.parametrize(
    ("listed", "kind"),
    [
        *((name.upper(), name) for name in ("string", "number", "integer", "boolean", "array", "object", "null")),
        *(("FLOAT", "number"), ("INT", "integer"), ("BOOL", "boolean")),
        *(("date", "date"), ("DATE", "DATE"), ("string", "string")),
    ],
)
def test_10_the_types_of_a_list_are_those_of_a_schema_and_others_stay(listed: str, kind: str) -> None:
    tool = Tool("f", None, {"type": "object", "properties": {"a": {"type": "string"}}})
    text = str(write(Transcript(tools=(tool,)), "internlm2:lagent").output).replace('"STRING"', f'"{listed}"')
    tools = transcript(text).tools
    assert tools is not None
    assert tools[0].parameters == {"type": "object", "properties": {"a": {"type": kind}}}
    assert write(transcript(text), "internlm2").output == text


def test_10_a_list_of_parameters_may_omit_which_are_required() -> None:
    tools = (Tool("f", None, {"type": "object", "properties": {"a": {"type": "string"}}}),)
    text = str(write(Transcript(tools=tools), "internlm2:lagent").output)
    assert "".join(text.split()).count('"parameters":[{"name":"a","type":"STRING"}]') == 1
    assert '"required"' not in text
    assert transcript(text).tools == tools


def test_7_vllm_writes_arguments_where_the_page_has_parameters() -> None:
    document = transcript(CALL)
    text = write(document, "internlm2:vllm").output
    assert text == CALL.replace("parameters", "arguments")
    assert [replace(each, layout=None) for each in transcript(text).messages] == [*document.messages]
    assert write(transcript(text), "internlm2").output == text


@pytest.mark.parametrize("dialect", ["vllm", "lagent"])
@examples(40)
@given(document=strategies.documents())
def test_any_document_in_a_dialect_keeps_the_laws(document: Document, dialect: str) -> None:
    laws.all_laws(document, f"internlm2:{dialect}")


def test_prompts_are_what_the_template_of_vllm_renders() -> None:
    for case in rendered("internlm2-tool"):
        name, request = case["name"], case["request"]
        document = transcript(case["prompt"])
        calls = [call for message in request["messages"] for call in message.get("tool_calls") or ()]
        assert [each.content for each in document.messages if is_call(each)] == [
            call["function"]["arguments"] for call in calls
        ], name
        assert len(document.tools or ()) == len(request.get("tools") or ()), name
        assert write(document, "internlm2").output == case["prompt"], name
        if case["options"]["add_generation_prompt"] and name != "markup-words":
            assert prompt(request, "internlm2", profile="internlm2-vllm").output == case["prompt"], name


@pytest.mark.parametrize("dialect", ["vllm", "lagent"])
def test_a_dialect_is_written_as_it_comes_like_at_once(dialect: str) -> None:
    for case in rendered("internlm2-tool"):
        document = transcript(case["prompt"])
        document = replace(
            document, tools=None, layout=None, open_turn=None, messages=tuple(map(bare, document.messages))
        )
        text, _ = encoded(replay(document), "internlm2", Options(dialect=dialect))
        assert text == write(document, f"internlm2:{dialect}").output


def bare(message: Message) -> Message:
    return replace(message, layout=None)


@pytest.mark.parametrize(
    ("dialect", "written"),
    [
        ("internlm2", '<|plugin|>\n{"name":"f",  "parameters":{}}<|action_end|><|im_end|>'),
        ("internlm2:vllm", '<|plugin|>\n{"name": "f", "arguments": {}}<|action_end|><|im_end|>'),
        ("internlm2:lagent", '<|plugin|>\n{"name": "f", "parameters": {}}<|action_end|>\n<|im_end|>'),
        ("internlm2:unused", '[UNUSED_TOKEN_141]\n{"name": "f", "parameters": {}}[UNUSED_TOKEN_143][UNUSED_TOKEN_145]'),
    ],
)
def test_a_dialect_that_is_asked_for_counts_more_than_how_a_call_was_spelled(dialect: str, written: str) -> None:
    text = '<|im_start|>assistant\n<|action_start|><|plugin|>\n{"name":"f",  "parameters":{}}<|action_end|><|im_end|>\n'
    assert written in str(write(transcript(text), dialect).output)


IM = "<|im_start|>{}\n{}<|im_end|>\n"
UNUSED = "[UNUSED_TOKEN_146]{}\n{}[UNUSED_TOKEN_145]\n"
CALLS = 'Look.<|action_start|><|plugin|>\n{"name": "f", "parameters": {}}<|action_end|>' * 2
HIS, HERS = ("user", "Hi"), ("assistant", "Hello")


@pytest.mark.parametrize(
    "text",
    [
        IM.format(*HIS) + UNUSED.format(*HERS),
        UNUSED.format(*HIS) + UNUSED.format(*HERS) + IM.format("assistant", CALLS),
        UNUSED.format(*HIS) + IM.format("assistant", CALLS) + "[UNUSED_TOKEN_146]assistant\n",
        IM.format("assistant", CALLS) + UNUSED.format(*HIS),
        IM.format("assistant", CALLS) + UNUSED.format(*HIS) + UNUSED.format("assistant", CALLS),
    ],
)
@pytest.mark.parametrize("plans", [True, False])
def test_both_spellings_in_a_text_come_back(text: str, *, plans: bool) -> None:
    """The default is the spelling of most frames, however many messages a frame has."""
    document = transcript(text)
    assert write(document, "internlm2", options=Options(plans=plans)).output == text


WHOLE = (
    IM.format("system name=<|plugin|>", '[{"name": "f"}]')
    + IM.format("user", "Hi")
    + IM.format("assistant", CALLS)
    + IM.format("environment name=<|plugin|> x", "1")
    + IM.format("environment  name=<|plugin|>", "2")
    + IM.format("assistant", "<|action_start|><|interpreter|>\n1+1<|action_end|>")
    + IM.format("environment  name=<|interpreter|>", "3")
    + "<|im_start|>environment  name=<|plugin|>"
)
"""Replies, calls and tools in headers and bodies that are spelled otherwise than by default."""
OTHER = dict(zip(SYNTAX_IM, SYNTAX_UNUSED, strict=True))


def test_where_a_dialect_is_asked_for_no_token_is_spelled_otherwise() -> None:
    unused = WHOLE
    for token, other in OTHER.items():
        unused = unused.replace(token, other)
    for text in (WHOLE, unused):
        assert write(transcript(text), "internlm2").output == text
        for dialect, foreign in (("im", SYNTAX_UNUSED), ("unused", SYNTAX_IM)):
            written = str(write(transcript(text), f"internlm2:{dialect}").output)
            assert [token for token in foreign if token in written] == []


def test_starts_that_most_messages_remember_do_not_make_another_dialect_of_the_text() -> None:
    """A reader takes the spelling of most frames for that of the text, which these messages are not of."""
    other = {"internlm2": {"start": "[UNUSED_TOKEN_146]"}}
    questions = tuple(Message("user", word, layout=other) for word in ("a", "b"))
    document = Transcript((*questions, Message("assistant", "c", channel="final")))
    assert write(document, "internlm2").output == IM.format("user", "a") + IM.format("user", "b") + IM.format(
        "assistant", "c"
    )
    laws.all_laws(document, "internlm2")
