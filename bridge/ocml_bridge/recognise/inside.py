"""A conversation that stands somewhere inside of other JSON, such as in the log of a server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, cast

from ..model import Json

_DEPTH: Final = 6
"""How deep it is looked for."""
_MEMBERS: Final = 1000
"""How many values are looked at in all."""
_LISTS: Final = ("messages", "contents", "conversations", "choices", "input", "output")
"""The members of which one is a list where an object is a conversation."""
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


class Inside(NamedTuple):
    """Where a conversation stands.

    Attributes:
        path: the JSON pointer to it.
        query: the filter with which `jq` takes it out.
    """

    path: str
    query: str


def inside(source: Json) -> Inside | None:
    """The first value inside of a document that may be a conversation; the document itself is not looked at."""
    waiting: list[tuple[tuple[str | int, ...], Json]] = [((), source)]
    for steps, value in waiting:
        if steps and _is_conversation(value):
            return Inside("".join(f"/{step}" for step in steps), _query(steps))
        if len(steps) < _DEPTH and len(waiting) < _MEMBERS:
            waiting += [((*steps, step), member) for step, member in _members(value)]
    return None


def _members(value: Json) -> Iterator[tuple[str | int, Json]]:
    """What stands in an object, and at the beginning of a list."""
    if isinstance(value, dict):
        yield from cast("dict[str, Json]", value).items()
    elif isinstance(value, list):
        yield from enumerate(cast("list[Json]", value)[:10])


def _is_conversation(value: Json) -> bool:
    if isinstance(value, list):
        return _is_turn(value)
    return isinstance(value, dict) and any(_is_turn(cast("dict[str, Json]", value).get(name)) for name in _LISTS)


def _is_turn(value: Json) -> bool:
    """Whether a value is a list whose first item says who speaks."""
    first = cast("list[Json]", value)[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and not {"role", "message", "from"}.isdisjoint(cast("dict[str, Json]", first))


def _query(steps: tuple[str | int, ...]) -> str:
    out = ""
    for step in steps:
        if isinstance(step, int):
            out += f"[{step}]"
        elif _NAME.fullmatch(step):
            out += f".{step}"
        else:
            out += f'["{step}"]'
    return out if out.startswith(".") else f".{out}"
