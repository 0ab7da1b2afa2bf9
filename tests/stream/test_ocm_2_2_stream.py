"""OpenChatML 2.2 as it arrives and as it comes: read as the whole is, written as the whole would be."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_adapters.ocm_2_2.syntax import MAX_FRAME_HEADER, MAX_HEADER
from ocml_bridge import BridgeError, ErrorCode, Message, Transcript, read, write
from ocml_bridge.chat.turns import is_call, is_reply
from ocml_bridge.events import Answer, Delta, End, Event, Reason, Start, Stop
from ocml_bridge.loss import Finding, Loss, LossCode, is_lossless
from ocml_bridge.model import Text, Thought
from ocml_bridge.model.diff import diff
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import covered
from ocml_bridge.stream import joined, replay
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.testing.strategies import texts, transcripts
from ocml_bridge.testing.streams import (
    all_cuts,
    bare,
    byte_cuts,
    check_cancel,
    check_copies,
    check_decoding,
    cuts,
    events_of,
)
from ocml_bridge.text import developer
from ocml_bridge.units.heads import item_of, messages_of
from sampling import examples

PIECES = st.sampled_from(
    (
        *("<|start|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>", "<|channel|>", "<|constrain|>"),
        *("<|literal|>", "<|endliteral|>", "<<|end|>", "<<|literal|>", "<<<|endliteral|>", "<|start_reason|>"),
        *("\n<|start|>assistant<|channel|>final<|message|>", "\n<|start|>user<|message|>", "<|end|>", "<|end|>\n"),
        *("\n<|start|>assistant<|channel|>analysis<|message|>", "<|start_reflect|>", "<|start|>developer<|message|>"),
        *("\n<|start|>assistant to=functions.f<|channel|>commentary<|constrain|>json<|message|>", "<|call|><|end|>"),
        *(
            "<",
            "<<",
            "<|",
            "<|e",
            "nd|>",
            "|>",
            "<|start_",
            "\u200b",
            "user",
            "tool name=f",
            " to=functions.f",
            " json",
        ),
        *("hello", "\n", "\n\n", " ", "{}", "é", "😀", "\ufeff", "\0", "# Tools\n\n## functions\n", "x=1", "a: b"),
        *("version: 2.2\n", 'capabilities: {tokens: ["<|start|>"]}\n', "---\n", "&a [*a]\n", "  - "),
        *("profiles: {harmony: {require_channels: [final]}}\n",),
    )
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=14).map("".join),
    st.lists(PIECES, max_size=14).map(lambda pieces: "".join(("version: 2.2\n", *pieces))),
    texts(surrogates=True),
)
WRITTEN = transcripts().map(lambda document: cast("str", write(document, "ocm-2.2", policy=LENIENT).output))


def without_tools(messages: Sequence[Message]) -> Sequence[Message]:
    return messages_of(developer.extract_tools(list(map(item_of, messages)), lenient=True).items)


def law_4(text: str, *more: list[str | bytes | list[int]]) -> list[Event]:
    return check_decoding(text, "ocm-2.2", all_cuts(text, *more), without_tools).events


# --- law 4 ------------------------------------------------------------------------------------------------------------


@given(st.data())
def test_any_text_however_it_is_cut(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    law_4(text, data.draw(cuts(text)), data.draw(byte_cuts(text)))


@given(st.data())
@examples(100)
def test_written_texts_read_the_same_for_every_cut(data: st.DataObject) -> None:
    text = data.draw(WRITTEN)
    law_4(text, data.draw(cuts(text)), data.draw(byte_cuts(text)))


@given(st.data())
@examples(100)
def test_copies_go_on_on_their_own(data: st.DataObject) -> None:
    first, one, other = (data.draw(st.lists(PIECES.filter(lambda piece: "|>" not in piece), max_size=6)) for _ in "abc")
    begun = "<|start|>assistant<|channel|>final<|message|>"
    check_copies(lambda: decoder("ocm-2.2", prefix=begun), first, one, other)


def test_a_cancelled_stream() -> None:
    stop = check_cancel(lambda: decoder("ocm-2.2"), ["<|start|>user<|message|>Hel", "lo <"])
    assert stop.reason == "cancelled"
    assert stop.document == read("<|start|>user<|message|>Hello <", "ocm-2.2").transcript


# --- the front --------------------------------------------------------------------------------------------------------

ANSWER = "<|channel|>analysis<|message|>hm<|end|>\n<|start|>assistant<|channel|>final<|message|>4.<|return|>"


def test_a_header_that_names_the_tokens_is_waited_for() -> None:
    reader = decoder("ocm-2.2")
    assert reader.feed('version: 2.2\ncapabilities: {tokens: ["<|start|>"]}\n') == []
    assert reader.feed("<|start|>user<|message|>") == [Start(0, Message("user", "", end=None))]


def test_behind_the_generation_prompt() -> None:
    reader = decoder("ocm-2.2", prefix="<|start|>assistant")
    events = reader.feed(ANSWER)
    assert [type(event) for event in events] == [Start, Delta, End, Start, Delta, End]
    assert reader.finish()[-1] == Stop("stop", read("<|start|>assistant" + ANSWER, "ocm-2.2").transcript)


def test_white_space_does_not_make_a_header_of_what_follows() -> None:
    text = " <|start|>user<|message|>a: b<|end|>"
    reader = decoder("ocm-2.2")
    assert [event for event in reader.feed(text) if isinstance(event, Start)] == [
        Start(0, Message("user", "", end=None))
    ]
    law_4(text)


def test_a_header_that_is_too_long_is_refused_before_its_end() -> None:
    reader = decoder("ocm-2.2")
    reader.feed("a: |\n")
    with pytest.raises(BridgeError, match="E-PARSE-HEADER"):
        reader.feed("  x\n" * MAX_HEADER)
    assert reader.finish() == [Stop("error", Transcript(), ErrorCode.PARSE_HEADER)]


def test_where_nothing_is_a_message_that_is_an_error_in_the_end() -> None:
    reader = decoder("ocm-2.2")
    assert reader.feed("hello") == []
    assert reader.finish() == [Stop("error", Transcript(), ErrorCode.NO_FRAMES)]


# --- headers ----------------------------------------------------------------------------------------------------------


def test_no_message_begins_before_its_header_is_complete() -> None:
    reader = decoder("ocm-2.2")
    events = reader.feed("<|start|>assistant to=functions.f call_id=wx1<|channel|>commentary<|constrain|>json")
    assert all(isinstance(event, Finding) for event in events)
    call = Message("assistant", "", None, "commentary", "functions.f", "wx1", constraint="json", end=None)
    assert reader.feed("<|message|>") == [Start(0, call)]


BEFORE = "<|start|>user<|message|>a<|end|>\n<|start|>user<|message|>b"
MALFORMED = {
    "an end in a header": BEFORE + "<|end|>\n<|start|>user<|end|>",
    "an attribute twice": BEFORE + "<|end|>\n<|start|>user to=a to=b<|message|>c<|end|>",
    "no role": BEFORE + "<|end|>\n<|start|><|message|>",
    "a header without end": BEFORE + "<|end|>\n<|start|>user " + "a" * MAX_FRAME_HEADER,
    "a start in a body": BEFORE + "<|start|>",
    "both": BEFORE + "<|end|>\n<|start|>user to=a to=b<|message|>c<|start|>",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_text_before_a_malformed_header_is_read_before_the_error(name: str) -> None:
    text = MALFORMED[name]
    with pytest.raises(BridgeError) as batch:
        read(text, "ocm-2.2")
    whole, cut = decoder("ocm-2.2"), decoder("ocm-2.2")
    events: list[Event] = []
    with pytest.raises(BridgeError) as one:
        whole.feed(text)
    with pytest.raises(BridgeError) as other:  # noqa: PT012
        for char in text:
            events += cut.feed(char)
    assert one.value.code is other.value.code is batch.value.code is ErrorCode.PARSE_HEADER
    assert one.value.offset == other.value.offset == batch.value.offset
    events = joined([*events, *cut.finish()])
    assert events == joined(whole.finish())
    assert [event.text for event in events if isinstance(event, Delta)] == ["a", "b"]
    assert events[-1] == Stop("error", Transcript(), ErrorCode.PARSE_HEADER)


def test_the_longest_header_is_read() -> None:
    role = "u" * MAX_FRAME_HEADER
    document = read(f"<|start|>{role}<|message|>a<|end|>", "ocm-2.2").transcript
    assert isinstance(document, Transcript)
    assert document.messages[0].role == role
    with pytest.raises(BridgeError, match="E-PARSE-HEADER"):
        read(f"<|start|>{role}u<|message|>a<|end|>", "ocm-2.2")


def test_a_header_that_would_be_too_long_is_written_without_its_longest_value() -> None:
    message = Message("user", "x", name="n" * MAX_FRAME_HEADER, call_id="c")
    result = write(Transcript((message,)), "ocm-2.2")
    assert [(loss.code, loss.path) for loss in result.losses] == [(LossCode.NAME, "/messages/0/name")]
    assert result.output == "version: 2.2\n<|start|>user call_id=c<|message|>x<|end|>\n"


# --- bodies -----------------------------------------------------------------------------------------------------------


def deltas(chunks: Iterable[str], header: str = "user") -> list[str]:
    reader = decoder("ocm-2.2", prefix=f"<|start|>{header}<|message|>")
    return ["".join(event.text for event in reader.feed(chunk) if isinstance(event, Delta)) for chunk in chunks]


def test_escapes_are_undone_and_literal_blocks_opened() -> None:
    assert deltas(["a <<|end|> b ", "<|literal|><|end|> <<|x", "<|endliteral|> c"]) == [
        "a <|end|> b ",
        "<|end|> <<|x",
        " c",
    ]


def test_brackets_at_the_end_of_a_chunk_wait_for_what_they_are() -> None:
    assert deltas(["a <", "<", "|en", "d|> b", " < ", "c <|e", "f"]) == ["a ", "", "", "<|end|> b", " < ", "c ", "<|ef"]


def test_plain_text_is_passed_on_as_it_comes() -> None:
    assert deltas(["Hel", "lo, ", "wor", "ld | > x"]) == ["Hel", "lo, ", "wor", "ld | > x"]


THINKING = "<|start|>assistant<|channel|>analysis<|message|>"


def test_markers_before_a_thought_are_in_its_first_event() -> None:
    reader = decoder("ocm-2.2", prefix=THINKING)
    assert reader.feed("<|start_rea") == []
    assert reader.feed("son|>") == []
    begun = Message("assistant", (Thought("reason"),), channel="analysis", end=None)
    assert reader.feed("So") == [Start(0, begun), Delta(0, "So")]
    assert reader.feed("<|start_reflect|>but") == [Delta(0, "but")]
    (end,) = (event for event in reader.feed("<|end|>") if isinstance(event, End))
    assert end.message.content == (Thought("reason"), Text("So"), Thought("reflect"), Text("but"))


def test_a_marker_elsewhere_is_text() -> None:
    assert deltas(["<|start_reason|>a"]) == ["<|start_reason|>a"]
    assert deltas(["<|literal|><|start_reason|><|endliteral|>"], "assistant<|channel|>analysis") == ["<|start_reason|>"]


# --- ends -------------------------------------------------------------------------------------------------------------


def ends(events: Iterable[Event]) -> list[str | None]:
    return [event.message.end for event in events if isinstance(event, End)]


def test_a_message_ends_with_its_terminator_whatever_follows() -> None:
    reader = decoder("ocm-2.2", prefix="<|start|>assistant to=python<|message|>1")
    assert ends(reader.feed("<|call|>")) == ["call"]
    assert ends(reader.feed("<|end|>")) == []
    stop = reader.finish()[-1]
    whole = read("<|start|>assistant to=python<|message|>1<|call|><|end|>", "ocm-2.2").transcript
    assert stop == Stop("tool_calls", whole)


@pytest.mark.parametrize(
    ("header", "end"),
    [
        ("assistant<|channel|>final", "return"),
        ("assistant to=functions.f<|channel|>commentary", "call"),
        ("assistant<|channel|>analysis", "end"),
        ("user", "end"),
    ],
)
def test_the_token_that_an_engine_stopped_at_is_implied(header: str, end: str) -> None:
    reader = decoder("ocm-2.2", prefix=f"<|start|>{header}<|message|>x <")
    events = reader.finish("stop")
    assert ends(events) == [end]
    assert [event.text for event in events if isinstance(event, Delta)] == ["<"]


@pytest.mark.parametrize("reason", ["length", "content_filter", None])
def test_a_message_that_is_cut_off_has_no_end(reason: Reason | None) -> None:
    reader = decoder("ocm-2.2", prefix="<|start|>assistant<|channel|>final<|message|>x")
    events = reader.finish(reason)
    assert ends(events) == [None]
    assert isinstance(events[-1], Stop)
    assert events[-1].reason == (reason or "truncated")


def test_nothing_ends_inside_a_literal_block() -> None:
    reader = decoder("ocm-2.2", prefix="<|start|>assistant<|channel|>final<|message|><|literal|>x")
    assert ends(reader.finish("stop")) == [None]


# --- writing ----------------------------------------------------------------------------------------------------------


def sliced(document: Transcript, chance: random.Random) -> Iterator[Event]:
    """A transcript as events, its texts in slices."""
    for event in replay(document):
        if not isinstance(event, Delta):
            yield event
            continue
        at = 0
        while at < len(event.text):
            size = chance.randint(1, 6)
            yield Delta(event.number, event.text[at : at + size])
            at += size


def written(events: Iterable[Event], answer: Answer | None = None) -> tuple[str, list[Loss]]:
    made = encoder("ocm-2.2", answer=answer)
    return b"".join(made.encode(events)).decode(), made.losses


def plain(document: Transcript) -> Transcript:
    """The part of a transcript that events have: messages that are text, and the open turn."""
    messages = tuple(replace(message, content=text_of(message)) for message in document.messages)
    return Transcript(messages, open_turn=document.open_turn)


@given(transcripts(), st.integers(0, 2**32))
def test_an_encoder_writes_what_the_batch_writer_writes(drawn: Transcript, seed: int) -> None:
    document = plain(drawn)
    text, losses = written(sliced(document, random.Random(seed)))
    back = read(text, "ocm-2.2").transcript
    assert isinstance(back, Transcript)
    paths = {loss.path for loss in losses}
    assert all(covered(difference.path, paths) for difference in diff(document, back)), "law 2"
    # What is known in the end only: an id that a later call has already, or that there was none in the source.
    asked = [message for message in document.messages if is_call(message) or is_reply(message)]
    if any(message.layout for message in asked) or len({message.call_id is None for message in asked}) > 1:
        return
    wanted = read(cast("str", write(document, "ocm-2.2", policy=LENIENT).output), "ocm-2.2").transcript
    assert isinstance(wanted, Transcript)
    assert list(map(bare, back.messages)) == list(map(bare, wanted.messages))
    assert back.open_turn == wanted.open_turn


def test_what_is_written_is_the_batch_writers_text_byte_for_byte() -> None:
    document = Transcript(
        (
            Message("user", "print <|end|> and a <"),
            Message("assistant", "hm <", channel="analysis"),
            Message("assistant", "{}", channel="commentary", recipient="functions.f", constraint="json", end="call"),
            Message("tool", "1", "functions.f", "commentary", "assistant"),
            Message("assistant", "so", channel="final"),
            Message("user", "thanks"),
            Message("assistant", "bye", channel="final"),
        )
    )
    assert written(replay(document))[0] == write(document, "ocm-2.2").output


def test_only_an_answer_waits_for_what_follows_it() -> None:
    made = encoder("ocm-2.2")
    call = Message("assistant", "", channel="commentary", recipient="functions.f", call_id="c", end="call")
    final = Message("assistant", "x", channel="final", end="end")
    assert made.encode([Start(0, call), End(0, call)])[-1] == b"<|call|>"
    begun = made.encode([Start(1, replace(final, content="")), Delta(1, "x"), End(1, final)])
    assert b"".join(begun).endswith(b"<|message|>x")
    assert made.encode([Stop("stop", Transcript((call, final)))]) == [b"<|return|>\n"]
    assert [loss.severity for loss in made.losses if loss.path != "/messages/1/end"] == []


def test_ids_come_from_the_answer() -> None:
    call = Message("assistant", "{}", channel="commentary", recipient="functions.f", end="call")
    reply = Message("tool", "1", "functions.f", "commentary", "assistant")
    text, losses = written(replay(Transcript((call, reply))), Answer(call_id=lambda number: f"id-{number}"))
    assert text.count("call_id=id-0") == 2
    assert {loss.code for loss in losses} == {LossCode.CALL_ID}


def test_an_id_that_a_call_has_is_not_given_to_another() -> None:
    call = Message("assistant", "{}", channel="commentary", recipient="functions.f", end="call")
    document = Transcript((replace(call, call_id="id-0"), call, call))
    text, _ = written(replay(document), Answer(call_id=lambda number: f"id-{number}"))
    assert [text.count(f"call_id=id-{number}<") for number in range(4)] == [1, 1, 1, 0]


def test_ids_that_repeat_do_not_stop_the_stream() -> None:
    call = Message("assistant", "{}", channel="commentary", recipient="functions.f", end="call")
    text, _ = written(replay(Transcript((call, call, call))), Answer(call_id=lambda _number: "same"))
    assert text.count("call_id=same") == 3


def test_a_thoughts_markers_are_written_before_its_text() -> None:
    text = "version: 2.2\n" + THINKING + "<|start_reason|>So<|end|>\n"
    reader = decoder("ocm-2.2")
    assert written([*reader.feed(text), *reader.finish()]) == (text, [])


def test_a_long_run_of_brackets_does_not_wait_for_ever() -> None:
    made = encoder("ocm-2.2")
    made.encode([Start(0, Message("user", "", end=None))])
    sizes = [sum(map(len, made.encode([Delta(0, "<")]))) for _ in range(1_000)]
    assert sum(sizes) > 900
    message = Message("user", "<" * 1_000)
    text = b"".join([*made.encode([End(0, message), Stop("stop", Transcript((message,)))])])
    assert text.endswith(b"<|end|>\n")
    assert is_lossless(made.losses)


def test_a_message_that_begins_before_the_last_has_ended_waits_for_it() -> None:
    thought = Message("assistant", "hm", channel="analysis")
    answer = Message("assistant", "4.", channel="final", end="return", continues=True)
    begun = [Start(0, replace(thought, content="")), Delta(0, "h"), Start(1, replace(answer, content=""))]
    made = encoder("ocm-2.2")
    assert b"".join(made.encode([*begun, Delta(1, "4.")])).endswith(b"<|message|>h")
    late = [Delta(0, "m"), End(0, thought), End(1, answer), Stop("stop", Transcript((thought, answer)))]
    text = b"m<|end|>\n<|start|>assistant<|channel|>final<|message|>4.<|return|>\n"
    assert (b"".join(made.encode(late)), made.losses) == (text, [])


def test_from_stream_to_stream_nothing_changes() -> None:
    text = "version: 2.2\n<|start|>user<|message|>a <<|end|><|end|>\n<|start|>assistant" + ANSWER + "\n"
    events = events_of(decoder("ocm-2.2"), list(text)).events
    assert written(events) == (text, [])
