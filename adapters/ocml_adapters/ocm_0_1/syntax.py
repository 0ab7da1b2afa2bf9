"""The tokens of OpenChatML 0.1 (§2), and which of them mean something where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from ocml_bridge.formats.adapter import FormatOption
from ocml_bridge.formats.boundary import BEGINS, ENDS
from ocml_bridge.model.notes import Notes
from ocml_bridge.spans import FrameMarks
from ocml_bridge.text.added_tokens import beside_with_edges
from ocml_bridge.text.control import ControlTokens
from ocml_bridge.text.im import Grammar

HOME: Final = "ocm-0.1"
NOTES: Final = Notes(HOME)
DIALECTS: Final[tuple[str, ...]] = ("bos", "s", "bare")
"""How a text begins and ends (`edges`); the default one first."""

START: Final = "<|im_start|>"
END: Final = "<|im_end|>"
GRAMMAR: Final = Grammar((START,), (END,))

ROLES: Final = frozenset({"system", "tool", "user", "assistant"})
"""The roles that §3 and §10 allow."""
TOOL_ROLES: Final = frozenset({"tool", "function", "environment"})
"""What the role of tools is called, here and in the format's relatives (decision 20)."""
ALIASES: Final[dict[str, str]] = {"developer": "system", "function": "tool", "environment": "tool"}
"""Roles that are written as another one (decision 20)."""

Kind = Literal["reflect", "introspect", "reason"]
KINDS: Final[tuple[Kind, ...]] = ("reflect", "introspect", "reason")
FLAGS: Final[Mapping[str, Kind]] = {f"<|{kind}|>": kind for kind in KINDS}

# The draft of one week had a single kind of block, with a name of its own (decision 14).
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
"""What a call's arguments are called: by §8.2, and by InternLM2 and others."""

FIM: Final[dict[str, str]] = {f"<|fim_{label}|>": label for label in ("prefix", "middle", "suffix")}
SEPARATOR: Final = "<|file_separator|>"

SPELLINGS: Final = (START, END, *FLAGS, *OPENERS, *CLOSERS.values(), LIST, CALL, OUTPUT, *FIM, SEPARATOR)
SPECIALS: Final = (*SPELLINGS, *BEGINS, *ENDS)
TOKENS: Final = ControlTokens(SPECIALS)
"""The tokens that content must not hold as they are; what begins and ends a text is none of it (decision 15)."""

BOS_TOKEN: Final = FormatOption("bos", "Begin ocm-0.1 text with this token ('' for none).", default=None)
EOS_TOKEN: Final = FormatOption("eos", "End ocm-0.1 text with this token ('' for none).", default=None)
"""None for what the dialect has."""
added_tokens: Final = beside_with_edges(TOKENS, BOS_TOKEN, EOS_TOKEN)
FRAME_MARKS: Final = FrameMarks((START,), (END,), r"assistant(?!\S)[^\n]*\n", tuple(CLOSERS.values()))
"""A model is prompted with its header's line, and writes all behind it."""


def frame_tokens() -> tuple[str, ...]:
    """The tokens that messages are made with."""
    return SPECIALS


_RAW: Final = (*FIM, SEPARATOR)
_LIVE: Final[dict[str, tuple[str, ...]]] = {
    "system": (LIST, *FLAGS, *_RAW),
    "assistant": (CALL, *OPENERS, *STRAY, *_RAW),
    "tool": (OUTPUT,),
}


@lru_cache(maxsize=64)
def live(role: str) -> re.Pattern[str]:
    """The tokens that may mean something in a body of a role, or in a completion (""); all others are text there.

    That is decision 4: the specification's own system message speaks of `<|function_call|>` and means the word.
    """
    return re.compile("|".join(map(re.escape, _LIVE.get(role, _RAW))))
