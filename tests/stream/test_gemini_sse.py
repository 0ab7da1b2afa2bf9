"""`gemini-sse`: chunks as the API streams them, read and written."""

from __future__ import annotations

import json
from random import Random
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, Transcript, read, write
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Answer, Delta, Reason, Stop
from ocml_bridge.loss import Finding, Severity
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.report.report import unnamed
from ocml_bridge.stream import replay
from ocml_bridge.stream.sse import Reader
from ocml_bridge.testing import strategies
from ocml_bridge.testing.streams import check_cancel, check_copies, check_messages, check_order, cuts, events_of
from sampling import examples
from turns import ANSWERS, call, final, preamble, thought, turn
from wire_facts import Recorded, recorded, spoiled

STREAM = "gemini-sse"


def sse(chunks: list[Any]) -> str:
    return "".join(f"data: {json.dumps(chunk)}\r\n\r\n" for chunk in chunks)


def chunk(*parts: Any, **more: Any) -> dict[str, Any]:
    candidate = {"content": {"parts": list(parts), "role": "model"}, "index": 0, **more}
    return {"candidates": [candidate], "responseId": "r"}


def document_of(text: str) -> Transcript:
    document = events_of(decoder(STREAM), [text]).stop.document
    assert isinstance(document, Transcript)
    return document


def addressed_contents(document: Transcript) -> list[tuple[str | None, str | None, Any]]:
    return [(message.channel, message.recipient, message.content) for message in document.messages]


# --- reading ----------------------------------------------------------------------------------------------------------


def put_together(chunks: list[Any]) -> list[tuple[str, str]]:
    """The parts of the first candidate, texts of a kind joined: independent of the library's own assembly."""
    out: list[tuple[str, str]] = []
    for value in chunks:
        for candidate in value.get("candidates", [])[:1]:
            for part in candidate.get("content", {}).get("parts", []):
                if "text" in part:
                    kind, text = "thought" if part.get("thought") else "text", part["text"]
                elif "functionCall" in part:
                    kind, text = "call", json.dumps(part["functionCall"]["args"], separators=(",", ":"))
                elif "executableCode" in part:
                    kind, text = "code", part["executableCode"]["code"]
                elif "codeExecutionResult" in part:
                    kind, text = "result", part["codeExecutionResult"]["output"]
                else:
                    kind, text = "text", ""
                if out and out[-1][0] == kind and kind in ("text", "thought"):
                    out[-1] = (kind, out[-1][1] + text)
                else:
                    out.append((kind, text))
    return out


def streams() -> list[Recorded]:
    return recorded("google", streams=True)


def test_recorded_streams_are_the_same_however_they_are_framed_and_cut() -> None:
    for case in streams():
        framed = [sse(case.value), json.dumps(case.value, indent=2), "\n".join(map(json.dumps, case.value))]
        whole = events_of(decoder(STREAM), [framed[0]])
        for text in framed:
            for size in (1, 50, 4096) if len(text) < 20_000 else (4096,):
                pieces = [text[at : at + size] for at in range(0, len(text), size)]
                assert events_of(decoder(STREAM), pieces) == whole, case
        check_order(whole.events)
        assert not [event for event in whole.events if isinstance(event, Finding)], case
        assert isinstance(whole.stop.document, Transcript)
        texts = [
            "".join(getattr(part, "text", "") for part in message.content)
            if isinstance(message.content, tuple)
            else message.content
            for message in whole.stop.document.messages
        ]
        assert texts == [text for _, text in put_together(case.value)], case


def test_a_stream_is_what_the_reader_reads_of_the_whole_answer() -> None:
    parts = [
        {"text": "Hm", "thought": True},
        {"text": "I look."},
        {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "cw=="},
    ]
    chunks = [chunk(part) for part in parts]
    chunks[2]["candidates"][0]["finishReason"] = "STOP"
    played = events_of(decoder(STREAM), [sse(chunks)])
    whole = read(
        {
            "candidates": [{**chunks[2]["candidates"][0], "content": {"parts": parts, "role": "model"}}],
            "responseId": "r",
        },
        "gemini",
    )
    assert isinstance(played.stop.document, Transcript)
    assert isinstance(whole.transcript, Transcript)
    assert played.stop.document.messages == whole.transcript.messages
    assert played.stop.document.extras == whole.transcript.extras
    assert played.stop.reason == "tool_calls"


