"""Whether a text is Harmony and not OpenChatML 2.2, whose frames look alike; whether JSON is its token ids."""

from __future__ import annotations

import re
from typing import Final, cast

from ocml_bridge.adapter import Source
from ocml_bridge.model import Json

from .syntax import FIRST_SPECIAL, MESSAGE, START

_OTHER: Final = re.compile(
    r"<\|literal\|>|<<\||<\|start\|>[^<]* (?:call_id|name|intent|content_type)=|^---\s|<\|end\|>\n<"
)
_OPENING: Final = re.compile(r"\s*<\|(?:start|channel|message)\|>| ?to=\S+<\|channel\|>")


def sniff(source: Source) -> int:
    """How sure it is that a text is Harmony: OpenChatML 2.2 has the same tokens, and more in its headers."""
    if not isinstance(source, str):
        return 0
    if _OTHER.search(source) is not None:
        return 1 if START in source else 0
    if _OPENING.match(source) is not None:
        return 3
    return 1 if START in source or MESSAGE in source else 0


def sniff_tokens(source: Source) -> int:
    """Certain of a list of integers with one of its special tokens: no other vocabulary has ids as high."""
    if not isinstance(source, list) or not source:
        return 0
    items = cast("list[Json]", source)
    if not all(type(number) is int for number in items):
        return 0
    return 3 if max(cast("list[int]", items)) >= FIRST_SPECIAL else 1
