"""`EnvelopeWriter`: a `UnitWriter` for JSON formats that reads its envelopes back, to find what they hold.

An envelope is what stands around the units of a document: of a request, the model, the tools and the parameters.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, cast

from ..chat.transform import missing, moved
from ..errors import BridgeError
from ..loss import Log
from ..model import Alternative, Json, Transcript, replace
from ..options import Options
from .grammar import Enclosed, SplitDocument, SplitEnvelope, State, Unit
from .heads import message_of
from .reader import UnitReader
from .relations import indices_of
from .writer import Prepared, UnitWriter


class Body(NamedTuple):
    """What stands in an envelope.

    Attributes:
        units: the units, as they are read from the envelope.
        branches: the units of each alternative of the transcript.
        cut_off: whether the last unit is incomplete.
    """

    units: list[Json]
    branches: Sequence[list[Json]] = ()
    cut_off: bool = False


class Branches(NamedTuple):
    """The alternatives of a document.

    Attributes:
        alternatives: the alternatives.
        units: the units of each alternative.
    """

    alternatives: tuple[Alternative, ...]
    units: Sequence[list[Json]]


class EnvelopeWriter(UnitWriter):
    """Writes documents with an envelope; what they read as around their units is found by reading them back.

    A subclass defines `body` and `written` in place of `enclose`, and `branches` if the format has alternatives.

    Attributes:
        reader: the class of the format's reader.
        own_reader: a reader with the writer's options.
    """

    reader: ClassVar[type[UnitReader]]

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.own_reader = self.reader(options)

    @abstractmethod
    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """Return what stands in the envelope; the arguments are those of `enclose`."""

    @abstractmethod
    def written(self, around: Transcript, body: Body) -> Json:
        """Return the document of an envelope and its body.

        Args:
            around: what stands around the units, without messages.
            body: as `body` returned it.
        """

    def is_read_as(self, split: SplitDocument, body: Body) -> bool:
        """Return whether the units of a document that was read back are those that were written."""
        read, units = split.units, body.units
        return len(read) == len(units) and all(
            unit is other or unit == other for unit, other in zip(read, units, strict=True)
        )

    def branches(self, split: SplitDocument, around: Transcript) -> Branches | None:
        """Return the alternatives of a document that was read back; None if it has none.

        Args:
            split: the document.
            around: what was to be written around its units.
        """
        return None

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Write the document, read it back, and write again what it reads as.

        If it reads back as other units than those of `body`, it is written without extras and layout; if it still does,
        without tools and settings, too. The engine reports them as lost.
        """
        body = self.body(units, around, state)
        written, split = self._readable(around, body)
        image = split.around
        branches = self.branches(split, around)
        if branches is not None:
            image.alternatives = branches.alternatives
        if image != around:
            written = self.written(image, body._replace(branches=() if branches is None else branches.units))
        return Enclosed(written, image, split.cut_off)

    def _placed(self, prepared: Prepared, log: Log) -> Prepared:
        """Return a prepared document whose alternatives have their positions among the messages that are written.

        Args:
            prepared: the document.
            log: the losses so far.
        """
        items, around, origins, _ = prepared
        if around.alternatives is None:
            return prepared
        losses = Log()
        for item, index in zip(items, indices_of(items, origins), strict=True):
            self.nearest(message_of(item), index, losses)
        dropped = missing([*log.losses, *losses.losses])
        return prepared._replace(around=replace(around, alternatives=moved(around.alternatives, dropped)))

    def _readable(self, around: Transcript, body: Body) -> tuple[Json, SplitDocument]:
        """Write a document that reads back as its units; leave out layout, then all around them, if it does not."""
        for each in (around, replace(around, extras=None, layout=None)):
            written = self.written(each, body)
            try:
                split = self._read(written)
            except BridgeError:
                continue
            if self.is_read_as(split, body):
                return written, split
        bare = replace(around, tools=None, settings=None, extras=None, layout=None)
        written = self.written(bare, body)
        return written, self._read(written)

    def _read(self, written: Json) -> SplitDocument:
        return cast("SplitDocument", self.own_reader.split_units(written, Log()))

    def split_envelope(self, document: Json) -> SplitEnvelope | None:
        """Split a document that was written into its envelope and its units, by the reader of the format."""
        return self.own_reader.split_envelope(document)
