"""An assistant's body → its thoughts, its texts and its calls, in order. The body may come at any time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import Message
from ocml_bridge.text.plain import message

from ..syntax import control_of
from .calls import Call
from .parts import NO_SCHEMAS, Schemas, calls_of, message_of, positioned, set_position
from .segments import THINK, THOUGHT_END, Cutter, Segment, is_quoted

_OPENING: Final = re.compile(r"\s*<think>")
_THINK: Final = re.compile(THINK)
NOTHING_THOUGHT: Final = re.compile(r"(?:\s*<think>)?\s*</think>\n{0,2}|\s*<think>\s*")
"""A thought without a word, with the line breaks behind it."""
OPENED: Final = re.compile(r"\s*<think>\s*(?:</think>\s*)?")
"""What stands in an open turn whose thought is begun, or left out."""
Note = Callable[[FindingCode, int, str], None]
"""Takes what a reader noticed: code, which message of the body, detail."""
restore: Final = control_of("assistant").restore
_NO_END: Final = f"the thought has no {THOUGHT_END}"
_BESIDE: Final = 2
"""How many line breaks are markup on each side of a text, and behind a thought."""


class Turn(NamedTuple):
    """What a body says.

    Attributes:
        messages: the thoughts, the texts and the calls; their `continues` and channels are by their places.
        opening: the thought without a word that stands in front of them; "" for none.
    """

    messages: list[Message]
    opening: str = ""


def ignore(code: FindingCode, index: int, detail: str) -> None:
    """Where a body is read again only to see what it says."""


def read_body(body: str, name: str | None, *, closed: bool, note: Note = ignore, schemas: Schemas = NO_SCHEMAS) -> Turn:
    """What an assistant's body says.

    Args:
        body: as it stands in the text.
        name: the speaker's.
        closed: whether an end token follows.
        note: takes what had to be mended.
        schemas: of the functions that are declared.
    """
    reading = BodyReader(name, schemas, note)
    reading.feed(body)
    return reading.finish(closed=closed)


class BodyReader:
    """Reads a body piece by piece.

    Args:
        name: the speaker's.
        schemas: of the functions that are declared.
        note: takes what had to be mended.

    Attributes:
        messages: those that are over.
        text: the pieces of the text that is open, but for its end as long as that may be markup.
        in_thought: whether that text is a thought from the beginning.
        turned: whether the first message began as a text, and turned out to be a thought at its end.
    """

    def __init__(self, name: str | None, schemas: Schemas = NO_SCHEMAS, note: Note = ignore) -> None:
        self._name = name
        self._schemas = schemas
        self._note = note
        self.messages: list[Message] = []
        self.text: list[str] = []
        self.in_thought = False
        self.turned = False
        self._end: list[str] = []
        """The end of the open text, which may be markup; all of it while it is blank."""
        self._waiting = 0
        """Its length."""
        self._leading = 0
        """How many line breaks at the beginning of what comes next are markup."""
        self._blank: list[str] = []
        """All that came, until there is a word in it: it may be a thought without any."""
        self._opening = ""
        self._read = self._begin
        """What takes text where the body has come to."""
        self._cutter = Cutter()

    @property
    def pending(self) -> int:
        """How many characters wait for what they are to be known."""
        return self._cutter.pending + self._waiting

    @property
    def is_plain(self) -> bool:
        """Whether what comes without a tag or a line break in it goes on with the open text, and says nothing else."""
        return self.text != [] and not self._waiting and self._cutter.opener == ""

    def feed(self, text: str) -> None:
        """Take more of the body, which is never cut inside a tag."""
        if text:
            self._read(text)

    def passed(self, texts: Sequence[str]) -> None:
        """Take pieces of the open text that nothing had to be told of."""
        self.text += texts
        self._cutter.passed("".join(texts[-2:]))

    def finish(self, *, closed: bool) -> Turn:
        """There is no more.

        Args:
            closed: whether an end token follows.
        """
        if self._read == self._think:
            self._end_of_thought(closed=closed)
        else:
            self._end_of_text(closed=closed)
        last = self.messages[-1]
        if not closed and not is_call(last) and not is_thought(last):
            last.end = None
        return Turn(positioned(self.messages), self._opening)

    # --- where the body has come to -----------------------------------------------------------------------------------

    def _begin(self, text: str) -> None:
        """Nothing but white space has come."""
        if text.isspace():
            self._wait(text)
            return
        text = self._waited() + text
        opened = _OPENING.match(text)
        if opened is None:
            self._read = self._say
        else:
            self._read, self.in_thought, self._leading = self._think, True, 1
            self._blank, text = [opened[0]], text[opened.end() :]
        self.feed(text)

    def _think(self, text: str) -> None:
        """A thought is open that the body begins with."""
        thought, end, rest = text.partition(THOUGHT_END)
        self._add(thought)
        if end:
            self._end_first_thought()
            self.feed(rest)

    def _say(self, text: str) -> None:
        """Nothing but a text has come, which may be a thought whose beginning was the prompt's."""
        end, opener = text.find(THOUGHT_END), self._cutter.find_opener(text)
        if end >= 0 and not 0 <= opener < end:
            self._add(text[:end])
            self._end_first_thought()
            self.feed(text[end + len(THOUGHT_END) :])
            return
        if opener >= 0:
            self._read = self._go_on
        self._go_on(text)

    def _go_on(self, text: str) -> None:
        """Texts, calls and other thoughts."""
        for segment in self._cutter.feed(text):
            self._segment(segment)

    def _segment(self, segment: Segment) -> None:
        if segment.opener == THINK:
            self._later_thought(segment)
            return
        if not segment.opener:
            self._add(segment.raw)
            return
        calls, rest, cut_off = calls_of(segment, self._schemas)
        if not calls:
            code = FindingCode.TRUNCATED if cut_off else FindingCode.JSON_OPAQUE
            self._note(code, len(self.messages), "the call does not name its tool; it is kept as text")
            self._add_opaque(segment.raw)
            return
        self._end_beside(calls=True)
        for call in calls:
            self._remark(call, closed=segment.closed)
            self._put(message_of(call, self._name))
        if rest:
            self._leading = _BESIDE
            self._add_opaque(f"{rest}\n" if segment.closed else rest)

    def _add_opaque(self, raw: str) -> None:
        """Add what is no call to the open text; what is thought in it is none of that."""
        at = 0
        for found in _THINK.finditer(raw):
            if found.start() < at or is_quoted("", raw, found.start()):
                continue
            self._add(raw[at : found.start()])
            end = raw.find(THOUGHT_END, found.end())
            if end < 0:
                self._cutter.reopen(raw[found.end() :])
                return
            at = end + len(THOUGHT_END)
            self._later_thought(Segment(raw[found.start() : at], THINK, raw[found.end() : end]))
        self._add(raw[at:])

    def _remark(self, call: Call, *, closed: bool) -> None:
        at = len(self.messages)
        if call.repaired:
            self._note(FindingCode.JSON_REPAIRED, at, "the call is repaired")
        if call.remark is not None:
            self._note(FindingCode.SHAPE, at, call.remark)
        if not call.whole:
            self._note(FindingCode.TRUNCATED, at, "the call is cut off")
        elif not closed:
            self._note(FindingCode.END_MISSING, at, "the call has no end tag")

    # --- texts and thoughts -------------------------------------------------------------------------------------------

    def _add(self, text: str) -> None:
        """Add to the open text; its end waits, as far as it may be markup, or all of it while it is blank."""
        if not self.text:
            while self._leading and text.startswith("\n"):
                self._leading, text = self._leading - 1, text[1:]
                if self._opening and not self.messages:
                    self._opening += "\n"
                elif self.in_thought:
                    self._blank.append("\n")
            self._leading = 0 if text else self._leading
            if not text or text.isspace():
                self._wait(text)
                return
        text = self._waited() + text
        end = max(len(text.rstrip("\n")), len(text) - (1 if self.in_thought else _BESIDE))
        self._wait(text[end:])
        if end:
            self.text.append(text[:end])

    def _wait(self, text: str) -> None:
        """Add to the end of the open text."""
        self._end.append(text)
        self._waiting += len(text)

    def _waited(self) -> str:
        """The end of the open text, which is taken from it."""
        end, self._end, self._waiting = "".join(self._end), [], 0
        return end

    def _take(self, markup: int) -> str:
        """The open text, which is over, without so many line breaks at its end; "" where it is blank."""
        text, end = "".join(self.text), self._waited()
        self.text = []
        for _ in range(markup):
            end = end.removesuffix("\n")
        return text + end if text else ""

    def _put(self, made: Message) -> None:
        set_position(made, self.messages, calls_follow=False)
        self.messages.append(made)

    def _thought(self, text: str, *, closed: bool) -> None:
        made = Message("assistant", restore(text), self._name, "analysis", end="end" if closed else None)
        self._put(made)

    def _end_first_thought(self) -> None:
        """The thought that the body begins with is over."""
        blank = "".join((*self._blank, *self._end, THOUGHT_END))
        text = self._take(1)
        if text:
            self.turned = not self.in_thought
            self._thought(text, closed=True)
        else:
            self._opening = blank
        self._read, self.in_thought, self._leading, self._cutter = self._go_on, False, _BESIDE, Cutter()

    def _later_thought(self, segment: Segment) -> None:
        text = segment.inner.removeprefix("\n").removesuffix("\n" if segment.closed else "")
        if text.strip():
            self._end_beside()
            self._thought(text, closed=segment.closed)

    def _end_beside(self, *, calls: bool = False) -> None:
        """The open text is over: a call follows, or a thought."""
        text = self._take(_BESIDE)
        if text:
            made = message("assistant", restore(text), self._name)
            set_position(made, self.messages, calls_follow=calls)
            self.messages.append(made)
        self._leading = _BESIDE

    # --- the end ------------------------------------------------------------------------------------------------------

    def _end_of_thought(self, *, closed: bool) -> None:
        blank = "".join((*self._blank, *self._end))
        text = self._take(0)
        if text:
            if closed:
                self._note(FindingCode.END_MISSING, 0, _NO_END)
            self._thought(text, closed=False)
        else:
            self._opening = blank
            self.messages.append(message("assistant", "", self._name))

    def _end_of_text(self, *, closed: bool) -> None:
        for segment in self._cutter.finish():
            self._segment(segment)
            if segment.opener == THINK and closed and self.messages and is_thought(self.messages[-1]):
                self._note(FindingCode.END_MISSING, len(self.messages) - 1, _NO_END)
        blank = "".join(self._end)
        text = self._take(0)
        if text or not self.messages:
            self._put(message("assistant", restore(text or blank), self._name))
