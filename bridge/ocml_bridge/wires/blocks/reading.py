"""A wire message of blocks → messages: texts with what stands between them, thoughts, calls and replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from ...common.memo import Memo
from ...json_values.form import Object
from ...model import Foreign, Json, Media, Message, Part, Passages, Text
from ...units.grouping import with_preambles
from ...units.heads import LIMIT, Head, Item
from .grammar import AFTER, APART, BLOCKS, EMPTY, ROLE, TOP, UNKNOWN, WIRE, Grammar, kind_of, more_of
from .joining import joins
from .spelling import Form, UnlikeError, form_of, form_of_items, is_same, respelled


class _Run:
    """The blocks of one message as they come."""

    def __init__(self) -> None:
        self.made: Message | None = None
        self.parts: list[Part] = []
        self.forms: list[Form] = []
        self.after: list[Json] = []

    @property
    def has_blocks(self) -> bool:
        return self.made is not None or bool(self.parts)


def read_wire(grammar: Grammar, wire: Object, default: str) -> list[Message]:
    """The messages of one wire message; there is always one at least.

    Args:
        grammar: the format's.
        wire: the wire message; its blocks are a list, or not there.
        default: the role of one that says none; `TOP` for what the system says before all.
    """
    known = grammar.keys(wire)
    role, blocks = known.get(ROLE), known.get(grammar.key)
    side = role if default != TOP and isinstance(role, str) and role else default
    speaker = "system" if side == TOP else grammar.roles.get(side.lower(), side)
    raws = cast("list[Json]", blocks) if isinstance(blocks, list) else []
    messages = [_message(grammar, run, speaker) for run in _runs(grammar, raws, side)]
    if not messages:
        messages = [Message(speaker, "", channel=_channel(speaker), layout=grammar.notes.by_format({EMPTY: "none"}))]
    for message in messages:
        message.continues = message is not messages[0]
        if grammar.default_side(message) != side:
            message.layout = grammar.notes.by_format({**grammar.notes.of(message.layout), ROLE: side})
    _note_wire(grammar, messages[0], wire, side)
    return messages


def _channel(speaker: str) -> str | None:
    return "final" if speaker == "assistant" else None


def _note_wire(grammar: Grammar, first: Message, wire: Object, side: str) -> None:
    """Keep what a wire message says beside its role and its blocks, and how."""
    known = grammar.keys(wire)
    has_role = side != TOP and isinstance(known.get(ROLE), str)
    more = more_of(known, (ROLE, grammar.key) if has_role else (grammar.key,))
    raw: Object = {key: [] if value and grammar.alias(key) == grammar.key else value for key, value in wire.items()}
    form = form_of(written_wire(grammar, side, [], more), raw, grammar.alias)
    if more:
        first.extras = grammar.notes.by_format({**grammar.notes.of(first.extras), WIRE: more})
    if form is not None:
        first.layout = grammar.notes.by_format({**grammar.notes.of(first.layout), WIRE: form})


def written_wire(grammar: Grammar, side: str, blocks: list[Json], more: Json) -> Object:
    """A wire message as we write it."""
    out: Object = {grammar.key: blocks} if side == TOP else {ROLE: side, grammar.key: blocks}
    if isinstance(more, dict):
        out.update((key, value) for key, value in cast("Object", more).items() if key not in out)
    return out


# --- blocks -----------------------------------------------------------------------------------------------------------


def _runs(grammar: Grammar, raws: Sequence[Json], side: str) -> list[_Run]:
    """Blocks by the message that they are of: each by itself, but for texts and what stands between them."""
    runs: list[_Run] = []
    run = _Run()
    for raw in raws:
        made, form = _read_block(grammar, raw, side)
        if made is None:
            if not _mark(run, grammar, raw):
                run.after.append(raw)
            continue
        if isinstance(made, Message) or run.made is not None:
            if not run.has_blocks:
                _open(run, grammar)
            if run.has_blocks:
                runs.append(run)
                run = _Run()
        if isinstance(made, Message):
            run.made, run.forms = made, [form]
        else:
            _open(run, grammar)
            run.parts.append(made)
            run.forms.append(form)
    if not run.has_blocks:
        _open(run, grammar)
    return [*runs, run] if run.has_blocks else runs


def _mark(run: _Run, grammar: Grammar, raw: Json) -> bool:
    """Whether a block is a mark of the cache, which the call, the reply or the part before it gets."""
    mark = grammar.marks.read(cast("Object", raw)) if grammar.marks and not run.after else None
    marked = run.made or (run.parts[-1] if run.parts else None)
    if mark is None or not isinstance(marked, (Message, Text, Media, Passages)) or marked.cache is not None:
        return False
    if isinstance(marked, Message) and kind_of(marked) == "thought":
        return False
    marked.cache = mark
    run.forms.append(None)
    return True


def _open(run: _Run, grammar: Grammar) -> None:
    """What stood behind a text stands inside of it, because more of the text follows."""
    run.parts += [Foreign(grammar.home, raw) for raw in run.after]
    run.forms += [None] * len(run.after)
    run.after = []


def read_block(grammar: Grammar, raw: Json, side: str) -> Message | Part | None:
    """A block; a foreign part for one that could not be written back.

    Returns:
        None for what says nothing of its own.
    """
    return _read_block(grammar, raw, side)[0]


def _read_block(grammar: Grammar, raw: Json, side: str) -> tuple[Message | Part | None, Form]:
    """The same with the form of the block."""
    foreign = Foreign(grammar.home, raw), None
    if not isinstance(raw, dict):
        return foreign
    block = cast("Object", raw)
    made = grammar.read(grammar.keys(block), side)
    if made is None:
        return None, None
    if made is UNKNOWN or (side == TOP and isinstance(made, Message)):
        return foreign
    try:
        written = grammar.write(made) if isinstance(made, Message) else grammar.write_part(made)
        form = form_of(written, block, grammar.alias)
    except UnlikeError:
        return foreign
    return (made, form) if form is None or is_same(respelled(written, form), block) else foreign


def _message(grammar: Grammar, run: _Run, speaker: str) -> Message:
    if run.made is not None:
        message = run.made
    else:
        message = Message(speaker, tuple(run.parts), channel=_channel(speaker))
        part = run.parts[0]
        if len(run.parts) == 1 and isinstance(part, Text) and part.cache is part.citations is None:
            message.content, message.extras = part.text, part.extras
            if not part.text or grammar.refuses(part.text):
                message.layout = grammar.notes.by_format({EMPTY: "text"})
        elif any(isinstance(each, Text) and grammar.refuses(each.text) for each in run.parts):
            message.layout = grammar.notes.by_format({EMPTY: "part"})
    form = form_of_items(run.forms)
    if form is not None:
        message.layout = grammar.notes.by_format({**grammar.notes.of(message.layout), BLOCKS: form})
    if run.after:
        message.extras = grammar.notes.by_format({**grammar.notes.of(message.extras), AFTER: run.after})
    return message


# --- between messages -------------------------------------------------------------------------------------------------


def related(grammar: Grammar, items: list[Item]) -> None:
    """Give each item what its neighbours tell of it; the list is changed.

    A message that begins a wire message although it could stand in the one before remembers that it stands apart. A
    text of the assistant is a preamble where a call follows it in its wire message.
    """
    known = _apart.get(grammar.home)
    if known is None:
        known = _apart.keep(grammar.home, Memo[tuple[Head, Head], Head](LIMIT))
    for at in range(1, len(items)):
        (before, _, _), (head, content, call_id) = items[at - 1], items[at]
        if head.continues or (before.role == "assistant" and head.role == "user"):
            continue
        found = known.get((before, head))
        if found is None:
            found = _apart_from(grammar, before, head)
            if before.shared and head.shared:
                known.keep((before, head), found)
        if found is not head:
            items[at] = (found, content, call_id)
    with_preambles(items)


_apart: Final = Memo[str, Any](16)


def _apart_from(grammar: Grammar, before: Head, head: Head) -> Head:
    one, message = before.message("", None), head.message("", None)
    if not joins(grammar, one, message):
        return head
    own = {**grammar.notes.of(message.layout), APART: True}
    return head.replaced(layout={**(message.layout or {}), grammar.home: own})
