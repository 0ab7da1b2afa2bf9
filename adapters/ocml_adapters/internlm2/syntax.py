"""InternLM2-Chat: ChatML's frames, the role `environment`, and calls inside the assistant's text.

    <|im_start|>assistant⏎text<|action_start|><|plugin|>⏎{"name": …, "parameters": …}<|action_end|><|im_end|>⏎

Each of the six tokens has two spellings; documents mix them, so both are read everywhere ("Basic Structure"). Servers
and agents write calls and tools otherwise than the specification: dialects to a writer, and the same to a reader.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ocml_bridge.model.notes import Notes
from ocml_bridge.spans import FrameMarks
from ocml_bridge.text.added_tokens import other_tokens
from ocml_bridge.text.control import ControlTokens
from ocml_bridge.text.im import Grammar
from ocml_bridge.text.specials import CHATML

HOME: Final = "internlm2"
NOTES: Final = Notes(HOME)


class Spelling(NamedTuple):
    """How the six tokens are spelled."""

    start: str
    end: str
    action_start: str
    action_end: str
    interpreter: str
    plugin: str


IM: Final = Spelling(
    "<|im_start|>", "<|im_end|>", "<|action_start|>", "<|action_end|>", "<|interpreter|>", "<|plugin|>"
)
UNUSED: Final = Spelling(*(f"[UNUSED_TOKEN_{number}]" for number in range(146, 140, -1)))
IDS: Final[dict[str, int]] = dict(zip(IM, range(92543, 92537, -1), strict=True))
"""The id of each token in InternLM2's vocabulary ("Basic Structure")."""
BOS: Final = 1
EOS: Final = 2


class Dialect(NamedTuple):
    """How messages and tools are spelled.

    Attributes:
        tokens: the spelling of tokens.
        reads_as: the dialect that a reader infers from the tokens, whose spelling of everything is the default.
        arguments: the key of a call's arguments.
        behind_call: the text after the last call of a message.
        prose: whether the list of tools has lagent's prose around it, and the parameters in a list.
    """

    tokens: Spelling
    reads_as: str
    arguments: str = "parameters"
    behind_call: str = ""
    prose: bool = False

    @property
    def is_default(self) -> bool:
        """Whether calls and tools are written in the spelling that a reader expects."""
        return (self.arguments, self.behind_call, self.prose) == ("parameters", "", False)


DIALECTS: Final = {
    "im": Dialect(IM, "im"),
    "unused": Dialect(UNUSED, "unused"),
    "vllm": Dialect(IM, "im", arguments="arguments"),
    "lagent": Dialect(IM, "im", behind_call="\n", prose=True),
}
"""The dialects by name, the default one first."""

STARTS: Final = frozenset({IM.start, UNUSED.start})
ENDS: Final = frozenset({IM.end, UNUSED.end})
GRAMMAR: Final = Grammar(STARTS, ENDS)
TOKENS: Final[tuple[str, ...]] = (*IM, *UNUSED)
MARKS: Final = ControlTokens(TOKENS)
"""The tokens that have a meaning for a reader."""
SPECIALS: Final = (*TOKENS, *CHATML)
CONTROL: Final = ControlTokens(SPECIALS)
"""The tokens that content must not contain unbroken: `MARKS`, and those that only the model knows."""
added_tokens: Final = other_tokens(CONTROL)
FRAME_MARKS: Final = FrameMarks(
    (IM.start, UNUSED.start),
    (IM.end, UNUSED.end),
    r"assistant(?!\S)[^\n]*\n",
    (IM.action_end, UNUSED.action_end),
)
"""The prompt ends with the line of the header; the model writes everything after it."""


def frame_tokens() -> tuple[str, ...]:
    """Return the tokens of messages, in both spellings."""
    return TOKENS


FOREIGN: Final = {
    name: re.compile("|".join(map(re.escape, IM if dialect.tokens is UNUSED else UNUSED)))
    for name, dialect in DIALECTS.items()
}
"""The tokens of other dialects, by dialect."""

KINDS: Final = {
    IM.plugin: "plugin",
    UNUSED.plugin: "plugin",
    IM.interpreter: "interpreter",
    UNUSED.interpreter: "interpreter",
}
"""The kind of tool by the token after `name=`."""
ENVIRONMENT: Final = "environment"
ROLES: Final = frozenset({"system", "user", "assistant", ENVIRONMENT, "tool"})
"""Roles without a finding; the chat template of the model writes `tool`."""
PYTHON: Final = "python"
"""The recipient of calls of the code interpreter."""
