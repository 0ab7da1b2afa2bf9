"""Tell the frames of Harmony and OpenChatML 2.2 from those of other models that have the same start tokens."""

from __future__ import annotations

import re
from typing import Final

_OPENING: Final = re.compile(r"\s*(?:<s>)?\s*<\|start\|>[^<]*<\|message\|>")
_TOKEN: Final = re.compile(r"<\|(start|end|call|return|eot|eom)\|>")


def ends_turns(text: str) -> bool:
    """Return whether the first frame of a text ends with `<|eot|>` or `<|eom|>`, as Muse writes it."""
    opening = _OPENING.match(text)
    token = None if opening is None else _TOKEN.search(text, opening.end())
    return token is not None and token[1] in ("eot", "eom")
