"""An event with a member that is missing, null, of another type, or unknown: no word of it is lost in silence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest

from ocml_bridge import Transcript, write
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Answer, Delta, RefusalDelta, Start
from ocml_bridge.loss import Finding
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.report.report import unnamed
from ocml_bridge.stream import accumulate
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.testing.streams import Decoded, check_order, events_of
from sampling import sweep
from stream_pieces import ARRIVING
from test_odd_members import SENTENCE, odd, words

KINDS = [(stream, kind) for stream, kinds in ARRIVING.items() for kind in kinds]
REPEATED: dict[str, frozenset[str]] = {
    "openai-sse": frozenset({"id", "object", "model"}),
    "openai-responses-sse": frozenset({"item_id", "output_index"}),
    "anthropic-sse": frozenset({"stop_reason", "usage"}),
    "gemini-sse": frozenset({"responseId", "modelVersion", "stringValue"}),
    "bedrock-converse": frozenset(),
}
"""Members that several events have: one of them counts."""
ANNOUNCING = (".created", ".added", "_part.done", ".in_progress", "web_search_call.completed")
"""Ends of the types of events whose contents a later event repeats, when something is done."""
PASSED_OVER = frozenset({"ping", "w100"})
"""Types of events without contents, or unknown ones."""


def sent(stream: str, event: Any) -> str:
    text = json.dumps(event)
    return f"{text}\n" if stream == "bedrock-converse" else f"data: {text}\n\n"


def own_words(stream: str, event: Any) -> set[str]:
    """The words of an event that no other event repeats or spells otherwise."""
    kind = str(event.get("type", ""))
    if kind.endswith(ANNOUNCING) or kind in PASSED_OVER:
        return set()
    return {word for word, _ in words(_without(event, REPEATED[stream]))}


def _without(value: Any, keys: frozenset[str]) -> Any:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {key: _without(member, keys) for key, member in members.items() if key not in keys}
    return [_without(item, keys) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def read(stream: str, events: list[Any]) -> Decoded:
    """What a stream reads as, which is the same in one piece and event by event."""
    pieces = [sent(stream, event) for event in events]
    decoded = events_of(decoder(stream), pieces)
    assert decoded == events_of(decoder(stream), ["".join(pieces)])
    check_order(decoded.events)
    begun = [event.message for event in decoded.events if isinstance(event, Start)]
    assert all(text_of(message) == "" for message in begun)
    assert all(message.channel is not None for message in begun if message.role == "assistant")
    assert [finding.detail for finding in findings(decoded) if not SENTENCE.match(finding.detail)] == []
    assert accumulate(decoded.events) == decoded.stop.document
    return decoded


def ways(stream: str, kind: str) -> Iterator[tuple[str, list[Any]]]:
    """The events of an answer with one that is odd, left out, or sent twice; and what is odd."""
    events = ARRIVING[stream][kind]
    for at, event in enumerate(events):
        before, behind = events[:at], events[at + 1 :]
        yield f"{at}: gone", [*before, *behind]
        yield f"{at}: twice", [*before, event, event, *behind]
        for name, changed in [*odd(event)][1 + at % 2 :: 2]:  # half of the ways by turns: they are many
            yield f"{at}: {name}", [*before, changed, *behind]


def lost(stream: str, events: list[Any], decoded: Decoded) -> set[str]:
    """The words of events that are not in the document."""
    document = json.dumps(write(decoded.stop.document, "canonical").output)
    return {word for event in events for word in own_words(stream, event)} - set(re.findall(r"w\d+", document))


def findings(decoded: Decoded) -> list[Finding]:
    return [event for event in decoded.events if isinstance(event, Finding)]


@pytest.mark.parametrize(("stream", "kind"), KINDS)
def test_an_answer_is_read_whole_and_without_a_finding(stream: str, kind: str) -> None:
    events = ARRIVING[stream][kind]
    decoded = read(stream, events)
    assert findings(decoded) == []
    assert lost(stream, events, decoded) == set()


@pytest.mark.sweep
@pytest.mark.parametrize(("stream", "kind"), KINDS)
def test_no_word_of_an_odd_event_is_lost_in_silence(stream: str, kind: str) -> None:
    for name, events in sweep(ways(stream, kind), 5):
        decoded = read(stream, events)
        gone = lost(stream, events, decoded)
        assert not gone or findings(decoded), (name, gone)


AT_ONCE = {"text": ("w1 ", "w2"), "thoughts": ("w1 ", "w2"), "summary": ("w1 ", "w2"), "refusal": ("w1",)}
"""What an answer has → its words that are in the deltas of the first event that has them; others may wait."""


@pytest.mark.parametrize(("stream", "kind"), [(stream, kind) for stream, kind in KINDS if kind in AT_ONCE])
def test_deltas_of_texts_and_thoughts_arrive_at_once(stream: str, kind: str) -> None:
    made = decoder(stream)
    deltas = [
        "".join(each.text for each in made.feed(sent(stream, event)) if isinstance(each, (Delta, RefusalDelta)))
        for event in ARRIVING[stream][kind]
    ]
    for word in AT_ONCE[kind]:
        first = next(at for at, event in enumerate(ARRIVING[stream][kind]) if word.strip() in json.dumps(event))
        assert word.strip() in deltas[first]


@pytest.mark.parametrize(("stream", "kind"), [(stream, kind) for stream, kind in KINDS if kind != "two answers"])
def test_an_answer_through_its_own_stream_is_the_same_or_its_losses_are_reported(stream: str, kind: str) -> None:
    pieces = [sent(stream, event) for event in ARRIVING[stream][kind]]
    before = events_of(decoder(stream), pieces).stop.document
    made = encoder(stream, answer=Answer("r", "m"), visibility=DEBUG)
    pipe = Pipe(decoder(stream), made)
    written = b"".join(pipe.feed(piece) for piece in pieces) + pipe.finish()
    after = events_of(decoder(stream), [written]).stop.document
    assert isinstance(before, Transcript)
    assert isinstance(after, Transcript)
    found = [each.path for each in unnamed(before, after, made.losses)]
    assert [path for path in found if path.startswith("/messages/") and "/layout" not in path] == []
