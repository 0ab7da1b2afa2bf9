"""Detect OpenChatML 2.2, and tell it from Harmony, whose frames have the same tokens."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.formats.adapter import Source
from ocml_bridge.text.turns import ends_turns

from .syntax import START

_HEADER: Final = re.compile(r"(?:---[ \t]*\n|```ya?ml[ \t]*\n)?\s*(?:#[^\n]*\n)*version:")
_ESCAPE: Final = re.compile(
    r"<<\|(?:start|channel|message|constrain)\|>|<<\|(?:end|call|return)\|>(?!\s*(?:<\|start\|>|\Z))"
)
"""An escaped token; a `<` before the token that ends a body is no escape."""
_ATTRIBUTE: Final = re.compile(r"<\|start\|>(?:[^<\n]* (?:call_id|intent|content_type|name)=|tool[ <])")
_SAMPLED: Final = re.compile(r"\s*<\|(?:channel|message)\|>")
_AUTHOR: Final = re.compile(r"<\|start\|>functions\.[^\s<]+ to=assistant")
_TYPESCRIPT: Final = re.compile(r"# Tools\s+## \w+\s[^<]{0,4000}?\bnamespace \w+ \{")
_LINES: Final = re.compile(r"<\|(?:end|call|return)\|>\s+<\|start\|>")
_OPENING: Final = re.compile(r"\s*<\|start\|>")


def sniff(source: Source) -> int:
    """Return how sure it is: 3 for a document header, an attribute or an escape; 2 for frames per line; else 1 or 0."""
    if not isinstance(source, str) or ends_turns(source):
        return 0
    if _is_own(source):
        return 3 if START in source or source.lstrip().startswith("version:") else 0
    if START not in source:
        return 0
    lines = _OPENING.match(source) is not None and _LINES.search(source) is not None
    return 2 if lines and not _is_harmony(source) else 1


def _is_own(text: str) -> bool:
    """Return whether a text has what only OpenChatML 2.2 has: a document header, attributes, or an escape."""
    return (
        _HEADER.match(text) is not None
        or "<|literal|>" in text
        or ("<<|" in text and _ESCAPE.search(text) is not None)
        or _ATTRIBUTE.search(text) is not None
    )


def _is_harmony(text: str) -> bool:
    """Return whether a text has what only Harmony has: a sampled answer, a tool as author, or tools as TypeScript."""
    return (
        _SAMPLED.match(text) is not None
        or "# Valid channels: " in text
        or _AUTHOR.search(text) is not None
        or ("namespace " in text and _TYPESCRIPT.search(text) is not None)
    )
