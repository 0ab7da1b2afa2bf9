"""Verify a conversion at run time: read the output back, and check the laws of docs/loss.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ..chat.substance import vanished
from ..chat.visibility import exposed_messages
from ..convert import Result, read
from ..formats.adapter import DEFAULT, Adapter, Options
from ..loss import Loss, LossCode, named
from ..model import Document
from ..report.report import covered, unnamed, unreported
from .answers import other_answers


def verify(
    transcript: Document, result: Result, *, options: Options = DEFAULT, target: Adapter | None = None
) -> tuple[Loss, ...]:
    """Read an output back, and return a loss for each violation of a law, such as a difference that is not reported.

    Args:
        transcript: the document that was written.
        result: the output with its losses.
        options: the options that it was written with.
        target: the adapter that wrote it, if the format is not registered.

    Returns:
        The violations; there should be none.

    Raises:
        BridgeError: if the output cannot be read back.
    """
    forced = replace(options, dialect=None, force_format=True)
    back = read(result.encode(), target or result.target, options=forced).transcript
    return tuple(loss for check in CHECKS for loss in check(transcript, back, result))


def _differences(document: Document, back: Document, result: Result) -> list[Loss]:
    """Law 2: return the differences that no loss reports."""
    return [
        unreported(LossCode.CONTENT, difference.path, "the output reads differently here")
        for difference in unnamed(document, back, result.losses, result.order)
    ]


def _exposures(document: Document, back: Document, result: Result) -> list[Loss]:
    """Law 10: return the private messages that the output shows, even if a loss reports them."""
    detail = "the output shows end users what is hidden from them"
    exposed = exposed_messages(document, back, result.origins)
    return [unreported(LossCode.CHANNEL, f"/messages/{index}", detail) for index in exposed]


def _substance(document: Document, back: Document, result: Result) -> list[Loss]:
    """Law 12: return the missing texts that only losses of another class than `content` report."""
    reported = named(result.losses)
    return [
        unreported(LossCode.CONTENT, path, "the text here is not in the output")
        for path in vanished(document, back, result.losses, result.order)
        if covered(path, reported)
    ]


Check = Callable[[Document, Document, Result], list[Loss]]
"""Checks one law: takes the document, the document that the output reads as, and the result; returns violations."""

CHECKS: Final[tuple[Check, ...]] = (_differences, other_answers, _exposures, _substance)
"""The laws that can be checked on one conversion, in the order of their numbers."""
