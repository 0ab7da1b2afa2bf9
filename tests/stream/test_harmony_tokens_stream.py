"""Harmony token ids as they arrive: read as the whole is, and piece by piece as the official parser reads them."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.test_harmony_malformed import FILES, corpus_cases
from harmony_judge import DIALECT, library
from ocml_adapters.harmony.syntax import IDS
from ocml_adapters.harmony.tokens import encode
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import BridgeError, ErrorCode, Message, Options, Transcript, read, write
from ocml_bridge.events import Delta, End, Start
from ocml_bridge.pipe import decoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.strategies import transcripts
from ocml_bridge.testing.streams import check_cancel, check_copies, check_decoding, events_of, feed, id_cuts
from sampling import examples
from strategies_harmony import STOPPED, TEXTS

library()
_ID = st.one_of(
    st.integers(0, 201_088),
    st.sampled_from(sorted(IDS.values())),
    st.sampled_from(encode(" 😀𝔘𝓤é<|end|>assistant to=functions.f final json analysis{}")),
)
_ENCODED = st.tuples(TEXTS, st.booleans()).map(
    lambda drawn: encode(drawn[0].encode("utf-8", "replace").decode(), tuple(IDS) if drawn[1] else ())
)
ID_LISTS = st.one_of(st.lists(_ID, max_size=14), _ENCODED)


@given(st.data())
def test_any_ids_however_they_are_cut(data: st.DataObject) -> None:
    ids = data.draw(ID_LISTS)
    check_decoding(ids, "harmony-tokens", [[ids], [[number] for number in ids], data.draw(id_cuts(ids))])


@given(st.data())
@examples(25)
def test_the_ids_that_we_write_however_they_are_cut(data: st.DataObject) -> None:
    ids = cast("list[int]", write(data.draw(transcripts()), "harmony-tokens", policy=LENIENT).output)
    check_decoding(ids, "harmony-tokens", [[ids], [[number] for number in ids], data.draw(id_cuts(ids))])


@pytest.mark.parametrize("name", FILES)
def test_the_corpus_as_ids(name: str) -> None:
    for case in corpus_cases(name):
        ids = encode(case["text"], tuple(IDS))
        check_decoding(ids, "harmony-tokens", [[ids], [[number] for number in ids]])


@given(ID_LISTS, ID_LISTS, ID_LISTS)
@examples(60)
def test_copies_of_ids_go_on_on_their_own(first: list[int], one: list[int], other: list[int]) -> None:
    check_copies(lambda: decoder("harmony-tokens"), [first], [one], [other])
    check_cancel(lambda: decoder("harmony-tokens"), [first])


@pytest.mark.parametrize("odd", [-1, 201_089, True, 1.0, None])
@given(ids=ID_LISTS)
@examples(20)
def test_an_invalid_id_ends_the_stream(odd: Any, ids: list[int]) -> None:
    whole = [*ids, odd, 5]
    played = check_decoding(whole, "harmony-tokens", [[[number] for number in whole]])
    assert (played.failed, played.stop.reason) == (ErrorCode.SHAPE, "error")
    with pytest.raises(BridgeError) as caught:
        feed(decoder("harmony-tokens"), whole)
    assert caught.value.path == f"/{len(ids)}"


def test_a_text_among_ids_is_read_in_place_of_unknown_ids() -> None:
    """An engine may send the text of a character without all of its ids."""
    before, after = encode("<|start|>user<|message|>", tuple(IDS)), [*encode("!"), IDS["<|end|>"]]
    reads = decoder("harmony-tokens")
    events = reads.feed_tokens([*before, "👋 <|end|>", *after]) + reads.finish("stop")
    assert [event.message.content for event in events if isinstance(event, End)] == ["👋 <|end|>!"]


def test_a_control_token_that_is_spelled_out_is_text() -> None:
    ids = [*encode("<|start|>user<|message|>", tuple(IDS)), *encode("a<|end|>b"), IDS["<|end|>"]]
    played = check_decoding(ids, "harmony-tokens", [[ids], [[number] for number in ids]])
    assert cast("Transcript", played.stop.document).messages == (Message("user", "a<|end|>b"),)


@pytest.mark.parametrize(("begun", "end", "reason"), STOPPED)
def test_the_stop_token_that_the_engine_took_away(begun: str, end: str, reason: str) -> None:
    stop = events_of(decoder("harmony-tokens"), [encode(begun, tuple(IDS))], "stop").stop
    assert stop.reason == reason
    assert cast("Transcript", stop.document).messages[-1].end == end
    cut = events_of(decoder("harmony-tokens"), [encode(begun, tuple(IDS))], "length").stop
    assert cut.reason == "length"
    assert cast("Transcript", cut.document).messages[-1].end is None


def test_characters_that_are_cut_between_ids_come_whole() -> None:
    body = encode("𝔘")
    assert len(body) > 1
    reader = decoder("harmony-tokens")
    reader.feed_tokens(encode("<|start|>user<|message|>", tuple(IDS)))
    assert [reader.feed_tokens([number]) for number in body] == [[]] * (len(body) - 1) + [[Delta(0, "𝔘")]]


# --- against the official streaming parser ----------------------------------------------------------------------------


Step = tuple[Any, ...]


def official_story(ids: list[int]) -> list[Step]:
    """What the official parser streams: headers, pieces of text and ends, each with the place of its token."""
    h = library()
    parser = h.StreamableParser(load_encoding(), role=None)
    steps: list[Step] = []
    begun = False
    for at, number in enumerate(ids):
        before = len(parser.messages)
        parser.process(number)
        if parser.state == h.StreamState.CONTENT and not begun:
            begun = True
            fields = (parser.current_channel, parser.current_recipient, parser.current_content_type)
            steps.append((at, str(parser.current_role.value), *fields))
        if parser.last_content_delta:
            steps.append((at, parser.last_content_delta))
        if len(parser.messages) > before:
            begun = False
            steps.append((at, "end"))
    return steps


def our_story(ids: list[int]) -> list[Step]:
    steps: list[Step] = []
    reader = decoder("harmony-tokens")
    for at, number in enumerate(ids):
        for event in reader.feed_tokens([number]):
            if isinstance(event, Start):
                one = event.message
                kind = one.content_type if one.constraint is None else f"<|constrain|>{one.constraint}"
                steps.append((at, one.role, one.channel, one.recipient, kind))
            elif isinstance(event, Delta):
                steps.append((at, event.text))
            elif isinstance(event, End):
                steps.append((at, "end"))
    return steps


@given(transcripts())
@examples(150)
def test_the_official_parser_streams_the_same(document: Transcript) -> None:
    asked = Transcript(tuple(m for m in document.messages if m.end is not None and m.role != "developer"))
    ids = cast("list[int]", write(asked, "harmony-tokens", options=Options(dialect=DIALECT), policy=LENIENT).output)
    reading = read(ids, "harmony-tokens")
    # A developer's body has headings that are no part of its content; one is made for tools that others declare.
    written = cast("Transcript", reading.transcript)
    if not reading.findings and not written.tools and all(each.role != "developer" for each in written.messages):
        assert our_story(ids) == official_story(ids)


def test_text_is_another_stream() -> None:
    with pytest.raises(BridgeError, match="OCB-OPTION"):
        decoder("harmony-tokens").feed("a")
