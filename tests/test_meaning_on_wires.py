"""Messages and tools are written in the members that each wire's API has for them, and read from there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from ocml_bridge import BridgeError, ErrorCode, Message, Options, Severity, Tool, Transcript, convert, read, write
from ocml_bridge.events import Answer
from ocml_bridge.model import CacheMark, Citation, Foreign, Media, Refusal, Settings, Signature, Text, Usage, replace
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.report.policy import LENIENT

SCHEMA: dict[str, Any] = {"type": "object", "additionalProperties": False}
ASK = Message("user", "Hi")
CALL = Message("assistant", '{"a":"b"}', None, "commentary", "functions.f", "c1", constraint="json", end="call")
REPLY = Message("tool", "15 C", "functions.f", "commentary", "assistant", "c1")
ASKED: dict[str, Any] = {
    "openai": {"role": "user", "content": "Hi"},
    "openai-responses": {"type": "message", "role": "user", "content": "Hi"},
    "anthropic": {"role": "user", "content": "Hi"},
    "gemini": {"role": "user", "parts": [{"text": "Hi"}]},
    "bedrock-converse": {"role": "user", "content": [{"text": "Hi"}]},
}


class Meaning(NamedTuple):
    """Messages, and their form on the wires that can represent them.

    Attributes:
        messages: the messages after the user's.
        wires: wire → its messages after the user's.
    """

    messages: tuple[Message, ...]
    wires: dict[str, list[Any]]


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [*blocks]}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": [*blocks]}


def model(*parts: Any, role: str = "model") -> dict[str, Any]:
    return {"role": role, "parts": [*parts]}


OPENAI_CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":"b"}'}}],
}
ITEM_CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a":"b"}'}
USE = assistant({"type": "tool_use", "id": "c1", "name": "f", "input": {"a": "b"}})
GEMINI_CALL = model({"functionCall": {"id": "c1", "name": "f", "args": {"a": "b"}}})
BEDROCK_USE = assistant({"toolUse": {"toolUseId": "c1", "name": "f", "input": {"a": "b"}}})


def gemini_reply(response: Any) -> dict[str, Any]:
    return model({"functionResponse": {"id": "c1", "name": "f", "response": response}}, role="user")


MEANINGS = {
    "an answer": Meaning(
        (Message("assistant", "Yes.", channel="final"),),
        {
            "openai": [{"role": "assistant", "content": "Yes."}],
            "anthropic": [{"role": "assistant", "content": "Yes."}],
            "gemini": [model({"text": "Yes."})],
            "bedrock-converse": [assistant({"text": "Yes."})],
        },
    ),
    "a call and its reply": Meaning(
        (CALL, REPLY),
        {
            "openai": [OPENAI_CALL, {"role": "tool", "tool_call_id": "c1", "content": "15 C"}],
            "openai-responses": [ITEM_CALL, {"type": "function_call_output", "call_id": "c1", "output": "15 C"}],
            "anthropic": [USE, user({"type": "tool_result", "tool_use_id": "c1", "content": "15 C"})],
            "gemini": [GEMINI_CALL, gemini_reply({"output": "15 C"})],
            "bedrock-converse": [
                BEDROCK_USE,
                user({"toolResult": {"toolUseId": "c1", "content": [{"text": "15 C"}]}}),
            ],
        },
    ),
    "a reply that is an object": Meaning(
        (CALL, replace(REPLY, content='{"a":1}')),
        {
            "openai": [OPENAI_CALL, {"role": "tool", "tool_call_id": "c1", "content": '{"a":1}'}],
            "gemini": [GEMINI_CALL, gemini_reply({"a": 1})],
        },
    ),
    "a reply that would be read as what it holds": Meaning(
        (CALL, replace(REPLY, content='{"output":"x"}')),
        {"gemini": [GEMINI_CALL, gemini_reply({"output": '{"output":"x"}'})]},
    ),
    "a reply that failed": Meaning(
        (CALL, Message("tool", "no", "functions.f", "commentary", "assistant", "c1", failed=True)),
        {
            "anthropic": [
                USE,
                user({"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}),
            ],
            "gemini": [GEMINI_CALL, gemini_reply({"error": "no"})],
            "bedrock-converse": [
                BEDROCK_USE,
                user({"toolResult": {"toolUseId": "c1", "content": [{"text": "no"}], "status": "error"}}),
            ],
        },
    ),
    "a reply that did not fail": Meaning(
        (CALL, Message("tool", "ok", "functions.f", "commentary", "assistant", "c1", failed=False)),
        {
            "anthropic": [
                USE,
                user({"type": "tool_result", "tool_use_id": "c1", "content": "ok", "is_error": False}),
            ],
            "bedrock-converse": [
                BEDROCK_USE,
                user({"toolResult": {"toolUseId": "c1", "content": [{"text": "ok"}], "status": "success"}}),
            ],
        },
    ),
    "a reply of two texts": Meaning(
        (CALL, Message("tool", (Text("a"), Text("b")), "functions.f", "commentary", "assistant", "c1")),
        {
            "openai": [
                OPENAI_CALL,
                {
                    "role": "tool",
                    "tool_call_id": "c1",
                    "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
                },
            ],
            "openai-responses": [
                ITEM_CALL,
                {
                    "type": "function_call_output",
                    "call_id": "c1",
                    "output": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}],
                },
            ],
            "anthropic": [
                USE,
                user(
                    {
                        "type": "tool_result",
                        "tool_use_id": "c1",
                        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
                    }
                ),
            ],
            "bedrock-converse": [
                BEDROCK_USE,
                user({"toolResult": {"toolUseId": "c1", "content": [{"text": "a"}, {"text": "b"}]}}),
            ],
        },
    ),
    "a thought with a signature": Meaning(
        (
            Message("assistant", "Hm.", channel="analysis", signature=Signature("c2ln", "anthropic")),
            Message("assistant", "Yes.", channel="final", continues=True),
        ),
        {
            "anthropic": [
                assistant(
                    {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, {"type": "text", "text": "Yes."}
                )
            ],
            "bedrock-converse": [
                assistant(
                    {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}}, {"text": "Yes."}
                )
            ],
        },
    ),
    "a thought that is sealed": Meaning(
        (
            Message("assistant", "", channel="analysis", signature=Signature("c2ln", "anthropic", sealed=True)),
            Message("assistant", "Yes.", channel="final", continues=True),
        ),
        {
            "anthropic": [assistant({"type": "redacted_thinking", "data": "c2ln"}, {"type": "text", "text": "Yes."})],
            "bedrock-converse": [assistant({"reasoningContent": {"redactedContent": "c2ln"}}, {"text": "Yes."})],
        },
    ),
    "a thought of Google's": Meaning(
        (
            Message("assistant", "Hm.", channel="analysis", signature=Signature("c2ln", "google")),
            Message("assistant", "Yes.", channel="final", continues=True),
        ),
        {"gemini": [model({"text": "Hm.", "thought": True, "thoughtSignature": "c2ln"}, {"text": "Yes."})]},
    ),
    "a call with a signature": Meaning(
        (replace(CALL, signature=Signature("c2ln", "google")),),
        {
            "gemini": [
                model({"functionCall": {"id": "c1", "name": "f", "args": {"a": "b"}}, "thoughtSignature": "c2ln"})
            ]
        },
    ),
    "code that the model ran": Meaning(
        (
            Message("assistant", "print(2)", None, "commentary", "python", end="call"),
            Message("tool", "2", "python", "commentary", "assistant", continues=True),
            Message("assistant", "It is 2.", channel="final", continues=True),
        ),
        {
            "gemini": [
                model(
                    {"executableCode": {"language": "PYTHON", "code": "print(2)"}},
                    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}},
                    {"text": "It is 2."},
                )
            ]
        },
    ),
    "a preamble": Meaning(
        (
            Message("assistant", "I look.", channel="commentary", intent="preamble"),
            replace(CALL, continues=True),
        ),
        {
            "openai": [{**OPENAI_CALL, "content": "I look."}],
            "anthropic": [assistant({"type": "text", "text": "I look."}, *USE["content"])],
            "gemini": [model({"text": "I look."}, *GEMINI_CALL["parts"])],
            "bedrock-converse": [assistant({"text": "I look."}, *BEDROCK_USE["content"])],
        },
    ),
    "a refusal": Meaning(
        (Message("assistant", (Refusal("No."),), channel="final"),),
        {"openai": [{"role": "assistant", "content": None, "refusal": "No."}]},
    ),
    "a text with a mark": Meaning(
        (
            Message("assistant", "Yes.", channel="final"),
            Message("user", (Text("And?", cache=CacheMark("1h")),)),
        ),
        {
            "anthropic": [
                {"role": "assistant", "content": "Yes."},
                user({"type": "text", "text": "And?", "cache_control": {"type": "ephemeral", "ttl": "1h"}}),
            ],
            "bedrock-converse": [
                assistant({"text": "Yes."}),
                user({"text": "And?"}, {"cachePoint": {"type": "default", "ttl": "1h"}}),
            ],
        },
    ),
    "a text with a source": Meaning(
        (Message("assistant", (Text("It rains.", citations=(Citation("https://e.org", "E"),)),), channel="final"),),
        {
            "openai": [
                {
                    "role": "assistant",
                    "content": "It rains.",
                    "annotations": [
                        {
                            "type": "url_citation",
                            "url_citation": {"start_index": 0, "end_index": 9, "title": "E", "url": "https://e.org"},
                        }
                    ],
                }
            ],
            "bedrock-converse": [
                assistant(
                    {
                        "citationsContent": {
                            "content": [{"text": "It rains."}],
                            "citations": [{"title": "E", "location": {"web": {"url": "https://e.org"}}}],
                        }
                    }
                )
            ],
        },
    ),
}
SPOKEN = [(name, wire) for name, meaning in MEANINGS.items() for wire in meaning.wires]


def document_of(wire: str, messages: list[Any]) -> dict[str, Any]:
    key = {"openai-responses": "input", "gemini": "contents"}.get(wire, "messages")
    return {key: [ASKED[wire], *messages]}


def plain(message: Message) -> list[Any]:
    """The fields of a message without its spelling and its end."""
    content = message.content
    parts = [Text(content)] if isinstance(content, str) else list(content)
    bare = [
        (part.text, part.cache, [(one.url, one.title) for one in part.citations or ()])
        if isinstance(part, Text)
        else part
        for part in parts
    ]
    fields = ("role", "name", "channel", "recipient", "call_id", "intent", "constraint", "continues", "failed")
    return [bare, message.signature, *(getattr(message, field) for field in fields)]


@pytest.mark.parametrize(("name", "wire"), SPOKEN)
def test_a_message_is_written_in_the_members_of_each_api(name: str, wire: str) -> None:
    meaning = MEANINGS[name]
    written = write(Transcript((ASK, *meaning.messages)), wire, policy=LENIENT)
    assert json.dumps(written.output) == json.dumps(document_of(wire, meaning.wires[wire]))
    assert [loss for loss in written.losses if loss.severity is not Severity.LAYOUT] == []


@pytest.mark.parametrize(("name", "wire"), SPOKEN)
def test_the_members_of_each_api_are_read_as_the_message(name: str, wire: str) -> None:
    meaning = MEANINGS[name]
    reading = read(document_of(wire, meaning.wires[wire]), wire)
    assert reading.findings == ()
    assert isinstance(reading.transcript, Transcript)
    assert list(map(plain, reading.transcript.messages)) == list(map(plain, (ASK, *meaning.messages)))


@pytest.mark.parametrize("wire", ["openai", "openai-responses", "anthropic", "bedrock-converse"])
def test_an_empty_text_between_a_call_and_its_reply_is_left_out(wire: str) -> None:
    request = {
        "contents": [ASKED["gemini"], model(*GEMINI_CALL["parts"], {"text": ""}), gemini_reply({"output": "15 C"})]
    }
    written = convert(request, source="gemini", target=wire)
    assert json.dumps(written.output) == json.dumps(document_of(wire, MEANINGS["a call and its reply"].wires[wire]))
    assert [(loss.code, loss.path) for loss in written.losses] == [("layout", "/messages/1/layout")]
    assert {loss.severity for loss in written.losses} == {Severity.LAYOUT}


@pytest.mark.parametrize("stream", ["openai-sse", "openai-responses-sse", "anthropic-sse", "bedrock-converse"])
def test_an_empty_text_after_a_call_in_a_stream_is_left_out(stream: str) -> None:
    reader, writer = decoder("gemini-sse"), encoder(stream, answer=Answer("a", "m"))
    parts = [*GEMINI_CALL["parts"], {"text": ""}]
    chunks = [{"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]} for part in parts]
    events = [event for chunk in chunks for event in reader.feed(f"data: {json.dumps(chunk)}\n\n")]
    written = b"".join([*writer.encode([*events, *reader.finish()]), *writer.finish()])
    back = decoder(stream)
    document = [*back.feed(written), *back.finish()][-1].document  # type: ignore[union-attr]
    assert [message.recipient for message in document.messages] == ["functions.f"]  # type: ignore[union-attr]
    assert [loss for loss in writer.losses if loss.path.startswith("/messages/1")] == []


# --- tools ------------------------------------------------------------------------------------------------------------


def tool_of(wire: str, name: str, description: str | None, schema: Any, strict: bool | None) -> Any:
    """A declared tool on a wire; what is None is left out."""
    described = {} if description is None else {"description": description}
    flagged = {} if strict is None else {"strict": strict}
    if wire == "openai":
        parameters = {} if schema is None else {"parameters": schema}
        return {"type": "function", "function": {"name": name, **described, **parameters, **flagged}}
    if wire == "openai-responses":
        return {"type": "function", "name": name, **described, "parameters": schema, **flagged}
    if wire == "anthropic":
        return {"name": name, **described, "input_schema": schema, **flagged}
    if wire == "gemini":
        return {"name": name, **described, **({} if schema is None else {"parametersJsonSchema": schema})}
    return {"toolSpec": {"name": name, **described, "inputSchema": {"json": schema}, **flagged}}


def declared(wire: str, *tools: Any) -> dict[str, Any]:
    if wire == "gemini":
        return {**document_of(wire, []), "tools": [{"functionDeclarations": [*tools]}]}
    listed = {"toolConfig": {"tools": [*tools]}} if wire == "bedrock-converse" else {"tools": [*tools]}
    return {**document_of(wire, []), **listed}


DECLARED = [
    (wire, description, schema, strict)
    for wire in ASKED
    for description in (None, "Does.")
    for schema in (None, SCHEMA)
    for strict in (None, False, True)
    if (schema is not None or wire not in ("anthropic", "bedrock-converse"))
    and (strict is None or wire != "gemini")
    and (strict is not None or wire != "openai-responses")
]


@pytest.mark.parametrize(("wire", "description", "schema", "strict"), DECLARED)
def test_a_tool_is_declared_in_the_members_of_each_api(wire: str, description: Any, schema: Any, strict: Any) -> None:
    tools = tuple(Tool(name, description, schema, strict=strict) for name in ("f", "g"))
    document = declared(wire, *(tool_of(wire, name, description, schema, strict) for name in ("f", "g")))
    written = write(Transcript((ASK,), tools=tools), wire)
    assert sorted(json.dumps(item) for item in written.output.items()) == sorted(map(json.dumps, document.items()))  # type: ignore[union-attr]
    assert written.losses == ()
    transcript = read(document, wire).transcript
    assert isinstance(transcript, Transcript)
    assert transcript.tools == tools


@pytest.mark.parametrize("wire", ["anthropic", "bedrock-converse"])
def test_a_tool_without_parameters_gets_an_empty_schema(wire: str) -> None:
    written = write(Transcript((ASK,), tools=(Tool("f"),)), wire)
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    assert json.dumps(tool_of(wire, "f", None, schema, None)) in json.dumps(written.output)
    assert [(loss.code, loss.path, loss.severity) for loss in written.losses] == [
        ("tool-schema", "/tools/0/parameters", Severity.LAYOUT)
    ]


@pytest.mark.parametrize("schema", ["x", [], True, 5])
@pytest.mark.parametrize("wire", ["anthropic", "bedrock-converse"])
def test_parameters_that_are_not_an_object_have_no_place(wire: str, schema: Any) -> None:
    written = write(Transcript((ASK,), tools=(Tool("f", parameters=schema),)), wire, policy=LENIENT)
    tool = tool_of(wire, "f", None, {"type": "object", "properties": {}}, None)
    assert json.dumps(tool) in json.dumps(written.output)
    assert [(loss.code, loss.path, loss.severity) for loss in written.losses] == [
        ("tool-schema", "/tools/0/parameters", Severity.CHANGED)
    ]


def test_a_strict_flag_has_no_place_in_gemini() -> None:
    losses = write(Transcript((ASK,), tools=(Tool("f", strict=True),)), "gemini").losses
    assert [(loss.code, loss.path, loss.severity) for loss in losses] == [("tools", "/tools/0/strict", Severity.LOST)]


# --- what is read, and not written of other formats -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "failed"),
    [
        ({"outcome": "OUTCOME_OK", "output": "2"}, None),
        ({"output": "2"}, None),
        ({"outcome": "OUTCOME_FAILED", "output": "2"}, True),
        ({"outcome": "OUTCOME_DEADLINE_EXCEEDED", "output": "2"}, True),
    ],
)
@pytest.mark.parametrize("language", ["PYTHON", "LANGUAGE_UNSPECIFIED", None])
def test_code_in_any_language_is_a_call_and_its_output_the_reply(
    language: str | None, result: Any, failed: Any
) -> None:
    code = {"code": "print(2)"} if language is None else {"language": language, "code": "print(2)"}
    document = document_of("gemini", [model({"executableCode": code}, {"codeExecutionResult": result})])
    transcript = read(document, "gemini").transcript
    assert isinstance(transcript, Transcript)
    _, call, reply = transcript.messages
    assert (call.recipient, call.content, call.constraint) == ("python", "print(2)", None)
    assert (reply.name, reply.content, reply.failed) == ("python", "2", failed)
    assert write(transcript, "gemini").output == document


FOLLOWING: list[tuple[Any, str]] = [
    ([{"type": "text", "text": "Hi"}], "end_turn"),
    ([{"type": "tool_use", "id": "c1", "name": "f", "input": {}}], "tool_use"),
    ([{"type": "text", "text": "Hi"}], "max_tokens"),
]


@pytest.mark.parametrize(("content", "reason"), FOLLOWING)
def test_a_finish_reason_that_follows_from_the_message_is_not_an_extra(content: Any, reason: str) -> None:
    response = {"type": "message", "role": "assistant", "content": content, "stop_reason": reason}
    transcript = read(response, "anthropic").transcript
    assert transcript.extras is None
    assert write(transcript, "anthropic").output == response


@pytest.mark.parametrize("wire", ASKED)
def test_arguments_in_two_texts_become_one(wire: str) -> None:
    call = replace(CALL, content=(Text('{"a":'), Text('"b"}')))
    written = write(Transcript((ASK, call, REPLY)), wire, policy=LENIENT)
    whole = MEANINGS["a call and its reply"].wires[wire]
    assert json.dumps(written.output) == json.dumps(document_of(wire, whole))
    assert [(loss.code, loss.path) for loss in written.losses if loss.severity is not Severity.LAYOUT] == [
        ("content", "/messages/1/content")
    ]


# --- empty texts ------------------------------------------------------------------------------------------------------

EMPTY = Text("")
PICTURE = Media("image", data="aGVsbG8=", format="image/png")
SILENT = ["", " ", "\n\n", "\t\u00a0"]
REFUSED = [("gemini", ""), *((wire, text) for wire in ("anthropic", "bedrock-converse") for text in SILENT)]
"""A wire, and an empty text that its API refuses."""
NOTHING = Message("assistant", "", channel="commentary", intent="preamble")
THOUGHT = Message("assistant", "Hm.", channel="analysis")


@pytest.mark.parametrize("plans", [True, False])
@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize(("wire", "silent"), REFUSED)
def test_an_empty_text_among_others_is_left_out_if_the_api_refuses_it(
    wire: str, silent: str, at: int, *, plans: bool
) -> None:
    message = Message("user", (Text("a"), PICTURE))
    parts = (*message.content[:at], Text(silent), *message.content[at:])
    options = Options(plans=plans)
    for _ in range(8):  # as often as plans take to be learned
        expected = write(Transcript((message,)), wire, policy=LENIENT, options=options)
        written = write(Transcript((replace(message, content=parts),)), wire, policy=LENIENT, options=options)
        assert written.output == expected.output
        assert [(loss.code, loss.path, loss.severity) for loss in written.losses] == [
            ("content", f"/messages/0/content/{at}", Severity.LAYOUT)
        ]


@pytest.mark.parametrize("source", ["openai", "openai-responses", "gemini"])
@pytest.mark.parametrize(("wire", "silent"), REFUSED)
def test_an_empty_text_before_a_call_is_left_out_if_the_api_refuses_it(wire: str, silent: str, source: str) -> None:
    for text, count in (("Let me see.", 2), (silent, 1)):  # a plan for a text is not used for an empty one
        preamble = Message("assistant", text, channel="commentary", intent="preamble")
        conversation = Transcript((ASK, preamble, replace(CALL, continues=True), REPLY))
        document = json.dumps(write(conversation, source, policy=LENIENT).output)
        for _ in range(8):
            written = convert(document, source=source, target=wire, policy=LENIENT)
            turn = written.output["contents" if wire == "gemini" else "messages"][1]
            assert len(turn["parts" if wire == "gemini" else "content"]) == count


BESIDE: dict[str, tuple[list[Message], list[int]]] = {
    "around a thought and a call": ([NOTHING, THOUGHT, NOTHING, CALL, NOTHING], [0, 2, 4]),
    "before a text": ([NOTHING, THOUGHT, Message("assistant", "Yes.", channel="final")], [0]),
    "after a thought": ([THOUGHT, Message("assistant", "", channel="final")], [1]),
    "after a reply": ([CALL, REPLY, Message("assistant", "", channel="final")], []),
    "alone": ([Message("assistant", "", channel="final")], []),
}
"""Messages of one wire message, and the empty texts among them that Chat Completions has no place for."""


@pytest.mark.parametrize("plans", [True, False])
@pytest.mark.parametrize(("turn", "left_out"), BESIDE.values(), ids=list(BESIDE))
def test_an_empty_text_beside_others_is_no_message_of_its_own(
    turn: list[Message], left_out: list[int], *, plans: bool
) -> None:
    joined = [replace(message, continues=at > 0) for at, message in enumerate(turn)]
    without = [replace(message, continues=at > 0) for at, message in enumerate(turn) if at not in left_out]
    options = Options(plans=plans)
    for _ in range(8):
        written = write(Transcript((ASK, *joined)), "openai", policy=LENIENT, options=options)
        assert written.output == write(Transcript((ASK, *without)), "openai", policy=LENIENT).output
        lost = [(loss.path, loss.severity) for loss in written.losses if loss.code == "message"]
        assert lost == [(f"/messages/{at + 1}", Severity.LAYOUT) for at in left_out]


def test_an_empty_thought_with_a_signature_is_no_empty_text() -> None:
    signed = Message("assistant", "", channel="analysis", signature=Signature("c2ln", "anthropic"))
    document = Transcript((ASK, signed, replace(CALL, continues=True)))
    written = write(document, "openai", policy=LENIENT)
    assert "c2ln" in json.dumps(written.output)
    assert "message" not in [loss.code for loss in written.losses]


def test_a_message_of_which_nothing_is_written_is_left_out_of_its_turn() -> None:
    """vercel/ai, packages/anthropic/src/__fixtures__/anthropic-fallback-mid-output.chunks.txt: between two thoughts."""
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "fallback", "from": {"model": "claude-a"}, "to": {"model": "claude-b"}},
        {"type": "thinking", "thinking": "So.", "signature": "c2lnMg"},
        {"type": "tool_use", "id": "c", "name": "f", "input": {}},
    ]
    source: Any = {"max_tokens": 1, "messages": [{"role": "assistant", "content": blocks}]}
    written = convert(json.dumps(source), source="anthropic", target="openai", policy=LENIENT)
    (message,) = written.output["messages"]
    assert message["reasoning"] == "Hm.\n\nSo."
    assert ("message", "/messages/1", Severity.LOST) in [
        (loss.code, loss.path, loss.severity) for loss in written.losses
    ]


@pytest.mark.parametrize(("wire", "silent"), REFUSED[1:])  # Gemini has no marks
def test_other_members_of_an_empty_text_are_lost_with_it(wire: str, silent: str) -> None:
    marked = Text(silent, cache=CacheMark())
    written = write(Transcript((Message("user", (Text("a"), marked, Text("b"))),)), wire, policy=LENIENT)
    assert [(loss.code, loss.path, loss.severity) for loss in written.losses] == [
        ("content", "/messages/0/content/1", Severity.LOST)
    ]


@pytest.mark.parametrize(("wire", "silent"), REFUSED)
def test_a_message_of_empty_texts_is_left_out(wire: str, silent: str) -> None:
    messages = (ASK, Message("assistant", "Yes.", channel="final"), Message("user", (Text(silent), Text(silent))))
    written = write(Transcript(messages), wire, policy=LENIENT)
    assert json.dumps(silent) not in json.dumps(written.output)
    assert {loss.severity for loss in written.losses} == {Severity.LAYOUT}
    assert ("message", "/messages/2") in [(loss.code, loss.path) for loss in written.losses]


SILENT_BLOCKS: dict[str, Callable[[str], list[Any]]] = {
    "a text among others": lambda text: [{"type": "text", "text": text}, {"type": "text", "text": "a"}],
    "a text": lambda text: [{"type": "text", "text": text}],
    "texts of a result": lambda text: [
        {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": text}] * 2}
    ],
    "a result": lambda text: [{"type": "tool_result", "tool_use_id": "c", "content": text}],
}
SILENT_CONVERSE: dict[str, Callable[[str], list[Any]]] = {
    "a text among others": lambda text: [{"text": text}, {"text": "a"}],
    "a text": lambda text: [{"text": text}],
    "a text with a mark": lambda text: [{"text": text}, {"cachePoint": {"type": "default"}}],
    "texts of a result": lambda text: [{"toolResult": {"toolUseId": "c", "content": [{"text": text}, {"text": "a"}]}}],
    "a result": lambda text: [{"toolResult": {"toolUseId": "c", "content": [{"text": text}]}}],
}
SILENT_PARTS: dict[str, Callable[[str], list[Any]]] = {
    "a text among others": lambda text: [{"text": text}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}],
    "a text": lambda text: [{"text": text}],
    "a signature": lambda text: [{"text": text, "thoughtSignature": "c2ln"}],
}


@pytest.mark.parametrize("silent", SILENT)
@pytest.mark.parametrize(
    ("wire", "blocks"),
    [("anthropic", blocks) for blocks in SILENT_BLOCKS.values()]
    + [("bedrock-converse", blocks) for blocks in SILENT_CONVERSE.values()]
    + [("gemini", blocks) for blocks in SILENT_PARTS.values()],
)
def test_empty_texts_of_the_api_itself_are_restored(wire: str, blocks: Callable[[str], list[Any]], silent: str) -> None:
    for text in ("text", silent):
        document: Any = {"messages": [{"role": "user", "content": blocks(text)}]}
        if wire == "gemini":
            document = {"contents": [{"role": "model", "parts": blocks(text)}]}
        for _ in range(8):
            written = write(read(json.dumps(document), wire).transcript, wire)
            assert written.output == document
            assert written.losses == ()


@pytest.mark.parametrize("wire", ["anthropic", "gemini", "bedrock-converse"])
def test_a_message_without_content_that_the_api_takes_is_left_out(wire: str) -> None:
    """Text that was not understood is refused unless it is allowed; then the output is one that the API takes."""
    strange = Message("user", (Foreign("another", {"type": "note", "text": "Hi!"}), EMPTY))
    expected = write(Transcript((ASK, CALL, REPLY)), wire, policy=LENIENT)
    with pytest.raises(BridgeError) as raised:
        write(Transcript((ASK, CALL, REPLY, strange)), wire)
    assert raised.value.code == ErrorCode.EMPTIED
    for _ in range(8):
        written = write(Transcript((ASK, CALL, REPLY, strange)), wire, policy=LENIENT)
        assert written.output == expected.output
        losses = [loss for loss in written.losses if loss.path.startswith("/messages/3")]
        assert [(loss.code, loss.path, loss.severity) for loss in losses] == [
            ("foreign-part", "/messages/3/content/0", Severity.LOST),
            ("content", "/messages/3/content/1", Severity.LAYOUT),
            ("message", "/messages/3", Severity.LOST),
            ("emptied", "/messages/3/content", Severity.LOST),
        ]


@pytest.mark.parametrize("silent", SILENT)
def test_an_answer_may_be_empty(silent: str) -> None:
    """A response with an empty answer is read, and not refused."""
    answer = Transcript((Message("assistant", silent, channel="final"),), settings=Settings(usage=Usage(1, 2)))
    for _ in range(8):
        written = write(answer, "anthropic")
        assert written.output["content"] == ([{"type": "text", "text": silent}] if silent else [])
        assert written.output["usage"] == {"input_tokens": 1, "output_tokens": 2}


def test_an_answer_without_content_that_the_api_takes_is_an_empty_response() -> None:
    strange = Message("assistant", (Foreign("another", {"text": "Hi!"}),), channel="final")
    answer = Transcript((strange,), settings=Settings(usage=Usage(1, 2)))
    written = write(answer, "anthropic", policy=LENIENT)
    assert (written.output["type"], written.output["content"]) == ("message", [])
    assert ("emptied", "/messages/0/content") in [(loss.code, loss.path) for loss in written.losses]


def test_a_reply_of_white_space_becomes_empty_if_the_api_refuses_it() -> None:
    written = write(Transcript((ASK, CALL, replace(REPLY, content=" \n"))), "bedrock-converse", policy=LENIENT)
    assert written.output["messages"][2]["content"] == [{"toolResult": {"toolUseId": "c1", "content": []}}]
    assert [(loss.code, loss.path) for loss in written.losses] == [("content", "/messages/2/content")]


@pytest.mark.parametrize(("wire", "silent"), REFUSED)
def test_an_empty_system_prompt_is_left_out(wire: str, silent: str) -> None:
    written = write(Transcript((Message("system", silent), ASK)), wire, policy=LENIENT)
    assert written.output.keys() == {"contents" if wire == "gemini" else "messages"}
    assert [(loss.code, loss.path) for loss in written.losses] == [("message", "/messages/0")]
