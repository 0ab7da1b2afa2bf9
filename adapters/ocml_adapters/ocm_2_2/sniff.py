"""How sure one can be that a text is OpenChatML 2.2 and not Harmony, whose frames look alike."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.adapter import Source

from .syntax import START

_OURS: Final = re.compile(
    r"\A(?:---[ \t]*\n|```ya?ml[ \t]*\n)?\s*(?:#[^\n]*\n)*version:"
    r"|<\|start\|>[^<\n]* (?:call_id|intent|content_type|name)="
    r"|<\|start\|>tool[ <]"
    r"|<\|literal\|>"
    r"|<<\|(?:start|channel|message|call|constrain|return|end)\|>"
    r"|<\|(?:end|call|return)\|>\s+<\|start\|>"
)


def sniff(source: Source) -> int:
    """Certain where a header or an attribute says so, or where frames stand on lines of their own."""
    if not isinstance(source, str):
        return 0
    if _OURS.search(source):
        return 3 if START in source or source.lstrip().startswith("version:") else 0
    return 1 if START in source else 0
