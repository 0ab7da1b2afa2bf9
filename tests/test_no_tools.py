"""A request that declares no tools (`"tools": []`): no prompt has a section for them, and nothing is lost with them."""

from __future__ import annotations

import json

import pytest

from ocml_bridge import Transcript, convert, formats, read
from prompts import prompt

HI = [{"role": "user", "content": "hi"}]
NONE = json.dumps({"messages": HI, "tools": []})
UNSAID = json.dumps({"messages": HI})

WIRES = {"openai", "openai-responses", "gemini", "anthropic"}
KEPT = {*WIRES, "ocm-0.1", "harmony", "harmony-tokens", "sharegpt", "canonical"}
"""Formats that tell "no tools" from nothing said of tools."""


@pytest.mark.parametrize("target", sorted(set(formats()) - KEPT))
def test_where_nothing_says_that_there_are_none_nothing_is_lost(target: str) -> None:
    result = convert(NONE, source="openai", target=target, strict=True)
    assert result.data == convert(UNSAID, source="openai", target=target).data
    assert [(loss.severity, loss.path) for loss in result.losses] == [("layout", "/tools")]


@pytest.mark.parametrize("target", sorted(KEPT))
def test_where_something_does_it_comes_back(target: str) -> None:
    back = read(convert(NONE, source="openai", target=target, strict=True).data, target).transcript
    assert isinstance(back, Transcript)
    assert back.tools == ()


@pytest.mark.parametrize("profile", [None, "gpt-oss"])
def test_a_prompt_has_no_section_for_them(profile: str | None) -> None:
    """As vLLM, the chat template of gpt-oss and its server have it."""
    result = prompt(NONE, "harmony", profile=profile, strict=True)
    assert result.data == prompt(UNSAID, "harmony", profile=profile).data
    assert [(loss.severity, loss.path) for loss in result.losses] == [("layout", "/tools")]


def test_an_empty_list_of_plugins_that_was_read_is_written_back() -> None:
    text = "<|im_start|>system name=<|plugin|>\n[]<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n"
    assert convert(text, source="internlm2", target="internlm2", strict=True).output == text
