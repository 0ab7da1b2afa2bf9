"""Write ChatML as events arrive: a frame for each message, or the frames of a family.

In a dialect, texts are written as they arrive, and a call when it is complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.events import Answer, Encoder, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.model import Message
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.text.im import Frame
from ocml_bridge.text.plain import has_no_place, header_for
from ocml_bridge.units.heads import head_of

from .families import FAMILIES, Family
from .frames import Contents, gap_after, header_of
from .headers import with_known_role
from .markup.call_lists import BEGIN, BETWEEN
from .markup.call_lists import END as END_OF_LIST
from .markup.calls_json import write_call
from .markup.parts import ARGUMENTS
from .markup.write_body import Guard, call_of, end_of, gap_between, write_calls
from .plain import plain_message, plain_open_turn
from .prepare import remembered_of, turn
from .reader import TextReader
from .spelling import opening_of
from .stream import WRITTEN
from .syntax import CONTROL, END, OPENAI, START, TEXT, control_of
from .units import FamilyFrames


class PlainWriter(TextEncoder):
    """Writes messages as they arrive, without markup.

    Args:
        options: how to write.
    """

    _empty: bool
    """Whether the open message has no text yet."""

    def __init__(self, options: Options) -> None:
        super().__init__(TEXT.id, TextReader(options), options, control=CONTROL, hold=WRITTEN)
        self._cut = False
        """Whether the last message has no end. Only an assistant's may be left so, and only if nothing follows."""

    def open(self, start: Start) -> str | None:
        """Return the start of a frame; None for private reasoning."""
        if has_no_place(with_known_role(start.message)):
            return None
        self._empty = True
        self._control = control_of(start.message.role)
        return self._missing_end() + self._header(start.message)

    def _header(self, message: Message) -> str:
        plain = plain_message(with_known_role(message), "")
        return f"{START}{header_for(plain.role, plain.name)}\n"

    def _missing_end(self) -> str:
        cut, self._cut = self._cut, False
        return f"{END}\n" if cut else ""

    def safe(self, text: str, path: str) -> str:
        """Return a text with its tokens broken."""
        self._empty = False
        return super().safe(text, path)

    def passes(self) -> bool:
        """Return whether the message has any text yet."""
        return not self._empty

    def close(self, message: Message) -> str:
        """Return the end of a frame."""
        self._cut = message.end is None and message.role == "assistant" and not self._empty
        return "" if self._cut else f"{END}\n"

    def end(self, stop: Stop) -> str:
        """Return the open turn."""
        open_turn = self._open_turn(stop)
        return "" if open_turn is None else self._missing_end() + self._header(with_known_role(open_turn))

    def why_dropped(self, message: Message) -> str | None:
        """Return why a message is not written: it is private reasoning."""
        return f"{TEXT.id} has no place for private reasoning" if has_no_place(with_known_role(message)) else None


@dataclass(slots=True)
class OpenMessage:
    """The last message of the open frame.

    Attributes:
        message: the message.
        end_is_due: whether its end has not been written.
        has_meaning: whether it is more than blank text, so that other messages may share its frame.
        has_text: whether it has text, so that it may be left without an end; without text it would be read as an open
            turn.
    """

    message: Message
    end_is_due: bool = False
    has_meaning: bool = True
    has_text: bool = True


