"""Law 12: what was said arrives, or a loss of class content says that it does not; nothing is emptied in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..loss import LossCode, gone
from ..substance import emptied, vanished

if TYPE_CHECKING:
    from .laws import Trial


def substance(trial: Trial) -> None:
    """Law 12: characters that vanish are lost as content, and `emptied` is reported exactly of what is emptied."""
    losses, order = trial.result.losses, trial.result.order
    problems = [f"{path}: what was said is not there" for path in vanished(trial.document, trial.back, losses, order)]
    expected = set(emptied(trial.document, trial.back, gone(losses), order))
    reported = {loss.path for loss in losses if loss.code is LossCode.EMPTIED}
    problems += [f"{path}: it is emptied, and not reported" for path in sorted(expected - reported)]
    problems += [f"{path}: it is reported as emptied, and is not" for path in sorted(reported - expected)]
    if problems:
        raise trial.broken("substance", problems)
