"""Read prompts that a chat template wrote, with the answers in another column: together they are one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..layout import Document, Object, Wording, misshapen
from . import frames
from .framed import TEXT, Frames, is_framed, read_framed

PROMPT: Final = "instruction"
ANSWER: Final = "output"
_BEGINS: Final = re.compile(r"\s*(?:<[|｜\w]|\[[|\w]|GPT4 )")
"""The beginning of a text whose turns are between tokens."""


def is_rendered(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a prompt in the tokens of a template, and an answer that continues it."""
    return _tokens(_text(fields), wording) is not None


def _text(fields: Object) -> str | None:
    """Return the prompt and its answer as one text; None for any other prompt."""
    prompt, answer = fields.get(PROMPT), fields.get(ANSWER, "")
    if not isinstance(prompt, str) or not isinstance(answer, str) or _BEGINS.match(prompt) is None:
        return None
    return prompt + answer


def _tokens(text: Json, wording: Wording) -> Frames | None:
    if text is None:
        return None
    return next(
        (each for each in (frames.CHATML, *frames.ALL.values()) if is_framed(each, {TEXT: text}, wording)), None
    )


def read_rendered(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the prompt and its answer.

    Raises:
        BridgeError: OCB-SHAPE if the prompt is not in the tokens of a template.
    """
    text = _text(fields)
    tokens = _tokens(text, wording)
    if tokens is None:
        raise misshapen(f"/{PROMPT}", "a prompt in the tokens of a template")
    return read_framed(tokens, {TEXT: text}, wording)
