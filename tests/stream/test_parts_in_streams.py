"""Answers of several parts: each keeps its place and its sources; what a stream joins into one text keeps them, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import orjson
import pytest

from ocml_bridge import Transcript
from ocml_bridge.chat.citations import joined
from ocml_bridge.chat.visibility import APPLICATION, DEBUG
from ocml_bridge.events import PartEnd, Stop
from ocml_bridge.loss import Loss, LossCode, Severity
from ocml_bridge.model import Citation, Media, Message, Part, Text
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.stream import replay

PNG: Final = "iVBORw0KGgo="
FOUND: Final = {
    "type": "web_search_result_location",
    "url": "https://e.org",
    "title": "E",
    "encrypted_index": "Eo8B",
    "cited_text": "It rains.",
}


def events(*values: dict[str, Any]) -> bytes:
    """Server-Sent Events."""
    return b"".join(b"data: " + orjson.dumps(value) + b"\n\n" for value in values)


def block(index: int, begins: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """A block of a stream of Anthropic's."""
    return [
        {"type": "content_block_start", "index": index, "content_block": begins},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def words(text: str) -> dict[str, Any]:
    return {"type": "text_delta", "text": text}


CITED: Final = events(
    {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": []}},
    *block(0, {"type": "text", "text": ""}, words("They say: ")),
    *block(
        1, {"type": "text", "text": "", "citations": []}, {"type": "citations_delta", "citation": FOUND}, words("rain")
    ),
    *block(2, {"type": "text", "text": ""}, words(".")),
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 3},
    },
    {"type": "message_stop"},
)
"""Three texts, of which the second names a source."""


