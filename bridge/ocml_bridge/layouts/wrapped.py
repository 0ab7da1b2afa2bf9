"""Read messages of any wire in columns of any name, and those of which each is in a record: `{"message": {…}, …}`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ..convert import read
from ..detection import surely
from ..model import Json, Tool, Transcript
from ..model.codec import to_json
from .declared import TOOLS, read_tools
from .fitting import as_object, items_of, objects_of
from .layout import Document, Object, Wording, misshapen
from .messages import is_message, message, request, respelled_all
from .trees import NODES, rest

RECORDS: Final = "records"
_MESSAGE: Final = "message"
_ROLE: Final = "role"
LISTS: Final = {"gemini": "contents", "openai-responses": "input"}
"""The members of requests that hold a list of messages, where a format has another name than `messages`."""


def are_wrapped(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold records, each with a message; or messages of another API."""
    records = objects_of(fields.get(RECORDS))
    if not records:
        return False
    in_records = [_is_record(each, wording) for each in records]
    others = [each for each, in_record in zip(records, in_records, strict=True) if not in_record]
    mixed = any(in_records) and all(is_message(each, wording) for each in others)
    return mixed or _are_of_a_wire(records)


def _are_of_a_wire(messages: Sequence[Object]) -> bool:
    """Return whether messages are those of an API, and not of Chat Completions, as their blocks show."""
    if not {str(each.get("role", "")) for each in messages} <= _ROLES:
        return False
    for each in messages:
        if "parts" in each or "role" not in each or any(map(_may_be_foreign, items_of(each.get("content")))):
            return surely(list[Json](messages)) in _WIRES
    return False


def _may_be_foreign(block: Json) -> bool:
    kind = (as_object(block) or {"type": "text"}).get("type")
    return kind not in ("text", "image_url", "input_audio", "video_url")


_ROLES: Final = {"", "user", "assistant", "model", "system", "developer", "function", "tool"}
_WIRES: Final = frozenset({"anthropic", "bedrock-converse", "gemini", "openai-responses"})


def _is_record(record: Object, wording: Wording) -> bool:
    """Return whether a record holds a message, or the content of one beside its role (Cursor)."""
    inner = as_object(record.get(_MESSAGE))
    if _ROLE in record:
        return inner is not None and _ROLE not in inner and "content" in inner and isinstance(record[_ROLE], str)
    return is_message(inner, wording)


def _inner(record: Object) -> Object:
    """Return the message in a record; what is a message itself, as an answer's choices are among messages (ART)."""
    if as_object(record.get(_MESSAGE)) is None:
        return record
    return {_ROLE: record[_ROLE], **record[_MESSAGE]} if _ROLE in record else record[_MESSAGE]


def read_wrapped(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the messages, in whatever format they are, with the rest of their records in a column.

    Raises:
        BridgeError: OCB-SHAPE if the messages are not a conversation; or as the format's reader raises it.
    """
    records = objects_of(fields[RECORDS])
    in_records = any(_is_record(each, wording) for each in records)
    document: list[Json] = [_inner(each) for each in records] if in_records else list[Json](records)
    form = surely(document) or "openai"
    messages = respelled_all(document, wording, f"/{RECORDS}") if form == "openai" else document
    reading = read({LISTS.get(form, "messages"): messages}, form)
    if not isinstance(reading.transcript, Transcript):
        raise misshapen(f"/{RECORDS}", "a conversation")
    around = [each for each in records if as_object(each.get(_MESSAGE)) is not None]
    nodes: list[Json] = [rest(each, (_MESSAGE, _ROLE)) for each in around]
    more: Object = {NODES: nodes} if any(nodes) else {}
    tools = read_tools(fields) or []
    declared = _declared(tools)
    if len(declared) != len(tools):  # they are no tools
        more[TOOLS] = fields[TOOLS]
    transcript = replace(reading.transcript, tools=declared) if declared else reading.transcript
    return [Document(to_json(transcript), reading.findings, extra_columns=more)]


def _declared(tools: list[Json]) -> tuple[Tool, ...]:
    """Return declared tools as a transcript has them."""
    found = read(request([message("user", "")], tools), "openai").transcript if tools else None
    return found.tools or () if isinstance(found, Transcript) else ()
