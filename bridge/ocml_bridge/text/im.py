"""The frames of the ChatML family: `<|im_start|>header⏎body<|im_end|>`, with what stands between them.

Shared by ChatML (v0), InternLM2 and OpenChatML 0.1; each says which spellings of the two tokens it reads.
`text.edges` remembers how a frame was spelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

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
    """

    gap: str
    start: str
    header: str
    newline: bool
    body: str
    end: str
    offset: int
    last: bool


class Grammar:
    """Which tokens open and close a frame.

    Args:
        starts: spellings of the start token.
        ends: spellings of the end token.
    """

    def __init__(self, starts: Iterable[str], ends: Iterable[str]) -> None:
        self._starts: Final = frozenset(starts)
        self._start: Final = re.compile("|".join(map(re.escape, self._starts)))
        self._token: Final = re.compile("(" + "|".join(map(re.escape, (*self._starts, *ends))) + ")")

    def opens(self, text: str) -> bool:
        """Whether a start token stands in a text."""
        return self._start.search(text) is not None

    def cuts(self, text: str) -> bool:
        """Whether a start or an end token stands in a text."""
        return self._token.search(text) is not None

    def frames(self, text: str) -> tuple[list[Frame], str]:
        """The frames of a text, and what stands behind the last one. An end token outside a frame is part of a gap."""
        pieces = self._token.split(text)
        frames: list[Frame] = []
        gap, offset = pieces[0], len(pieces[0])
        index, count = 1, len(pieces)
        gaps = [gap]
        while index < count:
            token, after = pieces[index], pieces[index + 1]
            if token not in self._starts:
                gaps += (token, after)
                offset += len(token) + len(after)
                index += 2
                continue
            header, newline, body = after.partition("\n")
            end = pieces[index + 2] if index + 2 < count else ""
            closed = end != "" and end not in self._starts
            frames.append(
                Frame("".join(gaps), token, header, newline != "", body, end if closed else "", offset, end == "")
            )
            offset += len(token) + len(after)
            index += 2
            gaps = []
            if closed:
                gaps = [pieces[index + 1]]
                offset += len(end) + len(pieces[index + 1])
                index += 2
        return frames, "".join(gaps)


def spell(frames: Sequence[Frame], tail: str) -> str:
    """The text of frames, and what stands behind the last one: what `Grammar.frames` reads back."""
    pieces: list[str] = []
    for frame in frames:
        pieces += (frame.gap, frame.start, frame.header, "\n" if frame.newline else "", frame.body, frame.end)
    return "".join((*pieces, tail))


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
