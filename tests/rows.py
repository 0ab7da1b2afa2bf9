"""Rows of datasets, and what a person reads in them."""

from __future__ import annotations

from typing import Any

from ocml_bridge import Transcript, read
from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.model import Message

Said = tuple[str, Any]


def conversations(row: dict[str, Any], plan: Plan | None = None) -> list[Transcript]:
    found = read_row(plan or Plan((AUTO,)), row)
    read_as = [read(each.value, found.layout.format).transcript for each in found.documents]
    return [each for each in read_as if isinstance(each, Transcript)]


def told(messages: tuple[Message, ...]) -> list[Said]:
    """Who says what: a thought is the assistant's, a call says its tool in front."""
    return [(speaker(message), message.content) for message in messages]


def speaker(message: Message) -> str:
    if message.recipient not in (None, "assistant"):
        return f"call {str(message.recipient).removeprefix('functions.')}"
    return "thought" if message.channel == "analysis" else message.role
