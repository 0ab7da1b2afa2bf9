"""Declared names with gpt-oss: functions of any name are in the prompt, and answers have the client's names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harmony_judge import DIALECT, config, library
from ocml_adapters.harmony.profile import function_names
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import Message, Options, Transcript, read
from ocml_bridge.chat.tool_names import ToolNames, declared_in
from ocml_bridge.chat.turns import full_name, name_of, split_name
from ocml_bridge.events import Start, Stop
from ocml_bridge.model import Text, Tool, Tools, replace
from ocml_bridge.profiles import profile
from prompts import prompt
from sampling import examples

GPT_OSS = "gpt-oss"
VALID = ("python", "browser", "browser.search", "weather.get", "functions.f", "get-weather", "user", "f")
"""Names that a header can contain after `functions.`."""
INVALID = {"get weather": "get_weather", "a<|end|>b": "a_end_b", "x to=y": "x_to_y", "": ""}
"""Names that it cannot contain, and their replacements."""


def declared(name: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"code": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "description": "Does.", "parameters": parameters}}


def request(*names: str) -> dict[str, Any]:
    """A request in which each of the tools was called once, and has replied."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "x"}]
    for number, name in enumerate(names):
        call = {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": "done"},
        ]
    return {"messages": messages, "tools": [declared(name) for name in names]}


def calls_to(name: str) -> str:
    """An answer that calls a function."""
    return f'<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{{"code":"1"}}<|call|>'


def test_functions_of_any_name_are_functions_as_the_official_encoder_renders_them() -> None:
    h = library()
    tools = [h.ToolDescription(**declared(name)["function"]) for name in VALID]
    system = h.SystemContent.new()
    official = [
        h.Message.from_role_and_content(h.Role.SYSTEM, system),
        h.Message.from_role_and_content(h.Role.DEVELOPER, h.DeveloperContent.new().with_function_tools(tools)),
        h.Message.from_role_and_content(h.Role.USER, "x"),
    ]
    for name in VALID:
        call = h.Message.from_role_and_content(h.Role.ASSISTANT, "{}").with_channel("commentary")
        official.append(call.with_recipient(f"functions.{name}").with_content_type("<|constrain|>json"))
        reply = h.Message.from_author_and_content(h.Author.new(h.Role.TOOL, f"functions.{name}"), "done")
        official.append(reply.with_recipient("assistant").with_channel("commentary"))
    expected = load_encoding().render_conversation_for_completion(
        h.Conversation(messages=official), h.Role.ASSISTANT, config=config()
    )
    options = Options(dialect=DIALECT)
    assert prompt(request(*VALID), "harmony-tokens", profile=GPT_OSS, options=options).output == expected


def test_a_name_that_a_header_cannot_contain_is_replaced_and_reported() -> None:
    result = prompt(request(*INVALID), "harmony", profile=GPT_OSS)
    for place, (name, written) in enumerate(INVALID.items()):
        assert f"type {written} = (_: {{" in str(result.output)
        assert f" to=functions.{written} <|constrain|>json<|message|>" in str(result.output)
        assert f"<|start|>functions.{written}<|channel|>" in str(result.output)
        changed = [loss.path for loss in result.losses if loss.code == "name" and loss.severity == "changed"]
        assert (f"/tools/{place}/name" in changed) == (name != written)


def test_a_chosen_tool_has_the_name_that_the_model_knows() -> None:
    chosen = {"tool_choice": {"type": "function", "function": {"name": "python"}}}
    text = prompt(request("python", "f") | chosen, "harmony", profile=GPT_OSS).output
    assert "Call the tool functions.python before you answer" in str(text)


def test_two_names_stay_different() -> None:
    names = ("get weather", "get_weather", "get  weather", "get_weather_2")
    written = prompt(request(*names), "harmony", profile=GPT_OSS)
    for name in ("get_weather", "get_weather_2", "get_weather_3", "get_weather_4"):
        assert str(written.output).count(f"type {name} = ") == 1


@given(st.lists(st.text(st.sampled_from("ab. _<|>=:-\né\u00a0"), max_size=6), min_size=1, max_size=5, unique=True))
@examples(60)
def test_a_document_is_read_with_the_declared_names(names: list[str]) -> None:
    result = prompt(request(*names), "harmony", profile=GPT_OSS)
    spelled = result.names
    transcript = read(result.output, "harmony").transcript
    assert isinstance(transcript, Transcript)
    declared = spelled.declared(transcript)
    called = [message for message in declared.messages if message.recipient not in (None, "assistant")]
    assert [name_of(message.recipient or "") for message in called] == names
    assert [full_name(tool) for tool in declared.tools or ()] == names


def test_no_two_functions_have_one_name() -> None:
    names = ("a b", "a_b", "a  b", "a.b", "a_b_2")
    tools = [Tool(bare, namespace=namespace) for namespace, bare in map(split_name, names)]
    spelled = function_names(tools)
    assert len(set(spelled.values()) | {"a_b", "a_b_2"}) == len(names)


# --- answers ----------------------------------------------------------------------------------------------------------

ANSWERS = {name: name for name in VALID if name} | {name: written for name, written in INVALID.items() if written}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("target", ["harmony", "harmony-tokens"])
def test_a_stream_has_the_declared_names_in_any_chunks(name: str, target: str) -> None:
    result = prompt(request(name), target, profile=GPT_OSS)
    answer = calls_to(ANSWERS[name])
    ids = load_encoding().encode(answer, allowed_special="all")
    for size in (1, 3, len(answer)):
        source = profile(GPT_OSS, target).answering(result)
        events = [
            event
            for at in range(0, len(answer), size)
            for event in (
                source.feed(answer[at : at + size]) if target == "harmony" else source.feed_tokens(ids[at : at + size])
            )
        ]
        *events, stop = [*events, *source.finish("stop")]
        assert isinstance(stop, Stop)
        assert isinstance(stop.document, Transcript)
        started = [event.message.recipient for event in events if isinstance(event, Start)]
        assert [name_of(recipient or "") for recipient in started] == [name]
        assert [message.recipient for message in stop.document.messages] == started


def test_only_tools_are_renamed() -> None:
    """A speaker's name is kept, and a reply gets that of its tool."""
    names = ToolNames({"functions.weather.get": "weather_get"})
    user = Message("user", "Hi", "functions.weather.get", recipient="functions.weather.get")
    reply = Message("tool", "1", "functions.weather.get", "commentary", "assistant", "c1")
    spelled = names.spelled(Transcript((user, reply))).messages
    assert [(message.name, message.recipient) for message in spelled] == [
        ("functions.weather.get", "functions.weather_get"),
        ("functions.weather_get", "assistant"),
    ]
    assert names.declared(Transcript(spelled)).messages == (user, reply)


def test_tools_in_a_message_and_replies_of_other_roles_are_not_renamed() -> None:
    names = ToolNames({"functions.get weather": "get_weather"})
    developer = Message("developer", (Text("a"), Tools((Tool("get weather"), Tool("g")))))
    other = Message("tool", "1", "functions.g", "commentary", "assistant")
    spelled = names.spelled(Transcript((developer, other)))
    assert [tool.name for tool, _ in declared_in(spelled)] == ["get_weather", "g"]
    assert spelled.messages[1] == other
    renamed = replace(other, content=(Tools((Tool("get weather"),)),))
    assert names.spelled(Transcript((renamed,))).messages[0].name == "functions.g"