def test_a_signature_in_the_last_chunk_is_kept_with_its_text() -> None:
    document = document_of(
        sse(
            [
                chunk({"text": "Hel"}),
                chunk({"text": "lo"}),
                chunk({"text": "", "thoughtSignature": "cw=="}, finishReason="STOP"),
            ]
        )
    )
    assert addressed_contents(document) == [("final", None, "Hello")]
    assert document.messages[0].extras == {"gemini": {"blocks behind": [{"text": "", "thoughtSignature": "cw=="}]}}


def test_arguments_may_come_in_pieces() -> None:
    pieces: list[Any] = [
        {"functionCall": {"name": "f", "willContinue": True}},
        {
            "functionCall": {
                "partialArgs": [{"jsonPath": "$.city", "stringValue": "New ", "willContinue": True}],
                "willContinue": True,
            }
        },
        {"functionCall": {"partialArgs": [{"jsonPath": "$.city", "stringValue": "York"}], "willContinue": True}},
        {"functionCall": {"partialArgs": [{"jsonPath": "$.days[0]", "numberValue": 2}], "willContinue": True}},
        {"functionCall": {"partialArgs": [{"jsonPath": "$.days[1]", "numberValue": 3}], "willContinue": True}},
        {"functionCall": {}},
    ]
    chunks = [*map(chunk, pieces), chunk({"text": "Done."}, finishReason="STOP")]
    assert addressed_contents(document_of(sse(chunks))) == [
        ("commentary", "functions.f", '{"city":"New York","days":[2,3]}'),
        ("final", None, "Done."),
    ]


def arguments_of(*pieces: dict[str, Any]) -> tuple[Any, list[str]]:
    """The arguments of a call that comes in pieces, and what is found."""
    call = {"functionCall": {"name": "f", "partialArgs": [*pieces]}}
    played = events_of(decoder(STREAM), [sse([chunk(call, finishReason="STOP")])])
    assert isinstance(played.stop.document, Transcript)
    found = [event.detail for event in played.events if isinstance(event, Finding)]
    return json.loads(cast("str", played.stop.document.messages[0].content)), found


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        ("$.a", {"a": "x"}),
        ("$.a.b", {"a": {"b": "x"}}),
        ("$.a[1]", {"a": [None, "x"]}),
        ("$['a']", {"a": "x"}),
        ('$["a"]', {"a": "x"}),
        ("$['a b'].c", {"a b": {"c": "x"}}),
        ("$['']", {"": "x"}),
        ("$['a.b']['[0]']", {"a.b": {"[0]": "x"}}),
        (r"$['it\'s']", {"it's": "x"}),
        (r"$['a\\']['\\\'']", {"a\\": {"\\'": "x"}}),
        (r"""$['say \"hi"']""", {'say "hi"': "x"}),
        (r"""$["it's \"it\""]""", {'it\'s "it"': "x"}),
        (r"$['\u00e9\n']", {"é\n": "x"}),
    ],
)
def test_the_path_of_a_piece_of_arguments_names_one_place(path: str, arguments: Any) -> None:
    """RFC 9535: names behind a point, names in either quotes with the escapes of JSON, indices in brackets."""
    assert arguments_of({"jsonPath": path, "stringValue": "x"}) == (arguments, [])


@pytest.mark.parametrize(
    "path", ["", "a", "$a", "$.", "$.a.", "$[a]", "$['a]", "$['\\q']", "$[12345]", "$..a", "$.*[?]", "$.a b["]
)
def test_a_piece_of_arguments_whose_path_is_not_understood_is_named_and_left_out(path: str) -> None:
    kept = {"jsonPath": "$.a", "stringValue": "y"}
    arguments, found = arguments_of(kept, {"jsonPath": path, "stringValue": "x"})
    assert arguments == {"a": "y"}
    assert found == [f"the path {path!r} of a piece of arguments is not understood; the piece is left out"]


