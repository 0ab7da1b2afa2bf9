"""Read messages as Inspect logs them: calls whose function is a name, and reasoning in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..declared import read_tools
from ..fitting import objects_of
from ..layout import Document, Object, Wording, misshapen
from ..media import part_of
from ..messages import request
from ..pieces import Pieces
from ..trees import NODES, rest, rest_with, role_of

MESSAGES: Final = "messages"


def are_inspected(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages, at least one of which has a call or reasoning in Inspect's form."""
    messages = objects_of(fields.get(MESSAGES))
    return all(isinstance(each.get("role"), str) for each in messages) and any(map(_is_own, messages))


def _is_own(message: Object) -> bool:
    calls, parts = objects_of(message.get("tool_calls")), objects_of(message.get("content"))
    return any(isinstance(call.get("function"), str) and "arguments" in call for call in calls) or any(
        part.get("type") == "reasoning" and "reasoning" in part for part in parts
    )


def read_inspected(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of such messages, with their remaining members in a column.

    Raises:
        BridgeError: OCB-SHAPE if declared tools are not tools, or if no message has content.
    """
    items = objects_of(fields[MESSAGES])
    messages = [each for at, item in enumerate(items) for each in _messages_of(item, f"/{MESSAGES}/{at}", wording)]
    if not messages:
        raise misshapen(f"/{MESSAGES}", "messages of which one says something")
    nodes: list[Json] = [metadata for item in items if (metadata := _metadata(item))]
    return [Document(request(messages, read_tools(fields)), extra_columns={NODES: nodes} if nodes else {})]


def _messages_of(item: Object, place: str, wording: Wording) -> list[Object]:
    """Return a logged message as messages of Chat Completions."""
    role = role_of(item["role"], wording, f"{place}/role")
    pieces = Pieces(role)
    if role == "tool":
        content = item.get("content")
        pieces.result("" if content is None else content, item.get("tool_call_id"), item.get("function"))
        return pieces.messages()
    if isinstance(item.get("content"), str):
        pieces.say(item["content"])
    for part in objects_of(item.get("content")):
        if part.get("type") == "reasoning" and "reasoning" in part:
            pieces.think(str((part.get("summary") or "") if part.get("redacted") else part["reasoning"]))
        elif isinstance(part.get("text"), str):
            pieces.say(part["text"])
        elif isinstance(part.get("image"), str):
            pieces.show(part_of("image", part["image"]))
        else:
            pieces.show(part)
    for call in objects_of(item.get("tool_calls")):
        pieces.call(str(call.get("function")), call.get("arguments"), call.get("id"))
    return pieces.messages()


def _metadata(item: Object) -> Object:
    """Return the members that are not read: of a message, of its parts and of its calls."""
    known = ("role", "content", "tool_calls", *(("tool_call_id", "function") if item["role"] == "tool" else ()))
    calls = objects_of(item.get("tool_calls"))
    apart = {
        "content": [_part_metadata(part) for part in objects_of(item.get("content"))],
        "tool_calls": [rest(call, ("id", "function", "arguments", "type")) for call in calls],
    }
    return rest_with(item, known, apart)


def _part_metadata(part: Object) -> Object:
    """Return the members of a part that are not read; encrypted reasoning is returned whole."""
    if part.get("redacted"):
        return part
    if not any(isinstance(part.get(key), str) for key in _READ_MEMBERS):
        return {}
    return rest(part, ("type", "redacted", *_READ_MEMBERS))


_READ_MEMBERS: Final = ("text", "reasoning", "image")
