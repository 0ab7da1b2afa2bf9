"""Define how thoughts begin and end in an assistant's body."""

from __future__ import annotations

import re
from typing import Final

from .segments import THINK, THOUGHT_END

NO_END: Final = f"the thought has no {THOUGHT_END}"
HOLDS_CALL: Final = ", so the call in it is read as a part of it"
INNER_CALL: Final = "a call in the thought is read as a part of it, because the thought goes on after it"
REPEATED_TAG: Final = f"the thought has its start tag {THINK} twice; it begins at the second one"
THOUGHT_ENDS: Final = f"the thought has its end tag {THOUGHT_END} twice"
MAY_BE_WORD: Final = (
    f"the text before {THOUGHT_END} is read as a thought; after a backtick the tag may be a quoted word"
)
START: Final = re.compile(THINK)
FIRST_TAG: Final = re.compile(r"\s*<think>")
OPENING: Final = re.compile(r"(?:\s*<think>)+")
EMPTY_THOUGHT: Final = re.compile(r"(?:\s*<think>)*\s*</think>\n{0,2}|(?:\s*<think>)+\s*")
"""An empty thought at the beginning of a body, with the line breaks after it."""
OPENED: Final = re.compile(r"(?:\s*<think>)+\s*(?:</think>\s*)?")
"""The body of an open turn: an empty thought, begun or ended."""
