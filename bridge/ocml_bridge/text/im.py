"""The frames of the ChatML family: `<|im_start|>header⏎body<|im_end|>`, with what stands between them.

Shared by ChatML (v0), InternLM2 and OpenChatML 0.1; each says which spellings of the two tokens it reads.
`text.edges` remembers how a frame was spelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from ..formats.boundary import EDGES, Boundary, cut_text, several
from .attributes import attribute, split


@dataclass(slots=True)
class Frame:
    """One frame as it stands in the text.

    Attributes:
        gap: the text between the frame before (or the beginning) and this one.
        start: the start token as spelled.
        header: from the start token to the end of its line.
        newline: whether the header's line ended; without it there is no body.
        body: from there to the end token, another start token, or the end of the text.
        end: the end token as spelled; "" where it is missing.
        offset: of the start token, in characters.
        last: whether the text ends with this frame's body (so a missing end means that it was cut off).
        begins: where another conversation begins with this frame, in characters; -1 where it goes on.
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


class Grammar:
    """Which tokens open and close a frame.

    Args:
        starts: spellings of the start token.
        ends: spellings of the end token.
        boundary: which tokens between frames begin another conversation.
    """

    def __init__(self, starts: Iterable[str], ends: Iterable[str], boundary: Boundary = EDGES) -> None:
        self._starts: Final = frozenset(starts)
        self.is_start: Final = self._starts.__contains__
        """Whether a token opens a frame."""
        self._ends: Final = tuple(ends)
        self.boundary: Final = boundary

    @cached_property
    def _start(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, self._starts)))

    @cached_property
    def _token(self) -> re.Pattern[str]:
        return re.compile("(" + "|".join(map(re.escape, (*self._starts, *self._ends))) + ")")

    @cached_property
    def _families(self) -> list[tuple[str, re.Pattern[str]]]:
        """What the tokens with one first character begin with, and a pattern for these tokens."""
        tokens = sorted((*self._starts, *self._ends))
        families = [list(family) for _, family in groupby(tokens, itemgetter(0))]
        return [
            (_common(family[0], family[-1]), re.compile(f"({'|'.join(map(re.escape, family))})")) for family in families
        ]

    def opens(self, text: str) -> bool:
        """Whether a start token stands in a text."""
        return self._start.search(text) is not None

    def cuts(self, text: str) -> bool:
        """Whether a start or an end token stands in a text."""
        return self._token.search(text) is not None

    def pieces(self, text: str) -> list[str]:
        """Text as pieces: text and tokens in turn, text first and last."""
        # A pattern whose tokens begin alike is searched for several times as fast.
        found = [token for prefix, token in self._families if prefix in text]
        return found[0].split(text) if len(found) == 1 else self._token.split(text)

    def frames(self, text: str) -> tuple[list[Frame], str]:
        """The frames of a text, and what stands behind the last one. An end token outside a frame is part of a gap.

        Raises:
            BridgeError: OCB-SEVERAL with the offset where another conversation begins.
        """
        frames, tail = self._scan(text)
        for frame in frames:
            if frame.begins >= 0:
                alone(frame)
        return frames, tail

    def split(self, text: str) -> list[tuple[int, str]]:
        """The conversations of a text, each with its offset."""
        return cut_text(text, [frame.begins for frame in self._scan(text)[0] if frame.begins >= 0])

    def _scan(self, text: str) -> tuple[list[Frame], str]:
        scanner = Scanner(self)
        frames = scanner.feed(text)
        last, tail = scanner.finish()
        return [*frames, *last], tail


def _common(one: str, other: str) -> str:
    """What two texts begin with."""
    count = 0
    while one[count : count + 1] == other[count : count + 1] != "":
        count += 1
    return one[:count]


def alone(frame: Frame) -> None:
    """See that a frame belongs to the conversation of those before it.

    Raises:
        BridgeError: OCB-SEVERAL with the offset where another one begins.
    """
    if frame.begins >= 0:
        raise several(offset=frame.begins)


