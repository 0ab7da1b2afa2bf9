"""Take comments, and commas before a closing bracket, out of JSON text: editors call JSON with them JSONC."""

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
COMMA: Final = re.compile(
    r"""
    (?P<text> (?: "(?:[^"\\]++|\\.)*+"?+ | [^",]++ | ,(?!\s*+[\]}]) )++ )
    | ,
    """,
    re.DOTALL | re.VERBOSE,
)


def as_json(text: str) -> str | None:
    """Return JSON text with spaces in place of its comments (`//`, `/* */`) and of commas before a closing bracket.

    Returns:
        None if there are none, or if the result is not JSON.
    """
    bare = text
    for pattern in (COMMENT, COMMA):
        bare = pattern.sub(lambda match: match[0] if match.lastgroup else " " * len(match[0]), bare)
    return bare if bare != text and parse(bare) is not None else None
