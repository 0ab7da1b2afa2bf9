"""Transcript → JSON interchange: one object a message, but for those that were read from one object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ocml_bridge import jsontext
from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import ByFormat, Document, Json, Message, Text, Thought, Transcript
from ocml_bridge.text import developer, thoughts
from ocml_bridge.turns import parts_of

from .spelling import own, respell
from .syntax import CALL_ID, CALL_KEYS, CHANNEL, CONTENT, INTENT, KEYS, MARKERS, NAME, ROLE, THINKING, TOOL_CALL


def write(document: Document, options: Options, log: Log) -> Source:
    """The objects of a transcript that the format can hold, in the shape it was read in; else a list."""
    transcript = cast("Transcript", document)
    return shaped(list(map(written, groups(developer.spell(transcript)))), transcript.layout)


def shaped(objects: list[Json], layout: ByFormat | None) -> Source:
    """Objects in the shape that a layout has; else a list."""
    shape = own(layout).get("shape")
    if shape == "object":
        return objects[0]
    return jsontext.Lines(objects) if shape == "lines" else objects


def written(group: Sequence[Message]) -> dict[str, Json]:
    """The object of some messages, each as reading the object gives it back."""
    return respell(wire_object(group), group[0])


def is_merged(message: Message) -> bool:
    """Whether a message stands in one object with the one before it."""
    return own(message.layout).get("merged") is True


def groups(messages: Sequence[Message]) -> list[list[Message]]:
    """Messages by the object they are written in."""
    out: list[list[Message]] = []
    for message in messages:
        if out and is_merged(message):
            out[-1].append(message)
        else:
            out.append([message])
    return out


def is_wire_call(message: Message) -> bool:
    """Whether a message is written as a tool call: any with a recipient that is no tool's reply."""
    return message.recipient is not None and message.role != "tool"


def wire_object(messages: Sequence[Message]) -> dict[str, Json]:
    """The object that says some messages, its keys in the order of `KEYS`."""
    first = messages[0]
    values: dict[str, Json] = {ROLE: first.role, CHANNEL: first.channel, NAME: first.name}
    for message in messages:
        if is_wire_call(message):
            values[TOOL_CALL] = _call(message)
            values[CHANNEL] = values[CHANNEL] if CONTENT in values else message.channel
        elif message.channel == "analysis" and len(messages) > 1:
            values[THINKING] = text_of(message)
        else:
            values[CONTENT] = text_of(message)
            values.update({CHANNEL: message.channel, INTENT: message.intent, CALL_ID: message.call_id})
    return {key: values[key] for key in KEYS if values.get(key) is not None}


def _call(message: Message) -> dict[str, Json]:
    values: dict[str, Json] = {key: getattr(message, field) for key, field in CALL_KEYS.items()}
    return {key: value for key, value in values.items() if value is not None}


def text_of(message: Message) -> str:
    """A message's content as the string that says it."""
    marked = message.role == "assistant" and message.channel == "analysis"
    out: list[str] = []
    for part in parts_of(message.content):
        if isinstance(part, Thought):
            out.append(thoughts.marker(part))
        elif isinstance(part, Text):
            out.append(MARKERS.neutralise(part.text) if marked else part.text)
    return "".join(out)
