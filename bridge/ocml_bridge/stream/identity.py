"""Which answer it is: what APIs call its id, its model and its time, in streams and among what only one format has."""

from __future__ import annotations

from typing import Any, Final

from ..events import Named
from ..json_values.form import Object
from ..model import ByFormat, Json

_MEMBERS: Final[dict[str, tuple[str, ...]]] = {
    "id": ("id", "responseId"),
    "model": ("model", "modelVersion"),
    "created": ("created", "created_at"),
}
"""What is said of an answer → the members of responses that say it."""


def named_in(members: Object, known: Named) -> Named:
    """What the members of a response say, where it is not known yet; empty names and the time 0 say nothing."""
    found = {name: _value(members, name) for name in _MEMBERS}
    return Named(**{name: getattr(known, name) or value for name, value in found.items()})


def _value(members: Object, name: str) -> Any:
    values = (_read(members.get(key), name) for key in _MEMBERS[name])
    return next((value for value in values if value), None)


def _read(value: Json, name: str) -> str | int | None:
    if name != "created":
        return value if isinstance(value, str) else None
    return int(value) if type(value) in (int, float) and value == value // 1 else None


def repeated_identity(extras: ByFormat | None, response: Object) -> ByFormat | None:
    """Of what only the format of a document has, the id and the time that a response says, too."""
    named = named_in(response, Named())
    known = {key: getattr(named, name) for name in ("id", "created") for key in _MEMBERS[name]}
    kept = {
        home: {key: value for key, value in members.items() if value is not None and value == known.get(key)}
        for home, members in (extras or {}).items()
    }
    return {home: members for home, members in kept.items() if members} or None
