"""Calls as JSON objects in a text: a name, and arguments under one of several keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..json_values.jsontext import Span, members

SPACE: Final = " \t\r\n"
"""What may stand around an object."""


def members_alone(text: str) -> dict[str, Span] | None:
    """The members of the object that a text is; None where it is none, or more stands behind it."""
    found = members(text)
    return found[0] if found is not None and not text[found[1] :].strip(SPACE) else None


def remark_call(found: dict[str, Span], keys: Sequence[str]) -> str | None:
    """What is to be noted of a call; None where there is nothing.

    Args:
        found: its members.
        keys: those that may have the arguments, the one that is believed first.
    """
    given = [found[key] for key in keys if key in found]
    if not given:
        return f"the call has no {keys[0]}; the call is read without arguments"
    if len(given) > 1 and given[0].value != given[1].value:
        return f"{keys[0]!r} and {keys[1]!r} differ; {keys[0]!r} is read"
    others = [key for key in found if key not in ("name", *keys)]
    return f"the call has further keys ({', '.join(others)}); only the same format keeps them" if others else None
