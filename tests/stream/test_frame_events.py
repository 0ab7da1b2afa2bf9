"""The text of a frame is passed on as soon as its message is known: by its header, or by the beginning of its body."""

from __future__ import annotations

from ocml_bridge.events import Delta, End, Event, Start
from ocml_bridge.model import Message, replace
from ocml_bridge.stream.decoder import LiveLog
from ocml_bridge.stream.frames import Beginning, FrameEvents

ANSWER = Message("assistant", "", channel="final", end=None)
CALL = Message("assistant", "{}", channel="commentary", recipient="functions.f", end="call")


def unless_json(body: str) -> Message | None:
    return None if body.lstrip().startswith("{") else ANSWER


def taken(beginning: Beginning, *pieces: str, until: str | None = None) -> tuple[FrameEvents, list[Event]]:
    log = LiveLog()
    events = FrameEvents(log, 0, beginning, str, until=until)
    for piece in pieces:
        events.take(piece)
    return events, log.take()


def test_a_message_that_the_header_shows_is_passed_on_at_once() -> None:
    events, passed = taken(ANSWER, "Hel", "lo")
    assert passed == [Start(0, ANSWER), Delta(0, "Hel"), Delta(0, "lo")]
    assert (events.running, events.pending) == (0, 0)


def test_a_message_that_only_the_frame_shows_waits() -> None:
    events, passed = taken(None, "Hel", "lo")
    assert passed == []
    assert (events.running, events.pending) == (-1, 5)


def test_a_message_that_the_body_shows_is_passed_on_from_the_first_text_that_is_not_blank() -> None:
    _, passed = taken(unless_json, " ", "\n", "Hel", "{lo")
    assert passed == [Start(0, ANSWER), Delta(0, " \nHel"), Delta(0, "{lo")]


def test_blank_text_waits() -> None:
    events, passed = taken(unless_json, " ", "\n")
    assert passed == []
    assert events.pending == 2


def test_what_the_body_shows_to_be_a_call_waits_for_the_frame() -> None:
    events, passed = taken(unless_json, " ", "{", "}")
    assert passed == []
    assert (events.running, events.pending) == (-1, 3)


def test_a_text_ends_at_a_token_and_the_rest_waits_for_the_frame() -> None:
    events, passed = taken(ANSWER, "Hel", "lo<call>{", "}", until="<call>")
    assert passed == [Start(0, ANSWER), Delta(0, "Hel"), Delta(0, "lo")]
    assert (events.running, events.pending) == (-1, len("<call>{}"))
    text = replace(ANSWER, content="Hello", end="end")
    events.end([text, CALL])
    assert events.log.take() == [
        End(0, text),
        Start(1, replace(CALL, content="", end=None)),
        Delta(1, "{}"),
        End(1, CALL),
    ]


def test_a_frame_that_begins_with_the_token_has_no_text() -> None:
    events, passed = taken(ANSWER, "<call>{}", until="<call>")
    assert passed == []
    events.end([CALL])
    assert events.log.take() == [Start(0, replace(CALL, content="", end=None)), Delta(0, "{}"), End(0, CALL)]
