"""ChatML with the markup of model families as a stream: which event arrives when, and how it is written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import corpus_path
from ocml_bridge import LossCode, Message, Options, Transcript, read, write
from ocml_bridge.events import Delta, End, Start
from ocml_bridge.model import replace
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import unnamed
from ocml_bridge.stream import replay
from ocml_bridge.testing import own_output
from ocml_bridge.testing.encoding import encoded, in_pieces, order_of, plain, run
from ocml_bridge.testing.strategies import transcripts
from ocml_bridge.testing.streams import all_cuts, check_cancel, check_copies, check_decoding, cuts
from sampling import examples
from strategies_chatml import CALL, PIECES, TURNS

DIALECTS = ("hermes", "nous", "qwen-xml", "lfm2", "hyperclova", "olmo", "minicpm")
START, END = "<|im_start|>", "<|im_end|>"


@given(TURNS, st.data())
def test_any_markup_however_it_is_cut(text: str, data: st.DataObject) -> None:
    check_decoding(text, "chatml", all_cuts(text, data.draw(cuts(text))))


def test_rendered_templates_read_the_same_for_every_cut() -> None:
    lines = corpus_path("chatml-dialects", "grid.jsonl").read_text("utf-8").splitlines()
    for record in map(json.loads, lines[::7]):
        if "prompt" in record and record["family"] not in ("gpt-oss", "internlm2-tool"):
            text = record["prompt"]
            check_decoding(text, "chatml", [list(text), [text[at : at + 7] for at in range(0, len(text), 7)]])


@given(st.lists(st.sampled_from(PIECES), max_size=6), st.lists(st.sampled_from(PIECES), max_size=6))
@examples(60)
def test_copies_and_an_early_end(one: list[str], other: list[str]) -> None:
    first = [f"{START}assistant\n", "<think>\nHm"]
    check_copies(lambda: decoder("chatml"), first, one, other)
    check_cancel(lambda: decoder("chatml"), [*first, *one])


def test_deltas_of_a_thought_arrive_as_they_are_written_and_never_as_an_answer() -> None:
    reader = decoder("chatml", prefix=f"{START}assistant\n<think>\n")
    begun = Message("assistant", "", channel="analysis", end=None)
    assert reader.feed("Hm") == [Start(0, begun), Delta(0, "Hm")]
    assert reader.feed(", so.\n") == [Delta(0, ", so.")]
    assert reader.feed("</thi") == []
    assert reader.feed("nk>\n\n") == [End(0, Message("assistant", "Hm, so.", channel="analysis"))]
    answer = Message("assistant", "", channel="final", end=None, continues=True)
    assert reader.feed("Yes.") == [Start(1, answer), Delta(1, "Yes.")]


def test_a_call_arrives_when_it_is_complete() -> None:
    reader = decoder("chatml", prefix=f"{START}assistant\n")
    assert [type(event) for event in reader.feed("I look.\n")] == [Start, Delta]
    assert reader.feed('<tool_call>\n{"name": "f", "arguments": {"s": "</tool_call>') == []
    preamble, start, arguments, end = reader.feed('"}}\n</tool_call>')
    assert preamble == End(0, Message("assistant", "I look.", channel="commentary", intent="preamble"))
    assert isinstance(start, Start)
    assert start.message.recipient == "functions.f"
    assert arguments == Delta(1, '{"s": "</tool_call>"}')
    assert isinstance(end, End)


def test_replies_arrive_when_their_frame_is_complete() -> None:
    reader = decoder("chatml")
    reader.feed(f"{START}assistant\n{CALL}{END}\n")
    assert reader.feed(f"{START}user\n <tool_response>\n1\n</tool_response>") == []
    events = reader.feed(END)
    assert [type(event) for event in events] == [Start, Delta, End]
    assert isinstance(start := events[0], Start)
    assert (start.message.role, start.message.name) == ("tool", "functions.f")


# --- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
@examples(25)
def test_the_output_reads_as_the_image_and_differences_are_losses(dialect: str, data: st.DataObject) -> None:
    options = Options(dialect=dialect, force_format=True)
    document = data.draw(st.one_of(transcripts(), own_output.documents(f"chatml:{dialect}")))
    assert isinstance(document, Transcript)
    text, made = run(replay(document), encoder("chatml", options=options))
    assert all(encoded(in_pieces(replay(document), size), "chatml", options)[0] == text for size in (1, 3))
    back = read(text, "chatml", options=Options(force_format=True)).transcript
    assert unnamed(document, back, made.losses, order_of(made)) == []
    if (
        order_of(made) is None
        and document.tools is None
        and all(isinstance(message.content, str) for message in document.messages)
    ):
        whole = write(plain(document), "chatml", options=options, policy=LENIENT)
        # A reply that the writer moves has been written where it came.
        assert whole.order is not None or without_breaks(plain(back)) == without_breaks(plain(whole.image))


def without_breaks(document: Transcript) -> Transcript:
    """A document without line breaks at the ends of the assistant's messages.

    They may be read as markup. The writer leaves them out then, where the encoder has passed them on.
    """
    messages = [
        replace(message, content=str(message.content).strip("\n")) if message.role == "assistant" else message
        for message in document.messages
    ]
    return replace(document, messages=tuple(messages))


def test_a_conversation_of_a_dialect_is_written_as_it_comes() -> None:
    text = (
        f"{START}user\nWhy?{END}\n{START}assistant\n<think>\nHm.\n</think>\n\nI look.\n{CALL}\n{CALL}{END}\n"
        f"{START}user\n<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response>{END}\n"
        f"{START}assistant\nSo.{END}\n{START}assistant\n<think>\n"
    )
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    assert encoded(replay(document), "chatml", Options(dialect="hermes")) == (text, [])


def test_a_frame_goes_on_behind_a_message_that_is_left_out() -> None:
    call = Message("assistant", '{"a": "x"}', None, "commentary", "functions.f", constraint="json", end="call")
    blank = Message("assistant", "\n", channel="analysis", continues=True)
    again = Message("assistant", "{}", None, "commentary", "functions.g", None, None, None, "json", "call", True)
    document, options = Transcript((call, blank, again)), Options(dialect="hermes")
    text = f'{START}assistant\n{CALL}\n<tool_call>\n{{"name": "g", "arguments": {{}}}}\n</tool_call>{END}\n'
    assert encoded(replay(document), "chatml", options)[0] == text
    assert write(document, "chatml", options=options, policy=LENIENT).output == text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_private_messages_without_a_place_are_reported(dialect: str) -> None:
    messages = (
        Message("user", "Hi"),
        Message("critic", "Why?", channel="analysis"),
        Message("assistant", " ", channel="analysis"),
        Message("assistant", "Hm.", channel="analysis"),
        Message("assistant", "Yes.", channel="final"),
    )
    _, losses = encoded(replay(Transcript(messages)), f"chatml:{dialect}")
    blank = [] if dialect == "hyperclova" else ["/messages/2"]
    assert [loss.path for loss in losses if loss.code is LossCode.MESSAGE] == ["/messages/1", *blank]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_answer_cut_off_behind_a_line_break_stays_open(dialect: str) -> None:
    document, options = Transcript((Message("assistant", "\n", channel="final", end=None),)), Options(dialect=dialect)
    assert encoded(replay(document), "chatml", options)[0] == f"{START}assistant\n\n"
    assert write(document, "chatml", options=options).output == f"{START}assistant\n\n"


def test_a_call_that_is_cut_off_changes_nothing_of_those_before_it() -> None:
    whole = Message("assistant", '{"a": 1}', None, "commentary", "functions.f", constraint="json", end="call")
    cut = Message("assistant", '{"b":', None, "commentary", "functions.g", None, None, None, "json", None, True)
    document, options = Transcript((whole, cut)), Options(dialect="lfm2")
    text = (
        f"{START}assistant\n<|tool_call_start|>[f(a=1)]<|tool_call_end|>\n"
        '<tool_call>\n{"name": "g", "arguments": {"b":'
    )
    assert encoded(replay(document), "chatml", options)[0] == text
    assert write(document, "chatml", options=options, policy=LENIENT).output == text


@pytest.mark.parametrize(
    "opening", ["", "<think>\n", "\n<think>\n\n", "<think>\n\n</think>\n\n", "<think>\n</think>\n\n\n"]
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_open_turn_ends_a_stream_as_it_ends_a_text(dialect: str, opening: str) -> None:
    """Nobody but the assistant begins with thoughts, whatever an open turn remembers."""
    document = read(f"{START}user\nHi{END}\n{START}assistant\n{opening}", "chatml").transcript
    assert isinstance(document, Transcript)
    assert document.open_turn
    for role in ("assistant", "user"):
        known = replace(document, open_turn=replace(document.open_turn, role=role))
        output = str(write(known, f"chatml:{dialect}").output)
        assert encoded(replay(known), f"chatml:{dialect}")[0] == output
        assert output.endswith(f"{START}{role}\n{opening if role == 'assistant' else ''}")
