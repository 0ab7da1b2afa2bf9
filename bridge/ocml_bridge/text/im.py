"""Split a text of the ChatML family into frames: `<|im_start|>header⏎body<|im_end|>`, and the gaps between them.

ChatML (v0), InternLM2 and OpenChatML 0.1 share this module; each names the start and end tokens that it reads in a
`Grammar`. `Scanner` finds the frames, also while the text arrives; `spell` joins frames to a text again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, groupby
from operator import itemgetter
from typing import Final, NamedTuple

from ..formats.boundary import EDGES, Boundary, cut_text, several
from .attributes import attribute, split


@dataclass(slots=True)
class Frame:
    """One frame, with the text of each of its parts.

    Attributes:
        gap: the text between the previous frame (or the beginning of the text) and this one.
        start: the start token.
        header: the text from the start token to what ends a header: the end of the line, or `Grammar.header_end`.
        newline: whether the header has an end; if not, there is no body.
        body: the text from there to the end token, the next start token, or the end of the text.
        end: the end token; "" if it is missing.
        offset: the offset of the start token in the text, in characters.
        last: whether the text ends within this frame, so that a missing end token means that it was cut off.
        begins: the offset in characters at which another conversation begins before this frame; -1 if none begins.
    """

    gap: str
    start: str
    header: str
    newline: bool
    body: str
    end: str
    offset: int
    last: bool
    begins: int = -1


def _common(one: str, other: str) -> str:
    """Return the longest common prefix of two texts."""
    count = 0
    while one[count : count + 1] == other[count : count + 1] != "":
        count += 1
    return one[:count]


_LONGEST_HEADER: Final = 256
"""The longest header that separates contents, so that a start token without one is not followed to the text's end."""


class _Splitter:
    """Splits texts at tokens.

    Args:
        tokens: the tokens.
        spell: returns the pattern of a token, which begins with the token itself.

    Attributes:
        pattern: matches all of them.
    """

    def __init__(self, tokens: Iterable[str], spell: Callable[[str], str]) -> None:
        families = [list(family) for _, family in groupby(sorted(tokens), itemgetter(0))]
        spelled = [f"({'|'.join(map(spell, family))})" for family in families]
        self.pattern: Final = re.compile(f"({'|'.join(map(spell, chain(*families)))})")
        self._families: Final = [
            (_common(family[0], family[-1]), re.compile(pattern))
            for family, pattern in zip(families, spelled, strict=True)
        ]

    def split(self, text: str) -> list[str]:
        """Split a text: texts and tokens alternate, and a text is first and last."""
        # A pattern whose tokens have a common prefix is searched for several times as fast.
        patterns = [pattern for prefix, pattern in self._families if prefix in text]
        return patterns[0].split(text) if len(patterns) == 1 else self.pattern.split(text)


