"""The body of a reply frame ↔ the replies of tools in it, and which tool each of them is from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Message
from ocml_bridge.units.pairing import Pairing

from ..families import Responses

TAGS: Final = (("<tool_response>", "</tool_response>"), ("<|tool_response_start|>", "<|tool_response_end|>"))
ROLES: Final = frozenset({"user", "tool", "tool_response"})
"""The roles of frames that may hold replies."""


def begins(body: str) -> bool:
    """Whether a body begins with a reply."""
    text = body.lstrip()
    return any(text.startswith(tag) for tag, _ in TAGS)


def read_responses(body: str) -> list[str] | None:
    """The replies in a body, as they stand there; None where there is anything else in it."""
    text = body.strip()
    for open_tag, close_tag in TAGS:
        if text.startswith(open_tag):
            return _blocks(text, open_tag, close_tag)
    return None


def _blocks(text: str, open_tag: str, close_tag: str) -> list[str] | None:
    found: list[str] = []
    at = 0
    while at < len(text):
        end = text.find(close_tag, at)
        if not text.startswith(open_tag, at) or end < 0:
            return None
        inner = text[at + len(open_tag) : end]
        found.append(_bare(inner) if open_tag == TAGS[0][0] else inner)
        at = end + len(close_tag)
        while at < len(text) and text[at].isspace():
            at += 1
    return found


def _bare(inner: str) -> str:
    """A reply without the line breaks around it, which not all families write: both are markup, or none."""
    if inner.startswith("\n") and inner.endswith("\n"):
        return inner[1:-1]
    return inner


def write_responses(replies: Sequence[str], spelling: Responses, *, closing: bool = False) -> str:
    """The body of replies that may stand in it; `closing`: no message follows."""
    blocks = [f"{spelling.open}{reply}{spelling.close}" for reply in replies]
    return (spelling.between or "").join(blocks) + spelling.end_of(closing=closing)


class Replies:
    """Tells of each reply which tool it is from: the replies of a turn answer its calls in order."""

    def __init__(self) -> None:
        self._pairing = Pairing()
        self._recipients: list[str] = []

    @property
    def waits(self) -> str | None:
        """The recipient of the first call that waits for its reply; None where none does."""
        call = self._pairing.find(Message("tool", ""))
        return None if call is None else self._recipients[call]

    def take(
        self,
        role: str,
        recipient: str | None,
        name: str | None,
        *,
        continues: bool,
        index: int = 0,
        log: Log | None = None,
    ) -> str | None:
        """Take the next message.

        Args:
            role: its role.
            recipient: of a call, whom it is for.
            name: of a reply, the tool that it names.
            continues: whether it stands in the frame of the one before it.
            index: its index.
            log: takes that a reply answers none of the calls.

        Returns:
            Of a reply, the recipient of the call that it answers.
        """
        if recipient is not None:
            message = Message("assistant", "", recipient=recipient, end="call", continues=continues)
            self._pairing.feed(len(self._recipients), message)
            self._recipients.append(recipient)
            return None
        message = Message(role, "", name if role == "tool" else None, continues=continues)
        call = self._pairing.feed(len(self._recipients), message)
        if call is not None:
            return self._recipients[call]
        if role == "tool" and self._recipients and log is not None:
            path = f"/messages/{index}/name"
            log.find(FindingCode.REPLY_UNPAIRED, path, "no call fits this reply; the reply is kept without one")
        return None
