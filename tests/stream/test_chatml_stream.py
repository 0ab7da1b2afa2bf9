"""ChatML as a stream: which event arrives when, that it reads as the whole text does, and how it is written."""

from __future__ import annotations

import re
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import corpus_cases
from ocml_bridge import BridgeError, ErrorCode, LossCode, Message, Options, Tool, Transcript, read, write
from ocml_bridge.events import Delta, End, Event, Reason, Start, Stop
from ocml_bridge.loss import Finding
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.stream import replay
from ocml_bridge.testing.encoding import check_encoding, encoded, in_pieces
from ocml_bridge.testing.strategies import texts, transcripts
from ocml_bridge.testing.streams import all_cuts, byte_cuts, check_cancel, check_copies, check_decoding, cuts, events_of
from sampling import examples, sweep

START, END = "<|im_start|>", "<|im_end|>"
PIECES = (
    *(START, END, "\n", "assistant", "user", "tool name=f", "system", " name=x", " k=v", "Hi", " ", "<", "<|", "<s>"),
    *("|im_end|>", "<|im_st", "\u200b", "<\u200b|im_end|>", "\u200b|im_end|>", "é🙂", "\r", "\u2028", "\ufeff", "\0"),
)
BODIES = st.lists(st.sampled_from(PIECES[2:]), max_size=6).map("".join)
HEADERS = st.sampled_from(("assistant", "assistant", "user name=Al", "system", "tool name=f", "", "critic"))
FRAMES = st.builds("{}{}\n{}{}".format, st.just(START), HEADERS, BODIES, st.sampled_from((f"{END}\n", END, "")))
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
    st.lists(FRAMES, max_size=5).map("".join),
    texts(surrogates=True),
)
BEGUN = Message("assistant", "", channel="final", end=None)


# --- reading ----------------------------------------------------------------------------------------------------------


