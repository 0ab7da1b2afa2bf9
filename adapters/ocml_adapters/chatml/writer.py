"""Image → ChatML, as text or as a list."""

from __future__ import annotations

from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import Document, Json, Transcript
from ocml_bridge.text.edges import kept_by
from ocml_bridge.text.im import Frame, spell

from .frames import tail_of, units
from .pieces import gap_pieces, inner_pieces
from .syntax import END, HOME, LIST, START, TEXT


def write_text(document: Document, options: Options, log: Log) -> Source:
    """The image as raw ChatML; control tokens in content are broken unless the policy is to leave them."""
    assert isinstance(document, Transcript)
    found = units(document, TEXT)
    frames = [unit.frame for unit in found]
    tail = tail_of(document, frames[-1] if frames else None, TEXT)
    if options.control_tokens == "raw":
        for unit in found:
            content = unit.message.content
            if unit.frame.body == unit.default.body and isinstance(content, str):
                unit.frame.body = content
    return spell(frames, tail)


def write_list(document: Document, options: Options, log: Log) -> Source:
    """The image as a list of tokens and strings; strings are data, so nothing in them needs a guard."""
    assert isinstance(document, Transcript)
    out: list[Json] = []
    before: Frame | None = None
    for unit in units(document, LIST):
        kept = kept_by(HOME, unit.message.layout)
        out += gap_pieces(kept, "gap_pieces", unit.frame.gap, before)
        out.append({"token": START})
        out += inner_pieces(kept, unit.frame)
        if unit.frame.end:
            out.append({"token": END})
        before = unit.frame
    tail = tail_of(document, before, LIST)
    return out + gap_pieces(kept_by(HOME, document.layout), "tail_pieces", tail, before)
