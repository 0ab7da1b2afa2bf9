"""Read a wire message of blocks as messages: one for each thought, call and reply, and for each run of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from ...common.memo import Memo
from ...json_values.form import OBJECT, Object
from ...model import Foreign, Json, Media, Message, Part, Passages, Text
from ...units.grouping import with_preambles
from ...units.heads import LIMIT, Head, Item
from .empty_texts import Edges, edges_of
from .grammar import AFTER, APART, BLOCKS, EMPTY, ROLE, TOP, UNKNOWN, WIRE, BlockCodec, Grammar, kind_of, more_of
from .joining import joins
from .spelling import BARE, Form, UnlikeError, form_of, form_of_items, form_of_order

_NO_EDGES: Final = Edges()


class Run:
    """The blocks of one message while they are collected.

    Attributes:
        message: the thought, call or reply; None for a run of texts.
        parts: the parts of a run of texts.
        empty: the indices of the parts that are empty texts, without other members.
        forms: the form of each block.
        after: the blocks after them that are no message or part.
        edges: the empty texts that are left out around them.
    """

    __slots__ = ("after", "edges", "empty", "forms", "message", "parts")

    def __init__(self) -> None:
        self.message: Message | None = None
        self.parts: list[Part] = []
        self.empty: set[int] = set()
        self.forms: list[Form] = []
        self.after: list[Json] = []
        self.edges = _NO_EDGES

    def are_empty(self) -> list[bool]:
        """Return whether each block is an empty text, without other members."""
        if self.message is not None:
            return [False]
        empty = [at in self.empty for at in range(len(self.parts))]
        if self.after:  # these blocks need a part before them
            return [False] if all(empty) else [*empty, False]
        return empty

    def leave_out(self, edges: Edges) -> None:
        """Leave out the empty texts at the edges."""
        self.edges = edges
        self.parts = self.parts[edges.first : len(self.parts) - edges.last]
        self.forms = self.forms[edges.first : len(self.forms) - edges.last]

    @property
    def has_blocks(self) -> bool:
        """Whether there are blocks of a message."""
        return self.message is not None or bool(self.parts)


def read_wire(grammar: Grammar, wire: Object, members: Object, default: str) -> list[Message]:
    """Return the messages of one wire message, at least one.

    Args:
        grammar: the grammar of the format.
        wire: the wire message; its blocks are a list, one block, or missing.
        members: the same with the keys that the writer has.
        default: the role if it has none; `TOP` for the system prompt.
    """
    raws = grammar.blocks(members.get(grammar.key)) or []
    side = _side(grammar, members, raws, default)
    speaker = "system" if side == TOP else grammar.roles.get(side.lower(), side)
    messages = [message_of(grammar, run, speaker) for run in runs_of(grammar, raws, side)]
    if not messages:
        messages = [Message(speaker, "", channel=_channel(speaker), layout=grammar.notes.by_format({EMPTY: "none"}))]
    for message in messages:
        message.continues = message is not messages[0]
        if grammar.default_side(message) != side:
            message.layout = grammar.notes.adding(message.layout, {ROLE: side})
    _store_wire(grammar, messages[0], wire, members, side)
    return messages


def _side(grammar: Grammar, members: Object, raws: Sequence[Json], default: str) -> str:
    """Return the role of a wire message; without one, it is the assistant's if a block is a thought or a call."""
    if default == TOP:
        return TOP
    if has_role(members):
        return cast("str", members[ROLE])
    assistant = grammar.assistant
    read = (read_block(grammar, raw, assistant) for raw in raws) if default != assistant else ()
    return assistant if any(isinstance(each, Message) and each.role == "assistant" for each in read) else default


def has_role(members: Object) -> bool:
    """Return whether a wire message names its role."""
    role = members.get(ROLE)
    return isinstance(role, str) and role != ""


def _channel(speaker: str) -> str | None:
    return "final" if speaker == "assistant" else None


def _store_wire(grammar: Grammar, first: Message, wire: Object, members: Object, side: str) -> None:
    """Store the other members of a wire message in the first message, and their spelling."""
    has_role = side != TOP and isinstance(members.get(ROLE), str)
    more = more_of(members, (ROLE, grammar.key) if has_role else (grammar.key,))
    raw: Object = {
        key: type(value)() if value and grammar.alias(key) == grammar.key else value for key, value in wire.items()
    }
    form = form_of(written_wire(grammar, side, [], more), raw, grammar.alias)
    if more:
        first.extras = grammar.notes.adding(first.extras, {WIRE: more})
    if form is not None:
        first.layout = grammar.notes.adding(first.layout, {WIRE: form})


def written_wire(grammar: Grammar, side: str, blocks: list[Json], more: Json) -> Object:
    """Return a wire message as the writer writes it."""
    out: Object = {grammar.key: blocks} if side == TOP else {ROLE: side, grammar.key: blocks}
    if isinstance(more, dict):
        out.update((key, value) for key, value in cast("Object", more).items() if key not in out)
    return out


# --- blocks -----------------------------------------------------------------------------------------------------------


