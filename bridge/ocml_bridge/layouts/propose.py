"""What rows of a dataset look like, and a plan for them: a person reads it, mends it, and gives it to `batch`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from ..errors import BridgeError
from ..json_values import jsontext
from ..model import Json
from ..recognise import sure_in
from .columns import SEVERAL
from .fitting import as_list, as_object
from .layout import Layout, Object, Wording
from .messages import ROLES, are_messages
from .plan import AUTO, Plan, layout_for, layouts_of, likeness
from .thoughts import TAGS, fences, tag_of

_SHORT: Final = 100
_MANY: Final = 8
_GUESSES: Final[dict[str, str]] = {
    **dict.fromkeys(("customer", "client", "patient", "student", "caller", "visitor", "person", "me"), "user"),
    **dict.fromkeys(("agent", "support", "operator", "doctor", "teacher", "tutor", "llm", "you"), "assistant"),
    **dict.fromkeys(("instructions", "context"), "system"),
}
"""Words for speakers that no layout takes for granted, and what they probably stand for."""


@dataclass(slots=True)
class Seen:
    """What was seen of the rows that are of one layout.

    Attributes:
        rows: how many.
        conversations: how many they hold.
        columns: how often each column is part of the conversation.
        beside: how often each column stands beside it.
        roles: how often each word for a role stands there.
        tools: how many rows declare tools.
        example: what is said first in the first of them.
        errors: what is wrong with rows that are of the layout and cannot be read, and how often.
    """

    rows: int = 0
    conversations: int = 0
    columns: Counter[str] = field(default_factory=Counter[str])
    beside: Counter[str] = field(default_factory=Counter[str])
    roles: Counter[str] = field(default_factory=Counter[str])
    thoughts: Counter[str] = field(default_factory=Counter[str])
    tools: int = 0
    example: str = ""
    errors: Counter[str] = field(default_factory=Counter[str])


@dataclass(slots=True)
class Survey:
    """What was seen of rows.

    Attributes:
        rows: how many.
        layouts: by name, what was seen of those of each layout.
        others: the columns of rows of no layout, and how many have them.
        broken: what is wrong with what is no row, and how often.
    """

    rows: int = 0
    layouts: dict[str, Seen] = field(default_factory=dict[str, Seen])
    others: Counter[tuple[str, ...]] = field(default_factory=Counter[tuple[str, ...]])
    broken: Counter[str] = field(default_factory=Counter[str])
    stranger: Object | None = None

    def look(self, row: Json | BridgeError) -> None:
        """Look at a row.

        Args:
            row: its columns, or why it could not be taken out of what it is stored in.
        """
        self.rows += 1
        columns = as_object(row)
        if columns is None:
            self.broken[str(row) if isinstance(row, BridgeError) else "a row that is not an object"] += 1
            return
        layout = layout_for(Plan((AUTO,)), columns)
        if layout is None:
            self.others[tuple(columns)] += 1
            self.stranger = self.stranger or columns
            return
        _look(self.layouts.setdefault(layout.name, Seen()), layout, columns)


def _look(seen: Seen, layout: Layout, row: Object) -> None:
    seen.rows += 1
    of_layout = layout.read_columns(row)
    if not layout.whole:
        seen.columns.update(name for name in row if name in of_layout)
        seen.beside.update(name for name in row if name not in of_layout)
    try:
        documents = layout.read(row)
    except BridgeError as error:
        seen.errors[str(error)] += 1
        return
    seen.conversations += len(documents)
    for document in documents[:1]:
        for message in _messages(document.value):
            seen.roles[_role(message)] += 1
            text = _text(message)
            seen.example = seen.example or text
            tag = tag_of(text)
            if tag is not None:
                seen.thoughts[tag] += 1
        seen.tools += bool((as_object(document.value) or {}).get("tools"))


def _messages(document: Json) -> Iterator[Object]:
    found = as_object(document) or {}
    inner = as_object(found.get("input"))
    for holder in (inner or {}, found):
        for key in ("messages", "conversations", "contents", "input", "preferred_output"):
            for each in as_list(holder.get(key)) or []:
                if isinstance(each, dict):
                    yield cast("Object", each)


def _role(message: Object) -> str:
    return next((str(message[key]) for key in ("role", "from", "type") if key in message), "?")


def _text(message: Object) -> str:
    found = next((message[key] for key in ("content", "value", "parts") if key in message), "")
    texts = [(as_object(part) or {}).get("text") for part in as_list(found) or [None]]
    if all(isinstance(text, str) for text in texts):
        return "".join(cast("list[str]", texts))
    return found if isinstance(found, str) else jsontext.dumps(found).decode("utf-8", "replace")


# --- the proposal -----------------------------------------------------------------------------------------------------


def proposal(survey: Survey, containers: list[str]) -> str:
    """A plan as YAML, with what was seen as comments.

    Args:
        survey: what was seen.
        containers: how each input stores its rows, one line each.
    """
    lines = ["# What the rows are, for `ocml-convert batch --plan`.", *(f"# {line}" for line in containers)]
    lines.append(f"# {_count(survey.rows, 'row')} looked at.")
    for name, seen in sorted(survey.layouts.items(), key=lambda pair: -pair[1].rows):
        lines += ["#", *(f"# {line}" for line in _comments(name, seen))]
    for columns, count in survey.others.most_common(_MANY):
        lines += [
            "#",
            f"# {_count(count, 'row')} of no layout that is known, with the columns {', '.join(columns) or 'none'}.",
        ]
    for error, count in survey.broken.most_common(_MANY):
        lines.append(f"# {_count(count, 'row')} that cannot be read: {_short(error)}")
    lines.append("")
    names = [name for name, _ in sorted(survey.layouts.items(), key=lambda pair: -pair[1].rows)]
    if not names:
        guess = None if survey.stranger is None else _guessed(survey.stranger)
        what = None if survey.stranger is None else likeness(survey.stranger)
        if guess is _MESSAGE and sure_in(survey.stranger) is not None:  # one of a kind that is put together otherwise
            guess = None
        if guess is None and what is not None:
            lines.append(f"# The first of them {' '.join(what.split())}")
        return _written([*lines, *(guess or _UNKNOWN)])
    lines.append(f"layout: {names[0] if len(names) == 1 else '[' + ', '.join(_in_order(names)) + ']'}")
    tags = sorted({tag for seen in survey.layouts.values() for tag in seen.thoughts}, key=TAGS.index)
    if tags and (tags != ["think"] or not set(names) <= {"sharegpt", "hermes-functions"}):
        shown = ", ".join(f"{fences(tag)[0]}…{fences(tag)[1]}" for tag in tags)
        lines += [f"# Answers have thoughts in them, in {shown}. Without this line the thoughts are visible text:"]
        lines.append(f"thoughts: [{', '.join(tags)}]")
    return _written(lines)


def _written(lines: list[str]) -> str:
    """Lines as a file of YAML: what data is called may be any text, and ends no line."""
    return "".join(f"{_printable(line)}\n" for line in lines)


def _printable(text: str) -> str:
    """A text with all that does not print as YAML escapes it in quotes."""
    return "".join([each if each.isprintable() else _escaped(ord(each)) for each in text])


def _escaped(code: int) -> str:
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


_UNKNOWN: Final = [
    "# No conversation was found. Say which layout the rows have, and under which names, such as",
    "#   layout: alpaca",
    "#   columns: {instruction: the column of what is asked, output: the column of the answer}",
    "layout: auto",
]


def _in_order(names: list[str]) -> list[str]:
    """Names in the order in which layouts are tried."""
    known = [layout.name for layout in layouts_of(Plan((AUTO,)))]
    return sorted(names, key=known.index)


def _comments(name: str, seen: Seen) -> Iterator[str]:
    yield f"{_count(seen.rows, 'row')} of the layout {name}" + (
        f", {_count(seen.conversations, 'conversation')}" if seen.conversations != seen.rows else ""
    )
    if seen.columns:
        yield f"  the conversation: {_counts(seen.columns, seen.rows)}"
    if seen.beside:
        yield f"  beside it: {_counts(seen.beside, seen.rows)}"
    if seen.roles:
        yield f"  speakers: {', '.join(f'{role} {count:,}' for role, count in seen.roles.most_common(_MANY))}"
    if seen.tools:
        yield f"  tools are declared in {_count(seen.tools, 'row')}"
    if seen.example:
        yield f"  the first one begins: {_short(seen.example)}"
    for error, count in seen.errors.most_common(3):
        yield f"  {_count(count, 'row')} cannot be read: {_short(error)}"


def _counts(counts: Counter[str], rows: int) -> str:
    shown = [name if count == rows else f"{name} ({count:,})" for name, count in counts.most_common(_MANY * 2)]
    return ", ".join(shown) + (", …" if len(counts) > _MANY * 2 else "")


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _short(text: str) -> str:
    """A text in one line of a comment."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return jsontext.dumps(line if len(line) <= _SHORT else f"{line[:_SHORT]}…").decode("utf-8", "replace")


