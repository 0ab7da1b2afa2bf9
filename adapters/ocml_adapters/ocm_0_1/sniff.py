"""Detect OpenChatML 0.1, by the tokens that only this format has."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.formats.adapter import Source
from ocml_bridge.text.im import has_no_header_line

from .syntax import CALL, FIM, FLAGS, LIST, OPENERS, OUTPUT, SEPARATOR, START

_OF_THIS_FORMAT: Final = (LIST, CALL, OUTPUT, *FLAGS, *OPENERS)
_RAW: Final = (*FIM, SEPARATOR)
"""Tokens of completions, which come before any message; a message may quote them."""
_OPENING: Final = re.compile(r"\s*(?:\[BOS\]|<\|BOS\|>|<s>\s+<\|im_start\|>)")
# OpenChatML 2.2 and Harmony share the thought tokens, InternLM2 the frames, ChatML of Bielik the function tokens, and
# GigaChat the token of a call.
_OTHERS: Final = ("<|start|>", "<|action_start|>", "<tool_call>", "<|role_sep|>")
_NONE_OF_THESE: Final = ("<think>", "<tool_call>", "<tool_response>", "<tools>")
"""Tags of ChatML's dialects, some templates of which also begin with `<s>` and white space."""


def sniff(source: Source) -> int:
    """Return how sure it is that a source is in the format.

    3 if it begins with `[BOS]`, or has a token of this format and none of `_OTHERS`; otherwise 1 if it has frames,
    which ChatML also has, and 0 if it has none.
    """
    if not isinstance(source, str) or has_no_header_line(source):
        return 0
    opening = _OPENING.match(source)
    if opening is not None:
        return 3 if START not in opening[0] or not any(tag in source for tag in _NONE_OF_THESE) else 1
    before = source.partition(START)[0]
    if any(token in source for token in _OF_THIS_FORMAT) or any(token in before for token in _RAW):
        return int(START in source) if any(token in source for token in _OTHERS) else 3
    return 1 if START in source else 0
