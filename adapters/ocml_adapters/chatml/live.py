"""An assistant's body as it arrives: its thought, its texts and its calls."""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.events import Delta, End, Start
from ocml_bridge.model import Message
from ocml_bridge.stream.decoder import LiveLog, tell
from ocml_bridge.stream.frames import Saying
from ocml_bridge.text.plain import message

from .markup.segments import Cutter, Segment
from .responses import begins
from .syntax import CONTROL
from .turn import NO_SCHEMAS, OPENING, THOUGHT_END, Schemas, calls_of, message_of, place, restore


class Spoken(Saying):
    """Says the body of a frame that may hold replies: text at once, replies when they are complete.

    Args:
        log: where to.
        index: of the frame's first message.
        beginning: what the header says of it.
    """

    def __init__(self, log: LiveLog, index: int, beginning: Message) -> None:
        super().__init__(log, index, beginning, CONTROL.restore)
        self._blank = ""

    def take(self, text: str) -> None:
        """Take more of the body."""
        if self.running < 0 and self.beginning is not None:
            self._blank += text
            text, self._waiting = self._blank, len(self._blank)
            if not text.strip():
                return
            self._blank, self._waiting = "", 0
            if begins(text):
                self.beginning = None
        super().take(text)


class Turn(Saying):
    """Says an assistant's body: thought and texts as they come, a call when it is complete.

    A text has channel `final` when it begins; its end says whether it was a preamble, or a thought whose beginning
    nobody told.

    Args:
        log: where to.
        index: of the frame's first message.
        name: the speaker's.
        schemas: of the functions that are declared.
    """

    def __init__(self, log: LiveLog, index: int, name: str | None, schemas: Schemas = NO_SCHEMAS) -> None:
        self._schemas = schemas
        super().__init__(log, index, message("assistant", "", name, end=None), restore)
        self._name = name
        self._cutter = Cutter()
        self._next = index
        """The message that comes next, or whose text is open."""
        self._read = self._begin
        """What takes text where the body has come to."""
        self._raw = ""
        """The end of the open text that has not been told: what may be markup, or all of it while it is blank."""
        self._told: list[str] = []
        """What has been told of the open text."""
        self._edge = 0
        """How many line breaks at the beginning of what comes next are markup."""
        self._may_think = True
        self._has_called = False

    @property
    def pending(self) -> int:
        """How many characters wait for what they are to be known."""
        return self._cutter.pending + len(self._raw)

    @property
    def in_thought(self) -> bool:
        """Whether a thought is open."""
        return self._read == self._think

    @property
    def in_call(self) -> bool:
        """Whether a call is open."""
        return self._cutter.in_call

    def passed(self, texts: Sequence[str]) -> None:
        """Take texts that were passed on already."""
        self._told += texts

    def take(self, text: str) -> None:
        """Take more of the body."""
        self._read(text)
        is_open = self._told != [] and not self._raw and not self._cutter.in_call
        self.running = self._next if is_open else -1

    # --- where the body has come to -----------------------------------------------------------------------------------

    def _begin(self, text: str) -> None:
        """Nothing but white space has come."""
        self._raw += text
        if not self._raw.strip():
            return
        text, self._raw = self._raw, ""
        opened = OPENING.match(text)
        self._read = self._say if opened is None else self._think
        if opened is not None:
            self._edge, text = 1, text[opened.end() :]
        self._read(text)

    def _think(self, text: str) -> None:
        """A thought is open."""
        text = self._raw + text
        at = text.find(THOUGHT_END)
        if at < 0:
            self._tell_text(text, "analysis", markup=1)
            return
        self._tell_text(text[:at], "analysis", markup=1)
        self._end_thought(text[at + len(THOUGHT_END) :])

    def _end_thought(self, rest: str) -> None:
        """The thought that is open has ended."""
        self._raw = self._raw.removesuffix("\n") if self._told else ""
        self._end_text("analysis")
        self._read, self._may_think, self._edge = self._say, False, 2
        self._cutter = Cutter()
        if rest:
            self._say(rest)

    def _say(self, text: str) -> None:
        """Texts and calls."""
        if self._may_think and not self._cutter.in_call:
            at, call = text.find(THOUGHT_END), self._cutter.first_call(text)
            if at >= 0 and not 0 <= call < at:
                self._tell_text(self._raw + text[:at], "final", markup=2)
                if not self._told and self._raw.strip():
                    self._tell_text(self._raw, "final", markup=0)
                self._end_thought(text[at + len(THOUGHT_END) :])
                return
            self._may_think = call < 0
        for segment in self._cutter.feed(text):
            self._segment(segment)
        self._may_think = self._may_think and not self._cutter.in_call

    def _segment(self, segment: Segment) -> None:
        calls = calls_of(segment, self._schemas)
        if not calls:
            self._tell_text(self._raw + segment.raw, "final", markup=2)
            return
        self._raw = self._raw.removesuffix("\n").removesuffix("\n") if self._told else ""
        self._end_text("final" if self._has_called else "commentary")
        for call in calls:
            part = message_of(call, self._name)
            place(part, self._next - self.index, before_call=False, more=True)
            tell(self.log, self._next, part)
            self._next += 1
        self._has_called, self._edge = True, 2

    # --- the open text ------------------------------------------------------------------------------------------------

    def _tell_text(self, text: str, channel: str, *, markup: int) -> None:
        """Tell an open text but for its end, which may be markup: so many line breaks, or all of it while it is blank.

        Args:
            text: what has not been told of it.
            channel: its channel.
            markup: how many line breaks at its end may be markup.
        """
        if not self._told:
            while self._edge and text.startswith("\n"):
                self._edge, text = self._edge - 1, text[1:]
            self._edge = 0 if text else self._edge
            if not text.strip():
                self._raw = text
                return
        end = max(len(text.rstrip("\n")), len(text) - markup)
        text, self._raw = text[:end], text[end:]
        if not text:
            return
        contents = restore(text)
        if not self._told:
            begun = Message("assistant", "", self._name, channel, end=None, continues=self._next > self.index)
            self.log.events.append(Start(self._next, begun))
        self._told.append(contents)
        self.log.events.append(Delta(self._next, contents))

    def _end_text(self, channel: str) -> None:
        """The open text is over, if there is one: something else follows in its body."""
        if self._told:
            if self._raw:
                self._told.append(self._raw)
                self.log.events.append(Delta(self._next, self._raw))
            intent = "preamble" if channel == "commentary" else None
            whole = Message("assistant", "".join(self._told), self._name, channel, intent=intent)
            whole.continues = self._next > self.index
            self.log.events.append(End(self._next, whole))
            self._next += 1
        self._told, self._raw = [], ""

    def end(self, messages: Sequence[Message]) -> None:
        """Tell what has not been told of the frame's messages."""
        told = "".join(self._told) if self._told else None
        for index, part in enumerate(messages[self._next - self.index :], self._next):
            tell(self.log, index, part, told if index == self._next else None)
