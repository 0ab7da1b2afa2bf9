"""Read preferences whose two conversations are documents of a format, as `batch` writes them if it must."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from ...convert import read
from ...errors import BridgeError
from ...model import Alternative, Json, Transcript
from ...model.codec import to_json
from ..documents import format_of_row
from ..exchange import CHOSEN, REJECTED
from ..fitting import as_object, members_of
from ..layout import Document, Layout, Object, Wording, misshapen
from ..messages import are_messages

_BEGINNINGS: Final = ("<", "[")
"""The beginnings of texts that may be in a format."""
_CHAT: Final = Wording(role=("role",))


def are_documents(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold two documents of one format, which do not begin with the answer."""
    found = [_format(fields.get(key)) for key in (CHOSEN, REJECTED)]
    if found[0] is None or found[0] != found[1]:
        return False
    try:
        chosen = read(fields[CHOSEN], found[0]).transcript
    except BridgeError:  # reported when the row is read
        return True
    return isinstance(chosen, Transcript) and [each.role for each in chosen.messages[:1]] != ["assistant"]


def _format(value: Json) -> str | None:
    """Return the format of a document; None for texts, messages and other values."""
    if isinstance(value, str):
        return format_of_row(value) if value.startswith(_BEGINNINGS) else None
    members = as_object(value)
    if members is None or "role" in members or "from" in members:
        return None
    is_chat = members.keys() <= {"messages", "tools"} and are_messages(members.get("messages"), _CHAT)
    return format_of_row(members) or ("openai" if is_chat else None)


def read_documents(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the chosen conversation, with the other messages of the rejected one as its alternative.

    What else differs in the rejected document is an extra column.

    Raises:
        BridgeError: OCB-SHAPE if a document is no conversation; or as the reader of the format raises it.
    """
    readings = [read(fields[key], _format(fields[key])) for key in (CHOSEN, REJECTED)]
    found = [each.transcript for each in readings]
    chosen, rejected = found
    if not isinstance(chosen, Transcript) or not isinstance(rejected, Transcript):
        raise misshapen(f"/{CHOSEN}", "two conversations")
    same = takewhile(lambda pair: pair[0] == pair[1], zip(chosen.messages, rejected.messages, strict=False))
    at = sum(1 for _ in same)
    other = Alternative(rejected.messages[at:], at, "rejected")
    known, around = _around(chosen), _around(rejected)
    around = {name: value for name, value in around.items() if known.get(name) != value}
    whole = to_json(replace(chosen, alternatives=(other,)))
    return [Document(whole, readings[0].findings, extra_columns={REJECTED: around} if around else {})]


def _around(transcript: Transcript) -> Object:
    """Return what a document says apart from its messages, and how it is spelled."""
    return members_of(to_json(replace(transcript, messages=(), alternatives=None, layout=None)))


PREFERRED: Final = Layout(
    "preferred-documents",
    "two conversations in a format, of which one was chosen",
    "canonical",
    {each: (each,) for each in (CHOSEN, REJECTED)},
    are_documents,
    read_documents,
)
