"""The id, the model and the time of an answer: what its stream has of them, every client gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ocml_bridge import decoder, encoder
from ocml_bridge.events import Answer, Event, Named
from ocml_bridge.loss import Loss


def sse(*events: Any) -> str:
    return "".join(f"event: {event.get('type', 'message')}\ndata: {json.dumps(event)}\n\n" for event in events)


def chunk(delta: Any, finish: str | None = None, **around: Any) -> Any:
    named = {"id": "id-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m-1", **around}
    return {**named, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


RESPONSE: Any = {"id": "id-1", "object": "response", "created_at": 1700000000, "model": "m-1"}
ITEM: Any = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
ANSWER: Any = {**ITEM, "content": [dict[str, Any](type="output_text", text="Hi", annotations=[])]}
MESSAGE: Any = {"id": "id-1", "type": "message", "role": "assistant", "model": "m-1", "content": []}

SOURCES: dict[str, str] = {
    "openai-sse": sse(chunk({"role": "assistant", "content": "Hi"}), chunk({}, "stop")),
    "openai-responses-sse": sse(
        {"type": "response.created", "response": {**RESPONSE, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": ANSWER},
        {"type": "response.completed", "response": {**RESPONSE, "status": "completed", "output": [ANSWER]}},
    ),
    "anthropic-sse": sse(
        {"type": "message_start", "message": MESSAGE},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hi"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ),
    "gemini-sse": sse(
        {
            "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP"}],
            "modelVersion": "m-1",
            "responseId": "id-1",
        }
    ),
}
"""Stream → an answer `Hi` with its names, as that stream sends it."""
TIMED = frozenset({"openai-sse", "openai-responses-sse"})
"""The streams with the time of the answer."""

Names = tuple[str | None, str | None, int | None]


def of_chat(written: str) -> Names:
    first = first_of(written)
    return first["id"], first["model"], first["created"]


def of_responses(written: str) -> Names:
    first = first_of(written)["response"]
    return first["id"], first["model"], first["created_at"]


def of_messages(written: str) -> Names:
    first = first_of(written)["message"]
    return first["id"], first["model"], None


def of_gemini(written: str) -> Names:
    first = first_of(written)
    return first["responseId"], first.get("modelVersion"), None


def first_of(written: str) -> Any:
    return json.loads(next(line for line in written.splitlines() if line.startswith("data: "))[6:])


CLIENTS: dict[str, Callable[[str], Names]] = {
    "openai-sse": of_chat,
    "openai-responses-sse": of_responses,
    "anthropic-sse": of_messages,
    "gemini-sse": of_gemini,
}
"""Stream → the id, the model and the time in its first event."""


def passed(source: str, stream: str, target: str, answer: Answer | None = None) -> tuple[str, list[Loss]]:
    """What a client of the target gets, event by event, and the losses."""
    source_of, made = decoder(stream), encoder(target, answer=answer)
    pieces = [piece for line in source.splitlines(keepends=True) for piece in made.encode(source_of.feed(line))]
    pieces += [*made.encode(source_of.finish()), *made.finish()]
    return b"".join(pieces).decode(), made.losses


def lost(losses: list[Loss]) -> set[str]:
    """Which of the id, the model and the time of the source a client does not know, according to the losses."""
    names = {"responseId": "id", "created_at": "created"}
    last = {loss.path.rpartition("/")[2] for loss in losses if not loss.path.startswith("/messages")}
    return {names.get(name, name) for name in last} & {"id", "model", "created"}


PAIRS = [(source, target) for source in SOURCES for target in CLIENTS]
MADE_UP = Answer("made-up", created=5, provisional=frozenset({"id", "created"}))


@pytest.mark.parametrize(("source", "target"), PAIRS)
@pytest.mark.parametrize("answer", [None, MADE_UP], ids=["nobody", "made up"])
def test_the_id_the_model_and_the_time_are_passed_on(source: str, target: str, answer: Answer | None) -> None:
    written, losses = passed(SOURCES[source], source, target, answer)
    created = 1700000000 if source in TIMED else 0 if answer is None else answer.created
    assert CLIENTS[target](written) == ("id-1", "m-1", created if target in TIMED else None)
    assert lost(losses) == (set() if target in TIMED or source not in TIMED else {"created"})


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_names_that_the_caller_gives_override_those_of_the_stream(source: str, target: str) -> None:
    written, losses = passed(SOURCES[source], source, target, Answer("mine", "my-model", 7))
    assert CLIENTS[target](written) == ("mine", "my-model", 7 if target in TIMED else None)
    assert lost(losses) == {"id", "model", *({"created"} if source in TIMED else set())}


@pytest.mark.parametrize("target", CLIENTS)
def test_made_up_names_stay_if_the_stream_has_none(target: str) -> None:
    source = (
        '{"messageStart":{"role":"assistant"}}\n{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Hi"}}}\n'
    )
    source += '{"contentBlockStop":{"contentBlockIndex":0}}\n{"messageStop":{"stopReason":"end_turn"}}\n'
    name, model, created = CLIENTS[target](passed(source, "bedrock-converse", target, MADE_UP)[0])
    assert (name, model or "", created) == ("made-up", "", 5 if target in TIMED else None)


def test_a_first_chunk_without_names_leaves_them_to_the_next() -> None:
    """Azure OpenAI sends the result of its filter for the prompt in a chunk of its own, with empty names."""
    empty: Any = {**chunk({}, id="", model="", created=0, object=""), "choices": [], "prompt_filter_results": []}
    source = sse(empty) + SOURCES["openai-sse"]
    written, losses = passed(source, "openai-sse", "openai-sse")
    assert of_chat(written) == ("id-1", "m-1", 1700000000)
    assert lost(losses) == set()


def test_an_event_has_the_known_names_and_another_follows_when_more_are_known() -> None:
    made = decoder("openai-sse")
    events: list[Event] = []
    for named in ({"id": "id-1", "model": ""}, {"id": "id-2", "model": "m-1"}, {"id": "id-2", "model": "m-2"}):
        events += made.feed(sse(chunk({"role": "assistant"}, created=None, **named)))
    assert [event for event in events if isinstance(event, Named)] == [Named("id-1"), Named("id-1", "m-1")]
