"""Check whether the calls of a document are answered, as the APIs require."""

from __future__ import annotations

from ..chat.turns import FUNCTIONS, is_call, with_namespace
from ..loss import Finding, FindingCode, Log
from ..model import Document, Message, Transcript
from ..units.pairing import pair


def check_replies(document: Document) -> tuple[Finding, ...]:
    """Return a finding for each call of a function that has no reply although the conversation goes on.

    Chat Completions, Responses, Anthropic Messages and Converse refuse such a request. Calls that only replies follow,
    or the rest of their turn, may be waiting. Calls that are cut off, and those of hosted tools, are skipped.

    Args:
        document: the document.

    Returns:
        The findings, with the paths of the calls in the canonical form.
    """
    log = Log()
    if isinstance(document, Transcript):
        messages = document.messages
        answered = set(pair(messages).values())
        last = max((index for index, message in enumerate(messages) if _goes_on(message)), default=-1)
        for index, message in enumerate(messages[: max(last, 0)]):
            if index not in answered and _expects_reply(message):
                detail = "no reply answers this call although the conversation goes on; APIs refuse such a request"
                log.find(FindingCode.CALL_UNANSWERED, f"/messages/{index}", detail)
    return tuple(log.findings)


def _goes_on(message: Message) -> bool:
    """Return whether a message is neither a reply nor the rest of a turn."""
    return message.role != "tool" and not message.continues


def _expects_reply(message: Message) -> bool:
    return (
        message.end is not None and is_call(message) and with_namespace(message.recipient or "").startswith(FUNCTIONS)
    )
