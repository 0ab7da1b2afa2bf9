"""Conversations in one text whose lines begin with who speaks: `USER: …`, `Human: …`, `### Response: …`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from ..loss import Finding
from ..model import Json
from . import calls
from .edges import END, unended
from .layout import Document, Object, Wording, misshapen, noticed
from .messages import message, request

STYLES: Final[tuple[Mapping[str, str], ...]] = (
    {
        "SYSTEM": "system",
        "USER": "user",
        "HUMAN": "user",
        "ASSISTANT": "assistant",
        "FUNCTION RESPONSE": "tool",
        "FUNCTION_RESPONSE": "tool",
        "TOOL": "tool",
    },
    {"System": "system", "User": "user", "Human": "user", "Assistant": "assistant", "Tool": "tool"},
    {"system": "system", "user": "user", "human": "user", "assistant": "assistant", "tool": "tool"},
    {
        "### System": "system",
        "### Human": "user",
        "### User": "user",
        "### Assistant": "assistant",
        "### Response": "assistant",
    },
    {"<human>": "user", "<bot>": "assistant"},
)
"""Labels of speakers and their roles; a text keeps to the style of its first label."""
_FENCE: Final = re.compile(r"\A\s*```[a-z]*\n(.*?)\n?```\s*\Z", re.DOTALL)


@cache
def _pattern(style: int) -> re.Pattern[str]:
    labels = "|".join(re.escape(label) for label in sorted(STYLES[style], key=len, reverse=True))
    # Headings are labels wherever they stand: Guanaco's texts have them behind what was said, in one line.
    begins = "" if labels.startswith("\\#") else f"(?:^|(?:{END}) ?)"
    return re.compile(rf"{begins}({labels}):[ \t]?", re.MULTILINE)


def _style_of(text: str) -> int | None:
    """The style of the label that a text begins with."""
    begins = text.lstrip()[:40]
    return next((style for style in range(len(STYLES)) if _pattern(style).match(begins)), None)


def is_speech(text: Json) -> bool:
    """Whether a text begins with a label, and both a person and the assistant speak in it."""
    if not isinstance(text, str):
        return False
    bare = _bare(text)
    style = _style_of(bare)
    if style is None:
        return False
    return {"user", "assistant"} <= {STYLES[style][word] for word in _pattern(style).findall(bare)}


def is_dialogue(fields: Object, wording: Wording) -> bool:
    """Whether a text stands there that names its speakers."""
    return is_speech(fields.get("text"))


def _bare(text: str) -> str:
    """A text out of the block of code that it stands in, if it does."""
    found = _FENCE.match(text)
    return text if found is None else found[1]


def read_speech(text: Json) -> list[Object] | None:
    """The messages of a text with the speaker before each turn; None for any other text."""
    if not isinstance(text, str) or not is_speech(text):
        return None
    bare = _bare(text).lstrip()
    style = _style_of(bare)
    assert style is not None
    found = list(_pattern(style).finditer(bare))
    ends = [*(each.start() for each in found[1:]), len(bare)]
    return [
        message(STYLES[style][label[1]], unended(bare[label.end() : end]))
        for label, end in zip(found, ends, strict=True)
    ]


def read_prompt(text: str) -> list[Object] | None:
    """The messages of a text that ends where the assistant is to speak; None for any other text."""
    messages = read_speech(text) if text.rstrip().endswith(":") else None
    if not messages or messages[-1] != message("assistant", ""):
        return None
    return messages[:-1]


def read_dialogue(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation of a text, behind what the system says in a column of its own.

    Raises:
        BridgeError: OCB-SHAPE for a text without speakers.
    """
    messages = read_speech(fields["text"])
    if messages is None:
        raise misshapen("/text", "a text with the speaker before each turn, as `USER: …`")
    system = fields.get("system")
    if isinstance(system, str) and system.strip():
        messages.insert(0, message("system", re.sub(r"\A\s*SYSTEM:\s*", "", system).strip()))
    findings = _unsaid(messages)
    tools, messages, more = calls.opened(messages)
    return [Document(request(messages, tools), (*findings, *more))]


def _unsaid(messages: Sequence[Object]) -> list[Finding]:
    """Say of `None` before a tool's result, as Python prints what was not said, that it is no text."""
    found: list[Finding] = []
    for at, (each, behind) in enumerate(pairwise(messages)):
        if each["role"] == "assistant" and each["content"] == "None" and behind["role"] == "tool":
            each["content"] = None
            found.append(noticed(f"/messages/{at}/content", "the text says None for a call that it does not show"))
    return found
