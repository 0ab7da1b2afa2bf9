"""A canonical document and its messages, each as JSON values: always lossless."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ocml_bridge.formats.adapter import Options
from ocml_bridge.formats.boundary import several_documents
from ocml_bridge.loss import Log
from ocml_bridge.model import Completion, Json, Message, Transcript, replace
from ocml_bridge.model.codec import from_json, to_json
from ocml_bridge.units.grammar import Enclosed, Parted, Spelled, State, Unit
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import Completed, UnitWriter

from .earlier import Object, current, distinct
from .syntax import FORMAT


class DocumentReader(UnitReader):
    """Reads documents of today's schema and of earlier ones, all of them validated."""

    def part(self, source: str | Json, log: Log) -> Parted | Completion:
        """The messages of a document.

        Raises:
            BridgeError: OCB-SHAPE with the path of the first place that does not fit the schema; OCB-SEVERAL for a list
                of documents.
        """
        if isinstance(source, list) and source != []:
            raise several_documents(cast("list[Json]", source))
        document = from_json(current(source, log))
        if isinstance(document, Completion):
            return document
        return Parted(document.messages, replace(document, messages=()))

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """A message as it is."""
        return [unit]


class DocumentWriter(UnitWriter):
    """Writes documents; defaults are left out."""

    looks_at_contents = False
    target = FORMAT
    home = None
    keeps_ids = True

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """A message as JSON values."""
        return Spelled(to_json(group[0]), [group[0]], None)

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """The document."""
        values = cast("Object", to_json(around))
        values["messages"] = units
        distinct(values)
        return Enclosed(values, around)

    def complete(self, completion: Completion, log: Log) -> Completed:
        """A text to be completed as it is."""
        return Completed(to_json(completion), completion)


def split(source: str | Json, options: Options) -> list[tuple[int, Json]]:
    """The documents of a list, each with its index; else the one that a source is."""
    return list(enumerate(cast("list[Json]", source))) if isinstance(source, list) else [(0, source)]
