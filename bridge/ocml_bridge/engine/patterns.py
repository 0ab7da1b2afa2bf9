"""Losses that are the same for all that is alike, but for the ids that their sentences name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..loss import Loss, LossCode, Severity
from ..wording import shown


class LossPattern(NamedTuple):
    """A loss of all that is alike.

    Attributes:
        code: of the loss.
        severity: of the loss.
        place: where it is: what its path has behind that of what it is found in.
        details: its sentence, or the pieces of it between ids.
        ids: of each id between them, which it is.
    """

    code: LossCode
    severity: Severity
    place: str
    details: tuple[str, ...]
    ids: tuple[int, ...]

    def of(self, start: str, ids: Sequence[str | None]) -> Loss:
        """The loss of one of them.

        Args:
            start: the path of what it is found in.
            ids: those that may be named.
        """
        code, severity, place, details, numbers = self
        detail = details[0]
        for number, rest in zip(numbers, details[1:], strict=True):
            detail += f"{shown(ids[number])}{rest}"
        return Loss(code, severity, start + place, detail)


def pattern_of(loss: Loss, start: str, probes: Sequence[str | None]) -> LossPattern:
    """The pattern of a loss.

    Args:
        loss: of something that has probes for ids.
        start: the path of that.
        probes: what stands for each of the ids.
    """
    numbers = {shown(call_id): number for number, call_id in enumerate(probes) if call_id is not None}
    pieces = re.split("(" + "|".join(map(re.escape, numbers)) + ")", loss.detail) if numbers else [loss.detail]
    ids = tuple([numbers[piece] for piece in pieces[1::2]])
    return LossPattern(loss.code, loss.severity, loss.path.removeprefix(start), tuple(pieces[::2]), ids)
