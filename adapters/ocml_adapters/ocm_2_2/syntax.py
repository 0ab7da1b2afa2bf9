"""Tokens and words of OpenChatML 2.2 (§2 version, §3 control tokens, §6 message grammar)."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.model import Ending, Message
from ocml_bridge.model.notes import Notes
from ocml_bridge.spans import FrameMarks

HOME: Final = "ocm-2.2"
NOTES: Final = Notes(HOME)

START: Final = "<|start|>"
CHANNEL: Final = "<|channel|>"
MESSAGE: Final = "<|message|>"
CALL: Final = "<|call|>"
CONSTRAIN: Final = "<|constrain|>"
RETURN: Final = "<|return|>"
END: Final = "<|end|>"
LITERAL: Final = "<|literal|>"
END_LITERAL: Final = "<|endliteral|>"

ENDINGS: Final[dict[str, Ending]] = {END: "end", CALL: "call", RETURN: "return"}
TERMINATORS: Final[dict[Ending, str]] = {ending: token for token, ending in ENDINGS.items()}

TOKENS: Final = (START, CHANNEL, MESSAGE, CALL, CONSTRAIN, RETURN, END, LITERAL, END_LITERAL)


def frame_tokens() -> tuple[str, ...]:
    """The tokens that messages are made with."""
    return TOKENS


FRAME_MARKS: Final = FrameMarks((START,), (END, CALL, RETURN), r"assistant(?![^\s<])")
"""A model is prompted with `<|start|>assistant`, and writes the rest of the header itself."""
TOKEN: Final = re.compile(f"((?<!<)<+(?:{'|'.join(re.escape(token[1:]) for token in TOKENS)}))")
"""A control token, or one escaped by doubling its `<` (§3): a run of n > 1 brackets stands for n - 1 and no token.

Inside a run no match begins: each would look through the rest of it.
"""
START_LINE: Final = re.compile(r"^<\|start\|>", re.MULTILINE)
"""Where the header ends: the tokens that it lists itself never begin a line (§2)."""

ATTRIBUTES: Final = {
    "to": "recipient",
    "call_id": "call_id",
    "name": "name",
    "intent": "intent",
    "content_type": "content_type",
}
"""Attribute → field, in the order of §6, which is the order they are written in."""
VERSION: Final = "2.2"
VERSION_OF: Final = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
"""Major and minor of a version (§2)."""
MINORS: Final = frozenset({"0", "1", "2"})
"""Those of version 2 that this format reads."""
MAX_HEADER: Final = 65_536
"""The longest YAML header that is read, in characters."""
MAX_FRAME_HEADER: Final = 16_384
"""The longest header of a frame that is read, in characters: behind it, no `<|message|>` is to be hoped for."""


def ending(terminator: str) -> Ending | None:
    """How a message ended, by the first token of its terminator."""
    return ENDINGS.get(terminator[: terminator.find(">") + 1])


def is_last_answer(message: Message) -> bool:
    """Whether a message, if it is the last, ends with `<|return|>` unless its text has it otherwise (reading 16)."""
    return message.role == "assistant" and message.channel == "final" and message.end == "end"
