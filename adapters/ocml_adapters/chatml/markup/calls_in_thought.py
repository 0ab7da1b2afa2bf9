"""Find the calls that end a thought without an end tag: a model that calls a function has ended its thought.

Qwen3.5 often writes a call without `</think>` before it. A call is a part of the thought if `</think>` or text follows.
"""

from __future__ import annotations

import re
from typing import Final

from .parts import calls_of
from .segments import CALL, FUNCTION, LINES, LIST, Cutter, Segment

_OPENER: Final = re.compile(f"^(?:{CALL}|{re.escape(LIST)}|{LINES}|{FUNCTION})", re.M)
"""A call that may end a thought begins a line."""


class CallsInThought:
    """Buffers what may be such calls, while the rest of a thought arrives.

    Attributes:
        pending: the number of characters that are buffered.
    """

    def __init__(self) -> None:
        self.pending = 0
        self._cutter: Cutter | None = None
        self._buffered: list[str] = []
        self._begins_line = True

    def feed(self, text: str) -> str:
        """Take more of the thought, not cut inside a tag; return what is certainly a part of it."""
        if self._cutter is None and _OPENER.search(text) is None:
            self.passed(text)
            return text
        return "".join(map(self._line, text.splitlines(keepends=True)))

    def passed(self, text: str) -> None:
        """Take text that has no tag."""
        self._begins_line = text.endswith("\n") if text else self._begins_line

    def release(self) -> str:
        """Return what is buffered, which is a part of the thought."""
        buffered = "".join(self._buffered)
        self._cutter, self._buffered, self.pending = None, [], 0
        return buffered

    def has_only_calls(self) -> bool:
        """Return whether calls, and nothing else, are buffered; for the end of the text."""
        return self._cutter is not None and all(map(_is_call_or_blank, self._cutter.finish()))

    def _line(self, line: str) -> str:
        """Take a line, or a part of one."""
        if self._cutter is None:
            opener = _OPENER.match(line) if self._begins_line else None
            self.passed(line)
            if opener is None:
                return line
            self._cutter = Cutter()
        self._buffered.append(line)
        self.pending += len(line)
        for segment in self._cutter.feed(line):
            if not _is_call_or_blank(segment):
                self.passed(line)
                return self.release()
        return ""


def _is_call_or_blank(segment: Segment) -> bool:
    if not segment.opener:
        return not segment.raw.strip()
    found = calls_of(segment)
    return len(found.calls) > 0 and not found.rest.strip() and all(call.whole for call in found.calls)
