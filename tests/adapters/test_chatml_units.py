"""Frames of ChatML as units: a text is read alike frame by frame and as a whole."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, Message, Options, Tool, Transcript, read, write
from ocml_bridge.loss import LossCode, Severity
from ocml_bridge.model import Json, replace
from ocml_bridge.report.policy import LENIENT

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


# --- calls that are written by their values ---------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["qwen-xml", "lfm2"])
def test_calls_are_written_alike_behind_others_with_other_arguments(dialect: str) -> None:
    for plans in (True, False):
        for arguments in ('{"n": 1, "s": "a"}', '{"n": 2, "s": "b"}', '{"s": "c"}', "{}", '{"n":3,"s":"d"}'):
            called = write(_called(arguments), f"chatml:{dialect}", options=Options(plans=plans), policy=LENIENT)
            back = read(called.output, f"chatml:{dialect}").transcript
            assert isinstance(back, Transcript)
            assert json.loads(str(back.messages[1].content)) == json.loads(arguments)
            spelled = [loss.severity for loss in called.losses if loss.code is LossCode.CONTENT]
            assert spelled == ([Severity.LAYOUT] if arguments.startswith('{"n":3') else [])


@pytest.mark.parametrize("plans", [True, False])
def test_a_text_that_reads_as_a_number_is_reported_however_it_was_spelled(plans: bool) -> None:
    for arguments in ('{"n": "5"}', '{"n":"5"}'):
        losses = write(_called(arguments), "chatml:qwen-xml", options=Options(plans=plans), policy=LENIENT).losses
        [loss] = [loss for loss in losses if loss.path == "/messages/1/content"]
        assert loss.severity is Severity.CHANGED
        assert 'becomes "{\\"n\\": 5}"' in loss.detail


_CALL = Message("assistant", "{}", None, "commentary", "functions.f", constraint="json", end="call")


def _called(arguments: str) -> Transcript:
    """A call of a function that declares a number and a text."""
    types = {"n": {"type": "integer"}, "s": {"type": "string"}}
    call = replace(_CALL, content=arguments)
    tools = (Tool("f", None, {"type": "object", "properties": types}, "functions"),)
    return Transcript((Message("user", "Now?", end="end"), call), tools=tools)


@pytest.mark.parametrize("plans", [True, False])
def test_a_text_that_is_spelled_as_another_entry_is_reported_behind_those_that_are_not(plans: bool) -> None:
    """Of entries without a type, a text is the one that is spelled so: `1` is the number, whoever meant the text."""
    schema: Json = {"type": "object", "properties": {"n": {"enum": ["a", "b", 1]}}}
    tools = (Tool("f", None, schema, "functions"),)
    reported: list[int] = []
    for at, value in enumerate(("a", "b", "a", "b", "a", "1", "a")):
        call = replace(_CALL, content=f'{{"n": "{value}"}}')
        written = write(Transcript((call,), tools), "chatml:qwen-xml", options=Options(plans=plans), policy=LENIENT)
        reported += [at for loss in written.losses if loss.path == "/messages/0/content"]
    assert reported == [5]


@pytest.mark.parametrize("plans", [True, False])
def test_a_call_is_spelled_as_it_was_behind_some_that_were_edited(plans: bool) -> None:
    """The remembered spelling of a call's frame is used for the same call, however many others come before it."""
    text = '<|im_start|>assistant\n<tool_call>{"name":"f",  "arguments":{"s":"a"}}</tool_call><|im_end|>\n'
    options = Options(plans=plans)
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    for word in "bcdef":
        edited = replace(document, messages=(replace(document.messages[0], content=f'{{"s":"{word}"}}'),))
        output = write(edited, "chatml", options=options, policy=LENIENT).output
        expected = f'<tool_call>\n{{"name": "f", "arguments": {{"s":"{word}"}}}}\n</tool_call>'
        assert output == f"<|im_start|>assistant\n{expected}<|im_end|>\n"
    assert write(document, "chatml", options=options).output == text
