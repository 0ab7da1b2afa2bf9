"""Take comments, and commas before a closing bracket, out of JSON text: editors call JSON with them JSONC."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

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


class Bare(NamedTuple):
    """JSON text, and what was left out.

    Attributes:
        text: the text, with spaces in place of what was left out.
        left_out: a sentence for each kind of it.
    """

    text: str
    left_out: list[str]


_PATTERNS: Final = {
    "JSON has no comments; the comments are left out": COMMENT,
    "JSON has no comma before a closing bracket; these commas are left out": COMMA,
}


def as_json(text: str) -> Bare | None:
    """Return JSON text without its comments (`//`, `/* */`), and without commas before a closing bracket.

    Returns:
        None if there are none, or if the result is not JSON.
    """
    left_out: list[str] = []
    for sentence, pattern in _PATTERNS.items():
        bare = pattern.sub(lambda match: match[0] if match.lastgroup else " " * len(match[0]), text)
        left_out += [sentence] if bare != text else []
        text = bare
    return Bare(text, left_out) if left_out and parse(text) is not None else None
