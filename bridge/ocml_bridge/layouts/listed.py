"""Read lists that a column holds as text, as JSON, or as Python or numpy print them in tables: messages, texts, tools.

An object that holds `messages` and nothing else is that list, too (Azure AI Evaluation). The system prompts of several
agents, under their names, are not the one of a conversation.
"""

from __future__ import annotations

import re
from typing import Final

from ..common.python_code import literal
from ..loss import Finding, FindingCode, Severity
from ..model import Json
from . import columns
from .fitting import as_list, as_object, items_of, members_of, objects_of
from .layout import Object, Wording, parsed_or_none
from .messages import are_messages
from .pythonic import as_json, closing

_PYTHON: Final = "[{'"
_TEXTS: Final = ("['", '["', "[['", '[["')
_BEGINNINGS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(columns.TURNS, (_PYTHON,)),
    **dict.fromkeys(columns.ALTERNATING, (_PYTHON, *_TEXTS)),
    **dict.fromkeys(columns.TOOLS, (_PYTHON,)),
    **dict.fromkeys(("prompt", "completion", *columns.CHOSEN, *columns.REJECTED), ("[{",)),
    **dict.fromkeys(("instruction", "question", "query", "rejected_messages"), ("[{",)),
    **dict.fromkeys((f"{name}_{side}" for name in ("conversation", "messages") for side in "ab"), ("[{",)),
    **dict.fromkeys(columns.HISTORY["history"], ("[{", *_TEXTS)),
    **dict.fromkeys((name for names in columns.MEDIA.values() for name in names), ("[{", *_TEXTS[:2])),
}
"""Column → the beginnings of a text that may be a list. JSON text of messages is read by the layouts."""
_OBJECTS: Final = frozenset({"conversation", "conversations", "dialog", "dialogue", "trajectory"})
"""The columns that may hold an object with the list; a `chat` that does is Open WebUI's."""
_ANY: Final = Wording()


def with_lists(row: Object) -> tuple[Object, list[Finding]]:
    """Return a row whose texts and objects that hold lists are these lists, and findings about texts.

    The lists are of messages, of JSON texts of messages, of texts or pairs of texts, and of tools.

    A text of JSON in a column of messages stays a text, because the layouts read it themselves. The system prompts of
    agents are left out, so they are an extra column.
    """
    found: Object = {}
    if without_tools := _without_tools(row):
        row = {key: each for key, each in row.items() if key not in without_tools}
    if any(row.get(name).__class__ is dict for name in columns.SYSTEM):
        row = {key: each for key, each in row.items() if key not in columns.SYSTEM or not _are_of_agents(each)}
    findings: list[Finding] = []
    if not _AROUND.isdisjoint(row):
        found.update(_from_metadata(row))
    for name, value in row.items():
        if value.__class__ is dict and name in _OBJECTS and value.keys() == {"messages"}:
            found[name] = value["messages"]
            continue
        if value.__class__ is list and name in _HISTORIES and (pairs := _pairs(value)) and _is_asked(row):
            found[name] = pairs
            continue
        if value.__class__ is list and name in columns.TURNS and (spoken := _with_roles(value) or _in_texts(value)):
            found[name] = spoken
            continue
        if value.__class__ is not str or not value.startswith(_BEGINNINGS.get(name, ())):
            continue
        listed = as_list(parsed_or_none(value))
        is_json = listed is not None
        listed = listed if is_json else python_list(value)
        if listed is None or not _fits(name, listed):
            continue
        found[name] = _in_texts(listed) or listed
        if not is_json:
            detail = "the list is written as Python prints it"
            findings.append(Finding(FindingCode.JSON_REPAIRED, Severity.CHANGED, f"/{name}", detail))
    return ({**row, **found}, findings) if found else (row, findings)


_MEDIA: Final = frozenset(name for names in columns.MEDIA.values() for name in names)
_HISTORIES: Final = frozenset(columns.HISTORY["history"])


def _fits(name: str, items: list[Json]) -> bool:
    """Return whether the column with a name may hold a list."""
    return name in _MEDIA or (_are_tools if name in columns.TOOLS else _is_conversation)(items)


def _without_tools(row: Object) -> list[str]:
    """Return the columns that declare no tools: they only name them, or are empty next to one that declares some."""
    given = [name for name in columns.TOOLS if name in row]
    named = [name for name in given if _is_of_names(row[name])]
    empty = [name for name in given if row[name] in _EMPTY]
    return [*named, *empty] if len(named) + len(empty) < len(given) else named


_EMPTY: Final[tuple[Json, ...]] = ([], "[]", "")


def _is_of_names(value: Json) -> bool:
    """Return whether a value of the column of tools declares none: it only names them, or says that there are none."""
    texts = [value] if isinstance(value, str) else as_list(value) or [None]
    return all(isinstance(text, str) and bool(text.strip()) and text.lstrip()[0] not in '[{"' for text in texts)


