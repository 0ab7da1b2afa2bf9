"""Frames of Harmony as units: those that are cut out of a text are those that are scanned, and read alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_adapters.harmony.frames import Frame, pieces_of, scanned
from ocml_adapters.harmony.syntax import CONTROL
from ocml_adapters.harmony.units import FramesReader, cut, frame_of
from ocml_bridge import BridgeError, Options, read
from ocml_bridge.formats.adapter import DEFAULT
from ocml_bridge.loss import Log

HEADERS = (
    *("user", "system", "developer", "assistant", "assistant<|channel|>final", "assistant<|channel|>analysis"),
    *("assistant<|channel|>commentary", "assistant to=functions.f<|channel|>commentary <|constrain|>json"),
    *("functions.f to=assistant<|channel|>commentary", "assistant to=user<|channel|>final"),
    *("functions.f<|channel|>commentary", "assistant to=functions.f<|channel|>analysis", "user<|channel|>odd"),
    *("assistant<|channel|>commentary to=functions.f", "functions.f<|end|> to=assistant", "nobody", ""),
    *("assistant final", "assistant<|channel|>", "user name", "a<b", " system", "assistant" + " x" * 200),
)
BODIES = (
    *("", "text", "a < b", "<|", "<\u200b|end|>", "<|channel|>", "# Instructions\n\nBe brief.", "# Instructions\n\n"),
    *("# Tools\n\n## x\n", "# Tools\n\n## functions\n\nnamespace functions {\n\n} // namespace functions", "<|start|>"),
    (
        "# Instructions\n\nBe brief.\n\n# Tools\n\n## functions\n\nnamespace functions {\n\n"
        "type f = () => any;\n\n} // namespace functions"
    ),
)
STOPS = ("<|end|>", "<|call|>", "<|return|>", "")
BETWEEN = (
    *("", " ", "\n", "<|start|>assistant", "<|start|>", "text", "<|end|>", "<|endoftext|>", "<|startoftext|>"),
    *("<|channel|>final<|message|>Hi.<|end|>", "<|start|>assistant<|channel|>final\n"),
)


def frame(header: str, body: str, stop: str) -> str:
    return f"<|start|>{header}<|message|>{body}{stop}"


frames = st.builds(frame, st.sampled_from(HEADERS), st.sampled_from(BODIES), st.sampled_from(STOPS))
usual = st.builds(frame, st.sampled_from(HEADERS[:9]), st.sampled_from(BODIES[:3]), st.sampled_from(STOPS[:3]))
texts = st.lists(st.one_of(frames, usual, usual, st.sampled_from(BETWEEN)), max_size=5).map("".join)


def restored(each: Frame) -> tuple[str, str | None, str]:
    return each.header, None if each.body is None else CONTROL.restore(each.body), each.stop


def everything(text: str, *, plans: bool) -> object:
    try:
        reading = read(text, "harmony", options=Options(plans=plans, force_format=True))
    except BridgeError as error:
        return str(error)
    return reading.transcript, reading.findings


@given(texts)
def test_the_frames_that_are_cut_out_of_a_text_are_those_that_are_scanned(text: str) -> None:
    units, behind = cut(text)
    found = scanned(pieces_of(text))[0]
    assert [restored(frame_of(unit)) for unit in units] == [
        restored(each) if each.opened and not each.before else None for each in found[: len(units)]
    ]
    assert text.endswith(behind)
    split = FramesReader(DEFAULT).split_units(text, Log())
    without_frames = found == [] and [type(unit) for unit in split.units] == [str]
    assert without_frames or len(split.units) == len(found)


@given(texts)
def test_a_text_is_read_alike_frame_by_frame_and_as_a_whole(text: str) -> None:
    assert everything(text, plans=True) == everything(text, plans=False)


@pytest.mark.parametrize("header", HEADERS[:10])
def test_what_we_write_is_cut_out_of_a_text(header: str) -> None:
    text = frame(header, "text", "<|end|>")
    assert cut(text + text)[1] == ""


@pytest.mark.parametrize("text", [frame("functions.f<|end|> to=assistant", "a", "<|end|>"), frame("user", "<|", "")])
def test_what_has_tokens_in_it_is_scanned(text: str) -> None:
    assert cut(text) == ([], text)
