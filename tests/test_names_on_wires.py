"""Names of tools on wires that do not allow all letters are changed to valid ones, in the same way everywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Transcript, convert, make_sidecar, read, write
from ocml_bridge.chat.turns import recipient_of
from ocml_bridge.events import Answer, End, Start, Stop
from ocml_bridge.model import Message, Settings, ToolChoice, replace
from ocml_bridge.pipe import encoder
from ocml_bridge.report.policy import LENIENT
from sampling import examples


class Wire(NamedTuple):
    """A wire, and the rules of its specification for names.

    Attributes:
        name: its format id.
        stream: the id of its stream.
        pattern: of a name.
        call: a call as a member of it has it.
        reply: the name in a reply; None where replies have none.
        tool: the name of a declared tool.
        choice: of the tool that is to be called.
    """

    name: str
    stream: str
    pattern: str
    call: str
    reply: str | None
    tool: str
    choice: str


WIRES = (
    Wire(
        *("anthropic", "anthropic-sse", r"[a-zA-Z0-9_-]{1,128}"),
        *("messages.content[tool_use].name", None, "tools.name", "tool_choice.name"),
    ),
    Wire(
        *("gemini", "gemini-sse", r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}"),
        *("contents.parts.functionCall.name", "contents.parts.functionResponse.name"),
        *("tools.functionDeclarations.name", "toolConfig.functionCallingConfig.allowedFunctionNames"),
    ),
    Wire(
        *("bedrock-converse", "bedrock-converse", r"[a-zA-Z0-9_-]{1,64}"),
        *("messages.content.toolUse.name", None, "toolConfig.tools.toolSpec.name", "toolConfig.toolChoice.tool.name"),
    ),
)
each_wire = pytest.mark.parametrize("wire", WIRES, ids=[wire.name for wire in WIRES])
NAMES = ("browser.search", "browser_search", "mcp docs/find", "1st", "x" * 200)


def at(place: str, value: Any) -> Iterator[Any]:
    """The values at a place, in order; a word in brackets is the type of the object."""
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from at(place, item)
    elif not place:
        yield value
    elif isinstance(value, dict):
        key, _, rest = place.partition(".")
        key, _, kind = key.removesuffix("]").partition("[")
        inner: Any = cast("dict[str, Any]", value).get(key)
        if kind:
            items = cast("list[dict[str, Any]]", inner) if isinstance(inner, list) else []
            inner = [item for item in items if item.get("type") == kind]
        if inner is not None:
            yield from at(rest, inner)


def request(*names: str) -> dict[str, Any]:
    """A request of Chat Completions in which each tool is declared, called and has replied; the first is chosen."""
    function = [{"name": name, "description": "Does.", "parameters": {"type": "object"}} for name in names]
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for at, name in enumerate(names)
    ]
    replies = [{"role": "tool", "tool_call_id": f"c{at}", "content": name} for at, name in enumerate(names)]
    return {
        "model": "m",
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *replies,
        ],
        "tools": [{"type": "function", "function": each} for each in function],
        "tool_choice": {"type": "function", "function": {"name": names[0]}},
    }


def check(wire: Wire, names: tuple[str, ...]) -> list[str]:
    """The written names, which are valid on the wire, and equal wherever a tool is named."""
    output = convert(request(*names), source="openai", target=wire.name).output
    called = list(at(wire.call, output))
    assert all(re.fullmatch(wire.pattern, name) for name in called)
    assert len(set(called)) == len(called) == len(names)
    assert list(at(wire.tool, output)) == called
    assert list(at(wire.choice, output)) == called[:1]
    assert wire.reply is None or list(at(wire.reply, output)) == called
    return called


@each_wire
def test_a_tool_has_one_valid_name_where_it_is_declared_called_answered_and_chosen(wire: Wire) -> None:
    assert len(check(wire, NAMES)) == len(NAMES)


@each_wire
@examples(25)
@given(names=st.lists(st.text("ab._-: é1/", min_size=1, max_size=5), min_size=1, max_size=4, unique=True).map(tuple))
def test_different_names_stay_different(wire: Wire, names: tuple[str, ...]) -> None:
    check(wire, names)


@pytest.mark.parametrize(
    ("wire", "choice"),
    [
        ("openai", {"tool_choice": {"type": "function", "function": {"name": "a b"}}}),
        ("openai-responses", {"tool_choice": {"type": "function", "name": "a b"}}),
        ("gemini", {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["a_b"]}}}),
    ],
)
def test_a_tool_that_is_only_chosen_has_a_valid_name(wire: str, choice: dict[str, Any]) -> None:
    chosen = Settings(tool_choice=ToolChoice("required", ("functions.a b",)))
    output: Any = write(Transcript((Message("user", "Hi."),), settings=chosen), wire, policy=LENIENT).output
    assert {key: output[key] for key in choice} == choice


def test_invalid_letters_become_the_letter_that_all_wires_allow() -> None:
    written = {wire.name: check(wire, NAMES[:-1]) for wire in WIRES}
    assert written["anthropic"] == ["browser_search_2", "browser_search", "mcp_docs_find", "1st"]
    assert written["bedrock-converse"] == written["anthropic"]
    assert written["gemini"] == ["browser.search", "browser_search", "mcp_docs_find", "_1st"]


@each_wire
def test_each_change_is_reported_at_its_path(wire: Wire) -> None:
    losses = convert(request("a b", "ab"), source="openai", target=wire.name).losses
    changed = {(loss.path, loss.code, loss.loss_class) for loss in losses if loss.severity == "changed"}
    assert changed == {
        ("/messages/1/recipient", "recipient", "structure"),
        ("/messages/3/name", "name", "structure"),
        ("/tools/0/name", "tools", "structure"),
        ("/settings/tool_choice/names/0", "settings", "bookkeeping"),
    }


@each_wire
def test_the_sidecar_restores_the_names(wire: Wire) -> None:
    document = read(request(*NAMES), "openai").transcript
    written = write(document, wire.name)
    assert read(written.output, wire.name, sidecar=make_sidecar(written)).transcript == document


@each_wire
def test_names_that_were_read_from_the_wire_are_not_changed(wire: Wire) -> None:
    written = convert(request("a b", "a_b"), source="openai", target=wire.name)
    odd = json.loads(json.dumps(written.output).replace("a_b_2", "a b"))
    assert "a b" in set(at(wire.call, odd)) & set(at(wire.tool, odd)) & set(at(wire.choice, odd))
    result = convert(odd, source=wire.name, target=wire.name)
    assert result.output == odd
    assert not result.losses


@each_wire
def test_a_call_that_is_added_has_the_name_of_the_tool_that_was_read(wire: Wire) -> None:
    written = convert(request("a b", "a_b"), source="openai", target=wire.name)
    odd = json.loads(json.dumps(written.output).replace("a_b_2", "a b"))
    document = cast("Transcript", read(odd, wire.name).transcript)
    more = Message("assistant", "{}", None, "commentary", recipient_of("a b"), "c9", constraint="json", end="call")
    output = write(replace(document, messages=(*document.messages, more)), wire.name).output
    assert list(at(wire.call, output)) == ["a b", "a_b", "a b"]


def test_other_answers_call_a_tool_by_the_same_name() -> None:
    calls: list[Any] = [{"functionCall": {"name": name, "args": {}}} for name in ("a_b", "c", "c")]
    response = {"candidates": [{"content": {"role": "model", "parts": [call]}} for call in calls]}
    document = cast("Transcript", read(response, "gemini").transcript)
    others = tuple(
        replace(one, messages=tuple(replace(each, recipient=recipient_of("a b")) for each in one.messages))
        for one in document.alternatives or ()
    )
    output = write(replace(document, alternatives=others), "gemini").output
    assert list(at("candidates.content.parts.functionCall.name", output)) == ["a_b", "a_b_2", "a_b_2"]


# --- as it comes ------------------------------------------------------------------------------------------------------


def streamed(wire: Wire, *names: str, tools: frozenset[str] = frozenset()) -> list[str]:
    """The names in an answer that calls tools, as a client puts it together of its stream."""
    calls = [
        Message("assistant", "{}", None, "commentary", recipient_of(name), f"c{at}", constraint="json", end="call")
        for at, name in enumerate(names)
    ]
    made = encoder(wire.stream, answer=Answer("a", "m", tools=tools))
    pieces: list[bytes] = []
    for number, call in enumerate(calls):
        pieces += made.encode([Start(number, replace(call, content="", end=None)), End(number, call)])
    pieces += [*made.encode([Stop("tool_calls", Transcript(tuple(calls)))]), *made.finish()]
    reported = {loss.path for loss in made.losses if loss.severity == "changed"}
    found = re.findall(rb'"(?:toolUse|tool_use|functionCall)":? ?.*?"name": ?"([^"]*)"', b"".join(pieces))
    read_ = [name.decode() for name in found]
    assert reported == {f"/messages/{at}/recipient" for at, name in enumerate(names) if read_[at] != name}
    return read_


@each_wire
def test_a_stream_has_the_names_of_the_document(wire: Wire) -> None:
    assert streamed(wire, "b c", "a b", "b c") == ["b_c", "a_b", "b_c"]
    assert streamed(wire, "a b", "a_b") == ["a_b", "a_b_2"]  # what is written already cannot give way


@each_wire
def test_calls_to_a_client_have_the_names_that_it_declared(wire: Wire) -> None:
    assert streamed(wire, "a b", "b c", tools=frozenset({"a b", "b_c"})) == ["a b", "b_c_2"]


# --- tools of the server ----------------------------------------------------------------------------------------------

_TYPES: dict[str, Callable[[str], dict[str, Any]]] = {
    "mcp_tool_use": lambda name: {"type": "mcp_tool_use", "id": "m1", "name": name, "input": {}, "server_name": "s"},
    "server_tool_use": lambda name: {"type": "server_tool_use", "id": "m1", "name": name, "input": {}},
}


@pytest.mark.parametrize("kind", _TYPES)
def test_names_of_tools_of_the_server_are_not_changed(kind: str) -> None:
    source = {"messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": [_TYPES[kind]("a.b")]}]}
    document = cast("Transcript", read(source, "anthropic").transcript)
    document = replace(document, messages=tuple(replace(each, layout=None) for each in document.messages))
    call = document.messages[1]
    made = encoder("anthropic-sse", answer=Answer("a", "m"))
    events = [Start(0, replace(call, content="", end=None, extras=None)), End(0, call)]
    stream = b"".join(made.encode([*events, Stop("stop", replace(document, messages=(call,)))]))
    assert f'"type":"{kind}","id":"m1","name":"a.b"'.encode() in stream
    assert write(document, "anthropic").output == source
