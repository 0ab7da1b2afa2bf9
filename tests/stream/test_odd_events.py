"""An event with a member that is missing, null, of another type, or unknown: no word of it is lost in silence."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from ocml_bridge import write
from ocml_bridge.loss import Finding
from ocml_bridge.pipe import decoder
from ocml_bridge.stream import accumulate
from ocml_bridge.testing.streams import Decoded, check_order, events_of
from stream_pieces import ARRIVING
from test_odd_members import odd, words

KINDS = [(stream, kind) for stream, kinds in ARRIVING.items() for kind in kinds]
TOLD_AGAIN: dict[str, frozenset[str]] = {
    "openai-sse": frozenset({"id", "object", "model"}),
    "openai-responses-sse": frozenset({"item_id", "output_index"}),
    "anthropic-sse": frozenset({"stop_reason", "usage"}),
    "gemini-sse": frozenset({"responseId", "modelVersion", "stringValue"}),
    "bedrock-converse": frozenset(),
}
"""Members that several events have: one of them counts."""
ANNOUNCING = (".created", ".added", "_part.done", ".in_progress", "web_search_call.completed")
"""Ends of the types of events that another event, which says that something is done, tells again."""
PASSED_OVER = frozenset({"ping", "w100"})
"""Types of events that say nothing, or that nobody knows."""


def sent(stream: str, event: Any) -> str:
    text = json.dumps(event)
    return f"{text}\n" if stream == "bedrock-converse" else f"data: {text}\n\n"


def told(stream: str, event: Any) -> set[str]:
    """The words that an event says, and no other event says again or says otherwise."""
    kind = str(event.get("type", ""))
    if kind.endswith(ANNOUNCING) or kind in PASSED_OVER:
        return set()
    return {word for word, _ in words(_without(event, TOLD_AGAIN[stream]))}


def _without(value: Any, keys: frozenset[str]) -> Any:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {key: _without(member, keys) for key, member in members.items() if key not in keys}
    return [_without(item, keys) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def read(stream: str, events: list[Any]) -> Decoded:
    """What a stream says, which is the same in one piece and event by event."""
    pieces = [sent(stream, event) for event in events]
    decoded = events_of(decoder(stream), pieces)
    assert decoded == events_of(decoder(stream), ["".join(pieces)])
    check_order(decoded.events)
    assert accumulate(decoded.events) == decoded.stop.document
    return decoded


def lost(stream: str, events: list[Any], decoded: Decoded) -> set[str]:
    """The words of events that are not in the document."""
    document = write(decoded.stop.document, "canonical").output
    return {word for event in events for word in told(stream, event)} - {word for word, _ in words(document)}


def findings(decoded: Decoded) -> list[Finding]:
    return [event for event in decoded.events if isinstance(event, Finding)]


@pytest.mark.parametrize(("stream", "kind"), KINDS)
def test_an_answer_is_read_whole_and_without_a_finding(stream: str, kind: str) -> None:
    events = ARRIVING[stream][kind]
    decoded = read(stream, events)
    assert findings(decoded) == []
    assert lost(stream, events, decoded) == set()


@pytest.mark.parametrize(("stream", "kind"), KINDS)
def test_no_word_of_an_odd_event_is_lost_in_silence(stream: str, kind: str) -> None:
    events = ARRIVING[stream][kind]
    for at, event in enumerate(events):
        for name, changed in [*odd(event)][1 + at % 2 :: 2]:  # half of the ways by turns: they are many
            said = [*events[:at], changed, *events[at + 1 :]]
            decoded = read(stream, said)
            gone = lost(stream, said, decoded)
            assert not gone or findings(decoded), (at, name, gone)
