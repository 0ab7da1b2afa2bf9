"""Check law 12: no text vanishes without a loss of class `content`, and no message becomes empty without `emptied`."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..chat.substance import emptied, opaque_field, vanished
from ..loss import Loss, LossCode, Severity, gone
from ..model import Transcript
from .trial import Trial


def substance(trial: Trial) -> None:
    """Law 12: text that vanishes is reported as lost content, and `emptied` is reported for exactly what is emptied."""
    losses, order = trial.result.losses, trial.result.order
    problems = [f"{path}: the content is missing" for path in vanished(trial.document, trial.back, losses, order)]
    expected = set(emptied(trial.document, trial.back, gone(losses), order))
    reported = {loss.path for loss in losses if loss.code is LossCode.EMPTIED}
    problems += [f"{path}: it is emptied, and not reported" for path in sorted(expected - reported)]
    unseen = gone(losses) | _joined(losses)
    left_out = {f"{path}/{field}" for path, field in _opaque(trial) if path in unseen}
    problems += [f"{path}: it is reported as emptied, and is not" for path in sorted(reported - expected - left_out)]
    if problems:
        raise trial.broken("substance", problems)


def _opaque(trial: Trial) -> Iterator[tuple[str, str]]:
    """Yield the path of each message that was not understood at all, and the field with its text.

    If the target leaves such a message out, it may be reported as emptied.
    """
    messages = trial.document.messages if isinstance(trial.document, Transcript) else ()
    for index, message in enumerate(messages):
        if (field := opaque_field(message)) is not None:
            yield f"/messages/{index}", field


def _joined(losses: Collection[Loss]) -> set[str]:
    """Return the paths of messages to which a later one may be joined: the image has the texts of both in one."""
    joined = {loss.path for loss in losses if loss.code is LossCode.MESSAGE and loss.severity is Severity.CHANGED}
    last = max((int(path.rpartition("/")[2]) for path in joined), default=0)
    return {f"/messages/{index}" for index in range(last)} - joined