class FamilyWriter(TextEncoder):
    """Writes messages as they arrive, as a family does.

    A frame stays open until the next message shows whether it continues in it. Blank text is buffered at the beginning
    of a message, because beside calls and thoughts it has no meaning.

    Args:
        options: how to write; the dialect is the name of the family.
    """

    names_replies = False

    _part: Message
    """The message that is being written, from `open` on."""

    def __init__(self, options: Options) -> None:
        super().__init__(TEXT.id, TextReader(options), options, control=CONTROL, hold=WRITTEN)
        self._family: Final[Family] = FAMILIES[options.dialect or ""]
        self._frames = FamilyFrames(options)
        self._before: OpenMessage | None = None
        self._is_begun = False
        """Whether any of it has been written."""
        self._buffer: list[str] = []
        """Its text that has not been written."""
        self._path = ""
        self._header = ""
        """The header of the open frame."""

    def open(self, start: Start) -> str | None:
        """Begin a message, without output; None for private text of somebody other than the assistant."""
        message = with_known_role(start.message)
        private = is_private(message)
        if has_no_place(message) and message.role != "assistant":
            return None
        self._part = turn(message, "", private=private)
        self._control = control_of(self._part.role)
        self._path = f"/messages/{start.number}/content"
        self._is_begun, self._buffer = False, []
        return ""

    def safe(self, text: str, path: str) -> str:
        """Return a text with its tokens broken, after the buffered text; "" while it is buffered."""
        if self._is_begun:
            return super().safe(text, path)
        self._buffer.append(text)
        if is_call(self._part) or not text.strip():
            return ""
        return self._begin(joins=True) + super().safe("".join(self._buffer), path)

    def passes(self) -> bool:
        """Return whether the message is no longer buffered."""
        return self._is_begun

    def close(self, message: Message) -> str:
        """Return the end of a message, if it does not depend on the next one."""
        out = ""
        self._part.end = message.end
        content = "".join(self._buffer)
        blank = not self._is_begun and not content.strip() and not is_call(self._part)
        if blank and is_thought(self._part) and self._family.apart is None:
            return ""
        if not self._is_begun:
            out = self._begin(joins=not blank or self._part.role == "tool")
            self._part.content = content if is_call(self._part) else ""
            out += "" if is_call(self._part) else super().safe(content, self._path)
        has_meaning = not blank or self._part.role == "tool"
        self._before = OpenMessage(
            self._part, end_is_due=True, has_meaning=has_meaning, has_text=has_meaning or content != ""
        )
        return out if message.end is None else out + self._end_part(more=False)

    def _begin(self, *, joins: bool) -> str:
        """Return the text before a message's content; `joins`: the message may share the open frame."""
        before, part, family = self._before, self._part, self._family
        joined = (
            joins
            and before is not None
            and before.message.role == part.role
            and (before.has_meaning or part.role == "tool")
            and (family.apart is None or is_call(part) or part.role == "tool")
            and self._frames.joins(head_of(before.message), head_of(part))
        )
        out = self._end_part(more=joined)
        if not joined:
            out += self._end_frame(last=False, calls_follow=is_call(part))
            self._header = header_of(Contents([part]), family)
            out += f"{START}{self._header}\n{gap_between(None, part, family)}"
        elif part.role == "tool":
            out += family.responses.between or ""
        elif family.apart is not None:
            out += BETWEEN
        elif before is not None:
            out += gap_between(before.message, part, family)
        self._before, self._is_begun = OpenMessage(part), True
        if part.role == "tool":
            return out + family.responses.open
        if family.apart is not None:
            return out + (BEGIN if is_call(part) and not joined else "")
        return out + (family.thoughts.open if is_thought(part) else "")

    def _end_part(self, *, more: bool) -> str:
        """Return the end of the last message, whose frame is open; `more`: the frame continues."""
        written, family = self._before, self._family
        if written is None or not written.end_is_due:
            return ""
        written.end_is_due, before = False, written.message
        if before.role == "tool":
            return family.responses.close
        if before.end is None and more:
            before.end = "call" if is_call(before) else "end"
        if family.apart is not None:
            return write_call(call_of(before)) if is_call(before) else ""
        if is_thought(before):
            return family.thoughts.close if before.end is not None else ""
        return write_calls([before], family, Guard(str, self._arguments)) if is_call(before) else ""

    def _arguments(self, text: str) -> str:
        return ARGUMENTS.guard(text, self.options.control_tokens, self._path, self.log)

    def _end_frame(self, *, last: bool, closing: bool = False, calls_follow: bool = False) -> str:
        """Return the end of the open frame; "" if the text ends with an answer that was cut off."""
        written, self._before = self._before, None
        if written is None:
            return ""
        before, spelling = written.message, self._family.responses
        out = ""
        if before.role == "tool":
            out = spelling.end_of(closing=closing)
        elif before.end is not None:
            out = end_of(before, self._family) if self._family.apart is None else END_OF_LIST if is_call(before) else ""
        frame = Frame("", START, self._header, True, "", END, 0, last)
        gap = gap_after(frame, self._family, calls=calls_follow)
        cut = last and before.role == "assistant" and before.end is None and written.has_text
        return out if cut else f"{out}{END}{gap}"

    def end(self, stop: Stop) -> str:
        """Return the end of the last frame, and the open turn."""
        open_turn = self._open_turn(stop)
        out = self._end_part(more=False) + self._end_frame(last=open_turn is None, closing=True)
        if open_turn is None:
            return out
        image = plain_open_turn(with_known_role(open_turn))
        notes = remembered_of(open_turn, same_family=False)
        opening = opening_of(notes, open_turn=True) if image.role == "assistant" else ""
        return f"{out}{START}{header_for(image.role, image.name)}\n{opening}"

    def why_dropped(self, message: Message) -> str | None:
        """Return why a message is not written: it is private reasoning that is empty, or not the assistant's."""
        message = with_known_role(message)
        written = message.role == "assistant" and (self._family.apart is not None or _has_text(message))
        if written or not has_no_place(message):
            return None
        return f"{TEXT.id} has private reasoning of the assistant only"


def _has_text(message: Message) -> bool:
    content = message.content
    if isinstance(content, str):
        return content.strip() != ""
    return any(part.type == "text" and part.text.strip() for part in content)


def encoder(_answer: Answer, options: Options) -> Encoder:
    """Return an encoder of raw ChatML: with the markup of a family if the options name one or its dialect."""
    if options.dialect in (None, OPENAI):
        return PlainWriter(options)
    return FamilyWriter(options)
