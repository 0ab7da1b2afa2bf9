"""Texts after malformed headers: whatever the name of a channel, no client sees hidden text."""

from __future__ import annotations

from typing import Any, cast

import pytest

from harmony_answers import (
    ANSWER,
    PROMPT,
    SECRET,
    SHOWN,
    client_sees,
    piped,
    private_answers,
    recorded,
)
from ocml_bridge import convert, read
from ocml_bridge.chat.visibility import DEBUG, REASONING, is_private, seen_text
from ocml_bridge.events import Answer
from ocml_bridge.model import Transcript
from ocml_bridge.pipe import decoder, encoder

SIZES = (1, 3, 10_000)


def contents(text: str, source: str = "harmony") -> str:
    """All visible text of a conversion to Chat Completions."""
    output = cast("dict[str, Any]", convert(text, source=source, target="openai").output)
    return "\n".join(message["content"] or "" for message in output["messages"])


@pytest.mark.parametrize("size", SIZES)
def test_no_character_of_a_hidden_channel_goes_through_a_pipe(size: int) -> None:
    for text in private_answers():
        out = piped(text, size)
        assert SECRET.encode() not in out, text
        assert client_sees(out)["content"] == "Four.", text


def test_no_character_of_a_hidden_channel_is_in_the_content_of_a_conversion() -> None:
    for text in private_answers():
        seen = contents(PROMPT + text)
        assert SECRET not in seen, text
        assert "Four." in seen, text


def test_reasoning_is_separate_from_the_answer_if_it_is_asked_for() -> None:
    for text in private_answers():
        seen = client_sees(piped(text, 10_000, REASONING))
        assert seen["content"] == "Four.", text
        assert not seen["tool_calls"] or SECRET not in seen["tool_calls"][0]["arguments"], text


@pytest.mark.parametrize("size", SIZES)
def test_an_answer_is_shown_in_any_spelling_of_its_channel(size: int) -> None:
    for header in SHOWN:
        assert client_sees(piped(f"{header}<|message|>Four.<|return|>", size))["content"] == "Four.", header


@pytest.mark.parametrize("text", ["Four.", "Four and a half", '{"a": 4}', "final answer: 4", "user says 4", "a to=c"])
@pytest.mark.parametrize("size", SIZES)
def test_an_answer_without_a_header_is_complete(text: str, size: int) -> None:
    assert client_sees(piped(text, size))["content"] == text
    assert client_sees(piped(f"{text}<|return|>", size))["content"] == text
    assert contents(PROMPT + text) == text


def test_an_answer_in_token_ids_shows_what_its_text_shows() -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    from ocml_adapters.harmony.syntax import IDS
    from ocml_adapters.harmony.tokens import encode

    for text in private_answers()[::4]:
        source = decoder("harmony-tokens", prefix=encode(PROMPT, tuple(IDS)))
        target = encoder("openai-sse", answer=Answer("a", "m", 1))
        events = [event for number in encode(text, tuple(IDS)) for event in source.feed_tokens([number])]
        out = target.encode([*events, *source.finish("stop")])
        assert client_sees(b"".join(out)) == client_sees(piped(text, 1)), text


# --- what was reported ------------------------------------------------------------------------------------------------

NEEDS_THE_DECLARED_TOOLS = {"llama#15158"}
"""A type that is joined to a tool's name: only a reader that knows the declared tools can separate them."""


@pytest.mark.parametrize("size", SIZES)
def test_an_answer_from_a_bug_report_is_read_as_intended(size: int) -> None:
    differ: set[str] = set()
    for case in recorded():
        seen = client_sees(piped(case["text"], size, DEBUG))
        for call in seen["tool_calls"]:
            call["arguments"] = call["arguments"].strip()
        wanted: dict[str, Any] = case["wanted"] or {}
        if any(value is not None and seen[key] != value for key, value in wanted.items()):
            differ.add(case["id"])
    assert differ == NEEDS_THE_DECLARED_TOOLS


@pytest.mark.parametrize("size", SIZES)
def test_a_client_sees_answer_and_calls_of_an_answer_from_a_bug_report(size: int) -> None:
    for case in recorded():
        seen = client_sees(piped(case["text"], size))
        assert seen["reasoning"] == "", case["id"]
        if case["wanted"]:
            assert seen["content"] == case["wanted"]["content"], case["id"]


