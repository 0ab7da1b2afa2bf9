"""A prompt as a template wrote it, with the answer to it in a column of its own: together they are one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..model import Json
from . import frames
from .framed import TEXT, Frames, is_framed, read_framed
from .layout import Document, Object, Wording, misshapen

PROMPT: Final = "instruction"
ANSWER: Final = "output"
_BEGINS: Final = re.compile(r"\s*(?:<[|｜\w]|\[[|\w]|GPT4 )")
"""How a text begins whose turns stand between tokens."""
_CHATML: Final = Frames(
    "ChatML",
    re.compile(r"<\|im_start\|>(system|user|assistant|tool)\n"),
    re.compile(r"<\|(?:im_end|endoftext)\|>"),
    {each: each for each in ("system", "user", "assistant", "tool")},
    "`<|im_start|>`",
    re.compile(r"<s>(?=\s*<\|)|<\|(?:begin_of_text|startoftext)\|>"),
)


def is_rendered(fields: Object, wording: Wording) -> bool:
    """Whether a prompt in the tokens of a template stands there, and the answer fits behind it."""
    return _tokens(_text(fields), wording) is not None


def _text(fields: Object) -> str | None:
    """The prompt with its answer; None for another prompt."""
    prompt, answer = fields.get(PROMPT), fields.get(ANSWER, "")
    if not isinstance(prompt, str) or not isinstance(answer, str) or _BEGINS.match(prompt) is None:
        return None
    return prompt + answer


def _tokens(text: Json, wording: Wording) -> Frames | None:
    if text is None:
        return None
    return next((each for each in (_CHATML, *frames.ALL.values()) if is_framed(each, {TEXT: text}, wording)), None)


def read_rendered(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation that the prompt and its answer are.

    Raises:
        BridgeError: OCB-SHAPE for another prompt.
    """
    text = _text(fields)
    tokens = _tokens(text, wording)
    if tokens is None:
        raise misshapen(f"/{PROMPT}", "a prompt in the tokens of a template")
    return read_framed(tokens, {TEXT: text}, wording)
