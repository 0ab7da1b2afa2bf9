"""Check law 9: each call has the same replies in a document and in the document that its output reads as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..chat.turns import is_call, is_reply
from ..convert import Result
from ..loss import Loss, LossCode
from ..model import Document, Message, Transcript
from ..report.report import unreported
from ..units.pairing import pair


def other_answers(document: Document, back: Document, result: Result) -> list[Loss]:
    """Return a loss for each reply that answers another call in the output, and that no loss `pairing` reports.

    Args:
        document: the document that was written.
        back: the document that the output reads as.
        result: the output with its losses.
    """
    if not isinstance(document, Transcript) or not isinstance(back, Transcript):
        return []
    origins = result.origins[: len(back.messages)]
    messages = back.messages[: len(origins)]
    named = {loss.path for loss in result.losses if loss.code is LossCode.PAIRING}
    replied = {origins[at] for at, message in enumerate(messages) if is_reply(message)}
    before, after = replies_of(document.messages), replies_of(messages)
    changed: set[int] = set()
    for at, message in enumerate(messages):
        if is_call(message):
            expected = {reply for reply in before.get(origins[at], ()) if reply in replied}
            changed |= expected ^ {origins[reply] for reply in after.get(at, ())}
    return [
        unreported(LossCode.PAIRING, path, "in the output this reply answers another call")
        for path in (f"/messages/{reply}" for reply in sorted(changed))
        if path not in named
    ]


def replies_of(messages: Sequence[Message]) -> Mapping[int, Sequence[int]]:
    """Return the indices of the replies to each call, by the index of the call."""
    replies: dict[int, list[int]] = {}
    for reply, call in pair(messages).items():
        replies.setdefault(call, []).append(reply)
    return replies
