"""Advise on rows with several answers, and on lists with messages of several conversations; spell names as YAML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..json_values import jsontext
from ..model import Json
from .fitting import as_list
from .layout import Object
from .named import conversation_ids


def several_answers(row: Object, answers: list[str]) -> list[str]:
    """Return the plan for a row with several answers."""
    first = quoted(f"{answers[0]}[0]" if as_list(row[answers[0]]) else answers[0])
    if numbered := _numbered_answers(row, answers):
        return numbered
    return [
        f"# The rows have several answers ({', '.join(map(quoted, answers))}), and no layout decides between them.",
        "# Take one of them, and see that nothing is lost with the others, such as",
        "#   layout: alpaca",
        f"#   columns: {{instruction: the column of what is asked, output: {first}}}",
        "layout: auto",
    ]


def _numbered_answers(row: Object, answers: list[str]) -> list[str]:
    """Return advice for a row with several answers, and a number for each of them that may be a rank; [] for others."""
    several = as_list(row[answers[0]]) if len(answers) == 1 else answers
    lists = {name: as_list(value) for name, value in row.items()}
    ranks = next((name for name, each in lists.items() if each and all(map(_is_index, each))), None)
    if ranks is None or several is None or len(lists[ranks] or ()) != len(several):
        return []
    each_alone = ", ".join(f".[{quoted(each)}]" for each in answers)
    listed = each_alone if len(answers) == 1 else f"[{each_alone}]"
    pair = "{chosen: $a[$r | index(min)], rejected: $a[$r | index(max)]}"
    command = f"jq -c '{listed} as $a | .[{quoted(ranks)}] as $r | . + {pair}' DATA"
    return [
        f"# The rows have several answers, and numbers for them in {quoted(ranks)}. If the lowest is that of the best:",
        f"#   {command} > rows.jsonl && ocml-convert plan rows.jsonl",
        "# If the highest is, swap min and max. If they are the places of the answers, the best first, take $a[$r[0]]",
        "# and $a[$r[-1]].",
        "layout: auto",
    ]


def _is_index(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def of_several_conversations(place: str, messages: Sequence[Object]) -> list[str]:
    """Return advice for messages at a place in a row that name several conversations; [] for others."""
    names = conversation_ids(messages[0]) if messages else []
    if len({str([message.get(name) for name in names]) for message in messages}) < 2:
        return []
    steps = ".".join(f'["{step}"]' if not step.isidentifier() else step for step in place.split("."))
    query = f".{steps} | group_by([{', '.join(f'.{name}' for name in names)}])[] | {{messages: .}}"
    return [
        f"# The messages in {quoted(place)} are of several conversations. Put those of each together:",
        f"#   jq -c '{query}' DATA > rows.jsonl && ocml-convert plan rows.jsonl",
        "layout: auto",
    ]


def in_braces(pairs: dict[str, str]) -> str:
    """Return names with their words as YAML reads them back, in one line."""
    return "{" + ", ".join(f"{quoted(key)}: {quoted(value)}" for key, value in pairs.items()) + "}"


def quoted(word: Any) -> str:
    """Return a word as YAML reads it back: in quotes, as JSON."""
    return jsontext.dumps(word).decode("utf-8", "replace")
