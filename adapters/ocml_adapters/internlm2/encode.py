"""Encode events as InternLM2-Chat: text at once, a call when it is complete, because it is one JSON object."""

from __future__ import annotations

from ocml_bridge.chat.turns import is_call
from ocml_bridge.events import Answer, Encoder, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.model import Message, replace
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.text.plain import has_no_place
from ocml_bridge.text.replies import Replies
from ocml_bridge.units.heads import Head, head_of

from .body import after_body, joins, write_body
from .frames import header_of, heading_of
from .nearest import TARGET, declaring, opened, turn
from .reader import FramesReader
from .stream import HOLD
from .syntax import CONTROL, DIALECTS
from .tools import declares, tools_of, write_tools


class Writer(TextEncoder):
    """Writes messages as they arrive; an assistant's text and the calls that continue it share a frame.

    The frame of a message is known with its first text; if that depends on the whole message, with its end.

    Args:
        options: how to write.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(TARGET, FramesReader(options), options, control=CONTROL, hold=HOLD)
        self._dialect = DIALECTS[options.dialect or "im"]
        self._guard = str if options.control_tokens == "raw" else CONTROL.neutralise
        self._replies = Replies()
        self._unit: list[Message] = []
        """The messages of the open frame."""
        self._message = Message("", "")
        """The message that is being written, as its frame reads."""
        self._placed = False
        self._number = 0

    def open(self, start: Start) -> str | None:
        """Begin a message, without output; None for private reasoning, which is left out."""
        if has_no_place(start.message):
            return None
        self._message, self.body, self._placed = turn(start.message, ""), [], False
        self._number = start.number
        return ""

    def safe(self, text: str, path: str) -> str:
        """Return a text with its tokens broken, after the header if it is the first; "" while it is buffered."""
        self.body.append(text)
        if self._placed:
            return super().safe(text, path)
        if self._waits(text):
            return ""
        self._message.content = "".join(self.body)
        return self._place(self._message) + super().safe(self._message.content, path)

    def passes(self) -> bool:
        """Return whether the message has its place in a frame."""
        return self._placed

    def _waits(self, text: str) -> bool:
        """Return whether the frame depends on more of the message: a call, a tool declaration, blank text."""
        image = self._message
        if is_call(image) or (image.role == "system" and image.name == "plugin"):
            return True
        return text.isspace() and self._goes_on(replace(image, content="some"))

    def _goes_on(self, image: Message) -> bool:
        """Return whether a message belongs to the open frame; blank text does not."""
        return bool(self._unit) and joins(_head(self._unit[-1]), _head(image))

    def _place(self, image: Message) -> str:
        """Return the text before a message: if it begins a frame, the end of the open one and a header."""
        self._placed = True
        if self._goes_on(image):
            before = self._unit[-1]
            self._unit.append(image)
            return self._dialect.tokens.action_end if is_call(before) and before.end is None else ""
        ended = self._end_frame(last=False)
        self._unit = [image]
        return f"{ended}{self._header(image)}"

    def _header(self, image: Message) -> str:
        """Return the start of a frame; a reply gets the name that its frame reads as."""
        waiting = self._replies.waiting
        if image.role == "tool" and image.name is None:
            image.name = waiting
        header = header_of(image, waiting, self._dialect)
        if image.role == "tool":
            image.name = heading_of(header).speaker(waiting)
        return f"{self._dialect.tokens.start}{header}\n"

    def close(self, message: Message) -> str:
        """Return the buffered rest of a message; its frame stays open, because the next message may continue it."""
        image = declaring(message) if declares(message) else turn(message, "".join(self.body))
        out = ""
        if self._placed:
            image.name = self._unit[-1].name
            self._unit[-1] = image
        else:
            out = self._place(image) + self._body(image)
        if image.role != "assistant" and image.end is not None:
            out += self._end_frame(last=False)
        return out

    def _body(self, image: Message) -> str:
        content = f"/messages/{self._number}/content"
        if declares(image):
            return super().safe(write_tools(tools_of(image), self._dialect), content)
        text = super().safe(str(image.content), content)
        if not is_call(image):
            return text
        super().safe(image.recipient or "", f"/messages/{self._number}/recipient")
        return write_body((image,), self._dialect, self._guard)

    def _end_frame(self, *, last: bool) -> str:
        unit, self._unit = self._unit, []
        if not unit:
            return ""
        for message in unit:
            self._replies.take(message)
        cut = last and unit[-1].end is None and unit[-1].content != ""
        return "" if cut else f"{after_body(unit[-1], self._dialect)}{self._dialect.tokens.end}\n"

    def end(self, stop: Stop) -> str:
        """Return the end of the last frame, and the open turn."""
        opening = self._open_turn(stop)
        out = self._end_frame(last=opening is None)
        return out if opening is None else out + self._header(opened(opening))

    def why_dropped(self, message: Message) -> str | None:
        """Return why a message is not written: it is private reasoning."""
        return f"{TARGET} has no place for private reasoning" if has_no_place(message) else None


def _head(message: Message) -> Head:
    """Return the head of a message; a blank text counts as empty."""
    text = str(message.content)
    return head_of(replace(message, content="" if text.isspace() else text[:1], layout=None, extras=None))


def encoder(_answer: Answer, options: Options) -> Encoder:
    """Return an encoder of InternLM2-Chat."""
    return Writer(options)
