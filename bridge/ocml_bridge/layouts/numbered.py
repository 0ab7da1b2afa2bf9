"""Advise on rows whose columns have numbers: a message for each, or a question and its answer, as turns of a talk."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ..json_values.jsontext import as_text
from ..model import Json
from .layout import Object
from .messages import ROLES
from .named import role_of_name

_NUMBER: Final = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_SIDES: Final = ("user", "assistant")


def numbered_turns(row: Object) -> list[str]:
    """Return advice for a row with several numbers, each in the name of a question and of its answer; [] for others."""
    turns: dict[int, dict[str, str]] = {}
    for name, value in row.items():
        numbers = _NUMBER.findall(name)
        role = (
            _role(_NUMBER.sub(" ", name)) if len(numbers) == 1 and (value is None or isinstance(value, str)) else None
        )
        if role is not None and "'" not in name:
            turns.setdefault(int(numbers[0]), {}).setdefault(role, name)
    places = [turns[number] for number in sorted(turns)]
    if len(places) < 2 or not all(_is_pair(each) for each in places[:-1]) or _SIDES[0] not in places[-1]:
        return []
    columns = [(role, each[role]) for each in places for role in _SIDES if role in each]
    messages = ", ".join(f'{{role: "{role}", content: .[{as_text(name)}]}}' for role, name in columns)
    names = ", ".join(f".[{as_text(name)}]" for _, name in columns)
    command = f"jq -c '. + {{messages: [{messages} | select(.content)]}} | del({names})' DATA"
    return [
        "# The rows have questions and answers in numbered columns. If they are the turns of one conversation, put",
        "# them together:",
        f"#   {command} > rows.jsonl && ocml-convert plan rows.jsonl",
        "layout: auto",
    ]


_MESSAGE: Final = re.compile(r"((?:message|msg|turn|utterance)[_-]?)([1-9]\d*)", re.IGNORECASE)
"""Matches the name of a column with a message."""
_FEWEST: Final = 3
"""How many columns of messages a row has at least; two are a question and its answer."""


def numbered_messages(row: Object) -> list[str]:
    """Return advice for a row with messages in numbered columns, as CAMEL has them; [] for others."""
    found = [match for name in row if (match := _MESSAGE.fullmatch(name)) and _is_message(row[name])]
    prefixes = {match[1] for match in found}
    if len(prefixes) != 1 or {int(match[2]) for match in found} != {*range(1, max(len(found), _FEWEST) + 1)}:
        return []
    command = _with_roles(found, row) or _in_order(prefixes.pop())
    return [
        "# The rows have their messages in numbered columns. Put them together:",
        f"#   {command} > rows.jsonl && ocml-convert plan rows.jsonl",
        "layout: auto",
    ]


def _with_roles(found: Sequence[re.Match[str]], row: Object) -> str | None:
    """Return the command that makes messages of numbered texts and their roles; None if the row has no such roles."""
    roles = {match[0]: f"role_{match[2]}" for match in sorted(found, key=lambda match: int(match[2]))}
    are_texts = all(isinstance(row[name], str) for name in roles)
    if not are_texts or not all(str(row.get(role)).lower() in ROLES for role in roles.values()):
        return None
    messages = ", ".join([f'{{role: .["{role}"], content: .["{name}"]}}' for name, role in roles.items()])
    names = ", ".join([f'.["{name}"]' for pair in roles.items() for name in pair])
    return f"jq -c '. + {{messages: [{messages} | select(.content)]}} | del({names})' DATA"


def _in_order(prefix: str) -> str:
    """Return the command that makes a list of the columns whose names have a prefix and a number."""
    columns = f'(to_entries | map(select(.key | test("^{prefix}[0-9]+$"))))'
    messages = f'sort_by(.key | ltrimstr("{prefix}") | tonumber) | map(.value | select(.))'
    return f"jq -c '{columns} as $columns | . + {{messages: ($columns | {messages})}} | del(.[$columns[].key])' DATA"


def _is_message(value: Json) -> bool:
    """Return whether a value is a message: a text or an object."""
    return isinstance(value, (str, dict))


def _is_pair(columns: Mapping[str, str]) -> bool:
    return all(side in columns for side in _SIDES)


def _role(name: str) -> str | None:
    """Return the role of a text in a column, by the name of that without its number."""
    word = name.strip(" _-").lower()
    role = {"q": "user", "a": "assistant"}.get(word) or ROLES.get(word) or role_of_name(name)
    return role if role in _SIDES else None
