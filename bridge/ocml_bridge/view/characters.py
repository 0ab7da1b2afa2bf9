"""Make characters visible that would have an effect: controls, halves of surrogate pairs, overrides of direction."""

from __future__ import annotations

import re
from typing import Final

_ACTING: Final = re.compile(
    "\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]"
)
_PICTURES: Final = 0x2400
_DELETE: Final = 0x7F


def _seen(match: re.Match[str]) -> str:
    found = match[0]
    code = ord(found[0])
    if len(found) == 2:
        return "\n"
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return "\u2421"
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"‹U+{code:04X}›"


def visible(text: str) -> str:
    """Return text in which characters that would affect a terminal or a page are spelled out.

    Line feeds and tabs are kept, CR LF becomes a line feed, and half of a surrogate pair becomes U+FFFD. Marks and
    isolates that right-to-left text needs are kept; a block of text ends them.
    """
    return _ACTING.sub(_seen, text)
