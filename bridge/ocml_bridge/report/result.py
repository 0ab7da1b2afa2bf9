"""Define the results of reading and of writing. Expensive parts (losses, spans, copies) are made when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..chat.substance import Characters, characters
from ..chat.transform import remaining
from ..formats.adapter import Source
from ..formats.boundary import WHOLE, Place
from ..json_values import jsontext
from ..json_values.json_lines import Lines
from ..loss import Finding, Loss, LossCode, is_lossless
from ..model import ByFormat, Document, Json, Transcript
from ..model.ownership import own, own_json
from ..spans.columns import Columns
from ..spans.positions import place_in, ranges
from ..spans.span import Span
from ..units.conversation import Conversation
from .report import Report


@dataclass(slots=True)
class Reading:
    """The result of reading.

    Attributes:
        transcript: the document in the canonical form.
        findings: what the reader repaired or assumed, in order.
        source: the format id that it was read as.
        place: its position in a document of several conversations.
    """

    transcript: Document
    findings: tuple[Finding, ...]
    source: str
    place: Place = WHOLE


class Outcome(Protocol):
    """What the engine knows after writing; `Result` presents it to the caller.

    The engine has implementations that make losses and image on demand.

    Attributes:
        output: `str` for text formats, plain JSON values for the others.
        order: as in `Result`.
        spans: the spans of `Result`, as columns.
    """

    output: Source
    order: tuple[int, ...] | None
    spans: Columns | None

    @property
    def losses(self) -> Sequence[Loss]:
        """What the target could not hold, in order."""
        ...

    @property
    def logged(self) -> Sequence[Loss]:
        """The losses that the format itself reported, before the document was compared with the image."""
        ...

    def losses_of(self, codes: frozenset[LossCode]) -> Sequence[Loss]:
        """Return the losses with one of these codes, without making the others."""
        ...

    @property
    def image(self) -> Document:
        """The document that the output reads as."""
        ...

    @property
    def characters(self) -> int:
        """The number of characters of content in the output."""
        ...


@dataclass(slots=True)
class DocumentOutcome:
    """An outcome whose report and image are known."""

    output: Source
    report: Report
    image: Document
    order: tuple[int, ...] | None = None
    spans: Columns | None = None

    @property
    def losses(self) -> Sequence[Loss]:
        """What the target could not hold, in order."""
        return self.report.losses

    @property
    def logged(self) -> Sequence[Loss]:
        """The losses that the format itself reported, before the document was compared with the image."""
        return self.report.logged

    @property
    def characters(self) -> int:
        """The number of characters of content in the output."""
        return characters(self.image)

    def losses_of(self, codes: frozenset[LossCode]) -> Sequence[Loss]:
        """Return the losses with one of these codes, without making the others."""
        return self.report.of(codes)


@dataclass(slots=True, eq=False, repr=False)
class Result:
    """The result of writing. `output`, `transcript` and `image` are copies that the caller may change.

    Attributes:
        findings: what the reader of the source repaired or assumed.
        source: the format id of the source; None if a document was written directly.
        target: the format id of the output.
    """

    _outcome: Outcome
    _document: Document | Conversation
    findings: tuple[Finding, ...]
    source: str | None
    target: str
    _losses: tuple[Loss, ...] | None = field(default=None, init=False)
    _own_output: Source = field(default=None, init=False)
    _own_transcript: Document | None = field(default=None, init=False)
    _spans: tuple[Span, ...] | None = field(default=None, init=False)
    _places: dict[str, tuple[int, int]] | None = field(default=None, init=False)

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What the target could not hold, in order."""
        if self._losses is None:
            self._losses = tuple(self._outcome.losses)
        return self._losses

    @property
    def order(self) -> tuple[int, ...] | None:
        """The indices of the transcript's messages in the order of the output; None if the order is the same."""
        return self._outcome.order

    @property
    def spans(self) -> tuple[Span, ...] | None:
        """Which part of the output comes from which part of the document; None if spans were not requested.

        A span is a range of characters in a text, or of indices in a list of token ids. Together, in their order, they
        cover the output.
        """
        columns = self._outcome.spans
        if self._spans is None and columns is not None:
            self._spans = columns.spans
        return self._spans

    @property
    def columns(self) -> Columns | None:
        """The spans as columns, not copied: do not change them."""
        return self._outcome.spans

    @property
    def document(self) -> Document:
        """The document that was written, not copied: do not change it."""
        return self._document.transcript if isinstance(self._document, Conversation) else self._document

    @property
    def output(self) -> Any:
        """`str` for text formats, plain JSON values for the others."""
        # Copied only when it is read, because `data` does not need the copy.
        if self._own_output is None:
            self._own_output = own_json(self._outcome.output)
        return self._own_output

    @property
    def text(self) -> str | None:
        """The output if it is a text, else None."""
        output = self._outcome.output
        return output if isinstance(output, str) else None

    @property
    def transcript(self) -> Document:
        """The document that was written."""
        if self._own_transcript is None:
            self._own_transcript = own(self.document)
        return self._own_transcript

    @property
    def image(self) -> Document:
        """The document that the output reads as."""
        return own(self._outcome.image)

    @property
    def data(self) -> bytes:
        """The bytes to write to a file: text as it is, JSON compact with a final newline."""
        return self.encode()

    def encode(self, *, pretty: bool = False) -> bytes:
        """Return the bytes to write to a file.

        Args:
            pretty: whether JSON is indented.
        """
        output = self._outcome.output
        if isinstance(output, str):
            return output.encode("utf-8", "surrogatepass")
        if isinstance(output, Lines):
            return b"".join(jsontext.dumps(line) + b"\n" for line in output)
        return jsontext.dumps(output, pretty=pretty) + b"\n"

    @property
    def lossless(self) -> bool:
        """Whether nothing was lost or changed."""
        return is_lossless(self.losses)

    def of(
        self,
        document: Document,
        losses: Sequence[Loss],
        findings: tuple[Finding, ...],
        source: str | None,
        spans: Columns | None = None,
    ) -> Result:
        """Return the same output as the result of another document; a prompt becomes the result of its request.

        Args:
            document: the other document.
            losses: what of it is lost, with its paths.
            findings: what its reader repaired or assumed.
            source: the format id that it was read as.
            spans: the spans as columns, with its paths.
        """
        outcome = DocumentOutcome(self._outcome.output, Report(losses), self._outcome.image, spans=spans)
        return Result(outcome, document, findings, source, self.target)

    def place_of(self, path: str) -> tuple[int, int] | None:
        """Return the range of the output that a path of the transcript was written to, or the range of its parent.

        Args:
            path: a JSON pointer into the transcript, such as that of a loss.

        Returns:
            A half-open range, as in spans; None if nothing of it is in the output, or if spans were not requested.
        """
        if self._places is None:
            self._places = ranges(self.spans or ())
        return place_in(self._places, path)

    @property
    def origins(self) -> list[int]:
        """For each message of the output, its index in the transcript."""
        document = self.document
        count = len(document.messages) if isinstance(document, Transcript) else 0
        return remaining(count, self.losses, self.order)

    @property
    def characters(self) -> Characters:
        """The number of characters of content in the document, and in the output; counted when this is read."""
        document = self._document
        read = document.characters if isinstance(document, Conversation) else characters(document)
        return Characters(read, self._outcome.characters)

    def report(self) -> dict[str, Json]:
        """Return the findings and losses as JSON values."""
        return {
            "source": self.source,
            "target": self.target,
            "lossless": self.lossless,
            "characters": self.characters._asdict(),
            "findings": [note.to_json() for note in self.findings],
            "losses": [self._placed(note) for note in self.losses],
        }

    def _placed(self, loss: Loss) -> Json:
        """Return a loss as JSON values, with its range in the output if there are spans."""
        values, place = loss.to_json(), self.place_of(loss.path)
        return values if place is None else {**values, "span": [*place]}

    def _materialised(self) -> DocumentOutcome:
        """Return the outcome with all losses and the image made: comparable, and picklable."""
        return DocumentOutcome(self._outcome.output, Report(self.losses), self._outcome.image, self.order, self.columns)

    def __eq__(self, other: object) -> bool:
        return self.__reduce__() == other.__reduce__() if isinstance(other, Result) else NotImplemented

    def __repr__(self) -> str:
        fields = f"{self._materialised()!r}, {self.document!r}, {self.findings!r}, {self.source!r}, {self.target!r}"
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[type[Result], tuple[Any, ...]]:
        return type(self), (self._materialised(), self.document, self.findings, self.source, self.target)


def extras_of(result: Result) -> ByFormat | None:
    """Return the extras of the document that was written, not copied: do not change them."""
    document = result._document  # pyright: ignore[reportPrivateUsage]
    return (document.around if isinstance(document, Conversation) else document).extras
