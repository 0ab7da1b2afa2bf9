"""A last frame that the token of a text's end closes, where the token of a frame's end is missing (Olmo's template)."""

from __future__ import annotations

from itertools import product

import pytest

from ocml_bridge import BridgeError, ErrorCode, Options, Transcript, read, write
from ocml_bridge.events import Delta
from ocml_bridge.model import Message, replace
from ocml_bridge.pipe import decoder
from ocml_bridge.profiles import profile
from ocml_bridge.testing import laws
from ocml_bridge.testing.streams import check_decoding
from sampling import sweep

START, END = "<|im_start|>", "<|im_end|>"
ASKED = f"{START}user\nWhy?{END}\n"
TARGETS = ("chatml", "chatml:olmo", "chatml:hermes", "chatml:hyperclova", "chatml-json", "openai", "harmony")


def check_read(text: str) -> Transcript:
    """Check that a text comes back and keeps the laws, also as a stream; return what it reads as."""
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    assert write(document, "chatml").output == text
    for target in TARGETS:
        laws.all_laws(document, target)
    check_decoding(text, "chatml", [list(text), [text[at : at + 7] for at in range(0, len(text), 7)]])
    return document


TOKENS = ("<|endoftext|>", "</s>", "<eos>", "<|end_of_text|>")
BEHIND = ("", "\n", " \n\n")
BODIES = ("Because.", "", "<think>\nHm.\n</think>\n\nBecause.", "Because.</s>")


@pytest.mark.sweep
@pytest.mark.parametrize(("token", "behind", "body"), sweep(product(TOKENS, BEHIND, BODIES), 3))
def test_the_token_of_a_texts_end_closes_a_last_frame(token: str, behind: str, body: str) -> None:
    text = f"{ASKED}{START}assistant\n{body}{token}{behind}"
    last = check_read(text).messages[-1]
    assert (last.content, last.end) == (body.rpartition("\n")[2], "end")
    assert read(text, "chatml").findings == ()


def test_a_call_is_whole_before_it() -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    last = check_read(f"{ASKED}{START}assistant\n{call}<|endoftext|>").messages[-1]
    assert (last.recipient, last.end) == ("functions.f", "call")


@pytest.mark.parametrize("text", [f"{START}assistant\nSee </s> here", f"{START}assistant\n</s>.{END}\n"])
def test_elsewhere_it_is_text(text: str) -> None:
    assert "</s>" in str(check_read(f"{ASKED}{text}").messages[-1].content)


def test_what_follows_is_another_turn_behind_a_frame_that_is_closed_as_usual() -> None:
    document = check_read(f"{ASKED}{START}assistant\nBecause.</s>")
    longer = replace(document, messages=(*document.messages, Message("user", "And?")))
    assert write(longer, "chatml").output == f"{ASKED}{START}assistant\nBecause.{END}\n{START}user\nAnd?{END}"
    prompt = profile("qwen3").prompt(f"{ASKED}{START}assistant\nBecause.</s>", source="chatml")
    assert str(prompt.output).endswith(f"Because.{END}\n{START}assistant\n")


def test_an_unfinished_message_that_ends_like_that_stays_unfinished() -> None:
    layout = {"chatml": {"body": "Because.</s>"}}
    document = Transcript((Message("assistant", "Because.</s>", channel="final", end=None, layout=layout),))
    for target in TARGETS:
        laws.all_laws(document, target)


def test_the_text_behind_it_is_white_space() -> None:
    layout = {"chatml": {"end": "</s>"}}
    message = Message("assistant", "Yes.", channel="final", end="end", layout=layout)
    for tail in ("x", "</s>", "\n"):
        for end in ("chatml", "chatml:olmo"):
            laws.all_laws(Transcript((message,), layout={"chatml": {"tail": tail}}), end)


def test_as_a_stream_it_is_never_passed_on() -> None:
    reader = decoder("chatml", prefix=f"{ASKED}{START}assistant\n")
    events = reader.feed("Because.") + reader.feed("</s>") + reader.feed("\n")
    assert "".join(event.text for event in events if isinstance(event, Delta)) == "Because."
    assert reader.feed(" No.") == [Delta(1, "</s>\n No.")]
    events = reader.feed("<|endoftext|>") + reader.finish("stop")
    assert not [event for event in events if isinstance(event, Delta)]


@pytest.mark.parametrize("role", ["<|assistant|>", "Assistant:", "x"])
def test_it_closes_no_frame_of_an_unknown_role(role: str) -> None:
    with pytest.raises(BridgeError) as caught:
        read(f"{ASKED}{START}{role}\nBecause.</s>", "chatml")
    assert caught.value.code is ErrorCode.INCOMPLETE
    message = Message(role, "Because.", end="end", layout={"chatml": {"end": "</s>"}})
    for target in TARGETS:
        laws.all_laws(Transcript((message,)), target)


@pytest.mark.parametrize("name", ["olmo-3", "olmo-3.1"])
def test_a_line_to_train_olmo_on_ends_with_it(name: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked = {"role": "user", "content": "Why?"}
    for answer, text in (
        ({"role": "assistant", "content": "Because."}, "Because."),
        (
            {"role": "assistant", "content": "I look.", "tool_calls": [call]},
            "I look.<function_calls>f()</function_calls>",
        ),
    ):
        line = profile(name).prompt({"messages": [asked, answer]}, options=Options(training=True))
        assert str(line.output).endswith(f"{ASKED}{START}assistant\n{text}<|endoftext|>")
        assert "<|endoftext|>" not in str(profile(name).prompt({"messages": [asked, answer, asked]}).output)
