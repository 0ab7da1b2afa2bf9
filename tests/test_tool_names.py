"""The name of a tool is content: two tools never become one; each name is restored, or a loss reports it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Transcript, convert, read, verify, write
from ocml_bridge.chat.turns import full_name, name_of, recipient_of, split_name
from ocml_bridge.checks.calls import check_calls
from ocml_bridge.loss import LossCode
from ocml_bridge.model import Tool
from sampling import examples

WITH_CALLS = ("harmony", "ocm-2.2", "ocm-2.2-json", "ocm-0.1", "internlm2", "openai", "canonical")
NAMES = (
    *("f", "functions.f", "functions.functions.f", "python", "functions.python", "functions", "functions.functions"),
    *("browser.search", "functions.browser.search", "a.b.c", "functions.", ""),
)
WORDS = st.sampled_from(("functions", "functions", "f", "g", "python", "browser", ""))
DRAWN = st.lists(WORDS, min_size=1, max_size=4).map(".".join)


def request(names: list[str] | tuple[str, ...]) -> dict[str, Any]:
    """A conversation in which each of the tools is declared, called and replies."""
    wires: list[dict[str, Any]] = [{"role": "user", "content": "x"}]
    for number, name in enumerate(names):
        function = {"name": name, "arguments": json.dumps({"k": number})}
        wires.append(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
            }
        )
        wires.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"reply {number}"})
    return {"messages": wires, "tools": [declared(name) for name in sorted(set(names))]}


def declared(name: str) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": name, "description": "Does.", "parameters": {"type": "object", "properties": {}}},
    }


def called(made: Any) -> list[str]:
    return [call["function"]["name"] for wire in made["messages"] for call in wire.get("tool_calls", ())]


# --- names and recipients ---------------------------------------------------------------------------------------------


@given(DRAWN)
def test_the_recipient_for_a_name_gives_the_name_back(name: str) -> None:
    assert name_of(recipient_of(name)) == name


@given(DRAWN, DRAWN)
def test_different_names_have_different_recipients(one: str, other: str) -> None:
    assert (recipient_of(one) == recipient_of(other)) == (one == other)


@given(DRAWN)
def test_a_declared_tool_keeps_its_name(name: str) -> None:
    namespace, bare = split_name(name)
    assert full_name(Tool(bare, namespace=namespace)) == name


def test_a_tool_in_the_namespace_of_functions_is_the_one_without_a_namespace() -> None:
    assert full_name(Tool("f", namespace="functions")) == full_name(Tool("f")) == "f"


# --- conversions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", WITH_CALLS)
@pytest.mark.parametrize("name", NAMES)
def test_a_call_and_its_reply_keep_the_name_of_their_tool(name: str, target: str) -> None:
    made = request((name,))
    result = convert(made, source="openai", target=target)
    assert verify(result.transcript, result) == ()
    back = convert(result.encode(), source=target, target="openai").output
    assert called(back) == [name]
    answered = read(result.encode(), target).transcript
    assert isinstance(answered, Transcript)
    assert answered.messages[-1].name == recipient_of(name)


@examples(30)
@given(st.lists(DRAWN, min_size=2, max_size=4))
def test_names_are_restored_after_every_format_or_reported(names: list[str]) -> None:
    made = request(names)
    assert convert(made, source="openai", target="openai").output == made
    for target in WITH_CALLS:
        result = convert(made, source="openai", target=target)
        assert verify(result.transcript, result) == ()
        changed = {loss.path for loss in result.losses if loss.code in (LossCode.RECIPIENT, LossCode.TOOLS)}
        back: Any = convert(result.encode(), source=target, target="openai").output
        assert called(back) == names or any(path.endswith("/recipient") for path in changed)
        tools = [tool["function"]["name"] for tool in back.get("tools", ())]
        assert tools == [tool["function"]["name"] for tool in made["tools"]] or changed


@pytest.mark.parametrize("target", WITH_CALLS)
def test_two_tools_stay_different(target: str) -> None:
    made = request(("functions.f", "f"))
    back: Any = convert(convert(made, source="openai", target=target).encode(), source=target, target="openai").output
    assert called(back) == ["functions.f", "f"]
    assert sorted(tool["function"]["name"] for tool in back["tools"]) == ["f", "functions.f"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("harmony", "<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}<|call|>"),
        ("ocm-2.2", "<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>"),
        (
            "ocm-2.2-json",
            '[{"role":"assistant","channel":"commentary","tool_call":{"recipient":"functions.f","arguments":{}}}]',
        ),
    ],
)
def test_in_formats_with_namespaces_the_recipient_is_that_of_the_function(source: str, text: str) -> None:
    assert called(convert(text, source=source, target="openai").output) == ["f"]


def test_a_section_of_tools_names_the_recipients_of_calls() -> None:
    text = convert(request(("functions.f", "f")), source="openai", target="harmony").output
    assert isinstance(text, str)
    assert "namespace functions {\n\n// Does.\ntype f = " in text
    assert "namespace functions.functions {\n\n// Does.\ntype f = " in text
    assert "to=functions.functions.f<" in text


def test_the_tool_that_a_request_chooses_keeps_its_name() -> None:
    made = {**request(("functions.f", "f")), "tool_choice": {"type": "function", "function": {"name": "functions.f"}}}
    assert convert(made, source="openai", target="openai").output == made
    header = convert(made, source="openai", target="ocm-2.2").encode()
    assert convert(header, source="ocm-2.2", target="openai").output["tool_choice"] == made["tool_choice"]  # type: ignore[index]


def test_a_call_is_compared_with_the_tool_of_its_own_name() -> None:
    made = request(("functions.f", "f"))
    assert check_calls(read(made, "openai").transcript) == ()
    made["tools"] = [declared("f")]
    (finding,) = check_calls(read(made, "openai").transcript)
    assert (finding.code, finding.path) == ("E-CALL-SCHEMA", "/messages/1/recipient")


# --- an empty name ----------------------------------------------------------------------------------------------------


def test_a_call_with_an_empty_name_is_a_call_with_a_finding() -> None:
    made = request(("",))
    reading = read(made, "openai")
    assert [(note.code, note.path) for note in reading.findings] == [("shape", "/messages/1/recipient")]
    assert isinstance(reading.transcript, Transcript)
    _, call, reply = reading.transcript.messages
    assert (call.recipient, call.content, reply.name) == ("functions.", '{"k": 0}', "functions.")
    assert write(reading.transcript, "openai").output == made


# --- a reply's name elsewhere -----------------------------------------------------------------------------------------

CALLS = [{"function": {"name": name, "arguments": {"k": name}}} for name in ("f", "g")]
REPLIES = [{"role": "tool", "tool_name": "g", "content": "G"}, {"role": "tool", "content": "F", "tool_name": "f"}]
OLLAMA = {"messages": [{"role": "assistant", "content": "", "tool_calls": CALLS}, *REPLIES]}


def test_the_member_tool_name_of_a_reply_is_its_name_with_a_finding() -> None:
    reading = read(OLLAMA, "openai")
    assert isinstance(reading.transcript, Transcript)
    assert [message.name for message in reading.transcript.messages[2:]] == ["functions.g", "functions.f"]
    assert [(note.code, note.path) for note in reading.findings] == [
        ("shape", "/messages/2/name"),
        ("shape", "/messages/3/name"),
    ]
    assert write(reading.transcript, "openai").output == OLLAMA


def test_the_member_tool_name_determines_the_answered_call_in_other_formats() -> None:
    text = convert(OLLAMA, source="openai", target="harmony").output
    assert isinstance(text, str)
    assert "<|start|>functions.g to=assistant<|channel|>commentary<|message|>G<|end|>" in text


def test_the_member_name_is_used_before_tool_name() -> None:
    made = {"messages": [{"role": "tool", "name": "f", "tool_name": "g", "content": "?"}]}
    reading = read(made, "openai")
    assert isinstance(reading.transcript, Transcript)
    assert reading.transcript.messages[0].name == "functions.f"
    assert write(reading.transcript, "openai").output == made
