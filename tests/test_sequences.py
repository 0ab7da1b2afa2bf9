"""Every sequence of three blocks of every kind is restored, in one wire message and in two."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from ocml_bridge import Transcript, read, write
from ocml_bridge.chat.turns import as_text, parts_of
from ocml_bridge.model import replace
from ocml_bridge.report.policy import LENIENT
from sampling import sweep

Block = Callable[[int], Any]
"""A block for a position: its words and ids contain the position."""
PNG = "iVBORw0KGgo="


NOTHING: list[Any] = []


def word(at: int) -> str:
    return f"w{at}"


def called(key: str, **more: Any) -> Block:
    return lambda at: {"functionCall": {"name": f"f{at}", "args": {key: word(at)}}, **more}


GEMINI: dict[str, Block] = {
    "bare text": word,  # instructor, tests/processing/test_formatting.py: as Google's clients take it
    "text": lambda at: {"text": word(at)},
    "empty text": lambda at: {"text": ""},
    "white space": lambda at: {"text": " " * (at + 1)},
    "signature": lambda at: {"text": "", "thoughtSignature": f"s{at}"},
    "signed text": lambda at: {"text": word(at), "thoughtSignature": f"s{at}"},
    "thought": lambda at: {"text": word(at), "thought": True},
    "empty thought": lambda at: {"text": "", "thought": True},
    "signed thought": lambda at: {"text": word(at), "thought": True, "thoughtSignature": f"s{at}"},
    "call": called("a"),
    "signed call": called("a", thoughtSignature="s"),
    "code": lambda at: {"executableCode": {"language": "PYTHON", "code": word(at)}},
    "what it printed": lambda at: {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": word(at)}},
    "image": lambda at: {"inlineData": {"mimeType": "image/png", "data": PNG}},
    "another part": lambda at: {"videoMetadata": {"startOffset": f"{at}s"}},
    "nothing": lambda at: {},
    "signed code": lambda at: {"executableCode": {"language": "PYTHON", "code": word(at)}, "thoughtSignature": "s"},
    "call without arguments": lambda at: {"functionCall": {"name": f"f{at}"}},
    "call with an id": lambda at: {"functionCall": {"id": f"c{at}", "name": f"f{at}", "args": {"a": word(at)}}},
    "call of the server": lambda at: {"toolCall": {"id": f"c{at}", "toolType": "GOOGLE_SEARCH_WEB", "args": {}}},
    "what it found": lambda at: {"toolResponse": {"id": f"c{at - 1}", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}},
    "file": lambda at: {"fileData": {"mimeType": "image/png", "fileUri": f"https://e.org/{at}"}},
}
GEMINIS_USER: dict[str, Block] = {
    "text": GEMINI["text"],
    "empty text": GEMINI["empty text"],
    "white space": GEMINI["white space"],
    "file": lambda at: {"fileData": {"mimeType": "application/pdf", "fileUri": f"https://e.org/{at}"}},
    "reply": lambda at: {"functionResponse": {"id": f"c{at}", "name": "f", "response": {"output": word(at)}}},
    "failed reply": lambda at: {"functionResponse": {"name": "f", "response": {"error": word(at)}}},
    "reply of a function python": lambda at: {"functionResponse": {"name": "python", "response": {"a": word(at)}}},
    "another part": GEMINI["another part"],
}
CONVERSE: dict[str, Block] = {
    "text": lambda at: {"text": word(at)},
    "empty text": lambda at: {"text": ""},
    "white space": lambda at: {"text": " " * (at + 1)},
    "mark": lambda at: {"cachePoint": {"type": "default"}},
    "lasting mark": lambda at: {"cachePoint": {"type": "default", "ttl": "1h"}},
    "thought": lambda at: {"reasoningContent": {"reasoningText": {"text": word(at), "signature": f"s{at}"}}},
    "empty thought": lambda at: {"reasoningContent": {"reasoningText": {"text": ""}}},
    "signed empty thought": lambda at: {"reasoningContent": {"reasoningText": {"text": "", "signature": f"s{at}"}}},
    "sealed thought": lambda at: {"reasoningContent": {"redactedContent": f"s{at}"}},
    "call": lambda at: {"toolUse": {"toolUseId": f"c{at}", "name": "f", "input": {"a": word(at)}}},
    "image": lambda at: {"image": {"format": "png", "source": {"bytes": PNG}}},
    "guarded": lambda at: {"guardContent": {"text": {"text": word(at)}}},
    "nothing": lambda at: {},
    "cited": lambda at: {"citationsContent": {"content": [{"text": word(at)}], "citations": NOTHING}},
    "unsigned thought": lambda at: {"reasoningContent": {"reasoningText": {"text": word(at)}}},
    "call of the server": lambda at: {
        "toolUse": {"toolUseId": f"c{at}", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}
    },
    "what it found": lambda at: {"toolResult": {"toolUseId": f"c{at - 1}", "content": NOTHING, "type": "x"}},
}
CONVERSES_USER: dict[str, Block] = {
    "text": CONVERSE["text"],
    "mark": CONVERSE["mark"],
    "document": lambda at: {"document": {"format": "txt", "name": f"n{at}", "source": {"bytes": "aGk="}}},
    "reply": lambda at: {"toolResult": {"toolUseId": f"c{at}", "content": [{"text": word(at)}]}},
    "value": lambda at: {"toolResult": {"toolUseId": f"c{at}", "content": [{"json": {"a": word(at)}}]}},
    "failed reply": lambda at: {
        "toolResult": {"toolUseId": f"c{at}", "content": [{"text": word(at)}], "status": "error"}
    },
    "empty reply": lambda at: {"toolResult": {"toolUseId": f"c{at}", "content": NOTHING}},
    "search result": lambda at: {
        "searchResult": {"source": "https://e.org", "title": "t", "content": [{"text": word(at)}]}
    },
    "video": lambda at: {"video": {"format": "mp4", "source": {"s3Location": {"uri": f"s3://b/{at}"}}}},
    "guarded": CONVERSE["guarded"],
}
ANTHROPIC: dict[str, Block] = {
    "text": lambda at: {"type": "text", "text": word(at)},
    "empty text": lambda at: {"type": "text", "text": ""},
    "white space": lambda at: {"type": "text", "text": " " * (at + 1)},
    "marked text": lambda at: {"type": "text", "text": word(at), "cache_control": {"type": "ephemeral"}},
    "thought": lambda at: {"type": "thinking", "thinking": word(at), "signature": f"s{at}"},
    "empty thought": lambda at: {"type": "thinking", "thinking": "", "signature": ""},
    "signed empty thought": lambda at: {"type": "thinking", "thinking": "", "signature": f"s{at}"},
    "sealed thought": lambda at: {"type": "redacted_thinking", "data": f"s{at}"},
    "call": lambda at: {"type": "tool_use", "id": f"c{at}", "name": "f", "input": {"a": word(at)}},
    "call of the server": lambda at: {"type": "server_tool_use", "id": f"c{at}", "name": "web_search", "input": {}},
    "what it found": lambda at: {"type": "web_search_tool_result", "tool_use_id": f"c{at - 1}", "content": NOTHING},
    "another block": lambda at: {"type": "container_upload", "file_id": f"f{at}"},
    "unsigned thought": lambda at: {"type": "thinking", "thinking": word(at)},
    "cited": lambda at: {
        "type": "text",
        "text": word(at),
        "citations": [{"type": "char_location", "cited_text": "x", "document_index": 0, "start_char_index": 0}],
    },
    "call of MCP": lambda at: {
        "type": "mcp_tool_use",
        "id": f"c{at}",
        "name": "f",
        "server_name": "s",
        "input": {"a": word(at)},
    },
    "reply of MCP": lambda at: {
        "type": "mcp_tool_result",
        "tool_use_id": f"c{at - 1}",
        "is_error": False,
        "content": [{"type": "text", "text": word(at)}],
    },
    "what it printed": lambda at: {
        "type": "bash_code_execution_tool_result",
        "tool_use_id": f"c{at - 1}",
        "content": {
            "type": "bash_code_execution_result",
            "stdout": word(at),
            "stderr": "",
            "return_code": 0,
            "content": NOTHING,
        },
    },
    "compaction": lambda at: {"type": "compaction", "content": word(at)},
}
ANTHROPICS_USER: dict[str, Block] = {
    "text": ANTHROPIC["text"],
    "empty text": ANTHROPIC["empty text"],
    "white space": ANTHROPIC["white space"],
    "image": lambda at: {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
    "document": lambda at: {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": word(at)},
    },
    "reply": lambda at: {"type": "tool_result", "tool_use_id": f"c{at}", "content": word(at)},
    "failed reply": lambda at: {"type": "tool_result", "tool_use_id": f"c{at}", "content": word(at), "is_error": True},
    "reply of blocks": lambda at: {"type": "tool_result", "tool_use_id": f"c{at}", "content": [ANTHROPIC["text"](at)]},
    "empty reply": lambda at: {"type": "tool_result", "tool_use_id": f"c{at}"},
    "marked reply": lambda at: {
        "type": "tool_result",
        "tool_use_id": f"c{at}",
        "cache_control": {"type": "ephemeral"},
        "content": [{"type": "text", "text": word(at), "cache_control": {"type": "ephemeral"}}],
    },
    "search result": lambda at: {
        "type": "search_result",
        "source": "https://e.org",
        "title": "t",
        "content": [ANTHROPIC["text"](at)],
    },
    "another block": ANTHROPIC["another block"],
}
RESPONSES: dict[str, Block] = {
    "user": lambda at: {"type": "message", "role": "user", "content": word(at)},
    "developer": lambda at: {"role": "developer", "content": [{"type": "input_text", "text": word(at)}]},
    "assistant": lambda at: {
        "type": "message",
        "id": f"msg_{at}",
        "status": "completed",
        "role": "assistant",
        "content": [{"type": "output_text", "text": word(at), "annotations": NOTHING}],
        "phase": "commentary",
    },
    "thought": lambda at: {
        "type": "reasoning",
        "id": f"rs_{at}",
        "summary": [{"type": "summary_text", "text": word(at)}, {"type": "summary_text", "text": word(at)}],
        "encrypted_content": "e",
    },
    "empty thought": lambda at: {"type": "reasoning", "id": f"rs_{at}", "summary": NOTHING},
    "call": lambda at: {"type": "function_call", "call_id": f"c{at}", "name": "f", "arguments": word(at)},
    "custom call": lambda at: {"type": "custom_tool_call", "call_id": f"c{at}", "name": "g", "input": word(at)},
    "reply": lambda at: {"type": "function_call_output", "call_id": f"c{at - 1}", "output": word(at)},
    "reply of parts": lambda at: {
        "type": "custom_tool_call_output",
        "call_id": f"c{at - 1}",
        "output": [{"type": "input_text", "text": word(at)}, {"type": "input_image", "file_id": "f", "detail": "low"}],
    },
    "search": lambda at: {
        "type": "web_search_call",
        "id": f"ws_{at}",
        "status": "completed",
        "action": {"type": "search", "query": word(at)},
    },
    "code": lambda at: {
        "type": "code_interpreter_call",
        "id": f"ci_{at}",
        "status": "completed",
        "code": word(at),
        "container_id": "c",
        "outputs": [{"type": "logs", "logs": word(at)}, {"type": "image", "url": "https://e.org/a"}],
    },
    "a reference": lambda at: {"type": "item_reference", "id": f"r{at}"},
    "refusal": lambda at: {
        "type": "message",
        "id": f"msg_{at}",
        "status": "completed",
        "role": "assistant",
        "content": [{"type": "refusal", "refusal": word(at)}],
    },
    "empty message": lambda at: {"role": "assistant", "content": NOTHING},
    "open thought": lambda at: {
        "type": "reasoning",
        "id": f"rs_{at}",
        "summary": NOTHING,
        "content": [{"type": "reasoning_text", "text": word(at)}],
    },
    "call in a namespace": lambda at: {
        "type": "function_call",
        "call_id": f"c{at}",
        "name": "f",
        "namespace": "n",
        "arguments": word(at),
    },
    "call of MCP": lambda at: {
        "type": "mcp_call",
        "id": f"mcp_{at}",
        "name": "f",
        "server_label": "s",
        "arguments": "{}",
        "output": word(at),
    },
    "tools of MCP": lambda at: {"type": "mcp_list_tools", "id": f"mcpl_{at}", "server_label": "s", "tools": NOTHING},
    "request of approval": lambda at: {
        "type": "mcp_approval_request",
        "id": f"mcpr_{at}",
        "name": "f",
        "server_label": "s",
        "arguments": word(at),
    },
    "approval": lambda at: {"type": "mcp_approval_response", "approval_request_id": f"mcpr_{at - 1}", "approve": True},
    "computer": lambda at: {
        "type": "computer_call",
        "id": f"cu_{at}",
        "call_id": f"c{at}",
        "status": "completed",
        "pending_safety_checks": NOTHING,
        "action": {"type": "type", "text": word(at)},
    },
    "screen": lambda at: {
        "type": "computer_call_output",
        "call_id": f"c{at - 1}",
        "output": {"type": "computer_screenshot", "image_url": "https://e.org/a"},
    },
    "shell": lambda at: {
        "type": "shell_call",
        "id": f"sh_{at}",
        "call_id": f"c{at}",
        "status": "completed",
        "action": {"commands": [word(at)], "timeout_ms": None},
    },
    "what it printed": lambda at: {
        "type": "shell_call_output",
        "call_id": f"c{at - 1}",
        "output": [{"stdout": word(at), "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
    },
    "patch": lambda at: {
        "type": "apply_patch_call",
        "call_id": f"c{at}",
        "status": "completed",
        "operation": {"type": "create_file", "path": "a", "diff": word(at)},
    },
    "patched": lambda at: {
        "type": "apply_patch_call_output",
        "call_id": f"c{at - 1}",
        "status": "completed",
        "output": word(at),
    },
    "picture": lambda at: {"type": "image_generation_call", "id": f"ig_{at}", "status": "completed", "result": PNG},
    "files": lambda at: {
        "type": "file_search_call",
        "id": f"fs_{at}",
        "status": "completed",
        "queries": [word(at)],
        "results": None,
    },
    "search for tools": lambda at: {
        "type": "tool_search_call",
        "call_id": f"c{at}",
        "status": "completed",
        "execution": "client",
        "arguments": {"query": word(at)},
    },
    "found tools": lambda at: {
        "type": "tool_search_output",
        "call_id": f"c{at - 1}",
        "status": "completed",
        "execution": "client",
        "tools": NOTHING,
    },
    "compaction": lambda at: {"type": "compaction", "id": f"cmp_{at}", "encrypted_content": "e"},
}
CHAT: dict[str, Block] = {
    "system": lambda at: {"role": "system", "content": word(at)},
    "user": lambda at: {"role": "user", "content": word(at), "name": "u"},
    "parts": lambda at: {
        "role": "user",
        "content": [{"type": "text", "text": word(at)}, {"type": "text", "text": "x"}],
    },
    "assistant": lambda at: {"role": "assistant", "content": word(at)},
    "empty": lambda at: {"role": "assistant", "content": ""},
    "thought": lambda at: {"role": "assistant", "reasoning_content": word(at), "content": None},
    "empty thought": lambda at: {"role": "assistant", "reasoning_content": "", "content": word(at)},
    "call": lambda at: {
        "role": "assistant",
        "content": word(at),
        "tool_calls": [{"id": f"c{at}", "type": "function", "function": {"name": "f", "arguments": word(at)}}],
    },
    "custom call": lambda at: {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"c{at}", "type": "custom", "custom": {"name": "g", "input": word(at)}}],
    },
    "reply": lambda at: {"role": "tool", "tool_call_id": f"c{at - 1}", "content": word(at)},
    "deprecated call": lambda at: {
        "role": "assistant",
        "content": None,
        "function_call": {"name": "f", "arguments": word(at)},
    },
    "call without id": lambda at: {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": word(at)}}],
    },
    "reply without id": lambda at: {"role": "tool", "content": word(at)},
    "named reply": lambda at: {"role": "tool", "tool_call_id": f"c{at - 1}", "name": "f", "content": word(at)},
    "reply of Ollama": lambda at: {"role": "tool", "tool_name": "f", "content": word(at)},
    "deprecated reply": lambda at: {"role": "function", "name": "f", "content": word(at)},
    "refusal": lambda at: {"role": "assistant", "content": None, "refusal": word(at)},
    "thought and answer": lambda at: {"role": "assistant", "reasoning_content": word(at), "content": f"w{at}a"},
    "details": lambda at: {
        "role": "assistant",
        "content": f"w{at}a",
        "reasoning": word(at),
        "reasoning_details": [
            {"type": "reasoning.text", "text": word(at), "signature": "s", "format": "anthropic-claude-v1", "index": 0},
            {"type": "reasoning.encrypted", "data": "e", "id": "rs", "format": "openai-responses-v1", "index": 1},
        ],
    },
    "blocks of thoughts": lambda at: {
        "role": "assistant",
        "content": f"w{at}a",
        "reasoning_content": word(at),
        "thinking_blocks": [{"type": "thinking", "thinking": word(at), "signature": "s"}],
    },
    "thought of Mistral": lambda at: {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": word(at)}]},
            {"type": "text", "text": f"w{at}a"},
        ],
    },
    "sound": lambda at: {"role": "assistant", "content": None, "audio": {"id": f"audio_{at}"}},
    "developer": lambda at: {"role": "developer", "content": word(at)},
    "reply of parts": lambda at: {
        "role": "tool",
        "tool_call_id": f"c{at - 1}",
        "content": [{"type": "text", "text": word(at)}],
    },
    "refused part": lambda at: {"role": "assistant", "content": [{"type": "refusal", "refusal": word(at)}]},
    "two calls": lambda at: {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": f"c{at}", "type": "function", "function": {"name": "f", "arguments": word(at)}},
            {"id": f"d{at}", "type": "function", "function": {"name": "g", "arguments": f"w{at}a"}},
        ],
    },
    "other speaker": lambda at: {"role": "critic", "content": word(at)},
}
ASKED = "w0"
WIRES: dict[str, tuple[str, dict[str, Block], Callable[[list[Any]], Any]]] = {
    "gemini": (
        "gemini",
        GEMINI,
        lambda blocks: {"contents": [{"role": "user", "parts": [{"text": ASKED}]}, {"role": "model", "parts": blocks}]},
    ),
    "gemini, the user": (
        "gemini",
        GEMINIS_USER,
        lambda blocks: {"contents": [{"role": "model", "parts": [called("a")(1)]}, {"role": "user", "parts": blocks}]},
    ),
    "bedrock-converse": (
        "bedrock-converse",
        CONVERSE,
        lambda blocks: {
            "messages": [{"role": "user", "content": [{"text": ASKED}]}, {"role": "assistant", "content": blocks}]
        },
    ),
    "bedrock-converse, the user": (
        "bedrock-converse",
        CONVERSES_USER,
        lambda blocks: {"messages": [{"role": "user", "content": blocks}]},
    ),
    "anthropic": (
        "anthropic",
        ANTHROPIC,
        lambda blocks: {"messages": [{"role": "user", "content": ASKED}, {"role": "assistant", "content": blocks}]},
    ),
    "anthropic, the user": (
        "anthropic",
        ANTHROPICS_USER,
        lambda blocks: {"messages": [{"role": "user", "content": blocks}]},
    ),
    # strands-agents/sdk-python, tests/strands/event_loop/test_streaming.py: turns of calls without replies
    "gemini, in two contents": (
        "gemini",
        GEMINI,
        lambda blocks: {
            "contents": [
                {"role": "user", "parts": [{"text": ASKED}]},
                *({"role": "model", "parts": some} for some in (blocks[:1], blocks[1:])),
            ]
        },
    ),
    "bedrock-converse, in two messages": (
        "bedrock-converse",
        CONVERSE,
        lambda blocks: {
            "messages": [
                {"role": "user", "content": [{"text": ASKED}]},
                *({"role": "assistant", "content": some} for some in (blocks[:1], blocks[1:])),
            ]
        },
    ),
    "anthropic, in two messages": (
        "anthropic",
        ANTHROPIC,
        lambda blocks: {
            "messages": [
                {"role": "user", "content": ASKED},
                *({"role": "assistant", "content": some} for some in (blocks[:1], blocks[1:])),
            ]
        },
    ),
    "openai-responses": ("openai-responses", RESPONSES, lambda blocks: {"model": "m", "input": blocks}),
    "openai": ("openai", CHAT, lambda blocks: {"messages": blocks}),
}
"""Name of the sequence → its format, the kinds of blocks, and the document around them."""
FIRST = [(name, kind) for name, (_, kinds, _) in WIRES.items() for kind in kinds]


def words_of(document: Transcript) -> list[str]:
    """The words of a document in order; those of thoughts in one item, or of code and its output, are one."""
    texts = " ".join(as_text(part) or "" for message in document.messages for part in parts_of(message.content))
    found = [each.strip('{}":,').removeprefix('a":"') for each in texts.split()]
    return list(dict.fromkeys(each for each in found if each.startswith("w")))


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "first"), FIRST)
def test_any_sequence_is_restored(name: str, first: str) -> None:
    wire, kinds, around = WIRES[name]
    for others in sweep(product(kinds, repeat=2), 13):
        made = [kinds[kind](at) for at, kind in enumerate((first, *others), 1)]
        document = around(made)
        reading = read(document, wire)
        there = write(reading.transcript, wire)
        assert (json.dumps(there.output), there.losses) == (json.dumps(document), ()), others
        assert isinstance(reading.transcript, Transcript)
        messages = tuple(replace(message, layout=None) for message in reading.transcript.messages)
        bare = replace(reading.transcript, messages=messages)
        image = read(write(bare, wire, policy=LENIENT).output, wire).transcript
        assert isinstance(image, Transcript)
        assert words_of(image) == words_of(bare), others
