"""What reading and writing give: values, whose parts become objects when someone looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..chat.substance import Characters, characters
from ..chat.transform import remaining
from ..formats.adapter import Source
from ..formats.boundary import WHOLE, Place
from ..json_values import jsontext
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
    """What was read: a value.

    Attributes:
        transcript: the document in the canonical form.
        findings: what the reader mended or assumed, in order.
        source: the format id it was read as.
        place: where it stood, in a document of several conversations.
    """

    transcript: Document
    findings: tuple[Finding, ...]
    source: str
    place: Place = WHOLE


class Outcome(Protocol):
    """What was written.

    Attributes:
        output: `str` for text formats, plain JSON values for the others.
        order: as `Result` has it.
        spans: those of `Result`, by columns.
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
        """Those of them that the format itself reported, before the document was compared with the image."""
        ...

    def losses_of(self, codes: frozenset[LossCode]) -> Sequence[Loss]:
        """The losses with one of these codes; others need not be looked at."""
        ...

    @property
    def image(self) -> Document:
        """What the output reads as."""
        ...

    @property
    def characters(self) -> int:
        """How many characters of what was said are in the output."""
        ...


@dataclass(slots=True)
class DocumentOutcome:
    """The outcome of writing a document as a whole."""

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
        """Those of them that the format itself reported, before the document was compared with the image."""
        return self.report.logged

    @property
    def characters(self) -> int:
        """How many characters of what was said are in the output."""
        return characters(self.image)

    def losses_of(self, codes: frozenset[LossCode]) -> Sequence[Loss]:
        """The losses with one of these codes; of others no sentence is made."""
        return self.report.of(codes)


@dataclass(slots=True, eq=False, repr=False)
class Result:
    """What was written: a value. What it gives is the caller's own, to change; `data` stays as it is.

    Attributes:
        findings: what the reader of the source mended or assumed.
        source: format id of the source; None where a transcript was written directly.
        target: format id of the output.
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
        """Indices of the transcript's messages in the order in which the output has them, where some were moved.

        None where all stand in their own order.
        """
        return self._outcome.order

    @property
    def spans(self) -> tuple[Span, ...] | None:
        """What stands where in the output, where that was asked for.

        Ranges of characters in a text, of indices in a list of token ids. One behind the other they are the output.
        """
        columns = self._outcome.spans
        if self._spans is None and columns is not None:
            self._spans = columns.spans
        return self._spans

    @property
    def columns(self) -> Columns | None:
        """The spans by columns, as the conversion has them: not to be changed."""
        return self._outcome.spans

    @property
    def document(self) -> Document:
        """The document that was written, as the conversion has it: not to be changed."""
        return self._document.transcript if isinstance(self._document, Conversation) else self._document

    @property
    def output(self) -> Any:
        """`str` for text formats, plain JSON values for the others."""
        # Copied when it is looked at: whoever wants the bytes need not pay for it.
        if self._own_output is None:
            self._own_output = own_json(self._outcome.output)
        return self._own_output

    @property
    def text(self) -> str | None:
        """The output where it is a text; None for any other."""
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
        """What the output reads as."""
        return own(self._outcome.image)

    @property
    def data(self) -> bytes:
        """The bytes to write to a file: text as it is, JSON compact with a final newline."""
        return self.encode()

    def encode(self, *, pretty: bool = False) -> bytes:
        """The bytes to write; JSON indented where `pretty`."""
        output = self._outcome.output
        if isinstance(output, str):
            return output.encode("utf-8", "surrogatepass")
        if isinstance(output, jsontext.Lines):
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
        """The same output as the result of writing another document, such as the request that it is the prompt of.

        Args:
            document: that document.
            losses: by its paths.
            findings: what its reader mended or assumed.
            source: the format that it was read from.
            spans: by its paths, in columns.
        """
        outcome = DocumentOutcome(self._outcome.output, Report(losses), self._outcome.image, spans=spans)
        return Result(outcome, document, findings, source, self.target)

    def place_of(self, path: str) -> tuple[int, int] | None:
        """Where what a loss is about stands in the output: what is at its path, or at the nearest place above it.

        Args:
            path: JSON pointer into the transcript.

        Returns:
            A half-open range, as spans have it; None where nothing of it is there, or spans were not asked for.
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
        """How many characters of what was said were read, and how many are in the output; counted when asked for."""
        document = self._document
        read = document.characters if isinstance(document, Conversation) else characters(document)
        return Characters(read, self._outcome.characters)

    def report(self) -> dict[str, Json]:
        """The report of findings and losses as JSON values."""
        return {
            "source": self.source,
            "target": self.target,
            "lossless": self.lossless,
            "characters": self.characters._asdict(),
            "findings": [note.to_json() for note in self.findings],
            "losses": [self._placed(note) for note in self.losses],
        }

    def _placed(self, loss: Loss) -> Json:
        """A loss as a JSON value, with its place in the output where spans were asked for."""
        noted, place = loss.to_json(), self.place_of(loss.path)
        return noted if place is None else {**noted, "span": [*place]}

    def _known(self) -> DocumentOutcome:
        """The outcome with all that it tells, however it was made."""
        return DocumentOutcome(self._outcome.output, Report(self.losses), self._outcome.image, self.order, self.columns)

    def __eq__(self, other: object) -> bool:
        return self.__reduce__() == other.__reduce__() if isinstance(other, Result) else NotImplemented

    def __repr__(self) -> str:
        fields = f"{self._known()!r}, {self.document!r}, {self.findings!r}, {self.source!r}, {self.target!r}"
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[type[Result], tuple[Any, ...]]:
        return type(self), (self._known(), self.document, self.findings, self.source, self.target)


def extras_of(result: Result) -> ByFormat | None:
    """What only one format can say around the messages of what was written, as the conversion has it: not to change."""
    document = result._document  # pyright: ignore[reportPrivateUsage]
    return (document.around if isinstance(document, Conversation) else document).extras
