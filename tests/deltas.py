"""What a stream passes on of each message."""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.events import Delta, Event, Start


def texts_of(events: Sequence[Event]) -> dict[int, str]:
    """Return the deltas of each message that begins, by its number."""
    texts: dict[int, str] = {}
    for event in events:
        if isinstance(event, Start):
            texts[event.number] = ""
        elif isinstance(event, Delta):
            texts[event.number] += event.text
    return texts
