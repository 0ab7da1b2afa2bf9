"""Define the tokens of OpenChatML 0.1 (§2), and in which bodies they have a meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from ocml_bridge.formats.adapter import FormatOption
from ocml_bridge.formats.boundary import BEGINS, ENDS
from ocml_bridge.model.notes import Notes
from ocml_bridge.spans import FrameMarks
from ocml_bridge.text.added_tokens import other_tokens_with_edges
from ocml_bridge.text.control import ControlTokens
from ocml_bridge.text.im import Grammar

HOME: Final = "ocm-0.1"
NOTES: Final = Notes(HOME)
DIALECTS: Final[tuple[str, ...]] = ("bos", "s", "bare")
"""The dialects, which differ in how a text begins and ends (`around.py`); the default one first."""

START: Final = "<|im_start|>"
END: Final = "<|im_end|>"
GRAMMAR: Final = Grammar((START,), (END,))

ROLES: Final = frozenset({"system", "tool", "user", "assistant"})
"""The roles that §3 and §10 allow."""
TOOL_ROLES: Final = frozenset({"tool", "function", "environment"})
"""The names of the role of tools, in this format and similar ones (decision 20)."""
ALIASES: Final[dict[str, str]] = {"developer": "system", "function": "tool", "environment": "tool"}
"""Roles that are written as another one (decision 20)."""

Kind = Literal["reflect", "introspect", "reason"]
KINDS: Final[tuple[Kind, ...]] = ("reflect", "introspect", "reason")
FLAGS: Final[Mapping[str, Kind]] = {f"<|{kind}|>": kind for kind in KINDS}

# An early draft had a single kind of block, with another name (decision 14).
OPENERS: Final[Mapping[str, Kind]] = {
    **{f"<|start_{kind}|>": kind for kind in KINDS},
    "<|startofthought|>": "reason",
}
CLOSERS: Final[dict[str, str]] = {f"<|start_{kind}|>": f"<|end_{kind}|>" for kind in KINDS} | {
    "<|startofthought|>": "<|endofthought|>"
}
STRAY: Final = frozenset(CLOSERS.values())

LIST: Final = "<|function_list|>"
CALL: Final = "<|function_call|>"
OUTPUT: Final = "<|function_output|>"
ARGUMENTS: Final = ("arguments", "parameters")
"""The keys of a call's arguments: that of §8.2, and that of InternLM2 and others."""

FIM: Final[dict[str, str]] = {f"<|fim_{label}|>": label for label in ("prefix", "middle", "suffix")}
SEPARATOR: Final = "<|file_separator|>"

SPELLINGS: Final = (START, END, *FLAGS, *OPENERS, *CLOSERS.values(), LIST, CALL, OUTPUT, *FIM, SEPARATOR)
SPECIALS: Final = (*SPELLINGS, *BEGINS, *ENDS)
TOKENS: Final = ControlTokens(SPECIALS)
"""The tokens that content must not contain unbroken, also those that begin and end a text (decision 15)."""

BOS_TOKEN: Final = FormatOption("bos", "Begin ocm-0.1 text with this token ('' for none).", default=None)
EOS_TOKEN: Final = FormatOption("eos", "End ocm-0.1 text with this token ('' for none).", default=None)
"""None for the token of the dialect."""
added_tokens: Final = other_tokens_with_edges(TOKENS, BOS_TOKEN, EOS_TOKEN)
FRAME_MARKS: Final = FrameMarks((START,), (END,), r"assistant(?!\S)[^\n]*\n", tuple(CLOSERS.values()))
"""The prompt ends with the line of the header; the model writes everything after it."""


def frame_tokens() -> tuple[str, ...]:
    """Return the control tokens of messages."""
    return SPECIALS


_RAW: Final = (*FIM, SEPARATOR)
_LIVE: Final[dict[str, tuple[str, ...]]] = {
    "system": (LIST, *FLAGS, *_RAW),
    "assistant": (CALL, *OPENERS, *STRAY, *_RAW),
    "tool": (OUTPUT,),
}


@lru_cache(maxsize=64)
def live(role: str) -> re.Pattern[str]:
    """Return a pattern of the tokens that have a meaning in a body of a role, or in a completion (""); others are text.

    That is decision 4: the system message in the specification mentions `<|function_call|>` as a word.
    """
    return re.compile("|".join(map(re.escape, _LIVE.get(role, _RAW))))