# --- rows of no layout ------------------------------------------------------------------------------------------------


_WORDS: Final = Wording()


def _guessed(row: Object) -> list[str] | None:
    """A plan for a row that has a list of turns in words that no layout knows; None where it has none."""
    if _is_turn(row):
        return _MESSAGE
    if answers := [key for key in row if key.lower() in SEVERAL]:
        return _which(answers)
    for column, value in row.items():
        inner = as_object(value) or {}
        layout = layout_for(Plan((AUTO,)), inner)
        if layout is not None and not layout.whole:
            return _inside(column, layout.name, layout.sources(inner))
        turns = [as_object(each) or {} for each in as_list(value) or []]
        if turns and not are_messages(value, _WORDS) and all(layout_for(Plan((AUTO,)), turn) for turn in turns):
            return _rows_inside(column)
        texts = [key for key in turns[0] if all(isinstance(turn.get(key), str) for turn in turns)] if turns else []
        role = _role_key(turns, texts)
        if role is None or _says_more(turns, texts):
            continue
        text = max(
            (key for key in texts if key != role),
            key=lambda key: (key.lower() in _TEXT_KEYS, sum(len(turn[key]) for turn in turns)),
        )
        return _with_turns(column, role, text, list(dict.fromkeys(cast("str", turn[role]) for turn in turns)))
    return None


