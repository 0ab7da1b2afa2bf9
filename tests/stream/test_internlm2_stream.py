"""InternLM2-Chat as a stream: which event arrives when, that it reads as the whole text does, and how it is written."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import corpus_cases
from ocml_bridge import LossCode, Message, Options, Transcript, read, write
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.events import Delta, End, Event, Reason, Start, Stop
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.stream import replay
from ocml_bridge.stream.decoder import PENDING
from ocml_bridge.testing.encoding import check_encoding, encoded, in_pieces, plain
from ocml_bridge.testing.strategies import texts, transcripts
from ocml_bridge.testing.streams import all_cuts, byte_cuts, check_cancel, check_copies, check_decoding, cuts, events_of
from sampling import examples, sweep

IM = ("<|im_start|>", "<|im_end|>", "<|action_start|>", "<|action_end|>", "<|interpreter|>", "<|plugin|>")
UNUSED = tuple(f"[UNUSED_TOKEN_{number}]" for number in range(146, 140, -1))
START, END, CALL, CALLED, CODE, PLUGIN = IM
ANY = "|".join(map(re.escape, (*IM, *UNUSED)))
OBJECT = '{"name": "f", "parameters": {"a": 1}}'
WORDS = (
    *(
        "\n",
        " ",
        "\t",
        "\x1c",
        "\u3000",
        "\r",
        "\u2028",
        "Hi",
        "é🙂",
        "<",
        "[",
        "<|",
        "[UNUSED_TOKEN_14",
        "\u200b",
        "\ufeff",
    ),
    *("<\u200b|im_end|>", "[\u200bUNUSED_TOKEN_143]", "<\u200b|action_start|>"),
    *(OBJECT, '{"name": "f"}', "{'name': 'f', 'parameters': {}}", "{}", "```python\nx\n```", '[{"name": "f"}]'),
)
MARKS = (
    *(*IM[2:], *UNUSED[2:], CALLED, CALLED, f"{CALL}{PLUGIN}", f"{CALL} \n{PLUGIN} \t\n", f"{CALL}{CODE}\n"),
    *(f"{CALL}{PLUGIN}\n{OBJECT}{CALLED}", f"{UNUSED[2]}{UNUSED[5]}\n{OBJECT}{UNUSED[3]}"),
)
BODIES = st.lists(st.sampled_from((*WORDS, *MARKS)), max_size=8).map("".join)
HEADERS = st.sampled_from(
    (
        *(
            "assistant",
            "assistant",
            "assistant",
            "assistant",
            "assistant name=a",
            "assistant x",
            "user",
            "user name=file",
        ),
        *("system", f"system name={PLUGIN}", f"system name={PLUGIN}", f"system name={UNUSED[4]}", "tool", "", "critic"),
        *(f"environment name={PLUGIN}", "environment", "environment name=f", f"environment name={CODE}"),
    )
)
FRAMES = st.builds(
    "{}{}\n{}{}".format,
    st.sampled_from((START, UNUSED[0])),
    HEADERS,
    BODIES,
    st.sampled_from((f"{END}\n", END, UNUSED[1], "")),
)
TEXTS = st.one_of(
    st.lists(st.sampled_from((*IM, *UNUSED, *WORDS, "assistant\n", f"system name={PLUGIN}\n")), max_size=20).map(
        "".join
    ),
    st.lists(FRAMES, max_size=5).map("".join),
    st.lists(FRAMES, max_size=5).map("".join),
    texts(surrogates=True),
)
BEGUN = Message("assistant", "", channel="final", end=None)
F = Message("assistant", '{"a": 1}', channel="commentary", recipient="functions.f", constraint="json", end="call")
F_BEGUN = Message("assistant", "", channel="commentary", recipient="functions.f", constraint="json", end=None)


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def document_of(stop: Stop) -> Transcript:
    assert isinstance(stop.document, Transcript)
    return stop.document


# --- reading ----------------------------------------------------------------------------------------------------------


@given(st.data())
@examples(300)
def test_any_text_however_it_is_cut(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    check_decoding(text, "internlm2", all_cuts(text, data.draw(cuts(text)), data.draw(byte_cuts(text))))


@given(st.data())
@examples(30)
def test_written_texts_read_the_same_for_every_cut(data: st.DataObject) -> None:
    dialect = data.draw(st.sampled_from(("im", "unused")))
    text = cast("str", write(data.draw(transcripts()), f"internlm2:{dialect}", policy=LENIENT).output)
    check_decoding(text, "internlm2", all_cuts(text, data.draw(cuts(text))))


@pytest.mark.sweep
def test_the_corpus_however_it_is_cut() -> None:
    for case in sweep((case for case in corpus_cases() if case.format == "internlm2"), 3):
        text = case.data.decode("utf-8", "replace")
        check_decoding(text, "internlm2", [[text[at : at + 3] for at in range(0, len(text), 3)]])


def test_a_call_arrives_when_it_is_complete_and_the_text_before_it_is_a_preamble() -> None:
    reader = decoder("internlm2", prefix=f"{START}assistant\n")
    assert reader.feed("I look.") == [Start(0, BEGUN), Delta(0, "I look.")]
    assert [reader.feed(text) for text in (CALL, " ", f"{PLUGIN}\n", OBJECT[:9], OBJECT[9:])] == [[]] * 5
    preamble = Message("assistant", "I look.", channel="commentary", intent="preamble")
    begun, call = (replace(part, continues=True) for part in (F_BEGUN, F))
    assert reader.feed(CALLED) == [End(0, preamble), Start(1, begun), Delta(1, '{"a": 1}'), End(1, call)]
    (stop,) = reader.finish("stop")
    assert isinstance(stop, Stop)
    assert (stop.reason, plain(document_of(stop)).messages) == ("tool_calls", (preamble, call))


def test_several_calls_and_texts_of_one_turn() -> None:
    text = f"{START}assistant\n\n{CALL}{PLUGIN}\n{OBJECT}{CALLED}\n{CALL}{CODE}\n1+1{CALLED} Then.{END}"
    played = check_decoding(text, "internlm2", all_cuts(text))
    assert kinds(played.events) == ["Start", "Delta", "End"] * 3 + ["Stop"]
    assert [part.continues for part in document_of(played.stop).messages] == [False, True, True]


@pytest.mark.parametrize("text", ["\n", " \t", "\u3000"])
def test_blank_text_waits_for_what_follows(text: str) -> None:
    reader = decoder("internlm2", prefix=f"{START}assistant\n")
    assert reader.feed(text) == []
    assert reader.copy().feed("a") == [Start(0, BEGUN), Delta(0, f"{text}a")]
    assert reader.copy().feed(f"{CALL}{PLUGIN}{OBJECT}{CALLED}")[0] == Start(0, F_BEGUN)
    assert reader.feed(END) == [Start(0, BEGUN), Delta(0, text), End(0, Message("assistant", text, channel="final"))]


def test_text_that_is_no_call_stays_text() -> None:
    reader = decoder("internlm2", prefix=f"{START}assistant\n")
    events = [reader.feed(text) for text in ("a", CALL, "b", f"{CALL}{PLUGIN}", "{", CALLED, "c", END)]
    raw = f"{CALL}{PLUGIN}{{{CALLED}"
    assert events[:-1] == [
        *([Start(0, BEGUN), Delta(0, "a")], [], [Delta(0, CALL), Delta(0, "b")]),
        *([], [], [Delta(0, raw)], [Delta(0, "c")]),
    ]
    assert kinds(events[-1]) == ["Finding", "Finding", "End"]


def test_declared_tools_are_no_message() -> None:
    text = f'{START}system name={PLUGIN}\n[{{"name": "f"}}]{END}\n{START}user\nHi{END}\n'
    played = check_decoding(text, "internlm2", all_cuts(text))
    assert kinds(played.events) == ["Start", "Delta", "End", "Stop"]
    assert document_of(played.stop).tools


def test_a_reply_has_the_name_of_its_call() -> None:
    reader = decoder("internlm2")
    reader.feed(f"{START}assistant\n{CALL}{PLUGIN}\n{OBJECT}{CALLED}{END}\n")
    (start, _) = reader.feed(f"{START}environment name={PLUGIN}\n2")
    assert isinstance(start, Start)
    assert (start.message.role, start.message.name) == ("tool", "functions.f")


@pytest.mark.parametrize(
    ("begun", "reason", "settled", "end"),
    [
        ("Hi", "stop", "stop", "end"),
        ("", "stop", "stop", "end"),
        ("Hi", "length", "length", None),
        ("Hi", None, "truncated", None),
        (f"Hi{CALL}{PLUGIN}\n{OBJECT}", "stop", "tool_calls", "call"),
        (f"Hi{CALL}{PLUGIN}\n{OBJECT}", "length", "length", None),
        (f"Hi{CALL}{PLUGIN}\n{OBJECT}{CALLED}", "tool_calls", "tool_calls", "call"),
    ],
)
@pytest.mark.parametrize("start", [START, UNUSED[0]])
def test_how_a_stream_ends(begun: str, reason: Reason | None, settled: Reason, end: str | None, start: str) -> None:
    stop = events_of(decoder("internlm2", prefix=f"{start}assistant\n"), [begun], reason).stop
    assert (stop.reason, document_of(stop).messages[-1].end) == (settled, end)


def test_the_token_that_is_implied_is_spelled_as_the_one_that_began_the_message() -> None:
    stop = events_of(decoder("internlm2", prefix=f"{UNUSED[0]}assistant\n"), ["Hi"], "stop").stop
    assert stop.document == read(f"{UNUSED[0]}assistant\nHi{UNUSED[1]}", "internlm2").transcript


@pytest.mark.parametrize(
    "begun", [f"Hi {CALL} {PLUGIN}get_weather('par", f"{CALL}{PLUGIN}\n{OBJECT[:-3]}", f"Hi{CALL}"]
)
def test_no_token_is_added_to_a_call_that_breaks_off(begun: str) -> None:
    """sgl-project/sglang, test/registered/unit/function_call/test_internlm_detector.py: it is text as it came."""
    stop = events_of(decoder("internlm2", prefix=f"{START}assistant\n"), [begun], "stop").stop
    assert (stop.reason, [each.content for each in document_of(stop).messages]) == ("stop", [begun])


@given(st.data())
@examples(60)
def test_copies_and_an_early_end(data: st.DataObject) -> None:
    pieces = st.lists(st.sampled_from((f"{START}assistant\n", END, *WORDS, *MARKS)), max_size=6)
    first, one, other = (data.draw(pieces) for _ in range(3))
    check_copies(lambda: decoder("internlm2"), first, one, other)
    check_cancel(lambda: decoder("internlm2"), first)


def test_text_that_stays_undecided_for_too_long_is_refused() -> None:
    for begun in (f"{START}assistant\n{CALL}{PLUGIN}", f"{START}system name={PLUGIN}\n", f"{START}assistant\n "):
        reader = decoder("internlm2", prefix=begun)
        reader.feed(" " * (PENDING - 99))
        with pytest.raises(BridgeError) as error:
            reader.feed(" " * 100)
        assert error.value.code is ErrorCode.LIMIT
        assert reader.finish() == [Stop("error", Transcript(), ErrorCode.LIMIT)]


# --- writing ----------------------------------------------------------------------------------------------------------


@given(transcripts(), st.sampled_from(("chatml", "internlm2", "openai", "ocm-0.1", "ocm-2.2", "canonical")))
@examples(100)
def test_the_output_reads_as_the_image_and_differences_are_losses(document: Transcript, source: str) -> None:
    known = read(write(document, source, policy=LENIENT).encode(), source).transcript
    if isinstance(known, Transcript):
        check_encoding(known, "internlm2")


def test_texts_and_calls_of_one_turn_share_a_frame() -> None:
    parts = (
        Message("assistant", "I look.", channel="commentary", intent="preamble"),
        Message("assistant", "{}", None, "commentary", "functions.f", constraint="json", end="call", continues=True),
        Message("assistant", "1+1", None, "commentary", "python", end="call", continues=True),
    )
    made = encoder("internlm2")
    chunks = [b"".join(made.encode([event])).decode() for event in replay(Transcript(parts))]
    assert chunks == [
        *("", f"{START}assistant\nI look.", ""),
        *("", "", f'{CALL}{PLUGIN}\n{{"name": "f", "parameters": {{}}}}{CALLED}'),
        *("", "", f"{CALL}{CODE}\n```python\n1+1\n```{CALLED}"),
        f"{END}\n",
    ]
    assert made.losses == []


def test_blank_text_behind_a_call_has_a_frame_of_its_own() -> None:
    call = Message("assistant", "{}", None, "commentary", "functions.f", constraint="json", end="call")
    blank = Message("assistant", " ", channel="final", continues=True)
    text = check_encoding(Transcript((call, blank)), "internlm2")
    assert text.endswith(f"{CALLED}{END}\n{START}assistant\n {END}\n")


def test_private_reasoning_stays_private() -> None:
    document = Transcript((Message("assistant", "hm", channel="analysis"), Message("assistant", "Hi", channel="final")))
    text, losses = encoded(replay(document), "internlm2")
    assert text == f"{START}assistant\nHi{END}\n"
    assert [(loss.code, loss.path) for loss in losses] == [(LossCode.MESSAGE, "/messages/0")]


def test_a_dialect_is_written_throughout() -> None:
    document = read(f"{START}assistant\nHi{CALL}{PLUGIN}\n{OBJECT}{CALLED}{END}\n", "internlm2").transcript
    assert isinstance(document, Transcript)
    text, _ = encoded(replay(document), "internlm2", Options(dialect="unused"))
    assert text == write(document, "internlm2:unused").output


@given(st.lists(st.tuples(st.sampled_from(("user", END, "assistant")), TEXTS), max_size=4), st.integers(1, 9))
def test_no_content_becomes_a_token(contents: list[tuple[str, str]], size: int) -> None:
    document = Transcript(tuple(Message(role, text) for role, text in contents))
    text, _ = encoded(in_pieces(replay(document), size), "internlm2")
    assert re.findall(ANY, text) == [START, END] * len(contents)


@given(st.lists(TEXTS, max_size=3), st.integers(1, 9))
def test_no_name_or_argument_of_a_call_becomes_a_token(texts: list[str], size: int) -> None:
    document = Transcript(
        tuple(Message("assistant", text, None, "commentary", f"functions.{text}", end="call") for text in texts)
    )
    text, _ = encoded(in_pieces(replay(document), size), "internlm2")
    assert re.findall(ANY, text) == [START, CALL, PLUGIN, CALLED, END] * len(texts)


@given(st.data())
@examples(20)
def test_a_conversation_comes_through_a_pipe_unchanged(data: st.DataObject) -> None:
    text = cast("str", write(data.draw(transcripts()), "internlm2", policy=LENIENT).output)
    known = read(text, "internlm2").transcript
    pipe = Pipe(decoder("internlm2"), encoder("internlm2"))
    out = b"".join(pipe.feed(chunk) for chunk in cast("list[str]", data.draw(cuts(text)))) + pipe.finish()
    if isinstance(known, Transcript) and known.tools is None:
        there = cast("Transcript", read(out, "internlm2").transcript)
        # Text after the last frame is known only when that frame has been passed on.
        assert replace(there, layout=None) == replace(known, layout=None)


@pytest.mark.parametrize("reason", ["stop", "length", "tool_calls", None])
def test_a_call_that_breaks_off_in_its_json_is_not_completed(reason: Reason | None) -> None:
    """The input is that of vLLM's tests/tool_parsers/test_internlm2_tool_parser.py, which expects no call."""
    made = decoder("internlm2")
    made.feed(f'{START}assistant\n{CALL}{PLUGIN}{{"name": "func", "parameters": {{')
    stop = made.finish(reason)[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    assert [message.recipient for message in stop.document.messages] == [None]
