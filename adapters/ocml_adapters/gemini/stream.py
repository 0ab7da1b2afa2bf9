"""Gemini's answers as they arrive (the stream `gemini-sse`): chunks of `streamGenerateContent`, and back."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.blocks.reading import read_block
from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.events import Reason
from ocml_bridge.form import Object
from ocml_bridge.model import Message, Part, Text, Transcript
from ocml_bridge.stream.assembled import AssemblingDecoder
from ocml_bridge.stream.decoder import text_of

from .assembly import Assembly
from .parts import PartGrammar
from .syntax import CALL, FINISH, MODEL_ROLE, keys
from .units import ContentReader

_REASONS: Final[dict[str, Reason]] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
            *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        ),
        "content_filter",
    ),
    "MALFORMED_FUNCTION_CALL": "truncated",
    "MALFORMED_RESPONSE": "truncated",
}
"""Why a model says that its answer is over; it has stopped for any other reason."""
_FINISHES: Final[dict[Reason, str]] = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS"}
"""Reasons from outside that a response would give."""
_IN_PIECES: Final = ("partialArgs", "willContinue")
"""Members of a call that is not whole."""
_GRAMMAR = PartGrammar()


class ContentDecoder(AssemblingDecoder):
    """A decoder of chunks, in Server-Sent Events or in a list. Other candidates than the first are alternatives.

    Args:
        options: how to read.
    """

    def __init__(self, options: Options) -> None:
        super().__init__()
        self._options = options
        self._assembly = Assembly()
        self._kind = ""
        self._number = -1
        self._telling = True

    def take(self, value: Object, name: str | None) -> None:
        """Take a chunk."""
        chunk = keys(value)
        if chunk.get("error") is not None or name == "error":
            self.fail(chunk.get("error", value))
            return
        for part in self._assembly.take(chunk):
            if self._telling:
                self._tell(part)
        first = self._assembly.first
        feedback = chunk.get("promptFeedback")
        if first is not None and first.finish is not None:
            self.over = _REASONS.get(first.finish, "stop")
        elif first is None and isinstance(feedback, dict) and "blockReason" in keys(cast("Object", feedback)):
            self.over = "content_filter"

    # --- messages -----------------------------------------------------------------------------------------------------

    def _tell(self, part: Object) -> None:
        """Say what a part tells at once; what cannot be told yet, and all behind it, is told at the end."""
        call = part.get(CALL)
        if isinstance(call, dict) and not keys(cast("Object", call)).keys().isdisjoint(_IN_PIECES):
            self._telling = False
            return
        made = read_block(_GRAMMAR, part, MODEL_ROLE)
        if isinstance(made, Message):
            self._tell_message(made)
        elif made is None:
            self._telling = self._kind != ""
        else:
            self._tell_part(made)

    def _tell_message(self, made: Message) -> None:
        is_thought = made.channel == "analysis"
        if not (is_thought and self._kind == "thought" and made.extras is None and text_of(made)):
            self._number = self.start(made)
        self._kind = "thought" if is_thought else "other"
        self.more(self._number, text_of(made))

    def _tell_part(self, made: Part) -> None:
        if self._kind != "text":
            self._kind, self._number = "text", self.start(Message("assistant", "", channel="final"))
        if isinstance(made, Text):
            self.more(self._number, made.text)

    # --- the end ------------------------------------------------------------------------------------------------------

    def document(self, reason: Reason | None) -> Transcript:
        """What the reader reads of the response that the chunks make."""
        response = self._assembly.wire()
        first = self._assembly.first
        if first is not None and first.finish is None and reason in _FINISHES:
            response["candidates"][0][FINISH] = _FINISHES[reason]
        if not response:
            return Transcript()
        return transcript_of(
            ContentReader(self._options), response if first else {"candidates": [], **response}, self.log
        )
