"""A request with an empty list of tools (`"tools": []`): no prompt has a section for them, and nothing is lost."""

from __future__ import annotations

import json

import pytest

from ocml_bridge import Transcript, convert, formats, read
from prompts import prompt

HI = [{"role": "user", "content": "hi"}]
NONE = json.dumps({"messages": HI, "tools": []})
ABSENT = json.dumps({"messages": HI})

WIRES = {"openai", "openai-responses", "gemini", "anthropic"}
KEPT = {*WIRES, "ocm-0.1", "harmony", "harmony-tokens", "sharegpt", "canonical"}
"""Formats that distinguish an empty list of tools from an absent one."""


@pytest.mark.parametrize("target", sorted(set(formats()) - KEPT))
def test_an_empty_list_of_tools_is_left_out_of_other_formats_without_a_loss(target: str) -> None:
    result = convert(NONE, source="openai", target=target, strict=True)
    assert result.data == convert(ABSENT, source="openai", target=target).data
    assert [(loss.severity, loss.path) for loss in result.losses] == [("layout", "/tools")]


@pytest.mark.parametrize("target", sorted(KEPT))
def test_an_empty_list_of_tools_is_restored_in_formats_that_distinguish_it(target: str) -> None:
    back = read(convert(NONE, source="openai", target=target, strict=True).data, target).transcript
    assert isinstance(back, Transcript)
    assert back.tools == ()


@pytest.mark.parametrize("profile", [None, "gpt-oss"])
def test_a_prompt_has_no_section_for_an_empty_list_of_tools(profile: str | None) -> None:
    """vLLM, the chat template of gpt-oss and its server write none."""
    result = prompt(NONE, "harmony", profile=profile, strict=True)
    assert result.data == prompt(ABSENT, "harmony", profile=profile).data
    assert [(loss.severity, loss.path) for loss in result.losses] == [("layout", "/tools")]


def test_an_empty_list_of_plugins_that_was_read_is_written_back() -> None:
    text = "<|im_start|>system name=<|plugin|>\n[]<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n"
    assert convert(text, source="internlm2", target="internlm2", strict=True).output == text
