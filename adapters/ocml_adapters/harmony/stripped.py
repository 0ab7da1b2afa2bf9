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
_HEADER: Final = (
    rf"(?:{_TARGET}(?= |analysis|commentary|final))? ?"
    r"(analysis|commentary|final)"
    r"(?: to=([\w.-]+?)(?:(?<=\w)commentary(?= json))?(?= |json|code|[\[{\"]|$))?"
    r"(?: ?(json|code)(?=\s*[\[{\"]))?"
)
_MARKER: Final = re.compile(f"(?:^|assistant){_HEADER}")
_AFTER_CALL: Final = re.compile(rf"\s*(?:commentary)?(?=analysis|final){_HEADER}")
"""The header of a message that follows the arguments of a call without `assistant`."""
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
    marks = list(_MARKER.finditer(text))
    if not marks or marks[0].start() != 0:
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    messages = [
        each for mark, end in zip(marks, ends, strict=True) for each in _marked_in(text[mark.end() : end], mark)
    ]
    if len(messages) == 1 and None in marks[0].groups()[2:] and not _NAMED.match(text):
        return None
    return messages


def _marked_in(text: str, mark: re.Match[str]) -> Iterator[Message]:
    """Yield the message after a header, and those that follow the arguments of calls in it without `assistant`."""
    at = 0
    while mark[1] is not None or mark[3] is not None:
        found = value_at(text, at)
        following = None if found is None else _AFTER_CALL.match(text, found[1])
        if found is None or following is None:
            break
        yield _marked(mark, text[at : found[1]])
        mark, at = following, following.end()
    yield _marked(mark, text[at:])


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
