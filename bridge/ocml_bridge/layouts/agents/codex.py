"""Read sessions of Codex: rows that hold the items of its requests to the Responses API, among events about them.

Most events repeat an item that is near them. An event that repeats none is read as one: versions differ in what they
keep as items, and a turn that was interrupted has events only.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, cast

from ...loss import Finding
from ...model import Json
from ..columns import SESSION
from ..fitting import as_list, as_object, items_of, members_of, objects_of, without_members
from ..layout import Document, Object, Wording, misshapen, noticed

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
    return any(map(_is_row, rows)) or (bool(rows) and _is_early_head(rows[0]) and any(map(_is_early_row, rows[1:])))


def _is_row(row: Object) -> bool:
    return row.get("type") in _TYPES and isinstance(row.get("payload"), dict)


def _is_early_head(row: Object) -> bool:
    """Return whether a row begins a session of the first versions, whose other rows are the items."""
    return isinstance(row.get("id"), str) and isinstance(row.get("timestamp"), str) and "instructions" in row


def _is_early_row(row: Object) -> bool:
    """Return whether a row of such a session is a message, or the state of the program."""
    return "record_type" in row or (row.get("type") == "message" and isinstance(row.get("content"), list))


def read_codex(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of a session.

    Raises:
        BridgeError: OCB-SHAPE if no row holds an item.
    """
    values = items_of(fields[SESSION])
    read = _read(objects_of(values))
    beside: list[Json] = []
    findings: list[Finding] = []
    for at, value in enumerate(values):
        row = as_object(value)
        if row is None:
            detail = "the line is not a row of a session; it is kept beside the conversation"
        else:
            detail = _CHANGES.get(_kind(row))
        if detail is not None:
            findings.append(noticed(f"/{SESSION}/{at}", detail))
        if left := read[at].rest if at in read else value:
            beside.append(left)
    if not read:
        raise misshapen(f"/{SESSION}", "rows of a session, one with an item at least")
    document: Object = {"input": [read[at].item for at in sorted(read)]}
    return [Document(document, tuple(findings), extra_columns={SESSION: beside} if beside else {})]


class _Read(NamedTuple):
    """An item, and what its row holds besides."""

    item: Object
    rest: Object


def _read(rows: Sequence[Object]) -> dict[int, _Read]:
    """Return the items of a session, by the index of the row that holds each."""
    if not any(map(_is_row, rows)):
        return {at: _Read(row, {}) for at, row in enumerate(rows) if isinstance(row.get("type"), str)}
    found = {
        at: _Read(item, without_members(row, "payload", "type"))
        for at, row in enumerate(rows)
        if (item := _item_of(row))
    }
    known = _Texts()
    known.add({at: (_kind_of(item), _texts_in(item)) for at, (item, _) in found.items()})
    for event_of in (_message_of, _completed_of, _answer_of):
        events = {at: event for at, row in enumerate(rows) if (event := event_of(row)) is not None}
        for at, event in events.items():
            if not known.has(at, event.kind, event.text):
                found[at] = _Read(event.item(), {**rows[at], "payload": event.rest})
        known.add({at: (event.kind, [event.text]) for at, event in events.items()})
    return found


def _item_of(row: Object) -> Object | None:
    """Return the payload of a row if it is an item."""
    item = _payload(row)
    return item if row.get("type") == "response_item" and item.get("type") not in _OF_THE_PROGRAM else None


def _kind_of(item: Object) -> str:
    """Return what an item is: a thought, or who says it."""
    return "reasoning" if item.get("type") == "reasoning" else str(item.get("role"))


def _texts_in(item: Object) -> list[str]:
    """Return the texts of an item: those of a thought's parts, and that of a message."""
    content = item.get("content")
    parts = objects_of(item.get("summary" if _kind_of(item) == "reasoning" else "content"))
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    if _kind_of(item) == "reasoning":
        return texts
    return [content] if isinstance(content, str) else ["".join(texts)]


