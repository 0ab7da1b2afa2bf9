"""Read calls that are JSON objects in a text, with a name and with arguments under one of several keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..json_values.jsontext import Span, members, parse

SPACE: Final = " \t\r\n"
"""The white space that may surround an object."""
_BESIDE_NAME: Final = frozenset({"name", "id", "call_id", "tool_call_id", "type", "index"})
"""The members that a call without arguments may have."""
_SPACES: Final = re.compile(f"[{SPACE}]*")


def after_space(text: str, at: int) -> int:
    """Return the offset of the first character that is no such white space, from an offset on."""
    space = _SPACES.match(text, at)
    return at if space is None else space.end()


def members_alone(text: str) -> dict[str, Span] | None:
    """Return the members of the JSON object in a text, or None if the text is no object or has more after it."""
    parsed = members(text)
    return parsed[0] if parsed is not None and not text[parsed[1] :].strip(SPACE) else None


def is_embedded(arguments: str) -> bool:
    """Return whether arguments stand in the object of a call as they are; others are written as a JSON string there."""
    span = parse(arguments)
    return span is not None and not isinstance(span.value, str) and arguments.strip(SPACE) == arguments


def constraint_of(arguments: str) -> str | None:
    """Return `json` if arguments are JSON, else None."""
    return "json" if parse(arguments) is not None else None


def may_have_arguments(fields: dict[str, Span]) -> bool:
    """Return whether a call that has none of the keys of arguments may have arguments, under other keys.

    Without them, another call would be made.
    """
    return not _BESIDE_NAME.issuperset(fields)


def remark_call(fields: dict[str, Span], keys: Sequence[str]) -> str | None:
    """Return the text of the finding about a call, or None if the call is regular.

    Args:
        fields: the members of the call.
        keys: the keys that the arguments may have; the first one that is present is read.
    """
    values = [fields[key] for key in keys if key in fields]
    if not values:
        return f"the call has no {keys[0]}; the call is read without arguments"
    if len(values) > 1 and values[0].value != values[1].value:
        return f"{keys[0]!r} and {keys[1]!r} differ; {keys[0]!r} is read"
    others = [key for key in fields if key not in ("name", *keys)]
    return f"the call has further keys ({', '.join(others)}); only the same format keeps them" if others else None
