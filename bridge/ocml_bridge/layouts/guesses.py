"""Guess a plan for a row that no layout reads: where its turns are, and which words say who speaks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple, cast

from ..errors import BridgeError
from .columns import CHOICES, FURTHER_QUESTIONS, SEVERAL
from .exchange import INPUT, is_text_or_messages
from .fitting import as_list, as_object, members_of, objects_of
from .flattened import flattened
from .layout import Layout, Object, Wording, parsed_or_none
from .messages import CALLS, KNOWN, ROLES, are_messages
from .named import conversation_id, has_answer, named_answer, named_fields, named_preference
from .numbered import numbered_messages, numbered_turns
from .plan import AUTO, Plan, layout_for, read_row
from .several import in_braces, of_several_conversations, quoted, several_answers
from .table import BY_NAME, LAYOUTS

GUESSES: Final[dict[str, str]] = {
    **dict.fromkeys(("customer", "client", "patient", "student", "caller", "visitor", "person", "me", "you"), "user"),
    **dict.fromkeys(("agent", "support", "operator", "doctor", "teacher", "tutor", "llm"), "assistant"),
    **dict.fromkeys(("inbound", "incoming"), "user"),
    **dict.fromkeys(("outbound", "outgoing"), "assistant"),
    **dict.fromkeys(("instructions", "context"), "system"),
    **dict.fromkeys((*CALLS, "tool_use", "action"), "assistant"),
}
"""The probable role for words for speakers that no layout reads."""


def guessed_role(word: str, words: Collection[str]) -> str | None:
    """Return the probable role of a speaker among others; `You` is the user if there is no `Me`. None without one."""
    if word.lower() == "you" and "me" in map(str.lower, words):
        return "assistant"
    return ROLES.get(word.lower(), GUESSES.get(word.lower()))


class Guess(NamedTuple):
    """A plan for rows that no layout reads.

    Attributes:
        lines: its lines, with comments.
        plan: the plan; None if it is only advice.
    """

    lines: list[str]
    plan: Plan | None = None


def guess(row: Object) -> Guess | None:
    """Return a plan for a row that no layout reads, or advice; None if it has nothing like a conversation."""
    if advice := _joining(row):
        return Guess(advice)
    doubtful = _doubtful(row)
    if doubtful is not None and doubtful.plan is not None:
        return doubtful
    if (preference := named_preference(row)) and (found := _with_places(row, "preference", preference, [_GUESSED])):
        return found
    if doubtful is not None:
        return doubtful
    if numbered := numbered_turns(row):
        return Guess(numbered)
    if (found := _better_first(row)) is not None:
        return found
    if answers := [key for key in row if key.lower() in SEVERAL and isinstance(row[key], (str, list))]:
        return Guess(several_answers(row, answers))
    if (found := _members_of_columns(row) or _row_in_column(row) or _messages_in_column(row)) is not None:
        return found
    for column, value in row.items():
        turns = list(map(_with_words, objects_of(value)))
        layouts = [layout_for(Plan((AUTO,)), _with_question(turn, row, column)) for turn in turns]
        names = {None if each is None else each.name for each in layouts}
        is_history = names == {"key-values"} and column.lower() in _HISTORIES
        if turns and None not in names and not is_history and not are_messages(value, Wording()):
            return Guess(_rows_inside(column))
        texts = [key for key in turns[0] if all(isinstance(turn.get(key), str) for turn in turns)] if turns else []
        role = _role_key(turns, texts)
        if role is None or _has_other_content(turns, texts) or _have_others(row, (column,)):
            continue
        text = max(
            (key for key in texts if key != role),
            key=lambda key: (key.lower() in _TEXT_KEYS, sum(len(turn[key]) for turn in turns)),
        )
        nested = any(as_list(each) or as_object(each) for turn in turns for each in turn.values())
        are_speakers = all(turn[role].lower() in _SPEAKERS for turn in turns)
        has_words = are_speakers or any(" " in turn[text] for turn in turns)
        if text.lower() not in _TEXT_KEYS and (nested or not has_words):
            continue  # the text is inside of a member, or there is none
        if are_messages(value, Wording()) and (found := _answered_messages(row, column)) is not None:
            return found
        return Guess(_with_turns(column, role, text, list(dict.fromkeys(cast("str", turn[role]) for turn in turns))))
    return _question_and_answer(row) or _rows_of_guesses(row)


def _joining(row: Object) -> list[str]:
    """Return advice for a row that is one message or a flattened object, or has messages in numbered columns; or []."""
    if is_turn(row):
        return _put_together(row, "is", "{messages: .}")
    if is_record(row):
        are_messages_alone = "role" not in row and "type" in members_of(row.get("message"))
        messages = "map(.message)" if are_messages_alone else "map(select(.message))"
        return _put_together(row, "has", f"{{messages: {messages}}}")
    return numbered_messages(row) or flattened(row)


def _rows_of_guesses(row: Object) -> Guess | None:
    """Return advice for a row whose only list of objects has rows for which there is a guess (ragas)."""
    lists = {column: objects_of(value) for column, value in row.items() if objects_of(value)}
    column = next(iter(lists), "")
    if len(lists) != 1 or is_turn(lists[column][0]):
        return None
    return Guess(_rows_inside(column)) if guess(lists[column][0]) is not None else None


def _better_first(row: Object) -> Guess | None:
    """Return the plan for a row of Alpaca with two outputs, as LLaMA-Factory's earlier rankings have them."""
    answers = as_list(row.get("output")) or []
    if "instruction" not in row or len(answers) != 2 or not all(isinstance(each, str) for each in answers):
        return None
    named = {each: each for each in ("instruction", INPUT) if each in row}
    return _with_places(row, "preference", {**named, "chosen": "output[0]", "rejected": "output[1]"}, [_RANKED])


