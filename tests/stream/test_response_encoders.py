"""What the encoders of answers in JSON share: their ends, failures, and the numbers of tokens that a caller gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import Message, Transcript
from ocml_bridge.events import Answer, Delta, End, Event, Start, Stop
from ocml_bridge.model import Foreign, Settings, Usage, replace
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.testing.streams import events_of

STREAMS = ("openai-sse", "openai-responses-sse", "anthropic-sse", "gemini-sse", "bedrock-converse")
WHOLE = ("openai", "openai-responses", "anthropic", "gemini")
HEAD, ANSWER = Message("assistant", "", channel="final"), Message("assistant", "Hi", channel="final", end="end")
SPOKEN: tuple[Event, ...] = (Start(0, HEAD), Delta(0, "Hi"), End(0, ANSWER))
STOP = Stop("stop", Transcript((ANSWER,)))
GIVEN = {
    "prompt_tokens": 5,
    "completion_tokens": 3,
    "total_tokens": 8,
    "prompt_tokens_details": {"cached_tokens": 2},
    "completion_tokens_details": {"reasoning_tokens": 1},
}
USAGE_OF: dict[str, dict[str, Any]] = {
    "openai": GIVEN,
    "openai-responses": {
        "input_tokens": 5,
        "input_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 0},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 1},
        "total_tokens": 8,
    },
    "anthropic": {
        "input_tokens": 3,
        "cache_read_input_tokens": 2,
        "output_tokens": 3,
        "output_tokens_details": {"thinking_tokens": 1},
    },
    "gemini": {
        "promptTokenCount": 5,
        "cachedContentTokenCount": 2,
        "candidatesTokenCount": 2,
        "thoughtsTokenCount": 1,
        "totalTokenCount": 8,
    },
}
"""The same numbers as each API counts them: Anthropic's input is what no cache had, Gemini's output has no thoughts."""


@pytest.mark.parametrize("stream", WHOLE)
def test_numbers_that_a_caller_gives_are_sent_as_the_api_counts_them(stream: str) -> None:
    made = encoder(stream, answer=Answer("a", "m"))
    assert made.encode([*SPOKEN, STOP]) == []
    response = json.loads(b"".join(made.finish(dict(GIVEN))))
    assert response.get("usage", response.get("usageMetadata")) == USAGE_OF[stream]


@pytest.mark.parametrize("stream", WHOLE)
@pytest.mark.parametrize(("given", "model"), [("mine", "mine"), ("", "theirs")])
def test_the_model_is_the_one_of_the_caller_else_that_of_the_document(stream: str, given: str, model: str) -> None:
    made = encoder(stream, answer=Answer("a", given))
    made.encode([*SPOKEN, Stop("stop", Transcript((ANSWER,), settings=Settings(model="theirs")))])
    response = json.loads(b"".join(made.finish()))
    assert response.get("model", response.get("modelVersion")) == model
    assert ("/settings/model" in {loss.path for loss in made.losses}) is (model != "theirs")


FAILED: dict[str, dict[str, Any]] = {
    "openai-sse": {"error": {"message": "broken", "type": "server_error", "param": None, "code": "OCB-SHAPE"}},
    "openai-responses-sse": {"status": "failed", "error": {"code": "OCB-SHAPE", "message": "broken"}},
    "anthropic-sse": {"type": "error", "error": {"type": "api_error", "message": "broken (OCB-SHAPE)"}},
    "gemini-sse": {"error": {"code": 500, "message": "broken (OCB-SHAPE)", "status": "INTERNAL"}},
    "bedrock-converse": {"modelStreamErrorException": {"message": "broken (OCB-SHAPE)"}},
}
"""What the API's own clients take for an error, and show to whoever asked."""


@pytest.mark.parametrize("stream", STREAMS)
def test_an_error_has_the_shape_that_clients_of_the_api_know(stream: str) -> None:
    made = encoder(stream, answer=Answer("a", "m"))
    made.encode(SPOKEN[:2])
    last = made.fail("OCB-SHAPE", "broken")[-1].decode().rpartition("data: ")[2]
    value = json.loads(last)
    assert FAILED[stream].items() <= value.get("response", value).items()


@pytest.mark.parametrize("stream", STREAMS)
def test_nothing_comes_behind_an_error(stream: str) -> None:
    made = encoder(stream, answer=Answer("a", "m"))
    made.encode(SPOKEN[:2])
    assert b"broken" in b"".join(made.fail("OCB-SHAPE", "broken"))
    assert made.encode([SPOKEN[2], STOP]) == made.finish() == made.fail("OCB-SHAPE", "again") == []


