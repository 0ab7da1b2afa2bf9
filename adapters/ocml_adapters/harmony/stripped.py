"""Read answers whose control tokens were left out: `analysisThe user asks…assistantfinalHello`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ocml_bridge.json_values.jsontext import value_at
from ocml_bridge.model import Message

from .header import implied_intent
from .syntax import ASSISTANT, CHANNELS

_TARGET: Final = r" ?to=([\w.-]+?)"
_MARKER: Final = re.compile(
    r"(?:^|assistant|(?<=[}\]])\s*(?:commentary)?(?=analysis|final))"
    rf"(?:{_TARGET}(?= |analysis|commentary|final))? ?"
    r"(analysis|commentary|final)"
    r"(?: to=([\w.-]+?)(?:(?<=\w)commentary(?= json))?(?= |json|code|[\[{\"]|$))?"
    r"(?: ?(json|code)(?=\s*[\[{\"]))?"
)
_NAMED: Final = re.compile(rf"{ASSISTANT}(?:{'|'.join(CHANNELS)})|analysis(?=[A-Z])")
STRIPPED: Final = re.compile(r" ?(?:analysis|commentary|final)")
"""The beginning of an answer whose control tokens were left out."""


def read_stripped(text: str) -> list[Message] | None:
    """Read an answer whose control tokens were left out: a channel, its text, `assistant`, the next channel, and so on.

    A single channel is enough if the text begins with `assistant` and the channel, if a recipient and a type, and then
    JSON, follow the channel, or if a sentence is glued to `analysis`, because a thought must not be shown.

    Returns:
        The messages; None for any other text.
    """
    text = text.lstrip()
    marks = list(_marks(text))
    if not marks or marks[0].start() != 0:
        return None
    if len(marks) == 1 and None in marks[0].groups()[2:] and not _NAMED.match(text):
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [_marked(mark, text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]


def _marks(text: str) -> Iterator[re.Match[str]]:
    """Yield the headers in a text. One without `assistant` follows a call, at the end of the JSON of its arguments."""
    end = -1
    for mark in _MARKER.finditer(text):
        if mark.start() and not mark[0].startswith(ASSISTANT) and mark.start() != end:
            continue
        yield mark
        if mark[1] is not None or mark[3] is not None:
            found = value_at(text, mark.end())
            end = -1 if found is None else found[1]


def _marked(mark: re.Match[str], content: str) -> Message:
    before, channel, behind, kind = mark.groups()
    recipient = before or behind
    if recipient is not None and not content.strip():
        # A call whose header is cut off is not a call.
        content, channel, recipient = mark[0].removeprefix(ASSISTANT), "analysis", None
    return Message(
        ASSISTANT,
        content,
        channel=channel,
        recipient=recipient,
        constraint=kind if recipient is not None else None,
        intent=implied_intent(ASSISTANT, None, channel, recipient),
        end="end" if recipient is None else "call",
    )