def _is_asked(row: Object) -> bool:
    return any(row.get(name).__class__ is str for name in _SIDES[0])


_SIDES: Final = (frozenset({"input", *columns.QUESTIONS}), frozenset({"ai", "chatbot", *columns.ANSWERS}))
"""Names of what was asked and of what was answered."""


def _pairs(items: list[Json]) -> list[Json]:
    """Return pairs of texts that are objects as lists; none for any other list."""
    pairs: list[Json] = []
    for each in map(members_of, items):
        names = [next((name for name in each if name.lower() in side), "") for side in _SIDES]
        if each.keys() != {*names} or not all(text is None or isinstance(text, str) for text in each.values()):
            return []
        pairs.append([each[name] for name in names])
    return pairs


def _is_conversation(items: list[Json]) -> bool:
    """Return whether a list is of messages, of texts, or of pairs of texts."""
    texts = [text for each in items for text in (as_list(each) or [each])]
    return are_messages(items, _ANY) or all(text is None or isinstance(text, str) for text in texts)


def _are_tools(items: list[Json]) -> bool:
    return all(as_object(each) is not None for each in items)


def _in_texts(items: list[Json]) -> list[Json]:
    """Return the messages in a list of their JSON texts; none for any other list."""
    if not all(isinstance(each, str) and each.startswith("{") for each in items):
        return []
    messages = [parsed_or_none(each) for each in items if isinstance(each, str)]
    return messages if are_messages(messages, _ANY) else []


_METADATA: Final = "metadata"
_TEMPLATE: Final = "chat_template_kwargs"
_AROUND: Final = frozenset({_METADATA, _TEMPLATE})
"""Columns of metadata (Nemotron), and of what a chat template is given besides messages (SmolTalk 2)."""


def _from_metadata(row: Object) -> Object:
    """Return the tools and the system prompt that metadata hold, if the row has no others."""
    found: Object = {}
    given = {name: row.get(name) for name in _AROUND}
    around = {
        name: members_of(parsed_or_none(value) if isinstance(value, str) and 'tools"' in value else value)
        for name, value in given.items()
    }
    tools = [tool for value in around.values() for key in _TOOLS for tool in _declared(value.get(key))]
    if tools and all(row.get(name) is None for name in columns.TOOLS):
        found[columns.TOOLS[0]] = tools
    prompt = around[_TEMPLATE].get(_INSTRUCTIONS)
    if isinstance(prompt, str) and prompt and not any(row.get(name) for name in columns.SYSTEM):
        messages = objects_of(row.get(columns.TURNS[0]))
        if messages and messages[0].get("role") != "system":
            found[columns.SYSTEM[0]] = prompt
    return found


_TOOLS: Final = ("tools", "xml_tools")
_INSTRUCTIONS: Final = "custom_instructions"


def _declared(value: Json) -> list[Json]:
    """Return declared tools, which may be JSON texts; none for any other list."""
    tools = [parsed_or_none(each) if isinstance(each, str) else each for each in items_of(value)]
    found = [members_of(each) for each in tools]
    return tools if all("function" in each or ("name" in each and "parameters" in each) for each in found) else []


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
    """Return a list of objects, texts and lists that is written as Python or numpy prints it; None for other texts.

    Commas between the items are missing where numpy prints them.
    """
    inner = text.strip()
    return _items(inner) if inner.startswith("[") and inner.endswith("]") else None


def _items(text: str, depth: int = 0) -> list[Json] | None:
    """Return the items of a list; those of lists in it, too, if these have no further lists."""
    items: list[Json] = []
    at, stop = 1, len(text) - 1
    while at < stop:
        if text[at].isspace() or (text[at] == "," and items):
            at += 1
            continue
        if text.startswith(_NONE, at):
            items.append(None)
            at += len(_NONE)
            continue
        is_list = text[at] == "["
        end = _end(text, at)
        item = (
            None if end < 0 or (is_list and depth) else _items(text[at:end], 1) if is_list else _literal(text[at:end])
        )
        if item is None:
            return None
        items.append(item)
        at = end
    return items


_NONE: Final = "None"
_STRING: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)


def _end(text: str, at: int) -> int:
    """Return the index behind the item that begins at an index; -1 for other items than objects, texts and lists."""
    if text[at] in "[{":
        return closing(text, at)
    found = _STRING.match(text, at)
    return -1 if found is None else found.end()


def _literal(text: str) -> Object | str | None:
    """Return an object or a text that is written as a literal of Python, if JSON can hold it."""
    value = literal(text, arrays=True)
    if isinstance(value, str):
        return value
    found = as_object(value)
    return None if found is None else as_json(found)