class _Texts:
    """The texts of items and events, by what they are, in the order of their rows."""

    def __init__(self) -> None:
        self._rows: dict[str, list[int]] = {}
        self._texts: dict[tuple[str, int], list[str]] = {}

    def add(self, rows: Mapping[int, tuple[str, list[str]]]) -> None:
        """Add the texts of rows, each with what it is."""
        for at, (kind, texts) in rows.items():
            self._rows.setdefault(kind, []).append(at)
            self._texts[kind, at] = [text.rstrip() for text in texts]
        for found in self._rows.values():
            found.sort()

    def has(self, at: int, kind: str, text: str) -> bool:
        """Return whether a row near another repeats its text, which that row then does no more.

        It is one of the row's texts, or its last lines, behind context that the program added. In the row next to an
        event, it may be another text, such as a redacted one.
        """
        text = text.rstrip()
        rows = self._rows.get(kind, [])
        place = bisect(rows, at)
        for near in sorted(rows[max(0, place - _NEAR) : place + _NEAR], key=lambda each: abs(each - at)):
            texts = self._texts[kind, near]
            found = next((each for each in texts if each == text or each.endswith(f"\n{text}")), None)
            if found is None and texts and abs(near - at) == 1:
                found = texts[0]
            if found is not None:
                texts.remove(found)
                return True
        return False


_NEAR: Final = 4
"""How many rows before and after an event may be the one that it repeats."""


# --- events -----------------------------------------------------------------------------------------------------------


class _Event(NamedTuple):
    """What an event says.

    Attributes:
        kind: who says it, or `reasoning`.
        text: its text.
        phase: the phase of an answer, if the event has one.
        images: the addresses of images.
        rest: the other members of the event.
    """

    kind: str
    text: str
    rest: Object
    phase: str | None = None
    images: Sequence[str] = ()

    def item(self) -> Object:
        """Return the item that the event stands for."""
        if self.kind == "reasoning":
            return {"type": "reasoning", "summary": [{"type": "summary_text", "text": self.text}]}
        part = {"type": "input_text" if self.kind == "user" else "output_text", "text": self.text}
        images = [{"type": "input_image", "image_url": each} for each in self.images]
        phase = {} if self.phase is None else {"phase": self.phase}
        return {"type": "message", "role": self.kind, **phase, "content": [part, *images]}


_EVENTS: Final = {"user_message": "user", "agent_message": "assistant", "agent_reasoning": "reasoning"}
"""What an event is about, by its type."""
_COMPLETED: Final = {"UserMessage": "user", "AgentMessage": "assistant", "Reasoning": "reasoning"}
"""What an event about a completed item is about, by the type of that."""


def _message_of(row: Object) -> _Event | None:
    """Return what an event about one message says."""
    event = _payload(row)
    kind = _EVENTS.get(str(event.get("type"))) if row.get("type") == "event_msg" else None
    name = "text" if kind == "reasoning" else "message"
    text = event.get(name)
    if kind is None or not isinstance(text, str) or not text.strip():
        return None
    read = {name: text}
    phase, images = event.get("phase"), as_list(event.get("images"))
    if kind == "assistant" and isinstance(phase, str):
        read["phase"] = phase
    if kind == "user" and images and all(isinstance(each, str) for each in images):
        return _Event(kind, text, without_members(event, name, "images"), images=cast("list[str]", images))
    return _Event(kind, text, without_members(event, *read), read.get("phase"))


def _completed_of(row: Object) -> _Event | None:
    """Return what an event about a completed item says; the types of its parts are spelled in two ways."""
    event = _payload(row)
    item = members_of(event.get("item"))
    kind = _COMPLETED.get(str(item.get("type")))
    if row.get("type") != "event_msg" or event.get("type") != "item_completed" or kind is None:
        return None
    name = "summary_text" if kind == "reasoning" else "content"
    parts = items_of(item.get(name))
    texts = [part if isinstance(part, str) else members_of(part).get("text") for part in parts]
    found = [text for text in texts if isinstance(text, str)]
    whole = all(isinstance(part, str) or members_of(part).keys() <= {"type", "text"} for part in parts)
    rest = {**event, "item": without_members(item, name)} if whole and len(found) == len(parts) else event
    return _Event(kind, "".join(found), rest) if found else None


def _answer_of(row: Object) -> _Event | None:
    """Return the answer that an event about the end of a turn repeats."""
    event = _payload(row)
    text = event.get(_ANSWER)
    if row.get("type") != "event_msg" or not isinstance(text, str) or not text.strip():
        return None
    return _Event("assistant", text, without_members(event, _ANSWER))


_ANSWER: Final = "last_agent_message"


def _payload(row: Object) -> Object:
    return members_of(row.get("payload"))


def _kind(row: Object) -> str:
    """Return the type of a row; of an event, the event's."""
    return str(_payload(row).get("type") if row.get("type") == "event_msg" else row.get("type"))
