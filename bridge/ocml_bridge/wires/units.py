"""What reads and writes the documents of a format in JSON, as far as its shapes tell."""

from __future__ import annotations

from typing import ClassVar, cast

from ..json_values.form import Object
from ..loss import Log
from ..model import Json, Transcript
from ..units.envelopes import Body, EnvelopeWriter
from ..units.grammar import Emptied, Parted, Unit
from ..units.heads import Head
from ..units.reader import UnitReader
from .documents import Documents
from .requests import RequestUnits


class DocumentReader(UnitReader):
    """Reads documents by their shapes.

    Attributes:
        documents: of the format.
        request: where the units of its requests stand.
    """

    documents: ClassVar[Documents]
    request: ClassVar[RequestUnits]

    def part(self, source: str | Json, log: Log) -> Parted:
        """A document without its units.

        Raises:
            BridgeError: OCB-SHAPE for anything that is none of the shapes; OCB-SEVERAL for a list of documents.
        """
        return self.documents.part(source, log)

    def emptied(self, source: str | Json) -> Emptied | None:
        """A request as its envelope and its units; None for a document of another shape."""
        return self.request.emptied(source)


class DocumentWriter(EnvelopeWriter):
    """Writes documents by their shapes.

    Attributes:
        documents: of the format.
        request: where the units of its requests stand.
    """

    documents: ClassVar[Documents]
    request: ClassVar[RequestUnits]

    def written(self, around: Transcript, body: Body) -> Json:
        """A document in the shape that it was read from, or a request."""
        return self.documents.write(around, body)

    def is_plain_part(self, head: Head, text: str) -> bool:
        """JSON says any text as it is; none is left out but one that is blank."""
        return text.strip() != ""

    def refilled(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """A request with other units."""
        return self.request.refilled(cast("Object", envelope), units)
