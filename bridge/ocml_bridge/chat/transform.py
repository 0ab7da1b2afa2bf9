"""Changes to a transcript that a person asks for, each with its report. No conversion makes them on its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from ..errors import BridgeError, ErrorCode
from ..loss import Loss, LossCode, Severity, gone
from ..model import Message, Transcript, replace
from .turns import is_call, is_thought

Dropped = Literal["final", "all"]
"""Whose private reasoning is dropped: that of turns that ended in a final answer, or of all turns."""


def drop_analysis(
    transcript: Transcript, of: Dropped = "final", *, last: bool = True
) -> tuple[Transcript, tuple[Loss, ...]]:
    """Drop the private reasoning that led to a final answer, as before the next sampling (HIP-1 §12.7), or all of it.

    A final answer that is complete drops the thoughts of its own turn. The thoughts of a turn without one are kept:
    they led to a call that is still unanswered, or whose reply the model has yet to use. Calls of built-in tools on
    `analysis` and their replies are no thoughts and stay.

    Args:
        transcript: the conversation.
        of: whose reasoning: of the turns that ended in a final answer, or of all turns.
        last: whether those of an answer that ends the conversation are dropped, too; a model that is trained on it
            learns them.

    Returns:
        The transcript without those messages, and one loss for each.

    Raises:
        BridgeError: OCB-OPTION for another word.
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
        alternatives = tuple(replace(one, at=one.at - sum(index < one.at for index in dropped)) for one in alternatives)
    return replace(transcript, messages=tuple(remaining), alternatives=alternatives), tuple(losses)


_REASONS: Final[dict[Dropped, str]] = {
    "final": "the reasoning of a turn that ended in a final answer is left out",
    "all": "private reasoning is left out",
}


def missing(losses: Iterable[Loss]) -> set[int]:
    """Indices of the messages that losses say are not there any more."""
    return {index for path in gone(losses) if (index := message_index(path)) is not None}


def message_index(path: str) -> int | None:
    """The index of the message that a path names as a whole; None for any other path."""
    found = _MESSAGE.match(path)
    return None if found is None else int(found[1])


def remaining(count: int, losses: Iterable[Loss], order: Sequence[int] | None = None) -> list[int]:
    """Indices of the messages that are still there, in their order there.

    Args:
        count: how many messages there were.
        losses: those at whole messages tell which are missing.
        order: the indices in another order, where some were moved.
    """
    dropped = missing(losses)
    return [index for index in (range(count) if order is None else order) if index not in dropped]


def renumber(losses: Iterable[Loss], origins: Sequence[int]) -> tuple[Loss, ...]:
    """Losses with the paths of another transcript.

    Args:
        losses: as they were reported.
        origins: for each message of the transcript that they are of, its index in the other one.
    """
    return tuple(_renumbered(loss, origins) for loss in losses)


def _renumbered(loss: Loss, origins: Sequence[int]) -> Loss:
    found = _INDEX.match(loss.path)
    if found is None or int(found[1]) >= len(origins):
        return loss
    return loss._replace(path=f"/messages/{origins[int(found[1])]}{loss.path[found.end() :]}")


_MESSAGE: Final = re.compile(r"/messages/(\d+)\Z")
_INDEX: Final = re.compile(r"/messages/(\d+)")


def _last_answer(messages: tuple[Message, ...]) -> int:
    """The index of the answer that ends a conversation; its length where something else does."""
    last = messages[-1:]
    return len(messages) - (last != () and last[0].role == "assistant" and last[0].channel == "final")


def _thoughts(messages: tuple[Message, ...]) -> set[int]:
    return {index for index, message in enumerate(messages) if is_thought(message)}


def _thoughts_answered(messages: tuple[Message, ...]) -> set[int]:
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
