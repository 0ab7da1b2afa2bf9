"""Read chats that VS Code exports: requests, each with the pieces of its response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..fitting import as_object, members_of, objects_of
from ..layout import Document, Object, Wording, misshapen
from ..messages import request
from ..pieces import Pieces
from ..trees import NODES, merged, rest, rest_with

REQUESTS: Final = "requests"
_MESSAGE: Final = "message"
_RESPONSE: Final = "response"
_REFERENCE: Final = "inlineReference"


def are_requests(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold requests, each with a message, one of which has a response."""
    requests = objects_of(fields.get(REQUESTS))
    have_texts = all(isinstance(members_of(each.get(_MESSAGE)).get("text"), str) for each in requests)
    return have_texts and any(objects_of(each.get(_RESPONSE)) for each in requests)


def read_requests(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation, with what the program did, and what else it says, in a column.

    Raises:
        BridgeError: OCB-SHAPE if there is no message.
    """
    messages: list[Object] = []
    nodes: list[Json] = []
    for each in objects_of(fields[REQUESTS]):
        message, pieces = members_of(each[_MESSAGE]), Pieces("assistant")
        messages.append({"role": "user", "content": message["text"]})
        left = list(filter(None, [_left_of(part, pieces) for part in objects_of(each.get(_RESPONSE))]))
        messages += pieces.messages()
        nodes.append(rest_with(each, (_MESSAGE, _RESPONSE), {_RESPONSE: left}))
    if not messages:
        raise misshapen(f"/{REQUESTS}", "requests of which one says something")
    return [Document(request(merged(messages), None), extra_columns={NODES: nodes} if any(nodes) else {})]


def _left_of(part: Object, pieces: Pieces) -> Object:
    """Add the text of a piece of a response; return its other members."""
    kind, value = part.get("kind"), part.get("value")
    if kind is None and isinstance(value, str):
        pieces.say(value)
    elif kind == "thinking" and isinstance(value, str):
        pieces.think(value)
    elif kind == _REFERENCE:
        pieces.say(f"`{_name_of(part)}`")
        return part
    else:
        return part
    return rest(part, ("kind", "value", "supportThemeIcons", "supportHtml", "supportAlertSyntax", "baseUri"))


def _name_of(reference: Object) -> str:
    """Return the name of what a response refers to: its own, or the last part of its path."""
    place = members_of(reference.get(_REFERENCE))
    place = as_object(place.get("uri")) or place
    return str(reference.get("name") or place.get("name") or str(place.get("path", "")).rpartition("/")[2])
