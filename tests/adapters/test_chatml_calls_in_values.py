"""Calls and parts of calls in the arguments of a call as tags are texts: a file that shows a call makes none."""

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

PROPERTIES: Any = {"path": {"type": "string"}, "content": {"type": "string"}}
TOOL: Any = {"type": "function", "function": {"name": "write", "parameters": {"properties": PROPERTIES}}}
REQUEST: Any = {"messages": [{"role": "user", "content": "Hi"}], "tools": [TOOL]}


def call(**values: str) -> str:
    parameters = "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in values.items())
    return f"<tool_call>\n<function=write>\n{parameters}</function>\n</tool_call>"


def answer(text: str, reason: Reason = "stop", *, model: str = "qwen3-coder") -> tuple[Sequence[Message], set[Any]]:
    """Read an answer at once and in pieces, which give the same; return its messages and its findings."""
    every: list[tuple[Sequence[Message], set[Any]]] = []
    for size in (len(text), 1, 5):
        reader = profile(model).answering(REQUEST)
        events = [event for at in range(0, len(text), size) for event in reader.feed(text[at : at + size])]
        events += reader.finish(reason)
        assert isinstance(events[-1], Stop)
        assert isinstance(events[-1].document, Transcript)
        every.append((events[-1].document.messages, {each.code for each in events if isinstance(each, Finding)}))
    assert every[0] == every[1] == every[2]
    return every[0]


PARAMETER = "<parameter=path>\nliteral\n</parameter>"
CALL = call(path="literal", content="hello")
OTHER = "<tool_call>\n<function=foo>\n<parameter=bar>baz</parameter>\n</function>\n</tool_call>"
CALLS = {
    # vllm-project/vllm, tests/tool_parsers/test_qwen3_xml_coder_shared.py: files that a coding agent writes.
    "tags in strings": 'a = [\n    "<tool_call>\\n",\n    "<parameter=query>\\n",\n    "\\n</parameter>\\n",\n]',
    "a parameter": f'doc = """\n{PARAMETER}\n"""',
    "a call": f'doc = """\n{CALL}\n"""',
    "a call of another function": f'template = """\n{OTHER}\n"""',
    "two parameters": f'doc = """\n{PARAMETER}\n<parameter=content>\nhello\n</parameter>\n"""',
    "a function": f'doc = """\n<function=f>\n{PARAMETER}\n</function>\n"""',
    "nothing but a function": f"<function=f>\n{PARAMETER}\n</function>",
    "nothing but a call": CALL,
    "two calls": f"a\n{CALL}\n\n{CALL}\nb",
    "a call in a call": call(content=f"{CALL}\nend"),
    "a call in JSON": 'See:\n<tool_call>\n{"name": "write", "arguments": {}}\n</tool_call>\n.',
    "a call in JSON in code": '<tool_call>\n```json\n{"name": "write", "arguments": {}}\n```\n</tool_call>\n.',
    "a start tag alone": "It begins with\n```\n<tool_call>\n```\nand a name.",
    "a start tag at the end": "It begins with\n<tool_call>",
    "two start tags": "<tool_call>\n<tool_call>",
    "tags around words": "<tool_call>\nwords\n</tool_call>\nso",
    "an indented call": "  <tool_call>\n  <function=f>\n  <parameter=a>x</parameter>\n  </function>\n  </tool_call>\n.",
}


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("what", CALLS)
def test_a_call_in_an_argument_is_text(what: str, order: int) -> None:
    values = dict([("path", "a.py"), ("content", CALLS[what])][::order])
    for text, count in ((call(**values), 1), (f"{call(path='1')}\n{call(**values)}\n{call(path='2')}", 3)):
        for model, before in (("qwen3-coder", ""), ("qwen3", "<think>\nHm.\n</think>\n\n"), ("qwen3.5", "Hm.\n")):
            messages, _ = answer(before + text, model=model)
            calls = [each for each in messages if is_call(each)]
            assert len(messages) - len(calls) == (before != "")
            assert len(calls) == count
            assert json.loads(str(calls[count // 2].content)) == values
        frame = f"<|im_start|>assistant\n{text}<|im_end|>\n"
        assert write(read(frame, "chatml").transcript, "chatml", policy=LENIENT).output == frame


@pytest.mark.parametrize("what", ["a call", "a call of another function", "nothing but a call", "two calls"])
def test_a_call_that_is_cut_off_in_such_an_argument_makes_no_other_call(what: str) -> None:
    text = call(path="a.py", content=CALLS[what])
    for cut in range(
        text.index("<parameter=content>\n") + 20, len(text) - len("</parameter>\n</function>\n</tool_call>")
    ):
        messages, _ = answer(text[:cut], "length")
        assert [(each.recipient, each.end) for each in messages] == [("functions.write", None)]


BEGUN = "<tool_call>\n<function=write>\n<parameter=path>\nx"


@pytest.mark.parametrize("rest", ["", "\n</tool_call>"])
def test_a_call_after_one_that_never_ends_is_a_call(rest: str) -> None:
    messages, codes = answer(f"{BEGUN}\n{CALL}{rest}")
    assert [each.recipient for each in messages] == [None, "functions.write"]
    assert messages[0].content == BEGUN
    assert FindingCode.TRUNCATED in codes
    messages, _ = answer(f"{BEGUN}\n{CALL}\nso\n{CALL}{rest}")
    assert [each.recipient for each in messages] == [None, "functions.write", None, "functions.write"]


@pytest.mark.parametrize("end", ["\n</parameter>\n</function>", "\n</function>"])
def test_a_call_without_its_end_tag_ends_at_the_next_call(end: str) -> None:
    messages, _ = answer(f"{BEGUN}{end}\n{CALL}")
    assert [json.loads(str(each.content)) for each in messages] == [
        {"path": "x"},
        {"path": "literal", "content": "hello"},
    ]


def test_a_parameter_without_its_end_tag_ends_at_the_next_parameter() -> None:
    for end in ("\n</parameter>", " </parameter> y\n</parameter>"):
        messages, codes = answer(f"{BEGUN}\n<parameter=content>\nz{end}\n</function>\n</tool_call>")
        value = f"z{end}".removesuffix("\n</parameter>")
        assert [json.loads(str(each.content)) for each in messages] == [{"path": "x", "content": value}]
        assert codes == {FindingCode.JSON_REPAIRED}
