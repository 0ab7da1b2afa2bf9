"""ChatML as it comes: a frame a message."""

from __future__ import annotations

from ocml_bridge.adapter import Options
from ocml_bridge.events import Answer, Encoder, Start, Stop
from ocml_bridge.model import Message, Transcript
from ocml_bridge.narrowing import drop_message
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.text.plain import header_for
from ocml_bridge.visibility import is_private

from .nearest import bare
from .stream import WRITTEN
from .syntax import CONTROL, END, OPENAI, START, TEXT, control_of
from .text_reader import TextReader


class Writer(TextEncoder):
    """Writes messages as they come.

    Args:
        options: how to write.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(TEXT.id, TextReader(options), options, control=CONTROL, hold=WRITTEN)
        self._empty = True
        self._cut = False
        """Whether the last message was cut off. It stays without its end if none follows, and only the assistant's may
        do so."""

    def open(self, start: Start) -> str | None:
        """The beginning of a frame; None for private reasoning."""
        if is_private(start.message):
            return None
        self._empty = True
        self._control = control_of(start.message.role)
        return self._due() + self._header(start.message)

    def _header(self, message: Message) -> str:
        made = bare(message, "")
        return f"{START}{header_for(made.role, made.name)}\n"

    def _due(self) -> str:
        cut, self._cut = self._cut, False
        return f"{END}\n" if cut else ""

    def safe(self, text: str, path: str) -> str:
        """Text as it may stand in a message."""
        self._empty = False
        return super().safe(text, path)

    def close(self, message: Message) -> str:
        """The end of a frame."""
        self._cut = message.end is None and message.role == "assistant" and not self._empty
        return "" if self._cut else f"{END}\n"

    def end(self, stop: Stop) -> str:
        """The open turn; what had no place is reported."""
        if not isinstance(stop.document, Transcript):
            return ""
        for index, message in enumerate(stop.document.messages):
            if is_private(message):
                drop_message(self.log, index, f"{TEXT.id} has no place for private reasoning")
        opening = stop.document.open_turn
        return "" if opening is None else self._due() + self._header(opening)


def encoder(_answer: Answer, options: Options) -> Encoder:
    """An encoder of raw ChatML: with the markup of a family where the options name one, or its dialect."""
    if options.dialect in (None, OPENAI):
        return Writer(options)
    # Imported here: whoever writes plain ChatML needs nothing of it.
    from .encode_family import FamilyWriter

    return FamilyWriter(options)
