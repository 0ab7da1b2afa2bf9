"""Law 10: what is hidden from end users is not shown to them, in any output, stream or view (docs/loss.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocml_adapters.chatml.plain import Frames
from ocml_bridge import Message, Transcript, formats, read, verify, write
from ocml_bridge.chat.visibility import DEBUG, END_USER, exposed_messages, is_private
from ocml_bridge.events import Event
from ocml_bridge.formats.adapter import Adapter, Kind
from ocml_bridge.loss import Log
from ocml_bridge.model import Text, Thought
from ocml_bridge.pipe import Pipe, decoder, encoder, streams
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.stream import replay
from ocml_bridge.testing import laws, visibility
from ocml_bridge.testing.trial import LawBrokenError, Trial
from ocml_bridge.testing.visibility import SECRET
from ocml_bridge.view import view_of
from ocml_bridge.view.compare import compare
from sampling import Pairs, examples, some_pairs

FORMATS = formats()
TEXTS = tuple(name for name in streams()[0] if name in FORMATS and adapter(name)[0].kind is Kind.TEXT)
CLIENTS = tuple(name for name in streams()[1] if name not in TEXTS)
PRIVATE = Message("assistant", f"{SECRET}1", channel="thoughts")
ANSWER = Message("assistant", "Four.", channel="final")


@given(visibility.documents())
@examples(60)
def test_all_laws_are_kept_for_channels_and_intents_of_any_spelling(document: Transcript) -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    for target in FORMATS:
        laws.all_laws(document, target)


@given(visibility.documents(), some_pairs())
@examples(25)
def test_hidden_text_is_not_shown_for_any_ordered_pair(document: Transcript, pairs: Pairs) -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    for source, targets in pairs.items():
        known = read(write(document, source, policy=LENIENT).encode(), source).transcript
        for target in targets:
            visibility.visibility(Trial(known, target))


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("recipient", ["user", "assistant", "all"])
def test_text_hidden_by_an_intent_stays_hidden_if_a_participant_is_addressed(recipient: str, target: str) -> None:
    if target == "harmony-tokens":
        pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    hidden = Message("assistant", f"{SECRET}1", channel="final", recipient=recipient, intent="status")
    laws.all_laws(Transcript((hidden,)), target)


@pytest.mark.long
@given(visibility.documents())
@settings(max_examples=5000)
def test_all_laws_are_kept_for_channels_and_intents_of_any_spelling_at_length(document: Transcript) -> None:
    for target in FORMATS:
        laws.all_laws(document, target)


# --- a format that breaks it ------------------------------------------------------------------------------------------


class Leaking(Frames):
    """Frames that show all texts of the assistant."""

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        return super().nearest(replace(message, channel="final", intent=None), index, log)


def leaking() -> Adapter:
    return replace(adapter("chatml")[0], writes_units=Leaking)


def test_a_format_that_shows_hidden_text_breaks_the_law() -> None:
    trial = Trial(Transcript((PRIVATE, ANSWER)), leaking())
    with pytest.raises(LawBrokenError, match="law of visibility, in chatml") as caught:
        visibility.visibility(trial)
    assert "/messages/0 is shown" in str(caught.value)


def test_verify_reports_hidden_text_that_is_shown_even_if_a_loss_names_the_channel() -> None:
    document = Transcript((PRIVATE, ANSWER))
    result = write(document, leaking(), policy=LENIENT)
    assert "/messages/0/channel" in {loss.path for loss in result.losses}
    assert [(loss.code, loss.path) for loss in verify(document, result)] == [("channel", "/messages/0")]


def test_hidden_text_that_moved_into_a_shown_message_is_found() -> None:
    moved = Transcript((Message("assistant", "Four.", channel="final"), Message("user", PRIVATE.content)))
    assert exposed_messages(Transcript((ANSWER, PRIVATE)), moved, [0]) == [1]
    assert exposed_messages(Transcript((ANSWER, PRIVATE, moved.messages[1])), moved, [0, 2]) == []


def test_a_text_before_a_thought_marker_may_be_shown() -> None:
    document = Transcript((Message("assistant", (Text("Hi"), Thought("reflect"))),))
    assert exposed_messages(document, document, [0]) == []


# --- the rule ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("private", "message"),
    [
        (False, Message("assistant", "x")),
        (False, Message("assistant", "x", channel="final")),
        (False, Message("assistant", "x", channel="Final ")),
        (False, Message("assistant", "x", channel="commentary", intent="preamble")),
        (True, Message("assistant", "x", channel="commentary")),
        (True, Message("assistant", "x", channel="commentary", intent="status")),
        (True, Message("assistant", "x", channel="final", intent="debug")),
        (True, Message("assistant", "x", channel="analysis")),
        (True, Message("assistant", "x", channel="analysis??")),
        (True, Message("assistant", "x", channel="anything")),
        (True, Message("assistant", "x", channel="")),
        (True, Message("assistant", (Text("x"), Thought("reason"), Text("y")), channel="final")),
        (True, Message("narrator", "x", channel="analysis")),
        (False, Message("assistant", "{}", channel="analysis", recipient="functions.f")),
        (False, Message("tool", "x", channel="analysis")),
        (False, Message("user", "x", channel="analysis")),
    ],
    ids=str,
)
def test_an_assistants_text_is_private_unless_its_channel_is_known_to_be_shown(private: bool, message: Message) -> None:
    assert is_private(message) is private


# --- streams and views ------------------------------------------------------------------------------------------------


@given(visibility.documents(), st.sampled_from(TEXTS), st.sampled_from(CLIENTS), st.integers(1, 40))
def test_nothing_hidden_is_streamed_to_a_client(document: Transcript, source: str, client: str, size: int) -> None:
    text = write(document, source, policy=LENIENT).output
    assert isinstance(text, str)
    pipe = Pipe(decoder(source), encoder(client))
    out = b"".join([*(pipe.feed(text[at : at + size]) for at in range(0, len(text), size)), pipe.finish("stop")])
    assert SECRET.encode() not in out


@given(visibility.documents(), st.sampled_from(CLIENTS))
def test_hidden_text_of_a_replayed_transcript_is_not_streamed_to_a_client(document: Transcript, client: str) -> None:
    assert SECRET.encode() not in b"".join(encoder(client).encode(replay(document, "stop")))


EVENTS: tuple[Event, ...] = tuple(replay(Transcript((PRIVATE, ANSWER)), "stop"))


@pytest.mark.parametrize("client", CLIENTS)
def test_an_encoder_for_clients_hides_text_without_an_option(client: str) -> None:
    def is_shown(**asked: Any) -> bool:
        made = encoder(client, **asked)
        return SECRET.encode() in b"".join([*made.encode(EVENTS), *made.finish()])

    assert not is_shown()
    assert not is_shown(visibility=END_USER)
    assert is_shown(visibility=DEBUG) or client == "ocm-2.2-events"  # these events have none for such a channel


@pytest.mark.parametrize("text", TEXTS)
def test_an_encoder_of_a_text_format_writes_all_text_like_its_batch_writer(text: str) -> None:
    output = b"".join(encoder(text).encode(EVENTS)).decode()
    assert (SECRET in output) == (SECRET in str(write(Transcript((PRIVATE, ANSWER)), text).output))


@pytest.mark.parametrize("shown", [False, True])
def test_the_visibility_of_a_pipe_replaces_that_of_its_encoder(shown: bool) -> None:
    text = f"<|channel|>thoughts<|message|>{SECRET}<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>"
    made = encoder("openai-sse", visibility=END_USER if shown else DEBUG)
    pipe = Pipe(decoder("harmony"), made, DEBUG if shown else END_USER)
    assert (SECRET.encode() in pipe.feed(text)) is shown


@given(visibility.documents(), st.sampled_from(FORMATS))
@examples(50)
def test_no_view_shows_hidden_text(document: Transcript, target: str) -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    assert SECRET not in repr(view_of(document))
    compared = compare(document, target)
    assert SECRET not in repr(compared)
    exposed = [row.index for row in compared.rows if row.exposed]
    assert not [index for index in exposed if is_private(document.messages[index])]
