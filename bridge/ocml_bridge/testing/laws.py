"""List the laws of docs/loss.md that can be checked on one document and one target format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..formats.adapter import DEFAULT, Adapter, Options
from ..model import Document
from .boundary import one_conversation
from .ownership import ownership
from .pairing import pairing
from .substance import substance
from .tokens import refusal
from .trial import Trial
from .visibility import visibility
from .voice import breaks_are_reported, voice

Law = Callable[[Trial], None]
"""Raises `LawBrokenError` if a trial violates the law."""

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
    breaks_are_reported,
    refusal,
    ownership,
)
"""The laws, in the order in which they are checked."""


def all_laws(document: Document, target: str | Adapter, options: Options = DEFAULT) -> Trial:
    """Check every law of `LAWS` on one document and one target format.

    Args:
        document: the document.
        target: a format id, or an adapter.
        options: how to write.

    Returns:
        The trial, which has the output and the document that it reads as.

    Raises:
        LawBrokenError: with the law and both documents.
    """
    trial = Trial(document, target, options)
    trial.reads_as_a_document()
    for law in LAWS:
        law(trial)
    return trial
