"""What the page is answered is what the command gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import convert, formats
from ocml_bridge.playground.answer import answer, catalogue
from ocml_bridge.playground.examples import EXAMPLES, examples
from ocml_bridge.profiles import profile
from ocml_bridge.report.policy import LENIENT

WIRE = b'{"messages":[{"role":"user","content":"Hi <|end|>","name":"bob"},{"role":"assistant","content":"Hello."}]}\n'


def answered(data: bytes, **asked: Any) -> dict[str, Any]:
    return json.loads(answer(data, json.dumps(asked)))


@pytest.mark.parametrize("target", ["openai", "harmony:oss", "chatml", "canonical"])
def test_output_and_report_are_those_of_a_conversion(target: str) -> None:
    answer = answered(WIRE, target=target, drawn=False)
    result = convert(WIRE, target=target, policy=LENIENT, spans=target in ("harmony:oss", "chatml"))
    assert answer["output"] == result.data.decode()
    assert answer["report"] == result.report()
    assert (answer["source"], answer["title"]) == ("openai", "OpenAI messages")
    assert "panels" not in answer


def test_a_prompt_is_that_of_its_profile() -> None:
    answer = answered(WIRE, profile="qwen3")
    assert answer["output"] == profile("qwen3").prompt(WIRE).output
    assert answer["back"] == ""
    assert "prompt of qwen3" in answer["panels"]["output"]


def test_there_is_something_to_look_at() -> None:
    answer = answered(WIRE, target="harmony")
    verdict, output, conversation = (answer["panels"][name] for name in ("verdict", "output", "conversation"))
    assert "harmony cannot hold the whole conversation: 1 lost, 1 changed." in verdict
    assert "<b>&lt;|start|&gt;</b>user" in output
    assert "Hi &lt;|end|&gt;" in conversation
    assert answer["pretty"] == answer["output"]


@pytest.mark.parametrize(
    ("data", "target", "back"),
    [
        (b"<|im_start|>user\nHi<|im_end|>\n", "canonical", "alone bytes"),
        (WIRE.replace(b'":"', b'": "'), "canonical", "alone values"),
        (WIRE, "harmony", "sidecar bytes"),
    ],
)
def test_the_answer_has_whether_the_input_comes_back(data: bytes, target: str, back: str) -> None:
    assert answered(data, target=target)["back"] == back


def test_of_several_conversations_one_is_shown() -> None:
    lines = b'[{"role":"user","content":"one"}]\n[{"role":"user","content":"two"}]\n'
    texts = b"<s><|im_start|>user\none<|im_end|></s><s><|im_start|>user\ntwo<|im_end|></s>"
    for data in (lines, texts):
        for which, content in ((0, "one"), (1, "two"), (7, "two")):
            answer = answered(data, target="harmony", which=which)
            assert (answer["conversations"], answer["output"]) == (2, f"<|start|>user<|message|>{content}<|end|>")
    assert answered(WIRE, target="harmony")["conversations"] == 1


def test_an_error_has_its_code_and_place() -> None:
    answer = answered(b"<|im_start|>user\nHi<|im_end|>", source="harmony", target="openai")
    assert answer["error"]["code"] == "OCB-FORMAT-DOUBT"
    assert answered(b'{"messages":\n [}', target="harmony")["error"]["line"] == 2
    assert answered(b"\xff", target="harmony")["error"]["code"] == "OCB-ENCODING"


def test_everything_can_be_chosen() -> None:
    known = json.loads(catalogue())
    assert [each["id"] for each in known["formats"]] == list(formats())
    formats_of = {each["name"]: each["format"] for each in known["profiles"]}
    assert (formats_of["gpt-oss"], formats_of["qwen3"]) == ("harmony:oss", "chatml")


@pytest.mark.parametrize("example", examples(), ids=[title for title, _, _ in EXAMPLES])
def test_every_example_is_recognised_and_converted(example: dict[str, str]) -> None:
    _, _, name = example["target"].partition("profile:")
    answer = answered(example["text"].encode(), target="" if name else example["target"], profile=name)
    assert answer["output"]