class Scanner:
    """Finds frames in one pass over text, which may come at any time but is never cut inside a token.

    Args:
        grammar: which tokens open and close a frame.

    Attributes:
        frame: the one that is open; once its header's line has ended, `newline` is set and its body has begun.
        body: the pieces of the open body; whoever knows that a text holds no token may append it here.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._gap: list[str] = []
        self._line: list[str] = []
        self._text = self._gap
        """Where text goes: what stands between frames, the header's line, or the body."""
        self._offset = 0
        """Of what comes next, without the body that is open."""
        self._size = 0
        self._first = True
        self.frame: Frame | None = None
        self.body: list[str] = []

    @property
    def pending(self) -> int:
        """How many characters wait for what they are to be known."""
        return 0 if self.frame is not None and self.frame.newline else self._size

    def feed(self, text: str) -> list[Frame]:
        """Take more text; the frames that it completes."""
        pieces = self._grammar.pieces(text)
        done: list[Frame] = []
        self._take(pieces[0])
        at = 1
        while at < len(pieces):
            opens = self._grammar.is_start(pieces[at])
            if opens and self.frame is None:
                at = self._whole(pieces, at, done)
                if at == len(pieces):
                    break
                opens = self._grammar.is_start(pieces[at])
            token, behind = pieces[at], pieces[at + 1]
            if self.frame is not None:
                done.append(self._close("" if opens else token))
                self._await(self._gap)
            elif not opens:
                self._gap.append(token)
            if opens:
                self.frame = self._open(token)
                self._gap, self._line = [], []
                self._await(self._line)
            self._offset += len(token)
            self._take(behind)
            at += 2
        return done

    def _whole(self, pieces: Sequence[str], at: int, done: list[Frame]) -> int:
        """Take the frames that stand there from token to token; the index of the first token that is none of theirs."""
        opens, find, first = self._grammar.is_start, self._grammar.boundary.find, at
        gap, offset = "".join(self._gap), self._offset
        while at + 2 < len(pieces) and opens(start := pieces[at]) and not opens(end := pieces[at + 2]):
            inner = pieces[at + 1]
            header, newline, body = inner.partition("\n")
            begins = -1 if self._first else find(gap)
            if begins >= 0:
                begins += offset - len(gap)
            done.append(Frame(gap, start, header, newline != "", body, end, offset, False, begins))
            gap = pieces[at + 3]
            offset += len(start) + len(inner) + len(end) + len(gap)
            self._first = False
            at += 4
        if at > first:
            self._gap, self._offset = [], offset - len(gap)
            self._await(self._gap)
            self._take(gap)
        return at

    def finish(self) -> tuple[list[Frame], str]:
        """There is no more text: the frame that is cut off, and what stands behind all frames."""
        if self.frame is None:
            return [], "".join(self._gap)
        frame = self._close("")
        frame.last = True
        return [frame], ""

    def _open(self, token: str) -> Frame:
        frame = Frame("".join(self._gap), token, "", False, "", "", self._offset, False)
        at = -1 if self._first else self._grammar.boundary.find(frame.gap)
        if at >= 0:
            frame.begins = self._offset - len(frame.gap) + at
        self._first = False
        return frame

    def _await(self, text: list[str]) -> None:
        self._text, self._size = text, 0

    def _take(self, text: str) -> None:
        if self._text is self._line and self.frame is not None:
            line, newline, text = text.partition("\n")
            self._line.append(line)
            self._offset += len(line) + len(newline)
            self._size += len(line)
            if newline:
                self.frame.header, self.frame.newline = "".join(self._line), True
                self.body = self._text = []
        if text:
            self._text.append(text)
            if self._text is not self.body:
                self._offset += len(text)
                self._size += len(text)

    def _close(self, end: str) -> Frame:
        frame = self.frame
        assert frame is not None
        if frame.newline:
            frame.body = "".join(self.body)
            self._offset += len(frame.body)
        else:
            frame.header = "".join(self._line)
        frame.end = end
        self.frame = None
        return frame


def spell(frames: Sequence[Frame], tail: str) -> str:
    """The text of frames, and what stands behind the last one: what `Grammar.frames` reads back."""
    pieces: list[str] = []
    for frame in frames:
        pieces += (frame.gap, frame.start, frame.header, "\n" if frame.newline else "", frame.body, frame.end)
    return "".join((*pieces, tail))


_ESCAPED: Final = re.compile(r"\w+\\n")
_START: Final = "<|im_start|>"


def is_escaped(text: str) -> bool:
    """Whether line ends of a text are written as a backslash and an `n`: then its first header never ends."""
    at = text.find(_START)
    return at >= 0 and _ESCAPED.match(text, at + len(_START)) is not None


class Heading(NamedTuple):
    """What a header says: `role name=x`.

    Attributes:
        role: the first word; "" where the header begins with an attribute or is empty.
        name: the first `name=` that has a value, or None.
        rest: the other words, in order.
    """

    role: str
    name: str | None
    rest: tuple[str, ...]


@lru_cache(maxsize=1024)
def read_header(header: str) -> Heading:
    """Take a header apart; white space around and between its words says nothing."""
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
    """The header for a role and a name, both safe (`text.plain`); `read_header` gives them back."""
    if name is None:
        return role
    return f"{role} name={name}" if role else f"name={name}"
