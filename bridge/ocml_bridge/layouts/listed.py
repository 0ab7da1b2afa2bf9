"""Read lists of messages that a column holds as text: as JSON, or as Python or numpy print them in tables.

An object that holds `messages` and nothing else is that list, too (Azure AI Evaluation). The system prompts of several
agents, under their names, are not the one of a conversation.
"""

from __future__ import annotations

from typing import Final

from ..common.python_code import literal
from ..loss import Finding, FindingCode, Severity
from ..model import Json
from . import columns
from .fitting import as_list, as_object, members_of, objects_of
from .layout import Object, Wording, parsed_or_none
from .messages import are_messages
from .pythonic import as_json, closing

_PYTHON: Final = "[{'"
_BEGINNINGS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(columns.TURNS, (_PYTHON,)),
    **dict.fromkeys(("prompt", *columns.CHOSEN, *columns.REJECTED, "history", "chat_history"), ("[{",)),
}
"""Column → the beginnings of a text that may be a list of messages. JSON text of messages is read by the layouts."""
_OBJECTS: Final = frozenset({"conversation", "conversations", "dialog", "dialogue", "trajectory"})
"""The columns that may hold an object with the list; a `chat` that does is Open WebUI's."""
_ANY: Final = Wording()


def with_lists(row: Object) -> tuple[Object, list[Finding]]:
    """Return a row whose texts and objects that hold lists of messages are these lists, and findings about texts.

    A text of JSON in a column of messages stays a text, because the layouts read it themselves. The system prompts of
    agents are left out, so they are an extra column.
    """
    found: Object = {}
    if any(row.get(name).__class__ is dict for name in columns.SYSTEM):
        row = {key: each for key, each in row.items() if key not in columns.SYSTEM or not _are_of_agents(each)}
    findings: list[Finding] = []
    if _METADATA in row and (tools := _tools_in_metadata(row)):
        found[columns.TOOLS[0]] = tools
    for name, value in row.items():
        if value.__class__ is dict and name in _OBJECTS and value.keys() == {"messages"}:
            found[name] = value["messages"]
            continue
        if value.__class__ is list and name in columns.TURNS and (spoken := _with_roles(value)):
            found[name] = spoken
            continue
        if value.__class__ is not str or not value.startswith(_BEGINNINGS.get(name, ())):
            continue
        listed = as_list(parsed_or_none(value))
        is_json = listed is not None
        listed = listed if is_json else python_list(value)
        if listed is None or not are_messages(listed, _ANY):
            continue
        found[name] = listed
        if not is_json:
            detail = "the messages are written as Python prints them"
            findings.append(Finding(FindingCode.JSON_REPAIRED, Severity.CHANGED, f"/{name}", detail))
    return ({**row, **found}, findings) if found else (row, findings)


_METADATA: Final = "metadata"


def _tools_in_metadata(row: Object) -> list[Json]:
    """Return the tools that are declared in a column of metadata (Nemotron), if the row declares no others."""
    value = row[_METADATA]
    if isinstance(value, str):
        value = parsed_or_none(value) if '"tools"' in value else None
    tools = objects_of(members_of(value).get("tools"))
    if not tools or any(row.get(name) is not None for name in columns.TOOLS):
        return []
    declared = all("function" in each or ("name" in each and "parameters" in each) for each in tools)
    return list[Json](tools) if declared else []


def _are_of_agents(value: Json) -> bool:
    """Return whether a value holds a text under each of several names, none of which is that of a content."""
    found = members_of(value)
    return bool(found) and all(isinstance(each, str) for each in found.values()) and _CONTENTS.isdisjoint(found)


_CONTENTS: Final = frozenset({*_ANY.text, *_ANY.role, *columns.SYSTEM, "prompt", "type"})


def _with_roles(items: list[Json]) -> list[Json]:
    """Return messages that say whether a person speaks, with a role in place of that; none for other messages."""
    first = as_object(items[0]) if items else None
    if first is None or first.keys().isdisjoint(_FLAGS):
        return []
    flag = next(name for name in _FLAGS if name in first)
    messages = [members_of(each) for each in items]
    if not all(isinstance(each.get(flag), bool) and "role" not in each for each in messages):
        return []
    return [{_ROLE: "user" if each[flag] else "assistant", **_without(each, flag)} for each in messages]


def _without(each: Object, flag: str) -> Object:
    return {"content" if key == _SILLY_TEXT else key: value for key, value in each.items() if key != flag}


_FLAGS: Final = ("is_human", "is_user", "isUser", "isHuman")
"""Members that say whether a person speaks: in PIPPA, SillyTavern and chats of apps."""
_ROLE: Final = "role"
_SILLY_TEXT: Final = "mes"
"""SillyTavern's name for a text."""


def python_list(text: str) -> list[Json] | None:
    """Return a list of objects that is written as Python or numpy prints it; None for any other text."""
    inner = text.strip()
    if not inner.startswith("[") or not inner.endswith("]"):
        return None
    items: list[Json] = []
    at, stop = 1, len(inner) - 1
    while at < stop:
        if inner[at].isspace() or (inner[at] == "," and items):
            at += 1
            continue
        end = closing(inner, at) if inner[at] == "{" else -1
        item = None if end < 0 else _literal(inner[at:end])
        if item is None:
            return None
        items.append(item)
        at = end
    return items


def _literal(text: str) -> Object | None:
    """Return an object that is written as a literal of Python, if JSON can hold it."""
    found = as_object(literal(text))
    return None if found is None else as_json(found)
