"""Every kind of block means the same in a stream as in a whole response, both ways."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_adapters.anthropic.blocks import THOUGHTS
from ocml_adapters.anthropic.parts import KINDS
from ocml_adapters.anthropic.syntax import OPAQUE, TEXT, TOOL_USE
from ocml_bridge import read
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Event, Finding, PartEnd, Stop
from ocml_bridge.loss import LossCode, Severity
from ocml_bridge.pipe import decoder, encoder
from stream_pieces import events_in

CITED = {"type": "char_location", "cited_text": "It rains.", "document_index": 0, "start_char_index": 0}
ASKED: dict[str, Any] = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
BLOCKS: list[dict[str, Any]] = [
    {"type": "text", "text": "Rain."},
    {"type": "text", "text": "Rain.", "citations": [CITED]},
    {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"},
    {"type": "redacted_thinking", "data": "c2VhbGVk"},
    {"type": "reasoning", "text": "Hm."},
    {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": [1, None]}},
    ASKED,
    {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "look", "server_name": "s", "input": {}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"type": "web_search_result"}]},
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
    {"type": "document", "title": "A", "source": {"type": "text", "media_type": "text/plain", "data": "abc"}},
    {"type": "search_result", "source": "s", "title": "A", "content": [{"type": "text", "text": "It rains."}]},
    {"type": "container_upload", "file_id": "file_1"},
    {"type": "tool_reference", "tool_name": "look"},
    {"type": "compaction", "content": "They talked of rain."},
    {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}},
    {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "look"}},
    {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "look"}},
    {"type": "mcp_tool_listing", "server_name": "s", "tools": []},
    {"type": "of_tomorrow", "z": 1, "a": {"b": None}},
]
DELTAS = {
    "text": (("text_delta", "text"),),
    "thinking": (("thinking_delta", "thinking"), ("signature_delta", "signature")),
    "compaction": (("compaction_delta", "content"),),
}
"""Kind of block → the deltas that the API sends of it, and the member that each has."""
STREAMED = {"reasoning": {"type": "thinking", "thinking": "Hm.", "signature": ""}}
"""Kind of block that is only stored → the block that a stream has in its place."""
BEFORE, BEHIND = ({"type": "text", "text": text} for text in ("Let us see. ", " So it is."))
USAGE = {"input_tokens": 3, "output_tokens": 9}
AROUND = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x"}


def kind_of(block: dict[str, Any]) -> str:
    return f"{block['type']}-{len(block)}"


def events_of(index: int, block: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a block, as the API sends them."""
    first, deltas = dict(block), list[dict[str, Any]]()
    for kind, member in DELTAS.get(block["type"], ()):
        first[member] = None if kind == "compaction_delta" else ""
        deltas.append({"type": kind, member: block[member]})
    if "citations" in block:
        first["citations"] = []
        deltas += [{"type": "citations_delta", "citation": each} for each in block["citations"]]
    if block["type"].endswith("_use"):
        first["input"] = {}
        deltas.append({"type": "input_json_delta", "partial_json": json.dumps(block["input"])})
    return [
        {"type": "content_block_start", "index": index, "content_block": first},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def streamed(blocks: list[dict[str, Any]]) -> list[Event]:
    """What is read of the stream of an answer."""
    start: dict[str, Any] = {**AROUND, "content": [], "stop_reason": None, "stop_sequence": None, "usage": USAGE}
    values: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        *(event for index, block in enumerate(blocks) for event in events_of(index, block)),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": USAGE},
        {"type": "message_stop"},
    ]
    made = decoder("anthropic-sse")
    return [*made.feed("".join(f"data: {json.dumps(value)}\n\n" for value in values)), *made.finish()]


