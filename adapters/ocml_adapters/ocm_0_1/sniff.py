"""Detect OpenChatML 0.1, by the tokens that only this format has."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.formats.adapter import Source
from ocml_bridge.text.im import is_escaped

from .syntax import CALL, FIM, FLAGS, LIST, OPENERS, OUTPUT, SEPARATOR, START

_OF_THIS_FORMAT: Final = (LIST, CALL, OUTPUT, *FLAGS, *OPENERS)
_RAW: Final = (*FIM, SEPARATOR)
"""Tokens of completions, which come before any message; a message may quote them."""
_OPENING: Final = re.compile(r"\s*(?:\[BOS\]|<\|BOS\|>|<s>\s+<\|im_start\|>)")
# OpenChatML 2.2 and Harmony share the thought tokens, InternLM2 the frames, ChatML of Bielik the function tokens, and
# GigaChat the token of a call.
_OTHERS: Final = ("<|start|>", "<|action_start|>", "<tool_call>", "<|role_sep|>")


def sniff(source: Source) -> int:
    """Return 3 for `[BOS]` or a token of this format alone, 1 for mere frames, which ChatML also has, otherwise 0."""
    if not isinstance(source, str) or is_escaped(source):
        return 0
    if _OPENING.match(source):
        return 3
    before = source.partition(START)[0]
    if any(token in source for token in _OF_THIS_FORMAT) or any(token in before for token in _RAW):
        return int(START in source) if any(token in source for token in _OTHERS) else 3
    return 1 if START in source else 0
