"""The short way through Harmony text: where it is taken, it reads what the long way reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_adapters.harmony.frames import pieces_of
from ocml_adapters.harmony.message import assemble
from ocml_adapters.harmony.plain import read_plain
from ocml_adapters.harmony.reader import read_pieces
from ocml_bridge.loss import Log
from ocml_bridge.model import Transcript

HEADERS = (
    *("user", "system", "developer", "assistant", "assistant<|channel|>final", "assistant<|channel|>analysis"),
    *("assistant<|channel|>commentary", "assistant to=functions.f<|channel|>commentary <|constrain|>json"),
    *("functions.f to=assistant<|channel|>commentary", "assistant to=user<|channel|>final"),
    *("functions.f<|channel|>commentary", "assistant to=functions.f<|channel|>analysis", "user<|channel|>odd"),
    *("assistant<|channel|>commentary to=functions.f", "functions.f<|end|> to=assistant", "nobody", ""),
)
BODIES = ("", "text", "a < b", "<|", "<\u200b|end|>", "<|channel|>", "# Instructions\n\nBe brief.", "# Tools\n\n## x\n")
STOPS = ("<|end|>", "<|call|>", "<|return|>", "")


def frame(header: str, body: str, stop: str) -> str:
    return f"<|start|>{header}<|message|>{body}{stop}"


def the_long_way(text: str) -> tuple[Transcript, Log]:
    log = Log()
    return read_pieces(pieces_of(text), log, restore=True), log


frames = st.builds(frame, st.sampled_from(HEADERS), st.sampled_from(BODIES), st.sampled_from(STOPS))
texts = st.lists(st.one_of(frames, st.sampled_from(("", " ", "\n", "<|start|>assistant"))), max_size=4).map("".join)


@given(texts)
def test_both_ways_read_the_same(text: str) -> None:
    messages = read_plain(text)
    if messages is not None:
        transcript, log = the_long_way(text)
        assert assemble(messages, None, {}, {}) == transcript
        assert log.findings == []


@pytest.mark.parametrize("header", HEADERS[:10])
def test_what_we_write_is_read_the_short_way(header: str) -> None:
    stop = "<|call|>" if "constrain" in header else "<|end|>"
    assert read_plain(frame(header, "text", stop)) is not None


@pytest.mark.parametrize("header", HEADERS[10:])
def test_what_is_to_be_noted_or_kept_is_not(header: str) -> None:
    assert read_plain(frame(header, "text", "<|end|>")) is None
