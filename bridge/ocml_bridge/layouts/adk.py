"""Read sessions of Google's Agent Development Kit, whose events hold contents of Gemini."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..model import Json
from .fitting import as_list, as_object, objects_of
from .layout import Document, Object, Wording, misshapen
from .trees import NODES, rest

EVENTS: Final = "events"
_CONTENT: Final = "content"
_INVOCATIONS: Final = ("invocation_id", "invocationId")
"""The names of the id of a run; a session stored by Python has the first, one of the server the second."""


def are_events(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold events with an author, one of which has a content."""
    events = as_list(fields.get(EVENTS)) or []
    return all(map(_is_event, events)) and any(map(_parts, objects_of(events)))


def _is_event(value: Json) -> bool:
    event = as_object(value) or {}
    return isinstance(event.get("author"), str) and any(key in event for key in _INVOCATIONS)


def _parts(event: Object) -> list[Json] | None:
    return as_list((as_object(event.get(_CONTENT)) or {}).get("parts"))


def read_events(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation as contents of Gemini, with what else the events say in a column.

    Raises:
        BridgeError: OCB-SHAPE if no event has a content.
    """
    events = objects_of(fields[EVENTS])
    contents = [event[_CONTENT] for event in events if _parts(event)]
    if not contents:
        raise misshapen(f"/{EVENTS}", "an event with a content")
    nodes: list[Json] = [rest(event, (_CONTENT,) if _parts(event) else ()) for event in events]
    return [Document({"contents": contents}, extra_columns={NODES: nodes})]
