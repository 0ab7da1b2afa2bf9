"""Envelopes: what stands around the units of a document, such as the model, the tools and the parameters of a request.

A format in JSON says how an envelope is written around units; what of it the format holds is found by reading it back.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, cast

from ..errors import BridgeError
from ..loss import Log
from ..model import Alternative, Json, Transcript, replace
from ..options import Options
from .grammar import Emptied, Enclosed, Parted, State, Unit
from .reader import UnitReader
from .writer import UnitWriter


class Body(NamedTuple):
    """What stands in an envelope.

    Attributes:
        units: as they are read from it.
        branches: for each alternative of the transcript its units.
        cut_off: whether the last unit is not whole.
    """

    units: list[Json]
    branches: Sequence[list[Json]] = ()
    cut_off: bool = False


class Branches(NamedTuple):
    """The alternatives of a document.

    Attributes:
        alternatives: they.
        units: of each of them.
    """

    alternatives: tuple[Alternative, ...]
    units: Sequence[list[Json]]


class EnvelopeWriter(UnitWriter):
    """Writes documents whose envelopes are read back, to find what they hold of what was to stand there.

    Attributes:
        reader: what reads the format.
        own_reader: one of them, with the writer's options.
    """

    reader: ClassVar[type[UnitReader]]

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.own_reader = self.reader(options)

    @abstractmethod
    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """What stands in the envelope: the units as they are read from it, and those of the alternatives."""

    @abstractmethod
    def written(self, around: Transcript, body: Body) -> Json:
        """A document, put together."""

    def is_read_as(self, parted: Parted, body: Body) -> bool:
        """Whether the units of a document that was read are those that were written."""
        read, units = parted.units, body.units
        return len(read) == len(units) and all(
            one is other or one == other for one, other in zip(read, units, strict=True)
        )

    def branches(self, parted: Parted, around: Transcript) -> Branches | None:
        """The alternatives of a document that was read; None where it has none.

        Args:
            parted: the document.
            around: what was to stand around its units.
        """
        return None

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """The document around its units, and what it reads as without them."""
        body = self.body(units, around, state)
        written, parted = self._readable(around, body)
        image = parted.around
        found = self.branches(parted, around)
        if found is not None:
            image.alternatives = found.alternatives
        if image != around:
            written = self.written(image, body._replace(branches=() if found is None else found.units))
        return Enclosed(written, image, parted.cut_off)

    def _readable(self, around: Transcript, body: Body) -> tuple[Json, Parted]:
        """A document, and as what it is read; without what it remembers of its shape if that misleads."""
        for each in (around, replace(around, extras=None, layout=None)):
            written = self.written(each, body)
            try:
                parted = self._read(written)
            except BridgeError:
                continue
            if self.is_read_as(parted, body):
                return written, parted
        bare = replace(around, tools=None, settings=None, extras=None, layout=None)
        written = self.written(bare, body)
        return written, self._read(written)

    def _read(self, written: Json) -> Parted:
        return cast("Parted", self.own_reader.part(written, Log()))

    def emptied(self, document: Json) -> Emptied | None:
        """The envelope of a document that was written, and its units."""
        return self.own_reader.emptied(document)
