"""Check law 9: each reply answers the same call in the output, or a loss reports that it does not."""

from __future__ import annotations

from typing import Final

from ..chat.turns import is_call
from ..checks.answers import other_answers, replies_of
from ..loss import LossCode
from ..model import Transcript
from .trial import Trial

_LAW: Final = "pairing"


def pairing(trial: Trial) -> None:
    """Law 9: each call has the same replies, except for those with a loss, and each loss is of a real change."""
    broken = other_answers(trial.document, trial.back, trial.result)
    if broken:
        raise trial.broken(_LAW, broken)
    if isinstance(trial.document, Transcript) and isinstance(trial.back, Transcript):
        _no_false_alarms(trial, trial.document, trial.back)


def _no_false_alarms(trial: Trial, document: Transcript, back: Transcript) -> None:
    """Check that each loss of order or pairing names a message that moved, or a reply that answers another call."""
    origins = trial.result.origins
    moved = {f"/messages/{index}" for index, stood in zip(origins, sorted(origins), strict=True) if index != stood}
    before = {reply: call for call, replies in replies_of(document.messages).items() for reply in replies}
    after = {origins[reply]: origins[call] for call, all_ in replies_of(back.messages).items() for reply in all_}
    # If a call became text in the output, its replies have no call there.
    is_call_text = any(
        is_call(document.messages[index]) and not is_call(message)
        for index, message in zip(origins, back.messages, strict=True)
    )
    for loss in trial.result.losses:
        if loss.code is LossCode.ORDER and loss.path not in moved:
            raise trial.broken(_LAW, [f"{loss} names a message that did not move"])
        if loss.code is LossCode.PAIRING and not is_call_text:
            reply = int(loss.path.rpartition("/")[2])
            if before.get(reply) == after.get(reply):
                raise trial.broken(_LAW, [f"{loss} names a reply that answers the call that it answered"])