class Grammar:
    """The tokens that open and close a frame.

    Args:
        starts: the start tokens.
        ends: the end tokens.
        boundary: the tokens between frames that begin another conversation.
        closers: the tokens that end a text, and with it a last frame that has no end token.
        header_end: the text that ends a header, such as a line break, or `<|end_header_id|>` and two of them. It
            contains no start token and no end token.

    Attributes:
        starts: as given, as a set; `boundary` and `closers` likewise.
        header_end: as given.
    """

    def __init__(
        self,
        starts: Iterable[str],
        ends: Iterable[str],
        boundary: Boundary = EDGES,
        closers: Iterable[str] = (),
        header_end: str = "\n",
    ) -> None:
        self.starts: Final = frozenset(starts)
        self._ends: Final = tuple(ends)
        self.boundary: Final = boundary
        self.closers: Final = frozenset(closers)
        self.header_end: Final = header_end

    @cached_property
    def _start(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, self.starts)))

    @cached_property
    def _tokens(self) -> _Splitter:
        return _Splitter((*self.starts, *self._ends), re.escape)

    @cached_property
    def _separators(self) -> _Splitter:
        return _Splitter((*self.starts, *self._ends), self._separator)

    def _separator(self, token: str) -> str:
        """Return a pattern for a token: a start token with its header, an end token alone."""
        header = f"[^\n]{{0,{_LONGEST_HEADER}}}{re.escape(self.header_end)}" if token in self.starts else ""
        return re.escape(token) + header

    @cached_property
    def _closing(self) -> re.Pattern[str]:
        return re.compile(rf"({'|'.join(map(re.escape, self.closers))})\s*\Z")

    def closing(self, body: str) -> re.Match[str] | None:
        """Return the token at the end of a body that ends a text, with the white space after it; None without one."""
        return self._closing.search(body) if self.closers else None

    def opens(self, text: str) -> bool:
        """Return whether a text contains a start token."""
        return self._start.search(text) is not None

    def cuts(self, text: str) -> bool:
        """Return whether a text contains a start or an end token."""
        return self._tokens.pattern.search(text) is not None

    def pieces(self, text: str) -> list[str]:
        """Split a text at its tokens: texts and tokens alternate, and a text is first and last."""
        return self._tokens.split(text)

    def contents(self, text: str) -> list[str]:
        """Split a text at its tokens, which include the headers of frames (`UnitReader.pieces`)."""
        return self._separators.split(text)

    def frames(self, text: str, check: Callable[[Frame], None] | None = None) -> tuple[list[Frame], str]:
        """Return the frames of a text, and the text after the last one. An end token outside a frame is part of a gap.

        Args:
            text: the text.
            check: is called with each frame in its order, and may raise an error. A stream meets the frames before a
                second conversation first, so a format that has streams and refuses frames does it here.

        Raises:
            BridgeError: OCB-SEVERAL if the text contains a second conversation, with the offset of its beginning.
        """
        frames, tail = self._scan(text)
        for frame in frames:
            if frame.begins >= 0:
                raise several(offset=frame.begins)
            if check is not None:
                check(frame)
        return frames, tail

    def split(self, text: str) -> list[tuple[int, str]]:
        """Split a text into its conversations, each with its offset in characters."""
        return cut_text(text, [frame.begins for frame in self._scan(text)[0] if frame.begins >= 0])

    def _scan(self, text: str) -> tuple[list[Frame], str]:
        scanner = Scanner(self)
        frames = scanner.feed(text)
        last, tail = scanner.finish()
        return [*frames, *last], tail