def drawn(*parts: dict[str, Any]) -> bytes:
    """A stream of Gemini's, a part an event."""
    contents = [{"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]} for part in parts]
    return events(*contents, {"candidates": [{"content": {"parts": []}, "finishReason": "STOP", "index": 0}]})


def converted(data: bytes, source: str, target: str) -> tuple[Sequence[Part], list[Loss]]:
    """The parts of the only message that a client of the other stream has, and what was lost."""
    reader, writer = decoder(source), encoder(target, visibility=APPLICATION)
    chunks = writer.encode([*reader.feed(data), *reader.finish()]) + writer.finish()
    again = decoder(target)
    [stop] = [event for event in [*again.feed(b"".join(chunks)), *again.finish()] if isinstance(event, Stop)]
    assert isinstance(stop.document, Transcript)
    [message] = stop.document.messages
    assert not isinstance(message.content, str)
    return message.content, writer.losses


def test_sources_of_joined_texts_keep_the_range_of_their_own_characters() -> None:
    [text], losses = converted(CITED, "anthropic-sse", "openai-sse")
    assert isinstance(text, Text)
    assert text.text == "They say: rain."
    assert [(each.url, each.start, each.end) for each in text.citations or ()] == [("https://e.org", 10, 14)]
    [loss] = [loss for loss in losses if loss.code == "content"]
    assert loss.path == "/messages/0/content"
    assert "a text, a text with sources, a text" in loss.detail


@pytest.mark.parametrize("target", ["anthropic-sse", "bedrock-converse", "openai-responses-sse"])
def test_each_text_keeps_its_sources_where_a_stream_shows_its_texts(target: str) -> None:
    texts, losses = converted(CITED, "anthropic-sse", target)
    assert all(isinstance(text, Text) for text in texts)
    assert [text.text for text in texts if isinstance(text, Text)] == ["They say: ", "rain", "."]
    assert [[each.url for each in text.citations or ()] for text in texts if isinstance(text, Text)] == [
        *([], ["https://e.org"], [])
    ]
    assert "/messages/0/content" not in [loss.path for loss in losses]


@pytest.mark.parametrize("target", ["anthropic-sse", "bedrock-converse"])
def test_they_are_of_all_of_it_where_a_source_has_no_place_in_its_text(target: str) -> None:
    """The stream does not show where its texts end."""
    reader, writer, again = decoder("anthropic-sse"), encoder(target), decoder(target)
    events = [event for event in (*reader.feed(CITED), *reader.finish()) if not isinstance(event, PartEnd)]
    chunks = writer.encode(events) + writer.finish()
    stop = [*again.feed(b"".join(chunks)), *again.finish()][-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    [text] = stop.document.messages[0].content
    assert isinstance(text, Text)
    assert text.text == "They say: rain."
    assert [(each.url, each.start, each.end) for each in text.citations or ()] == [("https://e.org", None, None)]
    assert "/messages/0/content" in [loss.path for loss in writer.losses]


@pytest.mark.parametrize("target", ["anthropic-sse", "gemini-sse", "bedrock-converse"])
def test_an_image_between_texts_stays_between_them(target: str) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    data = events(
        {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": []}},
        *block(0, {"type": "text", "text": ""}, words("Look: ")),
        *block(1, image),
        *block(2, {"type": "text", "text": ""}, words("nice.")),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    )
    parts, losses = converted(data, "anthropic-sse", target)
    assert parts == (Text("Look: "), Media("image", data=PNG, format="image/png"), Text("nice."))
    assert [loss for loss in losses if "/messages/0/content" in loss.path] == []


def test_a_stream_of_chat_completions_has_the_images_of_an_answer() -> None:
    """As OpenRouter sends them."""
    image = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    parts, losses = converted(drawn({"text": "Here."}, image), "gemini-sse", "openai-sse")
    assert parts == (Text("Here."), Media("image", data=PNG, format="image/png"))
    assert [loss for loss in losses if loss.severity is not Severity.LAYOUT and "/messages" in loss.path] == []
    again, _ = converted(drawn(image), "gemini-sse", "openai-sse")
    assert again == (Media("image", data=PNG, format="image/png"),)


def test_images_that_are_streamed_are_read_as_those_of_a_whole_answer() -> None:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    data = events(chunk({"role": "assistant", "content": "Here."}), chunk({"images": [image]}), chunk({}, "stop"))
    parts, losses = converted(data + b"data: [DONE]\n\n", "openai-sse", "openai-sse")
    assert parts == (Text("Here."), Media("image", data=PNG, format="image/png"))
    assert [loss for loss in losses if loss.path.startswith("/messages")] == []


def test_a_source_has_its_range_of_characters_where_texts_are_joined() -> None:
    first = Text("One", citations=(Citation("a"), Citation("b", start=1, end=2)))
    assert joined([first]) == first.citations
    assert joined([Text("0"), first, Text(".")]) == (Citation("a", start=1, end=4), Citation("b", start=2, end=3))
    assert joined([Text("0"), Text("1")]) is None


def test_an_image_is_written_once_whatever_separates_images() -> None:
    """A signature alone that more follows is a part of the message."""
    image = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    signed = {"text": "", "thoughtSignature": "c2lnbmVk"}
    data = drawn(image, signed, image, {"text": "Both."})
    parts, losses = converted(data, "gemini-sse", "gemini-sse")
    assert [part for part in parts if isinstance(part, Media)] == [Media("image", data=PNG, format="image/png")] * 2
    assert (LossCode.FOREIGN_PART, "/messages/0/content/1") in [(loss.code, loss.path) for loss in losses]


def test_an_image_that_has_no_place_is_named_as_such() -> None:
    reader, writer = decoder("gemini-sse"), encoder("openai-responses-sse", visibility=APPLICATION)
    image = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    writer.encode([*reader.feed(drawn(image, {"text": "Here."})), *reader.finish()])
    lost = [(loss.code, loss.path) for loss in writer.losses if loss.path.startswith("/messages/0/content")]
    assert lost == [(LossCode.MEDIA, "/messages/0/content/0")]


HIDDEN: Final = Media("image", url="https://e.org/hidden.png")
MIXED: Final = (Text("Hm."), HIDDEN, Text("So."), HIDDEN)


@pytest.mark.parametrize(
    "target", ["anthropic-sse", "gemini-sse", "bedrock-converse", "openai-sse", "openai-responses-sse"]
)
@pytest.mark.parametrize(
    "inner",
    [
        Message("assistant", MIXED, channel="analysis"),
        Message("tool", MIXED, "python", "commentary", "assistant", call_id="a"),
        Message("tool", MIXED, "functions.f", "commentary", "assistant", call_id="a"),
    ],
    ids=["a thought", "what the server's tool gave", "what the client's tool gave"],
)
@pytest.mark.parametrize("shown", [False, True], ids=["by its events", "with ends of parts"])
def test_a_part_of_a_thought_or_a_reply_never_becomes_one_of_the_answer(
    inner: Message, target: str, *, shown: bool
) -> None:
    document = Transcript((inner, Message("assistant", "Done.", channel="final", continues=True)))
    events = list(replay(document))
    assert not any(isinstance(event, PartEnd) for event in events)
    ends = [PartEnd(0, part) for part in MIXED] if shown else []  # a decoder of others may emit them
    writer = encoder(target, visibility=DEBUG)
    data = b"".join([*writer.encode([events[0], *ends, *events[1:]]), *writer.finish()])
    assert b"hidden.png" not in data
    assert any(loss.path.startswith("/messages/0") and loss.severity is not Severity.LAYOUT for loss in writer.losses)
