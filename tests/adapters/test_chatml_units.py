"""Frames of ChatML as units: a text is read alike frame by frame and as a whole."""

from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, Options, read

STARTS = ("<|im_start|>", "")
HEADERS = (
    "user\n",
    "assistant\n",
    "system name=a\n",
    "tool name=f\n",
    "assistant",
    "user x=1\n",
    "odd\n",
    " user\n",
    "\n",
    "",
)
BODIES = (
    *("", "text", "a < b", "<\u200b|im_end|>", "<|endoftext|>", "<tool_call>", "<think>x</think>", "\n"),
    *("a\nb", "<tools>", "Probe0000Text"),
)
ENDS = ("<|im_end|>", "<|im_end|>\n", "<|im_end|>\n\n", "<|im_end|> text ", "", "<|im_end|><|im_end|>", "</s>")

frames = st.builds("{}{}{}{}".format, *map(st.sampled_from, (STARTS, HEADERS, BODIES, ENDS)))
usual = st.builds("<|im_start|>{}{}<|im_end|>\n".format, st.sampled_from(HEADERS[:4]), st.sampled_from(BODIES[:3]))
opening = st.sampled_from(("", "<|im_start|>assistant\n", "<|im_start|>assistant", "<|im_start|>user", "\n", "tail"))
texts = st.builds("{}{}".format, st.lists(usual | usual | frames, max_size=5).map("".join), opening)


def everything(text: str, *, plans: bool) -> object:
    try:
        reading = read(text, "chatml", options=Options(plans=plans, force_format=True))
    except BridgeError as error:
        return str(error)
    return reading.transcript, reading.findings


@given(texts)
def test_a_text_is_read_alike_frame_by_frame_and_as_a_whole(text: str) -> None:
    assert everything(text, plans=True) == everything(text, plans=False)
