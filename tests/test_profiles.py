"""Profiles make the prompts that the public chat templates render, byte for byte (docs/requests.md)."""

from __future__ import annotations

from typing import Any

import pytest

from corpus import rendered
from ocml_bridge import BridgeError, ErrorCode, read
from ocml_bridge.registry import adapter, load_all
from ocml_bridge.request import opening_of, prompt

TEMPLATES = {
    "qwen2.5": ("qwen2.5",),
    "qwen3": ("qwen3", "qwen3-0.6b"),
    "qwen3-2507": ("qwen3-vl",),
    "qwen3-coder": ("qwen3-coder",),
    "qwen3.5": ("qwen3.5-think",),
    "nemotron-3": ("nemotron-3-nano", "nemotron-3-super"),
    "step-3.5": ("step-3.5-flash",),
    "lfm2.5": ("lfm2.5-8b",),
}
OTHERWISE = {"nemotron-3": {"white-space"}}
"""By profile, requests whose prompt differs, as docs/formats/chatml.md says: that template strips an answer's ends."""
BROKEN = {"markup-words"}
"""Requests whose words are tags of the markup: they are broken, so that nobody makes a call by writing one."""


def cases(family: str) -> list[dict[str, Any]]:
    """What a template renders with a generation prompt, and of its options none but whether the model thinks."""
    known = {"add_generation_prompt", "enable_thinking"}
    every = rendered(family)
    return [case for case in every if case["options"].get("add_generation_prompt") and set(case["options"]) <= known]


def made(case: dict[str, Any], profile: str) -> Any:
    effort = {"reasoning_effort": "none"} if case["options"].get("enable_thinking") is False else {}
    return prompt({**case["request"], **effort}, "chatml", profile=profile)


@pytest.mark.parametrize(("profile", "family"), [(name, each) for name, all_ in TEMPLATES.items() for each in all_])
def test_a_prompt_is_what_the_template_renders(profile: str, family: str) -> None:
    found = cases(family)
    different = {case["name"] for case in found if made(case, profile).output != case["prompt"]}
    assert len(found) > 20
    assert different == BROKEN | OTHERWISE.get(profile, set())


def test_a_prompt_of_lfm2_has_calls_as_the_model_writes_them() -> None:
    """The first revision of its template shows a call only where the client put it into the content."""
    every = {case["name"]: case for case in cases("lfm2")}
    different: set[str] = set()
    for name, case in every.items():
        if not name.endswith("-in-content"):
            wanted = every.get(f"{name}-in-content", case)["prompt"]
            if made(case, "lfm2").output != wanted:
                different.add(name)
    assert different == BROKEN


@pytest.mark.parametrize("profile", TEMPLATES)
def test_a_prompt_says_what_it_ends_with(profile: str) -> None:
    result = prompt([{"role": "user", "content": "Hi"}], "chatml", profile=profile)
    opening = opening_of(result)
    assert isinstance(result.output, str)
    assert isinstance(opening, str)
    assert opening.startswith("<|im_start|>assistant\n")
    assert result.output.endswith(f"<|im_end|>\n{opening}")


@pytest.mark.parametrize("profile", [*TEMPLATES, "lfm2"])
def test_a_prompt_reads_as_the_request(profile: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": "b"}'}}
    tool: Any = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    messages: Any = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
    ]
    result = prompt({"messages": messages, "tools": [tool]}, "chatml", profile=profile)
    document: Any = read(result.output, "chatml").transcript
    told = [message for message in document.messages if message.role != "system" and message.channel != "analysis"]
    assert [(message.role, message.content) for message in told] == [
        ("user", "Hi"),
        ("assistant", '{"a": "b"}'),
        ("tool", "ok"),
    ]
    assert [each.name for each in document.tools] == ["f"]
    assert document.open_turn is not None


def test_what_a_template_leaves_out_is_reported() -> None:
    messages: Any = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello.", "reasoning": "A greeting."},
        {"role": "user", "content": "Bye"},
    ]
    for profile in TEMPLATES:
        losses = prompt(messages, "chatml", profile=profile).losses
        assert "/messages/1" in {loss.path for loss in losses if loss.code == "thought"}


def test_a_profile_of_another_format_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BridgeError) as caught:
        prompt([{"role": "user", "content": "Hi"}], "chatml", profile="gpt-oss")
    assert caught.value.code is ErrorCode.OPTION
    assert "qwen3" in caught.value.message


def test_every_profile_says_whose_it_is() -> None:
    for each in load_all()[0]:
        for name, profile in each.profiles.items():
            assert profile.families, name
            assert profile.dialect is None or profile.dialect in adapter(each.id)[0].dialects
            assert all(len(sha) == 64 for sha in profile.templates.values())
