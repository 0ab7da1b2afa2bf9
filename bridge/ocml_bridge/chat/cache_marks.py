"""Marks of a cache as wires say them: an object with a type and, where it is said, how long."""

from __future__ import annotations

from ..json_values.form import OBJECT, Object
from ..model import CacheMark, Json


def read_mark(value: Json, kind: str) -> CacheMark | None:
    """The mark that an object is; None for one of another type, and for one that says anything else.

    Args:
        value: a member, or what a block holds.
        kind: the type that it must have.
    """
    if not isinstance(value, OBJECT):
        return None
    members: Object = value
    keys, ttl = tuple(members), members.get("ttl")
    if members.get("type") != kind:
        return None
    if keys == ("type",):
        return CacheMark()
    return CacheMark(ttl) if keys == ("type", "ttl") and isinstance(ttl, str) and ttl else None


def write_mark(mark: CacheMark, kind: str) -> Object:
    """A mark as an object of a type."""
    return {"type": kind, "ttl": mark.ttl} if mark.ttl else {"type": kind}
