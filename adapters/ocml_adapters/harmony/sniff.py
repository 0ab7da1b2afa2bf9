"""Detect Harmony: text, as opposed to OpenChatML 2.2 with its similar frames, and lists of token ids."""

from __future__ import annotations

import re
from typing import Final, cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.formats.boundary import is_list_of_lists
from ocml_bridge.model import Json
from ocml_bridge.text.start_frames import FRAMES_ON_LINES, OPENING, is_harmony, is_muse, is_openchatml

from .syntax import FIRST_SPECIAL, MESSAGE, START

_HEADER: Final = re.compile(r"---\s|(?:---[ \t]*\n|```ya?ml[ \t]*\n)?\s*(?:#[^\n]*\n)*version:")
_ATTRIBUTE: Final = re.compile(r"<\|start\|>[^<]* (?:call_id|name|intent|content_type)=")
_SAMPLED: Final = re.compile(r"\s*<\|(?:channel|message)\|>| ?to=\S+<\|channel\|>")
_BODY: Final = re.compile(r"[^<]*(?:<(?!\|)[^<]*)*<\|(?:end|call|return)\|>")
"""Text before the first frame that ends with a stop token: the rest of a message that a model continued."""


def sniff(source: Source) -> int:
    """Return how likely a source is Harmony's text, from 0 (no) to 3 (certainly).

    OpenChatML 2.2 has the same tokens. Frames on separate lines are less certain.
    """
    if not isinstance(source, str) or "<|" not in source or is_muse(source):
        return 0
    if is_openchatml(source, _HEADER, _ATTRIBUTE):
        return 1 if START in source else 0
    if is_harmony(source, _SAMPLED):
        return 3
    if OPENING.match(source) is not None:
        return 2 if FRAMES_ON_LINES.search(source) is not None else 3
    if START in source and _BODY.match(source) is not None:
        return 2
    return 1 if START in source or MESSAGE in source else 0


def sniff_tokens(source: Source) -> int:
    """Return how likely a source is a list of Harmony's token ids, or a list of such lists, from 0 to 3.

    A list with a special token certainly is one, since no other vocabulary has ids so high.
    """
    if is_list_of_lists(source):
        return min(map(sniff_tokens, source))
    if not isinstance(source, list) or not source:
        return 0
    items = cast("list[Json]", source)
    if not all(type(number) is int for number in items):
        return 0
    return 3 if max(cast("list[int]", items)) >= FIRST_SPECIAL else 1
