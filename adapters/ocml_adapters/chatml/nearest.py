"""What ChatML can hold of a message: who speaks, a name, and text."""

from __future__ import annotations

from typing import cast

from ocml_bridge.loss import Log, LossCode
from ocml_bridge.model import Message, replace
from ocml_bridge.narrowing import narrow
from ocml_bridge.text.edges import by_format, kept_by, remember
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.text.plain import message, name_from_header
from ocml_bridge.turns import is_call
from ocml_bridge.visibility import is_private

from .frames import Unit
from .pieces import cut, gap_pieces, inner, inner_pieces, whole
from .syntax import HOME, Form


def nearest(source: Message, path: str, form: Form, log: Log) -> Message | None:
    """The nearest message that ChatML can hold; None for private reasoning, which is reported.

    Args:
        source: any message.
        path: where it stands in the document.
        form: which of the two spellings.
        log: takes what is lost.
    """
    if is_private(source):
        log.lose(LossCode.MESSAGE, path, f"{form.id} has no place for private reasoning")
        return None
    return bare(source, cast("str", narrow(source.content, (), f"{path}/content", log, target=form.id)))


def bare(source: Message, content: str) -> Message:
    """A message with what ChatML says of it; the frame's edges are not settled yet."""
    name = None if is_call(source) else source.name
    made = message(source.role, content, name, None if source.end is None else "end")
    made.layout, made.extras = source.layout, source.extras
    return made


def opened(turn: Message) -> Message:
    """An open turn with what ChatML says of it."""
    return replace(bare(turn, ""), channel=None, recipient=None, end=None)


def settled(unit: Unit, before: Frame | None, form: Form) -> Message:
    """The unit's message as its frame reads back behind another, with the layout that the frame still needs."""
    layout, extras = remember(unit.frame, unit.default)
    if form.grammar is None:
        raw = kept_by(HOME, unit.message.layout)
        gap = gap_pieces(raw, "gap_pieces", unit.frame.gap, before)
        layout.update(cut("gap_pieces", gap, whole(unit.frame.gap)))
        layout.update(cut("pieces", inner_pieces(raw, unit.frame), [inner(unit.frame)]))
    heading = read_header(unit.frame.header)
    made = unit.message
    made.role, made.name = heading.role, name_from_header(heading.role, heading.name)
    made.end = "end" if unit.frame.end else None
    made.layout, made.extras = by_format(HOME, layout), by_format(HOME, extras)
    return made
