"""Tell apart the formats whose frames begin with `<|start|>`: Harmony, OpenChatML 2.2, and that of Muse's models."""

from __future__ import annotations

import re
from typing import Final

ANY_TOKEN: Final = re.compile(r"(<\|[a-z_]+\|>)")
"""Matches a token of any name, to split a text at its tokens."""
_FIRST: Final = re.compile(r"\s*+(?:<s>\s*+)?+<\|start\|>[^<]*<\|message\|>")
_TOKEN: Final = re.compile(r"<\|(start|end|call|return|eot|eom)\|>")

_ESCAPE: Final = re.compile(
    r"<<\|(?:start|channel|message|constrain)\|>|<<\|(?:end|call|return)\|>(?!\s*(?:<\|start\|>|\Z))"
)
"""An escaped token; a `<` before the token that ends a body is no escape."""
_AUTHOR: Final = re.compile(r"<\|start\|>functions\.[^\s<]+ to=assistant")
_TYPESCRIPT: Final = re.compile(r"# Tools\s+## \w+\s[^<]{0,4000}?\bnamespace \w+ \{")
OPENING: Final = re.compile(r"\s*<\|start\|>")
FRAMES_ON_LINES: Final = re.compile(r"<\|(?:end|call|return)\|>\s+<\|start\|>")
"""Frames on separate lines: OpenChatML 2.2 is written so, Harmony only in documentation."""


def is_openchatml(text: str, header: re.Pattern[str], attribute: re.Pattern[str]) -> bool:
    """Return whether a text has what only OpenChatML 2.2 has: a document header, attributes, or an escape.

    Args:
        text: with frames.
        header: matches the beginning of a document header.
        attribute: matches an attribute in the header of a frame.
    """
    return (
        header.match(text) is not None
        or "<|literal|>" in text
        or ("<<|" in text and _ESCAPE.search(text) is not None)
        or attribute.search(text) is not None
    )


def is_harmony(text: str, sampled: re.Pattern[str]) -> bool:
    """Return whether a text has what only Harmony has: a sampled answer, a tool as author, or tools as TypeScript.

    Args:
        text: with frames.
        sampled: matches the beginning of an answer that continues a prompt, so that its `<|start|>` is missing.
    """
    return (
        sampled.match(text) is not None
        or "# Valid channels: " in text
        or _AUTHOR.search(text) is not None
        or ("namespace " in text and _TYPESCRIPT.search(text) is not None)
    )


def is_muse(text: str) -> bool:
    """Return whether a text is of Muse, whose frames end with `<|eot|>` or `<|eom|>`; the first frame decides."""
    opening = _FIRST.match(text)
    token = None if opening is None else _TOKEN.search(text, opening.end())
    return token is not None and token[1] in ("eot", "eom")