class Scanner:
    """Find the frames of a text that arrives in pieces, in one pass. No piece may end inside a token.

    Args:
        grammar: the tokens that open and close a frame.

    Attributes:
        frame: the open frame, or None; its `newline` is set as soon as its header is complete and its body begins.
        body: the pieces of the open body; a caller that knows that a text contains no token may append it here.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._gap: list[str] = []
        self._line: list[str] = []
        self._partial_end = ""
        """The end of the open header that may be the beginning of what ends it; it is counted in `_size`."""
        self._text = self._gap
        """The list that receives text at present: that of the gap, of the header, or of the body."""
        self._offset = 0
        """The offset of the text that comes next, without the length of the open body."""
        self._size = 0
        """The length of the text in the open gap or header."""
        self._first = True
        self.frame: Frame | None = None
        self.body: list[str] = []

    @property
    def pending(self) -> int:
        """The number of characters read of a gap or a header that is not complete."""
        return 0 if self.frame is not None and self.frame.newline else self._size

    def feed(self, text: str) -> list[Frame]:
        """Take more text; return the frames that it completes."""
        pieces = self._grammar.pieces(text)
        done: list[Frame] = []
        self._take(pieces[0])
        at = 1
        while at < len(pieces):
            opens = pieces[at] in self._grammar.starts
            if opens and self.frame is None:
                at = self._take_complete_frames(pieces, at, done)
                if at == len(pieces):
                    break
                opens = pieces[at] in self._grammar.starts
            token, text_after = pieces[at], pieces[at + 1]
            if self.frame is not None:
                done.append(self._close("" if opens else token))
                self._collect_in(self._gap)
            elif not opens:
                self._gap.append(token)
            if opens:
                self.frame = self._open(token)
                self._gap, self._line = [], []
                self._collect_in(self._line)
            self._offset += len(token)
            self._take(text_after)
            at += 2
        return done

    def _take_complete_frames(self, pieces: Sequence[str], at: int, done: list[Frame]) -> int:
        """Take the frames that are complete in these pieces at once, and append them to `done`.

        Args:
            pieces: texts and tokens, alternating.
            at: the index of a start token.
            done: receives the frames.

        Returns:
            The index of the first token after these frames.
        """
        starts, first_at, count = self._grammar.starts, at, len(pieces)
        gap, offset, header_end = "".join(self._gap), self._offset, self._grammar.header_end
        while at + 2 < count and (start := pieces[at]) in starts and (end := pieces[at + 2]) not in starts:
            inner = pieces[at + 1]
            header, newline, body = inner.partition(header_end)
            begins = -1
            if gap != "\n" and gap and not self._first and (begins := self._grammar.boundary.find(gap)) >= 0:
                begins += offset - len(gap)
            done.append(Frame(gap, start, header, newline != "", body, end, offset, False, begins))
            gap = pieces[at + 3]
            offset += len(start) + len(inner) + len(end) + len(gap)
            self._first = False
            at += 4
        if at > first_at:
            self._gap, self._offset = [], offset - len(gap)
            self._collect_in(self._gap)
            self._take(gap)
        return at

    def finish(self) -> tuple[list[Frame], str]:
        """End the text; return the open frame, if there is one, and the text after the last frame."""
        if self.frame is None:
            return [], "".join(self._gap)
        frame = self._close("")
        closed = self._grammar.closing(frame.body)
        if closed is None:
            frame.last = True
            return [frame], ""
        tail = frame.body[closed.end(1) :]
        frame.body, frame.end = frame.body[: closed.start()], closed[1]
        return [frame], tail

    def _open(self, token: str) -> Frame:
        frame = Frame("".join(self._gap), token, "", False, "", "", self._offset, False)
        at = -1 if self._first else self._grammar.boundary.find(frame.gap)
        if at >= 0:
            frame.begins = self._offset - len(frame.gap) + at
        self._first = False
        return frame

    def _collect_in(self, text: list[str]) -> None:
        self._text, self._size = text, 0

    def _take(self, text: str) -> None:
        if self._text is self._line and self.frame is not None:
            text = self._take_header(self.frame, text)
        if text:
            self._text.append(text)
            if self._text is not self.body:
                self._offset += len(text)
                self._size += len(text)

    def _take_header(self, frame: Frame, text: str) -> str:
        """Take more of the header; return the text after its end."""
        ending, counted = self._grammar.header_end, len(self._partial_end)
        line, ended, text = (self._partial_end + text).partition(ending)
        self._offset += len(line) + len(ended) - counted
        self._size += len(line) - counted
        if ended:
            self._line.append(line)
            self._partial_end = ""
            frame.header, frame.newline = "".join(self._line), True
            self.body = self._text = []
        else:
            sure = max(len(line) - len(ending) + 1, 0)
            self._line.append(line[:sure])
            self._partial_end = line[sure:]
        return text

    def _close(self, end: str) -> Frame:
        frame = self.frame
        assert frame is not None
        if frame.newline:
            frame.body = "".join(self.body)
            self._offset += len(frame.body)
        else:
            frame.header = "".join((*self._line, self._partial_end))
        frame.end, self._partial_end = end, ""
        self.frame = None
        return frame


def spell(frames: Sequence[Frame], tail: str) -> str:
    """Join frames and the text after the last one; `Grammar.frames` reads the result back."""
    pieces: list[str] = []
    for frame in frames:
        pieces += (frame.gap, frame.start, frame.header, "\n" if frame.newline else "", frame.body, frame.end)
    return "".join((*pieces, tail))


_NO_LINE: Final = re.compile(r"\w+(?:\\n|<\|im_sep\|>)|<\|(?:system|user|assistant)\|>|(?:System|User|Assistant):")
_START: Final = "<|im_start|>"


def has_no_header_line(text: str) -> bool:
    """Return whether the first header is none of this family's, whose role is a word that its line ends with.

    A backslash and `n` follow it, or Phi-4's token; or the role is a token (A.X 4), or has a colon (SmolVLM).
    """
    at = text.find(_START)
    return at >= 0 and _NO_LINE.match(text, at + len(_START)) is not None


class Heading(NamedTuple):
    """The parts of a header such as `role name=x`.

    Attributes:
        role: the first word; "" if the header is empty or begins with an attribute.
        name: the value of the first `name=` that has one, or None.
        rest: the other words, in order.
    """

    role: str
    name: str | None
    rest: tuple[str, ...]


@lru_cache(maxsize=1024)
def read_header(header: str) -> Heading:
    """Parse a header; white space around and between its words is ignored."""
    words = split(header)
    role = words.pop(0) if words and attribute(words[0]) is None else ""
    name: str | None = None
    rest: list[str] = []
    for word in words:
        pair = attribute(word)
        if name is None and pair is not None and pair[0] == "name" and pair[1]:
            name = pair[1]
        else:
            rest.append(word)
    return Heading(role, name, tuple(rest))


def write_header(role: str, name: str | None) -> str:
    """Return the header with a role and a name, which `read_header` reads back; both must be safe (`text.plain`)."""
    if name is None:
        return role
    return f"{role} name={name}" if role else f"name={name}"
