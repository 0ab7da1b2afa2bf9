"""Define a trial: one document, written in one format and read back, on which laws are checked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Final

from ..chat.transform import missing
from ..convert import Reading, make_sidecar, read, write
from ..engine.output import target_of, write_document
from ..errors import BridgeError
from ..formats.adapter import DEFAULT, Adapter, Options, Source
from ..json_values import jsontext
from ..loss import RELATIONS, LossCode, Severity, gone
from ..model import Document, Json, Transcript
from ..model.diff import Difference, diff
from ..model.misfit import misfit
from ..registry import adapter
from ..report.policy import LENIENT
from ..report.report import covered, unnamed
from .shown import places, shown

TELLS_OTHERS = frozenset({LossCode.CONTROL_TOKEN})
"""Losses that our reader undoes, so that only other readers see a difference."""


class LawBrokenError(AssertionError):
    """A conversion violates a law. The message has the law, the format, the problems and both documents."""


class Trial:
    """One document, written in one format and read back, on which laws are checked.

    Args:
        document: the document.
        target: the format id, or an adapter.
        options: how to write.

    Attributes:
        document: the document that was written.
        target: the format id, or an adapter.
        options: how it was written.
        result: the output with its losses.
        data: the bytes of the output.
        back: the document that the output reads as.
    """

    def __init__(self, document: Document, target: str | Adapter, options: Options = DEFAULT) -> None:
        self.document = document
        self.target = target
        self.options = options
        self.result = write(document, target, options=options, policy=LENIENT)
        self.data = self.result.encode()
        try:
            self.back = self.read(self.data).transcript
        except BridgeError as error:
            lines = f"document: {shown(document)}", f"output: {self.data.decode('utf-8', 'replace')}"
            raise LawBrokenError("\n".join([f"the output cannot be read: {error}", *lines])) from error

    def read(self, data: Source | bytes, sidecar: Json = None) -> Reading:
        """Read an output in the target format, whatever it looks like."""
        options = replace(self.options, dialect=None, force_format=True)
        return read(data, self.target, options=options, sidecar=sidecar)

    @cached_property
    def sidecar(self) -> Json:
        """The sidecar of the output."""
        unregistered = self.target if isinstance(self.target, Adapter) else None
        return make_sidecar(self.result, options=self.options, target=unregistered)

    def broken(self, law: str, problems: Iterable[object]) -> LawBrokenError:
        """Return the error for a violation of a law, for the law to raise.

        Args:
            law: the name of the law.
            problems: what is wrong, one line each.
        """
        losses = [f"  {loss.severity} {loss.code} {loss.path}: {loss.detail}" for loss in self.result.losses]
        lines = [
            f"law of {law}, in {self.result.target}:",
            *(f"  {problem}" for problem in problems),
            *([] if self.options == DEFAULT else [f"options: {self.options}"]),
            f"document: {shown(self.document)}",
            f"output: {self.data.decode('utf-8', 'replace')}",
            f"reads as: {shown(self.back)}",
            "losses:",
            *(losses or ["  none"]),
        ]
        return LawBrokenError("\n".join(lines))

    def reads_as_a_document(self) -> None:
        """Check that what the output reads as has nothing but values of the classes of the model."""
        wrong = misfit(self.back)
        if wrong is not None:
            raise self.broken("the canonical form", [wrong])

    def no_silent_loss(self) -> None:
        """Law 2: every difference between the document and what the output reads as has a loss at or above its path."""
        silent = unnamed(self.document, self.back, self.result.losses, self.result.order)
        if silent:
            named = ("the document", "the output")
            raise self.broken("no silent loss", [*places(silent, named), *self._misleading_image()])

    def _misleading_image(self) -> list[str]:
        """Return where the image differs from what the output reads as: the engine compares the document with it."""
        wrong = places(diff(self.result.image, self.back), ("the image", "the output"))
        advice = "the image, which write_unit, enclose and relate_image return, is not what the reader reads:"
        return [advice, *(f"  {place}" for place in wrong)] if wrong else []

    def lined_up(self) -> None:
        """Law 2 for messages: the format itself reports each message that is missing from the image, and adds none."""
        outcome = write_document(target_of(adapter(self.target)[0], self.options), self.document)
        image = outcome.image
        if isinstance(image, Transcript) and isinstance(self.document, Transcript):
            absent = missing(outcome.logged)
            if len(image.messages) + len(absent) != len(self.document.messages):
                counts = (
                    f"{len(self.document.messages)} messages, {len(absent)} reported missing,"
                    f" {len(image.messages)} left"
                )
                raise self.broken("no silent loss", [counts])

    def no_crying_wolf(self) -> None:
        """Law 3: for each loss that says lost or changed, there is a difference in what the output reads as."""
        absent = gone(self.result.losses)
        # A part of another type differs in all of its fields.
        places = [*(_TYPE_OF_PART.sub("", place.path) for place in self.places()), *absent]
        for loss in self.result.losses:
            if loss.severity is Severity.LAYOUT or loss.code in TELLS_OTHERS:
                continue
            if loss.code in RELATIONS:  # The law of pairing checks them.
                continue
            # A content that differs as a whole differs in its parts, too.
            if not any(covered(place, {loss.path}) or covered(loss.path, {place}) for place in places):
                raise self.broken("no false alarms", [f"{loss} names no difference"])

    def stable(self) -> None:
        """Writing what the output reads as gives the same bytes, and no further losses."""
        again = write(self.back, self.target, options=self.options, policy=LENIENT)
        more = [loss for loss in again.losses if loss.code not in TELLS_OTHERS]
        if again.encode() != self.data or more:
            raise self.broken("stability", [f"written again: {again.encode()!r}", *more])

    def reversible(self) -> None:
        """Law 8: the output with its sidecar reads as exactly the document."""
        restored = self.read(self.data, jsontext.loads(jsontext.dumps(self.sidecar))).transcript
        # Compared as JSON, too, because equal objects may have their keys in another order.
        if restored != self.document or shown(restored) != shown(self.document):
            raise self.broken("reversibility", [f"with its sidecar it reads as: {shown(restored)}"])

    def places(self) -> list[Difference]:
        """Return the differences between the document and what the output reads as, apart from missing messages."""
        return diff(self.document, self.back, gone(self.result.losses), self.result.order)


_TYPE_OF_PART: Final = re.compile(r"(?<=\d)/type$")
