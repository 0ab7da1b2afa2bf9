"""Read messages whose calls, results and thoughts are parts of their content: Vercel's AI SDK, Azure AI's agents."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from ..model import Json
from .fitting import as_object, items_of, members_of, objects_of
from .layout import Object
from .pieces import Pieces

_CALLS: Final = frozenset({"tool-call", "tool_call"})
_RESULTS: Final = ("tool-result", "tool_result")
_THOUGHT: Final = "reasoning"
_IDS: Final = ("toolCallId", "tool_call_id", "id")
_NAMES: Final = ("toolName", "name")
_ARGUMENTS: Final = ("input", "args", "arguments")
_VALUES: Final = ("output", "result", "tool_result")
_KNOWN: Final = frozenset({"type", *_IDS, *_NAMES})
_VALUED: Final = ("text", "json")
"""The types of results of the AI SDK that are one value; what else a result says, as that it is an error, stays."""


def messages_of(message: Object) -> list[Object]:
    """Return a message of Chat Completions as several, with its calls, results and thoughts out of its parts.

    A message without such parts, or with parts that say more, is returned unchanged. The members of the message that
    are not its content stay at the first one.
    """
    if is_call_with_reply(message):
        return _call_and_reply(message)
    if INVOCATIONS in message and (invocations := _invocations(message)):
        return _invoked(message, invocations)
    parts = items_of(message.get("content"))
    if "tool_calls" in message or not any(map(_is_own, parts)):
        return [message]
    pieces = Pieces(message["role"])
    if not all(_add(members_of(each), message, pieces) for each in parts):
        return [message]
    return _with_members(message, pieces.messages(), "tool_call_id")


def _with_members(message: Object, messages: list[Object], *without: str) -> list[Object]:
    """Return messages, the first one with the members of another, without its role, its content and some more."""
    around = {key: each for key, each in message.items() if key not in ("role", "content", *without)}
    return [{**around, **messages[0]}, *messages[1:]]


def is_call_with_reply(message: Object) -> bool:
    """Return whether a message of a tool holds what it was called with, and what it gave (ChatGLM3)."""
    return message.keys() == _CALL_WITH_REPLY and isinstance(message["name"], str)


_CALL_WITH_REPLY: Final = {"role", "name", "parameters", "observation"}


def _call_and_reply(message: Object) -> list[Object]:
    pieces = Pieces("assistant")
    pieces.call(message["name"], message["parameters"])
    pieces.result(message["observation"], name=message["name"])
    return pieces.messages()


INVOCATIONS: Final = "toolInvocations"
"""The member of a message with the calls and results beside its text."""


def _invocations(message: Object) -> list[Object]:
    """Return the calls beside the text of a message, if all of them have a result (AI SDK 4)."""
    items = objects_of(message.get(INVOCATIONS))
    text = isinstance(message.get("content"), str) and message["role"] == "assistant"
    known = all(each.keys() - {"step"} == _INVOKED and each["result"] is not None for each in items)
    return items if text and known else []


_INVOKED: Final = {"state", "toolCallId", "toolName", "args", "result"}


def _invoked(message: Object, invocations: list[Object]) -> list[Object]:
    """Return the calls and results of each step of an answer, and then its text."""
    pieces = Pieces(message["role"])
    for _, step in groupby(invocations, key=lambda each: each.get("step")):
        calls = list(step)
        for each in calls:
            pieces.call(str(each["toolName"]), each["args"], each["toolCallId"])
        for each in calls:
            pieces.result(each["result"], each["toolCallId"], str(each["toolName"]))
    pieces.say(message["content"])
    return _with_members(message, pieces.messages(), INVOCATIONS)


def _is_own(value: Json) -> bool:
    part = members_of(value)
    kind = part.get("type")
    return isinstance(kind, str) and (kind in _CALLS or kind in _RESULTS or (kind == _THOUGHT and _is_thought(part)))


def _is_thought(part: Object) -> bool:
    """Return whether a part is a thought; Roo Code has an empty summary in it."""
    known = {*part} - ({"summary"} if part.get("summary") == [] else set[str]()) == {"type", "text"}
    return known and part["type"] == _THOUGHT and isinstance(part["text"], str)


def _add(part: Object, message: Object, pieces: Pieces) -> bool:
    """Add a part to the pieces of its message; return whether that was possible without a loss."""
    if part.get("type") in _RESULTS:
        return _add_result(part, message, pieces)
    if message["role"] == "tool" or (_is_own(part) and message["role"] != "assistant"):
        return False
    if _is_thought(part):
        pieces.think(part["text"])
    elif _is_own(part):
        return _add_call(part, pieces)
    elif part.keys() == {"type", "text"} and isinstance(part["text"], str):
        pieces.say(part["text"])
    else:
        pieces.show(part)
    return isinstance(part.get("type"), str)


def _add_call(part: Object, pieces: Pieces) -> bool:
    call = as_object(part.get("tool_call")) or part
    function = as_object(call.get("function")) or call
    name, arguments = _first(function, _NAMES), [key for key in _ARGUMENTS if key in function]
    around = {*part} - {*function} | {*call} - {*function}
    if not isinstance(name, str) or len(arguments) > 1 or not around <= {*_KNOWN, "tool_call", "function"}:
        return False
    if not function.keys() <= {*_KNOWN, *_ARGUMENTS}:
        return False
    pieces.call(name, _first(function, _ARGUMENTS), _first(call, _IDS) or _first(part, _IDS))
    return True


def _add_result(part: Object, message: Object, pieces: Pieces) -> bool:
    value, identity = _first(part, _VALUES), _first(part, _IDS) or message.get("tool_call_id")
    typed = members_of(value)
    if typed.keys() == {"type", "value"} and typed["type"] in _VALUED:
        value = typed["value"]
    name = _first(part, _NAMES)
    if value is None or len(part.keys() & {*_VALUES}) > 1 or not part.keys() <= {*_KNOWN, *_VALUES}:
        return False
    pieces.result(value, identity, name if isinstance(name, str) else None)
    return True


def _first(members: Object, names: tuple[str, ...]) -> Json:
    return next((members[name] for name in names if name in members), None)
