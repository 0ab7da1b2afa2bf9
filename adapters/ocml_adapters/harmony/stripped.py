"""Harmony whose tokens were left out in decoding: `analysisThe user asks…assistantfinalHello`."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.model import Message

from .header import implied_intent
from .syntax import ASSISTANT

_TARGET: Final = r" ?to=([\w.-]+?)"
_MARKER: Final = re.compile(
    r"(?:^|assistant)"
    rf"(?:{_TARGET}(?= |analysis|commentary|final))? ?"
    r"(analysis|commentary|final)"
    r"(?: to=([\w.-]+?)(?= |json|code|[\[{\"]|$))?"
    r"(?: ?(json|code)(?=\s*[\[{\"]))?"
)


STRIPPED: Final = re.compile(r" ?(?:analysis|commentary|final)")
"""What such a text begins with."""


def read_stripped(text: str) -> list[Message] | None:
    """The messages of a text that begins with a channel's name and names another behind the word `assistant`.

    Returns:
        None for any other text.
    """
    marks = list(_MARKER.finditer(text))
    if len(marks) < 2 or marks[0].start() != 0:
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [_message(mark, text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]


def _message(mark: re.Match[str], content: str) -> Message:
    before, channel, behind, kind = mark.groups()
    recipient = before or behind
    return Message(
        ASSISTANT,
        content,
        channel=channel,
        recipient=recipient,
        constraint=kind if recipient is not None else None,
        intent=implied_intent(ASSISTANT, None, channel, recipient),
        end="end" if recipient is None else "call",
    )