def _is_turn(row: Object) -> bool:
    """Whether a row is somebody's turn: it has a key that says whose it is, and another for what it says."""
    texts = [key for key in row if isinstance(row[key], str)]
    role = _role_key([row], texts)
    return role is not None and any(key.lower() in _TEXT_KEYS for key in texts if key != role)


def _says_more(turns: list[Object], texts: list[str]) -> bool:
    """Whether what turns say is not always a text: no key of theirs is all of it."""
    return any(key.lower() in _TEXT_KEYS and key not in texts for turn in turns for key in turn)


def _which(answers: list[str]) -> list[str]:
    """What to do with a row of several answers."""
    return [
        f"# The rows have several answers ({', '.join(map(_word, answers))}), and no layout tells which one is meant.",
        "# Take one of them, and see that nothing is lost with the others, such as",
        "#   layout: alpaca",
        f"#   columns: {{instruction: the column of what is asked, output: {_word(answers[0])}}}",
        "layout: auto",
    ]


_MESSAGE: Final = [
    "# Each row is a message. If all of them are one conversation, put them together:",
    "#   jq -sc '{messages: .}' DATA > rows.jsonl && ocml-convert plan rows.jsonl",
    "layout: auto",
]
_ROLE_KEYS: Final = frozenset(("role", "from", "speaker", "author", "sender", "by", "who", "user", "name", "party"))
_TEXT_KEYS: Final = frozenset(("text", "content", "value", "utterance", "message", "body", "said", "sentence"))
"""What keys of a turn are called that say whose it is, and what it says."""


def _role_key(turns: list[Object], texts: list[str]) -> str | None:
    """The key that says whose a turn is: its words are known, or it is called so, or they come again and again."""
    if len(texts) < 2:
        return None

    def likely(key: str) -> tuple[bool, bool, int]:
        words = {str(turn[key]).lower() for turn in turns}
        return words <= _SPEAKERS, key.lower() in _ROLE_KEYS and key.lower() not in _TEXT_KEYS, -len(words)

    best = max(texts, key=likely)
    known, named, words = likely(best)
    return best if known or named or -words < len(turns) else None


_SPEAKERS: Final = frozenset((*ROLES, *_GUESSES))


def _inside(column: str, layout: str, sources: Mapping[str, str]) -> list[str]:
    places = {field: f"{column}.{name}" for field, name in sources.items()}
    return [f"layout: {layout}", f"columns: {_flow(places)}"]


def _rows_inside(column: str) -> list[str]:
    name = _word(column)
    return [
        f"# The rows are in {name} of an object. Take them out, and look at them:",
        f"#   jq -c '.[{name}][]' DATA > rows.jsonl && ocml-convert plan rows.jsonl",
        "layout: auto",
    ]


def _with_turns(column: str, role: str, text: str, words: list[str]) -> list[str]:
    known = {word: ROLES.get(word.lower(), _GUESSES.get(word.lower())) for word in words}
    free = [each for each in ("user", "assistant") if each not in known.values()]
    guessed = {word: each or (free.pop(0) if free else None) for word, each in known.items()}
    roles = {word: each for word, each in guessed.items() if each is not None}
    return [
        "# A guess: see that the roles are right.",
        "layout: messages",
        f"columns: {_flow({'messages': column})}",
        f"role: {_word(role)}",
        f"text: {_word(text)}",
        f"roles: {_flow(roles)}",
    ]


def _flow(pairs: dict[str, str]) -> str:
    return "{" + ", ".join(f"{_word(key)}: {_word(value)}" for key, value in pairs.items()) + "}"


def _word(word: Any) -> str:
    """A word as YAML reads it back: in quotes, as JSON."""
    return jsontext.dumps(word).decode("utf-8", "replace")
