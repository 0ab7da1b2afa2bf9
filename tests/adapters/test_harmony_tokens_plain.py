"""The short way through Harmony token ids: where it is taken, it reads what the long way reads."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.test_harmony_plain import BODIES, HEADERS, STOPS
from harmony_judge import library
from ocml_adapters.harmony.ids import checked
from ocml_adapters.harmony.message import assemble
from ocml_adapters.harmony.plain import messages_of
from ocml_adapters.harmony.syntax import IDS
from ocml_adapters.harmony.tokens import encode, encode_header, plain_frames, read_ids
from ocml_bridge import Message, Transcript, write
from ocml_bridge.adapter import DEFAULT
from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import Log
from ocml_bridge.model import Message as Read

library()
PREAMBLE = Message("assistant", "Let me see.", channel="commentary", intent="preamble")
CALL = Message(
    "assistant", "{}", channel="commentary", recipient="functions.f", constraint="json", end="call", continues=True
)
ORDINARY = ("hel", "lo", "hello", "", " ", "\ufffd", "<|end|>", "😀", "\n")
HALF = encode("𝔘")[:1]


def short(ids: list[int]) -> list[Read] | None:
    """The messages that the short way reads."""
    frames = plain_frames(*checked(ids))
    return messages_of(frames) if frames else None


def of_frame(header: str, body: list[int], stop: str) -> list[int]:
    return [IDS["<|start|>"], *encode_header(header), IDS["<|message|>"], *body, *encode(stop, (stop,) if stop else ())]


bodies = st.one_of(
    st.sampled_from(BODIES).map(encode),
    st.lists(st.sampled_from(ORDINARY), max_size=3).map(lambda parts: [one for part in parts for one in encode(part)]),
    st.sampled_from((HALF, [200010], [199999], [IDS["<|channel|>"]])),
)
frames = st.builds(of_frame, st.sampled_from(HEADERS), bodies, st.sampled_from(STOPS))
id_lists = st.lists(
    st.one_of(frames, st.sampled_from(([], [198], [199998], [IDS["<|start|>"], 173781]))), max_size=4
).map(lambda parts: [number for part in parts for number in part])


@given(id_lists)
def test_both_ways_read_the_same(ids: list[int]) -> None:
    messages = short(ids)
    if messages is not None:
        log = Log()
        assert assemble(messages, None, {}, {}) == read_ids(*checked(ids), DEFAULT, log)
        assert log.findings == []


@given(id_lists)
def test_what_the_short_way_reads_is_written_with_the_same_ids(ids: list[int]) -> None:
    messages = short(ids)
    if messages is not None:
        assert write(assemble(messages, None, {}, {}), "harmony-tokens").output == ids


@pytest.mark.parametrize("header", HEADERS[:10])
def test_what_we_write_is_read_the_short_way(header: str) -> None:
    stop = "<|call|>" if "constrain" in header else "<|end|>"
    assert short(of_frame(header, encode("text <|end|>"), stop)) is not None


def test_a_turn_of_several_messages_is_read_the_short_way() -> None:
    document = Transcript((Message("user", "Weather?"), PREAMBLE, CALL))
    ids = cast("list[int]", write(document, "harmony-tokens").output)
    assert assemble(short(ids) or (), None, {}, {}) == document


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(encode("hel") + encode("lo"), id="ids that the encoder would not choose"),
        pytest.param(HALF, id="no UTF-8"),
        pytest.param([200010], id="a reserved token"),
        pytest.param([IDS["<|channel|>"]], id="a control token"),
    ],
)
def test_what_is_to_be_noted_or_kept_is_not(body: list[int]) -> None:
    assert short(of_frame("user", body, "<|end|>")) is None


def test_a_header_of_other_ids_is_not() -> None:
    ids = [IDS["<|start|>"], *encode("us"), *encode("er"), IDS["<|message|>"], IDS["<|end|>"]]
    assert encode("us") + encode("er") != encode("user")
    assert short(ids) is None


def test_ids_of_several_conversations_are_left_to_the_long_way() -> None:
    answered = of_frame("assistant<|channel|>final", encode("Hi"), "<|return|>")
    ids = [*answered, *of_frame("system", encode("Be brief."), "<|end|>")]
    assert short(ids) is None
    with pytest.raises(BridgeError, match="OCB-SEVERAL"):
        read_ids(*checked(ids), DEFAULT, Log())
