"""Drop private reasoning on request, and translate indices and paths between a transcript and what is left of it.

A conversion drops reasoning only if the caller requests it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from ..errors import BridgeError, ErrorCode
from ..loss import Loss, LossCode, Severity, gone
from ..model import Alternative, Message, Transcript, replace
from .turns import is_call, is_thought

Dropped = Literal["final", "all"]
"""Which private reasoning is dropped: that of turns that ended in a final answer, or of all turns."""


def drop_analysis(
    transcript: Transcript, of: Dropped = "final", *, last: bool = True
) -> tuple[Transcript, tuple[Loss, ...]]:
    """Drop the private reasoning of turns that ended in a final answer (HIP-1 §12.7, before the next sampling), or all.

    With "final", the thoughts of a turn without a complete final answer are kept: they led to a call that is still
    unanswered, or whose reply the model has yet to use. Calls of built-in tools on `analysis`, and their replies, are
    not thoughts and are always kept.

    Args:
        transcript: the conversation.
        of: the reasoning to drop: "final" or "all".
        last: whether to drop also the reasoning of the answer that ends the conversation; not if a model is to be
            trained on that answer.

    Returns:
        The transcript without those messages, and one loss for each.

    Raises:
        BridgeError: OCB-OPTION for another value of `of`.
    """
    if of not in _REASONS:
        raise BridgeError(ErrorCode.OPTION, f"drop_analysis cannot be {of!r}; it is one of {', '.join(_REASONS)}")
    messages = transcript.messages
    considered = messages if last else messages[: _last_answer(messages)]
    dropped = _thoughts_answered(considered) if of == "final" else _thoughts(considered)
    if not dropped:
        return transcript, ()
    losses = [Loss(LossCode.THOUGHT, Severity.LOST, f"/messages/{index}", _REASONS[of]) for index in sorted(dropped)]
    remaining: list[Message] = []
    headless = False
    for index, message in enumerate(transcript.messages):
        if not message.continues:
            headless = index in dropped
        if index in dropped:
            continue
        if headless:
            detail = "the message before it, which it continued, is left out"
            losses.append(Loss(LossCode.GROUPING, Severity.LAYOUT, f"/messages/{index}/continues", detail))
            remaining.append(replace(message, continues=False))
            headless = False
        else:
            remaining.append(message)
    alternatives = transcript.alternatives
    if alternatives is not None:
        alternatives = moved(alternatives, dropped)
    return replace(transcript, messages=tuple(remaining), alternatives=alternatives), tuple(losses)


def moved(alternatives: Sequence[Alternative], dropped: set[int]) -> tuple[Alternative, ...]:
    """Return alternatives with their positions after the messages at some indices are dropped."""
    return tuple(replace(each, at=each.at - sum(index < each.at for index in dropped)) for each in alternatives)


_REASONS: Final[dict[Dropped, str]] = {
    "final": "the reasoning of a turn that ended in a final answer is left out",
    "all": "private reasoning is left out",
}


def missing(losses: Iterable[Loss]) -> set[int]:
    """Return the indices of the messages that losses report as missing."""
    return {index for path in gone(losses) if (index := message_index(path)) is not None}


def message_index(path: str) -> int | None:
    """Return the index of the message at a path; None for the path of anything else, such as a field of a message."""
    match = _MESSAGE.match(path)
    return None if match is None else int(match[1])


def remaining(count: int, losses: Iterable[Loss], order: Sequence[int] | None = None) -> list[int]:
    """Return the indices of the messages that are in an output, in the order of the output.

    Args:
        count: the number of messages in the document.
        losses: the losses of the conversion; some report missing messages.
        order: the indices in the order of the output; None if the order is the same.
    """
    dropped = missing(losses)
    return [index for index in (range(count) if order is None else order) if index not in dropped]


def renumber(losses: Iterable[Loss], origins: Sequence[int]) -> tuple[Loss, ...]:
    """Return losses with the paths of the transcript from which theirs was made.

    Args:
        losses: the losses, with the paths of their own transcript.
        origins: for each message of their transcript, its index in the other one.
    """
    return tuple(_renumbered(loss, origins) for loss in losses)


def _renumbered(loss: Loss, origins: Sequence[int]) -> Loss:
    match = _INDEX.match(loss.path)
    if match is None or int(match[1]) >= len(origins):
        return loss
    return loss._replace(path=f"/messages/{origins[int(match[1])]}{loss.path[match.end() :]}")


_MESSAGE: Final = re.compile(r"/messages/(\d+)\Z")
_INDEX: Final = re.compile(r"/messages/(\d+)")


def _last_answer(messages: tuple[Message, ...]) -> int:
    """Return the index of the final answer that ends a conversation, or its length if it ends otherwise."""
    last = messages[-1:]
    return len(messages) - (last != () and last[0].role == "assistant" and last[0].channel == "final")


def _thoughts(messages: tuple[Message, ...]) -> set[int]:
    return {index for index, message in enumerate(messages) if is_thought(message)}


def _thoughts_answered(messages: tuple[Message, ...]) -> set[int]:
    """Return the indices of the thoughts of turns that have a complete final answer."""
    dropped: set[int] = set()
    thoughts: list[int] = []
    for index, message in enumerate(messages):
        if message.role == "user":
            thoughts = []
        elif is_thought(message):
            thoughts.append(index)
        elif message.role == "assistant" and message.channel == "final" and message.end and not is_call(message):
            dropped.update(thoughts)
            thoughts = []
    return dropped
