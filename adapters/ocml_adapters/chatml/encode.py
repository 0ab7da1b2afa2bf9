"""ChatML as it comes: a frame a message; with a family's markup texts at once, a call when it is complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.events import Answer, Encoder, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.model import Message, Transcript
from ocml_bridge.report.narrowing import drop_message
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.text.plain import header_for
from ocml_bridge.units.heads import head_of

from .families import FAMILIES, Family
from .frames import opening_of
from .markup.parts import ARGUMENTS
from .markup.write_body import Guard, end_of, gap_between, write_calls
from .plain import plain_message, plain_open_turn
from .prepare import remembered_of, turn
from .reader import TextReader
from .stream import WRITTEN
from .syntax import CONTROL, END, OPENAI, START, TEXT, control_of
from .units import FamilyFrames


class PlainWriter(TextEncoder):
    """Writes messages as they come.

    Args:
        options: how to write.
    """

    _empty: bool
    """Whether nothing has come of the message that is open."""

    def __init__(self, options: Options) -> None:
        super().__init__(TEXT.id, TextReader(options), options, control=CONTROL, hold=WRITTEN)
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
        made = plain_message(message, "")
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


@dataclass(slots=True)
class Written:
    """A message whose frame is open.

    Attributes:
        message: the message.
        is_due: whether its end has not been written.
        says: whether it says anything, so that others may stand beside it.
        has_text: whether it has text, so that it may be cut off: without any it would be read as an open turn.
    """

    message: Message
    is_due: bool = False
    says: bool = True
    has_text: bool = True


class FamilyWriter(TextEncoder):
    """Writes messages as they come.

    A frame stays open until what comes next shows whether it goes on in it. Text that is blank so far waits, since
    beside calls and thoughts blank text says nothing.

    Args:
        options: how to write, with the family as their dialect.
    """

    names_replies = False

    def __init__(self, options: Options) -> None:
        super().__init__(TEXT.id, TextReader(options), options, control=CONTROL, hold=WRITTEN)
        self._family: Final[Family] = FAMILIES[options.dialect or ""]
        self._frames = FamilyFrames(options)
        self._before: Written | None = None
        self._part = Message("", "")
        """The message that is open."""
        self._is_begun = False
        """Whether anything of it has been written."""
        self._coming: list[str] = []
        """What has come of it and waits."""
        self._path = ""

    def open(self, start: Start) -> str | None:
        """Begin a message; None for private text that is not the assistant's."""
        private = is_private(start.message)
        if private and start.message.role != "assistant":
            return None
        self._part = turn(start.message, "", private=private)
        self._control = control_of(self._part.role)
        self._path = f"/messages/{start.number}/content"
        self._is_begun, self._coming = False, []
        return ""

    def safe(self, text: str, path: str) -> str:
        """Text as it may stand in a message; what waits comes with it."""
        if self._is_begun:
            return super().safe(text, path)
        self._coming.append(text)
        if is_call(self._part) or not text.strip():
            return ""
        return self._begin(joins=True) + super().safe("".join(self._coming), path)

    def close(self, message: Message) -> str:
        """The end of a message, as far as it does not depend on what comes next."""
        out = ""
        self._part.end = message.end
        content = "".join(self._coming)
        blank = not self._is_begun and not content.strip() and not is_call(self._part)
        if blank and is_thought(self._part):
            return ""
        if not self._is_begun:
            out = self._begin(joins=not blank or self._part.role == "tool")
            self._part.content = content if is_call(self._part) else ""
            out += "" if is_call(self._part) else super().safe(content, self._path)
        says = not blank or self._part.role == "tool"
        self._before = Written(self._part, is_due=True, says=says, has_text=says or content != "")
        return out if message.end is None else out + self._end_part(more=False)

    def _begin(self, *, joins: bool) -> str:
        """What stands before the content of the open message, which may join the one before it."""
        before, part, family = self._before, self._part, self._family
        joined = (
            joins
            and before is not None
            and before.message.role == part.role
            and (before.says or part.role == "tool")
            and self._frames.joins(head_of(before.message), head_of(part))
        )
        out = self._end_part(more=joined)
        if not joined:
            out += self._end_frame(last=False)
            role = family.responses.role if part.role == "tool" else part.role
            out += f"{START}{header_for(role, None if part.role == 'tool' else part.name)}\n"
        elif part.role == "tool":
            out += family.responses.between or ""
        elif before is not None:
            out += gap_between(before.message, part, family)
        self._before, self._is_begun = Written(part), True
        if part.role == "tool":
            return out + family.responses.open
        return out + (family.thoughts.open if is_thought(part) else "")

    def _end_part(self, *, more: bool) -> str:
        """The end of the last message, whose frame is open; `more`: it goes on."""
        written, family = self._before, self._family
        if written is None or not written.is_due:
            return ""
        written.is_due, before = False, written.message
        if before.role == "tool":
            return family.responses.close
        if before.end is None and more:
            before.end = "call" if is_call(before) else "end"
        if is_thought(before):
            return family.thoughts.close if before.end is not None else ""
        return write_calls([before], family, Guard(str, self._arguments)) if is_call(before) else ""

    def _arguments(self, text: str) -> str:
        return ARGUMENTS.guard(text, self.options.control_tokens, self._path, self.log)

    def _end_frame(self, *, last: bool, closing: bool = False) -> str:
        """What closes the open frame; nothing for an answer that was cut off, where that is the last."""
        written, self._before = self._before, None
        if written is None:
            return ""
        before, spelling = written.message, self._family.responses
        out = ""
        if before.role == "tool":
            out = spelling.end_of(closing=closing)
        elif before.end is not None:
            out = end_of(before, self._family)
        gap = spelling.gap if before.role == "tool" else "\n"
        cut = last and before.role == "assistant" and before.end is None and written.has_text
        return out if cut else f"{out}{END}{gap}"

    def end(self, stop: Stop) -> str:
        """What closes the last frame, and the open turn; what had no place is reported."""
        document = stop.document
        opening = document.open_turn if isinstance(document, Transcript) else None
        out = self._end_part(more=False) + self._end_frame(last=opening is None, closing=True)
        if not isinstance(document, Transcript):
            return out
        for index, message in enumerate(document.messages):
            if is_private(message) and (message.role != "assistant" or not _has_text(message)):
                drop_message(self.log, index, f"{TEXT.id} has private reasoning of the assistant only")
        if opening is None:
            return out
        made = plain_open_turn(opening)
        notes = remembered_of(opening, same_family=False)
        opening_text = opening_of(notes, open_turn=True) if made.role == "assistant" else ""
        return f"{out}{START}{header_for(made.role, made.name)}\n{opening_text}"


def _has_text(message: Message) -> bool:
    content = message.content
    if isinstance(content, str):
        return content.strip() != ""
    return any(part.type == "text" and part.text.strip() for part in content)


def encoder(_answer: Answer, options: Options) -> Encoder:
    """An encoder of raw ChatML: with the markup of a family where the options name one, or its dialect."""
    if options.dialect in (None, OPENAI):
        return PlainWriter(options)
    return FamilyWriter(options)
