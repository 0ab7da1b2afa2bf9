"""Find results of calls where a message does not hold them: beside the call itself, or under `error`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..json_values.jsontext import as_text
from ..model import Json
from .fitting import as_list, as_object, items_of, members_of, objects_of, without_members
from .layout import Object
from .pieces import Pieces

RESPONSES: Final = "tool_responses"
"""The member of a message of a tool for results of several calls."""
_CALLS: Final = "tool_calls"
_RESULTS: Final = ("result", "output", "error")
"""Members of a call that may hold its result; the first one that is not null does."""


def have_replies(messages: Sequence[Json]) -> bool:
    """Return whether a message is the result of a call, so that calls do not hold their results."""
    return any("tool_call_id" in each or each.get("role") == "tool" for each in objects_of(list(messages)))


def replies_in(message: Object, before: Sequence[Object]) -> list[Object]:
    """Return the results in a message of a tool that holds several; none for any other message.

    They are in `tool_responses`, whose texts the content repeats (AutoGen 0.2), or are values in a list that is the
    content, one for each call of the message before (ComplexFuncBench).
    """
    around = without_members(message, "content", RESPONSES)
    responses = objects_of(message.get(RESPONSES))
    texts = [each["content"] for each in responses if isinstance(each.get("content"), str)]
    if texts and len(texts) == len(responses) and message.get("content") in (None, "\n\n".join(texts)):
        return [{**around, **each} for each in responses]
    values = objects_of(message.get("content"))
    if "tool_call_id" in message or any(not each or "type" in each or "text" in each for each in values):
        return []
    if len(values) == len(items_of(before[0].get(_CALLS)) if before else []):
        return [{**around, "content": as_text(each)} for each in values]
    return [{**around, "content": as_text(values)}] if values else []


def taken_out(message: Object) -> tuple[Object, list[Object]]:
    """Return a message without the results that its calls hold, and these results as messages."""
    calls = [as_object(call) for call in items_of(message.get(_CALLS))]
    if not any(call is not None and _result(call) for call in calls):
        return message, []
    pieces = Pieces("tool")
    left: list[Json] = []
    for call in calls:
        key = None if call is None or _name(call) is None else _result(call)
        if call is None or key is None:
            left.append(call)
            continue
        pieces.result(call[key], call.get("id"), _name(call))
        left.append(without_members(call, key))
    return {**message, _CALLS: left}, pieces.messages()


def _result(call: Object) -> str | None:
    return next((key for key in _RESULTS if call.get(key) is not None), None)


def _name(call: Object) -> str | None:
    """Return the name of the function that is called; None if it has none."""
    function = call.get("function", call)
    name = function if isinstance(function, str) else members_of(function).get("name")
    return name if isinstance(name, str) else None


def with_error(message: Object) -> Object:
    """Return the result of a call that failed with the error as its text, if it has no other (AgentDojo)."""
    error = message.get("error")
    if message.get("role") != "tool" or not isinstance(error, str) or not error or _says(message.get("content")):
        return message
    return {key: error if key == "content" else value for key, value in message.items() if key != "error"}


def _says(content: Json) -> bool:
    parts = as_list(content)
    return bool(content) if parts is None else any(members_of(part).get("text") != "" for part in parts)
