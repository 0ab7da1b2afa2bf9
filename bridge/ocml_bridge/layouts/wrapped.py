"""Read messages of which each is in a record, as sessions of agents keep them: `{"message": {…}, "message_id": …}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..convert import read
from ..model import Json, Transcript
from ..model.codec import to_json
from .documents import format_of_row
from .fitting import as_list, as_object, objects_of
from .layout import Document, Object, Wording, misshapen
from .messages import is_message, request
from .trees import NODES, rest

RECORDS: Final = "records"
_MESSAGE: Final = "message"


def are_wrapped(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold records that have no role, each with a message."""
    records = as_list(fields.get(RECORDS))
    return bool(records) and all(_is_record(as_object(each) or {}, wording) for each in records or ())


def _is_record(record: Object, wording: Wording) -> bool:
    return "role" not in record and is_message(record.get(_MESSAGE), wording)


def read_wrapped(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the messages, in whatever format they are, with the rest of their records in a column.

    Raises:
        BridgeError: OCB-SHAPE if the messages are not a conversation; or as the format's reader raises it.
    """
    records = objects_of(fields[RECORDS])
    document = request([each[_MESSAGE] for each in records], None)
    reading = read(document, format_of_row(document) or "openai")
    if not isinstance(reading.transcript, Transcript):
        raise misshapen(f"/{RECORDS}", "a conversation")
    nodes: list[Json] = [rest(each, (_MESSAGE,)) for each in records]
    more: Object = {NODES: nodes} if any(nodes) else {}
    return [Document(to_json(reading.transcript), reading.findings, extra_columns=more)]
