"""Edit what an adapter's samples read as, so that its own extras and layout occur, and no longer fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..chat.turns import is_call
from ..convert import write
from ..formats.adapter import Adapter
from ..loss import LossCode, Severity
from ..model import Message, Text, Transcript, replace
from ..report.policy import LENIENT
from .strategies import texts

_MAY_BE_LOST: Final = (LossCode.EXTRAS, LossCode.CONTROL_TOKEN)
"""What only the format can say may be lost with the text that it belongs to; and a token that was text is broken."""
_EDITS: Final = ("say", "say", "remove", "repeat", "exchange", "join or part")


def edited(transcripts: Sequence[Transcript]) -> SearchStrategy[Transcript]:
    """Draw conversations with up to three messages that say something else, are gone, repeated, moved, or joined."""
    edits = st.lists(st.tuples(st.sampled_from(_EDITS), st.integers(0, 99), texts()), min_size=1, max_size=3)
    return st.builds(_edited, st.sampled_from(transcripts), edits)


def _edited(transcript: Transcript, edits: Sequence[tuple[str, int, str]]) -> Transcript:
    messages = [*transcript.messages]
    for edit, number, text in edits:
        if not messages:
            break
        at = number % len(messages)
        match edit:
            case "say":
                messages[at] = saying(messages[at], text)
            case "remove":
                del messages[at]
            case "repeat":
                messages.insert(at, messages[at])
            case "exchange":
                messages[at - 1], messages[at] = messages[at], messages[at - 1]
            case _:
                messages[at] = replace(messages[at], continues=not messages[at].continues)
    return replace(transcript, messages=tuple(messages))


def saying(message: Message, text: str) -> Message:
    """Return a message with another text in place of its first one; if it has none, with the text alone."""
    parts = () if isinstance(message.content, str) else message.content
    for at, part in enumerate(parts):
        if isinstance(part, Text):
            return replace(message, content=(*parts[:at], replace(part, text=text), *parts[at + 1 :]))
    return replace(message, content=text)


def is_spoken(message: Message) -> bool:
    """Return whether a message may say anything else: it has a text without citations, and is no call and no reply.

    A format may have tools whose arguments and results have a form of their own.
    """
    if message.role == "tool" or is_call(message):
        return False
    content = message.content
    parts = (Text(content),) if isinstance(content, str) else content
    return next((part.is_bare and part.text != "" for part in parts if isinstance(part, Text)), False)


def other_words_fit(transcript: Transcript, adapter: str | Adapter) -> None:
    """Check that a conversation of the format still has a place in it if one of its texts says something else.

    Args:
        transcript: what a document of the format reads as, without findings.
        adapter: a format id, or an adapter.
    """
    for at, message in enumerate(transcript.messages):
        if not is_spoken(message):
            continue
        messages = (*transcript.messages[:at], saying(message, "Something else."), *transcript.messages[at + 1 :])
        losses = write(replace(transcript, messages=messages), adapter, policy=LENIENT).losses
        lost = [loss for loss in losses if loss.severity is not Severity.LAYOUT and loss.code not in _MAY_BE_LOST]
        assert not lost, (
            f"a sample loses something when the text of /messages/{at} is another: {lost}; "
            "the reader makes of it what the writer has no place for, and only the layout hid that"
        )
