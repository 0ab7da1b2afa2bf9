"""How sure one can be that a text is OpenChatML 2.2 and not Harmony, whose frames look alike."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.adapter import Source

from .syntax import START

_OWN: Final = re.compile(
    r"\A(?:---[ \t]*\n|```ya?ml[ \t]*\n)?\s*(?:#[^\n]*\n)*version:"
    r"|<\|start\|>[^<\n]* (?:call_id|intent|content_type|name)="
    r"|<\|start\|>tool[ <]"
    r"|<\|literal\|>"
    r"|<<\|(?:start|channel|message|constrain)\|>"
    r"|<<\|(?:end|call|return)\|>(?!\s*(?:<\|start\|>|\Z))"
)
"""A document header, attributes, escapes; `<` at the end of a body is no escape."""
_HARMONY: Final = re.compile(
    r"\A\s*<\|(?:channel|message)\|>|<\|start\|>functions\.[^\s<]+ to=assistant"
    r"|# Tools\s+## \w+\s[^<]{0,4000}?\bnamespace \w+ \{|# Valid channels: "
)
"""What only Harmony has: a sampled answer, a tool as the author, tools as TypeScript."""
_LINES: Final = re.compile(r"<\|(?:end|call|return)\|>\s+<\|start\|>")
_OPENING: Final = re.compile(r"\s*<\|start\|>")


def sniff(source: Source) -> int:
    """Certain where a header or an attribute says so, probable where frames stand on lines of their own."""
    if not isinstance(source, str):
        return 0
    if _OWN.search(source):
        return 3 if START in source or source.lstrip().startswith("version:") else 0
    if START not in source:
        return 0
    lines = _OPENING.match(source) is not None and _LINES.search(source) is not None
    return 2 if lines and _HARMONY.search(source) is None else 1
