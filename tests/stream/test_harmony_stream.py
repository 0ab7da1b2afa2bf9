"""Harmony text as it arrives and as it is written: read as the whole is, written as the whole is."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.test_harmony_malformed import FILES, MALFORMED, corpus_cases
from ocml_bridge import BridgeError, LossCode, Message, Options, Tool, Transcript, read, write
from ocml_bridge.events import Delta, End, Start
from ocml_bridge.model import Text, Tools
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.stream import replay
from ocml_bridge.testing.encoding import check_encoding, encoded, in_pieces, order_of, plain, run
from ocml_bridge.testing.strategies import transcripts
from ocml_bridge.testing.streams import (
    all_cuts,
    byte_cuts,
    check_cancel,
    check_copies,
    check_decoding,
    cuts,
    events_of,
    feed,
)
from sampling import examples
from strategies_harmony import PIECES, STOPPED, TEXTS

AS_NAMED = Options(force_format=True)
WRITTEN = transcripts().map(lambda document: cast("str", write(document, "harmony", policy=LENIENT).output))


# --- text -------------------------------------------------------------------------------------------------------------


@given(st.data())
def test_any_text_however_it_is_cut(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    check_decoding(text, "harmony", all_cuts(text, data.draw(cuts(text)), data.draw(byte_cuts(text))))


@given(st.data())
@examples(100)
def test_written_texts_read_the_same_for_every_cut(data: st.DataObject) -> None:
    text = data.draw(WRITTEN)
    check_decoding(text, "harmony", all_cuts(text, data.draw(cuts(text)), data.draw(byte_cuts(text))))


@pytest.mark.parametrize("name", FILES)
def test_the_corpus_however_it_is_cut(name: str) -> None:
    for case in corpus_cases(name):
        check_decoding(case["text"], "harmony", all_cuts(case["text"]))


@pytest.mark.parametrize("text", [text for text, _ in MALFORMED.values()], ids=list(MALFORMED))
def test_malformed_output_however_it_is_cut(text: str) -> None:
    check_decoding(text, "harmony", all_cuts(text))


@pytest.mark.parametrize("number", ["0", "200013", "248610", "9999999", "10000000"])
@pytest.mark.parametrize("broken", ["", "\u200b", "\u200b\u200b"])
def test_a_numbered_token_in_a_body_however_it_is_cut(number: str, broken: str) -> None:
    text = f"<|start|>user<|message|>a<{broken}|reserved_{number}|>b<|end|>"
    check_decoding(text, "harmony", all_cuts(text))


def test_a_header_longer_than_any_is_a_body_however_it_is_cut() -> None:
    text = "<|start|>assistant<|channel|>final " + "a" * 5_000 + "<|channel|>" + "b" * 5_000 + "<|end|>"
    check_decoding(text, "harmony", [[text], *([text[:at], text[at:]] for at in range(4_090, 4_150)), list(text)])
    doubtful = "<|start|>user<|message|>a<|start|>" + "b" * 5_000 + "<|message|>c<|end|>"
    check_decoding(doubtful, "harmony", [[doubtful], list(doubtful)])


@given(st.data())
@examples(100)
def test_copies_go_on_on_their_own(data: st.DataObject) -> None:
    first, one, other = (data.draw(st.lists(PIECES, max_size=6)) for _ in range(3))
    check_copies(lambda: decoder("harmony"), first, one, other)


@given(st.lists(PIECES, max_size=8))
@examples(100)
def test_a_cancelled_stream(chunks: list[str]) -> None:
    stop = check_cancel(lambda: decoder("harmony"), chunks)
    assert stop.document == events_of(decoder("harmony"), chunks).stop.document


# --- which event when -------------------------------------------------------------------------------------------------

ANSWER = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hi <b>you</b>"


def test_deltas_arrive_as_soon_as_they_are_certain() -> None:
    reader = decoder("harmony")
    assert reader.feed("<|channel|>ana") == []
    assert reader.feed("lysis<|message|>h") == [
        Start(0, Message("assistant", "", channel="analysis", end=None)),
        Delta(0, "h"),
    ]
    assert reader.feed("m<") == [Delta(0, "m")]
    assert reader.feed("b><|e") == [Delta(0, "<b>")]
    assert [type(event) for event in reader.feed("nd|>")] == [End]


def test_behind_the_generation_prompt() -> None:
    reader = decoder("harmony", prefix="<|start|>assistant")
    assert reader.feed(ANSWER)[0] == Start(0, Message("assistant", "", channel="analysis", end=None))


@pytest.mark.parametrize(("begun", "end", "reason"), STOPPED)
def test_the_stop_token_that_the_engine_took_away(begun: str, end: str, reason: str) -> None:
    stop = events_of(decoder("harmony"), [begun], "stop").stop
    assert stop.reason == reason
    assert cast("Transcript", stop.document).messages[-1].end == end


@pytest.mark.parametrize("begun", [ANSWER, "<|channel|>commentary to=functions.f<|message|>{", "<|channel|>fin"])
def test_an_answer_that_became_too_long_stays_cut_off(begun: str) -> None:
    stop = events_of(decoder("harmony"), [begun], "length").stop
    document = cast("Transcript", stop.document)
    last = document.open_turn or document.messages[-1]
    assert (stop.reason, last.end) == ("length", None)


def test_token_ids_are_another_stream() -> None:
    with pytest.raises(BridgeError, match="OCB-OPTION"):
        decoder("harmony").feed_tokens([1])


def test_a_stream_that_breaks_off_is_reported_as_cut_off() -> None:
    assert events_of(decoder("harmony"), [ANSWER]).stop.reason == "truncated"
    assert events_of(decoder("harmony"), [ANSWER, "<|return|>"]).stop.reason == "stop"


# --- writing ----------------------------------------------------------------------------------------------------------


SIZES = st.sampled_from([1, 2, 3, 7, 1_000])


def bare(document: Transcript) -> Transcript:
    """A transcript of texts and calls: without parts, tools apart, and spelling of its own."""
    messages = tuple(
        replace(message, content=str(message.content), layout=None)
        for message in document.messages
        if isinstance(message.content, str)
    )
    return Transcript(messages, open_turn=document.open_turn and replace(document.open_turn, layout=None))


@given(transcripts(), SIZES, st.sampled_from([None, "oss", "hf"]), st.booleans())
def test_events_written_one_by_one_give_the_same_output_as_all_at_once(
    drawn: Transcript, size: int, dialect: str | None, training: bool
) -> None:
    document = bare(drawn)
    options = Options(dialect=dialect, training=training)
    text, made = run(in_pieces(replay(document), size), encoder("harmony", options=options))
    whole = write(document, "harmony", options=options, policy=LENIENT)
    # The calls are written when their replies come: a stream moves replies alone.
    assert text == whole.output or order_of(made) != whole.order


def test_a_reply_with_an_empty_name_gets_that_of_the_tool() -> None:
    call = Message("assistant", "{}", None, "commentary", "functions.f", constraint="json", end="call")
    document = Transcript((call, Message("tool", "1", "")))
    text, _ = run(replay(document), encoder("harmony"))
    assert text == write(document, "harmony", policy=LENIENT).output
    assert "<|start|>functions.f to=assistant" in text


@given(transcripts())
@examples(100)
def test_losses_are_reported(document: Transcript) -> None:
    check_encoding(document, "harmony")


@given(st.data())
def test_events_of_a_decoder_are_written_as_the_same_document(data: st.DataObject) -> None:
    text = data.draw(WRITTEN)
    reader = decoder("harmony")
    events = [event for chunk in data.draw(cuts(text)) for event in feed(reader, chunk)] + reader.finish()
    again, _ = encoded(events, "harmony")
    known = read(text, "harmony", options=AS_NAMED).transcript
    assert plain(read(again, "harmony", options=AS_NAMED).transcript) == plain(known)


def test_a_token_in_content_is_broken_even_where_it_is_cut() -> None:
    text, losses = encoded(in_pieces(replay(Transcript((Message("user", "a<|end|>b<\u200b|end|><"),))), 1), "harmony")
    assert text == "<|start|>user<|message|>a<\u200b|end|>b<\u200b\u200b|end|><<|end|>"
    assert [(loss.code, loss.path) for loss in losses] == [(LossCode.CONTROL_TOKEN, "/messages/0/content")]


@pytest.mark.parametrize("number", ["0", "200013", "9999999"])
def test_a_numbered_token_in_content_is_broken_even_where_it_is_cut(number: str) -> None:
    document = Transcript((Message("user", f"a<|reserved_{number}|>b"),))
    for size in range(1, 12):
        text, _ = encoded(in_pieces(replay(document), size), "harmony")
        assert text == f"<|start|>user<|message|>a<\u200b|reserved_{number}|>b<|end|>"


def test_half_of_a_surrogate_pair_becomes_the_replacement_character() -> None:
    text, losses = encoded(replay(Transcript((Message("user", "a\ud800"),))), "harmony")
    assert text == "<|start|>user<|message|>a\ufffd<|end|>"
    assert [loss.path for loss in losses] == ["/messages/0/content"]


def test_tokens_in_content_can_be_refused() -> None:
    with pytest.raises(BridgeError, match="OCB-CONTROL-TOKEN"):
        encoded(replay(Transcript((Message("user", "a<|end|>b"),))), "harmony", Options(control_tokens="refuse"))


def test_text_is_written_as_soon_as_it_comes() -> None:
    made = encoder("harmony")
    assert made.encode([Start(0, Message("assistant", "", channel="final", end=None))]) == [
        b"<|start|>assistant<|channel|>final<|message|>"
    ]
    assert made.encode([Delta(0, "Hi <")]) == [b"Hi "]
    assert made.encode([Delta(0, "b>")]) == [b"<b>"]


def test_a_developers_message_is_written_when_it_is_whole() -> None:
    declared = Tools((Tool("f", "A tool."),))
    document = Transcript((Message("developer", (Text("Be brief."), declared)), Message("user", "Hi")))
    text, _ = encoded(in_pieces(replay(document), 1), "harmony")
    assert text == write(document, "harmony").output
    assert "# Instructions\n\nBe brief.\n\n# Tools\n" in text


def test_a_message_that_is_cut_off_is_ended_where_another_one_follows() -> None:
    cut = Message("assistant", "a", channel="final", end=None)
    assert encoded(replay(Transcript((cut,))), "harmony")[0].endswith("<|message|>a")
    assert "a<|end|><|start|>user" in encoded(replay(Transcript((cut, Message("user", "b")))), "harmony")[0]


def test_a_reply_whose_id_no_call_has_is_named_as_it_is_read() -> None:
    first = Message("assistant", "{}", channel="commentary", recipient="functions.f", call_id="a", end="call")
    second = replace(first, recipient="functions.g", call_id="b")
    for calls in ((first,), (first, second)):
        document = Transcript((*calls, Message("tool", "7", call_id="other")))
        text, _ = encoded(replay(document), "harmony")
        assert text == write(document, "harmony").output
        assert "<|start|>functions.f to=assistant" in text
