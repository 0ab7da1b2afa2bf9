"""Image → OpenChatML 0.1 text."""

from __future__ import annotations

from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import Completion, Document, Message, Transcript
from ocml_bridge.text.edges import kept_by
from ocml_bridge.text.im import spell

from .completion import write_completion
from .edges import settled
from .frames import units
from .spelling import Guard
from .syntax import HOME, TOKENS
from .tools import lower


def write(document: Document, options: Options, log: Log) -> Source:
    """The image as text; control tokens in content are broken unless the policy is to leave them."""
    guard: Guard = str if options.control_tokens == "raw" else TOKENS.neutralise
    if isinstance(document, Completion):
        return write_completion(document, options, guard)
    frames = [one.frame for one in units(_messages(document), document.open_turn, guard, options)]
    cut = bool(frames) and not frames[-1].end
    edges = settled(document, options, frames=bool(frames), cut=cut)
    return edges.opening + spell(frames, edges.closing)


def _messages(document: Transcript) -> list[Message]:
    made = kept_by(HOME, document.layout).get("tools")
    return lower(document.messages, document.tools, {HOME: made} if made else None)