@given(st.data())
def test_any_text_however_it_is_cut(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    check_decoding(text, "chatml", all_cuts(text, data.draw(cuts(text)), data.draw(byte_cuts(text))))


@pytest.mark.parametrize("text", ["<tools>", "<functions>", "List of tools: ", "A <function= and <|im_end|>"])
@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_a_tag_that_was_broken_when_it_was_written_may_be_cut_anywhere(role: str, text: str) -> None:
    """The second message is passed on as it arrives: a system message at the beginning may declare tools."""
    document = Transcript((Message("user", "Hi"), Message(role, text)))
    written = cast("str", write(document, "chatml", policy=LENIENT).output)
    check_decoding(written, "chatml", all_cuts(written))


@pytest.mark.parametrize(
    "data", ["a", "]", "]]", "]]]", "a</function>", "]] ></function>", "<![CDATA[", "<|im_end", "\n"]
)
def test_a_section_of_data_may_be_cut_anywhere(data: str) -> None:
    call = f'<function name="f"><param name="a"><![CDATA[{data}]]></param><param name="b">]]></param></function>'
    text = f"{START}user\nHi{END}\n{START}assistant\n{call}\n{call}{END}\n"
    messages = cast("Transcript", read(text, "chatml").transcript).messages
    assert [message.recipient for message in messages] == [None, "functions.f", "functions.f"]
    check_decoding(text, "chatml", all_cuts(text))


@given(st.data())
@examples(30)
def test_written_texts_read_the_same_for_every_cut(data: st.DataObject) -> None:
    text = cast("str", write(data.draw(transcripts()), "chatml", policy=LENIENT).output)
    check_decoding(text, "chatml", all_cuts(text, data.draw(cuts(text))))


@pytest.mark.sweep
def test_the_corpus_however_it_is_cut() -> None:
    small = (case for case in corpus_cases() if case.format == "chatml" and len(case.data) < 100_000)
    for case in sweep(small, 3):
        text = case.data.decode("utf-8", "replace")
        check_decoding(text, "chatml", [[text[at : at + 3] for at in range(0, len(text), 3)]])


def test_deltas_arrive_as_soon_as_they_are_certain() -> None:
    reader = decoder("chatml", prefix=f"{START}assistant\n")
    assert reader.feed("H") == [Start(0, BEGUN), Delta(0, "H")]
    assert reader.feed("i") == [Delta(0, "i")]
    assert reader.feed(" <b> <|im_") == [Delta(0, " <b> ")]
    assert reader.feed("x <") == [Delta(0, "<|im_x ")]
    assert reader.feed("\u200b|im_end|> ") == [Delta(0, f"{END} ")]
    (end,) = reader.feed(END)
    assert end == End(0, Message("assistant", f"Hi <b> <|im_x {END} ", channel="final"))
    (stop,) = reader.finish()
    assert stop == Stop("stop", read(f"{START}assistant\nHi <b> <|im_x <\u200b|im_end|> {END}", "chatml").transcript)


def test_a_message_without_text_begins_with_its_end() -> None:
    reader = decoder("chatml")
    assert reader.feed(f"{START}user name=Al\n") == []
    assert [type(event) for event in reader.feed(END)] == [Start, End]


def test_findings_arrive_with_their_frame() -> None:
    events = decoder("chatml").feed(f"{START}critic\nNo.{START}assistant\nHi")
    assert [type(event) for event in events] == [Start, Delta, Finding, Finding, End, Start, Delta]


def test_an_open_turn_is_no_message() -> None:
    text = f"{START}user\nHi{END}\n{START}assistant\n"
    played = check_decoding(text, "chatml", all_cuts(text))
    assert isinstance(played.stop.document, Transcript)
    assert played.stop.document.open_turn == Message("assistant", "", end=None)


@pytest.mark.parametrize(
    ("text", "reason", "settled", "end"),
    [
        ("Hi", "stop", "stop", "end"),
        ("", "stop", "stop", "end"),
        ("Hi", "length", "length", None),
        ("Hi", None, "truncated", None),
        (f"Hi{END}", None, "stop", "end"),
    ],
)
def test_how_a_stream_ends(text: str, reason: Reason | None, settled: Reason, end: str | None) -> None:
    stop = events_of(decoder("chatml", prefix=f"{START}assistant\n"), [text], reason).stop
    assert isinstance(stop.document, Transcript)
    assert (stop.reason, stop.document.messages[-1].end) == (settled, end)


def test_text_that_is_not_chatml_stops_with_an_error() -> None:
    for text, code in ((f"{START}user\nHi", ErrorCode.INCOMPLETE), ("Hi", ErrorCode.NO_FRAMES)):
        assert events_of(decoder("chatml"), [text]).stop == Stop("error", Transcript(), code)


@given(st.data())
@examples(60)
def test_copies_and_an_early_end(data: st.DataObject) -> None:
    first, one, other = (data.draw(st.lists(st.sampled_from(PIECES), max_size=6)) for _ in range(3))
    check_copies(lambda: decoder("chatml"), first, one, other)
    check_cancel(lambda: decoder("chatml"), first)


# --- writing ----------------------------------------------------------------------------------------------------------


@given(transcripts(), st.sampled_from(("chatml", "internlm2", "openai", "ocm-0.1", "ocm-2.2", "canonical")))
@examples(100)
def test_the_output_reads_as_the_image_and_differences_are_losses(document: Transcript, source: str) -> None:
    known = read(write(document, source, policy=LENIENT).encode(), source).transcript
    if isinstance(known, Transcript):
        check_encoding(known, "chatml")


def test_each_event_is_written_at_once() -> None:
    made = encoder("chatml")
    written = [
        made.encode([event]) for event in replay(Transcript((Message("user", "Hi"), Message("assistant", "Yo"))))
    ]
    assert [b"".join(chunks).decode() for chunks in written] == [
        *(f"{START}user\n", "Hi", f"{END}\n"),
        *(f"{START}assistant\n", "Yo", f"{END}\n", ""),
    ]


def test_private_reasoning_stays_private() -> None:
    document = Transcript((Message("assistant", "hm", channel="analysis"), Message("assistant", "Hi", channel="final")))
    text, losses = encoded(replay(document), "chatml")
    assert text == f"{START}assistant\nHi{END}\n"
    assert [(loss.code, loss.path) for loss in losses] == [(LossCode.MESSAGE, "/messages/0")]


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("more", [(), (Message("user", "Bye"),)])
def test_only_the_last_answer_may_be_cut_off(role: str, more: tuple[Message, ...]) -> None:
    text, _ = encoded(replay(Transcript((Message(role, "Hi", end=None), *more))), "chatml")
    assert text.startswith(f"{START}{role}\nHi" if role == "assistant" and not more else f"{START}{role}\nHi{END}\n")
    assert (END in text) == (role == "user" or bool(more))


@given(st.lists(st.tuples(st.sampled_from(("user", START, f"a {END} b")), TEXTS), max_size=4), st.integers(1, 9))
def test_no_content_becomes_a_token(contents: list[tuple[str, str]], size: int) -> None:
    document = Transcript(tuple(Message(role, text) for role, text in contents))
    text, _ = encoded(in_pieces(replay(document), size), "chatml")
    assert re.findall(r"<\|im_(?:start|end)\|>", text) == [START, END] * len(contents)


def test_a_token_in_a_text_can_be_refused() -> None:
    events: list[Event] = [Start(0, BEGUN), Delta(0, "a <|im"), Delta(0, "_end|> b")]
    made = encoder("chatml", options=Options(control_tokens="refuse"))
    with pytest.raises(BridgeError, match="OCB-CONTROL-TOKEN"):
        made.encode(events)


@given(st.data())
@examples(20)
def test_a_conversation_comes_through_a_pipe_unchanged(data: st.DataObject) -> None:
    text = cast("str", write(data.draw(transcripts()), "chatml", policy=LENIENT).output)
    pipe = Pipe(decoder("chatml"), encoder("chatml"))
    out = b"".join(pipe.feed(chunk) for chunk in cast("list[str]", data.draw(cuts(text)))) + pipe.finish()
    assert read(out, "chatml").transcript == read(text, "chatml").transcript


def test_tools_are_declared_by_what_leads_alone() -> None:
    """A list of tools in a later frame is text of its message, in a stream as in a whole text."""
    declared = Transcript((Message("system", "Be."),), (Tool("f", parameters={"type": "object"}),))
    declaring = str(write(declared, "chatml:hermes").output)
    for before in (f"<|im_start|>user\nHi<|im_end|>\n{declaring}", declaring.replace("system", "user", 1), declaring):
        text = f"{before}<|im_start|>assistant\nYes.<|im_end|>\n"
        check_decoding(text, "chatml", all_cuts(text))


def test_a_text_between_calls_does_not_part_them_for_their_replies() -> None:
    def tagged(tag: str, text: str) -> str:
        return f"<{tag}>\n{text}\n</{tag}>"

    calls = "\nand\n".join(tagged("tool_call", f'{{"name": "{name}", "arguments": {{}}}}') for name in "fg")
    replies = "\n".join(tagged("tool_response", text) for text in "12")
    text = f"{START}user\nHi{END}\n{START}assistant\n{calls}{END}\n{START}tool\n{replies}{END}\n"
    check_decoding(text, "chatml", all_cuts(text)[:40])
    whole = read(text, "chatml").transcript
    assert isinstance(whole, Transcript)
    assert [message.name for message in whole.messages[-2:]] == ["functions.f", "functions.g"]
