"""The frames of the ChatML family: `<|im_start|>header⏎body<|im_end|>`, with what stands between them.

Shared by ChatML (v0), InternLM2 and OpenChatML 0.1; each says which spellings of the two tokens it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


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
        self._token: Final = re.compile("(" + "|".join(map(re.escape, (*self._starts, *ends))) + ")")

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