def test_other_members_of_a_signed_part_without_text_do_not_continue_the_text() -> None:
    parts = [{"text": "", "thoughtSignature": "cw=="}, {"text": "Hello"}]
    document = document_of(sse([*map(chunk, parts), chunk(finishReason="STOP")]))
    output: Any = write(document, "gemini").output
    assert output["candidates"][0]["content"]["parts"] == parts


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ({"finishReason": "STOP"}, "stop"),
        ({"finishReason": "MAX_TOKENS"}, "length"),
        ({"finishReason": "SAFETY"}, "content_filter"),
        ({"finishReason": "MALFORMED_FUNCTION_CALL"}, "truncated"),
        ({"finishReason": "SOMETHING_NEW"}, "stop"),
        ({}, "truncated"),
    ],
)
def test_the_finish_reason_of_the_api_is_the_reason_of_the_end(last: Any, reason: Reason) -> None:
    played = events_of(decoder(STREAM), [sse([chunk({"text": "Hi"}), chunk(**last)])])
    assert played.stop.reason == reason
    assert isinstance(played.stop.document, Transcript)
    assert (played.stop.document.messages[-1].end is None) is (reason in ("length", "truncated"))


def test_a_blocked_prompt_has_no_answer() -> None:
    played = events_of(decoder(STREAM), [sse([{"promptFeedback": {"blockReason": "SAFETY"}, "responseId": "r"}])])
    assert (played.stop.reason, addressed_contents(played.stop.document)) == ("content_filter", [])  # pyright: ignore[reportArgumentType]


def test_an_error_in_the_stream_ends_it() -> None:
    played = events_of(
        decoder(STREAM), [sse([chunk({"text": "Hi"}), {"error": {"code": 503, "message": "overloaded"}}])]
    )
    assert played.stop.reason == "error"
    assert [event.detail for event in played.events if isinstance(event, Finding)] == [
        "the server cut the stream off: overloaded"
    ]


def test_invalid_json_is_refused() -> None:
    made = decoder(STREAM)
    with pytest.raises(BridgeError) as raised:
        made.feed("data: {oops\n\n")
    assert raised.value.code is ErrorCode.JSON
    assert isinstance(made.finish()[-1], Stop)


def test_chunks_of_one_answer_are_no_documents() -> None:
    with pytest.raises(BridgeError, match="gemini-sse"):
        read([chunk({"text": "Hi"}), chunk({"text": "!"})], "gemini")


SAMPLE = sse(
    [chunk({"text": "Hm", "thought": True}), chunk({"text": "Hel"}), chunk({"text": "lo"}, finishReason="STOP")]
)


@examples(40)
@given(cuts(SAMPLE), cuts(SAMPLE))
def test_copies_go_on_by_themselves(first: Any, rest: Any) -> None:
    check_copies(lambda: decoder(STREAM), first, rest, rest)


def test_a_cancelled_stream_just_ends() -> None:
    assert check_cancel(lambda: decoder(STREAM), [SAMPLE[:80]]).reason == "cancelled"


# --- writing ----------------------------------------------------------------------------------------------------------


def written(document: Transcript, reason: Reason | None = None, stream: str = STREAM) -> tuple[list[bytes], Any]:
    made = encoder(stream, answer=Answer("r1", "gemini-x"), visibility=DEBUG)
    return [*made.encode(replay(document, reason)), *made.finish()], made


def values_of(chunks: list[bytes]) -> list[Any]:
    out: list[Any] = []
    for each in chunks:
        (event,) = Reader().feed(each)
        assert each.isascii()
        out.append(json.loads(event.data))
    return out


def test_an_answer_is_chunks_with_its_parts() -> None:
    document = turn(thought("Hm."), preamble("Let me see."), call("functions.f", '{"a": 1}'), call("functions.g", "{}"))
    chunks, _ = written(document)
    values = values_of(chunks)
    assert [value["candidates"][0].get("content", {}).get("parts") for value in values] == [
        [{"text": "Hm.", "thought": True}],
        [{"text": "Let me see."}],
        [{"functionCall": {"name": "f", "args": {"a": 1}}}],
        [{"functionCall": {"name": "g", "args": {}}}],
        None,
    ]
    assert values[-1]["candidates"][0]["finishReason"] == "STOP"
    assert {(value["modelVersion"], value["responseId"]) for value in values} == {("gemini-x", "r1")}


