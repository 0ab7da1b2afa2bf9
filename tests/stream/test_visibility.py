"""Who sees what of a stream (OpenChatML 2.2 §4, §5, §9, §11): what is hidden stays hidden, but for those who debug."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, ErrorCode, Message, Transcript
from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import APPLICATION, DEBUG, END_USER, NAMES, Visibility
from ocml_bridge.events import Delta, End, Event, RefusalDelta, Start, Stop
from ocml_bridge.loss import Finding, FindingCode, Severity
from ocml_bridge.model import Refusal
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.stream import Filter, replay
from ocml_bridge.testing.strategies import transcripts

ROLES = ("system", "developer", "user", "assistant", "tool", "functions.f", "System", "narrator")
CHANNELS = (None, "", "final", "commentary", "analysis", "Analysis", "inner")
INTENTS = (None, "preamble", "status", "debug", "other")
RECIPIENTS = (None, "assistant", "user", "functions.f", "python")
MESSAGES = st.builds(
    Message,
    st.sampled_from(ROLES),
    st.just("text"),
    channel=st.sampled_from(CHANNELS),
    recipient=st.sampled_from(RECIPIENTS),
    intent=st.sampled_from(INTENTS),
)


def passed(message: Message, visibility: Visibility) -> bool:
    events = Filter(visibility).apply(replay(Transcript((message,)), "stop"))
    kinds = [type(event) for event in events]
    assert kinds in ([Start, Delta, End, Stop], [Stop]), "the whole of a message, or nothing of it"
    return len(kinds) > 1


# --- asking -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(NAMES))
def test_hidden_channels_are_not_to_be_had_without_debug(name: str) -> None:
    with pytest.raises(BridgeError) as error:
        Filter(Visibility(frozenset({name})))
    assert error.value.code is ErrorCode.PERM_VISIBILITY
    Filter(Visibility(frozenset({name}), debug=True))


@given(st.frozensets(st.sampled_from(sorted(NAMES)), min_size=1))
def test_nor_any_of_them_together(names: frozenset[str]) -> None:
    with pytest.raises(BridgeError, match="E-PERM-VISIBILITY"):
        Visibility(names)


def test_a_channel_that_is_not_hidden_cannot_be_requested() -> None:
    with pytest.raises(BridgeError, match="OCB-OPTION"):
        Visibility(frozenset({"final"}), debug=True)


# --- what passes ------------------------------------------------------------------------------------------------------


@given(MESSAGES)
def test_only_final_messages_and_preambles_pass_by_default(message: Message) -> None:
    """Written as §4, §5 and §6 have it, and not by the table of rules."""
    hidden_role = message.role.lower() in ("system", "developer", "tool") or message.role.startswith("functions.")
    final = message.channel in (None, "final") and message.intent not in ("status", "debug")
    preamble = message.role == "assistant" and message.channel == "commentary" and message.intent == "preamble"
    assert passed(message, END_USER) == ((final or preamble) and not hidden_role and not is_call(message))


@given(MESSAGES)
def test_nothing_is_hidden_from_those_who_debug(message: Message) -> None:
    assert passed(message, DEBUG)


@given(MESSAGES, st.frozensets(st.sampled_from(sorted(NAMES))))
def test_requested_kinds_pass_and_nothing_else(message: Message, names: frozenset[str]) -> None:
    wanted = Visibility(names, debug=True)
    assert passed(message, wanted) == (passed(message, END_USER) or wanted.hides(message) is None)
    assert passed(message, wanted) or not passed(message, END_USER)


def test_an_application_sees_calls_but_no_thoughts() -> None:
    call = Message("assistant", "{}", channel="commentary", recipient="functions.f", end="call")
    assert passed(call, APPLICATION)
    assert not passed(Message("assistant", "hm", channel="analysis"), APPLICATION)
    assert not passed(Message("system", "x"), APPLICATION)


@given(transcripts())
def test_of_any_transcript_no_event_of_a_hidden_message_passes(document: Transcript) -> None:
    hidden = {at for at, message in enumerate(document.messages) if END_USER.hides(message) is not None}
    events = Filter().apply(replay(document))
    numbers = {event.number for event in events if isinstance(event, (Start, Delta, RefusalDelta, End))}
    assert not numbers & hidden
    assert numbers | hidden == set(range(len(document.messages)))


def test_a_refusal_is_hidden_with_its_message() -> None:
    message = Message("assistant", (Refusal("No."),), channel="analysis")
    assert [type(event) for event in Filter().apply(replay(Transcript((message,))))] == [Stop]


def test_findings_and_the_end_pass_always() -> None:
    found = Finding(FindingCode.HEADER_ABSENT, Severity.LAYOUT, "/header", "")
    stop = Stop("stop", Transcript())
    assert Filter().apply([found, stop]) == [found, stop]


def test_overlapping_messages_are_filtered_one_by_one() -> None:
    """Within one wire message one begins before the other has ended."""
    thought = Message("assistant", "", channel="analysis", end=None)
    answer = Message("assistant", "", channel="final", end=None, continues=True)

    def overlapping() -> Iterator[Event]:
        yield from (Start(0, thought), Delta(0, "secret"), Start(1, answer), Delta(0, "secret"), Delta(1, "4."))
        yield from (End(0, thought), End(1, answer))

    apart = Filter()
    events = [event for one in overlapping() for event in apart.apply([one])]
    assert events == [Start(1, answer), Delta(1, "4."), End(1, answer)]


# --- in a pipe --------------------------------------------------------------------------------------------------------

SECRETS = (
    "<|start|>system<|message|>secret<|end|>\n<|start|>assistant<|channel|>analysis<|message|>secret<|end|>\n"
    "<|start|>assistant to=functions.f call_id=c<|channel|>commentary<|message|>secret<|call|>\n"
    "<|start|>tool name=f call_id=c<|channel|>commentary<|message|>secret<|end|>\n"
    "<|start|>assistant<|channel|>commentary<|message|>secret<|end|>\n"
    "<|start|>assistant<|channel|>final<|message|>open<|return|>"
)


@pytest.mark.parametrize("target", ["ocm-2.2", "ocm-2.2-events"])
def test_no_byte_of_a_hidden_message_leaves_a_pipe(target: str) -> None:
    pipe = Pipe(decoder("ocm-2.2"), encoder(target), END_USER)
    out = b"".join([*map(pipe.feed, SECRETS), pipe.finish()])
    assert b"secret" not in out
    assert b"o" in out


@pytest.mark.parametrize(
    ("target", "hides"), [("ocm-2.2", False), ("chatml:hermes", False), ("ocm-2.2-events", True), ("openai-sse", True)]
)
def test_a_stream_for_clients_hides_thoughts_unasked_and_a_text_does_not(target: str, hides: bool) -> None:
    pipe = Pipe(decoder("ocm-2.2"), encoder(target))
    thought = "<|start|>assistant<|channel|>analysis<|message|>secret<|end|>\n"
    out = pipe.feed(thought + "<|start|>assistant<|channel|>final<|message|>open<|return|>") + pipe.finish()
    assert b"open" in out
    assert (b"secret" in out) is not hides
