"""Tell when enough of a JSON object has arrived to decide whether it is one."""

from __future__ import annotations

import re
from typing import Final


class JsonExtent:
    """Tell when the JSON object at the beginning of a text is complete, or when the text can no longer begin with one.

    Each character is examined once. After `feed` has returned True, a JSON parser gives the same result for any longer
    text.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._string = False
        self._escaped = False

    def feed(self, text: str, at: int = 0) -> bool:
        """Take more text, from `at` on; return whether it is enough. Must not be called again after that."""
        while at < len(text):
            if self._string:
                at = self._in_string(text, at)
                continue
            match = (_BETWEEN if self._depth else _BEFORE).match(text, at)
            assert match is not None  # both patterns also match ""
            at = match.end()
            if at == len(text):
                return False
            step = _STEPS.get(text[at])
            if step is None or (not self._depth and text[at] != "{"):
                return True
            self._string = step == 0
            self._depth += step
            at += 1
            if not self._depth:
                return True
        return False

    def _in_string(self, text: str, at: int) -> int:
        if self._escaped:
            self._escaped = False
            return at + 1
        match = _SPECIAL.search(text, at)
        if match is None:
            return len(text)
        self._escaped = match[0] == "\\"
        self._string = self._escaped
        return match.end()


_BEFORE: Final = re.compile(r"\s*")
_BETWEEN: Final = re.compile(r"[ \t\r\n:,0-9+\-.a-zA-Z]*")
"""The characters of JSON outside strings, other than brackets."""
_SPECIAL: Final = re.compile(r'["\\]')
_STEPS: Final = {"{": 1, "[": 1, "}": -1, "]": -1, '"': 0}
