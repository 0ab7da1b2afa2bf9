"""Rows of datasets: the conversations that are read from them, and their messages as pairs of speaker and content."""

from __future__ import annotations

from typing import Any

from ocml_bridge import Options, Transcript, read
from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.model import Message

Pair = tuple[str, Any]
"""The speaker of a message, and its content."""


def conversations(row: dict[str, Any], plan: Plan | None = None) -> list[Transcript]:
    found = read_row(plan or Plan((AUTO,)), row)
    options = Options(force_format=True)  # the layout knows the format
    read_as = [read(each.value, found.layout.format, options=options).transcript for each in found.documents]
    return [each for each in read_as if isinstance(each, Transcript)]


def as_pairs(messages: tuple[Message, ...]) -> list[Pair]:
    """Each message as its speaker and its content; a call has the name of its tool in its speaker."""
    return [(speaker(message), message.content) for message in messages]


def speaker(message: Message) -> str:
    if message.recipient not in (None, "assistant"):
        return f"call {str(message.recipient).removeprefix('functions.')}"
    return "thought" if message.channel == "analysis" else message.role
