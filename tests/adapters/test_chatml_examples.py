"""Calls that a text only shows, in a block of code or as code in a line, are text: no client must make them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest

from ocml_bridge import FindingCode, Message, Transcript, read, write
from ocml_bridge.chat.turns import is_call
from ocml_bridge.events import Finding, Stop
from ocml_bridge.profiles import profile
from ocml_bridge.report.policy import LENIENT

TOOL: Any = {
    "type": "function",
    "function": {"name": "bash", "parameters": {"properties": {"cmd": {"type": "string"}}}},
}
REQUEST: Any = {"messages": [{"role": "user", "content": "Hi"}], "tools": [TOOL]}
TAGS = "<tool_call>\n<function=bash>\n<parameter=cmd>\nls\n</parameter>\n</function>\n</tool_call>"
JSON = '<tool_call>\n{"name": "bash", "arguments": {"cmd": "ls"}}\n</tool_call>'
CALLS = {
    "qwen3-coder": TAGS,
    "qwen3": JSON,
    "lfm2": "<|tool_call_start|>[bash(cmd='ls')]<|tool_call_end|>",
    "olmo-3": '<function_calls>bash(cmd="ls")</function_calls>',
    "minicpm5": '<function name="bash"><param name="cmd">ls</param></function>',
}


def answer(text: str, model: str = "qwen3") -> tuple[Sequence[Message], list[FindingCode]]:
    """Read an answer at once and in pieces, which give the same; return its messages and its findings."""
    every: list[tuple[Sequence[Message], list[FindingCode]]] = []
    for size in (len(text), *range(1, 8)):
        reader = profile(model).answering(REQUEST)
        events = [event for at in range(0, len(text), size) for event in reader.feed(text[at : at + size])]
        events += reader.finish("stop")
        assert isinstance(events[-1], Stop)
        assert isinstance(events[-1].document, Transcript)
        every.append((events[-1].document.messages, [each.code for each in events if isinstance(each, Finding)]))
    assert all(each == every[0] for each in every)
    return every[0]


def shapes(messages: Sequence[Message]) -> list[str]:
    return ["call" if is_call(each) else str(each.content) for each in messages]


EXAMPLES = [
    # vllm-project/vllm, issue 57541, and tests/parser/engine/test_qwen3_fenced_examples.py.
    "Here is what a tool call looks like:\n\n```xml\n{}\n```\n\nThat is the format.",
    "Example:\n~~~xml\n{}\n~~~\ndone",
    "```xml\n~~~\n{}\n```\ndone",
    "~~~xml\n```\n{}\n~~~\ndone",
    "before\n````xml\n```\n{}\n````\nafter",
    "   ~~~xml\n{}\n~~~\ndone",
    "1. So:\n   ```\n   {}\n   ```\n2. Next.",
    "```xml\n{0}\n``` trailing info\n{0}\n```\nend",
    "Two:\n```\n{0}\n{0}\n```\nend",
    "One:\n```\n{0}\n```\nand\n```\n{0}\n```\nend",
    "Write `{}` to call it.",
    "```\n{}\nnever closed, but there is text.",
]


@pytest.mark.parametrize("text", EXAMPLES)
@pytest.mark.parametrize("model", CALLS)
def test_a_call_in_code_is_text_if_text_follows(model: str, text: str) -> None:
    body = text.format(CALLS[model])
    messages, codes = answer(body, model)
    assert shapes(messages) == [body]
    assert set(codes) <= {FindingCode.MARKUP}
    assert codes or model == "minicpm5"  # it is quoted as code, which is a word
    frame = f"<|im_start|>assistant\n{body}<|im_end|>\n"
    assert write(read(frame, "chatml").transcript, "chatml", policy=LENIENT).output == frame


CALLS_AS_CODE = [
    # ggml-org/llama.cpp, tests/test-chat.cpp: answers that are nothing but a block of code with the call.
    ("```xml\n{}\n```", ["```xml", "call", "```"]),
    ("I look.\n```\n{}\n```\n", ["I look.\n```", "call", "```\n"]),
    ("```\n{}", ["```", "call"]),
    ("```\n{0}\n{0}\n```", ["```", "call", "call", "```"]),
    ("`{}`", ["`", "call", "`"]),
]


@pytest.mark.parametrize(("text", "expected"), CALLS_AS_CODE)
@pytest.mark.parametrize("call", [TAGS, JSON])
def test_a_call_in_code_at_the_end_of_an_answer_is_a_call_and_found(call: str, text: str, expected: list[str]) -> None:
    messages, codes = answer(text.format(call))
    assert shapes(messages) == expected
    assert codes == [FindingCode.MARKUP]


@pytest.mark.parametrize(
    "before",
    [
        "run `echo` then:\n",
        "inline ```code``` then:\n",
        "before\n```xml\n````\n",
        "```\nx\n```\n",
        "it`s code\n",
        "`a` and `b` ",
        "",
    ],
)
def test_a_call_after_code_is_a_call_whatever_follows(before: str) -> None:
    messages, codes = answer(f"{before}{JSON}\nDone.")
    assert shapes(messages)[-2:] == ["call", "Done."]
    assert not codes


def test_a_real_call_after_an_example_is_the_only_call() -> None:
    messages, codes = answer(f"So:\n```\n{JSON}\n```\nNow:\n{JSON}")
    assert shapes(messages) == [f"So:\n```\n{JSON}\n```\nNow:", "call"]
    assert codes == [FindingCode.MARKUP]
    messages, _ = answer(f"So:\n```\n{JSON}\n```\n{JSON}")
    assert shapes(messages) == [f"So:\n```\n{JSON}\n```", "call"]


def test_any_number_of_examples_is_read() -> None:
    seconds: list[float] = []
    for count in (300, 2400):
        for text in (f"`{JSON}` " * count, f"```\n{JSON}\n```\nso\n" * count, f"```\n{JSON * count}\n```\nend"):
            reader = profile("qwen3").answering(REQUEST)
            start = time.process_time()
            reader.feed(text)
            reader.finish("stop")
            seconds.append(time.process_time() - start)
    assert all(long < 8 * 4 * short + 1 for short, long in zip(seconds[:3], seconds[3:], strict=True))
