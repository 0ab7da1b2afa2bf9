"""The tokens of Harmony, and what the words in its headers may be (OpenChatML 2.2 §3, §4, §12).

<|start|>{role or tool}[ to={recipient}][<|channel|>{channel}][ {type}]<|message|>{body}<|end|>
"""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.model import Ending
from ocml_bridge.model.notes import Notes
from ocml_bridge.spans import FrameMarks
from ocml_bridge.text.added_tokens import other_tokens
from ocml_bridge.text.control import ControlTokens

HOME: Final = "harmony"
NOTES: Final = Notes(HOME)
"""`HOME` is the key of Harmony's extras and layout; `NOTES` reads them."""

START: Final = "<|start|>"
MESSAGE: Final = "<|message|>"
CHANNEL: Final = "<|channel|>"
CONSTRAIN: Final = "<|constrain|>"
RETURN: Final = "<|return|>"

STOPS: Final[dict[str, Ending]] = {"<|end|>": "end", "<|call|>": "call", RETURN: "return"}
"""The end tokens of messages, and the ends that they stand for."""
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
"""The first id of a special token; all ids below are plain text."""
LAST_ID: Final = 201088
END_OF_TEXT: Final = "<|endoftext|>"
EDGE_IDS: Final[dict[str, int]] = {"<|startoftext|>": 199998, END_OF_TEXT: 199999}
"""The tokens that begin and end a whole text, outside of messages, and their ids."""
EDGE_TOKENS: Final = re.compile("|".join(map(re.escape, EDGE_IDS)))

MAX_HEADER: Final = 4_096
"""The maximal length of a header, in characters: after more of them without a `<|message|>`, the body has begun."""

TOKEN: Final = re.compile("(" + "|".join(map(re.escape, IDS)) + ")")
_OTHERS: Final = (*EDGE_IDS, "<|endofprompt|>")
_NUMBERED: Final = ("<|reserved_#|>",)
SPECIALS: Final = ControlTokens(_OTHERS, _NUMBERED)
"""The special tokens of o200k_harmony that are text to a reader, but tokens to the model."""
CONTROL: Final = ControlTokens((*IDS, *_OTHERS), _NUMBERED)
"""All special tokens: they are broken in content."""
added_tokens: Final = other_tokens(CONTROL)


def frame_tokens() -> tuple[str, ...]:
    """Return the tokens that frames are made of."""
    return tuple(IDS)


MENTIONABLE: Final = frozenset({START, MESSAGE, CHANNEL, CONSTRAIN})
"""The control tokens that a body may contain as text: they do not end it."""

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
"""The type of a hosted tool in a request → the namespace of the model's own tool."""
BROADCAST: Final = "all"
"""The recipient of messages to everybody, which the official encoder leaves out."""

INSTRUCTIONS: Final = "# Instructions\n\n"
TOOLS: Final = "# Tools"

FRAME_MARKS: Final = FrameMarks((START,), tuple(STOPS), r"assistant(?![^\s<])")
"""The marks of frames. The generation prompt is `<|start|>assistant`; the model writes the rest of the header."""

DIALECTS: Final = ("spec", "oss", "hf")
"""The dialects of headers: who writes them, and how they differ.
`spec`: openai-harmony. `oss`: oss-harmony from 0.0.10; `to=` after `commentary`, every type with `<|constrain|>`.
`hf`: the chat template of gpt-oss; every type without `<|constrain|>`.
"""
SPEC: Final = DIALECTS[0]
