"""Read and write cache marks of JSON wires: `{"type": …}` or `{"type": …, "ttl": …}`."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..json_values.form import OBJECT, Object
from ..model import CacheMark, Json


def read_mark(value: Json, kind: str) -> CacheMark | None:
    """Return the cache mark of a JSON object; None if it has another type or other members.

    Args:
        value: the JSON value.
        kind: the required value of `type`.
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
    """Return a cache mark as a JSON object of a type."""
    return {"type": kind, "ttl": mark.ttl} if mark.ttl else {"type": kind}


class MarkMember(NamedTuple):
    """A member of objects with their cache mark.

    Attributes:
        key: its key.
        kind: the `type` of the mark.
    """

    key: str
    kind: str

    def read(self, members: Object) -> CacheMark | None:
        """Return the cache mark of an object; None if it has none, or another value."""
        return read_mark(members.get(self.key), self.kind)

    def write(self, mark: CacheMark | None) -> Object:
        """Return the member for a cache mark; an empty object if there is none."""
        return {} if mark is None else {self.key: write_mark(mark, self.kind)}


CONTROL: Final = MarkMember("cache_control", "ephemeral")
"""The member of Anthropic's API, and of other servers of Anthropic's models."""
