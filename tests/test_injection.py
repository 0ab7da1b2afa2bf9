"""No injection (law 5): whatever the content, the frames of the output are those of the messages.

The frames are counted by readers that share no code with ours: the official parser for Harmony, a few lines here for
the others. The same conversation with harmless content has the expected number.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import Message, Transcript, write
from ocml_bridge.testing import strategies


def frames_of_2_2(text: str) -> list[str]:
    """Headers of OpenChatML 2.2 frames, by §3 and §6 alone: one pass, character by character."""
    out: list[str] = []
    at, state = text.index("<|start|>") if "<|start|>" in text else len(text), "outside"
    begun = 0
    while at < len(text):
        if state != "literal" and text.startswith("<<|", at) and re.match(r"<\|[a-z]+\|>", text[at + 1 :]):
            at = text.index("|>", at) + 2
        elif state == "literal":
            end = text.find("<|endliteral|>", at)
            at, state = (len(text) if end < 0 else end + len("<|endliteral|>")), "body"
        elif text.startswith("<|literal|>", at) and state == "body":
            at, state = at + len("<|literal|>"), "literal"
        elif text.startswith("<|start|>", at):
            at, state, begun = at + len("<|start|>"), "header", at + len("<|start|>")
        elif text.startswith("<|message|>", at) and state == "header":
            out.append(text[begun:at])
            at, state = at + len("<|message|>"), "body"
        elif any(text.startswith(token, at) for token in ("<|end|>", "<|call|>", "<|return|>")) and state == "body":
            at, state = text.index("|>", at) + 2, "outside"
        else:
            at += 1
    return out


def frames_by_token(start: str, end: str, text: str) -> list[str]:
    """All start and end tokens in order; these formats have no escapes."""
    return re.findall(f"{re.escape(start)}|{re.escape(end)}", text)


def frames_of_harmony(text: str) -> list[str]:
    """The messages that the official parser reads in the text."""
    library = pytest.importorskip("openai_harmony", reason="the official parser is the judge")
    encoding = load_encoding()
    parser = library.StreamableParser(encoding, role=None, strict=True)
    for token in encoding.encode(text, allowed_special="all"):
        parser.process(token)
    return [f"{message.author.role.value} {message.channel} {message.recipient}" for message in parser.messages]


def count(target: str, text: str) -> list[str]:
    if target == "ocm-2.2":
        return frames_of_2_2(text)
    if target == "harmony":
        return frames_of_harmony(text)
    if target == "internlm2:unused":
        return frames_by_token("[UNUSED_TOKEN_146]", "[UNUSED_TOKEN_145]", text)
    return frames_by_token("<|im_start|>", "<|im_end|>", text)


TARGETS = ("ocm-2.2", "harmony", "internlm2", "internlm2:unused", "chatml", "ocm-0.1")


def message_of(role: str, text: str) -> Message:
    return Message(role, text, channel="final" if role == "assistant" else None)


def conversations() -> st.SearchStrategy[Transcript]:
    drawn = st.builds(message_of, st.sampled_from(["system", "user", "assistant"]), strategies.texts())
    return st.lists(drawn, max_size=5).map(lambda messages: Transcript(tuple(messages)))


def harmless(transcript: Transcript) -> Transcript:
    return replace(transcript, messages=tuple(replace(message, content="x") for message in transcript.messages))


@pytest.mark.parametrize("target", TARGETS)
@given(conversations())
def test_content_opens_and_closes_no_frames(target: str, transcript: Transcript) -> None:
    hostile, meant = write(transcript, target).output, write(harmless(transcript), target).output
    assert isinstance(hostile, str)
    assert isinstance(meant, str)
    assert count(target, hostile) == count(target, meant)


@pytest.mark.parametrize("target", TARGETS)
@given(strategies.words(), strategies.words(), strategies.words())
def test_header_values_open_and_close_no_frames(target: str, name: str, call_id: str, recipient: str) -> None:
    """Names, ids and recipients are checked with every policy."""
    messages = (
        Message("user", "x", name=name),
        Message(
            "assistant", "{}", channel="commentary", recipient=f"functions.{recipient}", call_id=call_id, end="call"
        ),
        Message(
            "tool", "1", name=f"functions.{recipient}", channel="commentary", recipient="assistant", call_id=call_id
        ),
    )
    plain = tuple(
        replace(
            message, name=message.name and "functions.f", recipient=message.recipient and "functions.f", call_id="c"
        )
        for message in messages
    )
    hostile, meant = write(Transcript(messages), target).output, write(Transcript(plain), target).output
    assert isinstance(hostile, str)
    assert isinstance(meant, str)
    if target == "harmony":
        assert len(count(target, hostile)) == len(count(target, meant))
    elif target == "ocm-2.2":
        assert len(frames_of_2_2(hostile)) == len(frames_of_2_2(meant))
    else:
        assert count(target, hostile) == count(target, meant)
