"""Encode events as OpenChatML 0.1 text: texts and thoughts of the assistant as they arrive, others when complete.

Whether the next message belongs to the same frame is known only when it begins, so a frame is closed then.
"""

from __future__ import annotations

from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.events import Answer, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Completion, Message, Thought, Transcript, replace
from ocml_bridge.stream.buffer import Hold
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.text.im import spell

from .around import Edges, chosen
from .around import write as write_completion
from .body import header_of
from .nearest import bare, has_no_place, opened
from .reader import FramesReader
from .segments import body_of, newline_after
from .spelling import may_be_cut, open_frame
from .syntax import END, HOME, SPECIALS, START, TOKENS
from .units import FIRST, Frames, is_empty, leave_out, may_join

_HOLD: Final = Hold(SPECIALS)


class Encoder(TextEncoder):
    """Writes messages as they come.

    Args:
        options: how to write.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(HOME, FramesReader(options), options, control=TOKENS, hold=_HOLD)
        self._path = ""
        """Of the message that is open."""
        self._image: Message | None = None
        """The beginning of it, as it is read back."""
        self._live = False
        """Whether its text is written as it comes."""
        self._blank: list[str] | None = None
        """Its text so far where that says nothing yet; None where it stands in a frame."""
        self._joins = False
        """Whether it was one wire message with the one before it, and may still be."""
        self._header: str | None = None
        self._empty: tuple[str, Message] | None = None
        """An empty text, by its path, that is written only where nothing else is of its wire message."""
        self._frames = 0
        self._last: Message | None = None
        """The last message of the frame that is open; None where none is."""
        self._cut = False
        """Whether that message was cut off."""
        self._body: list[str] = []
        """What is written of the frame's body."""
        self._closer = ""
        """What ends the thought that is open."""

    # --- a message ----------------------------------------------------------------------------------------------------

    def open(self, start: Start) -> str | None:
        """Begin a message: a thought at once, all else when there is something of it to be written."""
        if has_no_place(start.message):
            return None
        noted = Log()
        image = bare(start.message, f"/messages/{start.number}", noted)
        header = header_of([image])
        joins = start.message.continues and header == self._header
        out = "" if joins else self._end_wire()
        self._path, self._image, self._header = f"/messages/{start.number}", image, header
        self._live = image.role == "assistant" and not is_call(image)
        self._blank = []
        if is_thought(image):
            self.log.losses += noted.losses
            kind = _kind(image)
            out += self._enter(image) + self._put(f"<|start_{kind}|>")
            self._closer = f"<|end_{kind}|>"
        return out

    def safe(self, text: str, path: str) -> str:
        """Text of the message that is open, as far as it is written as it comes."""
        if not self._live or self._image is None:
            return ""
        entered = ""
        if self._blank is not None:
            self._blank.append(text)
            if not text or text.isspace():
                return ""
            text = "".join(self._blank)
            entered = self._enter(replace(self._image, content=text))
        return entered + self._put(super().safe(text, path))

    def close(self, message: Message) -> str:
        """End a message; its frame stays open."""
        path, self._image = self._path, None
        if self._blank is None:
            self._cut = message.end is None
            closer, self._closer = ("", self._closer) if self._cut else (self._closer, "")
            return self._put(closer)
        image = bare(message, path, self.log)
        if is_empty(image):
            self._keep_empty(image, message)
            return ""
        return self._write(image, message, path)

    def _write(self, image: Message, message: Message, path: str) -> str:
        entered = self._enter(image)
        self._cut = message.end is None
        return entered + self._put(body_of([image], lambda text: super(Encoder, self).safe(text, f"{path}/content")))

    def _keep_empty(self, image: Message, message: Message) -> None:
        """An empty text beside others is the same as none."""
        if self._joins or self._empty is not None:
            leave_out(self._path, self.log)
        else:
            self._empty = (self._path, replace(image, end=message.end))

    # --- frames -------------------------------------------------------------------------------------------------------

    def _put(self, text: str) -> str:
        if text:
            self._body.append(text)
        return text

    def _end_wire(self) -> str:
        """What comes next is another wire message: write what was held back for this one."""
        self._joins = False
        empty, self._empty = self._empty, None
        if empty is None:
            return ""
        path, image = empty
        out = self._write(image, image, path)
        self._joins = False
        return out

    def _enter(self, image: Message) -> str:
        """Put a message behind the one before it in its frame, or into a frame of its own."""
        if self._empty is not None:
            leave_out(self._empty[0], self.log)
            self._empty = None
        if self._last is not None and self._joins and may_join(self._last, image):
            out = self._put(self._closer)
            out += self._put(newline_after(self._body[-1]))
        else:
            out = self._leave() + self._begin(image)
        self._last, self._joins, self._blank, self._closer = image, True, None, ""
        return out

    def _begin(self, image: Message) -> str:
        gap = "\n" if self._frames else self._edges(cut=False).opening
        self._frames += 1
        self._body = []
        return f"{gap}{START}{header_of([image])}\n"

    def _leave(self) -> str:
        """Close the frame that is open."""
        if self._last is None:
            return ""
        self._put(self._closer)
        self._last, closer, self._closer = None, self._closer, ""
        return closer + newline_after(self._body[-1] if self._body else "") + END

    def _edges(self, *, cut: bool) -> Edges:
        return chosen({}, self.options, frames=True, cut=cut)

    # --- the end ------------------------------------------------------------------------------------------------------

    def end(self, stop: Stop) -> str:
        """Close what is open, unless it was cut off."""
        out, document = self._end_wire(), stop.document
        if not self._frames:
            if isinstance(document, Completion):
                return write_completion(document, self.options, self.log).output
            return Frames(self.options).enclose([], Transcript(open_turn=document.open_turn), FIRST).output
        opening = None if isinstance(document, Completion) else document.open_turn
        cut = opening is not None or (self._cut and may_be_cut("".join(self._body), self.options))
        if opening is not None:
            out += self._leave() + spell([open_frame(opened(opening), first=False)], "")
        elif not cut:
            out += self._leave()
        return out + self._edges(cut=cut).closing


def _kind(thought: Message) -> str:
    marker = thought.content[0] if thought.content else None
    assert isinstance(marker, Thought)  # the image of a thought begins with one
    return marker.kind


def encoder(_answer: Answer, options: Options) -> Encoder:
    """An encoder of OpenChatML 0.1 text."""
    return Encoder(options)
