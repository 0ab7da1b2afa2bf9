"""Image → OpenChatML 0.1 text."""

from __future__ import annotations

from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import Completion, Document, Message, Transcript
from ocml_bridge.text.edges import kept_by
from ocml_bridge.text.im import Frame, spell
from ocml_bridge.turns import groups

from .completion import write_completion
from .fit import settled_edges
from .frames import default_frame, kept_of, open_frame, open_unit, unit
from .spelling import Guard
from .syntax import HOME, TOKENS
from .tools import lower


def write(document: Document, options: Options, log: Log) -> Source:
    """The image as text; control tokens in content are broken unless the policy is to leave them."""
    guard: Guard = str if options.control_tokens == "raw" else TOKENS.neutralise
    if isinstance(document, Completion):
        return write_completion(document, options, guard)
    frames = _frames(document, options, guard)
    cut = bool(frames) and not frames[-1].end
    edges = settled_edges(document, options, frames=bool(frames), cut=cut)
    return edges.opening + spell(frames, edges.closing)


def _frames(document: Transcript, options: Options, guard: Guard) -> list[Frame]:
    made = kept_by(HOME, document.layout).get("tools")
    messages = lower(document.messages, document.tools, {HOME: made} if made else None)
    frames: list[Frame] = []
    for start, end in groups(messages):
        wire: list[Message] = messages[start:end]
        default = default_frame(wire, guard, "\n" if frames else "")
        frames.append(unit(wire, kept_of(wire[0], first=not frames), default, options).frame)
    if document.open_turn is not None:
        default = open_frame(document.open_turn, "\n" if frames else "")
        frames.append(open_unit(document.open_turn, kept_of(document.open_turn, first=not frames), default).frame)
    return frames
