"""Return the fields of a document and its messages other than content, as names and values for debugging."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..chat.turns import is_call
from ..chat.visibility import is_preamble
from ..json_values import jsontext
from ..model import Message, Transcript
from ..model.codec import to_json
from .characters import visible

Facts = tuple[tuple[str, str], ...]

_LABELLED: Final = frozenset({"system", "developer", "user", "assistant", "tool"})
"""Roles that are in a message's label."""
_FIELDS: Final = ("channel", "recipient", "call_id", "intent", "content_type", "constraint")


def message_facts(message: Message) -> Facts:
    """Return the fields of a message that are not in its label and its name."""
    return tuple((name.replace("_", " "), visible(value)) for name, value in _fields_of(message))


def _fields_of(message: Message) -> Iterator[tuple[str, str]]:
    if message.role not in _LABELLED:
        yield "role", message.role
    labelled = _labels(message)
    for name in _FIELDS:
        value = getattr(message, name)
        if value is not None and (name, value) not in labelled:
            yield name, value
    if is_call(message) and message.name is not None:
        yield "name", message.name
    if message.end is None:
        yield "end", "cut off"
    if message.weight is not None:
        yield "weight in training", f"{message.weight:g}"
    for format_id, members in (message.extras or {}).items():
        yield f"only in {format_id}", ", ".join(members)


def _labels(message: Message) -> set[tuple[str, str | None]]:
    if is_call(message):
        return {("channel", "commentary"), ("recipient", message.recipient)}
    if is_preamble(message):
        return {("channel", "commentary"), ("intent", "preamble")}
    return {("channel", "analysis"), ("channel", "commentary"), ("channel", "final")}


def document_facts(document: Transcript) -> Facts:
    """Return the fields of the header and the settings."""
    values = to_json(Transcript(header=document.header, settings=document.settings))
    facts = [fact for name in ("header", "settings") for fact in values.get(name, {}).items() if fact[0] != "layout"]
    if document.alternatives:
        facts.append(("alternatives", ", ".join(f"{one.label} at {one.at}" for one in document.alternatives)))
    return tuple(
        (visible(str(name)).replace("_", " "), visible(value if isinstance(value, str) else jsontext.compact(value)))
        for name, value in facts
    )
