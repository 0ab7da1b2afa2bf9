"""InternLM2-Chat as it comes: texts at once, a call when it is complete, since its arguments are a part of its JSON."""

from __future__ import annotations

from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.events import Answer, Encoder, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.model import Message, Transcript, replace
from ocml_bridge.report.narrowing import drop_message
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.units.heads import Head, head_of

from .body import behind, joins, write_body
from .calls import Replies
from .frames import header_of, heading_of
from .nearest import TARGET, declaring, opened, turn
from .reader import FramesReader
from .stream import HOLD
from .syntax import CONTROL, DIALECTS
from .tools import declares, tools_of, write_tools


class Writer(TextEncoder):
    """Writes messages as they come; those that continue one another stand in one frame where they can.

    A message finds its place with its first text, or where only the whole of it tells the place, with its end.

    Args:
        options: how to write.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(TARGET, FramesReader(options), options, control=CONTROL, hold=HOLD)
        self._dialect = DIALECTS[options.dialect or "im"]
        self._guard = str if options.control_tokens == "raw" else CONTROL.neutralise
        self._replies = Replies()
        self._unit: list[Message] = []
        """The messages of the frame that is open."""
        self._message = Message("", "")
        """The message that is being written, as the format has it."""
        self._texts: list[str] = []
        self._placed = False
        self._number = 0

    def open(self, start: Start) -> str | None:
        """Nothing yet; None for private reasoning."""
        if is_private(start.message):
            return None
        self._message, self._texts, self._placed = turn(start.message, ""), [], False
        self._number = start.number
        return ""

    def safe(self, text: str, path: str) -> str:
        """Text as it may stand in a message, behind what opens its frame; "" while it waits."""
        self._texts.append(text)
        if self._placed:
            return super().safe(text, path)
        if self._waits(text):
            return ""
        self._message.content = "".join(self._texts)
        return self._place(self._message) + super().safe(self._message.content, path)

    def _waits(self, text: str) -> bool:
        """Whether only more of the message tells its place: what a call says, declared tools, blank text."""
        made = self._message
        if is_call(made) or (made.role == "system" and made.name == "plugin"):
            return True
        return text.isspace() and self._goes_on(replace(made, content="some"))

    def _goes_on(self, made: Message) -> bool:
        """Whether a message belongs in the frame that is open; blank text does not."""
        return bool(self._unit) and joins(_head(self._unit[-1]), _head(made))

    def _place(self, made: Message) -> str:
        """What stands in front of a message: nothing in the frame that is open, if it belongs there."""
        self._placed = True
        if self._goes_on(made):
            before = self._unit[-1]
            self._unit.append(made)
            return self._dialect.tokens.action_end if is_call(before) and before.end is None else ""
        ended = self._end_frame(last=False)
        self._unit = [made]
        return f"{ended}{self._header(made)}"

    def _header(self, made: Message) -> str:
        """What opens a frame; a reply gets the name that it reads with."""
        waiting = self._replies.waiting
        if made.role == "tool" and made.name is None:
            made.name = waiting
        header = header_of(made, waiting, self._dialect)
        if made.role == "tool":
            made.name = heading_of(header).speaker(waiting)
        return f"{self._dialect.tokens.start}{header}\n"

    def close(self, message: Message) -> str:
        """What of a message had to wait for its end; its frame stays open while others may continue it."""
        made = declaring(message) if declares(message) else turn(message, "".join(self._texts))
        out = ""
        if self._placed:
            made.name = self._unit[-1].name
            self._unit[-1] = made
        else:
            out = self._place(made) + self._body(made)
        if made.role != "assistant" and made.end is not None:
            out += self._end_frame(last=False)
        return out

    def _body(self, made: Message) -> str:
        content = f"/messages/{self._number}/content"
        if declares(made):
            return super().safe(write_tools(tools_of(made), self._dialect), content)
        text = super().safe(str(made.content), content)
        if not is_call(made):
            return text
        super().safe(made.recipient or "", f"/messages/{self._number}/recipient")
        return write_body((made,), self._dialect, self._guard)

    def _end_frame(self, *, last: bool) -> str:
        unit, self._unit = self._unit, []
        if not unit:
            return ""
        for message in unit:
            self._replies.take(message)
        cut = last and unit[-1].end is None and unit[-1].content != ""
        return "" if cut else f"{behind(unit[-1], self._dialect)}{self._dialect.tokens.end}\n"

    def end(self, stop: Stop) -> str:
        """The end of the last frame, and the open turn; what had no place is reported."""
        opening = stop.document.open_turn if isinstance(stop.document, Transcript) else None
        out = self._end_frame(last=opening is None)
        if isinstance(stop.document, Transcript):
            for index, message in enumerate(stop.document.messages):
                if is_private(message):
                    drop_message(self.log, index, f"{TARGET} has no place for private reasoning")
        if opening is None:
            return out
        return out + self._header(opened(opening))


def _head(message: Message) -> Head:
    """A message's head; that of an empty one where its text is blank."""
    text = str(message.content)
    return head_of(replace(message, content="" if text.isspace() else text[:1], layout=None, extras=None))


def encoder(_answer: Answer, options: Options) -> Encoder:
    """An encoder of InternLM2-Chat."""
    return Writer(options)
