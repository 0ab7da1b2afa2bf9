"""Answers of an assistant as models give them: thoughts, a text, calls."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from ocml_bridge.model import Message, Transcript
from ocml_bridge.testing import strategies


def thought(text: str) -> Message:
    return Message("assistant", text, channel="analysis")


def preamble(text: str) -> Message:
    return Message("assistant", text, channel="commentary", intent="preamble")


def final(text: str) -> Message:
    return Message("assistant", text, channel="final")


def call(recipient: str, arguments: str, call_id: str | None = None) -> Message:
    return Message(
        "assistant",
        arguments,
        channel="commentary",
        recipient=recipient,
        call_id=call_id,
        constraint="json",
        end="call",
    )


def turn(*messages: Message) -> Transcript:
    """Messages that belong together."""
    first, *others = messages
    return Transcript((first, *(replace(message, continues=True) for message in others)))


def _joined(thoughts: list[str], text: str, calls: list[tuple[str, str]], ids: bool) -> Transcript:
    answer = [preamble(text) if calls else final(text)] if text or not (thoughts or calls) else []
    called = [call(name, body, f"c{index}" if ids else None) for index, (name, body) in enumerate(calls)]
    return turn(*map(thought, thoughts), *answer, *called)


_TEXT = strategies.texts()
_NAMES = st.sampled_from(["functions.f", "functions.get_weather", "python", "browser.search"])
ANSWERS: st.SearchStrategy[Transcript] = st.builds(
    _joined,
    st.lists(_TEXT.filter(bool), max_size=2),
    _TEXT,
    st.lists(st.tuples(_NAMES, st.one_of(_TEXT, st.just('{"a": 1}'))), max_size=3),
    st.booleans(),
)
"""One wire message: at most one text between thoughts and calls."""