def test_text_is_passed_on_as_it_comes() -> None:
    made = encoder(STREAM, visibility=DEBUG)
    events = list(replay(Transcript((final("Hello"),))))
    made.encode(events[:1])
    for piece in ("Hel", "lo\u2028"):
        (one,) = made.encode([Delta(0, piece)])
        assert values_of([one])[0]["candidates"][0]["content"]["parts"] == [{"text": piece}]


@pytest.mark.parametrize("reason", ["truncated", "error"])
def test_an_answer_that_broke_off_never_looks_whole(reason: Reason) -> None:
    chunks, _ = written(Transcript((final("Hi"),)), reason)
    assert "finishReason" not in b"".join(chunks).decode()
    assert values_of(chunks)[-1]["error"]["status"] == "INTERNAL"


def test_a_whole_answer_is_one_response() -> None:
    (data,), _ = written(turn(thought("Hm."), final("Hi")), stream="gemini")
    assert json.loads(data)["candidates"][0]["content"]["parts"] == [{"text": "Hm.", "thought": True}, {"text": "Hi"}]


def check_written(document: Transcript) -> None:
    chunks, made = written(document)
    back = document_of(b"".join(chunks).decode())
    mine = Transcript(back.messages)
    others = [
        each
        for each in unnamed(document, mine, made.losses)
        if not each.path.startswith(("/extras", "/layout", "/settings"))
    ]
    assert others == []


@examples(80)
@given(ANSWERS)
def test_losses_of_any_answer_are_reported(document: Transcript) -> None:
    check_written(document)


@examples(80)
@given(st.lists(strategies.messages(), max_size=5))
def test_losses_of_any_document_are_reported(messages: Any) -> None:
    check_written(Transcript(tuple(messages)))


def test_googles_own_types_take_every_event() -> None:
    types = pytest.importorskip("google.genai.types")
    document = turn(thought("Hm."), final("Hi"), call("functions.f", "{}"))
    for value in values_of(written(document)[0]):
        types.GenerateContentResponse.model_validate(value)


def test_spoiled_streams_are_read_in_order() -> None:
    chance = Random(3)
    last = {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "cw=="}
    chunks = [chunk({"text": "Hm", "thought": True}), chunk({"text": "Hel"}), chunk({"text": "lo"}), chunk(last)]
    for _ in range(150):
        values: list[Any] = [value for value in spoiled(chunks, chance) if isinstance(value, dict)]
        played = events_of(decoder(STREAM), [sse(values)])
        check_order(played.events)
        check_messages(played, None)


# --- signed thoughts --------------------------------------------------------------------------------------------------

SIGNED: Any = {"text": "Hm.", "thought": True, "thoughtSignature": "cw=="}
UNSIGNED: Any = {"text": "So.", "thought": True}
SIGNATURE: Any = {"text": "", "thought": True, "thoughtSignature": "cw=="}
TEXT: Any = {"text": "Hi"}
CALLED: Any = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "Yw=="}


@pytest.mark.parametrize(
    "parts",
    [
        (SIGNED, TEXT),
        (SIGNED, CALLED),
        (UNSIGNED, SIGNED, TEXT),
        (SIGNED, UNSIGNED, TEXT),
        (SIGNED, SIGNED, TEXT),
        (UNSIGNED, SIGNATURE, TEXT),
        (TEXT, SIGNED, CALLED),
    ],
)
def test_a_signed_thought_is_passed_on_as_it_came(parts: tuple[Any, ...]) -> None:
    """Google asks that parts with signatures are joined with no others."""
    made = encoder(STREAM, answer=Answer("r", "m"), visibility=DEBUG)
    played = events_of(
        decoder(STREAM), [sse([*(chunk(part) for part in parts), {"candidates": [{"finishReason": "STOP"}]}])]
    )
    check_order(played.events)
    check_messages(played, None)
    chunks = [json.loads(line.removeprefix(b"data: ")) for line in made.encode(played.events)]
    assert [part for value in chunks for part in value["candidates"][0].get("content", {}).get("parts", ())] == [*parts]
    assert [loss for loss in made.losses if loss.severity is not Severity.LAYOUT and loss.code != "extras"] == []


