"""Whether JSON is what Anthropic Messages takes or gives, where no block, tool or member tells it."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.model import Json

from .syntax import MESSAGES, NO_MEMBERS, NO_ROLES, OWN_NAMES, REQUESTED

Object = dict[str, Json]


def sniff(source: Source) -> int:
    """Certain of a plain request to a model of Anthropic's; else plain messages may be it.

    Plain messages are the same in Chat Completions, whose own they are where nothing else is said.
    """
    if isinstance(source, list):
        return _of_messages(cast("list[Json]", source))
    document = cast("Object", source) if isinstance(source, dict) else {}
    messages = document.get(MESSAGES)
    if not isinstance(messages, list) or not _of_messages(cast("list[Json]", messages)):
        return 0
    return 3 if _is_request_to_claude(document) else 1


def _is_request_to_claude(document: Object) -> bool:
    """Whether a request names a model of the API's and what each request has to, and nothing that the API has not."""
    model = document.get("model")
    return (
        isinstance(model, str)
        and model.startswith("claude-")
        and "max_tokens" in document
        and document.keys() <= REQUESTED
    )


def _of_messages(items: list[Json]) -> int:
    return int(items != [] and all(map(_is_message, items)))


def _is_message(item: Json) -> bool:
    """Whether a message may be one: with a role that there may be, and no member that only Chat Completions has."""
    if not isinstance(item, dict):
        return False
    message = cast("Object", item)
    content = message.get("content")
    if not isinstance(message.get("role"), str) or message["role"] in NO_ROLES or not NO_MEMBERS.isdisjoint(message):
        return False
    return not isinstance(content, list) or not any(map(_is_of_others, cast("list[Json]", content)))


def _is_of_others(block: Json) -> bool:
    """Whether a block has its value under the name of its type, as parts of Chat Completions have."""
    members = cast("Object", block) if isinstance(block, dict) else {}
    kind = members.get("type")
    return isinstance(kind, str) and kind in members and kind not in OWN_NAMES
