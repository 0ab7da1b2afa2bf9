"""Short words for the tests of Harmony as text."""

from __future__ import annotations

from typing import Any, cast

from ocml_bridge import FindingCode, Message, Tool, Transcript, read, write
from ocml_bridge.formats.adapter import Options

CALL = Message(
    "assistant", "{}", channel="commentary", recipient="functions.f", constraint="json", end="call", continues=False
)
REPLY = Message("tool", "1", name="functions.f", channel="commentary", recipient="assistant")


def read_text(text: str) -> Transcript:
    return cast("Transcript", read(text, "harmony").transcript)


def messages(text: str) -> tuple[Message, ...]:
    return read_text(text).messages


def codes(text: str) -> set[FindingCode]:
    return {finding.code for finding in read(text, "harmony").findings}


def text_of(*messages: Message, dialect: str | None = None, tools: tuple[Tool, ...] | None = None, **more: Any) -> str:
    result = write(Transcript(messages, tools, **more), "harmony", options=Options(dialect=dialect))
    return cast("str", result.output)


def is_exact(text: str) -> bool:
    """Whether a text reads without findings and is written back byte for byte."""
    reading = read(text, "harmony")
    return reading.findings == () and write(reading.transcript, "harmony").output == text


def assistant(content: str, **fields: Any) -> Message:
    """A message of the assistant."""
    return Message("assistant", content, **fields)
