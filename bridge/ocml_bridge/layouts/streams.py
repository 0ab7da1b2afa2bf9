"""Read recorded streams: lists of the events or chunks of an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ..events import Stop
from ..json_values import jsontext
from ..loss import Finding
from ..model import Json
from ..model.codec import to_json
from ..pipe import decoder
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, misshapen

EVENTS: Final = "events"
"""The field of the list."""
_FIRST_EVENTS: Final[dict[str, Callable[[Object], bool]]] = {
    "openai-sse": lambda event: event.get("object") == "chat.completion.chunk",
    "anthropic-sse": lambda event: event.get("type") == "message_start",
    "openai-responses-sse": lambda event: event.get("type") in ("response.created", "response.in_progress"),
    "bedrock-converse": lambda event: "messageStart" in event,
    "gemini-sse": lambda event: "candidates" in event and "usageMetadata" in event,
}
"""The predicate of the first event of each stream, by the stream's id."""


def stream_of(events: Json) -> str | None:
    """Return the id of the stream that a list records; None for any other list."""
    items = as_list(events)
    first = as_object(items[0]) if items else None
    if first is None:
        return None
    return next((name for name, begins in _FIRST_EVENTS.items() if begins(first)), None)


def is_stream(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold the events of a stream."""
    return stream_of(fields.get(EVENTS)) is not None


def read_stream(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the answer that was streamed.

    Raises:
        BridgeError: OCB-SHAPE if the list is not a stream, or as its decoder raises it.
    """
    stream = stream_of(fields[EVENTS])
    if stream is None:
        raise misshapen(f"/{EVENTS}", "the events of an answer, from the first one on")
    reads = decoder(stream)
    events = [*reads.feed(jsontext.dumps(fields[EVENTS])), *reads.finish(None)]
    [end] = [event for event in events if isinstance(event, Stop)]
    return [Document(to_json(end.document), tuple(event for event in events if isinstance(event, Finding)))]
