"""Decode Gemini's answers as they arrive: the stream `gemini-sse`, of chunks of `streamGenerateContent`."""

from __future__ import annotations

from functools import partial
from typing import Final

from ocml_bridge.events import Reason
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of, only_object
from ocml_bridge.model import Message, Part, Text, replace
from ocml_bridge.stream.assembled import AssemblingDecoder
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.stream.repeats import MoreText
from ocml_bridge.wires.blocks.reading import read_block

from .assembly import EMPTY, Assembly
from .blocks import PartGrammar, is_code
from .hosted import is_hosted
from .syntax import CALL, CANDIDATES, CONTENT, ENDINGS, FEEDBACK, FINISH, MODEL_ROLE, PARTS, is_filtered, keys, opened
from .units import ContentReader

_IN_PIECES: Final = ("partialArgs", "willContinue")
"""The members of a call that is not complete."""
_CONTINUING: Final[dict[str, Object]] = {"text": {}, "thought": {"thought": True}}
"""What a part that continues a text or a thought has beside its text."""
_GRAMMAR = PartGrammar()


class ContentDecoder(AssemblingDecoder):
    """A decoder of chunks, in Server-Sent Events or in a list. Candidates other than the first are alternatives.

    Args:
        options: how to read.
    """

    reads = ContentReader

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._assembly = Assembly(self.note)
        self._kind = ""
        self._number = -1
        self._thought: Message | None = None
        """The thought that has not ended; it ends when another message begins."""
        self._more_thought: list[str] = []
        """The pieces of text that continue it."""
        self._media: Part | None = None
        """The last part of a message that has only media so far, and nothing between them.

        A text has its citations only at the end, and what stands between parts may become a part.
        """
        self._ends_early = True
        """Whether thoughts end before the answer does: not if empty texts belong to the layout of a message."""
        self._live = True
        """Whether parts are passed on as they arrive; if not, the rest is passed on at the end."""

    def take(self, value: Object, name: str | None) -> None:
        """Take a chunk of the server."""
        chunk = keys(opened(value))
        if chunk.get("error") is not None or name == "error":
            self.fail(chunk.get("error", value))
            return
        if not self.started:
            self.name(chunk)
        for part, continues in self._assembly.take(chunk):
            if self._live:
                self._emit(part, continues=continues)
        first = self._assembly.first
        if first is not None and first.finish is not None:
            self.over = ENDINGS.reason(first.finish)
        elif first is None and is_filtered(chunk, {}):
            self.over = "content_filter"

    def more_text(self, value: Object) -> MoreText | None:
        """Return the text of a chunk that only continues the answer's last text; its other members are the same."""
        value = opened(value)
        candidate, first = only_object(value.get(CANDIDATES)), self._assembly.first
        part = only_object(members_of(candidate.get(CONTENT)).get(PARTS))
        text, delta = part.get("text"), self.delta
        more = _CONTINUING.get(self._kind)
        if delta is None or more is None or not isinstance(text, str) or part != {"text": text, **more}:
            return None
        if first is None or len(self._assembly.candidates) > 1 or not first.continued_by(part):
            return None
        say = self.say if self._kind == "text" else self._say_thought
        return MoreText(text, partial(say, first.pieces, delta.number))

    def _say_thought(self, pieces: list[str], number: int, text: str) -> None:
        """Take and emit more text of the thought that has not ended."""
        self._more_thought.append(text)
        self.say(pieces, number, text)

    def hosts(self, call: Message) -> bool:
        """Return whether a call is one that the API runs itself: code, or the call of one of its tools."""
        return is_code(call) or is_hosted(call)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _emit(self, part: Object, *, continues: bool) -> None:
        """Emit the events of a part; a part that is not complete, and all after it, waits for the end."""
        call = members_of(part.get(CALL))
        if not keys(call).keys().isdisjoint(_IN_PIECES):
            self._live = False
            return
        if part == EMPTY and self._kind != "text":
            self._ends_early, self._thought = False, None
            return
        value = read_block(_GRAMMAR, part, MODEL_ROLE)
        if isinstance(value, Message):
            self._emit_message(value, continues=continues)
        elif value is None:
            self._live, self._media = self._kind != "", None
        else:
            self._emit_part(value)

    def _emit_message(self, message: Message, *, continues: bool) -> None:
        is_thought, before = message.channel == "analysis", self._thought
        if before is not None and is_thought and continues:
            self._more_thought.append(text_of(message))
        else:
            self._end_thought()
            self._number = self.start(message, message.signature)
            self._thought = replace(message, continues=self._number > 0) if is_thought else None
        self._kind = "thought" if is_thought else "other"
        self.more(self._number, text_of(message))

    def _emit_part(self, part: Part) -> None:
        if self._kind != "text":
            self._end_thought()
            self._kind, self._number = "text", self.start(Message("assistant", "", channel="final"))
            self._media = part
        elif self._media is not None and not isinstance(self._media, Text):
            self.end_part(self._number, self._media)
            self._media = part
        if isinstance(part, Text):
            self.more(self._number, part.text)

    def _end_thought(self) -> None:
        """End the thought before another message begins: chunks only append parts, so it is complete."""
        thought, self._thought = self._thought, None
        if thought is not None and self._ends_early and self.ended == self._number:
            if self._more_thought:
                thought.content = "".join((text_of(thought), *self._more_thought))
            self.end(thought)
        self._more_thought = []

    # --- the end ------------------------------------------------------------------------------------------------------

    def response(self, reason: Reason | None) -> Object:
        """Return the assembled response, with the finish reason of the caller if it has none."""
        response = self._assembly.wire()
        first = self._assembly.first
        if first is not None and first.finish is None and (name := ENDINGS.name(reason)) is not None:
            response[CANDIDATES][0][FINISH] = name
        is_empty = not response or first is not None or FEEDBACK in response
        return response if is_empty else {CANDIDATES: [], **response}
