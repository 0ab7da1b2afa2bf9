"""Lists of tools that are not JSON: tags (Qwen3-Coder, Nemotron 3), docstrings (Hermes 2 Pro)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import corpus_path
from ocml_adapters.chatml.markup import tool_words
from ocml_adapters.chatml.markup.tool_words import Words
from ocml_adapters.chatml.markup.tools_docstrings import DocstringTools
from ocml_adapters.chatml.markup.tools_xml import XmlTools
from ocml_bridge import read
from ocml_bridge.model import Tool, Transcript

CODER = XmlTools()
NEMOTRON = XmlTools(first=("type", "description", "enum"), last=("required",))
NOUS = DocstringTools()
GRAMMARS: tuple[XmlTools | DocstringTools, ...] = (CODER, NEMOTRON, NOUS)


class Case(NamedTuple):
    """A prompt that declares tools, and the tools of its request."""

    name: str
    prompt: str
    tools: tuple[Tool, ...]


def cases(family: str) -> Iterator[Case]:
    for line in corpus_path("chatml-dialects", "grid.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["family"] == family and "prompt" in record and record["request"].get("tools"):
            document = read(json.dumps(record["request"]), "openai").transcript
            assert isinstance(document, Transcript)
            yield Case(record["name"], record["prompt"], document.tools or ())


@pytest.mark.parametrize(
    ("family", "words", "grammar"),
    [
        ("qwen3-coder", tool_words.QWEN_CODER, CODER),
        ("nemotron-3-nano", tool_words.NEMOTRON, NEMOTRON),
        ("nemotron-3-super", tool_words.NEMOTRON, NEMOTRON),
        ("hermes-2-pro", tool_words.NOUS, NOUS),
    ],
)
def test_tools_are_written_as_the_templates_write_them(
    family: str, words: Words, grammar: XmlTools | DocstringTools
) -> None:
    found = list(cases(family))
    assert len(found) > 10
    for case in found:
        written = grammar.write(case.tools)
        assert f"{words.before}{written}{words.after}" in case.prompt, case.name
        back = grammar.read(written)
        assert back is not None
        assert grammar.write(back) == written
        if "ping" not in written:  # a tool without parameters is written as one with none
            assert back == case.tools


WORDS = {
    "qwen2.5": tool_words.HERMES,
    "qwen3": tool_words.HERMES,
    "qwen3-0.6b": tool_words.HERMES,
    "qwen3-vl": tool_words.HERMES,
    "qwq": tool_words.HERMES,
    "qwen3.5-think": tool_words.QWEN_3_5,
    "qwen3.5-nothink": tool_words.QWEN_3_5,
    "qwen3.8": tool_words.QWEN_3_5,
    "step-3.5-flash": tool_words.STEP,
    "lfm2": tool_words.LFM2,
    "lfm2.5-8b": tool_words.LFM2_5,
}


@pytest.mark.parametrize("family", WORDS)
def test_the_words_around_lists_of_json(family: str) -> None:
    words = WORDS[family]
    for case in cases(family):
        begin = case.prompt.index(words.before) + len(words.before)
        end = case.prompt.index(words.after or "<|im_end|>", begin)
        lines = case.prompt[begin:end].strip().split("\n")
        listed = json.loads(lines[0]) if lines[0].startswith("[") else [json.loads(line) for line in lines]
        assert [item["function"].get("description") for item in listed] == [tool.description for tool in case.tools]


RICH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "description": "An <a>\nof two lines", "default": "False", "pattern": "1"},
        "b": {"type": ["integer", "null"], "enum": [1, None], "default": False, "minimum": 1.5},
        "c": {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}], "title": "7"},
        "d": {},
    },
    "required": ["a"],
    "additionalProperties": False,
    "$defs": {"x": {"type": "null"}},
}


@pytest.mark.parametrize("grammar", [CODER, NEMOTRON])
def test_nested_schemas_come_back(grammar: XmlTools) -> None:
    tools = (
        Tool("f", "Does it.\n\nWell.", RICH, extras={"chatml": {"function": {"returns": "text"}}}, strict=True),
        Tool("search", None, {"type": "object", "properties": {}}, namespace="browser"),
    )
    assert grammar.read(grammar.write(tools)) == tools


def test_docstrings_come_back() -> None:
    tools = (Tool("f", 'Does "it".', RICH), Tool("g", None, {"type": "object", "properties": {}}))
    assert NOUS.read(NOUS.write(tools)) == tools


def test_types_of_docstrings() -> None:
    kinds = {
        "a": {"type": "array", "items": {"type": "string"}},
        "b": {"type": "object"},
        "c": {"type": "object", "additionalProperties": {"type": "number"}},
        "d": {"type": ["string", "integer"]},
        "e": {"type": "null"},
        "f": {"enum": [1]},
    }
    text = NOUS.write([Tool("t", "T.", {"properties": kinds})])
    assert "t(a: list[Union[]], b: dict, c: dict[str, float], d: Union[str,int], e: Any, f: Union[]) - T.\n\n" in text


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("cut", [1, 2, 9, 40])
def test_only_what_is_written_is_read(grammar: XmlTools | DocstringTools, cut: int) -> None:
    written = grammar.write([Tool("f", "Does it.", RICH)])
    assert grammar.read(written) is not None
    assert grammar.read(written[:-cut]) is None
    assert grammar.read(written[cut:]) is None
    assert grammar.read(f"{written} ") is None
    assert grammar.read("") is None


@pytest.mark.parametrize("grammar", [CODER, NEMOTRON])
def test_what_a_text_would_end_is_not_read_as_something_else(grammar: XmlTools) -> None:
    tool = Tool("f", "A.</description>\n<parameters>", {"type": "object", "properties": {}})
    read = grammar.read(grammar.write([tool]))
    assert read is None or grammar.write(read) == grammar.write([tool])


NAMES = st.text(max_size=6) | st.sampled_from(["type", "name", "required", "properties", "a<b>", "</name>", "enum"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
SCHEMAS = st.fixed_dictionaries(
    {"properties": st.dictionaries(NAMES, JSON | st.dictionaries(NAMES, JSON, max_size=3), max_size=3)},
    optional={"type": JSON, "required": JSON},
)
TOOLS = st.builds(Tool, NAMES, st.none() | NAMES, st.none() | JSON | SCHEMAS)


@given(st.sampled_from(GRAMMARS), st.lists(TOOLS, min_size=1, max_size=3))
def test_any_tools_are_written_and_read_as_far_as_they_can_be(
    grammar: XmlTools | DocstringTools, tools: list[Tool]
) -> None:
    written = grammar.write(tools)
    back = grammar.read(written)
    if back is not None:
        assert grammar.write(back) == written
        assert grammar.read(grammar.write(back)) == back


@given(
    st.sampled_from(GRAMMARS),
    st.lists(
        st.sampled_from(
            [
                "\n",
                "<function>",
                "</function>",
                "<name>",
                "f",
                "</name>",
                "<parameters>",
                "</parameters>",
                "<x>",
                "</x>",
                '{"type": "function", "function": {"name": "',
                '", "description": "',
                '", "parameters": ',
                "{}",
                "}",
            ]
        ),
        max_size=20,
    ).map("".join),
)
def test_any_text_is_tools_or_none(grammar: XmlTools | DocstringTools, text: str) -> None:
    tools = grammar.read(text)
    assert tools is None or grammar.write(tools) == text
