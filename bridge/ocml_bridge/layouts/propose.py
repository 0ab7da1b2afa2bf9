"""Survey the rows of a dataset, and propose a plan for them, which a person checks and gives to `batch`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from ..errors import BridgeError
from ..json_values import jsontext
from ..model import Json
from ..recognise import sure_in
from ..recognise.marks import PLANNED
from .fitting import as_list, as_object, items_of, members_of
from .guesses import guess, guessed_role, is_record, is_turn
from .layout import Layout, Object, in_columns
from .listed import with_lists
from .markup import FORMATS
from .messages import KNOWN, ROLES
from .plan import AUTO, Plan, layout_for, layout_of, layouts_of, read_row
from .reasons import empty_column, likeness
from .several import in_braces, quoted
from .thoughts import TAGS, fences, tag_of

_SHORT: Final = 100
_MANY: Final = 8


@dataclass(slots=True)
class LayoutStatistics:
    """Statistics on the rows of one layout.

    Attributes:
        rows: the number of rows.
        conversations: the number of conversations in them.
        columns: the number of rows in which each column is part of the conversation.
        extra_columns: the number of rows in which each column is not part of it.
        roles: the number of messages with each word for a role.
        thoughts: the number of messages with each tag of reasoning.
        personas: the number of rows whose instruction, before an input, says who the assistant is.
        tools: the number of rows that declare tools.
        example: the first text of the first of them.
        errors: the number of rows of the layout that cannot be read, by error.
    """

    rows: int = 0
    conversations: int = 0
    columns: Counter[str] = field(default_factory=Counter[str])
    extra_columns: Counter[str] = field(default_factory=Counter[str])
    roles: Counter[str] = field(default_factory=Counter[str])
    thoughts: Counter[str] = field(default_factory=Counter[str])
    personas: int = 0
    tools: int = 0
    example: str = ""
    errors: Counter[str] = field(default_factory=Counter[str])


@dataclass(slots=True)
class Survey:
    """Statistics on rows.

    Attributes:
        rows: the number of rows.
        layouts: the statistics on the rows of each layout, by name.
        others: the number of rows of no layout, by their columns.
        broken: the number of values that are not rows, by error.
        unknown_rows: the first of the rows of no layout with the same columns.
        looks_like: what the first row of no layout that is recognised looks like, as `likeness` says it.
        plan: the plan that finds the layouts.
    """

    plan: Plan = field(default_factory=lambda: Plan((AUTO,)))
    rows: int = 0
    layouts: dict[str, LayoutStatistics] = field(default_factory=dict[str, LayoutStatistics])
    others: Counter[tuple[str, ...]] = field(default_factory=Counter[tuple[str, ...]])
    broken: Counter[str] = field(default_factory=Counter[str])
    unknown_rows: dict[tuple[str, ...], Object] = field(default_factory=dict[tuple[str, ...], Object])
    looks_like: str | None = None

    def look(self, row: Json | BridgeError) -> None:
        """Count a row.

        Args:
            row: its columns, or the error with which it could not be read from its container.
        """
        self.rows += 1
        columns = as_object(row)
        if columns is None:
            self.broken[str(row) if isinstance(row, BridgeError) else "a row that is not an object"] += 1
            return
        columns, _ = with_lists(columns)
        layout = layout_for(self.plan, columns)
        if layout is None:
            shape = tuple(columns)
            if self.looks_like is None and shape not in self.others:
                self.looks_like = likeness(columns)
            self.others[shape] += 1
            self.unknown_rows.setdefault(shape, columns)
            return
        _count_row(self.layouts.setdefault(layout.name, LayoutStatistics()), layout, columns)


def _count_row(statistics: LayoutStatistics, layout: Layout, row: Object) -> None:
    statistics.rows += 1
    of_layout = layout.read_columns(row)
    try:
        documents = layout.read(row)
    except BridgeError as error:
        error.path = error.path if layout.whole else in_columns(error.path, layout.sources(row))
        statistics.errors[str(error)] += 1
        documents = ()
    kept = {name for document in documents for name, value in document.extra_columns.items() if row.get(name) is value}
    if not layout.whole:
        statistics.columns.update(name for name in row if name in of_layout - kept)
        statistics.extra_columns.update(name for name in row if name not in of_layout - kept)
    statistics.conversations += len(documents)
    statistics.personas += _has_persona(layout, row)
    for document in documents[:1]:
        for message in _messages(document.value):
            statistics.roles[_role(message)] += 1
            text = _text(message)
            statistics.example = statistics.example or text
            if layout.format in FORMATS and (tag := tag_of(text)) is not None:
                statistics.thoughts[tag] += 1
        statistics.tools += bool(members_of(document.value).get("tools"))


def _has_persona(layout: Layout, row: Object) -> bool:
    """Return whether the instruction of a row, before an input, begins as system prompts do (Dolphin)."""
    sources = layout.sources(row) if layout.name == "alpaca" else {}
    if any(sources.get(name) != name for name in ("instruction", "input")) or "system" in sources:
        return False
    instruction = row["instruction"]
    begins = isinstance(instruction, str) and instruction.lstrip().startswith(("You are ", "You're ", "你是"))
    return begins and bool(row["input"])


def _messages(document: Json) -> Iterator[Object]:
    found = members_of(document)
    inner = as_object(found.get("input"))
    for holder in (inner or {}, found):
        for key in ("messages", "conversations", "contents", "input", "preferred_output"):
            for each in items_of(holder.get(key)):
                if isinstance(each, dict):
                    yield cast("Object", each)


def _role(message: Object) -> str:
    return next((str(message[key]) for key in ("role", "from", "type") if key in message), "?")


def _text(message: Object) -> str:
    found = next((message[key] for key in ("content", "value", "parts") if key in message), "")
    texts = [members_of(part).get("text") for part in as_list(found) or [None]]
    if all(isinstance(text, str) for text in texts):
        return "".join(cast("list[str]", texts))
    return found if isinstance(found, str) else jsontext.dumps(found).decode("utf-8", "replace")


# --- the proposal -----------------------------------------------------------------------------------------------------


def proposal(survey: Survey, containers: list[str], printer: str | None = None) -> str:
    """Return a plan as YAML, with the statistics as comments.

    Args:
        survey: the statistics on the rows.
        containers: a line on how each input stores its rows.
        printer: the command that prints the rows of the file `DATA` as JSON lines; None if they are stored so.
    """
    names = sorted(survey.layouts, key=lambda name: -survey.layouts[name].rows)
    lines = ["# What the rows are, for `ocml-convert batch --plan`.", *(f"# {line}" for line in containers)]
    lines += [f"# {_count(survey.rows, 'row')} looked at."]
    for name in names:
        lines += ["#", *(f"# {line}" for line in _comments(name, survey.layouts[name]))]
    for columns, count in survey.others.most_common(_MANY):
        of_columns = f"with the columns {', '.join(columns) or 'none'}"
        lines += ["#", f"# {_count(count, 'row')} of no layout that is known, {of_columns}."]
    broken = survey.broken.most_common(_MANY)
    lines += [f"# {_count(count, 'row')} that cannot be read: {_one_line(error)}" for error, count in broken]
    plan = _plan_of(names, survey) if names else _plan_of_unknown(survey)
    return _written([*lines, "", *(plan if printer is None else _after(printer, plan))])


def _after(printer: str, lines: list[str]) -> list[str]:
    """Return lines whose commands of jq read what another command prints."""
    return [
        line.replace("#   jq ", f"#   {printer} | jq ", 1).replace("' DATA", "'")
        if line.startswith("#   jq ")
        else line
        for line in lines
    ]


def _plan_of_unknown(survey: Survey) -> list[str]:
    """Return the plan for rows of no layout; it is a guess by the most frequent of them, or only advice."""
    what = survey.looks_like
    rows = [survey.unknown_rows[columns] for columns, _ in survey.others.most_common(_MANY)]
    if not survey.rows:
        return _EMPTY
    if not rows:
        return _UNKNOWN
    of_a_kind = next((row for row in rows if not is_turn(row) and _is_advised(row)), None)
    if of_a_kind is None and not _is_advised(rows[0]) and not (what is not None and any(map(is_record, rows))):
        for row in sorted(rows, key=lambda row: not is_record(row)):
            if (guessed := guess(row)) is not None:
                return [*guessed.lines, *([] if guessed.plan is None else _advice_on(guessed.plan, row))]
    what = what if of_a_kind is None else likeness(of_a_kind)
    if what is not None:
        return [f"# One of them {' '.join(what.split())}", *_UNKNOWN]
    if (empty := empty_column(rows[0])) is not None:
        return [f"# No conversation was found: {quoted(empty)} is empty.", "layout: auto"]
    plain = next((name for name in _PLAIN if isinstance(rows[0].get(name), str)), None)
    return _UNKNOWN if plain is None else [_WITHOUT_TURNS.format(quoted(plain)), *_UNKNOWN]


_PLAIN: Final = ("text", "content", "raw_content", "raw_text")
_WITHOUT_TURNS: Final = (
    "# {} is a text without turns that are known, such as `USER: …`; a text for pretraining has none."
)


def _is_advised(row: Object) -> bool:
    """Return whether a row is certainly of a kind for which there is advice."""
    certain = sure_in(row)
    return certain is not None and certain.kind.advice not in (None, PLANNED)


def _advice_on(plan: Plan, row: Object) -> list[str]:
    """Return what a plan has to say about the words for roles and the thoughts in a row that it reads."""
    found = read_row(plan, row)
    messages = [message for document in found.documents for message in _messages(document.value)]
    words = set(map(_role, messages)) if found.layout.format in _WITH_ROLES else set[str]()
    tags = {tag_of(_text(message)) for message in messages} if found.layout.format in FORMATS else set[str | None]()
    return [*_unknown_roles(words), *_thoughts({tag for tag in tags if tag is not None}, [found.layout.name])]


def _plan_of(names: list[str], survey: Survey) -> list[str]:
    """Return the plan for rows of some layouts, the most frequent one first."""
    lines = [f"layout: {names[0] if len(names) == 1 else '[' + ', '.join(_in_order(names)) + ']'}"]
    if any(layout.preview for layout in map(layout_of, names)):
        lines += ["# The reading of this layout may change with any release.", "preview: true"]
    lines += _unknown_roles(
        {word for name in names for word in survey.layouts[name].roles if layout_of(name).format in _WITH_ROLES}
    )
    lines += _thoughts({tag for statistics in survey.layouts.values() for tag in statistics.thoughts}, names)
    return [*lines, *(_PERSONAS if survey.layouts[names[0]].personas * 2 > survey.layouts[names[0]].rows else [])]


def _thoughts(found: set[str], names: Sequence[str]) -> list[str]:
    """Return the line of a plan for the tags of thoughts in rows of some layouts, if these do not read them anyway."""
    tags = sorted(found, key=TAGS.index)
    if not tags or (tags == ["think"] and set(names) <= {"sharegpt", "hermes-functions"}):
        return []
    shown = ", ".join(f"{fences(tag)[0]}…{fences(tag)[1]}" for tag in tags)
    return [
        f"# Answers have thoughts in them, in {shown}. Without this line the thoughts are visible text:",
        f"thoughts: [{', '.join(tags)}]",
    ]


def _unknown_roles(words: set[str]) -> list[str]:
    """Return comments that name the words for speakers without a role that is known."""
    unknown = sorted(word for word in words if word.lower() not in KNOWN and word != "?")[:_MANY]
    if not unknown:
        return []
    sure = {ROLES.get(word.lower()) for word in words}
    known = {guessed_role(word, words) for word in words}
    other = "assistant" if "user" in known and "assistant" not in known else "user"
    guesses = {each: guessed_role(each, words) or other for each in unknown}
    roles = {each: other if role == "user" and role in sure else role for each, role in guesses.items()}
    return [
        "# No role is known for these speakers, and they are kept as they are. Say which ones they are, such as",
        f"# roles: {in_braces(roles)}",
    ]


def _written(lines: list[str]) -> str:
    """Return lines as a YAML file; names in data may be any text, so characters that could end a line are escaped."""
    return "".join(f"{_printable(line)}\n" for line in lines)


def _printable(text: str) -> str:
    """Return a text in which characters that do not print are escaped as in YAML's quotes."""
    return "".join([each if each.isprintable() else _escaped(ord(each)) for each in text])