_RANKED: Final = "# A guess: of two outputs, the first is the better one (LLaMA-Factory's rankings): see that it is."


def _with_question(turn: Object, row: Object, column: str) -> Object:
    """Return a turn that is an answer with what is next to its list, which may have the question (Self-Instruct)."""
    return turn if _ANSWERS.isdisjoint(turn) else {**{name: row[name] for name in row if name != column}, **turn}


_ANSWERS: Final = frozenset({"output", "answer", "response", "completion"})


def _doubtful(row: Object) -> Guess | None:
    """Return advice for a row of a layout that a plan has to name, because of other columns; None for other rows."""
    for layout in LAYOUTS:
        columns = layout.doubtful([name for name, value in row.items() if value is not None and value != ""])
        if columns and layout.has(row):
            names = ", ".join(map(quoted, columns))
            advice = [
                f"# The layout {layout.name} reads these rows, but not {names}, which their",
                "# texts may need. See that the conversation is complete without that, and name the layout:",
                f"#   layout: {layout.name}",
                "layout: auto",
            ]
            return _asked_in_two(row, layout, columns) or Guess(advice)
    return None


def _asked_in_two(row: Object, layout: Layout, columns: Sequence[str]) -> Guess | None:
    """Return the plan for a row of a layout with an instruction, and what it is about in a column for a question."""
    sources = layout.sources(row)
    if INPUT not in layout.columns or INPUT in sources or not FURTHER_QUESTIONS.issuperset(map(str.lower, columns)):
        return None
    return _with_places(row, layout.name, {**sources, INPUT: columns[0]}, [_ASKED_IN_TWO])


_ASKED_IN_TWO: Final = "# The instruction and the question are read as one text: see that neither repeats the other."


def _question_and_answer(row: Object) -> Guess | None:
    """Return the plan for a row with columns whose names are like those of a question and its answer."""
    fields = named_fields(row)
    layout = "reasoned" if "thought" in fields else "alpaca"
    return _with_places(row, layout, fields, _guessed(row, fields)) if fields else None


def _answered_messages(row: Object, column: str) -> Guess | None:
    """Return the plan for a row with messages, and a column whose name is like that of their answer."""
    answer = named_answer(row)
    if answer is None:
        return None
    fields = {"messages": column, "answer": answer}
    return _with_places(row, "answered", fields, _guessed(row, fields))


def _guessed(row: Object, fields: Mapping[str, str]) -> list[str]:
    """Return the comment on a guess, with the columns that may hold an answer, too, and are not read."""
    used = {*fields.values()}
    others = [name for name, each in row.items() if name not in used and isinstance(each, str) and has_answer(name)]
    beside = f"# There may be further answers in {', '.join(map(quoted, others))}, which stay beside the conversation."
    choices = [name for name in row if name.lower() in CHOICES and name not in used]
    needed = f"# The question may need {', '.join(map(quoted, choices))}, which stay beside the conversation."
    return [_GUESSED, *([beside] if others else []), *([needed] if choices else [])]


