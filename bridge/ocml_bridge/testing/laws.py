"""The laws of the contract of loss (docs/loss.md) as checks; the tests of all adapters call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..formats.adapter import DEFAULT, Adapter, Options
from ..model import Document
from .boundary import one_conversation
from .ownership import ownership
from .pairing import pairing
from .substance import substance
from .trial import Trial
from .visibility import visibility
from .voice import voice

Law = Callable[[Trial], None]
"""Raises `LawBrokenError` where a trial breaks it."""

LAWS: Final[tuple[Law, ...]] = (
    Trial.no_silent_loss,
    Trial.lined_up,
    Trial.no_crying_wolf,
    Trial.stable,
    Trial.reversible,
    pairing,
    visibility,
    one_conversation,
    substance,
    voice,
    ownership,
)
"""The laws that one document and one target can be held to."""


def all_laws(document: Document, target: str | Adapter, options: Options = DEFAULT) -> Trial:
    """Hold one document and one target to every law in `LAWS`.

    Returns:
        The trial that keeps them.

    Raises:
        LawBrokenError: naming the law and showing both sides.
    """
    trial = Trial(document, target, options)
    for law in LAWS:
        law(trial)
    return trial