def _escaped(code: int) -> str:
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


_EMPTY: Final = ["# The data has no rows.", "layout: auto"]
_UNKNOWN: Final = [
    "# No conversation was found. Say which layout the rows have, and under which names, such as",
    "#   layout: alpaca",
    "#   columns: {instruction: the column of what is asked, output: the column of the answer}",
    "layout: auto",
]


def _in_order(names: list[str]) -> list[str]:
    """Return the names of layouts in the order in which they are tried."""
    order = [layout.name for layout in layouts_of(Plan((AUTO,), preview=True))]
    return sorted(names, key=order.index)


def _comments(name: str, statistics: LayoutStatistics) -> Iterator[str]:
    yield f"{_count(statistics.rows, 'row')} of the layout {name}" + (
        f", {_count(statistics.conversations, 'conversation')}" if statistics.conversations != statistics.rows else ""
    )
    if statistics.columns:
        yield f"  the conversation: {_counts(statistics.columns, statistics.rows)}"
    if statistics.extra_columns:
        yield f"  beside it: {_counts(statistics.extra_columns, statistics.rows)}"
    if statistics.roles:
        yield f"  speakers: {', '.join(f'{role} {count:,}' for role, count in statistics.roles.most_common(_MANY))}"
    if statistics.tools:
        yield f"  tools are declared in {_count(statistics.tools, 'row')}"
    if statistics.example:
        yield f"  the first one begins: {_one_line(statistics.example)}"
    for error, count in statistics.errors.most_common(3):
        yield f"  {_count(count, 'row')} cannot be read: {_one_line(error)}"


def _counts(counts: Counter[str], rows: int) -> str:
    shown = [name if count == rows else f"{name} ({count:,})" for name, count in counts.most_common(_MANY * 2)]
    return ", ".join(shown) + (", …" if len(counts) > _MANY * 2 else "")


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _one_line(text: str) -> str:
    """Return a text as one line of a comment."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return jsontext.dumps(line if len(line) <= _SHORT else f"{line[:_SHORT]}…").decode("utf-8", "replace")


_PERSONAS: Final = [
    "# Most instructions say who the assistant is. If they are system prompts, and the input is the question:",
    "# columns: {system: instruction, instruction: input}",
]
_WITH_ROLES: Final = ("openai", "sharegpt")
