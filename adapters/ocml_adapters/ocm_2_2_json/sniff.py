"""Whether JSON is the interchange of OpenChatML 2.2, by its keys."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.formats.boundary import is_list_of_lists
from ocml_bridge.model import Json

from .syntax import CHANNEL, ROLE, TOOL_CALL

_ELSEWHERE: Final = ("tool_calls", "function_call", "tool_call_id", "parts", "messages", "choices")
"""Members of messages in other JSON formats."""
_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})


def sniff(source: Source) -> int:
    """Certain where an object has a key that only this format has; possible where it has a role and a text.

    `thinking` is no such key: servers of Chat Completions give private reasoning under it. Of lists, the same. A role
    may be any in a list, which this format is written as; one object with a role that nobody knows may be anything.
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
    texts = not any(isinstance(item.get("content"), list) for item in objects)
    known = isinstance(source, list) or objects[0][ROLE] in _ROLES
    return int(known and texts and not foreign)
