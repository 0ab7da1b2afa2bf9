"""The tools that gpt-oss has of its own: declared as the official encoder does, called, and kept in the history."""

from __future__ import annotations

from typing import Any

import pytest

from harmony_answers import chunks_of, client_sees, declaring
from harmony_judge import DIALECT, config, library
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import Options
from ocml_bridge.chat.visibility import REASONING
from ocml_bridge.events import Answer
from ocml_bridge.pipe import encoder
from ocml_bridge.profiles import profile

WANTED: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "as gpt-oss' own server takes them": ({"tools": [{"type": "browser_search"}]}, ("browser",)),
    "as OpenAI's Responses do": ({"tools": [{"type": "web_search_preview"}, {"type": "web_search"}]}, ("browser",)),
    "code": ({"tools": [{"type": "code_interpreter", "container": {}}]}, ("python",)),
    "both, in another order": ({"tools": [{"type": "python"}, {"type": "browser"}]}, ("browser", "python")),
    "as the chat template takes them": ({"builtin_tools": ["browser", "python"]}, ("browser", "python")),
    "as servers hand it over": ({"chat_template_kwargs": {"builtin_tools": ["python"]}}, ("python",)),
    "none": ({"builtin_tools": []}, ()),
}


def official(names: tuple[str, ...], *, functions: bool) -> list[int]:
    """The prompt as the official encoder renders it."""
    h = library()
    system = h.SystemContent.new()
    for name in names:
        system = system.with_browser_tool() if name == "browser" else system.with_python_tool()
    messages = [h.Message.from_role_and_content(h.Role.SYSTEM, system)]
    if functions:
        tool = h.ToolDescription(name="f", description="", parameters={"type": "object", "properties": {}})
        content = h.DeveloperContent.new().with_function_tools([tool])
        messages.append(h.Message.from_role_and_content(h.Role.DEVELOPER, content))
    messages.append(h.Message.from_role_and_content(h.Role.USER, "Hi"))
    conversation = h.Conversation(messages=messages)
    return load_encoding().render_conversation_for_completion(conversation, h.Role.ASSISTANT, config=config())


@pytest.mark.parametrize("functions", [False, True])
@pytest.mark.parametrize(("wanted", "names"), WANTED.values(), ids=list(WANTED))
def test_own_tools_are_declared_as_the_official_encoder_declares_them(
    wanted: dict[str, Any], names: tuple[str, ...], *, functions: bool
) -> None:
    request = declaring(*(["f"] if functions else []))
    request |= wanted | {"tools": [*request.get("tools", ()), *wanted.get("tools", ())]}
    prompt = profile("gpt-oss", "harmony-tokens").prompt(request, options=Options(dialect=DIALECT))
    assert prompt.output == official(names, functions=functions)
    assert [loss for loss in prompt.losses if loss.severity == "lost" and "builtin" not in loss.path] == []


@pytest.mark.parametrize(
    ("more", "paths"),
    [
        ({"tools": [{"type": "image_generation"}]}, ["/extras/openai/tools"]),
        ({"builtin_tools": ["browser", "calculator"]}, ["/extras/openai/builtin_tools"]),
        ({"chat_template_kwargs": {"builtin_tools": ["python"], "x": 1}}, ["/extras/openai/chat_template_kwargs"]),
        ({"tools": [{"type": "code_interpreter", "container": "c"}]}, ["/extras/openai/tools/0/tool"]),
        (
            {"tools": [{"type": "python"}, *declaring("python")["tools"]]},
            ["/tools/0/name", "/extras/openai/tools/0/tool"],
        ),
    ],
)
def test_settings_of_tools_that_are_not_in_the_prompt_are_reported(more: dict[str, Any], paths: list[str]) -> None:
    prompt = profile("gpt-oss").prompt(declaring() | more)
    assert [loss.path for loss in prompt.losses] == paths


def test_other_models_have_no_tools_of_their_own() -> None:
    prompt = profile("qwen3").prompt(declaring() | {"tools": [{"type": "code_interpreter"}]})
    assert [loss.path for loss in prompt.losses if loss.severity == "lost"] == ["/extras/openai/tools"]


CALLS = {
    "python": ("<|channel|>analysis to=python code<|message|>print(1)<|call|>", "print(1)"),
    "browser.search": ('<|channel|>analysis to=browser.search code<|message|>{"query":"x"}<|call|>', '{"query":"x"}'),
    "browser.open": (' to=browser.open<|channel|>analysis <|constrain|>json<|message|>{"id":1}<|call|>', '{"id":1}'),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_calls_of_these_tools_are_on_the_channel_analysis_both_ways(name: str, size: int) -> None:
    answer, body = CALLS[name]
    wanted = {"tools": [{"type": "code_interpreter"}, {"type": "browser_search"}]}
    request = declaring() | wanted
    source = profile("gpt-oss").answering(request)
    target = encoder("openai-sse", answer=Answer("a", "m", 1), visibility=REASONING)
    events = [event for chunk in chunks_of(answer, size) for event in source.feed(chunk)] + source.finish("stop")
    seen = client_sees(b"".join([*target.encode(events), *target.finish()]))
    assert (seen["tool_calls"], seen["content"]) == ([{"name": name, "arguments": body}], "")
    call = {"id": "c1", "type": "custom", "custom": {"name": name, "input": body}}
    history: list[Any] = [
        *request["messages"],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
    ]
    text = str(profile("gpt-oss", "harmony:spec").prompt({"messages": history, **wanted}).output)
    assert f"<|start|>assistant to={name}<|channel|>analysis code<|message|>{body}<|call|>" in text
    assert f"<|start|>{name} to=assistant<|channel|>analysis<|message|>1<|end|>" in text
