"""Converse as it arrives (the stream `bedrock-converse`): events as SDKs give them, one JSON object each, and back."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.blocks.reading import read_block
from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.events import Reason
from ocml_bridge.form import Object
from ocml_bridge.model import Message, Transcript
from ocml_bridge.stream.assembled import AssemblingDecoder
from ocml_bridge.stream.decoder import text_of

from .assembly import Assembly, Block
from .blocks import BlockGrammar
from .syntax import REASONING, STOP_REASON, TOOL_USE
from .units import MessageReader

_REASONS: Final[dict[str, Reason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "length"),
    **dict.fromkeys(("guardrail_intervened", "content_filtered"), "content_filter"),
    **dict.fromkeys(("malformed_model_output", "malformed_tool_use"), "truncated"),
}
"""Why an answer is over; calls make `tool_calls` of `stop`."""
_FINISHES: Final[dict[Reason, str]] = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
"""Reasons from outside that a response would give."""
_GRAMMAR = BlockGrammar()
_PADDING: Final = "p"
"""What makes events alike in length, and says nothing."""
_MEMBERS: Final = {
    "messageStart": {"role", _PADDING},
    "contentBlockStart": {"contentBlockIndex", "start", _PADDING},
    "contentBlockDelta": {"contentBlockIndex", "delta", _PADDING},
    "contentBlockStop": {"contentBlockIndex", _PADDING},
}
"""Kind of an event → the members that it has, where others would be left out."""


class EventDecoder(AssemblingDecoder):
    """A decoder of events: JSON lines, a list, or Server-Sent Events.

    Args:
        options: how to read.
    """

    def __init__(self, options: Options) -> None:
        super().__init__()
        self._options = options
        self._assembly = Assembly()
        self._kind = ""
        self._telling = True

    def take(self, value: Object, name: str | None) -> None:
        """Take an event."""
        for kind, inner in value.items():
            members = cast("Object", inner) if isinstance(inner, dict) else {}
            known = _MEMBERS.get(kind)
            if known is not None and not members.keys() <= known:
                for key in (key for key in members if key not in known):
                    self.note(f"an event has a member {key[:40]!r} that is not known; it is left out")
            if kind == "messageStart":
                self._assembly.role = "assistant"
                if members.get("role") != "assistant":
                    self.note("an answer has the role of the assistant; another role is left out")
            elif kind in ("messageStop", "metadata"):
                self._assembly.tell(members)
            elif kind.endswith("Exception"):
                self.fail(inner)
            elif kind.startswith("contentBlock"):
                self._take_of_block(kind, members)
            else:
                self.note(f"an event {kind[:40]!r} is not known; the event is left out")
        if self._assembly.reason is not None:
            self.over = _REASONS.get(self._assembly.reason, "stop")

    def _take_of_block(self, kind: str, members: Object) -> None:
        index = members.get("contentBlockIndex")
        if type(index) is not int:
            self.note("an event does not name its block; the event is left out")
        elif kind == "contentBlockStart":
            block = self._assembly.start(index, members.get("start"))
            if block is None:
                self.note("a block begins twice; the second beginning is left out")
            else:
                self._begin(block)
        elif kind == "contentBlockDelta":
            self._more(*self._assembly.delta(index, members.get("delta"), self.note))
        else:
            self._whole(self._assembly.stop(index))

    # --- messages -----------------------------------------------------------------------------------------------------

    def _begin(self, block: Block) -> None:
        """A call says at its start whose it is; what else begins so waits for the end."""
        if not self._telling:
            return
        made = read_block(_GRAMMAR, block.wire(), "assistant") if block.kind == TOOL_USE else None
        if isinstance(made, Message):
            made.content = ""
            block.number = self.start(made)
            self._kind = TOOL_USE
        else:
            self._telling = block.kind == ""

    def _more(self, block: Block, text: str) -> None:
        """More of a text or of reasoning; the input of a call is told when it is whole, as it is spelled anew."""
        is_begun = block.kind == TOOL_USE and block.number is not None
        if not self._telling or is_begun:
            return
        if block.kind not in ("text", REASONING, ""):
            self._telling = False
            return
        number = block.number
        if number is None and block.kind:
            if block.kind == REASONING:
                number = self.start(Message("assistant", "", channel="analysis"))
            elif self._kind == "text":
                number = self.started - 1
            else:
                number = self.start(Message("assistant", "", channel="final"))
            self._kind = block.kind
            block.number = number
        if number is not None:
            self.more(number, text)

    def _whole(self, block: Block | None) -> None:
        if block is None or block.number is None or block.kind not in (TOOL_USE, REASONING):
            return
        made = read_block(_GRAMMAR, block.wire(), "assistant")
        if not isinstance(made, Message):
            return
        if block.kind == TOOL_USE:
            self.more(block.number, text_of(made))
        elif block.number == self._ended:
            made.continues = block.number > 0
            self.end(made)

    # --- the end ------------------------------------------------------------------------------------------------------

    def document(self, reason: Reason | None) -> Transcript:
        """What the reader reads of the response that the events make."""
        response = self._assembly.wire()
        if self._assembly.reason is None and reason in _FINISHES:
            response[STOP_REASON] = _FINISHES[reason]
        return transcript_of(MessageReader(self._options), response, self.log) if response else Transcript()