_GUESSED: Final = "# A guess by the names of the columns: see that they are right."


def _row_in_column(row: Object) -> Guess | None:
    """Return the plan for a row with the columns of another one inside of a column, in a few steps."""
    inside = {name: found for name, value in row.items() if (found := as_object(value))}
    for _ in range(_DEEPEST):
        for place, inner in inside.items():
            layout = layout_for(Plan((AUTO,)), inner)
            if layout is not None and not layout.whole:
                sources = layout.sources(inner)
                for name in sources.values():
                    if lines := of_several_conversations(f"{place}.{name}", objects_of(inner[name])):
                        return Guess(lines)
                places = {field: f"{place}.{name}" for field, name in sources.items()}
                if (found := _with_places(row, layout.name, places, [_INSIDE])) is not None:
                    return found
        inside = {
            f"{place}.{name}": deeper
            for place, inner in inside.items()
            for name, value in inner.items()
            if (deeper := as_object(value))
        }
    return None


def _messages_in_column(row: Object) -> Guess | None:
    """Return the plan for a row with messages of known roles, or their JSON, in a column of any name."""
    for column, value in row.items():
        listed = parsed_or_none(value) if isinstance(value, str) and value.startswith("[{") else value
        words = {str(each[key]).lower() for each in objects_of(listed) for key in _SPOKEN.role if key in each}
        if not are_messages(listed, _SPOKEN) or not words <= KNOWN or _MESSAGES in row:
            continue
        if (found := _answered_messages(row, column)) is not None:
            return found
        named = {**{key: each for key, each in row.items() if key != column}, _MESSAGES: listed}
        layout = layout_for(Plan((AUTO,)), named)
        sources = {} if layout is None else layout.sources(named)
        if layout is not None and not layout.whole and _have_others(named, sources.values()):
            continue  # no layout decides between two conversations
        places = {field: column for field, name in sources.items() if name == _MESSAGES}
        if layout is not None and (layout.whole or not places):
            layout, places = BY_NAME["wrapped"], {"records": column}
        if layout is not None and (found := _with_places(row, layout.name, places, [_INSIDE])) is not None:
            return found
    return None


def _have_others(row: Object, read: Collection[str]) -> bool:
    """Return whether a row has messages in columns that are not read."""
    return any(are_messages(value, _SPOKEN) for name, value in row.items() if name not in read)


_INSIDE: Final = "# A guess by what is inside of the columns: see that nothing of the conversation is next to it."
_MESSAGES: Final = "messages"
_SPOKEN: Final = Wording(role=("role", "from", "speaker", "author", "sender"))
_DEEPEST: Final = 3
"""The number of columns around the columns of a row."""


def is_turn(row: Object) -> bool:
    """Return whether a row is one turn: it has a key for a role, and another for a text."""
    row = _with_words(row)
    texts = [key for key in row if isinstance(row[key], str)]
    role = _role_key([row], [*texts, *(["content"] if objects_of(row.get("content")) else [])])
    plain = [key for key in row if key != role and as_object(row[key]) is None]
    return role in texts and any(key.lower() in _TEXT_KEYS for key in plain)


def is_record(row: Object) -> bool:
    """Return whether a row is a record of a message, as in logs of agents."""
    inner = as_object(row.get("message"))
    if inner is not None and layout_for(Plan((AUTO,)), {"messages": [inner]}) is not None:
        return True
    spoken = inner if "role" not in row else {**(inner or {}), "role": row["role"]}
    return inner is not None and are_messages([spoken], Wording(text=("content",)))


def _has_other_content(turns: list[Object], texts: list[str]) -> bool:
    """Return whether the content of turns is not always a text."""
    return any(key.lower() in _TEXT_KEYS and key not in texts for turn in turns for key in turn)


def _put_together(row: Object, what: str, messages: str) -> list[str]:
    """Return the plan for rows with one message each, with the command that puts those of a conversation together.

    Args:
        row: the first row.
        what: what each row is.
        messages: the rows of a conversation as an object with its messages, in jq.
    """
    name = conversation_id(row)
    if name is None:
        about, query = "If all of them are one conversation, put them together:", messages
    else:
        about, query = f"Put those of each {name} together:", f"group_by(.{name})[] | {messages}"
    command = f"jq -sc '{query}' DATA > rows.jsonl && ocml-convert plan rows.jsonl"
    return [f"# Each row {what} a message. {about}", f"#   {command}", "layout: auto"]


