"""Checks of a conversion at run time: the output is read back and held to the laws of docs/loss.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ..chat.substance import vanished
from ..chat.visibility import exposed_messages
from ..convert import Result, read
from ..formats.adapter import DEFAULT, Options
from ..loss import Loss, LossCode, named
from ..model import Document
from ..report.report import covered, unnamed, unreported
from .answers import other_answers


def verify(transcript: Document, result: Result, *, options: Options = DEFAULT) -> tuple[Loss, ...]:
    """Read an output back and name everything that it breaks and that no reported loss names.

    Args:
        transcript: what was written.
        result: the output with its losses.
        options: the options it was written with.

    Returns:
        What the report does not say; none is what it should give.

    Raises:
        BridgeError: where the output cannot be read back.
    """
    back = read(result.encode(), result.target, options=replace(options, dialect=None, force_format=True)).transcript
    return tuple(loss for check in CHECKS for loss in check(transcript, back, result))


def _differences(document: Document, back: Document, result: Result) -> list[Loss]:
    """Law 2: places that read differently."""
    return [
        unreported(LossCode.CONTENT, place.path, "the output reads differently here")
        for place in unnamed(document, back, result.losses, result.order)
    ]


def _exposures(document: Document, back: Document, result: Result) -> list[Loss]:
    """Law 10: private messages that are shown; that a loss names them does not help."""
    detail = "the output shows end users what is hidden from them"
    exposed = exposed_messages(document, back, result.origins)
    return [unreported(LossCode.CHANNEL, f"/messages/{index}", detail) for index in exposed]


def _substance(document: Document, back: Document, result: Result) -> list[Loss]:
    """Law 12: what was said and is not there is lost by a loss of class content, and not by any other that names it."""
    known = named(result.losses)
    return [
        unreported(LossCode.CONTENT, path, "the text here is not in the output")
        for path in vanished(document, back, result.losses, result.order)
        if covered(path, known)
    ]


Check = Callable[[Document, Document, Result], list[Loss]]
"""Takes what was written, what the output reads as, and the result; gives what the report does not say."""

CHECKS: Final[tuple[Check, ...]] = (_differences, other_answers, _exposures, _substance)
"""The laws that can be checked on one conversion, in the order of their numbers."""
