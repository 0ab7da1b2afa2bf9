"""What a stream cannot be read or written as: which error, or which finding, and in which words."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from ocml_bridge import BridgeError, ErrorCode, Message, Tool, decoder
from ocml_bridge.events import Event
from ocml_bridge.json_values.jsontext import MAX_DEPTH
from ocml_bridge.loss import Finding
from ocml_bridge.model import replace
from ocml_bridge.stream.completions import CompletionsDecoder, CompletionsReader
from ocml_bridge.stream.ledger import Fault, Ledger, Rejected
from ocml_bridge.stream.schema import Schemas, check
from ocml_bridge.stream.sse import Reader
from ocml_bridge.stream.values import Values

TEXTS: Final = ("ocm-0.1", "ocm-2.2", "harmony", "internlm2", "chatml")
WIRES: Final = ("openai-sse", "openai-responses-sse", "gemini-sse", "anthropic-sse", "bedrock-converse")


def refusal(run: Any, *given: Any) -> tuple[ErrorCode, str]:
    """The code and the words of the error that something ends with."""
    with pytest.raises(BridgeError) as caught:
        list(run(*given) or ())
    return caught.value.code, caught.value.message


@pytest.mark.parametrize("name", [*TEXTS, *WIRES])
def test_a_text_has_no_token_ids(name: str) -> None:
    assert refusal(decoder(name).feed_tokens, [1]) == (
        ErrorCode.OPTION,
        "this stream is text; to stream token ids, use harmony-tokens",
    )


LONG: Final = "x" * 1_100_000
ENDLESS: Final = {
    "internlm2": f'<|im_start|>assistant\n<|action_start|><|plugin|>\n{{"name": "{LONG}',
    "chatml": f'<|im_start|>assistant\n<tool_call>\n{{"name": "{LONG}',
    "ocm-0.1": f'<|im_start|>assistant\n<|function_call|>\n{{"name": "{LONG}',
}
"""By format: a text whose meaning stays open for too long."""


@pytest.mark.parametrize("name", ENDLESS)
def test_text_whose_meaning_stays_open_for_too_long_is_refused(name: str) -> None:
    made = decoder(name)
    assert refusal(made.feed, ENDLESS[name]) == (
        ErrorCode.LIMIT,
        "a message's header or body is too long without its next control token",
    )
    assert made.feed("more") == []


# --- streams of JSON --------------------------------------------------------------------------------------------------


def found(events: list[Event]) -> list[str]:
    return [
        f"{event.severity} {event.code} {event.path}: {event.detail}" for event in events if isinstance(event, Finding)
    ]


UNFINISHED: Final = "lost E-STREAM-TRUNCATED : the stream ends before the answer ends"


@pytest.mark.parametrize("name", WIRES)
def test_an_event_that_is_no_object_is_left_out_and_named_once(name: str) -> None:
    made = decoder(name)
    events = [*made.feed("data: 1\n\ndata: []\n\n"), *made.finish()]
    assert found(events) == [
        "changed shape : an event is not an object; it is left out",
        UNFINISHED,
    ]
    assert made.finish() == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ('{"a": 1} x', "not JSON: 'x' between the objects of a stream"),
        ('{"a": 1}, 2', "not JSON: '2' between the objects of a stream"),
        (f'{{"a": 1}}{"y" * 30}', f"not JSON: {'y' * 20!r} between the objects of a stream"),
        ("[1]", "not JSON: '1]' between the objects of a stream"),
    ],
)
def test_text_between_objects_is_refused(data: str, words: str) -> None:
    assert refusal(Values().events, data) == (ErrorCode.JSON, words)


@pytest.mark.parametrize(
    "data",
    [
        '{"a": "}"}{"b": "\\"}"}',
        '[{"a": "}"},\n{"b": "\\"}"}]',
        '\ufeff {"a": "}"} {"b": "\\"}"}',
        '{"a": "}"}\n{"b": "\\"}"}\n',
    ],
)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_objects_are_separated_by_their_brackets(data: str, size: int) -> None:
    values = Values()
    arrived = [one for at in range(0, len(data), size) for one in values.events(data[at : at + size])]
    assert [json.loads(data) for _, data in (*arrived, *values.finish())] == [{"a": "}"}, {"b": '"}'}]


def test_an_object_that_is_too_long_is_refused() -> None:
    assert refusal(Values(20).events, '{"a": "' + "x" * 30) == (ErrorCode.LIMIT, "a value of more than 20 characters")


@pytest.mark.parametrize(
    ("data", "words"),
    [("x" * 30, "a line of more than 20 characters"), ("data: x\n" * 30, "an event of more than 20 characters")],
)
def test_an_event_that_is_too_long_is_refused(data: str, words: str) -> None:
    assert refusal(Reader(20).events, data) == (ErrorCode.LIMIT, words)


# --- completions ------------------------------------------------------------------------------------------------------


def completion(*choices: Any) -> bytes:
    return f"data: {json.dumps({'choices': choices})}\n\n".encode()


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"data: {}\n\n", ErrorCode.SHAPE, "the server's answer is not a completion: it has no list of choices"),
        (
            b'data: {"choices": 1}\n\n',
            ErrorCode.SHAPE,
            "the server's answer is not a completion: it has no list of choices",
        ),
        (b"data: {\n\n", ErrorCode.JSON, "the server sent what is not JSON"),
        (b'data: {"error": {"message": "busy"}}\n\n', ErrorCode.STREAM_TRUNCATED, "the server failed: busy"),
        (b'data: {"error": "busy"}\n\n', ErrorCode.STREAM_TRUNCATED, "the server failed: busy"),
        (
            *(completion({"index": 1, "text": "a"}), ErrorCode.SHAPE),
            "the stream has several answers: separate them with a CompletionsReader",
        ),
    ],
)
def test_input_that_is_no_answer_of_a_completions_server_is_refused(data: bytes, code: ErrorCode, words: str) -> None:
    assert refusal(CompletionsDecoder(decoder("harmony")).feed, data) == (code, words)


def test_a_completions_server_sends_bytes() -> None:
    made = CompletionsDecoder(decoder("harmony"), CompletionsReader())
    assert refusal(made.feed_tokens, [1]) == (
        ErrorCode.OPTION,
        "a completions server's stream is bytes, which contain the ids",
    )


# --- calls ------------------------------------------------------------------------------------------------------------


def calling(arguments: Any, call_id: str = "c1", **more: Any) -> Message:
    made = Message("assistant", arguments, None, "commentary", "functions.f", call_id, end="call")
    return replace(made, **more)


def nested(depth: int) -> Any:
    """A schema in a schema, so deep."""
    schema: Any = {}
    for _ in range(depth):
        schema = {"not": schema}
    return schema


TOOLS: Final = (Tool("f", parameters={"properties": {"n": {"type": "integer"}}}),)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (calling("{}", recipient="functions.g"), "no tool 'functions.g' is declared"),
        (calling("{"), "the arguments cannot be read: "),
        (calling('{"n": "a"}'), "the value is not of type "),
        (calling(()), "the arguments are not one text"),
    ],
)
def test_a_call_that_does_not_fit_its_tool(message: Message, words: str) -> None:
    code, detail = refusal(check, message, TOOLS)
    assert code is ErrorCode.CALL_SCHEMA
    assert detail.startswith(words)


@pytest.mark.parametrize(
    ("parameters", "code", "words"),
    [
        ([], ErrorCode.SHAPE, "a JSON Schema is an object, true or false"),
        ({"type": "text"}, ErrorCode.SHAPE, "not a JSON Schema: "),
        (
            {"$ref": "http://a.b/c"},
            ErrorCode.SHAPE,
            "'http://a.b/c' refers to another document; only # and #/… are allowed",
        ),
        (nested(600), ErrorCode.LIMIT, f"nested deeper than {MAX_DEPTH} levels"),
    ],
)
def test_parameters_that_are_no_schema(parameters: Any, code: ErrorCode, words: str) -> None:
    found, detail = refusal(Schemas, (Tool("f", parameters=parameters),))
    assert found is code
    assert detail.startswith(words)


def test_a_ledger_gives_the_reason_of_a_rejection() -> None:
    ledger = Ledger()

    def rejections(notes: list[Any]) -> list[tuple[object, str | None, str]]:
        return [(note.code, note.call_id, note.detail) for note in notes if isinstance(note, Rejected)]

    def reply(call_id: str | None) -> Message:
        return Message("tool", "1", "functions.f", call_id=call_id)

    assert rejections(ledger.call(calling("{}", end=None), now_ms=0)) == [(Fault.CUT, "c1", "the call is cut off")]
    assert rejections(ledger.reply(reply("c1"), now_ms=0)) == [(Fault.UNKNOWN, "c1", "no call has this id")]
    assert rejections(ledger.call(calling("{}"), now_ms=0)) == []
    assert rejections(ledger.call(calling("{}"), now_ms=0)) == [
        (Fault.ID_TAKEN, "c1", "a call with this id is already open")
    ]
    assert rejections(ledger.reply(reply("c1"), now_ms=0)) == []
    assert rejections(ledger.reply(reply("c1"), now_ms=0)) == [(Fault.DOUBLED, "c1", "the call was answered already")]
    ledger.call(calling("{}", "c2"), now_ms=0)
    ledger.cancel("c2")
    assert rejections(ledger.reply(reply("c2"), now_ms=0)) == [
        (Fault.LATE, "c2", "the call was cancelled, or has timed out")
    ]
