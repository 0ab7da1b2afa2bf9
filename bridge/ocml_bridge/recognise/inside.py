"""Find a conversation inside of other JSON, such as a server's log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple, cast

from ..errors import BridgeError
from ..json_values import jsontext
from ..model import Json

_DEPTH: Final = 6
"""The maximum depth of the search."""
_MEMBERS: Final = 1000
"""The maximum number of values in the search."""
_LISTS: Final = ("messages", "contents", "conversations", "choices", "input", "output")
"""An object is a conversation if one of these members is a list of messages."""
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_PARSED: Final = None
"""The step from a string to the JSON value that it spells, as in the bodies of a recorded request."""

_Step = str | int | None


class Inside(NamedTuple):
    """The place of a conversation.

    Attributes:
        path: the JSON pointer to it, or to the string that spells the JSON with it.
        query: the filter with which `jq` extracts it.
    """

    path: str
    query: str


def inside(source: Json) -> Inside | None:
    """Return the place of the first value in a document, breadth first, that may be a conversation, or None."""
    pending: list[tuple[tuple[_Step, ...], Json]] = [((), source)]
    for steps, value in pending:
        if steps and _is_conversation(value):
            names = steps[: steps.index(_PARSED)] if _PARSED in steps else steps
            return Inside("".join(f"/{step}" for step in names), _query(steps))
        if len(steps) < _DEPTH and len(pending) < _MEMBERS:
            pending += [((*steps, step), member) for step, member in _members(value)]
    return None


def _members(value: Json) -> Iterator[tuple[_Step, Json]]:
    """Yield the members of an object, the first items of a list, or the value of a string of JSON."""
    if isinstance(value, dict):
        yield from cast("dict[str, Json]", value).items()
    elif isinstance(value, list):
        yield from enumerate(cast("list[Json]", value)[:10])
    elif isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(BridgeError):
            yield _PARSED, jsontext.loads(value)


def _is_conversation(value: Json) -> bool:
    if isinstance(value, list):
        return _is_messages(value)
    return isinstance(value, dict) and any(_is_messages(cast("dict[str, Json]", value).get(name)) for name in _LISTS)


def _is_messages(value: Json) -> bool:
    """Return whether a value is a list whose first item looks like a message: it has a role, or the like."""
    first = cast("list[Json]", value)[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and not {"role", "message", "from"}.isdisjoint(cast("dict[str, Json]", first))


def _query(steps: tuple[_Step, ...]) -> str:
    """Return the filter of `jq` for a path."""
    if _PARSED in steps:
        at = steps.index(_PARSED)
        before, behind = _query(steps[:at]), _query(steps[at + 1 :])
        return f"{before} | fromjson" + ("" if behind == "." else f" | {behind}")
    out = ""
    for step in steps:
        if isinstance(step, int):
            out += f"[{step}]"
        elif step is not None and _NAME.fullmatch(step):
            out += f".{step}"
        else:
            out += f'["{step}"]'
    return out if out.startswith(".") else f".{out}"
