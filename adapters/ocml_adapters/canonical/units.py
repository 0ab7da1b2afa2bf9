"""Define the unit reader and the unit writer of the canonical form; a unit is a message."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, cast

from ocml_bridge.formats.adapter import Options
from ocml_bridge.formats.boundary import several_documents
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Completion, Json, Message, Transcript
from ocml_bridge.model.codec import from_json, message_from_json, to_json
from ocml_bridge.units.grammar import Enclosed, Skeleton, SplitDocument, SplitEnvelope, State, Unit, WrittenUnit
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import Completed, UnitWriter

from .earlier import Object, mark_as_current, mark_message_as_current, message_to_current, to_current
from .skeletons import skeleton, with_values
from .syntax import FORMAT, MESSAGES


class DocumentReader(UnitReader):
    """The unit reader: it validates documents of the current schema and of earlier ones."""

    looks_at_contents = False

    def split_units(self, source: str | Json, log: Log) -> SplitDocument | Completion:
        """Split a document into its messages and all else.

        Raises:
            BridgeError: OCB-SHAPE with the path of the first value around the messages that does not fit the schema;
                OCB-SEVERAL if it is a list of documents.
        """
        if isinstance(source, list) and source != []:
            raise several_documents(cast("list[Json]", source))
        source = cast("Json", source)
        split = _split_envelope(source)
        current = to_current(source if split is None else split.envelope, log)
        document = from_json(current)
        values = to_json(document)
        if isinstance(document, Completion):
            _find_defaults(current, values, "", log)
            return document
        mark_as_current(cast("Object", values))
        _find_defaults(current, values, "", log)
        return SplitDocument([] if split is None else split.units, document)

    def split_envelope(self, source: str | Json) -> SplitEnvelope | None:
        """Split a transcript into its messages and all else; None for anything else."""
        return _split_envelope(source)

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """Return a message without its texts, call id and signature."""
        return skeleton(unit)

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is empty: what else a text says is in no key."""
        return all(texts)

    def with_values(self, unit: Unit, values: Sequence[str]) -> Unit:
        """Return a message that has a skeleton, with other texts, call id and signature."""
        return with_values(unit, values)

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the message.

        Raises:
            BridgeError: OCB-SHAPE with the path of the first value that does not fit the schema.
        """
        path = f"/{MESSAGES}/{at}"
        current = message_to_current(unit, path, log)
        message = message_from_json(current, path)
        _find_defaults(current, _spelled(message), path, log)
        return [message]


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
        return WrittenUnit(_spelled(group[0]), [group[0]], None)

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return the document."""
        values = cast("Object", to_json(around))
        values[MESSAGES] = units
        mark_as_current(values)
        return Enclosed(values, around)

    def envelope_key(self, units: list[Unit], around: Transcript, state: State) -> Hashable:
        """Return the only key: what stands around messages does not depend on them."""
        return ()

    def split_envelope(self, document: Json) -> SplitEnvelope | None:
        """Split a transcript into its messages and all else."""
        return _split_envelope(document)

    def with_units(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """Return a transcript with other messages."""
        envelope[MESSAGES] = units
        return envelope

    def complete(self, completion: Completion, log: Log) -> Completed:
        """Return the JSON of a completion, and the completion."""
        return Completed(to_json(completion), completion)


def _split_envelope(source: Json) -> SplitEnvelope | None:
    """Split a transcript into its messages and all else; return None for anything else."""
    if not isinstance(source, dict):
        return None
    document = cast("Object", source)
    messages = document.get(MESSAGES)
    if document.get("type") != "transcript" or not isinstance(messages, list):
        return None
    return SplitEnvelope({**document, MESSAGES: []}, cast("list[Json]", messages))


def _spelled(message: Message) -> Json:
    """Return a message as it is written."""
    values = cast("Object", to_json(message))
    mark_message_as_current(values)
    return values


def _find_defaults(value: Json, written: Json, path: str, log: Log) -> None:
    """Report the members that are left out when a document is written, since they have their default."""
    if value == written:
        return
    if isinstance(value, dict):
        members, members_written = cast("Object", value), cast("Object", written)
        left_out = [key for key in members if key not in members_written]
        if left_out:
            detail = "these members say what their absence says, and are left out when written: " + ", ".join(left_out)
            log.find(FindingCode.DEFAULT_MEMBER, path, detail, Severity.LAYOUT)
        for key in members:
            if key in members_written:
                _find_defaults(members[key], members_written[key], f"{path}/{key}", log)
    elif isinstance(value, list):
        for at, (item, item_written) in enumerate(
            zip(cast("list[Json]", value), cast("list[Json]", written), strict=True)
        ):
            _find_defaults(item, item_written, f"{path}/{at}", log)


def split(source: str | Json, options: Options) -> list[tuple[int, Json]]:
    """Split a list of documents, each with its index; any other source is one document."""
    return list(enumerate(cast("list[Json]", source))) if isinstance(source, list) else [(0, source)]
