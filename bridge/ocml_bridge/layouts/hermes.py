"""Read turns and messages of any names, whose calls, results and tools are between tags in their texts (Hermes)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Final

from ..model import Json
from . import calls, columns, thoughts
from .declared import read_tools
from .fitting import items_of, members_of
from .layout import Document, Layout, Object, Wording
from .messages import are_messages, request, respelled_all, system_of
from .turns import CONVERSATIONS, SHAREGPT, SYSTEM, are_sharegpt, list_or_none, value_of

_WORDING: Final = Wording(
    ("from", "role", "speaker", "author", "sender"),
    ("value", "content", "text", "utterance", "message"),
    thoughts=("think", "thinking", "scratch_pad", "thought_start"),
)


def are_tagged_turns(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold turns with calls, results and tools between tags, or messages with such calls."""
    value = list_or_none(fields, CONVERSATIONS)
    if not any(map(calls.has_tags, map(_text_of, items_of(value), repeat(wording.text)))):
        return False
    of_sharegpt = SHAREGPT if wording.role == _WORDING.role else wording
    if are_sharegpt(fields, of_sharegpt):
        return True
    return are_messages(value, wording) and calls.have_tagged_calls(respelled_all(value, wording, f"/{CONVERSATIONS}"))


def _text_of(turn: Json, keys: Sequence[str]) -> Json:
    """Return the text of a turn, under the first of some keys that it has."""
    if turn.__class__ is dict:
        found = members_of(turn)
        for key in keys:
            if key in found:
                return found[key]
    return None


def read_tagged_turns(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation, with calls, results and tools taken out of its texts."""
    messages = respelled_all(value_of(fields, CONVERSATIONS), wording, f"/{CONVERSATIONS}")
    messages = [*system_of(fields.get(SYSTEM), f"/{SYSTEM}"), *messages]
    messages = [thoughts.split(each, wording) for each in messages]
    tools, messages, findings = calls.extract_tools(messages, read_tools(fields))
    return [Document(request(messages, tools), findings)]


HERMES: Final = Layout(
    "hermes-functions",
    "Hermes' function calling: turns with calls in tags",
    "openai",
    {CONVERSATIONS: ("conversations", "conversation", *columns.TURNS), **columns.PROMPT},
    are_tagged_turns,
    read_tagged_turns,
    wording=_WORDING,
    without=frozenset(columns.REJECTED),
)