def runs_of(grammar: BlockCodec, raws: Sequence[Json], side: str) -> list[Run]:
    """Group blocks by message: each block that is a message by itself, and each run of texts."""
    runs: list[Run] = []
    run, has_empty = Run(), False
    for raw in raws:
        value, form = _read_block(grammar, raw, side)
        if value is None:
            if not _mark(run, grammar, raw):
                run.after.append(raw)
            continue
        if isinstance(value, Message) or run.message is not None:
            if run.after and not run.has_blocks:
                _open(run, grammar)
            if run.message is not None or run.parts:
                runs.append(run)
                run = Run()
        if isinstance(value, Message):
            run.message, run.forms = value, [form]
        else:
            if run.after:
                _open(run, grammar)
            if form is None and isinstance(value, Text) and not value.text and value.is_bare:
                run.empty.add(len(run.parts))
                has_empty = True
            run.parts.append(value)
            run.forms.append(form)
    if run.after and not run.has_blocks:
        _open(run, grammar)
    if run.has_blocks:
        runs.append(run)
    return _without_empty_texts(runs) if has_empty else runs


def _without_empty_texts(runs: list[Run]) -> list[Run]:
    """Return the runs without the empty texts beside other blocks."""
    out: list[Run] = []
    for run, edges in zip(runs, edges_of([run.are_empty() for run in runs]), strict=True):
        if edges is not None:
            run.leave_out(edges)
            out.append(run)
    return out


def _mark(run: Run, grammar: BlockCodec, raw: Json) -> bool:
    """Give a cache mark to the call, the reply or the part before it; return whether the block is such a mark."""
    mark = grammar.marks.read(cast("Object", raw)) if grammar.marks and not run.after else None
    marked = run.message or (run.parts[-1] if run.parts else None)
    if mark is None or not isinstance(marked, (Message, Text, Media, Passages)) or marked.cache is not None:
        return False
    if isinstance(marked, Message) and kind_of(marked) == "thought":
        return False
    marked.cache = mark
    run.empty.discard(len(run.parts) - 1)
    run.forms.append(None)
    return True


def _open(run: Run, grammar: BlockCodec) -> None:
    """Turn the blocks after a text into foreign parts of it, because more of the text follows."""
    run.parts += [Foreign(grammar.home, raw) for raw in run.after]
    run.forms += [None] * len(run.after)
    run.after = []


def read_block(grammar: BlockCodec, raw: Json, side: str) -> Message | Part | None:
    """Return the message or the part of a block; None if it is neither.

    A block that would not be written back unchanged is read as a foreign part.
    """
    return _read_block(grammar, raw, side)[0]


def _read_block(grammar: BlockCodec, raw: Json, side: str) -> tuple[Message | Part | None, Form]:
    """Return the same as `read_block`, and the form of the block."""
    if isinstance(raw, OBJECT):
        block: Object = raw
        value = grammar.read(grammar.keys(block), side)
        if value is None:
            return None, None
        if value is not UNKNOWN and not (side == TOP and isinstance(value, Message)):
            order = grammar.plain_order(block, value)
            if order is not None:
                return value, form_of_order(block, order)
            try:
                written = grammar.write(value) if isinstance(value, Message) else grammar.write_part(value)
                return value, form_of(written, block, grammar.alias)
            except UnlikeError:
                pass
    elif isinstance(raw, str) and grammar.bare_texts:
        return Text(raw), BARE
    return Foreign(grammar.home, raw), None


def message_of(grammar: BlockCodec, run: Run, speaker: str) -> Message:
    """Return the message of a run, by a speaker."""
    if run.message is not None:
        message = run.message
        if message.content == "" and message.signature is None and kind_of(message) == "thought":
            message.layout = grammar.notes.adding(message.layout, {EMPTY: "text"})
    else:
        message = Message(speaker, tuple(run.parts), channel=_channel(speaker))
        part = run.parts[0]
        if len(run.parts) == 1 and isinstance(part, Text) and grammar.stands_alone(part):
            message.content, message.extras = part.text, part.extras
            if not part.text or grammar.refuses(part.text):
                message.layout = grammar.notes.by_format({EMPTY: "text"})
        elif any(isinstance(each, Text) and grammar.refuses(each.text) for each in run.parts):
            message.layout = grammar.notes.by_format({EMPTY: "part"})
    if run.edges is not _NO_EDGES and (beside := run.edges.layout):
        message.layout = grammar.notes.adding(message.layout, beside)
    if any(run.forms) and (form := form_of_items(run.forms)) is not None:
        message.layout = grammar.notes.adding(message.layout, {BLOCKS: form})
    if run.after:
        message.extras = grammar.notes.adding(message.extras, {AFTER: run.after})
    return message


# --- between messages -------------------------------------------------------------------------------------------------


def related(grammar: Grammar, items: list[Item]) -> None:
    """Complete each item with what depends on its neighbours; the list is changed.

    A message that begins a wire message although it could be in the previous one is marked as `APART` in its layout. A
    text of the assistant becomes a preamble if a call follows it in its wire message.
    """
    cache = _apart.get(grammar.home)
    if cache is None:
        cache = _apart.keep(grammar.home, Memo[tuple[Head, Head], Head](LIMIT))
    for at in range(1, len(items)):
        (before, _, _), (head, content, call_id) = items[at - 1], items[at]
        if head.continues or (before.role == "assistant" and head.role == "user"):
            continue
        new_head = cache.get((before, head))
        if new_head is None:
            new_head = _apart_from(grammar, before, head)
            if before.shared and head.shared:
                cache.keep((before, head), new_head)
        if new_head is not head:
            items[at] = (new_head, content, call_id)
    with_preambles(items)


_apart: Final = Memo[str, Any](16)


def _apart_from(grammar: Grammar, before: Head, head: Head) -> Head:
    """Return a head that is marked as `APART`, if its message could be in the wire message of the previous one."""
    previous, message = before.example(), head.example()
    if not joins(grammar, previous, message):
        return head
    return head.replaced(layout=grammar.notes.adding(message.layout, {APART: True}))
