"""Adapt documents to layouts: remove members of messages that a layout has no place for, and compare documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import BridgeError
from ..json_values import jsontext
from ..json_values.parameters import items_of, members_of
from ..loss import Loss, LossCode, Severity
from ..model import Json

Object = dict[str, Any]
IDS = "tool_call_id"
"""The member of replies that goes together with the ids of calls."""
THOUGHTS = ("reasoning", "reasoning_content")
"""The members of messages that hold their reasoning; they mean the same."""


def as_list(value: Json) -> list[Json] | None:
    """Return a value if it is a list; None otherwise."""
    return value if isinstance(value, list) else None  # pyright: ignore[reportUnknownVariableType]  # a cast takes longer


def as_object(value: Json) -> Object | None:
    """Return a value if it is an object; None otherwise."""
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType]


def objects_of(value: Json) -> list[Object]:
    """Return the items of a list, with an empty object for each item that is not an object; [] for other values."""
    return [members_of(each) for each in items_of(value)]


def without_members(members: Object, *names: str) -> Object:
    """Return an object without some members; nulls stay."""
    return {name: value for name, value in members.items() if name not in names}


def without(document: Json, drops: Mapping[str, LossCode]) -> tuple[Json, Sequence[Loss]]:
    """Return a document without some members of its messages, and the losses.

    Ids are removed only if replies follow in the order of their calls; otherwise only the ids pair them.
    """
    found = as_object(document)
    if not drops or found is None:
        return document, ()
    lists = _lists_of(found)
    if not lists:
        return document, ()
    first, *answers = lists.values()
    if IDS in drops and not all(are_in_order([*first, *each]) for each in answers or [[]]):
        drops = {key: code for key, code in drops.items() if key != IDS}
    losses: list[Loss] = []
    fitted = dict(found)
    for path, messages in lists.items():
        rest = [_without(members_of(each), drops, f"{path}/{at}", losses) for at, each in enumerate(messages)]
        _, name, *inner = path.split("/")
        fitted[name] = {**fitted[name], inner[0]: rest} if inner else rest
    return fitted, losses


def _lists_of(document: Object) -> dict[str, list[Json]]:
    """Return the lists of messages of a document by their paths: of a preference, the prompt and both answers."""
    prompt = members_of(document.get("input")).get("messages")
    found = {"/messages": document.get("messages"), "/input/messages": prompt}
    found |= {f"/{name}": document.get(name) for name in ("preferred_output", "non_preferred_output")}
    lists = {path: as_list(value) for path, value in found.items()}
    return {path: messages for path, messages in lists.items() if messages is not None}


def _without(message: Object, drops: Mapping[str, LossCode], path: str, losses: list[Loss]) -> Object:
    gone = [key for key in message if key in drops]
    out = {key: value for key, value in message.items() if key not in drops}
    calls = [members_of(call) for call in items_of(out.get("tool_calls"))]
    losses += [Loss(drops[key], Severity.LOST, f"{path}/{key}", f"the layout has no place for {key!r}") for key in gone]
    if IDS in drops and any("id" in call for call in calls):
        detail = "the layout has no place for ids of calls"
        losses.append(Loss(drops[IDS], Severity.LOST, f"{path}/tool_calls", detail))
        out["tool_calls"] = [{key: value for key, value in call.items() if key != "id"} for call in calls]
    return out


def are_in_order(messages: Sequence[Json]) -> bool:
    """Return whether each reply answers the first call that has no reply yet."""
    waiting: list[Json] = []
    for each in messages:
        message = members_of(each)
        if message.get("role") == "tool":
            if IDS in message and (not waiting or waiting.pop(0) != message[IDS]):
                return False
        elif message.get("tool_calls"):
            if waiting:
                return False
            waiting = [members_of(call).get("id") for call in items_of(message["tool_calls"])]
        elif waiting:
            return False
    return True


def same(one: Json, other: Json) -> bool:
    """Return whether two documents are equal, in whichever member the reasoning of a message is.

    Null is like absent, one part with a text is like the text, and the JSON of arguments is compared by value.
    """
    return _plain(one) == _plain(other)


def _plain(value: Json) -> Json:
    listed, found = as_list(value), as_object(value)
    if listed is not None:
        return [_plain(each) for each in listed]
    if found is None:
        return value
    one, other = THOUGHTS
    if other in found and one not in found:
        found = {one if key == other else key: each for key, each in found.items()}
    if "content" in found:
        found = {**found, "content": text_alone(found["content"])}
    return {
        key: _arguments(each) if key == "arguments" else _plain(each) for key, each in found.items() if each is not None
    }


def text_alone(content: Json) -> Json:
    """Return the text of a content that is one part with a text and nothing else; any other content unchanged."""
    parts = as_list(content)
    part = members_of(parts[0]) if parts is not None and len(parts) == 1 else {}
    return part["text"] if part.keys() == {"type", "text"} and part["type"] == "text" else content


def _arguments(value: Json) -> Json:
    try:
        return jsontext.loads(value) if isinstance(value, str) else value
    except BridgeError:
        return value
