"""Tools that take a text, with models that call only functions: prompts declare functions, answers have the text.

The request is one of Codex 0.171, shortened: its tool `apply_patch` takes a patch, which it does not want in JSON.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import encoder
from ocml_bridge.events import Answer, Decoder, End, Stop
from ocml_bridge.loss import Loss
from ocml_bridge.pipe import Pipe
from ocml_bridge.profiles import Prompt, profile

PATCH = '*** Begin Patch\n*** Update File: data.txt\n@@\n-quagga\n+zebra "é"\n*** End Patch'
GRAMMAR = {"type": "grammar", "syntax": "lark", "definition": 'start: "*** Begin Patch"'}
TOOL = {"type": "custom", "name": "apply_patch", "description": "A FREEFORM tool.", "format": GRAMMAR}
QUESTION = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Patch it."}]}
CALL = {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch", "input": PATCH}
OUTPUT = {"type": "custom_tool_call_output", "call_id": "call_1", "output": "Done."}

HARMONY = "<|channel|>commentary to={} <|constrain|>json<|message|>{}<|call|>"
CALLS = [
    ("gpt-oss", HARMONY.format("functions.apply_patch", json.dumps({"input": PATCH}))),
    ("gpt-oss", HARMONY.format("apply_patch", json.dumps({"input": PATCH}, ensure_ascii=False))),
    ("gpt-oss", HARMONY.format("functions.apply_patch", PATCH)),
    ("gpt-oss", f"<|channel|>commentary to=functions.apply_patch<|message|>{PATCH}<|call|>"),
    ("qwen3", f'<tool_call>\n{{"name": "apply_patch", "arguments": {json.dumps({"input": PATCH})}}}\n</tool_call>'),
    (
        "qwen3-coder",
        f"<tool_call>\n<function=apply_patch>\n<parameter=input>\n{PATCH}\n</parameter>\n</function>\n</tool_call>",
    ),
]
"""How models call the tool: with the text as an argument, or with the bare text."""


def prompt_of(name: str, *items: dict[str, Any], **more: Any) -> Prompt:
    """The prompt of a request with the tool."""
    return profile(name).prompt({"input": [QUESTION, *items], "tools": [TOOL]} | more, source="openai-responses")


def answering(name: str, *items: dict[str, Any], **more: Any) -> Decoder:
    """A decoder of the answer to such a request."""
    return profile(name).answering(prompt_of(name, *items, **more))


def test_the_prompt_declares_a_function_whose_argument_is_the_text() -> None:
    text = prompt_of("gpt-oss").output
    assert isinstance(text, str)
    assert "type apply_patch = (_: {\ninput: string,\n}) => any;" in text


def test_the_grammar_is_lost_and_the_form_of_the_call_is_not() -> None:
    losses = {loss.path: (loss.code, loss.severity) for loss in prompt_of("gpt-oss", CALL, OUTPUT).losses}
    assert losses["/tools/0/freeform"] == ("tools", "lost")
    assert losses["/messages/1/content"] == ("content", "layout")
    plain = {"tools": [{"type": "custom", "name": "apply_patch"}]}
    losses = {loss.path: (loss.code, loss.severity) for loss in prompt_of("gpt-oss", **plain).losses}
    assert losses["/tools/0/freeform"] == ("tools", "layout")


@pytest.mark.parametrize(("name", "answer"), CALLS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_an_answer_has_the_text(name: str, answer: str, size: int) -> None:
    decoder = answering(name)
    events = [event for at in range(0, len(answer), size) for event in decoder.feed(answer[at : at + size])]
    events += decoder.finish("stop")
    [call] = [event.message for event in events if isinstance(event, End)]
    assert (call.recipient, call.content, call.constraint) == ("functions.apply_patch", PATCH, None)
    stop = events[-1]
    assert isinstance(stop, Stop)
    assert getattr(stop.document, "messages", ()) == (call,)


@pytest.mark.parametrize(("name", "answer"), CALLS)
@pytest.mark.parametrize("stream", ["openai-responses", "openai-responses-sse"])
def test_a_client_of_responses_gets_a_call_of_a_custom_tool(name: str, answer: str, stream: str) -> None:
    names = frozenset({"apply_patch"})
    pipe = Pipe(answering(name), encoder(stream, answer=Answer("resp_1", tools=names, freeform=names)))
    written = (pipe.feed(answer) + pipe.finish("stop")).decode()
    if stream.endswith("sse"):
        assert "response.custom_tool_call_input.delta" in written
        written = json.dumps(json.loads(written.rpartition("data: ")[2])["response"])
    [item] = json.loads(written)["output"]
    assert (item["type"], item["name"], item["input"]) == ("custom_tool_call", "apply_patch", PATCH)


@pytest.mark.parametrize(("name", "answer"), CALLS)
def test_a_client_of_chat_completions_gets_such_a_call_in_a_whole_answer(name: str, answer: str) -> None:
    written, losses = whole_answer(name, answer)
    [call] = written["tool_calls"]
    assert (call["type"], call["custom"]) == ("custom", {"name": "apply_patch", "input": PATCH})
    assert {loss.severity for loss in losses} == {"layout"}


def test_a_text_that_is_an_object_stays_the_input_of_a_custom_tool() -> None:
    [call] = whole_answer("gpt-oss", HARMONY.format("functions.apply_patch", '{"input": "{}"}'))[0]["tool_calls"]
    assert (call["type"], call["custom"]) == ("custom", {"name": "apply_patch", "input": "{}"})


def whole_answer(name: str, answer: str) -> tuple[dict[str, Any], list[Loss]]:
    """The message of Chat Completions for an answer, and the losses."""
    names = frozenset({"apply_patch"})
    client = encoder("openai", answer=Answer("chatcmpl-1", tools=names, freeform=names))
    pipe = Pipe(answering(name), client)
    return json.loads(pipe.feed(answer) + pipe.finish("stop"))["choices"][0]["message"], client.losses


def test_the_next_prompt_has_the_call_as_the_model_wrote_it() -> None:
    """And then the model's answer is read in the same way."""
    text = prompt_of("gpt-oss", CALL, OUTPUT).output
    assert isinstance(text, str)
    arguments = json.dumps({"input": PATCH}, ensure_ascii=False, separators=(",", ":"))
    assert HARMONY.format("functions.apply_patch", arguments) in text


