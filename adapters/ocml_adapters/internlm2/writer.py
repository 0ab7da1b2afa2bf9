"""Image → InternLM2-Chat text."""

from __future__ import annotations

from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import Document, Transcript
from ocml_bridge.text.edges import kept_by
from ocml_bridge.text.im import Frame, spell

from .document import dialect_of, lower_tools, tail_of
from .frames import Walk
from .image import units_of
from .syntax import CONTROL, HOME


def write(document: Document, options: Options, log: Log) -> Source:
    """The image as text; control tokens in it are broken unless the policy is to leave them."""
    assert isinstance(document, Transcript)
    walk = Walk(dialect_of(document), str if options.control_tokens == "raw" else CONTROL.neutralise)
    messages, _ = lower_tools(document)
    units = units_of(messages)
    opening = document.open_turn
    frames: list[Frame] = []
    for number, unit in enumerate(units if opening is None else (*units, (opening,))):
        last, opens = number == len(units) - (opening is None), number == len(units)
        default = walk.default(unit, last=last, opening=opens)
        kept = kept_by(HOME, unit[0].layout, unit[0].extras)
        frames.append(walk.frame(unit, kept, default, opening=opens))
        walk.step(frames[-1], unit)
    return spell(frames, tail_of(document, walk.before))
