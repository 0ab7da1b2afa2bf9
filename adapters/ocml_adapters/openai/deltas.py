"""Recognise deltas that have a text and nothing else, as nearly all have."""

from __future__ import annotations

from typing import NamedTuple

from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of, only_object

from .syntax import CONTENT, FUNCTION, REASONING_TEXTS, TOOL_CALLS


class TextPlace(NamedTuple):
    """Where a delta has its only text.

    Attributes:
        key: the member with the text, or the list of calls.
        call: the index of the call whose arguments it is; None for any other text.
    """

    key: str
    call: int | None = None


def text_of_delta(delta: Object, role: str | None) -> tuple[TextPlace, str] | None:
    """Return the text of a delta that has one and nothing else, and its place. Null, "" and the role say nothing.

    Args:
        delta: the delta.
        role: the role of the answer.
    """
    members = {key: value for key, value in delta.items() if value not in (None, "") and (key, value) != ("role", role)}
    if len(members) != 1:
        return None
    ((key, value),) = members.items()
    if isinstance(value, str) and key in (CONTENT, *REASONING_TEXTS):
        return TextPlace(key), value
    item = only_object(value) if key == TOOL_CALLS else {}
    index, inner = item.get("index"), members_of(item.get(FUNCTION))
    text = inner.get("arguments")
    is_plain = {key for key, value in item.items() if value is not None} == {"index", FUNCTION}
    if not (is_plain and isinstance(index, int) and isinstance(text, str)):
        return None
    if any(value is not None for key, value in inner.items() if key != "arguments"):
        return None
    return TextPlace(TOOL_CALLS, index), text
