"""Read an assistant's body, incrementally, as its thoughts, texts and calls, in order.

The body begins with a thought, with an empty thought, or with a text. A text that reaches `</think>` was a thought
whose start tag is missing. After that come texts, calls and further thoughts, which `Cutter` separates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import Message
from ocml_bridge.text.plain import message

from ..syntax import control_of
from .calls_in_thought import CallsInThought, holds_call
from .examples import CALL_AS_CODE, EXAMPLE, Examples
from .parts import (
    CALL_ENDS,
    NO_SCHEMAS,
    Body,
    Note,
    Schemas,
    calls_of,
    ignore,
    message_of,
    positioned,
    report_calls,
    set_position,
)
from .segments import CALL, CALL_END, LINES, LIST, THINK, THOUGHT_END, Cutter, Segment, is_quoted
from .thoughts import FIRST_TAG, HOLDS_CALL, INNER_CALL, MAY_BE_WORD, NO_END, OPENING, REPEATED_TAG, START, THOUGHT_ENDS

restore: Final = control_of("assistant").restore
_ENDS_AT_CALL: Final = f"{NO_END}; it ends before the call"
_LAST_CALL: Final = "nothing follows the thought, so the calls at its end are calls"
_BREAKS: Final = 2
"""The maximum number of line breaks that are markup on each side of a text, and after a thought."""


class BodyReader:
    """Reads a body incrementally.

    Args:
        name: the name of the assistant.
        schemas: the parameters of the declared functions.
        note: takes the findings.

    Attributes:
        messages: the messages that are complete.
        text: the pieces of the open text, without line breaks at its end that may be markup.
        in_thought: whether the open text is a thought that began with its start tag.
        turned: whether the first message began as a text and proved to be a thought.
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
        """The buffered end of the open text, which may be markup; all of the text while it is blank."""
        self._waiting = 0
        """The length of the buffered end."""
        self._leading = 0
        """The number of line breaks that are markup at the beginning of the next text."""
        self._blank: list[str] = []
        """The start tag of the first thought and white space, while the thought is blank, because it may be empty."""
        self._opening = ""
        self._has_repeated_tag = False
        self._ends_call = False
        """Whether the last call has no end tag, so that a start tag with nothing after it stands for it."""
        self._read = self._begin
        """The state: the method that takes the next text."""
        self._cutter = Cutter()
        self._examples = Examples(schemas)
        self._at_end = CallsInThought()
        """The calls that may end the first thought."""
        self._after: list[str] = []
        """The end tag of the first thought and white space, while only this follows such calls."""

    @property
    def pending(self) -> int:
        """The number of characters that are buffered."""
        return self._cutter.pending + self._examples.pending + self._at_end.pending + self._waiting + len(self._after)

    @property
    def is_plain(self) -> bool:
        """Whether text without tags and line breaks would just continue the open text."""
        is_open = self.text != [] and not self._waiting and self._cutter.opener == ""
        return is_open and self._at_end.is_empty and not self._examples.buffered

    def feed(self, text: str) -> None:
        """Take more of the body, which must not be cut inside a tag."""
        if text:
            self._read(text)

    def passed(self, texts: Sequence[str]) -> None:
        """Take pieces of the open text whose events were emitted already."""
        self.text += texts
        last = "".join(texts[-2:])
        self._cutter.passed(last)
        self._at_end.passed(last)

    def finish(self, *, closed: bool) -> Body:
        """End the body, and return its content.

        Args:
            closed: whether the frame has an end token.
        """
        if self._read == self._first_thought and not self._ends_at_call(_ENDS_AT_CALL, closed=closed):
            self._unended_thought(closed=closed)
        else:
            if self._read == self._after_calls and not self._ends_at_call(_LAST_CALL, closed=closed):
                self._end_after_calls()
            self._end_of_text(closed=closed)
        last = self.messages[-1]
        if not closed and not is_call(last) and not is_thought(last):
            last.end = None
        return Body(positioned(self.messages), self._opening)

    # --- states -------------------------------------------------------------------------------------------------------

    def _begin(self, text: str) -> None:
        """State: nothing but white space has come."""
        if text.isspace():
            self._wait(text)
            return
        text = self._waited() + text
        opened = FIRST_TAG.match(text)
        if opened is None:
            self._read = self._first_text
        else:
            self._read, self.in_thought, self._leading = self._first_thought, True, 1
            self._blank, text = [opened[0]], text[opened.end() :]
        self.feed(text)

    def _first_thought(self, text: str) -> None:
        """State: the body began with a thought, which is open."""
        again = OPENING.match(text) if not self.text and self._at_end.is_empty else None
        if again is not None:
            if not self._has_repeated_tag:
                self._note(FindingCode.MARKUP, 0, REPEATED_TAG)
            self._has_repeated_tag = True
            self._blank += (self._waited(), again[0])
            self._leading = 1
            text = text[again.end() :]
        thought, end, rest = text.partition(THOUGHT_END)
        self._add(self._at_end.feed(thought))
        if end:
            self._read = self._after_calls
            self._after_calls(end)
            self.feed(rest)

    def _after_calls(self, text: str) -> None:
        """State: the first thought has its end tag. Calls before it are parts of the thought if a text follows."""
        self._after.append(text)
        if self._at_end.is_empty or (len(self._after) > 1 and not text.isspace()):
            self._end_after_calls()

    def _end_after_calls(self) -> None:
        """End the first thought by its end tag; calls at its end are parts of it."""
        self._add(self._at_end.release())
        (_, *rest), self._after = self._after, []
        self._end_first_thought()
        self.feed("".join(rest))

    def _first_text(self, text: str) -> None:
        """State: only text has come, which may be a thought whose start tag was in the prompt."""
        end, opener = text.find(THOUGHT_END), self._cutter.find_opener(text)
        if end >= 0 and not 0 <= opener < end:
            self.feed(self._after_thought(text, end))
            return
        if opener >= 0:
            self._read = self._later
        self._later(text)

    def _later(self, text: str) -> None:
        """State: texts, calls and further thoughts."""
        for segment in self._cutter.feed(text):
            self._segment(segment)

    def _segment(self, segment: Segment) -> None:
        """Take a text, a further thought, or a call, unless it may be an example."""
        if not self._examples.take(segment, self.text, "".join(self._end)):
            self._end_examples(EXAMPLE, self._add_uncalled)
            self._part(segment)

    def _part(self, segment: Segment) -> None:
        """Take a text, a further thought, or a call."""
        if segment.opener == THINK:
            self._later_thought(segment)
            return
        if not segment.opener:
            self._add_text(self._without_end_tag(segment.raw))
            return
        calls, rest, cut_off = calls_of(segment, self._schemas)
        if segment.nests and not calls:
            for each in self._cutter.without_nesting(segment):
                self._segment(each)
            return
        if not calls:
            code = FindingCode.TRUNCATED if cut_off else FindingCode.JSON_OPAQUE
            self._note(code, len(self.messages), "the call does not name its tool; it is kept as text")
            self._add_uncalled(segment)
            return
        self._end_text(calls_follow=True)
        report_calls(calls, rest, len(self.messages), self._note, closed=segment.closed)
        for call in calls:
            self._put(message_of(call, self._name))
        self._ends_call = not segment.closed
        if rest:
            self._leading = _BREAKS
            self._add_uncalled(Segment(f"{rest}\n" if segment.closed else rest))

    def _end_examples(self, why: str, take: Callable[[Segment], None]) -> None:
        """Take the calls in code; `why`: the finding."""
        if segments := self._examples.release():
            self._note(FindingCode.MARKUP, len(self.messages) + (take != self._add_uncalled), why)
        for segment in segments:
            take(segment)

    def _without_end_tag(self, text: str) -> str:
        """Return a text without an end tag that a call, or a thought, has once more."""
        last = self.messages[-1] if self.messages else None
        after_call = last is not None and is_call(last)
        tag = CALL_END if after_call else THOUGHT_END
        ends = after_call or (self._opening != "" if last is None else is_thought(last))
        rest = text.lstrip()
        if self.text or not ends or not rest.startswith(tag):
            return text
        code = FindingCode.JSON_REPAIRED if after_call else FindingCode.MARKUP
        self._note(code, max(len(self.messages) - 1, 0), CALL_ENDS if after_call else THOUGHT_ENDS)
        self._waited()
        self._leading = _BREAKS
        while rest.startswith(tag):
            rest, text = rest.removeprefix(tag).lstrip(), rest.removeprefix(tag)
        return text

    def _add_uncalled(self, segment: Segment) -> None:
        """Add something that is not a call to the open text, but take the thoughts in it out."""
        raw, at = segment.raw, 0
        for tag in START.finditer(raw):
            if tag.start() < at or is_quoted("", raw, tag.start()):
                continue
            self._add_text(raw[at : tag.start()])
            end = raw.find(THOUGHT_END, tag.end())
            if end < 0:
                self._cutter.reopen(raw[tag.end() :])
                return
            at = end + len(THOUGHT_END)
            self._later_thought(Segment(raw[tag.start() : at], THINK, raw[tag.end() : end]))
        self._add_text(raw[at:])

    def _add_text(self, text: str) -> None:
        """Add to the open text. If the first text reaches the end tag of a thought, it was a thought."""
        end = -1 if self.messages or self._opening else text.find(THOUGHT_END)
        self._add(self._after_thought(text, end) if end >= 0 else text)

    def _after_thought(self, text: str, end: int) -> str:
        """End a thought whose start tag is missing by the end tag at an offset; return the text after it."""
        if is_quoted(self._cutter.before if end < 2 else "", text, end):
            self._note(FindingCode.MARKUP, 0, MAY_BE_WORD)
        self._add(text[:end])
        self._end_first_thought()
        return text[end + len(THOUGHT_END) :]

    # --- texts and thoughts -------------------------------------------------------------------------------------------

    def _add(self, text: str) -> None:
        """Add to the open text; buffer its end if that may be markup, or all of it while it is blank."""
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
        end = max(len(text.rstrip("\n")), len(text) - (1 if self.in_thought else _BREAKS))
        self._wait(text[end:])
        if end:
            self.text.append(text[:end])

    def _wait(self, text: str) -> None:
        """Add to the buffered end."""
        self._end.append(text)
        self._waiting += len(text)

    def _waited(self) -> str:
        """Return the buffered end, and empty the buffer."""
        end, self._end, self._waiting = "".join(self._end), [], 0
        return end

    def _take(self, markup: int) -> str:
        """End the open text; return it without up to `markup` line breaks at its end, or "" if it is blank."""
        text, end = "".join(self.text), self._waited()
        self.text = []
        self._examples.begin_text()
        for _ in range(markup):
            end = end.removesuffix("\n")
        return text + end if text else ""

    def _put(self, part: Message, *, calls_follow: bool = False) -> None:
        set_position(part, self.messages, calls_follow=calls_follow)
        self.messages.append(part)
        self._ends_call = False

    def _thought(self, text: str, *, closed: bool, has_call: bool = False) -> None:
        if has_call:
            self._note(FindingCode.MARKUP, len(self.messages), INNER_CALL)
        self._put(Message("assistant", restore(text), self._name, "analysis", end="end" if closed else None))

    def _end_first_thought(self, tag: str = THOUGHT_END) -> None:
        """End the thought that the body began with, by its end tag, or by a call."""
        blank = "".join((*self._blank, *self._end, tag))
        text = self._take(1)
        if text:
            self.turned = not self.in_thought
            self._thought(text, closed=True, has_call=self._at_end.has_call)
        else:
            self._opening = blank
        self._read, self.in_thought, self._leading = self._later, False, _BREAKS
        self._cutter.passed("\n")  # a call may begin here, as at the beginning of a line

    def _later_thought(self, segment: Segment) -> None:
        text = segment.inner.removeprefix("\n").removesuffix("\n" if segment.closed else "")
        if text.strip():
            self._end_text()
            self._thought(text, closed=segment.closed, has_call=segment.closed and holds_call(text))

    def _end_text(self, *, calls_follow: bool = False) -> None:
        """End the open text, because a call or a thought follows."""
        text = self._take(_BREAKS)
        if text:
            self._put(message("assistant", restore(text), self._name), calls_follow=calls_follow)
        self._leading = _BREAKS

    # --- the end ------------------------------------------------------------------------------------------------------

    def _ends_at_call(self, why: str, *, closed: bool) -> bool:
        """If calls end the first thought, end it before them, and return True; `why`: the finding."""
        if not closed:
            return False
        thought, calls = self._at_end.finish()
        self._add(thought)
        if not calls:
            return False
        self._end_first_thought("")
        self._note(FindingCode.MARKUP if self._after else FindingCode.END_MISSING, 0, why)
        self._later(calls)
        return True

    def _unended_thought(self, *, closed: bool) -> None:
        """End the body inside its first thought, which stays without an end."""
        self._add(self._at_end.release())
        blank = "".join((*self._blank, *self._end))
        text = self._take(0)
        if text:
            if closed:
                has_call = any(tag in text for tag in (CALL, LIST, LINES))
                self._note(FindingCode.END_MISSING, 0, f"{NO_END}{HOLDS_CALL if has_call else ''}")
            self._thought(text, closed=False)
        else:
            self._opening = blank
            self.messages.append(message("assistant", "", self._name))

    def _last_thought(self, segment: Segment) -> None:
        """Take a further thought that the body ends in, or that the calls at its end have ended."""
        at_end = CallsInThought()
        thought = at_end.feed(segment.inner)
        rest, calls = at_end.finish()
        self._later_thought(segment._replace(inner=thought + rest, closed=True) if calls else segment)
        if self.messages and is_thought(self.messages[-1]):
            self._note(FindingCode.END_MISSING, len(self.messages) - 1, _ENDS_AT_CALL if calls else NO_END)
        self._later(calls)

    def _end_of_text(self, *, closed: bool) -> None:
        """End the body inside a text, a call or a further thought."""
        for segment in self._cutter.finish(cut_off=not closed):
            if segment.opener == THINK and closed:
                self._last_thought(segment)
            elif closed and self._ends_call and not self.text and segment.raw.strip() == CALL:
                self._note(FindingCode.JSON_REPAIRED, len(self.messages) - 1, "the call ends with its start tag")
            else:
                self._segment(segment)
        self._end_examples(CALL_AS_CODE, self._part)
        blank = "".join(self._end)
        text = self._take(0)
        if text or not self.messages:
            self._put(message("assistant", restore(text or blank), self._name))