def _with_words(turn: Object) -> Object:
    """Return a turn with the number of its speaker as a word (MultiWOZ)."""
    numbered = {key: str(each) for key, each in turn.items() if each.__class__ is int and key.lower() in NUMBERED}
    return {**turn, **numbered} if numbered else turn


_HISTORIES: Final = frozenset(("history", "chat_history"))
"""Columns of earlier turns: questions and answers in objects are no rows of their own there (promptflow)."""
NUMBERED: Final = ("speaker", "speaker_id", "speaker_idx", "author_id")
"""Keys of a turn that may hold the number of its speaker."""
_ROLE_KEYS: Final = frozenset(
    ("role", "from", "speaker", "author", "sender", "by", "who", "user", "name", "party", "agent", "direction")
).union(NUMBERED)
_TEXT_KEYS: Final = frozenset(
    ("text", "content", "value", "utterance", "message", "body", "said", "say", "sentence", "mes", "msg")
)
"""Keys of a turn that may hold its role, and those that may hold its content."""


def _role_key(turns: list[Object], texts: list[str]) -> str | None:
    """Return the key of the role in turns, found by its words, its name, or recurring words; None if there is none."""
    if len(texts) < 2:
        return None

    def likely(key: str) -> tuple[bool, bool, int]:
        words = {str(turn[key]).lower() for turn in turns}
        return words <= _SPEAKERS, key.lower() in _ROLE_KEYS and key.lower() not in _TEXT_KEYS, -len(words)

    best = max(texts, key=likely)
    known, named, words = likely(best)
    return best if known or named or -words < min(len(turns), _MANY_SPEAKERS) else None


_MANY_SPEAKERS: Final = 4
"""The number of recurring words, none of which is known, from which they are not those of speakers."""


_SPEAKERS: Final = frozenset((*ROLES, *GUESSES))


def _members_of_columns(row: Object) -> Guess | None:
    """Return the plan for a row with texts or messages inside of columns (`response.text`); None if it has none."""
    inside = {column: members_of(value) for column, value in row.items()}
    members = {
        column: next((key for key in _CONTENTS if is_text_or_messages(inner.get(key))), None)
        for column, inner in inside.items()
    }
    found = {column: inside[column][member] for column, member in members.items() if member is not None}
    layout = layout_for(Plan((AUTO,)), {**row, **found}) if found else None
    sources = {} if layout is None else layout.sources({**row, **found})
    if layout is None or layout.whole or found.keys().isdisjoint(sources.values()):
        return None
    places = {field: f"{name}.{members[name]}" if name in found else name for field, name in sources.items()}
    return _with_places(row, layout.name, places, [_INSIDE])


_CONTENTS: Final = (
    *("text", "content", "output", "answer", "response", "completion", "message", "messages"),
    *("question", "prompt", "raw", "value"),
)
"""Members of a column that may hold a text or messages, the most certain first."""


def _with_places(row: Object, layout: str, places: dict[str, str], comment: Sequence[str] = ()) -> Guess | None:
    """Return the plan with some columns, or places in columns; None if it does not read the row."""
    plan = Plan((layout,), columns=tuple(places.items()))
    try:
        read_row(plan, row)
    except BridgeError:
        return None
    lines = [*comment, f"layout: {layout}", f"columns: {in_braces(places)}"]
    return Guess(lines, plan)


def _rows_inside(column: str) -> list[str]:
    name = quoted(column)
    return [
        f"# The rows are in {name} of an object. Take them out, each with what is next to them, and look at them:",
        f"#   jq -c 'del(.[{name}]) + .[{name}][]' DATA > rows.jsonl && ocml-convert plan rows.jsonl",
        "layout: auto",
    ]


def _with_turns(column: str, role: str, text: str, words: list[str]) -> list[str]:
    known = {word: guessed_role(word, words) for word in words}
    free = [each for each in ("user", "assistant") if each not in known.values()]
    guessed = {word: each or (free.pop(0) if free else None) for word, each in known.items()}
    roles = {word: each for word, each in guessed.items() if each is not None}
    return [
        "# A guess: see that the roles are right.",
        "layout: messages",
        f"columns: {in_braces({'messages': column})}",
        f"role: {quoted(role)}",
        f"text: {quoted(text)}",
        f"roles: {in_braces(roles)}",
    ]