def test_an_answer_from_a_bug_report_shows_the_same_converted_and_streamed() -> None:
    for case in recorded():
        transcript = read(PROMPT + case["text"], "harmony").transcript
        assert isinstance(transcript, Transcript)
        shown = contents(PROMPT + case["text"])
        for message in transcript.messages:
            assert not is_private(message) or seen_text(message) == ""
        if case["wanted"]:
            assert shown.strip() == case["wanted"]["content"], case["id"]


# --- headers that are not calls ---------------------------------------------------------------------------------------

CALLED = "<|channel|>commentary to=functions.w <|constrain|>"


@pytest.mark.parametrize("rest", ["write: edit.", "json", 'json {"p":1}', "", "json<|channel|>commentary"])
@pytest.mark.parametrize(
    "stop", ["<|end|>", "<|return|>", "", f"<|end|>{PROMPT}<|channel|>analysis<|message|>t<|end|>"]
)
def test_an_unfinished_header_is_not_a_call(rest: str, stop: str) -> None:
    broken = f"{CALLED}{rest}{stop}"
    made = f'{PROMPT}{CALLED}json<|message|>{{"p":1}}<|call|>'
    for size in SIZES:
        seen = client_sees(piped(broken + made, size))
        assert seen["tool_calls"] == [{"name": "w", "arguments": '{"p":1}'}]
        assert seen["content"] == ""
        assert client_sees(piped(broken, size))["tool_calls"] == []


def test_an_unfinished_header_is_kept_in_the_extras_of_the_next_message() -> None:
    reading = read(f"{PROMPT}{CALLED}write: edit.<|end|>{PROMPT}<|channel|>final<|message|>Done.<|return|>", "harmony")
    assert isinstance(reading.transcript, Transcript)
    (message,) = reading.transcript.messages
    assert message.extras == {"harmony": {"before": f"{PROMPT}{CALLED}write: edit.<|end|>"}}
    assert {finding.code for finding in reading.findings} == {"header-recovered", "text-outside"}


# --- OpenChatML 2.2 ---------------------------------------------------------------------------------------------------

HIDDEN_22 = (
    *("assistant<|channel|>thoughts", "assistant<|channel|>analysis??", "assistant<|channel|>Analysis"),
    *("assistant<|channel|>analysis<|channel|>final", "assistant<|channel|>final<|channel|>analysis"),
    *("assistant<|channel|>commentary", "assistant<|channel|>commentary?", "assistant<|channel|>"),
    *("assistant intent=debug<|channel|>final", "assistant intent=status<|channel|>commentary"),
    *("assistant intent=Debug<|channel|>commentary", "assistant<|channel|>analysis we think first"),
)


@pytest.mark.parametrize("header", HIDDEN_22)
def test_openchatml_headers_are_read_alike(header: str) -> None:
    text = f"<|start|>{header}<|message|>{SECRET}<|end|>\n{ANSWER}\n"
    assert contents(text, "ocm-2.2").strip() == "Four."
    assert convert(text, source="ocm-2.2", target="ocm-2.2").output == text


@pytest.mark.parametrize("form", ["harmony", "ocm-2.2"])
@pytest.mark.parametrize(
    ("channels", "chosen"),
    [
        ("analysis<|channel|>final", "analysis"),
        ("final<|channel|>analysis", "analysis"),
        ("commentary<|channel|>analysis", "analysis"),
        ("final<|channel|>commentary", "commentary"),
        ("analysis??", "analysis"),
        ("FINAL", "final"),
        ("thoughts<|channel|>final", "thoughts"),
        ("", "analysis"),
    ],
)
def test_several_channels_and_near_misses_have_one_reading(form: str, channels: str, chosen: str) -> None:
    reading = read(f"<|start|>assistant<|channel|>{channels}<|message|>x<|end|>\n", form)
    assert isinstance(reading.transcript, Transcript)
    assert [message.channel for message in reading.transcript.messages] == [chosen]
    assert "header-recovered" in {finding.code for finding in reading.findings}
