"""Find a conversation inside of other JSON, such as a server's log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, cast

from ..model import Json

_DEPTH: Final = 6
"""The maximum depth of the search."""
_MEMBERS: Final = 1000
"""The maximum number of values in the search."""
_LISTS: Final = ("messages", "contents", "conversations", "choices", "input", "output")
"""An object is a conversation if one of these members is a list of messages."""
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


class Inside(NamedTuple):
    """The place of a conversation.

    Attributes:
        path: the JSON pointer to it.
        query: the filter with which `jq` extracts it.
    """

    path: str
    query: str


def inside(source: Json) -> Inside | None:
    """Return the place of the first value in a document, breadth first, that may be a conversation, or None."""
    pending: list[tuple[tuple[str | int, ...], Json]] = [((), source)]
    for steps, value in pending:
        if steps and _is_conversation(value):
            return Inside("".join(f"/{step}" for step in steps), _query(steps))
        if len(steps) < _DEPTH and len(pending) < _MEMBERS:
            pending += [((*steps, step), member) for step, member in _members(value)]
    return None


def _members(value: Json) -> Iterator[tuple[str | int, Json]]:
    """Yield the members of an object, or the first items of a list."""
    if isinstance(value, dict):
        yield from cast("dict[str, Json]", value).items()
    elif isinstance(value, list):
        yield from enumerate(cast("list[Json]", value)[:10])


def _is_conversation(value: Json) -> bool:
    if isinstance(value, list):
        return _is_messages(value)
    return isinstance(value, dict) and any(_is_messages(cast("dict[str, Json]", value).get(name)) for name in _LISTS)


def _is_messages(value: Json) -> bool:
    """Return whether a value is a list whose first item looks like a message: it has a role, or the like."""
    first = cast("list[Json]", value)[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and not {"role", "message", "from"}.isdisjoint(cast("dict[str, Json]", first))


def _query(steps: tuple[str | int, ...]) -> str:
    """Return the filter of `jq` for a path."""
    out = ""
    for step in steps:
        if isinstance(step, int):
            out += f"[{step}]"
        elif _NAME.fullmatch(step):
            out += f".{step}"
        else:
            out += f'["{step}"]'
    return out if out.startswith(".") else f".{out}"
