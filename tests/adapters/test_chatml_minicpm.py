"""The dialect of MiniCPM5: reading 14 of docs/formats/chatml.md, "Dialects".

The answers are those of the tests of vLLM (tests/tool_parsers/test_minicpm5xml_tool_parser.py), ollama
(model/parsers/minicpm5_test.go) and llama.cpp (tests/test-chat.cpp).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from ocml_adapters.chatml.markup.calls import Call
from ocml_adapters.chatml.markup.calls_params import ParamCalls
from ocml_bridge import FindingCode, Message, Transcript, read, write
from ocml_bridge.chat.turns import is_call
from ocml_bridge.events import Finding, Stop
from ocml_bridge.profiles import profile
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing import laws
from prompts import prompt

TYPES: Any = {"nums": "array", "exact": "boolean", "note": ["string", "null"]}
NAMES = ("city", "code", "markup", "content", *TYPES)
PROPERTIES: Any = {name: {"type": TYPES.get(name, "string")} for name in NAMES}
TOOL: Any = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": PROPERTIES}}}
REQUEST: Any = {"messages": [{"role": "user", "content": "Hi"}], "tools": [TOOL]}
BEGIN, END = '<function name="f">', "</function>"


def param(name: str, value: str) -> str:
    return f'<param name="{name}">{value}</param>'


def called(**values: str) -> str:
    return f"{BEGIN}{''.join(param(*each) for each in values.items())}{END}"


PARIS = called(city="Paris")


def answers(text: str) -> tuple[list[Any], set[FindingCode], Sequence[Message]]:
    """Read an answer at once and in pieces, which give the same; return what is in it, and its findings."""
    every: list[tuple[list[Any], set[FindingCode], Sequence[Message]]] = []
    for size in (len(text), 1, 2, 5, 13):
        reader = profile("minicpm5").answering(REQUEST)
        events = [event for at in range(0, len(text), size) for event in reader.feed(text[at : at + size])]
        events += reader.finish("stop")
        stop = events[-1]
        assert isinstance(stop, Stop)
        assert isinstance(stop.document, Transcript)
        messages = stop.document.messages
        found = [
            json.loads(str(each.content)) if is_call(each) and each.end else (each.channel, each.content)
            for each in messages
        ]
        every.append((found, {event.code for event in events if isinstance(event, Finding)}, messages))
    assert all(each[:2] == every[0][:2] for each in every)
    return every[0]


ANSWERS: list[tuple[str, list[Any]]] = [
    (PARIS, [{"city": "Paris"}]),
    (
        f"I'll check the weather for you.{PARIS}",
        [("commentary", "I'll check the weather for you."), {"city": "Paris"}],
    ),
    (f"<think>The user wants Paris.</think>{PARIS}", [("analysis", "The user wants Paris."), {"city": "Paris"}]),
    (f"I'm thinking</think>{PARIS}", [("analysis", "I'm thinking"), {"city": "Paris"}]),
    (f"{PARIS}{PARIS.replace('Paris', 'London')}", [{"city": "Paris"}, {"city": "London"}]),
    (f"{PARIS}\n{PARIS}", [{"city": "Paris"}, {"city": "Paris"}]),
    (f"Head\n{PARIS}\nTXT\n{PARIS}\nTail\n", [("commentary", "Head"), {"city": "Paris"}, ("final", "TXT")]),
    (f"{BEGIN}{END}", [{}]),
    (
        f"{BEGIN}\n{param('nums', '[1, 2, 3]')}\n{param('exact', 'true')}\n{END}",
        [{"nums": [1, 2, 3], "exact": True}],
    ),
    (
        called(nums="['a', None]", exact="False"),
        [{"nums": ["a", None], "exact": False}],
    ),
    (called(note="null"), [{"note": None}]),
    (called(code="print('Hello, World!')"), [{"code": "print('Hello, World!')"}]),
    (
        called(markup='<![CDATA[<a href="/x">hi</a> </param>]]>'),
        [{"markup": '<a href="/x">hi</a> </param>'}],
    ),
    (
        called(content="<![CDATA[    def foo():\n        pass\n]]>") + "\n",
        [{"content": "    def foo():\n        pass\n"}],
    ),
    (
        called(content=f"<![CDATA[{PARIS}<think>]] >]]>", city="x"),
        [{"content": f"{PARIS}<think>]] >", "city": "x"}],
    ),
]


@pytest.mark.parametrize(("text", "found"), ANSWERS)
def test_an_answer_has_its_calls(text: str, found: list[Any]) -> None:
    read_back, codes, _ = answers(text)
    assert read_back[: len(found)] == found
    assert not codes
    body = f"<|im_start|>assistant\n{text}<|im_end|>\n"
    assert write(read(body, "chatml").transcript, "chatml", policy=LENIENT).output == body


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{BEGIN}<arguments>{param('city', 'Paris')}</arguments>{END}", {"city": "Paris"}),
        # ollama/ollama, model/parsers/minicpm5.go: the tags of other models' calls are tokens of this one, too.
        (f"<tool_call>\n{PARIS}\n</tool_call>", {"city": "Paris"}),
        (f"<tool_call>{PARIS}</tool_call>", {"city": "Paris"}),
        # ml-explore/mlx-lm, mlx_lm/tool_parsers/minicpm5.py: white space around a CDATA section.
        (f"{BEGIN}{param('content', chr(10) + '<![CDATA[ </param> ]]>' + chr(10))}{END}", {"content": " </param> "}),
        (f"{BEGIN}{param('city', 'Oslo')}{param('city', 'Paris')}{END}", {"city": "Paris"}),
    ],
)
def test_a_call_that_is_not_quite_right_is_one(text: str, found: object) -> None:
    assert answers(text)[:2] == ([found], {FindingCode.JSON_REPAIRED})


@pytest.mark.parametrize(
    "text",
    [
        f"Write `{BEGIN}` and then `{END}`.",
        f"A tag like {BEGIN} begins a call.",
        '<function name="f">\nThe function of this tool is simple.\n</function>',
        "<function name=f></function>",
        f"{BEGIN}<param>x</param>{END}",
        "The function of this tool is simple.",
        '<function name="',
    ],
)
def test_what_is_no_call_stays_text(text: str) -> None:
    assert answers(text)[0] == [("final", text)]


def test_a_tag_that_begins_no_call_hides_no_other_call() -> None:
    found, _, _ = answers(f'Look: {BEGIN} is a tag.\n<tool_call>\n{{"name": "f", "arguments": {{}}}}\n</tool_call>')
    assert found == [("commentary", f"Look: {BEGIN} is a tag."), {}]


def test_a_call_in_a_thought_is_a_part_of_it_unless_it_ends_it() -> None:
    assert answers(f"<think>\nMaybe {PARIS} or not.\n</think>\n\nYes.")[0] == [
        ("analysis", f"Maybe {PARIS} or not."),
        ("final", "Yes."),
    ]
    assert answers(f"<think>\nHm.\n{PARIS}")[:2] == (
        [("analysis", "Hm."), {"city": "Paris"}],
        {FindingCode.END_MISSING},
    )


@pytest.mark.parametrize(
    ("rest", "arguments"),
    [
        ("", "{"),
        ('<param name="city">Par', '{"city": "Par'),
        (f"{param('city', 'Paris')}<par", '{"city": "Paris"'),
        ('<param name="content"><![CDATA[a\nb', '{"content": "a\\nb'),
    ],
)
def test_a_call_that_breaks_off_has_the_arguments_so_far(rest: str, arguments: str) -> None:
    _, codes, (call,) = answers(BEGIN + rest)
    assert (call.recipient, call.content, call.end) == ("functions.f", arguments, None)
    assert codes == {FindingCode.TRUNCATED}
    text = f"<|im_start|>assistant\n{BEGIN}{rest}"
    assert write(read(text, "chatml").transcript, "chatml", policy=LENIENT).output == text


# --- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ({"a": "x", "b": True, "c": None, "d": 1.5}, "x|True|None|1.5"),
        (
            {"a": "a < b", "b": "a & b", "c": "1\n2", "d": "[1]"},
            "<![CDATA[a < b]]>|<![CDATA[a & b]]>|<![CDATA[1\n2]]>|[1]",
        ),
        ({"a": ["x", {"k": "it's"}]}, """['x', {'k': "it's"}]"""),
        ({}, ""),
    ],
)
def test_arguments_are_written_as_the_template_does(arguments: dict[str, Any], written: str) -> None:
    values = dict(zip(arguments, written.split("|"), strict=False))
    text = "".join(param(name, value) for name, value in values.items() if name in arguments)
    assert ParamCalls().write([Call("f", json.dumps(arguments))]) == f"{BEGIN}{text}{END}"


@pytest.mark.parametrize(
    "arguments", ['{"a": "]]><"}', '{"a\\"b": 1}', '{"a": ["</param>"]}', "[1]", '{"a": "\\ud800"}']
)
def test_what_tags_cannot_hold_is_not_written_as_tags(arguments: str) -> None:
    assert ParamCalls().write([Call("f", arguments)]) is None


def test_a_call_that_tags_cannot_hold_is_json() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"content": "]]> <"}'}}
    request = {
        **REQUEST,
        "messages": [*REQUEST["messages"], {"role": "assistant", "content": None, "tool_calls": [call]}],
    }
    assert '<tool_call>\n{"name": "f", "arguments": {"content": "]]> <"}}\n</tool_call>' in str(
        prompt(request, "chatml", profile="minicpm5").output
    )


def test_the_text_of_a_prompt_reads_back_as_its_conversation() -> None:
    arguments = {"city": "Paris", "nums": [1, "a"], "exact": False, "content": "a\n<b>", "note": None}
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": "f", "arguments": json.dumps(each)}}
        for at, each in enumerate((arguments, {}))
    ]
    replies = [{"role": "tool", "tool_call_id": f"c{at}", "content": f"of {at}"} for at in range(2)]
    answer = {"role": "assistant", "content": "I look.", "reasoning_content": "Hm.", "tool_calls": calls}
    request = {
        **REQUEST,
        "messages": [{"role": "system", "content": "Be brief."}, *REQUEST["messages"], answer, *replies],
    }
    text = str(prompt(request, "chatml", profile="minicpm5").output)
    first = called(city="Paris", nums="[1, 'a']", exact="False", content="<![CDATA[a\n<b>]]>", note="None")
    assert text.endswith(
        "<|im_start|>assistant\n<think>\nHm.\n</think>\n\nI look.\n"
        f"{first}\n{BEGIN}{END}<|im_end|>\n"
        "<|im_start|>user\n<tool_response>\nof 0\n</tool_response>\n<tool_response>\nof 1\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    assert (document.layout or {})["chatml"]["family"] == "minicpm"
    assert [each.content for each in document.messages if is_call(each)] == [
        json.dumps({**arguments, "note": "None"}),
        "{}",
    ]
    assert write(document, "chatml").output == text
    laws.all_laws(document, "chatml:minicpm")


@pytest.mark.parametrize(("effort", "begun"), [(None, ""), ("high", "<think>\n"), ("none", "<think>\n\n</think>\n\n")])
def test_an_effort_begins_a_thought(effort: str | None, begun: str) -> None:
    request = {"messages": REQUEST["messages"], **({"reasoning_effort": effort} if effort else {})}
    text = prompt(request, "chatml", profile="minicpm5").output
    assert text == f"<s><|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n{begun}"
