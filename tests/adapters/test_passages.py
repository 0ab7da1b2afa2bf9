"""Texts that are given to be cited: search results, and documents in pieces."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import LossCode, Passages, Severity, Transcript, convert, read

ANTHROPIC, CONVERSE = "anthropic", "bedrock-converse"
NOT_HAVING = ("openai", "openai-responses", "gemini", "harmony", "ocm-2.2")


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def found(**more: Any) -> dict[str, Any]:
    """A search result of Anthropic's, with two texts."""
    block = {"type": "search_result", "source": "https://a.example", "title": "Towers"}
    return {**block, "content": [text("It is tall."), text("It is old.")], **more}


def found_by_converse(**more: Any) -> dict[str, Any]:
    """The same of Converse's."""
    inner = {"source": "https://a.example", "title": "Towers"}
    return {"searchResult": {**inner, "content": [{"text": "It is tall."}, {"text": "It is old."}], **more}}


def document(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "document", "source": {"type": "content", "content": content}, **more}


def asked(*blocks: Any) -> dict[str, Any]:
    """A request that gives blocks and asks about them."""
    return {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": [*blocks, text("How tall?")]}]}


def replied(*blocks: Any) -> dict[str, Any]:
    """A request in which a tool replies with blocks."""
    call: dict[str, Any] = {"type": "tool_use", "id": "call_1", "name": "find", "input": {}}
    reply = {"type": "tool_result", "tool_use_id": "call_1", "content": [*blocks]}
    messages: list[tuple[str, Any]] = [("user", "How tall?"), ("assistant", [call]), ("user", [reply])]
    return {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": role, "content": content} for role, content in messages],
    }


BLOCKS = [
    found(),
    found(citations={"enabled": True}, cache_control={"type": "ephemeral", "ttl": "1h"}),
    found(content=[], citations=None),
    found(content=[{**text("x"), "cache_control": {"type": "ephemeral"}}]),
    found(unknown="kept"),
    {"title": "", "source": "", "content": [{"text": "x", "type": "text"}], "type": "search_result"},
    document("All of it."),
    document([text("One."), text("Two.")], title="Towers", context="Of 1948", citations={"enabled": False}),
    document([text("One.")], title=None, context="", citations={"enabled": True, "more": 1}),
    document([text("One."), {"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}}]),
    document([]),
]


@pytest.mark.parametrize("place", [asked, replied], ids=lambda place: place.__name__)
@pytest.mark.parametrize("block", BLOCKS, ids=json.dumps)
def test_a_block_is_written_back_as_it_was(place: Any, block: Any) -> None:
    request = place(block)
    assert json.dumps(convert(request, source=ANTHROPIC, target=ANTHROPIC).output) == json.dumps(request)


def test_members_that_converse_alone_has_stay() -> None:
    block = found_by_converse(citations={"enabled": True, "more": 1}, unknown="kept")
    request: dict[str, Any] = {"messages": [{"role": "user", "content": [block, {"text": "How tall?"}]}]}
    assert convert(request, source=CONVERSE, target=CONVERSE).output == request
    losses = convert(request, source=CONVERSE, target=ANTHROPIC).losses
    assert [loss.path for loss in losses] == ["/messages/0/content/0/extras/bedrock-converse/searchResult"]


@pytest.mark.parametrize("place", [asked, replied], ids=lambda place: place.__name__)
@pytest.mark.parametrize("block", [found(), found(citations={"enabled": True})], ids=json.dumps)
def test_what_a_search_found_is_the_same_in_converse(place: Any, block: Any) -> None:
    written = convert(place(block), source=ANTHROPIC, target=CONVERSE).output
    citations = {"citations": block["citations"]} if "citations" in block else {}
    content = written["messages"][-1]["content"]
    assert (content[0] if place is asked else content[0]["toolResult"]["content"][0]) == found_by_converse(**citations)
    back = convert(written, source=CONVERSE, target=ANTHROPIC).output
    assert back["messages"] == place(block)["messages"]


def test_a_document_in_pieces_is_the_same_in_converse() -> None:
    block = document([text("One."), text("Two.")], title="Towers", context="Of 1948", citations={"enabled": True})
    written = convert(asked(block), source=ANTHROPIC, target=CONVERSE)
    pieces = {"content": [{"text": "One."}, {"text": "Two."}]}
    inner = {"name": "Towers", "source": pieces, "context": "Of 1948", "citations": {"enabled": True}}
    assert written.output["messages"][0]["content"][0] == {"document": inner}
    assert convert(written.output, source=CONVERSE, target=ANTHROPIC).output["messages"] == asked(block)["messages"]


@pytest.mark.parametrize("target", NOT_HAVING)
def test_where_there_is_no_such_block_it_is_read_as_text(target: str) -> None:
    result = convert(asked(found()), source=ANTHROPIC, target=target)
    assert "Towers\nhttps://a.example\n\nIt is tall.\n\nIt is old." in json.dumps(result.output).replace("\\n", "\n")
    [loss] = [loss for loss in result.losses if loss.code is LossCode.CONTENT]
    assert (loss.severity, loss.detail) == (Severity.CHANGED, f"{target} writes a search result as plain text")


@pytest.mark.parametrize("target", NOT_HAVING)
@pytest.mark.parametrize("block", [found(), document("It is tall.")], ids=["found", "document"])
def test_a_reply_of_nothing_else_keeps_its_text(target: str, block: Any) -> None:
    result = convert(replied(block), source=ANTHROPIC, target=target)
    assert "It is tall." in json.dumps(result.output)
    assert LossCode.EMPTIED not in {loss.code for loss in result.losses}


def of_text(value: str, **members: Any) -> dict[str, Any]:
    """A document of plain text."""
    return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": value}, **members}


@pytest.mark.parametrize("target", ["harmony", "chatml", "ocm-2.2", "ocm-2.2-json", "ocm-0.1", "internlm2", "sharegpt"])
def test_where_there_are_no_files_a_document_of_text_is_read_as_text(target: str) -> None:
    result = convert(asked(of_text("It is tall.", title="Towers")), source=ANTHROPIC, target=target)
    assert "Towers\n\nIt is tall.\n\nHow tall?" in json.dumps(result.output).replace("\\n", "\n")
    [loss] = [loss for loss in result.losses if loss.code is LossCode.MEDIA]
    assert (loss.severity, loss.detail) == (Severity.CHANGED, f'{target} writes a file named "Towers" as plain text')


def test_the_context_of_a_document_that_is_read_as_text_is_not_lost() -> None:
    block = of_text("It is tall.", context="Of 1948", citations={"enabled": True})
    result = convert(asked(block), source=ANTHROPIC, target="harmony")
    assert "Of 1948\n\nIt is tall.\n\nHow tall?" in result.output
    paths = [loss.path for loss in result.losses if loss.path.startswith("/messages/0/content/0")]
    assert paths == ["/messages/0/content/0/citable"]


def test_the_texts_of_documents_are_not_those_of_a_plan() -> None:
    for value in ("It is tall.", "It is old.", "It is new.", "It is red.", "It is wide.", "It is here.", "It is all."):
        message = {"role": "user", "content": [{"type": "media", **plain(value)}, {"type": "text", "text": "Well?"}]}
        given = json.dumps({"type": "transcript", "messages": [message]})
        assert f"{value}\n\nWell?" in convert(given, source="canonical", target="harmony").output


def plain(value: str) -> dict[str, str]:
    """A file of plain text in the canonical form."""
    return {"media": "file", "format": "text/plain", "data": base64.b64encode(value.encode()).decode()}


@pytest.mark.parametrize("data", ["", "JVBERi0=!", base64.b64encode(b"\xff\xfe").decode()])
def test_data_that_are_no_text_are_left_out(data: str) -> None:
    message = {
        "role": "user",
        "content": [{"type": "media", **plain(""), "data": data}, {"type": "text", "text": "Hi"}],
    }
    result = convert(json.dumps({"type": "transcript", "messages": [message]}), source="canonical", target="harmony")
    assert result.output == "<|start|>user<|message|>Hi<|end|>"
    assert [(loss.code, loss.severity) for loss in result.losses] == [(LossCode.MEDIA, Severity.LOST)]


def test_one_text_has_a_blank_line_on_both_sides_of_them() -> None:
    content = [text("Look:"), found(content=[text("It is tall.")]), text("How tall?")]
    request = {"max_tokens": 9, "messages": [{"role": "user", "content": content}]}
    output = convert(request, source=ANTHROPIC, target="harmony").output
    assert "Look:\n\nTowers\nhttps://a.example\n\nIt is tall.\n\nHow tall?" in output


def test_a_mark_behind_them_is_a_mark_behind_their_text() -> None:
    block = found(cache_control={"type": "ephemeral"})
    [first, _] = convert(asked(block), source=ANTHROPIC, target="openai").output["messages"][0]["content"]
    assert first["cache_control"] == {"type": "ephemeral"}
    blocks = convert(asked(block), source=ANTHROPIC, target=CONVERSE).output["messages"][0]["content"]
    assert blocks[1] == {"cachePoint": {"type": "default"}}


def test_a_search_result_without_a_title_has_no_block() -> None:
    content = [{"type": "passages", "texts": ["It is tall."], "source": "https://a.example"}]
    document = {"type": "transcript", "messages": [{"role": "user", "content": content}]}
    for target in (ANTHROPIC, CONVERSE):
        assert "https://a.example\\n\\nIt is tall." in json.dumps(convert(document, target=target).output)


@given(st.lists(st.text()), st.text(), st.text(), st.sampled_from([None, True, False]))
def test_converse_gives_back_what_it_is_given(texts: list[str], source: str, title: str, citable: bool | None) -> None:
    more = {} if citable is None else {"citations": {"enabled": citable}}
    inner = {"source": source, "title": title, "content": [{"text": each} for each in texts], **more}
    request = {"modelId": "m", "messages": [{"role": "user", "content": [{"searchResult": inner}]}]}
    transcript = read(request, source=CONVERSE).transcript
    assert isinstance(transcript, Transcript)
    assert transcript.messages[0].content == (Passages(tuple(texts), title, source, citable=citable),)
    assert convert(request, source=CONVERSE, target=CONVERSE).output == request
