"""Malformed calls that only the declared tools explain (docs/formats/harmony.md, reading 16)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harmony_answers import chunks_of, client_sees, recorded
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import Message, Tool, Transcript, read, write
from ocml_bridge.chat.visibility import REASONING
from ocml_bridge.events import Answer, Stop
from ocml_bridge.model import Text, Tools, replace
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.profiles import profile
from ocml_bridge.testing.laws import all_laws

TOOLS = """<|start|>developer<|message|># Tools

## functions

namespace functions {

// Runs a command.
type shell = (_: {
cmd: string,
}) => any;

type get_weather = () => any;

} // namespace functions<|end|>"""
BODY = '<|message|>{"cmd":"ls"}<|call|>'

HEADERS = {
    "a type glued to the name": "<|start|>assistant<|channel|>commentary to=functions.shelljson",
    "a type glued to the bare name": "<|start|>assistant<|channel|>commentary to=shelljson",
    "a type behind a dot": "<|start|>assistant to=functions.shell.json<|channel|>commentary",
    "a misspelt namespace": "<|start|>assistant<|channel|>commentary to=function.shell <|constrain|>json",
    "another mark behind the namespace": "<|start|>assistant<|channel|>commentary to=functions:shell <|constrain|>json",
    "another namespace": "<|start|>assistant<|channel|>commentary to=tools.shell <|constrain|>json",
    "the namespace twice": "<|start|>assistant to=functions.functions.shell<|channel|>commentary json",
    "quotation marks": '<|start|>assistant<|channel|>commentary to="functions.shell" <|constrain|>json',
    "brackets": "<|start|>assistant<|channel|>commentary to=shell() <|constrain|>json",
    "a comma": "<|start|>assistant<|channel|>commentary to=functions.shell,<|constrain|>json",
    "a colon before the recipient": "<|start|>assistant<|channel|>commentary to:functions.shell <|constrain|>json",
    "the name as the speaker": "<|start|>shell<|channel|>commentary <|constrain|>json",
    "the name as the speaker, without a type": "<|start|>shell<|channel|>commentary",
    "the whole name as the speaker, with a type": "<|start|>functions.shell<|channel|>commentary <|constrain|>json",
    "the name as the channel": "<|start|>assistant<|channel|>shell <|constrain|>json",
    "the name as the channel, and the channel": "<|start|>assistant<|channel|>shell<|channel|>commentary",
    "the whole name as the channel": "<|start|>assistant<|channel|>functions.shell",
    "the name as the type": "<|start|>assistant<|channel|>commentary shell",
    "the name beside the type": "<|start|>assistant<|channel|>commentary shell <|constrain|>json",
    "the name glued to the role": "<|start|>assistantshell<|channel|>commentary <|constrain|>json",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=list(HEADERS))
def test_the_name_of_a_declared_tool_is_called_anywhere_in_a_header(header: str) -> None:
    reading = read(f"{TOOLS}{header}{BODY}", "harmony")
    assert isinstance(reading.transcript, Transcript)
    (call,) = reading.transcript.messages
    assert (call.role, call.name, call.channel, call.recipient) == ("assistant", None, "commentary", "functions.shell")
    assert call.content == '{"cmd":"ls"}'
    assert "header-recovered" in {finding.code for finding in reading.findings}


OTHERS = {
    "a built-in tool": "<|start|>assistant to=browser.shell<|channel|>analysis",
    "a function that is not declared": "<|start|>assistant to=functions.bash<|channel|>commentary",
    "its bare name": "<|start|>assistant to=shell<|channel|>commentary",
    "its reply": "<|start|>functions.shell to=assistant<|channel|>commentary",
    "its reply without recipient": "<|start|>functions.shell<|channel|>commentary",
    "a user of that name": "<|start|>user:shell",
    "an answer with a type": "<|start|>assistant<|channel|>final shell",
    "reasoning": "<|start|>assistant<|channel|>analysis shell",
}


@pytest.mark.parametrize("header", OTHERS.values(), ids=list(OTHERS))
def test_any_other_header_reads_the_same_without_declared_tools(header: str) -> None:
    known, unknown = (read(f"{before}{header}<|message|>x<|end|>", "harmony").transcript for before in (TOOLS, ""))
    assert isinstance(known, Transcript)
    assert isinstance(unknown, Transcript)
    assert known.messages == unknown.messages


def test_tools_that_are_declared_after_a_header_do_not_change_it() -> None:
    header = HEADERS["the name as the channel"]
    transcript = read(f"{header}{BODY}{TOOLS}", "harmony").transcript
    assert isinstance(transcript, Transcript)
    assert transcript.messages[0].recipient is None


@pytest.mark.parametrize("header", [*HEADERS.values(), *OTHERS.values()])
def test_streams_of_text_and_of_ids_read_the_same(header: str) -> None:
    text = f"{TOOLS}<|start|>user<|message|>x<|end|>{header}{BODY}"
    wanted = read(text, "harmony").transcript
    ids: Any = write(wanted, "harmony-tokens").output
    for size in (1, 3, len(text)):
        source = decoder("harmony")
        *_, stop = [*(event for chunk in chunks_of(text, size) for event in source.feed(chunk)), *source.finish()]
        assert isinstance(stop, Stop)
        assert stop.document == wanted
    ids = load_encoding().encode(text, allowed_special="all")
    source = decoder("harmony-tokens")
    *_, stop = [*(event for number in ids for event in source.feed_tokens([number])), *source.finish()]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    assert isinstance(wanted, Transcript)
    assert [_fields(message) for message in stop.document.messages] == [_fields(message) for message in wanted.messages]
    assert read(ids, "harmony-tokens").transcript == stop.document


