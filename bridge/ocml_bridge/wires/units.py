"""Base classes of the unit readers and writers of formats in JSON: they delegate to `Documents` and `RequestUnits`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from ..json_values.form import Object
from ..loss import Log
from ..model import Json, Transcript
from ..units.envelopes import Body, EnvelopeWriter
from ..units.grammar import SplitDocument, SplitEnvelope, Unit
from ..units.heads import Head
from ..units.reader import UnitReader
from .documents import Documents
from .requests import RequestUnits


class DocumentReader(UnitReader):
    """A unit reader of documents in JSON.

    Attributes:
        documents: the shapes of the format's documents.
        request: the place of the units in its requests.
    """

    looks_at_contents = False
    documents: ClassVar[Documents]
    request: ClassVar[RequestUnits]

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Split a document into its units and all else.

        Raises:
            BridgeError: OCB-SHAPE if it has none of the shapes; OCB-SEVERAL if it is a list of documents.
        """
        return self.documents.split_units(source, log)

    def split_envelope(self, source: str | Json) -> SplitEnvelope | None:
        """Split a request into its envelope and its units; None for a document of another shape."""
        return self.request.split_envelope(source)

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is blank: what else a text says is in no key."""
        return all(map(str.strip, texts))


class DocumentWriter(EnvelopeWriter):
    """A unit writer of documents in JSON.

    Attributes:
        reader: the class of the format's reader, which has the shapes of the documents.
    """

    reader: ClassVar[type[DocumentReader]]  # pyright: ignore[reportIncompatibleVariableOverride]

    def written(self, around: Transcript, body: Body) -> Json:
        """Return a document in the shape that was read, or as a request."""
        return self.reader.documents.write(around, body)

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Return whether a text is not blank: JSON can hold any text unchanged, and only blank ones may be left out."""
        return text.strip() != ""

    def with_units(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """Return a request with other units in an envelope."""
        return self.reader.request.with_units(cast("Object", envelope), units)