def test_other_arguments_are_the_input_as_they_are() -> None:
    """The tool then tells the model what is wrong."""
    for arguments in ('{"patch": "x"}', '{"input": 1}', '{"input": "x", "cwd": "/"}', '{"input": "*** Begin', "7"):
        decoder = answering("gpt-oss")
        events = [*decoder.feed(HARMONY.format("functions.apply_patch", arguments)), *decoder.finish("stop")]
        [call] = [event.message for event in events if isinstance(event, End)]
        assert call.content == arguments


def test_calls_of_functions_are_left_alone() -> None:
    function: dict[str, Any] = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}
    decoder = answering("gpt-oss", tools=[TOOL, function])
    events = [*decoder.feed(HARMONY.format("functions.look", '{"input":"x"}')), *decoder.finish("stop")]
    [call] = [event.message for event in events if isinstance(event, End)]
    assert (call.content, call.constraint) == ('{"input":"x"}', "json")


def test_tools_that_a_message_declares_are_tools_of_the_request() -> None:
    """Codex declares all tools in the first item, in namespaces."""
    space = {"type": "namespace", "name": "functions", "description": "", "tools": [TOOL]}
    first = {"type": "additional_tools", "role": "developer", "tools": [space]}
    request: dict[str, Any] = {
        "input": [first, QUESTION],
        "text": {"format": {"type": "json_schema", "name": "a", "schema": {}}},
    }
    model = profile("gpt-oss")
    prompt = model.prompt(request, source="openai-responses")
    assert isinstance(prompt.output, str)
    assert "Calls to these tools must go to the commentary channel: 'functions'." in prompt.output
    assert "type apply_patch = (_: {\ninput: string,\n}) => any;" in prompt.output
    assert "functions.apply_patch" in repr(model.guide(prompt))