def test_pieces_of_a_thought_that_is_not_signed_are_one() -> None:
    document = document_of(sse([chunk(UNSIGNED), chunk(UNSIGNED), chunk(SIGNED), chunk(UNSIGNED)]))
    assert [message.content for message in document.messages] == ["So.So.", "Hm.", "So."]


def test_the_signature_of_a_text_is_not_lost_but_in_a_part_after_it() -> None:
    """A text is passed on as it comes, before it is known that it is signed."""
    signed = [{"text": text, "thoughtSignature": signature} for text, signature in (("One.", "MQ=="), ("Two.", "Mg=="))]
    hidden = {"text": "Hm.", "thought": True}
    for parts, where in ((signed[:1], "after the text"), ([signed[0], hidden, signed[1]], "after later parts")):
        reader, writer = decoder(STREAM), encoder(STREAM, visibility=DEBUG)
        read_events = [*reader.feed(sse([chunk(*parts, finishReason="STOP")])), *reader.finish()]
        chunks_sent = [json.loads(event.data) for event in Reader().feed(b"".join(writer.encode(read_events)).decode())]
        texts = [part for each in chunks_sent for part in each["candidates"][0].get("content", {"parts": []})["parts"]]
        assert {part["thoughtSignature"] for part in texts if "thoughtSignature" in part} >= {"MQ=="}
        notes = [loss for loss in writer.losses if loss.path == "/messages/0/extras/gemini/thoughtSignature"]
        assert [(loss.code, loss.severity, loss.detail.rpartition(", ")[2]) for loss in notes] == [
            ("extras", Severity.CHANGED, where)
        ]


# --- what is not there ------------------------------------------------------------------------------------------------


def of_candidate(**candidate: Any) -> dict[str, Any]:
    return {"candidates": [{**candidate, "index": 0}]}


@pytest.mark.parametrize("content", [{}, {"role": "model"}, {"parts": []}, {"parts": [], "role": "model"}])
def test_a_content_has_the_members_that_came(content: Any) -> None:
    """vercel/ai, packages/google/src/__fixtures__: answers that are blocked, or too long before they begin."""
    chunk = of_candidate(content=content, finishReason="MAX_TOKENS")
    stop = events_of(decoder(STREAM), [sse([chunk])], None).stop
    assert json.dumps(write(stop.document, "gemini").output) == json.dumps(chunk)


def test_an_answer_that_is_blocked_has_no_candidates() -> None:
    chunk = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 9}}
    stop = events_of(decoder(STREAM), [sse([chunk])], None).stop
    assert stop.reason == "content_filter"
    assert write(stop.document, "gemini").output == chunk


A_CALL: Any = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"}
SIGNED_END: Any = {"text": "", "thoughtSignature": "c2ln"}


@pytest.mark.parametrize(
    ("came", "parts"),
    [
        ([A_CALL, {"text": ""}], [A_CALL]),
        ([{"text": ""}, {"text": "a"}, {"text": ""}, {"text": "b"}], [{"text": "ab"}]),
        ([{"text": ""}, A_CALL], [{"text": ""}, A_CALL]),
        ([{"text": ""}], [{"text": ""}]),
        ([{"text": "a"}, SIGNED_END], [{"text": "a"}, SIGNED_END]),
        ([SIGNED_END, {"text": "a"}], [SIGNED_END, {"text": "a"}]),
    ],
)
def test_an_empty_text_behind_another_part_adds_nothing(came: list[Any], parts: list[Any]) -> None:
    """braintrustdata/lingua, payloads/snapshots/toolChoiceRequiredWithReasoningParam/google/response-streaming.json."""
    chunks = [of_candidate(content={"parts": [part], "role": "model"}) for part in came]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    whole = events_of(decoder(STREAM), [sse(chunks)], None)
    check_messages(whole, None)
    response = of_candidate(content={"parts": parts, "role": "model"}, finishReason="STOP")
    assert whole.stop.document == read(response, "gemini").transcript
