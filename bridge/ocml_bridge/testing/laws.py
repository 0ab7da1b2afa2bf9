"""The laws of the contract of loss (docs/loss.md) as checks; the tests of all adapters call them."""

from __future__ import annotations

from .. import jsontext
from ..adapter import DEFAULT, Adapter, Options
from ..convert import make_sidecar, read, write
from ..diff import Difference, diff, is_element
from ..fit import covered
from ..loss import Log, LossCode, Severity
from ..model import Document, Transcript
from ..registry import adapter
from ..transform import missing

TELLS_OTHERS = frozenset({LossCode.CONTROL_TOKEN})
"""Losses that our reader undoes: readers other than ours see the change."""


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
        self.result = write(document, target, options=options)
        self.data = self.result.encode()
        self.back = read(self.data, target).transcript

    def no_silent_loss(self) -> None:
        """Law 2: every place where the output reads differently is at or below the path of a reported loss."""
        named = {loss.path for loss in self.result.losses}
        silent = [place for place in self._places() if not covered(place.path, named)]
        assert silent == []

    def lined_up(self) -> None:
        """Each message that is not in the image is reported by `fit` itself, at its own place; none is added."""
        log = Log()
        image = adapter(self.target)[0].fit(self.document, self.options, log)
        if isinstance(image, Transcript) and isinstance(self.document, Transcript):
            assert len(image.messages) + len(missing(log.losses)) == len(self.document.messages)

    def no_crying_wolf(self) -> None:
        """Law 3: what is called lost or changed does differ in what the output reads as."""
        places = [place.path for place in self._places()]
        gone = self._gone()
        for loss in self.result.losses:
            if loss.severity is Severity.LAYOUT or loss.code in TELLS_OTHERS or covered(loss.path, gone):
                continue
            # A content that differs as a whole differs in its parts.
            differs = any(covered(place, {loss.path}) or covered(loss.path, {place}) for place in places)
            assert differs, f"{loss} names no difference"

    def stable(self) -> None:
        """Writing what was read back changes and loses nothing more, to the byte."""
        again = write(self.back, self.target, options=self.options)
        assert again.encode() == self.data
        assert again.losses == () or all(loss.code in TELLS_OTHERS for loss in again.losses)

    def reversible(self) -> None:
        """Law 8: the output with its sidecar gives the document exactly."""
        unregistered = self.target if isinstance(self.target, Adapter) else None
        sidecar = make_sidecar(self.result, options=self.options, target=unregistered)
        sidecar = jsontext.loads(jsontext.dumps(sidecar))
        assert read(self.data, self.target, sidecar=sidecar).transcript == self.document

    def _gone(self) -> set[str]:
        return {loss.path for loss in self.result.losses if is_element(loss.path)}

    def _places(self) -> list[Difference]:
        return diff(self.document, self.back, self._gone())


def all_laws(document: Document, target: str | Adapter, options: Options = DEFAULT) -> None:
    """Laws 2, 3 and 8, and stability, of one document and one target."""
    trial = Trial(document, target, options)
    trial.no_silent_loss()
    trial.lined_up()
    trial.no_crying_wolf()
    trial.stable()
    trial.reversible()
