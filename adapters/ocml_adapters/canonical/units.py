"""Define the unit reader and the unit writer of the canonical form; a unit is a message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ocml_bridge.formats.adapter import Options
from ocml_bridge.formats.boundary import several_documents
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Completion, Document, Json, Message, Transcript, replace
from ocml_bridge.model.codec import from_json, to_json
from ocml_bridge.units.grammar import Enclosed, SplitDocument, State, Unit, WrittenUnit
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import Completed, UnitWriter

from .earlier import Object, mark_as_current, to_current
from .syntax import FORMAT


class DocumentReader(UnitReader):
    """The unit reader: it validates documents of the current schema and of earlier ones."""

    def split_units(self, source: str | Json, log: Log) -> SplitDocument | Completion:
        """Split a document into its messages and all else.

        Raises:
            BridgeError: OCB-SHAPE with the path of the first value that does not fit the schema; OCB-SEVERAL if it is a
                list of documents.
        """
        if isinstance(source, list) and source != []:
            raise several_documents(cast("list[Json]", source))
        current = to_current(source, log)
        document = from_json(current)
        _find_defaults(current, _spelled(document), "", log)
        if isinstance(document, Completion):
            return document
        return SplitDocument(document.messages, replace(document, messages=()))

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the message unchanged."""
        return [unit]


class DocumentWriter(UnitWriter):
    """The unit writer; it leaves out default values."""

    looks_at_contents = False
    target = FORMAT
    home = None
    keeps_ids = True

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Return the JSON of a message, and the message."""
        return WrittenUnit(to_json(group[0]), [group[0]], None)

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return the document."""
        values = cast("Object", to_json(around))
        values["messages"] = units
        mark_as_current(values)
        return Enclosed(values, around)

    def complete(self, completion: Completion, log: Log) -> Completed:
        """Return the JSON of a completion, and the completion."""
        return Completed(to_json(completion), completion)


def _spelled(document: Document) -> Json:
    """Return a document as it is written."""
    values = to_json(document)
    if isinstance(document, Transcript):
        mark_as_current(cast("Object", values))
    return values


def _find_defaults(value: Json, written: Json, path: str, log: Log) -> None:
    """Report the members that are left out when a document is written, since they have their default."""
    if value == written:
        return
    if isinstance(value, dict):
        members, kept = cast("Object", value), cast("Object", written)
        left_out = [key for key in members if key not in kept]
        if left_out:
            detail = "these members say what their absence says, and are left out when written: " + ", ".join(left_out)
            log.find(FindingCode.DEFAULT_MEMBER, path, detail, Severity.LAYOUT)
        for key in members:
            if key in kept:
                _find_defaults(members[key], kept[key], f"{path}/{key}", log)
    elif isinstance(value, list):
        for at, (item, item_written) in enumerate(
            zip(cast("list[Json]", value), cast("list[Json]", written), strict=True)
        ):
            _find_defaults(item, item_written, f"{path}/{at}", log)


def split(source: str | Json, options: Options) -> list[tuple[int, Json]]:
    """Split a list of documents, each with its index; any other source is one document."""
    return list(enumerate(cast("list[Json]", source))) if isinstance(source, list) else [(0, source)]
