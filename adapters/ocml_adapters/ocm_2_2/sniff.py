"""Detect OpenChatML 2.2, and tell it from Harmony, whose frames have the same tokens."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.formats.adapter import Source
from ocml_bridge.text.start_frames import FRAMES_ON_LINES, OPENING, is_harmony, is_muse, is_openchatml

from .syntax import START

_HEADER: Final = re.compile(r"(?:---[ \t]*\n|```ya?ml[ \t]*\n)?\s*(?:#[^\n]*\n)*version:")
_ATTRIBUTE: Final = re.compile(r"<\|start\|>(?:[^<\n]* (?:call_id|intent|content_type|name)=|tool[ <])")
_SAMPLED: Final = re.compile(r"\s*<\|(?:channel|message)\|>")


def sniff(source: Source) -> int:
    """Return how likely a source is OpenChatML 2.2, from 0 (no) to 3 (certainly).

    A document header, an attribute or an escape is certain; Harmony has the same tokens, but rarely frames on separate
    lines.
    """
    if not isinstance(source, str) or is_muse(source):
        return 0
    if is_openchatml(source, _HEADER, _ATTRIBUTE):
        return 3 if START in source or source.lstrip().startswith("version:") else 0
    if START not in source:
        return 0
    lines = OPENING.match(source) is not None and FRAMES_ON_LINES.search(source) is not None
    return 2 if lines and not is_harmony(source, _SAMPLED) else 1
