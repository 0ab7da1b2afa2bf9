"""The tokens of Harmony, and what the words in its headers may be (OpenChatML 2.2 §3, §4, §12).

<|start|>{role or tool}[ to={recipient}][<|channel|>{channel}][ {type}]<|message|>{body}<|end|>
"""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.model import Ending
from ocml_bridge.model.notes import Notes
from ocml_bridge.spans import FrameMarks
from ocml_bridge.text.added_tokens import beside
from ocml_bridge.text.control import ControlTokens

HOME: Final = "harmony"
NOTES: Final = Notes(HOME)
"""The key of extras and layout."""

START: Final = "<|start|>"
MESSAGE: Final = "<|message|>"
CHANNEL: Final = "<|channel|>"
CONSTRAIN: Final = "<|constrain|>"
RETURN: Final = "<|return|>"

STOPS: Final[dict[str, Ending]] = {"<|end|>": "end", "<|call|>": "call", RETURN: "return"}
"""What ends a message."""
ENDS: Final[dict[Ending, str]] = {ending: token for token, ending in STOPS.items()}

IDS: Final[dict[str, int]] = {
    RETURN: 200002,
    CONSTRAIN: 200003,
    CHANNEL: 200005,
    START: 200006,
    "<|end|>": 200007,
    MESSAGE: 200008,
    "<|call|>": 200012,
}
"""The seven control tokens and their ids in o200k_harmony."""
TOKENS: Final[dict[int, str]] = {number: token for token, number in IDS.items()}
FIRST_SPECIAL: Final = 199998
"""The first id that is not plain text."""
LAST_ID: Final = 201088
END_OF_TEXT: Final = "<|endoftext|>"
EDGE_IDS: Final[dict[str, int]] = {"<|startoftext|>": 199998, END_OF_TEXT: 199999}
"""The tokens that begin and end a whole text, outside of messages."""
EDGE_TOKENS: Final = re.compile("|".join(map(re.escape, EDGE_IDS)))

MAX_HEADER: Final = 4_096
"""The longest header, in characters; where more stands without a `<|message|>`, the body has begun."""

TOKEN: Final = re.compile("(" + "|".join(map(re.escape, IDS)) + ")")
_OTHERS: Final = (*EDGE_IDS, "<|endofprompt|>")
_NUMBERED: Final = ("<|reserved_#|>",)
SPECIALS: Final = ControlTokens(_OTHERS, _NUMBERED)
"""The special tokens of o200k_harmony that mean nothing to a reader, and something to the model."""
CONTROL: Final = ControlTokens((*IDS, *_OTHERS), _NUMBERED)
"""All special tokens: what content must not hold as they are."""
added_tokens: Final = beside(CONTROL)


def frame_tokens() -> tuple[str, ...]:
    """The tokens that messages are made with."""
    return tuple(IDS)


MENTIONABLE: Final = frozenset({START, MESSAGE, CHANNEL, CONSTRAIN})
"""Tokens that a body may hold: only the three stop tokens end it."""

ASSISTANT: Final = "assistant"
SYSTEM: Final = "system"
DEVELOPER: Final = "developer"
TOOL: Final = "tool"
ROLES: Final = frozenset({SYSTEM, DEVELOPER, "user", ASSISTANT, TOOL})
CHANNELS: Final = frozenset({"analysis", "commentary", "final"})
BUILT_IN: Final = frozenset({"browser", "python", "container"})
"""The namespaces of the model's own tools."""
BROWSER, PYTHON = "browser", "python"
OWN_TOOLS: Final = {
    "browser": BROWSER,
    "browser_search": BROWSER,
    "web_search": BROWSER,
    "web_search_preview": BROWSER,
    "python": PYTHON,
    "code_interpreter": PYTHON,
}
"""What a request calls a tool of the model's own → its namespace."""
BROADCAST: Final = "all"
"""The recipient that the official encoder does not write."""

INSTRUCTIONS: Final = "# Instructions\n\n"
TOOLS: Final = "# Tools"

FRAME_MARKS: Final = FrameMarks((START,), tuple(STOPS), r"assistant(?![^\s<])")
"""A model is prompted with `<|start|>assistant`, and writes the rest of the header itself."""

DIALECTS: Final = ("spec", "oss", "hf")
"""`spec`: openai-harmony. `oss`: oss-harmony from 0.0.10, `to=` behind `commentary`, every type a constraint.

`hf`: the chat template of gpt-oss, every type bare.
"""
SPEC: Final = DIALECTS[0]
