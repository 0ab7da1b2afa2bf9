"""Read and write the body of a frame of replies, and find which tool each reply is from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from ocml_bridge.loss import Log
from ocml_bridge.text.replies import Replies, report_unpaired

from ..families import Responses
from ..syntax import OUTPUT

TAGS: Final = (
    *(("<tool_response>", "</tool_response>"), ("<|tool_response_start|>", "<|tool_response_end|>")),
    (OUTPUT, ""),
)
ROLES: Final = frozenset({"user", "tool", "tool_response"})
"""The roles of frames that may hold replies."""


def begins(body: str) -> bool:
    """Return whether a body begins with a reply."""
    text = body.lstrip()
    return any(text.startswith(tag) for tag, _ in TAGS)


def read_responses(body: str) -> list[str] | None:
    """Return the raw texts of the replies in a body; None if it has anything else."""
    text = body.strip()
    for open_tag, close_tag in TAGS:
        if text.startswith(open_tag):
            return _blocks(text, open_tag, close_tag)
    return None


def _blocks(text: str, open_tag: str, close_tag: str) -> list[str] | None:
    """Return the texts between pairs of tags; None if another text follows the last one.

    A reply ends where the next reply or the end of the frame follows its end tag: a tool may quote the tag, and what it
    says after that is not the user's.
    """
    if not text.endswith(close_tag):
        return None
    inside = text[len(open_tag) : len(text) - len(close_tag)]
    replies = _between(open_tag, close_tag).split(inside)
    return list(map(_without_breaks, replies)) if open_tag == TAGS[0][0] else replies


@cache
def _between(open_tag: str, close_tag: str) -> re.Pattern[str]:
    """Return the pattern of what stands between two replies."""
    return re.compile(rf"{re.escape(close_tag)}\s*{re.escape(open_tag)}" if close_tag else re.escape(open_tag))


def _without_breaks(inner: str) -> str:
    """Return a reply without the line breaks around it; if only one side has one, it belongs to the reply."""
    if inner.startswith("\n") and inner.endswith("\n"):
        return inner[1:-1]
    return inner


def write_responses(replies: Sequence[str], spelling: Responses, *, closing: bool = False) -> str:
    """Return the body of some replies; `closing`: no message follows the frame."""
    blocks = [f"{spelling.open}{reply}{spelling.close}" for reply in replies]
    return (spelling.between or "").join(blocks) + spelling.end_of(closing=closing)


def answered(replies: Replies, name: str | None, index: int, log: Log) -> str | None:
    """Return the recipient of the call that a reply answers, or None, which is reported if there was any call.

    Args:
        replies: the calls that have no reply yet.
        name: the tool that the reply names.
        index: the index of the reply.
        log: takes the finding.
    """
    recipient = replies.reply(name)
    if recipient is None and replies:
        report_unpaired(index, log)
    return recipient
