"""Write messages as wire messages of blocks: each message as a fragment, and fragments joined to wire messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from ...chat.turns import parts_of
from ...chat.vendors import signature_by
from ...chat.visibility import is_private
from ...json_values.form import Object
from ...loss import Log
from ...model import ByFormat, CacheMark, Content, Foreign, Json, Media, Message, Part, Passages, Text, replace
from ...report.narrowing import drop_empty, drop_private, drop_silent, fitted, kind_of_blank, narrow
from .empty_texts import BESIDE, around, without_first
from .grammar import AFTER, APART, BLOCKS, EMPTY, ROLE, TOP, WIRE, Grammar, block_extras, kind_of
from .joining import State, is_apart, state_of, would_join
from .reading import read_block, read_wire, written_wire
from .spelling import UnlikeError, respelled

_HOLDS = (Text, Media, Passages, Foreign)


class Fragment(NamedTuple):
    """The fragment of a wire message that one message is written as.

    Attributes:
        unit: its role, its blocks, other members (`more`) with their form, and whether it joins the previous one.
        image: the message that is read from it.
        state: the state for the next message.
    """

    unit: Object
    image: Message
    state: State


# --- the nearest message ----------------------------------------------------------------------------------------------


def nearest(grammar: Grammar, message: Message, index: int, log: Log) -> Message | None:
    """Return the nearest message that the format can hold, and report the losses; None if it has no place for it."""
    kind, path = kind_of(message), f"/messages/{index}/content"
    if kind == "call":
        text = narrow(message.content, (), path, log, target=grammar.home, hoisted=True)
        return _with_content(message, text)
    if kind == "reply":
        return grammar.nearest_reply(message, path, log)
    if kind == "thought":
        return _nearest_thought(grammar, message, index, log)
    if message.role != "assistant" and is_private(message):
        return drop_private(log, index, grammar.home)
    if message.role not in ("system", "assistant", "user") and grammar.side(message) != message.role:
        message = replace(message, role="user")
    original = message
    if not isinstance(message.content, str):
        side = grammar.side(message)
        can_hold_part, home = partial(can_hold, grammar, side=side), grammar.home
        citations, marks = grammar.cites(side), grammar.marks is not None
        refused = None if _has_empty_text(grammar, message) else grammar.refuses
        content = fitted(
            *(message.content, _HOLDS, path, log),
            target=home,
            able=can_hold_part,
            marks=marks,
            citations=citations,
            refused=refused,
        )
        message = replace(message, content=content)
    content = message.content
    if isinstance(content, str) and grammar.refuses(content) and not _has_empty_text(grammar, message):
        reason = f"{grammar.home} leaves out {kind_of_blank(content)}"
        if not isinstance(original.content, str):
            reason = f"{grammar.home} has no place for anything in this message"
        return drop_empty(original, index, log, reason, target=grammar.home)
    return message


def _has_empty_text(grammar: Grammar, message: Message) -> bool:
    """Return whether a message was read with an empty text, which then is written again."""
    return bool(grammar.notes.of(message.layout).get(EMPTY))


def _with_content(message: Message, content: Content) -> Message:
    return message if content is message.content else replace(message, content=content)


def _nearest_thought(grammar: Grammar, message: Message, index: int, log: Log) -> Message | None:
    path = f"/messages/{index}/content"
    content = narrow(message.content, (), path, log, target=grammar.home, hoisted=True, private=True)
    says_nothing = not (content or grammar.notes.of(message.extras) or _has_empty_text(grammar, message))
    if says_nothing and signature_by(message, grammar.vendor) is None:
        return drop_silent(log, index, grammar.home)
    if message.channel == "analysis" and content is message.content:
        return message
    return replace(message, content=content, channel="analysis")


def can_hold(grammar: Grammar, part: Part, *, side: str) -> bool:
    """Return whether a part is read back as a part of the same type, in a wire message of a role."""
    block = part.value if isinstance(part, Foreign) and part.format == grammar.home else grammar.write_part(part)
    if isinstance(part, Foreign):
        if part.format != grammar.home:
            return False
        value = read_block(grammar, block, side)
        return value is None or isinstance(value, Foreign)
    return block is not None and type(read_block(grammar, block, side)) is type(part)


# --- one message ------------------------------------------------------------------------------------------------------


def settled(grammar: Grammar, message: Message, path: str, log: Log) -> Message:
    """Return a message with its content as the format writes it; only calls and replies change.

    Args:
        grammar: the grammar of the format.
        message: the nearest message that the format can hold.
        path: the JSON pointer of its content.
        log: receives the losses.
    """
    if not isinstance(message.content, str) or kind_of(message) not in ("call", "reply"):
        return message
    return _with_content(message, grammar.json_content(message, path, log))


def spelled(grammar: Grammar, message: Message, before: State) -> Fragment:
    """Return the fragment that a message is written as, after another message.

    If the layout or the extras would change how the message is read, they are ignored, one after the other.

    Args:
        grammar: the grammar of the format.
        message: the nearest message that the format can hold, settled.
        before: the state after the previous message.
    """
    follows = would_join(grammar, before, message) and not is_apart(grammar, message)
    if follows and BESIDE in grammar.notes.of(message.layout):
        message = replace(message, layout=grammar.notes.by_format(without_first(grammar.notes.of(message.layout))))
    unit, image = _unit(grammar, message, before), None
    for candidate in _with_fewer_notes(message):
        unit = _unit(grammar, candidate, before)
        image = _read_back(grammar, unit)
        if image is not None and _means_the_same(image, message):
            break
    assert image is not None, "a list of one message is written as the message alone"
    default = would_join(grammar, before, image)
    joined = default and bool(unit[grammar.key]) and not is_apart(grammar, message)  # without blocks it would vanish
    if default and not joined:
        image.layout = grammar.notes.by_format({**grammar.notes.of(image.layout), APART: True})
    if joined:  # layout and extras of a wire message belong to its first message
        image.layout, image.extras = (_without_wire(grammar, each) for each in (image.layout, image.extras))
    image.continues = joined
    return Fragment({**unit, "joined": joined}, image, state_of(grammar, image))


def _without_wire(grammar: Grammar, notes: ByFormat | None) -> ByFormat | None:
    own = grammar.notes.of(notes)
    return grammar.notes.by_format({key: own[key] for key in own if key != WIRE}) if WIRE in own else notes


def _with_fewer_notes(message: Message) -> Iterator[Message]:
    yield message
    if message.layout is not None:
        yield replace(message, layout=None)
    if message.extras is not None:
        yield replace(message, layout=None, extras=None)
    if not isinstance(message.content, str):
        yield replace(message, layout=None, extras=None, content=_plain_parts(message.content))


def _plain_parts(content: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(replace(part, extras=None) if isinstance(part, (Text, Media, Passages)) else part for part in content)


def _means_the_same(image: Message, message: Message) -> bool:
    return (image.role, kind_of(image), image.recipient if image.role != "tool" else None) == (
        message.role,
        kind_of(message),
        message.recipient if message.role != "tool" else None,
    ) and _texts(image.content) == _texts(message.content)


def _texts(content: Content) -> list[Any]:
    return list(map(_text_of, parts_of(content)))


def _text_of(part: Part) -> Any:
    """Return what must be read back of a part."""
    return part.text if isinstance(part, Text) else part.data or part.url if isinstance(part, Media) else part


def _unit(grammar: Grammar, message: Message, before: State) -> Object:
    """Return the fragment of a message: role, blocks, and the other members of a wire message that it begins."""
    extras, layout = grammar.notes.of(message.extras), grammar.notes.of(message.layout)
    after: Json = extras.get(AFTER)
    blocks = cast("list[Json]", respelled(_blocks(grammar, message, extras, layout), layout.get(BLOCKS)))
    if isinstance(after, list):
        blocks = [*blocks, *cast("list[Json]", after)]
    if BESIDE in layout:
        first, last = ([grammar.write_part(Text(""))] * count for count in around(layout))
        blocks = [*first, *blocks, *last]
    side = grammar.side(message)
    # A system prompt without blocks would not be read back, so it is written as a wire message.
    if side == TOP and (not blocks or before not in (None, (TOP, True))):
        side = message.role
    unit: Object = {ROLE: side, grammar.key: blocks}
    if side == TOP and not grammar.has_prompt_members:
        return unit
    if isinstance(more := extras.get(WIRE), dict) and more:
        unit["more"] = more
    if (form := layout.get(WIRE)) is not None:
        unit["form"] = form
    return unit


def _blocks(grammar: Grammar, message: Message, extras: Object, layout: Object) -> list[Json]:
    if kind_of(message) != "text":
        return _marked(grammar, grammar.write(message), message.cache)
    content = message.content
    if content == "" and layout.get(EMPTY) == "none":
        return []
    if isinstance(content, str):
        return [grammar.write_part(Text(content, grammar.notes.by_format(block_extras(extras))))]
    blocks: list[Json] = []
    for part in content:
        mark = part.cache if isinstance(part, (Text, Media, Passages)) else None
        blocks += _marked(grammar, part.value if isinstance(part, Foreign) else grammar.write_part(part), mark)
    return blocks


def _marked(grammar: Grammar, block: Json, mark: CacheMark | None) -> list[Json]:
    """Return a block and the block of its cache mark, if it has one."""
    return [block] if mark is None or grammar.marks is None else [block, grammar.marks.write(mark)]


def _read_back(grammar: Grammar, unit: Object) -> Message | None:
    try:
        wire = wire_of(grammar, [unit])
        read = read_wire(grammar, wire, grammar.keys(wire), unit[ROLE])
    except UnlikeError:
        return None
    return read[0] if len(read) == 1 else None


# --- wire messages ----------------------------------------------------------------------------------------------------


def wires_of(grammar: Grammar, units: Sequence[Object]) -> list[Json]:
    """Join fragments to wire messages."""
    out: list[Json] = []
    group: list[Object] = []
    for unit in units:
        if unit["joined"]:
            group.append(unit)
            continue
        if group:
            out.append(wire_of(grammar, group))
        group = [unit]
    if group:
        out.append(wire_of(grammar, group))
    return out


def wire_of(grammar: Grammar, group: Sequence[Object]) -> Object:
    """Join fragments to one wire message; the first of them has its other members and its form."""
    first = group[0]
    if len(group) == 1 and "form" not in first and "more" not in first and first[ROLE] != TOP:
        return {ROLE: first[ROLE], grammar.key: first[grammar.key]}
    blocks = [block for unit in group for block in unit[grammar.key]]
    wire = written_wire(grammar, first[ROLE], blocks if "form" not in first else [], first.get("more"))
    if "form" not in first:
        return wire
    out = cast("Object", respelled(wire, first["form"]))
    for key, value in out.items():
        if grammar.alias(key) == grammar.key and not value:
            out[key] = _listed(grammar, blocks, value)
            return out
    return out if not blocks else written_wire(grammar, first[ROLE], blocks, first.get("more"))


def _listed(grammar: Grammar, blocks: list[Json], empty: Json) -> Json:
    """Return blocks as they were listed, of which the form has the empty value: one block may stand alone."""
    if not blocks:
        return empty
    return blocks[0] if grammar.takes_one and empty == {} and len(blocks) == 1 else blocks
