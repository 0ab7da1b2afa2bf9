"""Draw views and comparisons in a terminal with rich. Content has no control characters, links or markup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..loss import Severity
from .blocks import Block, Look
from .compare import Comparison, Mark, Row
from .entries import Entry, Gap, Kind, Note, View

_SIGNS: Final[dict[Kind, tuple[str, str]]] = {
    Kind.SYSTEM: ("#", "magenta"),
    Kind.DEVELOPER: ("%", "magenta"),
    Kind.USER: (">", "bold cyan"),
    Kind.ASSISTANT: ("*", "bold green"),
    Kind.THOUGHT: ("~", "yellow"),
    Kind.PREAMBLE: ("*", "green"),
    Kind.COMMENTARY: ("~", "yellow"),
    Kind.CALL: ("→", "blue"),
    Kind.REPLY: ("←", "blue"),
    Kind.COMPLETION: ("¶", "bold"),
    Kind.OTHER: ("?", "bold"),
}
_COLOURS: Final = {Severity.LOST: "red", Severity.CHANGED: "yellow", Severity.LAYOUT: "dim"}
_MARKS: Final[dict[Mark, tuple[str, str]]] = {
    Mark.SAME: ("=", "dim"),
    Mark.LAYOUT: ("≈", "dim"),
    Mark.CHANGED: ("≠", "yellow"),
    Mark.LOST: ("✗", "red"),
    Mark.NEW: ("+", "cyan"),
}


def of_view(view: View) -> RenderableType:
    """Return a view from top to bottom."""
    return Group(*_view(view))


def _view(view: View) -> Iterator[RenderableType]:
    if view.facts:
        yield _pairs(view.facts)
        yield Text()
    for block in view.preface:
        yield from _block(block)
        yield Text()
    for item in view.items:
        if isinstance(item, Gap):
            yield Text(f"  · {counted(item.counts)} hidden", "dim italic")
            yield from map(_note, item.notes)
        else:
            yield from _entry(item)
        yield Text()
    if view.open_turn:
        yield Text(f"… {view.open_turn}'s turn", "dim")
    yield from map(_note, view.notes)


def counted(counts: tuple[tuple[str, int], ...]) -> str:
    """Return the numbers of hidden messages in words, such as `2 system, 1 analysis`."""
    return ", ".join(f"{count} {name}" for name, count in counts)


def _entry(entry: Entry) -> Iterator[RenderableType]:
    sign, style = _SIGNS[entry.kind]
    yield Text.assemble(
        (f"{sign} {entry.label}", style), (f"  {entry.name}" if entry.name else "", "bold"), _end(entry)
    )
    if entry.facts:
        yield Padding(_pairs(entry.facts), (0, 0, 0, 2))
    for block in entry.blocks:
        yield Padding(Group(*_block(block)), (0, 0, 0, 2))
    yield from map(_note, entry.notes)
    for answer in entry.answers:
        yield Padding(Group(*_entry(answer)), (0, 0, 0, 4))


def _end(entry: Entry) -> tuple[str, str]:
    if entry.kind is not Kind.CALL:
        return "", ""
    return ("  answered" if entry.answered else "  not answered"), "dim"


def _pairs(facts: tuple[tuple[str, str], ...], differs: frozenset[str] = frozenset()) -> Text:
    pairs = [
        piece
        for name, value in facts
        for piece in ((f"{name} ", "dim"), (value, "yellow" if name in differs else ""), ("  ", ""))
    ]
    return Text.assemble(*pairs)


def _block(block: Block) -> Iterator[RenderableType]:
    if block.look is Look.MARK:
        yield Text(f"[{block.text}]", "dim italic")
        return
    if block.title:
        yield Text(f"[{block.title}]", "italic")
    if block.facts:
        yield _pairs(block.facts)
    if block.text:
        yield Text(block.text.rstrip("\n"))
    if block.code:
        yield Text(block.code, "dim")


def _note(note: Note) -> RenderableType:
    what = "found" if note.found else str(note.severity)
    place = f" ({note.place})" if note.place else ""
    sentence = f"{note.path}: {note.detail}{place}"
    return Text.assemble((f"  ! {what} {note.code} ", _COLOURS[note.severity]), (sentence, "dim"))


# --- side by side -----------------------------------------------------------------------------------------------------


def of_comparison(comparison: Comparison) -> RenderableType:
    """Return a comparison: the verdict, then both sides."""
    return Group(*_comparison(comparison))


def _comparison(comparison: Comparison) -> Iterator[RenderableType]:
    yield Text(comparison.verdict, "bold green" if comparison.lossless else "bold yellow")
    if comparison.exposed:
        messages = "1 message that is" if comparison.exposed == 1 else f"{comparison.exposed} messages that are"
        yield Text(f"In the output, end users would see {messages} hidden here.", "bold red")
    for path in comparison.unreported:
        yield Text(f"  ! OCB-UNREPORTED {path}", "red")
    for code, severity, found, count in comparison.tally:
        yield Text(f"  {count} × {'found' if found else severity} {code}", _COLOURS[severity])
    yield from map(_note, comparison.notes)
    yield Text()
    table = Table("", "source", comparison.target, box=None, padding=(0, 1), pad_edge=False, expand=True)
    table.columns[1].ratio = table.columns[2].ratio = 1
    for row in comparison.rows:
        mark, style = _MARKS[row.mark]
        table.add_row(Text(mark, style), Group(*_left(row)), Group(*_right(row)))
        if row.exposed:
            table.add_row("", "", Text("would be shown to end users", "red"))
    yield table


def _left(row: Row) -> Iterator[RenderableType]:
    if row.left is not None:
        yield from _entry(row.left)
        return
    yield Text(f"{row.hidden}, hidden" if row.hidden and row.index >= 0 else "", "dim italic")
    yield from map(_note, row.notes)


def _right(row: Row) -> Iterator[RenderableType]:
    if row.gone:
        yield Text("gone", "red")
    elif row.right is not None:
        yield from _entry(row.right)
    else:
        yield Text(f"{row.hidden}, hidden", "dim italic")
    yield Text()
