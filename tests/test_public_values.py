"""The values of the interface: errors, options, the names of a streamed answer, parts of a source."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, ErrorCode, Message, Options, Transcript, adapter, decoder, encoder
from ocml_bridge.errors import EXIT_CODES, ExitCode
from ocml_bridge.events import Answer, Named, Stop, numbered
from ocml_bridge.formats.adapter import FormatOption, Source
from ocml_bridge.model import Completion
from ocml_bridge.pipe import Pipe, answer_ids, audience, streams
from ocml_bridge.split import read_all, split

# --- errors -----------------------------------------------------------------------------------------------------------

TEXT = "ab\ncd\n\nef"


@pytest.mark.parametrize("offset", range(len(TEXT) + 1))
def test_an_offset_is_a_line_and_a_column(offset: int) -> None:
    before = TEXT[:offset].split("\n")
    for source in (TEXT, TEXT.encode()):
        error = BridgeError(ErrorCode.JSON, "no", offset=offset).locate(source)
        assert (error.line, error.column) == (len(before), len(before[-1]) + 1)
        assert error.locate("another").line == len(before)


@pytest.mark.parametrize(
    ("given", "text", "values"),
    [
        ({}, "OCB-JSON: no", {}),
        ({"path": ""}, "OCB-JSON at the top: no", {"path": ""}),
        ({"path": "/a"}, "OCB-JSON at /a: no", {"path": "/a"}),
        ({"offset": 4}, "OCB-JSON at line 2, column 2: no", {"offset": 4, "line": 2, "column": 2}),
        ({"offset": 0}, "OCB-JSON at line 1, column 1: no", {"offset": 0, "line": 1, "column": 1}),
    ],
)
def test_an_error_is_a_sentence_with_its_place_and_json(
    given: dict[str, Any], text: str, values: dict[str, object]
) -> None:
    error = BridgeError(ErrorCode.JSON, "no", **given).locate(TEXT)
    assert str(error) == text
    assert error.to_json() == {"code": "OCB-JSON", "message": "no", **values}
    assert error.args == (ErrorCode.JSON, "no")


@pytest.mark.parametrize("code", ErrorCode)
def test_an_error_has_the_exit_status_of_its_code_and_a_refusal_its_own(code: ErrorCode) -> None:
    error = BridgeError(code, "no")
    assert error.exit_code == EXIT_CODES.get(code, 4)
    assert (error.refused, error.offset, error.line, error.column, error.path) == (False, None, None, None, None)
    error.refused = True
    assert error.exit_code == ExitCode.REFUSED == 3


# --- options ----------------------------------------------------------------------------------------------------------

LONGEST = "<" + "x" * 127
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"control_tokens": "no"}, "control_tokens cannot be 'no'; it is one of neutralise, refuse, raw"),
    ({"special_tokens": ["<a>"]}, "special_tokens must be a tuple of strings, not ['<a>']"),
    ({"special_tokens": ("<a>", 5)}, "a special token must be a string of 2 to 128 characters, without U+200B, not 5"),
    ({"special_tokens": ("a",)}, "a special token must be a string of 2 to 128 characters, without U+200B, not 'a'"),
    (
        {"special_tokens": (f"{LONGEST}x",)},
        f"a special token must be a string of 2 to 128 characters, without U+200B, not '<{'x' * 38}",
    ),
    (
        {"special_tokens": ("a\u200b",)},
        "a special token must be a string of 2 to 128 characters, without U+200B, not 'a\\u200b'",
    ),
    ({"format_options": {"bos": 5}}, "a format option must be a string with a name, not 'bos': 5"),
    ({"format_options": {5: "bos"}}, "a format option must be a string with a name, not 5: 'bos'"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_an_invalid_option_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BridgeError) as caught:
        Options(**given)
    assert (caught.value.code, caught.value.message) == (ErrorCode.OPTION, message)


def test_tokens_of_allowed_lengths_are_taken_and_options_are_values() -> None:
    options = Options(special_tokens=("<>", LONGEST), format_options={"b": "2", "a": "1"})
    assert options.format_options == (("a", "1"), ("b", "2"))
    assert pickle.loads(pickle.dumps(options)) == options
    assert options == Options(special_tokens=("<>", LONGEST), format_options=(("b", "2"), ("a", "1")))


def test_an_option_of_a_format_is_what_was_set_or_its_default() -> None:
    loud = FormatOption("loud", "Loud.", default="no", choices=("no", "yes"))
    free = FormatOption("free", "Free.", default=None)
    options = Options(format_options={"loud": "yes", "free": "anything"})
    assert (loud.of(options), free.of(options)) == ("yes", "anything")
    assert (loud.of(Options()), free.of(Options())) == ("no", None)
    assert (loud.of(Options(format_options={"free": "x"})), free.of(Options(format_options={"loud": "x"}))) == (
        "no",
        None,
    )
    with pytest.raises(BridgeError, match="loud cannot be 'so'; it is one of no, yes"):
        loud.of(Options(format_options={"loud": "so"}))


# --- streams ----------------------------------------------------------------------------------------------------------

GIVEN = Named("id", "model", 7)


@pytest.mark.parametrize(
    ("answer", "named", "made"),
    [
        (Answer(), GIVEN, ("id", "model", 7)),
        (Answer(), Named(), ("chatcmpl-0", "", 0)),
        (Answer(), Named(model="model"), ("chatcmpl-0", "model", 0)),
        (Answer("own", "mine", 1), GIVEN, ("own", "mine", 1)),
        (Answer("own", "mine", 1, provisional=frozenset({"id", "created"})), GIVEN, ("id", "mine", 7)),
        (Answer("own", "mine", 1, provisional=frozenset({"model"})), Named("id"), ("own", "mine", 1)),
        (Answer("own"), GIVEN, ("own", "model", 7)),
    ],
)
def test_an_answer_has_the_names_of_the_stream_unless_others_are_given(
    answer: Answer, named: Named, made: tuple[str, str, int]
) -> None:
    found = answer.named(named)
    assert (found.id, found.model, found.created) == made


def test_a_call_without_an_id_gets_an_id_that_no_other_answer_has() -> None:
    assert [Answer().id_of_call(number) for number in range(2)] == ["call_1", "call_2"]
    assert numbered(4) == "call_5"
    ids = {
        answer.id_of_call(number) for answer in (Answer("a"), Answer("a", index=1), Answer("b")) for number in (0, 1)
    }
    assert len(ids) == 6
    assert all(each.startswith("call_") and len(each) == 29 for each in ids)
    assert Answer("a", call_id="own_{}".format).id_of_call(3) == "own_3"
    assert Answer("a").id_of_call(0) == Answer("a").id_of_call(0)


THREE = Transcript(tuple(Message("user", str(at)) for at in range(3)))


@pytest.mark.parametrize(
    ("stop", "places"),
    [
        (Stop("stop", THREE), [0, 1, 2, None]),
        (Stop("stop", THREE, declaration_at=0), [None, 0, 1, 2, None]),
        (Stop("stop", THREE, declaration_at=1), [0, None, 1, 2, None]),
        (Stop("stop", THREE, places=(2, None, 0)), [2, None, 0, None]),
        (Stop("stop", THREE, places=(3,)), [None, None]),
        (Stop("stop", THREE, declaration_at=1, places=(0, 1)), [0, 1]),
        (Stop("error", Completion("a")), [None, None]),
    ],
)
def test_a_message_of_a_stream_has_an_index_in_its_document_or_none(stop: Stop, places: list[int | None]) -> None:
    assert [stop.place(number) for number in range(len(places))] == places


def test_an_error_is_written_after_the_text_before_it() -> None:
    pipe = Pipe(decoder("openai-sse"), encoder("anthropic-sse"))
    begun = pipe.feed('data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}\n\n')
    error = BridgeError(ErrorCode.JSON, "no")
    rest = pipe.fail(error)
    assert b'"text":"Hi"' in begun + rest
    assert rest.index(b"event: error") >= rest.rfind(b"content_block_delta")
    assert b"OCB-JSON" in rest or b'"message":"no"' in rest


def test_texts_are_written_for_models_and_everything_else_for_clients() -> None:
    for name in streams()[1]:
        assert (audience(name) is None) == (name in ("ocm-0.1", "ocm-2.2", "harmony", "internlm2", "chatml"))
    assert answer_ids("openai-sse") == "chatcmpl-"
    with pytest.raises(BridgeError, match="no stream 'canonical' can be written; these can: "):
        answer_ids("canonical")


# --- parts of a source ------------------------------------------------------------------------------------------------


@given(st.lists(st.text("ab\n", min_size=1), min_size=1, max_size=5))
def test_a_part_of_a_text_has_the_position_of_its_beginning(pieces: list[str]) -> None:
    text = "".join(pieces)
    offsets = [len("".join(pieces[:at])) for at in range(len(pieces))]

    def cut(source: Source, options: Options) -> list[tuple[int, Source]]:
        assert options.training
        return list(zip(offsets, pieces, strict=True))

    parts = split(text, replace(adapter("chatml")[0], split=cut), options=Options(training=True))
    assert [part.value for part in parts] == pieces
    for offset, part in zip(offsets, parts, strict=True):
        error = BridgeError(ErrorCode.JSON, "no", offset=offset).locate(text)
        assert (part.place.offset, part.place.line, part.place.column) == (offset, error.line, error.column)
        assert part.place.path is None


def test_a_part_of_json_has_its_path() -> None:
    chats = [[{"role": "user", "content": word}] for word in ("a", "b")]
    requests = [{"messages": chat} for chat in chats]
    assert [part.place.path for part in split(requests, "openai")] == ["/0", "/1"]
    assert [part.place.path for part in split(requests[0], "openai")] == [""]
    readings = list(read_all(requests, "openai"))
    assert [reading.place.path for reading in readings] == ["/0", "/1"]
    contents = [
        reading.transcript.messages[0].content for reading in readings if isinstance(reading.transcript, Transcript)
    ]
    assert contents == ["a", "b"]


def test_an_invalid_part_has_its_position_in_the_whole_and_the_next_is_read() -> None:
    parts = read_all(
        [{"messages": [{"role": "user", "content": "a"}]}, {"messages": [{"role": 5}]}, {"messages": []}], "openai"
    )
    assert next(parts).place.path == "/0"
    with pytest.raises(BridgeError) as caught:
        next(parts)
    assert str(caught.value.path).startswith("/1/messages/0")
    assert next(parts).place.path == "/2"
