"""Answers of models that are not quite right, read as a person reads them, at once and as a stream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from ocml_bridge import FindingCode, Message, Transcript, read, write
from ocml_bridge.chat.turns import is_call
from ocml_bridge.events import Finding, Reason, Stop
from ocml_bridge.profiles import profile
from ocml_bridge.report.policy import LENIENT

PARIS: Any = ("functions.get_weather", '{"city": "Paris"}')
PING: Any = ("functions.ping", "{}")
SEVERAL: Any = ("functions.f", '{"s": "x", "n": 3}')
CALL = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
NEXT = '{"name": "ping", "arguments": {}}'
TAGS = "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>"
PROPERTIES: Any = {"s": {"type": "string"}, "n": {"type": "integer"}, "o": {"type": "object"}}
TOOLS: Any = [
    {"type": "function", "function": {"name": "get_weather", "parameters": {"properties": {"city": {}}}}},
    {"type": "function", "function": {"name": "f", "parameters": {"properties": PROPERTIES}}},
]
REQUEST: Any = {"messages": [{"role": "user", "content": "Hi"}], "tools": TOOLS}


def answers(text: str, reason: Reason = "stop", *, model: str = "qwen3") -> tuple[Sequence[Message], set[FindingCode]]:
    """Read an answer at once and in pieces, which give the same; return its messages and its findings."""
    every: list[tuple[Sequence[Message], set[FindingCode]]] = []
    for size in (len(text), 1, 5):
        reader = profile(model).answering(REQUEST)
        events = [event for at in range(0, len(text), size) for event in reader.feed(text[at : at + size])]
        events += reader.finish(reason)
        stop = events[-1]
        assert isinstance(stop, Stop)
        assert isinstance(stop.document, Transcript)
        every.append((stop.document.messages, {event.code for event in events if isinstance(event, Finding)}))
    assert every[0][0] == every[1][0] == every[2][0]
    assert every[0][1] == every[1][1] == every[2][1]
    return every[0]


def summary(messages: Sequence[Message]) -> list[Any]:
    return [
        (each.recipient, json.dumps(json.loads(str(each.content)))) if is_call(each) else (each.channel, each.content)
        for each in messages
    ]


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        # NousResearch/hermes-agent, pull request 5315: the model stops after the arguments, before the call's end.
        (f"<tool_call>{CALL[:-1]}</tool_call>", [PARIS]),
        (f"<tool_call>\n{CALL[:-1]}\n</tool_call>", [PARIS]),
        # yigit353/langchain-qwq, issue 30: a closing brace too many.
        (f"<tool_call>\n{CALL}}}\n</tool_call>", [PARIS]),
        # NousResearch/hermes-agent, issue 115061: the bracket of a list is left out.
        (
            '<tool_call>\n{"name": "edit", "arguments": {"edits": [{"path": "a"}, {"path": "b"}}}\n</tool_call>',
            [("functions.edit", '{"edits": [{"path": "a"}, {"path": "b"}]}')],
        ),
        # minpeter/ai-sdk-tool-call-middleware, issue 298: line ends and quotes that are not escaped.
        (
            '<tool_call>{"name":"edit","arguments":{"content":"line1\nline2"}}</tool_call>',
            [("functions.edit", '{"content": "line1\\nline2"}')],
        ),
        (
            '<tool_call>{"name":"edit","arguments":{"content":"He said "hello" to me"}}</tool_call>',
            [("functions.edit", '{"content": "He said \\"hello\\" to me"}')],
        ),
        (
            '<tool_call>\n{"name": "edit", "arguments": {"content": "C:\\dir, \\d+, it\\\'s"}}\n</tool_call>',
            [("functions.edit", '{"content": "C:\\\\dir, \\\\d+, it\'s"}')],
        ),
        (f"<tool_call>\n{CALL}\n{NEXT}\n</tool_call>", [PARIS, PING]),
        (f"<tool_call>\n[{CALL}, {NEXT}]\n</tool_call>", [PARIS, PING]),
        (f"<tool_call>\n```json\n{CALL}\n```\n</tool_call>", [PARIS]),
        (f'<tool_call>\n{{"type": "function", "function": {CALL}}}\n</tool_call>', [PARIS]),
        ('<tool_call>\n{name: "get_weather", arguments: {city: "Paris"}}\n</tool_call>', [PARIS]),
        (f"<tool_call>\n<tool_call>\n{CALL}\n</tool_call>\n</tool_call>", [PARIS]),
        (f"<tool_call>\n{TAGS}\n</tool_call>", [PARIS]),
        ('<|tool_call_start|>get_weather(city="Paris")<|tool_call_end|>', [PARIS]),
        # vllm-project/vllm, examples/tool_chat_template_minicpm3.jinja.
        ('<|tool_call_start|>\n```python\nget_weather(city="Paris")\nping()\n```\n<|tool_call_end|>', [PARIS, PING]),
        ('<|tool_call_start|>```python\n[get_weather(city="Paris"), ping()]\n```<|tool_call_end|>', [PARIS, PING]),
        ('<function_calls>\n[get_weather(city="Paris"), ping()]\n</function_calls>', [PARIS, PING]),
        ('<tool_call>\n<function=get_weather>\n{"city": "Paris"}\n</function>\n</tool_call>', [PARIS]),
        # sgl-project/sglang, function_call/lfm2_detector.py: one call in JSON, without a list around it.
        (f"<|tool_call_start|>{CALL}<|tool_call_end|>", [PARIS]),
        (TAGS.replace("get_weather", '"get_weather"').replace("=city", "= city "), [PARIS]),
        (f"<tool_call>\n{CALL}\n</tool_call>\n</tool_call>\n<tool_call>\n{NEXT}\n</tool_call>", [PARIS, PING]),
        # vllm-project/vllm, parser/qwen3.py, and sgl-project/sglang, function_call/qwen3_coder_detector.py: a value
        # without its end tag ends where another parameter begins.
        ("<tool_call><function=f><parameter=s>x<parameter=n>3</parameter></function></tool_call>", [SEVERAL]),
        ("<tool_call>\n<function=f>\n<parameter=s>x<parameter=n>3\n</function>\n</tool_call>", [SEVERAL]),
        ('<function name="f"><param name="s">x<param name="n">3</param></function>', [SEVERAL]),
        ('<function name="f"><param name="s">x</param><param name="n">3</function>', [SEVERAL]),
    ],
)
def test_a_call_that_is_not_quite_right_is_one_and_nothing_else(body: str, calls: list[Any]) -> None:
    messages, codes = answers(body)
    assert summary(messages) == calls
    assert codes == {FindingCode.JSON_REPAIRED}
    text = f"<|im_start|>assistant\n{body}<|im_end|>\n"
    assert write(read(text, "chatml").transcript, "chatml", policy=LENIENT).output == text


@pytest.mark.parametrize(
    ("value", "other"),
    [
        ("a <parameter=s> b", []),
        ("\na <parameter=n> b\n", [FindingCode.SHAPE]),
        ("\na <parameter=undeclared> b\n", []),
        ("\n<p>\n<parameter=n>\n3\n</parameter>\n</p>\n", [FindingCode.SHAPE]),
    ],
)
def test_a_start_tag_in_a_value_is_text_and_found_if_it_may_begin_another_one(value: str, other: list[Any]) -> None:
    text = f"<tool_call>\n<function=f>\n<parameter=s>{value}</parameter>\n</function>\n</tool_call>"
    messages, codes = answers(text, model="qwen3-coder")
    assert [json.loads(str(each.content)) for each in messages] == [{"s": value.removeprefix("\n").removesuffix("\n")}]
    assert codes == {*other}


@pytest.mark.parametrize(
    ("value", "arguments"),
    [
        # Tests of readers of calls in texts: a command may quote the tags.
        ("outer <parameter=other>inner</parameter>", {"s": "outer <parameter=other>inner</parameter>"}),
        (
            "echo '</parameter>' && echo '<parameter=n>' && echo '</parameter>'",
            {"s": "echo '</parameter>' && echo '<parameter=n>' && echo '</parameter>'"},
        ),
        # mlc-ai/xgrammar, tests/python/test_function_calling_converter.py: an object as tags is none.
        ("\n<parameter=n>\n1\n</parameter>\n", {"s": "<parameter=n>\n1\n</parameter>"}),
        ("<parameter=n>1</parameter><parameter=o>2</parameter>", None),
        ("x<parameter=n>3", {"s": "x", "n": 3}),
    ],
)
def test_a_parameter_with_its_end_tag_inside_of_another_one_is_text(value: str, arguments: Any) -> None:
    body = f"<tool_call><function=f><parameter=s>{value}</parameter></function></tool_call>"
    messages, codes = answers(body, model="qwen3-coder")
    assert [json.loads(str(each.content)) for each in messages] == [arguments or {"s": value}]
    assert FindingCode.JSON_REPAIRED in codes
    text = f"<|im_start|>assistant\n{body}<|im_end|>\n"
    assert write(read(text, "chatml").transcript, "chatml", policy=LENIENT).output == text


@pytest.mark.parametrize(
    "body",
    [
        "Text. <function=f>\n<parameter=s>\nls\n</parameter>\n</function>",
        'Computing<function=f>{"s": "x"}</function>',  # waybarrios/vllm-mlx, tests/test_tool_parsers.py
        '<tool_call id="1"><function=f><parameter=s>x</parameter></function></tool_call>',
    ],
)
def test_a_call_that_is_not_read_is_found(body: str) -> None:
    messages, codes = answers(body, model="qwen3-coder")
    assert ([each.content for each in messages], codes) == ([body], {FindingCode.MARKUP})
    for text in ("Use <function=f> to check.", "As `<function=f>{}</function>`.", "<tool_calling> is a word."):
        assert answers(text, model="qwen3-coder")[1] == set()


@pytest.mark.parametrize("end", ["</parameter1>", "</parameter_city>", "</parameter", "</parameter >", "</ parameter>"])
@pytest.mark.parametrize(
    "after", ["<parameter=n>\n3\n</parameter>\n</function>\n</tool_call>", "</function>\n</tool_call>"]
)
def test_an_end_tag_of_a_value_that_is_misspelt_is_no_text(end: str, after: str) -> None:
    """sgl-project/sglang, test/registered/unit/function_call/test_qwen3_coder_detector.py."""
    for value, text in (("Paris", "Paris"), (f"x {end}", f"x {end}")):
        close = end if value == text == "Paris" else "</parameter>"
        body = f"<tool_call>\n<function=f>\n<parameter=s>\n{value}\n{close}\n{after}"
        (message,), _ = answers(body)
        assert json.loads(str(message.content)) == {"s": text, **({"n": 3} if "=n" in after else {})}


@pytest.mark.parametrize("end", ["</tool_call>", "</function></tool_call>", "</function>\n</tool_call>\n"])
def test_a_call_in_one_line_whose_last_value_has_no_end_is_one(end: str) -> None:
    """sgl-project/sglang, test/registered/unit/function_call/test_step3p5_detector.py."""
    messages, codes = answers(f"<tool_call><function=get_weather><parameter=city>Paris{end}")
    assert summary(messages) == [PARIS]
    assert FindingCode.JSON_REPAIRED in codes


@pytest.mark.parametrize("body", [f"<tool_call>\n{CALL}\n", f"{TAGS.removesuffix('</tool_call>')}"])
def test_a_call_that_ends_with_its_start_tag_is_one(body: str) -> None:
    for text, calls in ((f"{body}<tool_call>", [PARIS]), (f"{body}{body}<tool_call>\n", [PARIS, PARIS])):
        messages, codes = answers(text)
        assert summary(messages) == calls
        assert codes == {FindingCode.JSON_REPAIRED, FindingCode.END_MISSING}
        frame = f"<|im_start|>assistant\n{text}<|im_end|>\n"
        assert write(read(frame, "chatml").transcript, "chatml", policy=LENIENT).output == frame


def test_arguments_have_one_of_several_keys() -> None:
    for key in ("arguments", "parameters", "input", "args"):
        messages, codes = answers(f"<tool_call>\n{CALL.replace('arguments', key)}\n</tool_call>")
        assert (summary(messages), codes) == ([PARIS], set())


@pytest.mark.parametrize("name", ["", " "])
def test_a_call_with_an_empty_name_is_found(name: str) -> None:
    messages, codes = answers(f'<tool_call>\n{{"name": "{name}", "arguments": {{}}}}\n</tool_call>')
    assert [is_call(each) for each in messages] == [True]
    assert codes == {FindingCode.SHAPE}


def test_a_call_that_is_only_the_function_with_json_is_one() -> None:
    messages, codes = answers('<function=get_weather>{"city": "Paris"}</function>')
    assert summary(messages) == [PARIS]
    assert codes == {FindingCode.JSON_REPAIRED, FindingCode.END_MISSING}


@pytest.mark.parametrize(
    "body",
    [
        '<tool_call>\n["a" "b"]\n</tool_call>',
        '<tool_call>\n{"name": "f", "arguments": {"content": "print("a", "b")"}}\n</tool_call>',
        "<tool_call>\n{'a': 1}\n</tool_call>",
        "<tool_call>\n\n</tool_call>",
        # The arguments are at another place: without them, another call would be made.
        '<tool_call>\n{"name": "get_weather", "city": "Paris"}\n</tool_call>',
        '<tool_call>\n{"name": "get_weather", "params": {"city": "Paris"}}\n</tool_call>',
    ],
)
def test_what_can_be_read_in_several_ways_stays_text(body: str) -> None:
    messages, _ = answers(body)
    assert [each.content for each in messages] == [body]


def test_json_after_a_call_that_is_no_call_is_text() -> None:
    messages, _ = answers(f'<tool_call>\n{CALL}\n{{"name": "Bo", "age": 3}}\n</tool_call>')
    assert summary(messages) == [PARIS, ("final", '{"name": "Bo", "age": 3}\n\n')]


@pytest.mark.parametrize("tag", ["", "</tool", "</tool_call"])
@pytest.mark.parametrize("reason", ["stop", "length"])
def test_a_call_that_breaks_off_within_its_end_tag_is_complete(tag: str, reason: Reason) -> None:
    messages, codes = answers(f"<tool_call>\n{CALL}\n{tag}", reason)
    assert summary(messages) == [PARIS]
    assert codes - {FindingCode.TRUNCATED} == {FindingCode.END_MISSING}


def test_a_call_that_breaks_off_is_not_completed() -> None:
    messages, codes = answers(f"<tool_call>\n{CALL[:-2]}", "length")
    assert [(each.content, each.end) for each in messages] == [('{"city": "Paris"', None)]
    assert FindingCode.TRUNCATED in codes


@pytest.mark.parametrize(
    "body",
    [
        CALL[:-2],
        CALL[:-1],
        "<function=f>",
        "<function=f>\n<parameter=s>\nprint(",
        f"{CALL}</tool_call><tool_call>{CALL[:-9]}",
    ],
)
@pytest.mark.parametrize("reason", ["stop", "tool_calls", "length"])
def test_an_answer_that_ends_within_a_call_never_looks_complete(body: str, reason: Reason) -> None:
    """sgl-project/sglang, issue 30480, and ollama/ollama, model/parsers/qwen38_test.go: the call must not be run."""
    reader = profile("qwen3").answering(REQUEST)
    stop = (reader.feed(f"I look.<tool_call>{body}") + reader.finish(reason))[-1]
    assert isinstance(stop, Stop)
    assert stop.reason == "length"


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("<function=f>", "{"),
        ("<function=f>\n<parameter=s>\nprint(", '{"s": "print('),
        ('<function=f>\n<parameter=s>\nprint("a")\n</par', '{"s": "print(\\"a\\")'),
        ("<function=f>\n<parameter=s>\n1\n</parameter>\n<param", '{"s": "1"'),
        ("<function=f>\n<parameter=n>\n12", '{"n": 12'),
        ("<function=f>\n<parameter=n>\n1\n</parameter>\n<parameter=o>\n{'a': [1, ", '{"n": 1, "o": {\'a\': [1, '),
    ],
)
@pytest.mark.parametrize("begin", ["<tool_call>\n", "I look.\n<tool_call>\n"])
@pytest.mark.parametrize("reason", ["stop", "length"])
def test_a_call_as_tags_that_breaks_off_is_a_call_with_the_arguments_so_far(
    begin: str, body: str, arguments: str, reason: Reason
) -> None:
    messages, codes = answers(begin + body, reason, model="qwen3-coder")
    call = messages[-1]
    assert (call.recipient, call.content, call.end) == ("functions.f", arguments, None)
    assert [each.content for each in messages[:-1]] == ["I look."] * begin.startswith("I")
    assert FindingCode.TRUNCATED in codes
    text = f"<|im_start|>assistant\n{begin}{body}"
    assert write(read(text, "chatml").transcript, "chatml", policy=LENIENT).output == text


@pytest.mark.parametrize("words", ["", "Call these:\n"])
@pytest.mark.parametrize(
    "body", ["<parameter=n>\n12", "<parameter=n>\n1\n</parameter>\n<parameter=s>\nx", "<parameter=n>\nx"]
)
@pytest.mark.parametrize("end", ["", "<|im_end|>\n"])
def test_a_call_as_tags_beside_tools_in_json_comes_back(words: str, body: str, end: str) -> None:
    """The types of its values are those that the text declares, also if calls of the family are JSON."""
    tools = "\n".join(map(json.dumps, TOOLS))
    text = f"<|im_start|>system\n{words}<tools>\n{tools}\n</tools><|im_end|>\n<|im_start|>assistant\n"
    text += f"<tool_call>\n<function=f>\n{body}{end}"
    assert write(read(text, "chatml").transcript, "chatml", policy=LENIENT).output == text


# --- thoughts that begin twice ---


@pytest.mark.parametrize("again", ["<think>", "<think>\n", "\n<think>\n", "<think>\n<think>\n"])
def test_a_start_tag_that_the_prompt_has_already_is_no_text_of_the_thought(again: str) -> None:
    """vllm-project/vllm, tests/reasoning/test_qwen3_reasoning_parser.py and test_step3p5_reasoning_parser.py."""
    for model in ("qwen3-thinking", "step-3.5"):
        messages, codes = answers(f"{again}Hm, <think> is a tag.\n</think>\nYes.", model=model)
        assert summary(messages) == [("analysis", "Hm, <think> is a tag."), ("final", "Yes.")]
        assert codes == {FindingCode.MARKUP}
        messages, _ = answers(f"{again}\n</think>\n\nYes.", model=model)
        assert summary(messages) == [("final", "Yes.")]
    for thought in ("Hm.", ""):
        text = f"<|im_start|>assistant\n<think>\n{again}{thought}\n</think>\n\nYes.<|im_end|>\n"
        assert write(read(text, "chatml").transcript, "chatml", policy=LENIENT).output == text


# --- thoughts without an end tag --------------------------------------------------------------------------------------

TAGGED = f"<tool_call>\n{CALL}\n</tool_call>"


@pytest.mark.parametrize("begin", ["<think>\n", "<think>\nHm.\n</think>\n<think>"])
@pytest.mark.parametrize("calls", [TAGGED, TAGS, f"{TAGS}\n{TAGGED}", f"<tool_call>\n{CALL}"])
def test_a_call_at_the_end_ends_a_thought_without_an_end_tag(begin: str, calls: str) -> None:
    """Qwen3.5 writes this (vllm-project/vllm, pull request 35687)."""
    messages, codes = answers(f"{begin}Let me look.\n\n{calls}")
    expected = [PARIS] * (1 + calls.count("\n<tool_call>"))
    assert summary(messages)[-1 - len(expected) :] == [("analysis", "Let me look.\n"), *expected]
    assert FindingCode.END_MISSING in codes
    assert all(each.end is not None for each in messages)


def test_the_last_calls_of_a_thought_are_those_after_its_text() -> None:
    messages, _ = answers(f"<think>\nMaybe {TAGGED}\nor rather\n<tool_call>\n{NEXT}\n</tool_call>")
    assert summary(messages) == [("analysis", f"Maybe {TAGGED}\nor rather"), PING]


def test_a_call_after_the_prompts_start_of_a_thought_is_one() -> None:
    messages, _ = answers(f"Let me look.\n{TAGS}", model="qwen3.5")
    assert summary(messages) == [("analysis", "Let me look."), PARIS]
    messages, _ = answers(f"The tag is <tool_call>, so: {TAGS}", model="qwen3.5")
    assert summary(messages) == [("analysis", "The tag is <tool_call>, so: "), PARIS]
    messages, _ = answers(TAGS, model="qwen3.5")
    assert summary(messages) == [PARIS]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f"<think>\nMaybe:\n{TAGGED}\nNo, not so.", "stop"),
        (f"<think>\nMaybe {TAGGED} or {TAGGED}.", "stop"),
        (f"<think>\nThe tag is <tool_call> here, {CALL}", "stop"),
        ("<think>\nI use\n<tool_call>\n{}\n</tool_call>", "stop"),
        (f"<think>\nI use\n<tool_call>\n{CALL[:-2]}", "stop"),
        (f"<think>\nI use\n{TAGGED}", "length"),
    ],
)
def test_any_other_call_in_a_thought_is_a_part_of_it(body: str, reason: Reason) -> None:
    messages, _ = answers(body, reason)
    assert [(each.channel, each.end) for each in messages] == [("analysis", None)]
    assert messages[0].content == body.removeprefix("<think>\n")


@pytest.mark.parametrize(
    ("after", "more"), [("\n\nHello.", ("final", "Hello.")), (f"\n\n{TAGS}", PARIS), (f"\n \n{TAGGED}\n", PARIS)]
)
def test_a_call_before_the_end_tag_of_a_thought_is_a_part_of_it(after: str, more: Any) -> None:
    """waybarrios/vllm-mlx, tests/test_tool_call_promotion.py, makes the call; it may be a draft."""
    for model, begin in (("qwen3", "<think>\n"), ("qwen3.5", "")):
        messages, codes = answers(f"{begin}Maybe:\n{TAGGED}\n</think>{after}", model=model)
        assert summary(messages) == [("analysis", f"Maybe:\n{TAGGED}"), more]
        assert codes == {FindingCode.MARKUP}
    messages, codes = answers(f"<think>\na\n</think>\n\nb<think>\n{TAGGED}\nNo.</think>{after}")
    assert summary(messages) == [("analysis", "a"), ("final", "b"), ("analysis", f"{TAGGED}\nNo."), more]
    assert codes == {FindingCode.MARKUP}
    assert answers(f"<think>\nThe tag is <tool_call> here.\n</think>{after}")[1] == set()


@pytest.mark.parametrize("after", ["", "\n\n", " \n\t"])
@pytest.mark.parametrize("calls", [TAGGED, TAGS, f"{TAGS}\n{TAGGED}"])
def test_a_call_before_the_end_tag_is_one_if_nothing_follows(calls: str, after: str) -> None:
    """Qwen3.5 writes this (vllm-project/vllm, issue 39056); otherwise the turn would have nothing but a thought."""
    body = f"<think>\nLet me look.\n{calls}\n</think>{after}"
    messages, codes = answers(body)
    assert summary(messages) == [("analysis", "Let me look."), *[PARIS] * (1 + calls.count("\n<tool_call>"))]
    assert codes == {FindingCode.MARKUP}
    messages, _ = answers(body, "length")
    assert [(each.channel, each.content) for each in messages] == [("analysis", f"Let me look.\n{calls}")]
    text = f"<|im_start|>assistant\n{body}<|im_end|>\n"
    assert write(read(text, "chatml").transcript, "chatml", policy=LENIENT).output == text


@pytest.mark.parametrize(
    "thought",
    [
        # vllm-project/vllm, tests/parser/engine/test_qwen3_reasoning.py: thoughts about the markup.
        "The literal marker is `<tool_call>` in prose.",
        "The wrapper is `<tool_call>quoted</tool_call>` in prose.",
        "I run `ls`",
        "One <tool_call> word",
    ],
)
def test_a_thought_whose_start_tag_is_missing_does_not_become_visible_because_of_a_tag_in_it(thought: str) -> None:
    messages, _ = answers(f"{thought}</think>The answer is 42.")
    assert summary(messages) == [("analysis", thought), ("final", "The answer is 42.")]


def test_a_text_before_a_quoted_end_tag_may_be_a_thought() -> None:
    for text in ("The tag `</think>` ends a thought.", "I close <tool_call> and `</think>` so."):
        messages, codes = answers(text)
        before, _, after = text.partition("</think>")
        assert summary(messages) == [("analysis", before), ("final", after)]
        assert FindingCode.MARKUP in codes


@pytest.mark.parametrize("thought", ["Hm.\n", ""])
@pytest.mark.parametrize("again", ["</think>", "\n\n</think>", "</think>\n</think>"])
def test_an_end_tag_of_a_thought_that_is_repeated_is_no_text(thought: str, again: str) -> None:
    """modelscope/ms-swift, issue 5005."""
    body = f"<think>\n{thought}</think>{again}\n\nYes."
    messages, codes = answers(body)
    assert summary(messages) == [*([("analysis", "Hm.")] if thought else []), ("final", "Yes.")]
    assert codes == {FindingCode.MARKUP}
    text = f"<|im_start|>assistant\n{body}<|im_end|>\n"
    assert write(read(text, "chatml").transcript, "chatml", policy=LENIENT).output == text


def test_any_number_of_beginnings_of_calls_is_read() -> None:
    for piece in ("<tool_call>\n", "<tool_call>\n{\n", f"{TAGGED}\nx\n", '<tool_call>\n{"\n', "<tool_call>"):
        read(f"<|im_start|>assistant\n<think>\n{piece * 500}<|im_end|>\n", "chatml")
        read(f"<|im_start|>assistant\n{piece * 500}<|im_end|>\n", "chatml")


def test_an_object_in_a_list_of_calls_that_is_none_is_text_and_the_others_are_calls() -> None:
    messages, found = answers(f'<tool_call>\n[{CALL}, {{"nam": "b"}}, {{"name": "Bob"}}, {NEXT}]\n</tool_call>')
    assert summary(messages) == [PARIS, PING, ("final", '{"nam": "b"}\n{"name": "Bob"}\n')]
    assert found == {FindingCode.JSON_OPAQUE, FindingCode.JSON_REPAIRED}


@pytest.mark.parametrize(
    "listed", [f'"a", {CALL}', f'{CALL}, {{"x": }}', '{"name": "Bob"}, {"nam": "b"}', f"{CALL}, 1"]
)
def test_a_list_that_may_be_anything_else_is_text(listed: str) -> None:
    messages, found = answers(f"<tool_call>\n[{listed}]\n</tool_call>")
    assert not any(map(is_call, messages))
    assert found == {FindingCode.JSON_OPAQUE}


def test_an_object_after_a_call_between_its_tags_is_found() -> None:
    messages, found = answers(f'<tool_call>\n{CALL}\n{{"nam": "b"}}\n{NEXT}\n</tool_call>')
    assert summary(messages)[0] == PARIS
    assert not is_call(messages[1])
    assert found == {FindingCode.JSON_OPAQUE}
