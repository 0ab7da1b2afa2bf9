"""Read calls of people: a person whom a model plays may have tools, too (telecom in tau2-bench).

Only the assistant calls tools in the canonical form, so the calls of a person and their results are messages:
a call is its JSON, and a result is a message under the name of the tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..json_values import jsontext
from ..json_values.jsontext import as_text
from ..loss import Finding
from ..model import Json
from .fitting import as_list, as_object, items_of, members_of, objects_of, without_members
from .layout import Object, noticed

_USER: Final = "user"
_CALLS: Final = "tool_calls"
_CALL_ID: Final = "tool_call_id"
_REQUESTOR: Final = "requestor"
"""The member of a call or a result that says whose it is (tau2-bench)."""


def as_texts(messages: list[Object], where: str) -> tuple[list[Object], tuple[Finding, ...]]:
    """Return messages with the calls of users, and the results of these, as texts of users; and what was noticed.

    Args:
        messages: messages in the words of Chat Completions.
        where: their JSON pointer, for findings.
    """
    if not any(map(_calls_or_asks, messages)):
        return messages, ()
    names = {call[0]: call[1] for each in messages for call in _named(each)}
    out: list[Object] = []
    findings: list[Finding] = []
    for at, each in enumerate(messages):
        if _calls(each):
            out += _texts_of(each)
            findings.append(noticed(f"{where}/{at}/{_CALLS}", "calls of the user are read as what the user says"))
        elif _is_result(each, names):
            out.append(_under_name(each, names.get(each.get(_CALL_ID))))
            detail = "the result of a call of the user is read as what the user says"
            findings.append(noticed(f"{where}/{at}", detail))
        else:
            out.append(each)
    return out, tuple(findings)


def _calls_or_asks(message: Object) -> bool:
    return _REQUESTOR in message or _calls(message)


def _calls(message: Object) -> bool:
    return message.get("role") == _USER and bool(as_list(message.get(_CALLS)))


def _named(message: Object) -> Sequence[tuple[Json, Json]]:
    """Return the ids of the calls of a user, with the names of the tools."""
    calls = objects_of(message.get(_CALLS)) if _calls(message) else []
    return [(call["id"], _function(call).get("name")) for call in calls if isinstance(call.get("id"), str)]


def _function(call: Object) -> Object:
    return members_of(call.get("function"))


def _is_result(message: Object, names: dict[Json, Json]) -> bool:
    if message.get("role") != "tool":
        return False
    call_id: Json = message.get(_CALL_ID)
    return message.get(_REQUESTOR, _USER if isinstance(call_id, str) and call_id in names else None) == _USER


def _texts_of(message: Object) -> list[Object]:
    """Return a message without its calls, if it says anything else, and a message for each call."""
    rest = without_members(message, _CALLS)
    calls = [{"role": _USER, "content": as_text(_whole(call))} for call in items_of(message[_CALLS])]
    return [rest, *calls] if rest.get("content") else [{**rest, **calls[0]}, *calls[1:]]


def _whole(call: Json) -> Json:
    """Return a call without its wrapper, and with its arguments as a value."""
    found = as_object(call)
    function = _function(found or {})
    if found is None or not function:
        return call
    arguments: Json = function.get("arguments")
    span = jsontext.parse(arguments) if isinstance(arguments, str) else None
    identity = {"id": found["id"]} if "id" in found else {}
    return {**identity, **function, "arguments": arguments if span is None else span.value}


def _under_name(message: Object, name: Json) -> Object:
    named = {} if "name" in message or not isinstance(name, str) else {"name": name}
    return {**message, "role": _USER, **named}