def _fields(message: Message) -> tuple[Any, ...]:
    return message.role, message.name, message.channel, message.recipient, message.content, message.end


@pytest.mark.parametrize(
    "message",
    [
        Message("assistant", "x", channel="commentary", recipient="functions.shelljson", end="call"),
        Message("assistant", "x", channel="commentary", recipient="tools.shell", constraint="json", end="call"),
        Message("assistant", "x", channel="shell"),
        Message("assistant", "x", channel="functions.shell"),
        Message("tool", "x", name="shell", channel="commentary"),
        Message("tool", "x", name="functions.shell", channel="commentary", constraint="json"),
    ],
)
@pytest.mark.parametrize("name", ["harmony", "harmony-tokens", "openai"])
def test_messages_with_ambiguous_headers_keep_the_laws(message: Message, name: str) -> None:
    for tools in ((), (Tool("shell"),), (Tool("shell", "Runs.", {"type": "object", "properties": {}}),)):
        all_laws(Transcript((Message("user", "x"), message), tools), name)
        inside = Message("developer", (Text("Be brief."), Tools(tools)))
        all_laws(Transcript((inside, message, Message("user", "y"), message)), name)


# --- answers to requests ----------------------------------------------------------------------------------------------


def client_of(text: str, tools: list[str], size: int) -> dict[str, Any]:
    """What a client gets that has declared these tools."""
    declared = [{"type": "function", "function": {"name": name, "description": "Does."}} for name in tools]
    request: Any = {"messages": [{"role": "user", "content": "x"}], **({"tools": declared} if tools else {})}
    source = profile("gpt-oss").answering(request)
    pipe = Pipe(source, encoder("openai-sse", answer=Answer("a", "m", 1), visibility=REASONING))
    return client_sees(b"".join([*map(pipe.feed, chunks_of(text, size)), pipe.finish("stop")]))


def test_reported_answers_are_what_a_client_should_see() -> None:
    for case in recorded():
        seen = client_of(case["text"], case.get("tools") or [], 3)
        expected: dict[str, Any] = case["wanted"] or {}
        for key, wanted in expected.items():
            if key == "tool_calls":
                calls = [(call["name"], call["arguments"].strip()) for call in seen[key]]
                assert calls == [(each["name"], each["arguments"]) for each in wanted], case["id"]
            elif wanted is not None:
                assert seen[key] == wanted, case["id"]


@pytest.mark.parametrize("header", HEADERS.values(), ids=list(HEADERS))
def test_a_client_gets_the_call_that_only_its_request_explains(header: str) -> None:
    for text in (f"{header}{BODY}", f"{header.removeprefix('<|start|>assistant')}{BODY}"):
        for size in (1, 1000):
            calls = client_of(text, ["shell", "get weather"], size)["tool_calls"]
            assert calls == [{"name": "shell", "arguments": '{"cmd":"ls"}'}], text


def test_a_call_that_breaks_off_in_its_header_is_none() -> None:
    for header in HEADERS.values():
        for end in ("", "<|call|>", "<|end|>"):
            assert client_of(f"{header}{end}", ["shell"], 3)["tool_calls"] == [], header


@pytest.mark.parametrize("answer", ["functions.f<|channel|>commentary", "functions.f<|channel|>commentary json"])
def test_a_function_behind_the_generation_prompt_is_called(answer: str) -> None:
    """vllm-project/vllm#31677: about 35 % of calls in one report."""
    assert client_of(f"{answer}<|message|>{{}}<|call|>", [], 3)["tool_calls"] == [{"name": "f", "arguments": "{}"}]


def test_one_call_whose_tokens_were_left_out() -> None:
    seen = client_of('commentary to=functions.f json{"a":1}', [], 3)
    assert (seen["tool_calls"], seen["content"]) == ([{"name": "f", "arguments": '{"a":1}'}], "")
    assert json.loads(seen["tool_calls"][0]["arguments"]) == {"a": 1}


@pytest.mark.parametrize(
    ("header", "constraint", "content_type"),
    [
        ("assistant<|channel|>commentary to=functions.shelljson", "json", None),
        ("assistant to=functions.shelljson<|channel|>commentary text", None, "text"),
    ],
)
def test_a_type_glued_to_a_name_is_the_type_if_there_is_no_other(
    header: str, constraint: str | None, content_type: str | None
) -> None:
    transcript = read(f"{TOOLS}<|start|>{header}{BODY}", "harmony").transcript
    assert isinstance(transcript, Transcript)
    call = transcript.messages[-1]
    assert (call.recipient, call.constraint, call.content_type) == ("functions.shell", constraint, content_type)


def test_a_header_that_tools_explain_is_not_spelled_as_it_was() -> None:
    was = read(f"<|start|>assistant<|channel|>commentary to=functions.shelljson{BODY}", "harmony").transcript
    assert isinstance(was, Transcript)
    text = write(replace(was, tools=(Tool("shell"),)), "harmony").output
    assert isinstance(text, str)
    assert text.endswith(f"<|start|>assistant to=functions.shell<|channel|>commentary <|constrain|>json{BODY}")


def test_a_token_that_a_call_mentions_stays_in_it_where_tools_explain_its_header() -> None:
    body = '<|message|>{"cmd": "<|constrain|>"}<|call|>'
    was = read(f"<|start|>assistant<|channel|>commentary to=functions.shelljson{body}", "harmony").transcript
    assert isinstance(was, Transcript)
    text = write(replace(was, tools=(Tool("shell"),)), "harmony").output
    assert isinstance(text, str)
    assert text.endswith(f"<|start|>assistant to=functions.shell<|channel|>commentary <|constrain|>json{body}")