@pytest.mark.parametrize("stream", [*STREAMS, *WHOLE, "ocm-2.2-events"])
def test_nothing_comes_behind_the_end(stream: str) -> None:
    made = encoder(stream, answer=Answer("a", "m"))
    made.encode([*SPOKEN, STOP])
    made.finish()
    assert made.encode([Start(1, HEAD), Delta(1, "More"), End(1, ANSWER)]) == []


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_without_an_end_ends_in_an_error(stream: str) -> None:
    made = encoder(stream, answer=Answer("a", "m"))
    made.encode(SPOKEN)
    assert b"the answer is cut off" in b"".join(made.finish())


@pytest.mark.parametrize("stream", WHOLE)
def test_no_response_is_sent_for_an_incomplete_answer(stream: str) -> None:
    made = encoder(stream, answer=Answer("a", "m"))
    made.encode([*SPOKEN, STOP._replace(reason="truncated")])
    assert made.finish() == made.fail("OCB-SHAPE", "broken") == []
    assert ("message", "lost", "/messages/0") in {(loss.code, loss.severity, loss.path) for loss in made.losses}


@pytest.mark.parametrize("stream", ["anthropic-sse", "gemini-sse", "bedrock-converse", "openai-sse"])
def test_texts_that_are_read_as_one_are_not_lost(stream: str) -> None:
    """As by the batch writer of Converse: only the place of a text changes."""
    second = Message("assistant", "You", channel="final", end="end", continues=True)
    rest = (Start(1, HEAD), Delta(1, "You"), End(1, second), Stop("stop", Transcript((ANSWER, second))))
    made = encoder(stream, answer=Answer("a", "m"))
    output = b"".join([*made.encode([*SPOKEN, *rest]), *made.finish()])
    assert b'"Hi"' in output
    assert b"You" in output
    (joined,) = [loss for loss in made.losses if loss.code == "message"]
    assert (joined.severity, joined.path) == ("changed", "/messages/1")
    assert f"{stream} joins this message to message 0" in joined.detail


@pytest.mark.parametrize("stream", ["openai-responses-sse", "anthropic-sse", "gemini-sse", "bedrock-converse"])
def test_contents_left_out_of_an_answer_are_reported_with_the_reason(stream: str) -> None:
    user, thought = Message("user", "Hi?"), Message("assistant", "Hm.", channel="analysis")
    made = encoder(stream, answer=Answer("a", "m"))
    made.encode([*SPOKEN, Stop("stop", Transcript((ANSWER, user, thought)))])
    assert [loss.detail for loss in made.losses if loss.code == "message"] == [
        f"{stream} has no place for messages of other roles: it is one answer of the assistant",
        f"{stream} leaves this message out: it is hidden from end users",
    ]


@pytest.mark.parametrize("stream", STREAMS)
def test_an_empty_reply_that_is_left_out_is_lost(stream: str) -> None:
    """It still answers its call."""
    reply = Message("tool", "", "functions.f", "commentary", "assistant", "c1")
    made = encoder(stream, answer=Answer("a", "m"))
    made.encode([*SPOKEN, Stop("stop", Transcript((ANSWER, reply)))])
    assert [(loss.severity, loss.path) for loss in made.losses if loss.code == "message"] == [("lost", "/messages/1")]


def test_a_part_that_is_all_of_an_answer_is_lost_and_does_not_become_a_text() -> None:
    part = Foreign("gemini", {"executableCode": {"id": "1"}})
    made = encoder("openai-sse", answer=Answer("a", "m"))
    whole = replace(ANSWER, content=(part,))
    made.encode([Start(0, HEAD), End(0, whole), Stop("stop", Transcript((whole,)))])
    assert [(loss.code, loss.severity, loss.path) for loss in made.losses if loss.severity != "layout"] == [
        ("foreign-part", "lost", "/messages/0/content/0")
    ]


@pytest.mark.parametrize("stream", STREAMS)
def test_a_total_is_added_to_the_numbers_of_tokens_of_a_document(stream: str) -> None:
    """Amazon Nova's streams have none (openinference-instrumentation-bedrock): no number was passed on."""
    client = encoder(stream, answer=Answer("a", "m", 1))
    counted = STOP._replace(document=Transcript((ANSWER,), settings=Settings(usage=Usage(12, 13))))
    written = b"".join([*client.encode([*SPOKEN, counted]), *client.finish()])
    document = events_of(decoder(stream), [written]).stop.document
    assert isinstance(document, Transcript)
    assert document.settings is not None
    assert document.settings.usage is not None
    usage = document.settings.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (12, 13, 25)
    assert [loss for loss in client.losses if loss.severity != "layout" and "usage" in loss.path] == []
