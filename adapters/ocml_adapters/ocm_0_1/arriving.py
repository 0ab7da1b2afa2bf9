"""JSON that arrives piece by piece: when it can be told whether it is there."""

from __future__ import annotations

import re
from typing import Final


class Arriving:
    """Tells when the JSON object that a text begins with is complete, or can be none any more.

    It looks at each character once, and at its class only: where it says that enough is there, a JSON reader decides
    the same of any longer text.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._string = False
        self._escaped = False

    def feed(self, text: str, at: int = 0) -> bool:
        """Take more text, from `at` on; whether that is enough. It is not asked again after it was."""
        while at < len(text):
            if self._string:
                at = self._in_string(text, at)
                continue
            found = (_BETWEEN if self._depth else _BEFORE).match(text, at)
            assert found is not None  # both match nothing, too
            at = found.end()
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
        found = _SPECIAL.search(text, at)
        if found is None:
            return len(text)
        self._escaped = found[0] == "\\"
        self._string = self._escaped
        return found.end()


_BEFORE: Final = re.compile(r"\s*")
_BETWEEN: Final = re.compile(r"[ \t\r\n:,0-9+\-.a-zA-Z]*")
"""What stands in JSON outside of strings, beside brackets."""
_SPECIAL: Final = re.compile(r'["\\]')
_STEPS: Final = {"{": 1, "[": 1, "}": -1, "]": -1, '"': 0}
