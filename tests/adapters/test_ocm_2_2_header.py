"""Headers of OpenChatML 2.2: what is written without the YAML library is what the library would write and read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_adapters.ocm_2_2 import document
from ocml_adapters.ocm_2_2.document import DocumentHeader, parse_header, read_back, render_header
from ocml_adapters.ocm_2_2.yamltext import dump, load
from ocml_bridge import BridgeError, Message, Transcript, read, write
from ocml_bridge.json_values import jsontext
from ocml_bridge.model import AnswerFormat, Header, Settings, ToolChoice
from ocml_bridge.testing import strategies
from ocml_bridge.testing.settings import settings

WORDS = ("a", "null", "yes", "---", "0x1", "1_0", "a b", " a", "", "gpt-4o", "1.5", "a: b", "- a", '"', "\\", "é", "\n")
TEXTS = st.sampled_from(WORDS) | st.text(st.characters(max_codepoint=0x7F), max_size=200) | strategies.texts()
NUMBERS = st.sampled_from([0, -1, 0.0, -0.0, 1.5, 1e16, 1e-5, 10**15, 10**16, 2**70]) | st.floats(allow_nan=False)
SCALARS: st.SearchStrategy[Any] = st.none() | st.booleans() | NUMBERS | st.integers() | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))
HEADERS = st.builds(
    DocumentHeader,
    st.builds(
        Header,
        st.none() | st.sampled_from(["2.2", "2.10", "", "null", "x y"]),
        st.none() | VALUES,
        st.none() | VALUES,
        st.none() | st.dictionaries(TEXTS | st.sampled_from(["version", "model", "generation_settings"]), VALUES),
    ),
    st.none() | settings(TEXTS, TEXTS, VALUES),
    st.none() | st.dictionaries(TEXTS | st.sampled_from(["n", "model", "stop"]), VALUES, max_size=2),
)


SETTINGS: dict[str, tuple[Settings, str]] = {
    "model": (Settings("m"), "model: m\n"),
    "a number": (Settings(temperature=0.5, top_k=3), 'generation_settings: {"temperature": 0.5, "top_k": 3}\n'),
    "words": (
        Settings("m", stop=("a", "b"), reasoning_effort="high"),
        'model: m\ngeneration_settings: {"stop": ["a", "b"], "reasoning_effort": "high"}\n',
    ),
    "a choice": (Settings(tool_choice=ToolChoice("required")), 'generation_settings: {"tool_choice": "required"}\n'),
    "a choice of tools": (
        Settings(tool_choice=ToolChoice("auto", ("functions.f",))),
        'generation_settings: {"tool_choice": {"mode": "auto", "names": ["functions.f"]}}\n',
    ),
    "a form": (
        Settings(response_format=AnswerFormat("json_object")),
        'generation_settings: {"response_format": {"type": "json_object"}}\n',
    ),
}
"""Settings, and their lines in the header, after the version."""


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_are_in_the_header_by_their_names(name: str) -> None:
    wanted, lines = SETTINGS[name]
    result = write(Transcript((Message("user", "a"),), settings=wanted), "ocm-2.2")
    assert result.output == f"version: 2.2\n{lines}<|start|>user<|message|>a<|end|>\n"
    back = read(result.output, "ocm-2.2").transcript
    assert isinstance(back, Transcript)
    assert back.settings == wanted


@given(VALUES)
def test_what_is_plain_is_what_the_yaml_library_writes_and_reads(value: Any) -> None:
    text = document.plain(value)
    if text is not None:
        assert text == dump(value)
        loaded = load(f"value: {text}\n")
        assert loaded is not None
        assert jsontext.dumps(loaded[0]) == jsontext.dumps({"value": value})


@pytest.mark.parametrize("value", ["gpt-4o", 0.2, 4096, True, None, ["END", "<|end|>"], {"temperature": 0.2, "n": 1}])
def test_settings_of_requests_are_plain(value: Any) -> None:
    assert document.plain(value) is not None


def _read(text: str) -> DocumentHeader | str | None:
    try:
        return parse_header(text)
    except BridgeError as error:
        return error.code


@given(HEADERS)
def test_a_header_is_read_back_as_its_text_is_read(header: DocumentHeader) -> None:
    try:
        found = read_back(header)
    except BridgeError as error:
        found = error.code
    assert repr(found) == repr(_read(render_header(header)))
    assert read_back(DocumentHeader(Header("2.2"), Settings(model="m"))) == _read("version: 2.2\nmodel: m\n")
