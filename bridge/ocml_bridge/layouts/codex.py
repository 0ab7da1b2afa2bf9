"""Read sessions of Codex: rows that hold the items of its requests to the Responses API, among events about them.

Events repeat what the items say. They are read only if a session has no message among its items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ..loss import Finding
from ..model import Json
from .claude_code import SESSION
from .fitting import as_list, as_object, objects_of
from .layout import Document, Object, Wording, misshapen, noticed

_TYPES: Final = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
"""The types of rows that only sessions have."""
_OF_THE_PROGRAM: Final = ("ghost_snapshot",)
"""Items that the model is not given."""
_CHANGES: Final = {
    "compacted": "the model was given a summary instead of what comes before",
    "thread_rolled_back": "the user took back turns before this; they are read",
}
"""What rows say of the items before them, by the type of the row or of its event."""


def is_codex(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold rows of a session."""
    rows = objects_of(fields.get(SESSION))
    return any(map(_is_row, rows)) or (bool(rows) and _is_early_head(rows[0]))


def _is_row(row: Object) -> bool:
    return row.get("type") in _TYPES and isinstance(row.get("payload"), dict)


def _is_early_head(row: Object) -> bool:
    """Return whether a row begins a session of the first versions, whose other rows are the items."""
    return isinstance(row.get("id"), str) and isinstance(row.get("timestamp"), str) and "instructions" in row


def read_codex(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of a session.

    Raises:
        BridgeError: OCB-SHAPE if no row holds an item.
    """
    values = as_list(fields[SESSION]) or []
    items: list[Json] = []
    beside: list[Json] = []
    findings: list[Finding] = []
    item_of = _reader(objects_of(values))
    for at, value in enumerate(values):
        row = as_object(value)
        item = None if row is None else item_of(row)
        if row is None:
            detail = "the line is not a row of a session; it is kept beside the conversation"
        else:
            detail = _CHANGES.get(_kind(row))
        if detail is not None:
            findings.append(noticed(f"/{SESSION}/{at}", detail))
        if item is not None:
            items.append(item)
        if left := value if row is None or item is None else _rest(row):
            beside.append(left)
    if not items:
        raise misshapen(f"/{SESSION}", "rows of a session, one with an item at least")
    return [Document({"input": items}, tuple(findings), extra_columns={SESSION: beside} if beside else {})]


_Reads = Callable[[Object], Object | None]
"""Returns the item of a row; None if it has none."""


def _reader(rows: Sequence[Object]) -> _Reads:
    """Return how the rows of a session hold items: as their payload, as themselves, or in events."""
    if not any(map(_is_row, rows)):
        return lambda row: row if isinstance(row.get("type"), str) else None
    if any((_item_of(row) or {}).get("type") == "message" for row in rows):
        return _item_of
    reads = _message_of if any(_message_of(row) for row in rows) else _completed_of
    return lambda row: _item_of(row) or reads(row)


def _item_of(row: Object) -> Object | None:
    """Return the payload of a row if it is an item."""
    item = _payload(row)
    return item if row.get("type") == "response_item" and item.get("type") not in _OF_THE_PROGRAM else None


def _message_of(row: Object) -> Object | None:
    """Return the item of an event about one message."""
    event = _payload(row)
    kind = event.get("type") if row.get("type") == "event_msg" else None
    text = event.get(_TEXTS.get(str(kind), ""))
    return _ITEMS[str(kind)](text) if isinstance(text, str) else None


def _completed_of(row: Object) -> Object | None:
    """Return the item of an event about an item that was completed; its types are spelled in another way."""
    event = _payload(row)
    item = as_object(event.get("item")) or {}
    kind = _COMPLETED.get(str(item.get("type")))
    if row.get("type") != "event_msg" or event.get("type") != "item_completed" or kind is None:
        return None
    parts = as_list(item.get("content")) or as_list(item.get("summary_text")) or []
    texts = [part if isinstance(part, str) else (as_object(part) or {}).get("text") for part in parts]
    found = [text for text in texts if isinstance(text, str)]
    return _ITEMS[kind]("".join(found)) if found and len(found) == len(texts) else None


def _rest(row: Object) -> Object:
    """Return what a row holds besides its item: for a message of an event, its other members."""
    if "payload" not in row:
        return {}
    text = _TEXTS.get(_kind(row), "item")
    event = {name: value for name, value in _payload(row).items() if row.get("type") == "event_msg" and name != text}
    others = {name: value for name, value in row.items() if name not in ("payload", "type")}
    return {**others, **({"payload": event} if event else {})}


def _payload(row: Object) -> Object:
    return as_object(row.get("payload")) or {}


def _kind(row: Object) -> str:
    """Return the type of a row; of an event, the event's."""
    return str(_payload(row).get("type") if row.get("type") == "event_msg" else row.get("type"))


_TEXTS: Final = {"user_message": "message", "agent_message": "message", "agent_reasoning": "text"}
"""The member with the text of an event, by the event's type."""
_COMPLETED: Final = {"UserMessage": "user_message", "AgentMessage": "agent_message", "Reasoning": "agent_reasoning"}
"""The event that says the same, by the type of a completed item."""
_ITEMS: Final[dict[str, Callable[[str], Object]]] = {
    "user_message": lambda text: _message("user", "input_text", text),
    "agent_message": lambda text: _message("assistant", "output_text", text),
    "agent_reasoning": lambda text: {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]},
}
"""Makes the item of an event, by the event's type."""


def _message(role: str, kind: str, text: str) -> Object:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
