"""Define the tokens and attributes of OpenChatML 2.2 (§2 version, §3 control tokens, §6 message grammar)."""

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
    """Return the control tokens of frames."""
    return TOKENS


FRAME_MARKS: Final = FrameMarks((START,), (END, CALL, RETURN), r"assistant(?![^\s<])")
"""The prompt ends with `<|start|>assistant`; the model writes the rest of the header."""
TOKEN: Final = re.compile(f"((?<!<)<+(?:{'|'.join(re.escape(token[1:]) for token in TOKENS)}))")
"""A control token, or one that is escaped by doubling its `<` (§3): n > 1 brackets mean n - 1 brackets, and no token.

No match begins inside a run of brackets, because each would search the rest of it.
"""
START_LINE: Final = re.compile(r"^<\|start\|>", re.MULTILINE)
"""The end of the document header: tokens that the header itself names never begin a line (§2)."""

ATTRIBUTES: Final = {
    "to": "recipient",
    "call_id": "call_id",
    "name": "name",
    "intent": "intent",
    "content_type": "content_type",
}
"""The field of each attribute, in the order of §6, in which they are written."""
VERSION: Final = "2.2"
VERSION_OF: Final = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
"""Major and minor of a version (§2)."""
MINORS: Final = frozenset({"0", "1", "2"})
"""The minor versions of version 2 that this format reads."""
MAX_HEADER: Final = 65_536
"""The maximum length of a YAML header, in characters."""
MAX_FRAME_HEADER: Final = 16_384
"""The maximum length of a frame's header, in characters, so that a missing `<|message|>` is noticed."""


def ending(terminator: str) -> Ending | None:
    """Return how a message ended, from the first token of its terminator."""
    return ENDINGS.get(terminator[: terminator.find(">") + 1])


def is_last_answer(message: Message) -> bool:
    """Return whether a message, if it is the last one, is written with `<|return|>` by default (reading 16)."""
    return message.role == "assistant" and message.channel == "final" and message.end == "end"
