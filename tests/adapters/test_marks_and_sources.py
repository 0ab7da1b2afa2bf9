"""Marks of a cache and sources of a text have fields of their own, so they go from one wire to another."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import Transcript, convert, read, write
from ocml_bridge.loss import LossCode
from ocml_bridge.model import CacheMark, Citation, Message, Text
from ocml_bridge.report.policy import LENIENT

HOUR = {"type": "ephemeral", "ttl": "1h"}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}
MARKED: dict[str, Any] = {
    "anthropic": {
        "model": "claude-x",
        "max_tokens": 9,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": HOUR}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "A book.", "cache_control": HOUR},
                    {"type": "image", "source": {"type": "url", "url": "https://a/b.png"}, "cache_control": HOUR},
                    {"type": "text", "text": "What is it?"},
                ],
            },
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}, "cache_control": HOUR}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": "2", "cache_control": HOUR}],
            },
        ],
        "tools": [{"name": "f", "description": "Does.", "input_schema": SCHEMA, "cache_control": HOUR}],
    },
    "openai": {
        "model": "claude-x",
        "max_completion_tokens": 9,
        "messages": [
            {"role": "system", "content": [{"type": "text", "text": "Be brief.", "cache_control": HOUR}]},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "A book.", "cache_control": HOUR},
                    {"type": "image_url", "image_url": {"url": "https://a/b.png"}, "cache_control": HOUR},
                    {"type": "text", "text": "What is it?"},
                ],
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "t",
                        "type": "function",
                        "function": {"name": "f", "arguments": '{"a":1}'},
                        "cache_control": HOUR,
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "t", "content": "2", "cache_control": HOUR},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "f", "description": "Does.", "parameters": SCHEMA},
                "cache_control": HOUR,
            }
        ],
    },
}
"""One request with a mark at each place, as the API of Anthropic has it and as servers of its models take it."""


def spelled(value: Any) -> str:
    """A value with the order of its keys."""
    return json.dumps(value)


def messages_of(document: Any, source: str) -> tuple[Message, ...]:
    transcript = read(document, source).transcript
    assert isinstance(transcript, Transcript)
    return transcript.messages


# --- marks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "target"), [("anthropic", "openai"), ("openai", "anthropic")])
def test_each_mark_goes_to_the_other_wire_and_back(source: str, target: str) -> None:
    there = convert(MARKED[source], source=source, target=target)
    assert there.output == MARKED[target]
    assert [loss for loss in there.losses if loss.code is LossCode.CACHE] == []
    assert convert(there.output, source=target, target=source).output == MARKED[source]


@pytest.mark.parametrize(
    ("source", "kind", "key"), [("openai", "text", "messages"), ("openai-responses", "input_text", "input")]
)
def test_a_breakpoint_is_a_mark(source: str, kind: str, key: str) -> None:
    marked = {"type": kind, "text": "A book.", "prompt_cache_breakpoint": {"mode": "explicit"}}
    given = {key: [{"role": "user", "content": [marked, {"type": kind, "text": "What is it?"}]}]}
    (message,) = messages_of(given, source)
    assert message.content == (Text("A book.", cache=CacheMark()), Text("What is it?"))
    assert spelled(convert(given, source=source, target=source).output) == spelled(given)


def test_a_mark_is_a_block_behind_in_converse() -> None:
    there = convert(MARKED["anthropic"], source="anthropic", target="bedrock-converse", policy=LENIENT)
    point = {"cachePoint": {"type": "default", "ttl": "1h"}}
    asked, called, replied = there.output["messages"]
    assert there.output["system"] == [{"text": "Be brief."}, point]
    assert [list(block) for block in asked["content"]] == [["text"], ["cachePoint"], ["text"]]
    assert called["content"][1] == replied["content"][1] == point
    assert there.output["toolConfig"]["tools"][1] == point
    assert [loss.path for loss in there.losses if loss.code is LossCode.MEDIA] == ["/messages/1/content/1"]
    again = convert(there.output, source="bedrock-converse", target="anthropic").output
    assert again["tools"] == MARKED["anthropic"]["tools"]
    assert again["messages"][1:] == MARKED["anthropic"]["messages"][1:]


def test_a_part_of_responses_has_a_mark_without_a_duration() -> None:
    there = convert(MARKED["anthropic"], source="anthropic", target="openai-responses")
    asked = there.output["input"][1]["content"]
    assert [part.get("prompt_cache_breakpoint") for part in asked] == [{"mode": "explicit"}] * 2 + [None]
    lost = {loss.path for loss in there.losses if loss.code is LossCode.CACHE}
    assert {"/messages/1/content/0/cache/ttl", "/messages/2/cache", "/messages/3/cache", "/tools/0/cache"} <= lost


def test_servers_have_marks_in_other_places_of_chat_completions() -> None:
    document = {
        "messages": [
            {"role": "user", "content": "A book.", "cache_control": {"type": "ephemeral"}},
            {
                "role": "user",
                "content": [{"type": "text", "text": "x", "prompt_cache_breakpoint": {"mode": "explicit"}}],
            },
        ],
        "tools": [{"type": "function", "function": {"name": "f", "cache_control": {"type": "ephemeral"}}}],
    }
    messages = messages_of(document, "openai")
    assert [message.content for message in messages] == [(Text(text, cache=CacheMark()),) for text in ("A book.", "x")]
    assert spelled(convert(document, source="openai", target="openai").output) == spelled(document)
    there = convert(document, source="openai", target="anthropic").output
    assert [each["content"][0]["cache_control"] for each in there["messages"]] == [{"type": "ephemeral"}] * 2
    assert there["tools"][0]["cache_control"] == {"type": "ephemeral"}


@pytest.mark.parametrize("mark", [{"type": "other"}, {"type": "ephemeral", "x": 1}, {"ttl": "1h", "type": "ephemeral"}])
def test_an_invalid_mark_is_kept_unchanged(mark: Any) -> None:
    document = [{"role": "user", "content": [{"type": "text", "text": "x", "cache_control": mark}]}]
    for wire in ("openai", "anthropic"):
        assert spelled(convert(document, source=wire, target=wire).output) == spelled(document)
        [message] = messages_of(document, wire)
        assert message.content == (Text("x", {wire: {"cache_control": mark}}),)


# --- sources ----------------------------------------------------------------------------------------------------------

PAGE = {"start_index": 3, "end_index": 8, "title": "Weather", "url": "https://a/w"}
CITED: dict[str, Any] = {
    "openai": {
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "It rains.",
                    "annotations": [{"type": "url_citation", "url_citation": PAGE}],
                },
                "finish_reason": "stop",
            }
        ],
    },
    "openai-responses": {
        "object": "response",
        "output": [
            {
                "id": "msg_1",
                "type": "message",
                "status": "completed",
                "role": "assistant",
                "content": [
                    {"type": "output_text", "text": "It rains.", "annotations": [{"type": "url_citation", **PAGE}]}
                ],
            }
        ],
    },
    "anthropic": {
        "type": "message",
        "role": "assistant",
        "content": [
            {
                "type": "text",
                "text": "It rains.",
                "citations": [
                    {
                        "type": "web_search_result_location",
                        "cited_text": "Rain.",
                        "url": "https://a/w",
                        "title": "Weather",
                        "encrypted_index": "Eo8=",
                    }
                ],
            }
        ],
        "stop_reason": "end_turn",
    },
    "bedrock-converse": {
        "output": {
            "message": {
                "role": "assistant",
                "content": [
                    {
                        "citationsContent": {
                            "content": [{"text": "It rains."}],
                            "citations": [
                                {
                                    "title": "Weather",
                                    "sourceContent": [{"text": "Rain."}],
                                    "location": {"web": {"url": "https://a/w", "domain": "a"}},
                                }
                            ],
                        }
                    }
                ],
            }
        },
        "stopReason": "end_turn",
    },
    "gemini": {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": "It rains."}]},
                "finishReason": "STOP",
                "groundingMetadata": {
                    "groundingChunks": [{"web": {"uri": "https://a/w", "title": "Weather"}}],
                    "groundingSupports": [
                        {"segment": {"startIndex": 3, "endIndex": 8, "text": "rains"}, "groundingChunkIndices": [0]}
                    ],
                },
            }
        ]
    },
}
"""The same answer with its source, on each wire."""
WIRES = list(CITED)
RANGED = ("openai", "openai-responses", "gemini")
"""Those with ranges of characters for a source; in the others it is all of a text."""


@pytest.mark.parametrize("wire", WIRES)
def test_the_source_of_a_text_is_read_from_each_wire(wire: str) -> None:
    [message] = messages_of(CITED[wire], wire)
    [part] = message.content
    assert isinstance(part, Text)
    assert part.citations is not None
    [source] = part.citations
    assert (part.text, source.url, source.title) == ("It rains.", "https://a/w", "Weather")
    assert (source.start, source.end) == ((3, 8) if wire in RANGED else (None, None))
    assert source.cited_text == (None if wire in RANGED else "Rain.")
    assert spelled(convert(CITED[wire], source=wire, target=wire).output) == spelled(CITED[wire])


@pytest.mark.parametrize("source", WIRES)
@pytest.mark.parametrize("target", ["openai", "openai-responses", "bedrock-converse"])
def test_a_page_goes_to_every_wire_with_a_place_for_it(source: str, target: str) -> None:
    there = convert(CITED[source], source=source, target=target, policy=LENIENT)
    [message] = messages_of(there.output, target)
    [part] = message.content
    assert isinstance(part, Text)
    assert part.citations is not None
    [found] = part.citations
    assert (part.text, found.url, found.title) == ("It rains.", "https://a/w", "Weather")
    lost = {loss.path.rpartition("/")[2] for loss in there.losses if loss.code is LossCode.CITATIONS}
    if source in RANGED:
        assert lost == (set() if target in RANGED else {"start", "end"})
    else:  # the source's own words have a place in annotations of OpenRouter's, and none in those of the API
        assert lost == ({"cited_text"} if target == "openai-responses" else set())


def test_indices_of_chat_completions_count_through_all_texts() -> None:
    texts = [{"type": "text", "text": "It rains."}, {"type": "text", "text": " Take a coat."}]
    page = {"start_index": 9, "end_index": 22, "title": "", "url": "https://a/c"}
    note = {"type": "url_citation", "url_citation": page}
    document = [{"role": "assistant", "content": texts, "annotations": [note]}]
    [message] = messages_of(document, "openai")
    assert message.content == (Text("It rains."), Text(" Take a coat.", citations=(Citation("https://a/c"),)))
    assert spelled(convert(document, source="openai", target="openai").output) == spelled(document)


def test_bytes_of_gemini_are_characters() -> None:
    document = json.loads(json.dumps(CITED["gemini"]).replace("It rains", "Il pleut à Nîmes"))
    [support] = document["candidates"][0]["groundingMetadata"]["groundingSupports"]
    support["segment"] = {"startIndex": 9, "endIndex": 18, "text": "à Nîmes"}
    [message] = messages_of(document, "gemini")
    [part] = message.content
    assert isinstance(part, Text)
    assert part.citations is not None
    [source] = part.citations
    assert (source.url, source.start, source.end) == ("https://a/w", 9, 16)


def test_a_request_has_no_source_that_the_api_did_not_give() -> None:
    """It asks for what it knows a page by; whoever reads a response does not."""
    talk = [{"role": "user", "content": "Weather?"}, CITED["openai"]["choices"][0]["message"]]
    request = {"model": "claude-x", "max_tokens": 9, "messages": [*talk, {"role": "user", "content": "Thanks."}]}
    there = convert(request, source="openai", target="anthropic")
    assert there.output["messages"][1] == {"role": "assistant", "content": "It rains."}
    assert [(loss.path, loss.severity) for loss in there.losses if loss.code is LossCode.CITATIONS] == [
        ("/messages/1/content/0/citations", "lost")
    ]
    answer = {**CITED["openai"], "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}}
    there = convert(answer, source="openai", target="anthropic", policy=LENIENT)
    [block] = there.output["content"]
    assert block["citations"] == [
        {
            "type": "web_search_result_location",
            "cited_text": "",
            "url": "https://a/w",
            "title": "Weather",
            "encrypted_index": "",
        }
    ]


def test_files_have_no_place_in_chat_completions() -> None:
    notes = [
        {"type": "file_citation", "index": 3, "file_id": "f1", "filename": "a.pdf"},
        {"type": "url_citation", **PAGE},
    ]
    document = json.loads(json.dumps(CITED["openai-responses"]))
    document["output"][0]["content"][0]["annotations"] = notes
    assert spelled(convert(document, source="openai-responses", target="openai-responses").output) == spelled(document)
    there = convert(document, source="openai-responses", target="openai")
    assert [each["url_citation"]["url"] for each in there.output["messages"][0]["annotations"]] == ["https://a/w"]
    assert [loss.path for loss in there.losses if loss.code is LossCode.CITATIONS] == [
        "/messages/0/content/0/citations"
    ]


@pytest.mark.parametrize("note", [{"type": "x"}, {"type": "url_citation"}, 3, {"type": "file", "file": {"hash": "h"}}])
def test_annotations_that_are_not_understood_are_kept(note: Any) -> None:
    document = [{"role": "assistant", "content": "It rains.", "annotations": [note]}]
    [message] = messages_of(document, "openai")
    assert (message.content, message.extras) == ("It rains.", {"openai": {"annotations": [note]}})
    assert spelled(convert(document, source="openai", target="openai").output) == spelled(document)


def test_an_empty_answer_has_no_sources() -> None:
    recited = {"citations": [{"uri": "https://a/w", "title": "Weather"}]}
    document = {"candidates": [{"content": {}, "citationMetadata": recited, "finishReason": "RECITATION"}]}
    made = write(read(document, "gemini").transcript, "gemini")
    assert made.output == document
    assert made.losses == ()


def test_a_signature_beside_a_text_with_sources_stays_beside_it() -> None:
    document = json.loads(json.dumps(CITED["gemini"]))
    [candidate] = document["candidates"]
    candidate["content"]["parts"][0]["thoughtSignature"] = "c2lnbmVk"
    made = write(read(document, "gemini").transcript, "gemini")
    assert made.output == document
    assert made.losses == ()


@pytest.mark.parametrize("kind", ["output_text", "input_text"])
def test_annotations_of_a_users_text_are_no_sources(kind: str) -> None:
    """Only an answer's text rests on sources; they come back nevertheless, and are named elsewhere."""
    page = {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://e.org", "title": "E"}
    given = [{"role": "user", "content": [{"type": kind, "text": "Hi", "annotations": [page]}]}]
    assert convert(given, source="openai-responses", target="openai-responses").output == given
    there = convert(given, source="openai-responses", target="anthropic")
    assert there.output["messages"][0]["content"] == "Hi"
    assert ("extras", "/messages/0/content/0/extras/openai-responses/annotations") in {
        (loss.code, loss.path) for loss in there.losses
    }
