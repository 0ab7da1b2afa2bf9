"""Document → image: what ChatML can hold of it is who speaks, a name, and text."""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.adapter import Options
from ocml_bridge.fit import drop_message, narrow
from ocml_bridge.loss import Log
from ocml_bridge.model import Completion, Document, Message, Transcript, replace
from ocml_bridge.text.edges import by_format, kept_by, remember
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.text.plain import message, name_from_header
from ocml_bridge.turns import as_transcript, is_call
from ocml_bridge.visibility import is_private

from .frames import Unit, remember_tail, tail_of, units
from .pieces import cut, gap_pieces, inner, inner_pieces, whole
from .syntax import CONTROL, HOME, LIST, TEXT, Form


def fit_text(document: Document, options: Options, log: Log) -> Document:
    """The image of a document as raw ChatML."""
    return _fit(document, options, log, TEXT)


def fit_list(document: Document, options: Options, log: Log) -> Document:
    """The image of a document as a list of tokens and strings."""
    return _fit(document, options, log, LIST)


def _fit(document: Document, options: Options, log: Log, form: Form) -> Transcript:
    if isinstance(document, Completion):
        document = as_transcript(document, log)
    messages: list[Message] = []
    paths: list[str] = []
    for index, source in enumerate(document.messages):
        if is_private(source):
            drop_message(log, index, f"{form.id} has no place for private reasoning")
            continue
        path = f"/messages/{index}/content"
        content = _text(narrow(source.content, (), path, log, target=form.id))
        messages.append(bare(source, content))
        paths.append(path)
    draft = Transcript(tuple(messages), layout=document.layout, extras=document.extras)
    if document.open_turn is not None:
        draft.open_turn = opened(document.open_turn)
    return _settled(draft, form, paths, options, log)


def _text(content: object) -> str:
    assert isinstance(content, str)  # `narrow` leaves texts only, and joins them
    return content


def bare(source: Message, content: str) -> Message:
    """A message with what ChatML says of it; the frame's edges are not settled yet."""
    name = None if is_call(source) else source.name
    made = message(source.role, content, name, None if source.end is None else "end")
    made.layout, made.extras = source.layout, source.extras
    return made


def opened(turn: Message) -> Message:
    """An open turn with what ChatML says of it."""
    return replace(bare(turn, ""), channel=None, recipient=None, end=None)


def _settled(draft: Transcript, form: Form, paths: Sequence[str], options: Options, log: Log) -> Transcript:
    """The draft with the layout that its frames still need, and no other; tokens that will be broken are reported."""
    messages: list[Message] = []
    before: Frame | None = None
    for number, unit in enumerate(units(draft, form)):
        if form.grammar is not None and number < len(paths) and unit.frame.body == unit.default.body:
            CONTROL.guard(_text(unit.message.content), options.control_tokens, paths[number], log)
        messages.append(settled(unit, before, form))
        before = unit.frame
    tail = tail_of(draft, before, form)
    layout, extras = remember_tail(tail, before)
    if form.grammar is None:
        pieces = gap_pieces(kept_by(HOME, draft.layout), "tail_pieces", tail, before)
        layout.update(cut("tail_pieces", pieces, whole(tail)))
    opening = messages.pop() if draft.open_turn is not None else None
    return Transcript(
        tuple(messages), open_turn=opening, layout=by_format(HOME, layout), extras=by_format(HOME, extras)
    )


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
