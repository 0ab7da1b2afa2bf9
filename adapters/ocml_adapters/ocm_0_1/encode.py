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
from .nearest import has_no_place, nearest_open_turn, nearest_whole
from .reader import FramesReader
from .segments import body_of, newline_after
from .spelling import may_be_cut, open_frame
from .syntax import END, HOME, SPECIALS, START, TOKENS
from .units import FIRST, Frames, is_empty, leave_out, may_join

_HOLD: Final = Hold(SPECIALS)


class Encoder(TextEncoder):
    """An encoder of one stream: it writes each message into the open frame, or into a new one.

    Args:
        options: how to write.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(HOME, FramesReader(options), options, control=TOKENS, hold=_HOLD)
        self._path = ""
        """The JSON pointer of the open message."""
        self._head: Message | None = None
        """The open message as it begins, as it is read back; None if no message is open."""
        self._is_streamed = False
        """Whether its text is written as it arrives."""
        self._blank_pieces: list[str] | None = None
        """Its text as long as it is white space; None once the message is in a frame."""
        self._may_continue = False
        """Whether the message in the frame may be followed by another message of its wire message."""
        self._wire_header: str | None = None
        """The header of the wire message."""
        self._empty_text: tuple[str, Message] | None = None
        """An empty text with its path, which is written only if its wire message has nothing else."""
        self._frame_count = 0
        self._last_in_frame: Message | None = None
        """The last message in the open frame; None if no frame is open."""
        self._was_cut_off = False
        """Whether that message was cut off."""
        self._end_token = ""
        """The end token of the open thought; "" if none is open."""

    # --- a message ----------------------------------------------------------------------------------------------------

    def open(self, start: Start) -> str | None:
        """Begin a message. A thought is begun at once, any other message with its first text that is not blank."""
        if has_no_place(start.message):
            return None
        head_log = Log()
        head = nearest_whole(start.message, f"/messages/{start.number}", head_log)
        header = header_of([head])
        joins = start.message.continues and header == self._wire_header
        out = "" if joins else self._end_wire_message()
        self._path, self._head, self._wire_header = f"/messages/{start.number}", head, header
        self._is_streamed = head.role == "assistant" and not is_call(head)
        self._blank_pieces = []
        if is_thought(head):
            self.log.losses += head_log.losses
            kind = _kind_of(head)
            out += self._place(head) + self._append(f"<|start_{kind}|>")
            self._end_token = f"<|end_{kind}|>"
        return out

    def safe(self, text: str, path: str) -> str:
        """Return the text of the open message that is written now; "" if the message is written when it is complete."""
        if not self._is_streamed or self._head is None:
            return ""
        before = ""
        if self._blank_pieces is not None:
            self._blank_pieces.append(text)
            if not text or text.isspace():
                return ""
            text = "".join(self._blank_pieces)
            before = self._place(replace(self._head, content=text))
        return before + self._append(super().safe(text, path))

    def passes(self) -> bool:
        """Return whether the message is in a frame, and written as it arrives."""
        return self._is_streamed and self._head is not None and self._blank_pieces is None

    def close(self, message: Message) -> str:
        """End a message; its frame stays open."""
        path, self._head = self._path, None
        if self._blank_pieces is None:
            self._was_cut_off = message.end is None
            end_token, self._end_token = ("", self._end_token) if self._was_cut_off else (self._end_token, "")
            return self._append(end_token)
        image = nearest_whole(message, path, self.log)
        if is_empty(image):
            self._defer_empty(image, message)
            return ""
        return self._write(image, message, path)

    def _write(self, image: Message, message: Message, path: str) -> str:
        before = self._place(image)
        self._was_cut_off = message.end is None
        return before + self._append(body_of([image], lambda text: super(Encoder, self).safe(text, f"{path}/content")))

    def _defer_empty(self, image: Message, message: Message) -> None:
        """Omit an empty text if its wire message has anything else; otherwise wait until that is certain."""
        if self._may_continue or self._empty_text is not None:
            leave_out(self._path, self.log)
        else:
            self._empty_text = (self._path, replace(image, end=message.end))

    # --- frames -------------------------------------------------------------------------------------------------------

    def _append(self, text: str) -> str:
        if text:
            self.body.append(text)
        return text

    def _end_wire_message(self) -> str:
        """End a wire message: return its empty text, if it has nothing else."""
        self._may_continue = False
        empty, self._empty_text = self._empty_text, None
        if empty is None:
            return ""
        path, image = empty
        out = self._write(image, image, path)
        self._may_continue = False
        return out

    def _place(self, image: Message) -> str:
        """Place a message after the last one in its frame, or in a new frame; return the text before it."""
        if self._empty_text is not None:
            leave_out(self._empty_text[0], self.log)
            self._empty_text = None
        if self._last_in_frame is not None and self._may_continue and may_join(self._last_in_frame, image):
            out = self._append(self._end_token)
            out += self._append(newline_after(self.body[-1]))
        else:
            out = self._close_frame() + self._open_frame(image)
        self._last_in_frame, self._may_continue, self._blank_pieces, self._end_token = image, True, None, ""
        return out

    def _open_frame(self, image: Message) -> str:
        gap = "\n" if self._frame_count else self._edges(cut=False).opening
        self._frame_count += 1
        self.body = []
        return f"{gap}{START}{header_of([image])}\n"

    def _close_frame(self) -> str:
        """Close the open frame."""
        if self._last_in_frame is None:
            return ""
        self._append(self._end_token)
        self._last_in_frame, end_token, self._end_token = None, self._end_token, ""
        return end_token + newline_after(self.body[-1] if self.body else "") + END

    def _edges(self, *, cut: bool) -> Edges:
        return chosen({}, self.options, frames=True, cut=cut)

    # --- the end ------------------------------------------------------------------------------------------------------

    def end(self, stop: Stop) -> str:
        """Close the open frame, unless it was cut off; write the end of the text."""
        out, document = self._end_wire_message(), stop.document
        if not self._frame_count:
            if isinstance(document, Completion):
                return write_completion(document, self.options, self.log).output
            return Frames(self.options).enclose([], Transcript(open_turn=document.open_turn), FIRST).output
        opening = None if isinstance(document, Completion) else document.open_turn
        cut = opening is not None or (self._was_cut_off and may_be_cut("".join(self.body), self.options))
        if opening is not None:
            out += self._close_frame() + spell([open_frame(nearest_open_turn(opening), first=False)], "")
        elif not cut:
            out += self._close_frame()
        return out + self._edges(cut=cut).closing


def _kind_of(thought: Message) -> str:
    marker = thought.content[0] if thought.content else None
    assert isinstance(marker, Thought)  # the image of a thought begins with one
    return marker.kind


def encoder(_answer: Answer, options: Options) -> Encoder:
    """Return an encoder of OpenChatML 0.1 text."""
    return Encoder(options)
