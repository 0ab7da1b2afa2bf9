"""The facts in a document of Anthropic Messages, read without our code, to compare them before and after."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ocml_bridge.loss import Loss

Fact = tuple[str, str]
"""The kind of a fact, and its value."""

NAMED_BY: dict[str, frozenset[str]] = {
    "speaker": frozenset({"message", "role", "grouping", "channel", "content"}),
    "text": frozenset({"message", "content", "recipient", "role", "foreign-part", "text-outside", "control-token"}),
    "thought": frozenset({"message", "content", "thought", "channel", "control-token"}),
    "signature": frozenset({"message", "signature"}),
    "call": frozenset({"message", "content", "recipient", "extras", "channel", "role", "control-token"}),
    "id": frozenset({"message", "call-id"}),
    "reply": frozenset({"message", "content", "role", "recipient", "extras", "media", "foreign-part", "control-token"}),
    "failed": frozenset({"message", "failed"}),
    "media": frozenset({"message", "media", "content", "foreign-part"}),
    "other": frozenset({"message", "foreign-part", "content", "emptied"}),
    "member": frozenset({"message", "extras", "content", "media", "cache", "citations"}),
    "tool": frozenset({"tools", "tools-moved", "tool-schema", "message"}),
    "tool of the server": frozenset({"extras"}),
    "tool member": frozenset({"tools", "extras", "message", "cache"}),
    "setting": frozenset({"settings", "extras", "header", "ending", "layout"}),
}
"""Kind of fact → the codes of the losses that may report it as gone or changed."""
_KNOWN = {
    "text": {"type", "text"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": {"type", "id", "name", "input"},
    "server_tool_use": {"type", "id", "name", "input"},
    "mcp_tool_use": {"type", "id", "name", "input"},
    "tool_result": {"type", "tool_use_id", "content", "is_error"},
}


def shown(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def facts(document: Any) -> Counter[Fact]:
    """The facts in a document."""
    return Counter(_of_document(document))


def unnamed(before: Counter[Fact], after: Counter[Fact], losses: Iterable[Loss]) -> list[Fact]:
    """The facts that are not there any more, or were not there before, and that no loss can be about."""
    codes = {str(loss.code) for loss in losses}
    return [fact for fact in ((before - after) + (after - before)) if NAMED_BY[fact[0]].isdisjoint(codes)]


def _of_document(document: Any) -> Iterator[Fact]:
    members: dict[str, Any] = {"messages": document} if isinstance(document, list) else document
    if members.get("system"):
        yield from _of_content("system", members["system"])
    for message in members.get("messages", [members]):
        yield from _of_content(message["role"], message["content"])
    tools: list[dict[str, Any]] = members.get("tools") or []
    for tool in tools:
        if str(tool.get("type")).startswith(("web_", "code_execution_", "tool_search_tool_")):
            yield "tool of the server", shown(tool)
            continue
        if "name" in tool:
            yield "tool", shown({key: tool.get(key) for key in ("name", "description", "input_schema")})
        for key in tool.keys() - {"name", "description", "input_schema"}:
            yield "tool member", shown([tool.get("name"), key, tool[key]])
    about = {"system", "messages", "tools", "type", "role", "content"}
    for key in members.keys() - about:
        if members[key] is not None:
            yield "setting", shown([key, members[key]])


def _of_content(role: str, content: Any) -> Iterator[Fact]:
    yield "speaker", role
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        yield from _of_block(role, block)


def _of_block(role: str, block: Any) -> Iterator[Fact]:
    kind = block["type"]
    if kind == "text":
        yield "text", f"{role}: {block['text']}"
    elif kind == "thinking":
        yield "thought", block["thinking"]
        yield "signature", block["signature"]
    elif kind == "redacted_thinking":
        yield "signature", block["data"]
    elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        yield "call", shown([kind, block["name"], block["input"]])
        yield "id", shown(block.get("id"))
    elif kind == "tool_result":
        yield "id", shown(block.get("tool_use_id"))
        yield from _of_reply(block.get("content", ""))
        if "is_error" in block:
            yield "failed", shown(block["is_error"])
    elif kind.endswith("_tool_result"):
        yield "id", shown(block.get("tool_use_id"))
        yield "reply", shown([kind, block["content"]])
        if "is_error" in block:
            yield "failed", shown(block["is_error"])
    elif kind in ("image", "document"):
        yield "media", shown(block["source"])
    else:
        yield "other", shown(block)
    for key in block.keys() - _KNOWN.get(kind, {"type", "source"} if kind in ("image", "document") else set(block)):
        if block[key] is not None:
            yield "member", shown([kind, key, block[key]])


def _of_reply(content: Any) -> Iterator[Fact]:
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content or []:
        if block["type"] == "text":
            yield "reply", block["text"]
        else:
            yield from _of_block("tool", block)
