"""Frames of Harmony's token ids as units: where they are taken one by one, they are read as the whole is."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.test_harmony_units import BODIES, HEADERS, STOPS
from harmony_judge import library
from ocml_adapters.harmony.syntax import IDS
from ocml_adapters.harmony.token_units import cut
from ocml_adapters.harmony.tokens import checked, encode, encode_header
from ocml_bridge import Message, Options, Transcript, read, write
from ocml_bridge.errors import BridgeError
from ocml_bridge.model import replace

library()
PREAMBLE = Message("assistant", "Let me see.", channel="commentary", intent="preamble")
CALL = Message(
    "assistant", "{}", channel="commentary", recipient="functions.f", constraint="json", end="call", continues=True
)
ORDINARY = ("hel", "lo", "hello", "", " ", "\ufffd", "<|end|>", "😀", "\n")
HALF = encode("𝔘")[:1]


def everything(ids: list[int], *, plans: bool) -> object:
    try:
        reading = read(cast("list[object]", ids), "harmony-tokens", options=Options(plans=plans, force_format=True))
    except BridgeError as error:
        return str(error)
    return reading.transcript, reading.findings


def taken(ids: list[int]) -> bool:
    """Whether all ids are those of frames that are taken one by one."""
    return cut(*checked(ids))[1] == len(ids)


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
def test_ids_are_read_alike_frame_by_frame_and_as_a_whole(ids: list[int]) -> None:
    assert everything(ids, plans=True) == everything(ids, plans=False)


@given(id_lists)
def test_frames_that_are_taken_one_by_one_are_written_with_the_same_ids(ids: list[int]) -> None:
    if ids and taken(ids) and isinstance(everything(ids, plans=True), tuple):
        document = read(cast("list[object]", ids), "harmony-tokens", options=Options(force_format=True)).transcript
        assert write(document, "harmony-tokens").output == ids


@pytest.mark.parametrize("header", HEADERS[:10])
def test_what_we_write_is_taken_frame_by_frame(header: str) -> None:
    stop = "<|call|>" if "constrain" in header else "<|end|>"
    assert taken(of_frame(header, encode("text <|end|>"), stop))


def test_so_is_a_turn_of_several_messages() -> None:
    document = Transcript((Message("user", "Weather?"), PREAMBLE, CALL))
    ids = cast("list[int]", write(document, "harmony-tokens").output)
    assert taken(ids)
    assert read(cast("list[object]", ids), "harmony-tokens").transcript == document


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(encode("hel") + encode("lo"), id="ids that the encoder would not choose"),
        pytest.param(HALF, id="no UTF-8"),
        pytest.param([200010], id="a reserved token"),
        pytest.param([IDS["<|channel|>"]], id="a control token"),
    ],
)
def test_what_the_encoder_would_not_choose_is_not(body: list[int]) -> None:
    assert not taken(of_frame("user", body, "<|end|>"))


def test_a_header_of_other_ids_is_not() -> None:
    ids = [IDS["<|start|>"], *encode("us"), *encode("er"), IDS["<|message|>"], IDS["<|end|>"]]
    assert encode("us") + encode("er") != encode("user")
    assert not taken(ids)


def test_a_second_conversation_is_refused_with_its_place() -> None:
    answered = of_frame("assistant<|channel|>final", encode("Hi"), "<|return|>")
    ids = [*answered, *of_frame("system", encode("Be brief."), "<|end|>")]
    with pytest.raises(BridgeError, match="OCB-SEVERAL") as caught:
        read(cast("list[object]", ids), "harmony-tokens")
    assert caught.value.path == f"/{len(answered)}"


@pytest.mark.parametrize("plans", [True, False])
def test_ids_that_came_with_a_text_come_back_behind_some_that_were_edited(plans: bool) -> None:
    """Ids are remembered where the encoder would choose others; they are written where they spell the text."""
    body = [*encode("H"), *encode("i")]
    assert body != encode("Hi")
    ids = [IDS["<|start|>"], *encode_header("user"), IDS["<|message|>"], *body, IDS["<|end|>"]]
    options = Options(plans=plans)
    document = read(ids, "harmony-tokens").transcript
    assert isinstance(document, Transcript)
    for text in ("a", "b", "c", "d", "e"):
        edited = replace(document, messages=(replace(document.messages[0], content=text),))
        output = write(edited, "harmony-tokens", options=options).output
        assert output == [*ids[: -len(body) - 1], *encode(text), ids[-1]]
    assert write(document, "harmony-tokens", options=options).output == ids


@pytest.mark.parametrize(("body", "found"), [(encode("\ufffd"), False), ([HALF[0]], True)], ids=["a character", "half"])
def test_only_ids_that_are_no_utf_8_are_found_to_be_none(body: list[int], found: bool) -> None:
    ids = [*of_frame("user", [], "<|end|>"), *encode("\n"), *of_frame("user", body, "<|end|>")]
    reading = read(cast("list[object]", ids), "harmony-tokens")
    assert any("UTF-8" in finding.detail for finding in reading.findings) is found