def answer(block: dict[str, Any], *others: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of an answer: the call that a result answers precedes it."""
    return [*([ASKED] if "tool_use_id" in block else []), block, *others]


@pytest.mark.parametrize("kind", sorted({*THOUGHTS, TOOL_USE, *KINDS, *OPAQUE, TEXT}))
def test_every_kind_that_the_reader_names_is_here(kind: str) -> None:
    assert kind in {block["type"] for block in BLOCKS}


@pytest.mark.parametrize("block", BLOCKS, ids=kind_of)
@pytest.mark.parametrize("others", [(), (BEHIND,)], ids=["alone", "before a text"])
def test_a_stream_is_read_as_its_response(block: dict[str, Any], others: tuple[dict[str, Any], ...]) -> None:
    blocks = answer(block, *others)
    model = block.get("to", AROUND).get("model", AROUND["model"])  # another one goes on behind a fallback
    response = {
        **AROUND,
        "model": model,
        "content": blocks,
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }
    whole, events = read(response, source="anthropic"), streamed(blocks)
    stop = events[-1]
    assert isinstance(stop, Stop)
    assert stop.document == whole.transcript
    found = [event for event in events if isinstance(event, Finding)]
    assert [(each.code, each.path) for each in found] == [(each.code, each.path) for each in whole.findings]


@pytest.mark.parametrize("block", BLOCKS, ids=kind_of)
@pytest.mark.parametrize("before", [(), (BEFORE,)], ids=["first", "behind a text"])
@pytest.mark.parametrize("behind", [(), (BEHIND,)], ids=["last", "before a text"])
def test_a_block_is_written_as_it_was_read(
    block: dict[str, Any], before: tuple[dict[str, Any], ...], behind: tuple[dict[str, Any], ...]
) -> None:
    """It keeps its place: a compaction replaces everything before it, and citations belong to their own text."""
    blocks = [*before, *answer(block, *behind)]
    for target in ("anthropic-sse", "anthropic"):
        writing = encoder(target, visibility=DEBUG)
        chunks = [*writing.encode(streamed(blocks)), *writing.finish()]
        assert content_in(target, b"".join(chunks)) == [STREAMED.get(each["type"], each) for each in blocks]
        assert not [
            loss for loss in writing.losses if loss.path.startswith("/messages") and loss.severity != Severity.LAYOUT
        ]


def content_in(target: str, data: bytes) -> list[Any]:
    """The content of a written response, or of one that is put together of a stream as a client does it."""
    if target == "anthropic":
        return json.loads(data)["content"]
    blocks: list[Any] = []
    for event in events_in(data):
        delta = event.get("delta", {})
        match delta.get("type", event["type"]):
            case "content_block_start":
                blocks.append(event["content_block"])
            case "input_json_delta":
                blocks[-1]["input"] = json.loads(delta["partial_json"])
            case "citations_delta":
                blocks[-1].setdefault("citations", []).append(delta["citation"])
            case "text_delta" | "thinking_delta" | "signature_delta":
                member = delta["type"].removesuffix("_delta")
                blocks[-1][member] += delta[member]
            case _:
                pass
    return blocks


@pytest.mark.parametrize("block", BLOCKS[9:12], ids=kind_of)
def test_media_before_a_text_follow_it_if_the_stream_does_not_show_their_place(block: dict[str, Any]) -> None:
    writing = encoder("anthropic")
    writing.encode([event for event in streamed([block, BEHIND]) if not isinstance(event, PartEnd)])
    assert content_in("anthropic", b"".join(writing.finish())) == [BEHIND, block]
    changed = [loss.path for loss in writing.losses if loss.code is LossCode.CONTENT]
    assert changed == ["/messages/0/content/0/type", "/messages/0/content/1/type"]


@pytest.mark.parametrize("block", BLOCKS[12:], ids=kind_of)
def test_a_block_that_only_the_api_knows_is_left_out_then(block: dict[str, Any]) -> None:
    """A compaction replaces everything before it: after the text, it would replace the text."""
    writing = encoder("anthropic")
    writing.encode([event for event in streamed([block, BEHIND]) if not isinstance(event, PartEnd)])
    assert content_in("anthropic", b"".join(writing.finish())) == [BEHIND]
    lost = [(loss.code, loss.path) for loss in writing.losses if loss.severity is Severity.LOST]
    assert (LossCode.FOREIGN_PART, "/messages/0/content/0") in lost


def test_null_at_the_end_of_an_answer_takes_nothing_away() -> None:
    """As the official client does it: the container of the beginning stays, and so do edits of the context."""
    container, edits = {"id": "container_1", "expires_at": "2026-01-02"}, {"applied_edits": [{"type": "x"}]}
    start: dict[str, Any] = {
        **AROUND,
        "content": [],
        "usage": USAGE,
        "container": container,
        "context_management": edits,
    }
    values: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "container": None},
            "usage": USAGE,
            "context_management": None,
        },
        {"type": "message_stop"},
    ]
    made = decoder("anthropic-sse")
    *_, stop = [*made.feed("".join(f"data: {json.dumps(value)}\n\n" for value in values)), *made.finish()]
    assert isinstance(stop, Stop)
    kept = (stop.document.extras or {})["anthropic"]
    assert (kept["container"], kept["context_management"]) == (container, edits)


def test_a_block_without_a_type_is_written_as_it_was_read() -> None:
    blocks: list[dict[str, Any]] = [BEFORE, {"text": "?"}]
    start: dict[str, Any] = {**AROUND, "content": [], "usage": USAGE}
    values: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        *(
            event
            for index, block in enumerate(blocks)
            for event in (
                {"type": "content_block_start", "index": index, "content_block": block},
                {"type": "content_block_stop", "index": index},
            )
        ),
        {"type": "message_stop"},
    ]
    made, writing = decoder("anthropic-sse"), encoder("anthropic-sse", visibility=DEBUG)
    events = [*made.feed("".join(f"data: {json.dumps(value)}\n\n" for value in values)), *made.finish()]
    written = b"".join([*writing.encode(events), *writing.finish()])
    assert {"text": "?"} in [event.get("content_block") for event in events_in(written)]
