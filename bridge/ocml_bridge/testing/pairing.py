"""Law 9: which reply answers which call is the same on both sides, or a loss says which pair was broken."""

from __future__ import annotations

from typing import Final

from ..chat.turns import is_call
from ..checks.answers import other_answers, replies_of
from ..loss import LossCode
from ..model import Transcript
from .trial import Trial

_LAW: Final = "pairing"


def pairing(trial: Trial) -> None:
    """Each call has the replies that it had, but for those that are named; what is named did change."""
    broken = other_answers(trial.document, trial.back, trial.result)
    if broken:
        raise trial.broken(_LAW, broken)
    if isinstance(trial.document, Transcript) and isinstance(trial.back, Transcript):
        _names_what_differs(trial, trial.document, trial.back)


def _names_what_differs(trial: Trial, document: Transcript, back: Transcript) -> None:
    origins = trial.result.origins
    moved = {f"/messages/{index}" for index, stood in zip(origins, sorted(origins), strict=True) if index != stood}
    before = {reply: call for call, replies in replies_of(document.messages).items() for reply in replies}
    after = {origins[reply]: origins[call] for call, all_ in replies_of(back.messages).items() for reply in all_}
    # A call that is text in the output is none to our reader.
    text = any(
        is_call(document.messages[index]) and not is_call(message)
        for index, message in zip(origins, back.messages, strict=True)
    )
    for loss in trial.result.losses:
        if loss.code is LossCode.ORDER and loss.path not in moved:
            raise trial.broken(_LAW, [f"{loss} names a message that did not move"])
        if loss.code is LossCode.PAIRING and not text:
            reply = int(loss.path.rpartition("/")[2])
            if before.get(reply) == after.get(reply):
                raise trial.broken(_LAW, [f"{loss} names a reply that answers the call that it answered"])
