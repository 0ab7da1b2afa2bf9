"""Texts of models that declare tools in other words than the first of their dialect, as their templates render them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import FindingCode, Transcript, read, write
from ocml_bridge.testing import laws

ROWS: Any = json.loads((Path(__file__).parents[2] / "golden/rows/chat_templates_of_chatml.json").read_text("utf-8"))
TEXTS = [case["row"]["text"] for case in ROWS["cases"]]
FAMILIES = (
    *("hermes/qwen2.5-json", "hermes/hermes-4", "hermes/falcon-h1", "hermes/falcon-h1r"),
    *("qwen-xml/nanbeige", "qwen-xml/iquest", "qwen-xml/mimo"),
)


@pytest.mark.parametrize(("family", "text"), [*zip(FAMILIES, TEXTS, strict=True)], ids=FAMILIES)
def test_a_text_comes_back_and_its_family_is_known(family: str, text: str) -> None:
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    assert (document.layout or {})["chatml"]["family"] == family
    assert write(document, "chatml").output == text
    for target in ("chatml", "chatml:hermes", "chatml:qwen-xml"):
        laws.all_laws(document, target)


def test_the_first_revision_of_qwen_2_5_has_braces_twice() -> None:
    """Its template writes the braces of the example as a format string of Python needs them (ollama's qwen2.5:0.5b)."""
    text = TEXTS[0].replace("return a JSON object with the function", "return a json object with function")
    text = text.replace('{"name": <', '{{"name": <').replace("object>}", "object>}}")
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    assert (document.layout or {})["chatml"]["family"] == "hermes/qwen2.5-doubled"
    assert read(text, "chatml").findings == read(TEXTS[0], "chatml").findings
    assert write(document, "chatml").output == text


# --- words of no known template ---------------------------------------------------------------------------------------

TOOL = '{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}'
OTHER = TOOL.replace('"f"', '"g"')
HERMES = (
    "You are a function calling AI model. You are provided with function signatures within <tools></tools> XML tags. "
    "Here are the available tools: <tools> {} </tools> For each function call return a json object with function name "
    "and arguments within <tool_call></tool_call> XML tags as follows:\n<tool_call>\n"
    "{{'arguments': <args-dict>, 'name': <function-name>}}\n</tool_call>"
)
"""NousResearch/Hermes-Function-Calling, the prompt of its data."""
FALCON = (
    "Be brief.\n\nYou are a function calling AI model. You may call one or more functions.\n<tools>\n{}\n</tools>\n"
    "For each function call, return a json object within <tool_call> </tool_call> tags.\n"
)
"""axolotl's template of Falcon-H1; it writes each tool as a list of its own."""


PRINTED = [repr(json.loads(each) | {"note": ["it's", None, True]}) for each in (TOOL, OTHER)]
"""Tools as Python prints them: the template of SmolLM3, and the rows of NousResearch/hermes-function-calling-v1."""
LISTS = [
    *(f"[{TOOL}, {OTHER}]", f"{TOOL}\n{OTHER}", f"[{TOOL}][{OTHER}]"),
    *("\n".join(PRINTED), f"[{', '.join(PRINTED)}]", "[{},\n {}]".format(*PRINTED)),
]


@pytest.mark.parametrize("words", [HERMES, FALCON, "<tools>{}</tools>"])
@pytest.mark.parametrize("tools", LISTS)
def test_a_list_of_tools_declares_them_in_any_words(words: str, tools: str) -> None:
    text = f"<|im_start|>system\n{words.format(tools)}<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
    reading = read(text, "chatml")
    document = reading.transcript
    assert isinstance(document, Transcript)
    assert [tool.name for tool in document.tools or ()] == ["f", "g"]
    empty = words.format("@").replace("<tools> @ </tools>", "<tools></tools>").replace("\n@\n", "").replace("@", "")
    assert document.messages[0].content == empty
    assert [finding.code for finding in reading.findings] == [FindingCode.MARKUP]
    assert write(document, "chatml").output == text
    for target in ("chatml", "chatml:hermes", "openai", "harmony"):
        laws.all_laws(document, target)


@pytest.mark.parametrize(
    "tools",
    [
        "[]",
        "[1]",
        "f(x)",
        "['f', 'g']",
        f"{PRINTED[0]} and {PRINTED[1]}",
        f"[{TOOL}][1]",
        f"[{TOOL}]]",
        f"{TOOL}</tools><tools>{OTHER}",
        "",
    ],
)
def test_anything_but_one_list_of_tools_is_text(tools: str) -> None:
    body = f"Call:\n<tools>{tools}</tools>"
    document = read(f"<|im_start|>system\n{body}<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n", "chatml").transcript
    assert isinstance(document, Transcript)
    assert document.tools is None
    assert document.messages[0].content == body
