"""Tools that take a text in place of arguments, and calls to them, in every format."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from ocml_bridge import Message, Tool, Transcript, convert, formats, read, write
from ocml_bridge.model import Freeform, Settings, replace
from ocml_bridge.testing.laws import all_laws
from sampling import sweep

USER = Message("user", "Look.")
TOOLS = {
    "any text": Tool("look", "Looks.", freeform=Freeform()),
    "a grammar": Tool("look", "Looks.", freeform=Freeform("lark", "start: WORD")),
    "half a grammar": Tool("look", freeform=Freeform("lark")),
    "beside parameters": Tool("look", parameters={"type": "object"}, strict=True, freeform=Freeform()),
    "in a namespace": Tool("look", namespace="eyes", freeform=Freeform()),
    "with extras of another format": Tool("look", extras={"elsewhere": {"a": 1}}, freeform=Freeform()),
}


def call(text: str, tool: Tool) -> Message:
    recipient = f"{tool.namespace or 'functions'}.look"
    return Message("assistant", text, channel="commentary", recipient=recipient, call_id="c1", end="call")


@pytest.mark.sweep
@pytest.mark.parametrize(("case", "target"), sweep(product(TOOLS, formats()), 3))
def test_freeform_tools_and_calls_keep_the_laws(case: str, target: str) -> None:
    tool = TOOLS[case]
    reply = Message("tool", "Seen.", name=call("", tool).recipient, channel="commentary", recipient="assistant")
    reply.call_id = "c1"
    for text in ("here", '{"a":1}', ""):
        all_laws(Transcript((USER, call(text, tool), reply), (tool,), settings=Settings(model="m")), target)


@pytest.mark.parametrize(
    ("tool", "text", "kind"),
    [
        (None, "print(1)", "custom"),
        (None, "[1]", "custom"),
        (None, '{"a": 1}', "function"),
        (None, "", "function"),
        (Tool("look"), "print(1)", "function"),
        (Tool("look"), '{"a": 1}', "function"),
        (Tool("look", freeform=Freeform()), '{"a": 1}', "custom"),
    ],
)
def test_a_call_without_a_kind_of_input_is_of_the_kind_of_its_tool(tool: Tool | None, text: str, kind: str) -> None:
    tools = None if tool is None else (tool,)
    for more in ("", " and", " and more"):  # the second and third are written by the plan of the first
        message = replace(
            call(text, Tool("look")), content=text + (more if kind == "custom" and text[:1] != "{" else "")
        )
        written: Any = write(Transcript((USER, message), tools), "openai").output
        assert [each["type"] for each in written["messages"][1]["tool_calls"]] == [kind]
        all_laws(Transcript((USER, message), tools), "openai")


@pytest.mark.parametrize("spelled", [["type", "syntax", "definition"], ["definition", "type", "syntax"]])
def test_the_order_of_a_grammar_s_keys_is_kept(spelled: list[str]) -> None:
    grammar = {"type": "grammar", "syntax": "regex", "definition": "a+"}
    tool = {"type": "custom", "name": "look", "format": {key: grammar[key] for key in spelled}}
    request: Any = {"input": [{"role": "user", "content": "Look."}], "tools": [tool]}
    output: Any = convert(request, source="openai-responses", target="openai-responses").output
    assert list(output["tools"][0]["format"]) == spelled


@pytest.mark.parametrize("wire", ["openai", "openai-responses"])
def test_other_members_of_a_tool_choice_are_named(wire: str) -> None:
    named: Any = {"name": "f"} if wire == "openai-responses" else {"function": {"name": "f"}}
    asked: Any = {"input" if wire == "openai-responses" else "messages": [{"role": "user", "content": "Look."}]}
    request = {**asked, "tool_choice": {"type": "function", **named, "unknown": 1}}
    losses = convert(request, source=wire, target="gemini").losses
    assert any("unknown" in loss.detail and loss.severity == "lost" for loss in losses)


def test_a_request_may_have_no_items() -> None:
    for request in ({"model": "m", "instructions": "Be brief."}, {"instructions": None, "prompt": {"id": "p"}}):
        assert convert(request, source="openai-responses", target="openai-responses").output == request


CHOICES: dict[str, dict[str, Any]] = {
    "openai": {
        "one": {"type": "custom", "custom": {"name": "look"}},
        "some": {
            "type": "allowed_tools",
            "allowed_tools": {
                "mode": "auto",
                "tools": [
                    {"type": "custom", "custom": {"name": "look"}},
                    {"type": "function", "function": {"name": "f"}},
                ],
            },
        },
        "by another kind": {"type": "function", "function": {"name": "look"}},
    },
    "openai-responses": {
        "one": {"type": "custom", "name": "look"},
        "some": {
            "type": "allowed_tools",
            "mode": "auto",
            "tools": [{"type": "custom", "name": "look"}, {"type": "function", "name": "f"}],
        },
        "by another kind": {"type": "function", "name": "look"},
    },
}
ASKING: dict[str, dict[str, Any]] = {
    "openai": {
        "messages": [{"role": "user", "content": "Look."}],
        "tools": [
            {"type": "custom", "custom": {"name": "look", "description": "Looks."}},
            {"type": "function", "function": {"name": "f", "description": "Does.", "parameters": {}}},
        ],
    },
    "openai-responses": {
        "input": [{"role": "user", "content": "Look."}],
        "tools": [
            {"type": "custom", "name": "look", "description": "Looks."},
            {"type": "function", "name": "f", "description": "Does.", "parameters": {}, "strict": False},
        ],
    },
}


@pytest.mark.parametrize(("source", "target"), [("openai", "openai-responses"), ("openai-responses", "openai")])
@pytest.mark.parametrize("case", ["one", "some", "by another kind"])
def test_a_choice_names_a_tool_by_its_kind(case: str, source: str, target: str) -> None:
    request = {**ASKING[source], "tool_choice": CHOICES[source][case]}
    assert convert(request, source=source, target=source).output == request
    wanted = CHOICES[target]["one" if case == "by another kind" else case]
    assert convert(request, source=source, target=target).output["tool_choice"] == wanted


@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock-converse"])
@pytest.mark.parametrize("source", ["openai", "openai-responses"])
def test_where_calls_are_objects_a_text_is_declared_as_it_is_called(source: str, target: str) -> None:
    """A call that the model makes by the declaration is one that was written of a custom call."""
    named = {"name": "search", "description": "d"}
    call = {"name": "search", "input": "cats"}
    if source == "openai":
        tools: Any = [{"type": "custom", "custom": named}]
        called: Any = {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": call}]}
    else:
        tools = [{"type": "custom", **named}]
        called = {"type": "custom_tool_call", "call_id": "c", **call}
    turns = [{"role": "user", "content": "Hi"}, called]
    request = {"model": "m", "messages" if source == "openai" else "input": turns, "tools": tools}
    written = convert(request, source=source, target=target).output
    again = read(written, source=target).transcript
    assert isinstance(again, Transcript)
    assert again.tools is not None
    assert again.tools[0].parameters == {
        "type": "object",
        "properties": {"input": {"type": "string"}},
        "required": ["input"],
    }
    assert json.loads(str(again.messages[1].content)) == {"input": "cats"}
