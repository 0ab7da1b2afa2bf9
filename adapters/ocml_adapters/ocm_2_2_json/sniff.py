"""Detect the JSON interchange of OpenChatML 2.2 by its keys."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.formats.boundary import is_list_of_lists
from ocml_bridge.model import Json

from .syntax import CHANNEL, ROLE, TOOL_CALL

_ELSEWHERE: Final = ("tool_calls", "function_call", "tool_call_id", "parts", "messages", "choices")
"""The keys of messages in other JSON formats."""
_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})


def sniff(source: Source) -> int:
    """Return how sure it is that a source is in the format: 3 for a key of this format alone, 1 for roles and texts.

    `thinking` is no such key, because servers of Chat Completions use it for private reasoning. Any role is accepted in
    a list, which is how this format is written, but a single object with an unknown role may be anything. For a list
    of lists, the lowest result.
    """
    if is_list_of_lists(source):
        return min(map(sniff, source))
    items = cast("list[Json]", source) if isinstance(source, list) else [source]
    objects = [cast("dict[str, Json]", item) for item in items if isinstance(item, dict)]
    if not objects or len(objects) != len(items) or not all(isinstance(item.get(ROLE), str) for item in objects):
        return 0
    if any(key in item for item in objects for key in (CHANNEL, TOOL_CALL)):
        return 3
    foreign = any(key in item for item in objects for key in _ELSEWHERE)
    only_texts = not any(isinstance(item.get("content"), list) for item in objects)
    may_have_role = isinstance(source, list) or objects[0][ROLE] in _ROLES
    return int(may_have_role and only_texts and not foreign)
