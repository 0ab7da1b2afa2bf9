"""Split one conversation into several: one for each turn of the assistant, or one for each of two answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..errors import BridgeError, ErrorCode
from ..loss import Loss, LossCode, Severity
from ..model import Transcript, replace

CHOSEN: Final = "chosen"
REJECTED: Final = "rejected"
_ASKING: Final = frozenset({"user", "system", "developer"})


def turns_of(transcript: Transcript) -> Iterator[tuple[Transcript, tuple[Loss, ...]]]:
    """Yield the conversation up to the end of each turn of the assistant.

    Args:
        transcript: the conversation.

    Returns:
        As many conversations as the assistant has turns. Messages after its last turn are in none of them: the
        losses of the last one report them.

    Raises:
        BridgeError: OCB-SHAPE if the assistant has no turn.
    """
    ends = _ends(transcript)
    if not ends:
        raise BridgeError(ErrorCode.SHAPE, "the assistant has no turn in this conversation", path="/messages")
    count = len(transcript.messages)
    for end in ends:
        last = end == ends[-1]
        alternatives = tuple(one for one in transcript.alternatives or () if last and one.at < end)
        messages, opened = transcript.messages[:end], transcript.open_turn if end == count else None
        yield (
            replace(transcript, messages=messages, alternatives=alternatives or None, open_turn=opened),
            tuple(_lost_message(at) for at in range(end, count) if last),
        )


def _ends(transcript: Transcript) -> list[int]:
    """Return the end indices of the assistant's turns: after its last message before the next question."""
    ends: list[int] = []
    end = 0
    for at, message in enumerate(transcript.messages):
        if message.role == "assistant":
            end = at + 1
        elif message.role in _ASKING and end:
            ends.append(end)
            end = 0
    return [*ends, end] if end else ends


def _lost_message(at: int) -> Loss:
    """Return the loss of a message after the last turn of the assistant."""
    detail = "this message comes after the last turn of the assistant, and is in no example"
    return Loss(LossCode.MESSAGE, Severity.LOST, f"/messages/{at}", detail)


def answers_of(transcript: Transcript) -> dict[str, Transcript]:
    """Return the conversation with the chosen answer and that with the rejected one.

    Empty if the conversation does not have exactly one alternative, labelled `rejected`.
    """
    alternatives = list(transcript.alternatives or ())
    if [one.label for one in alternatives] != [REJECTED]:
        return {}
    [rejected] = alternatives
    chosen = replace(transcript, alternatives=None)
    messages = (*transcript.messages[: rejected.at], *rejected.messages)
    return {CHOSEN: chosen, REJECTED: replace(chosen, messages=messages)}
