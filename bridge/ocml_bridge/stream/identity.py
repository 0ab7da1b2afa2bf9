"""Read the id, the model and the time of an answer from the members of a response, by the names that APIs use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..events import Named
from ..json_values.form import Object
from ..model import ByFormat, Json

_MEMBERS: Final[dict[str, tuple[str, ...]]] = {
    "id": ("id", "responseId"),
    "model": ("model", "modelVersion"),
    "created": ("created", "created_at"),
}
"""The members of responses with each field of `Named`."""


def named_in(members: Object, known: Named) -> Named:
    """Return the fields of an answer that are known, and the others from a response; "" and 0 count as missing."""
    values = {name: _value(members, name) for name in _MEMBERS}
    return Named(**{name: getattr(known, name) or value for name, value in values.items()})


def _value(members: Object, name: str) -> Any:
    values = (_read(members.get(key), name) for key in _MEMBERS[name])
    return next((value for value in values if value), None)


def _read(value: Json, name: str) -> str | int | None:
    if name != "created":
        return value if isinstance(value, str) else None
    return int(value) if type(value) in (int, float) and value == value // 1 else None


def repeated_identity(extras: ByFormat | None, response: Object, others: Sequence[str] = ()) -> ByFormat | None:
    """Return the members of a document's extras that repeat the id or the time of a response.

    Args:
        extras: the extras.
        response: the response.
        others: other members of the response that the extras may repeat.
    """
    named = named_in(response, Named())
    values = {key: response.get(key) for key in others}
    values |= {key: getattr(named, name) for name in ("id", "created") for key in _MEMBERS[name]}
    repeated = {
        home: {key: value for key, value in members.items() if value is not None and value == values.get(key)}
        for home, members in (extras or {}).items()
    }
    return {home: members for home, members in repeated.items() if members} or None
