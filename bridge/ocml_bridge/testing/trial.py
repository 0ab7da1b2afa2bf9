"""One document written and read back, which the laws ask what became of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Final

from ..chat.transform import missing
from ..convert import Reading, make_sidecar, read, write
from ..engine.output import written
from ..formats.adapter import DEFAULT, Adapter, Options, Source
from ..json_values import jsontext
from ..loss import RELATIONS, LossCode, Severity, gone
from ..model import Document, Json, Transcript
from ..model.codec import to_json
from ..model.diff import Difference, diff
from ..registry import adapter
from ..report.policy import LENIENT
from ..report.report import covered, unnamed

TELLS_OTHERS = frozenset({LossCode.CONTROL_TOKEN})
"""Losses that our reader undoes: readers other than ours see the change."""


class LawBrokenError(AssertionError):
    """A law that one conversion breaks: which law, in which format, what is wrong, and both sides."""


class Trial:
    """One document written in one format and read back; the laws ask it.

    Attributes:
        document: what was written.
        target: the format id, or an adapter.
        options: how.
        result: the output with its losses.
        back: what it reads as.
    """

    def __init__(self, document: Document, target: str | Adapter, options: Options = DEFAULT) -> None:
        self.document = document
        self.target = target
        self.options = options
        self.result = write(document, target, options=options, policy=LENIENT)
        self.data = self.result.encode()
        self.back = self.read(self.data).transcript

    def read(self, data: Source | bytes, sidecar: Json = None) -> Reading:
        """What an output reads as: it is of its format, whatever it may look like."""
        options = replace(self.options, dialect=None, force_format=True)
        return read(data, self.target, options=options, sidecar=sidecar)

    @cached_property
    def sidecar(self) -> Json:
        """What the output could not hold."""
        unregistered = self.target if isinstance(self.target, Adapter) else None
        return make_sidecar(self.result, options=self.options, target=unregistered)

    def broken(self, law: str, problems: Iterable[object]) -> LawBrokenError:
        """The failure of a law, with both sides; for the law to raise.

        Args:
            law: its name, as in `LAWS`.
            problems: what is wrong, each on a line of its own.
        """
        losses = [f"  {loss.severity} {loss.code} {loss.path}: {loss.detail}" for loss in self.result.losses]
        lines = [
            f"law of {law}, in {self.result.target}:",
            *(f"  {problem}" for problem in problems),
            f"document: {_shown(self.document)}",
            f"output: {self.data.decode('utf-8', 'replace')}",
            f"reads as: {_shown(self.back)}",
            "losses:",
            *(losses or ["  none"]),
        ]
        return LawBrokenError("\n".join(lines))

    def no_silent_loss(self) -> None:
        """Law 2: every place where the output reads differently is at or below the path of a reported loss."""
        silent = unnamed(self.document, self.back, self.result.losses, self.result.order)
        if silent:
            raise self.broken("no silent loss", silent)

    def lined_up(self) -> None:
        """Each message that is not in the image is reported by the format itself, at its own place; none is added."""
        found = written(adapter(self.target)[0], self.document, self.options)
        image = found.image
        if isinstance(image, Transcript) and isinstance(self.document, Transcript):
            absent = missing(found.logged)
            if len(image.messages) + len(absent) != len(self.document.messages):
                counts = (
                    f"{len(self.document.messages)} messages, {len(absent)} reported missing,"
                    f" {len(image.messages)} left"
                )
                raise self.broken("no silent loss", [counts])

    def no_crying_wolf(self) -> None:
        """Law 3: what is called lost or changed does differ in what the output reads as."""
        absent = gone(self.result.losses)
        # A part that is of another kind differs in all that it says.
        places = [*(_OF_ANOTHER_KIND.sub("", place.path) for place in self.places()), *absent]
        for loss in self.result.losses:
            if loss.severity is Severity.LAYOUT or loss.code in TELLS_OTHERS:
                continue
            if loss.code in RELATIONS:  # The law of pairing has them.
                continue
            # A content that differs as a whole differs in its parts.
            if not any(covered(place, {loss.path}) or covered(loss.path, {place}) for place in places):
                raise self.broken("no false alarms", [f"{loss} names no difference"])

    def stable(self) -> None:
        """Writing what was read back changes and loses nothing more, to the byte."""
        again = write(self.back, self.target, options=self.options, policy=LENIENT)
        more = [loss for loss in again.losses if loss.code not in TELLS_OTHERS]
        if again.encode() != self.data or more:
            raise self.broken("stability", [f"written again: {again.encode()!r}", *more])

    def reversible(self) -> None:
        """Law 8: the output with its sidecar gives the document exactly."""
        restored = self.read(self.data, jsontext.loads(jsontext.dumps(self.sidecar))).transcript
        # Objects are equal whatever the order of their keys; whoever spells them again sees it.
        if restored != self.document or _shown(restored) != _shown(self.document):
            raise self.broken("reversibility", [f"with its sidecar it reads as: {_shown(restored)}"])

    def places(self) -> list[Difference]:
        """Where what the output reads as differs from the document; missing messages and parts aside."""
        return diff(self.document, self.back, gone(self.result.losses), self.result.order)


def _shown(document: Document) -> str:
    return jsontext.dumps(to_json(document)).decode("utf-8", "replace")


_OF_ANOTHER_KIND: Final = re.compile(r"(?<=\d)/type$")
