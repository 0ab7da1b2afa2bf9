"""Detect Anthropic Messages in JSON that has no block, tool or member which only this format has."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.model import Json

from .syntax import MESSAGES, NAMED_BY_TYPE, NO_MEMBERS, NO_ROLES, REQUEST_MEMBERS

Object = dict[str, Json]


def sniff(source: Source) -> int:
    """Return 3 for a request to one of Anthropic's models, 1 for messages that may be of this format, else 0.

    Plain messages are the same in Chat Completions, which is preferred if nothing else decides.
    """
    if isinstance(source, list):
        return _of_messages(cast("list[Json]", source))
    document = cast("Object", source) if isinstance(source, dict) else {}
    messages = document.get(MESSAGES)
    if not isinstance(messages, list) or not _of_messages(cast("list[Json]", messages)):
        return 0
    return 3 if _is_request_to_claude(document) else 1


def _is_request_to_claude(document: Object) -> bool:
    """Return whether a request has a model of the API, all that the API requires, and no other keys than the API's."""
    model = document.get("model")
    return (
        isinstance(model, str)
        and model.startswith("claude-")
        and "max_tokens" in document
        and document.keys() <= REQUEST_MEMBERS
    )


def _of_messages(items: list[Json]) -> int:
    return int(items != [] and all(map(_is_message, items)))


def _is_message(item: Json) -> bool:
    """Return whether a value may be a wire message: its role, members and blocks are not those of other formats."""
    if not isinstance(item, dict):
        return False
    message = cast("Object", item)
    content = message.get("content")
    if not isinstance(message.get("role"), str) or message["role"] in NO_ROLES or not NO_MEMBERS.isdisjoint(message):
        return False
    return not isinstance(content, list) or not any(map(_is_of_others, cast("list[Json]", content)))


def _is_of_others(block: Json) -> bool:
    """Return whether a block has its value under a key named after its type, like the parts of Chat Completions."""
    members = cast("Object", block) if isinstance(block, dict) else {}
    kind = members.get("type")
    return isinstance(kind, str) and kind in members and kind not in NAMED_BY_TYPE
