"""Take comments out of JSON text."""

from __future__ import annotations

import re
from typing import Final

from .jsontext import parse

# The quantifiers are possessive, and unterminated strings and comments match to the end: linear time, no backtracking.
COMMENT: Final = re.compile(
    r"""
    (?P<text> (?: "(?:[^"\\]++|\\.)*+"?+ | [^"/]++ | /(?![/*]) )++ )
    | //[^\n]*+
    | /\*(?:[^*]++|\*(?!/))*+ (?: \*/ | (?P<endless>\Z) )
    """,
    re.DOTALL | re.VERBOSE,
)


def without_comments(text: str) -> str | None:
    """Return JSON text with spaces in place of its `//` and `/* */` comments; None if the result is not JSON."""
    bare = COMMENT.sub(lambda match: match[0] if match.lastgroup else " " * len(match[0]), text)
    return bare if bare != text and parse(bare) is not None else None
