"""Recognise calls that a text only shows: in a block of code, or as code in a line of the text.

A model that explains its markup goes on with text after the example. A model that writes its calls as code ends its
answer with them. So such a call is text if text follows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from typing import Final

from .parts import NO_SCHEMAS, Schemas, calls_of
from .segments import THINK, Segment

EXAMPLE: Final = "a call in a block of code, or as code in a line, is text if text follows it"
CALL_AS_CODE: Final = "nothing follows the block of code, or the code in a line, so the call in it is a call"
_FENCE: Final = re.compile(r"(?:\A|\n)[ \t]{0,16}(?P<marks>`{3,}|~{3,})(?P<rest>[^\n]*)")
_END_OF_CODE: Final = re.compile(r"[\s`~]*")
"""A text that may only end the code around a call."""
_TICK: Final = "`"
_LONGEST: Final = 256
"""The number of characters of a line that are looked at for the marks of a block."""


class CodeMarks:
    """Follows the marks of code in a text (CommonMark: fenced code blocks, code spans)."""

    def __init__(self) -> None:
        self._block = ""
        """The marks that the open block began with; "" if none is open."""
        self._line = ""
        """The beginning of the last line."""
        self._ticks = 0
        """The number of backticks in the last line."""

    def feed(self, text: str) -> None:
        """Take more of the text."""
        lines, line_break, rest = text.rpartition("\n")
        if line_break:
            for fence in _FENCE.finditer(self._line + lines):
                self._block = _after(fence, self._block)
            self._line, self._ticks = "", 0
        self._line = (self._line + rest[:_LONGEST])[:_LONGEST]
        self._ticks += rest.count(_TICK)

    @property
    def is_code(self) -> bool:
        """Whether what follows the text is code."""
        fence = _FENCE.match(self._line)
        return self._ticks % 2 == 1 or (self._block if fence is None else _after(fence, self._block)) != ""


def _after(fence: re.Match[str], block: str) -> str:
    """Return the marks of the block that is open after a line of marks; `block`: the one that is open before it."""
    marks, rest = fence["marks"], fence["rest"]
    if not block:
        return "" if _TICK in rest and marks[0] == _TICK else marks
    ends = marks.startswith(block) and not rest.strip()
    return "" if ends else block


class Examples:
    """Buffers calls in code until it is known whether text follows them.

    Args:
        schemas: the parameters of the declared functions.

    Attributes:
        buffered: the calls, and what may end the code around them.
        pending: the number of characters that are buffered.
    """

    def __init__(self, schemas: Schemas = NO_SCHEMAS) -> None:
        self._schemas = schemas
        self.buffered: list[Segment] = []
        self.pending = 0
        self._marks = self._inside = CodeMarks()
        """The marks in the text before the calls, and those up to the last call."""
        self._seen = 0
        """The number of pieces of the text whose marks are known."""

    def begin_text(self) -> None:
        """Begin a text."""
        self._marks, self._seen = CodeMarks(), 0

    def take(self, segment: Segment, text: Sequence[str], end: str) -> bool:
        """Buffer a part of the body if it is a call in code, or may end the code around one; return whether it is.

        Args:
            segment: the part.
            text: the pieces of the text before it.
            end: the end of that text.
        """
        if segment.opener in ("", THINK):
            is_end = self.buffered != [] and not segment.opener and _END_OF_CODE.fullmatch(segment.raw) is not None
            if not is_end:
                return False
            self._inside.feed(segment.raw)
        elif not self._is_in_code(text, end) or not calls_of(segment, self._schemas).calls:
            return False
        self.buffered.append(segment)
        self.pending += len(segment.raw)
        return True

    def release(self) -> list[Segment]:
        """Return what is buffered, and buffer nothing."""
        released, self.buffered, self.pending = self.buffered, [], 0
        return released

    def _is_in_code(self, text: Sequence[str], end: str) -> bool:
        """Return whether what follows is code: after the buffered calls, or after a text and its end."""
        if not self.buffered:
            self._marks.feed("".join(text[self._seen :]))
            self._seen = len(text)
            self._inside = copy(self._marks)
            self._inside.feed(end)
        return self._inside.is_code
