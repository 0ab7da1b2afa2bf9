"""Messages one after the other, in whichever order their events came."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge.events import Delta, End, Event, Start, Stop
from ocml_bridge.model import Message, Transcript
from ocml_bridge.stream.order import InOrder
from ocml_bridge.testing.encoding import check_encoding

BEGUN = Message("assistant", "", channel="final", end=None)
STOP = Stop("stop", Transcript())


def test_events_of_a_later_message_wait() -> None:
    order = InOrder()
    assert order.take([Start(0, BEGUN), Delta(0, "a"), Start(1, BEGUN), Delta(1, "x")]) == [
        Start(0, BEGUN),
        Delta(0, "a"),
    ]
    assert order.take([Delta(0, "b"), Start(2, BEGUN), End(1, BEGUN)]) == [Delta(0, "b")]
    assert order.take([End(0, BEGUN), Delta(2, "y")]) == [
        *(End(0, BEGUN), Start(1, BEGUN), Delta(1, "x"), End(1, BEGUN)),
        *(Start(2, BEGUN), Delta(2, "y")),
    ]


def test_a_message_that_never_ends_is_cut_off() -> None:
    assert InOrder().take([Start(0, BEGUN), Start(1, BEGUN), Delta(1, "x"), STOP]) == [
        *(Start(0, BEGUN), End(0, BEGUN), Start(1, BEGUN), Delta(1, "x"), End(1, BEGUN)),
        STOP,
    ]


@st.composite
def tellings(draw: st.DrawFn) -> list[Event]:
    """Messages that begin in order and end in order, with texts anywhere between."""
    events: list[Event] = []
    begun = ended = 0
    for _ in range(draw(st.integers(0, 24))):
        what = draw(st.sampled_from(("start", "delta", "delta", "end")))
        if what == "start":
            events.append(Start(begun, BEGUN))
            begun += 1
        elif begun > ended and what == "delta":
            events.append(Delta(draw(st.integers(ended, begun - 1)), draw(st.sampled_from("ab"))))
        elif begun > ended:
            events.append(End(ended, BEGUN))
            ended += 1
    return [*events, STOP]


@given(tellings())
def test_nothing_is_left_out_and_nothing_is_mixed(events: list[Event]) -> None:
    order = InOrder()
    ordered = [event for one in events for event in order.take([one])]
    numbers = [event.number for event in ordered if isinstance(event, (Start, Delta, End))]
    assert numbers == sorted(numbers)
    assert [event for event in ordered if not isinstance(event, End)] == sorted(
        (event for event in events if not isinstance(event, End)), key=_place
    )
    assert sum(isinstance(event, End) for event in ordered) == sum(isinstance(event, Start) for event in events)


def _place(event: Event) -> float:
    return event.number if isinstance(event, (Start, Delta)) else float("inf")


def test_a_reply_does_not_wait_for_that_of_another_tool_if_it_names_its_own() -> None:
    calls = [Message("assistant", "{}", recipient=f"functions.{tool}", call_id=tool, end="call") for tool in "fg"]
    replies = [Message("tool", tool, f"functions.{tool}", "commentary", "assistant", tool) for tool in "gf"]
    text = check_encoding(Transcript((*calls, *replies)), "harmony")
    assert text.index("functions.g to=assistant") < text.index("functions.f to=assistant")
