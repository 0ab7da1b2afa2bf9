"""Read prompts in a text format, such as Harmony, alone or with the answers in another column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...convert import read
from ...errors import BridgeError
from ...model import Transcript
from ...model.codec import to_json
from .. import columns
from ..documents import TEXTS, format_of_row
from ..layout import Document, Layout, Object, Wording, misshapen
from ..logged import joined
from ..messages import message

PROMPT: Final = "instruction"
ANSWER: Final = "output"
_TOKEN: Final = re.compile(r"<\|[^\s|<>]+\|>")
_IN_CONTENT: Final = "<|message|>"
"""The end of a prompt whose answer is the content of a message that it begins (Harmony)."""


def is_prompted(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a prompt that is certainly in a text format, and no answer or a text."""
    prompt = fields.get(PROMPT)
    if not isinstance(prompt, str) or not isinstance(fields.get(ANSWER, ""), str):
        return False
    is_in_format = _TOKEN.match(prompt.lstrip()) is not None and format_of_row(prompt) in TEXTS
    return is_in_format and (ANSWER in fields or _is_whole(prompt))


def _is_whole(prompt: str) -> bool:
    """Return whether a prompt has messages, and nothing to repair; others may be about their first token."""
    try:
        found = read(prompt, format_of_row(prompt))
    except BridgeError:
        return False
    return isinstance(found.transcript, Transcript) and bool(found.transcript.messages) and not found.findings


def read_prompted(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the prompt and its answer, which goes on in the format, or is a text alone.

    Raises:
        BridgeError: OCB-SHAPE if the answer has tokens, and does not go on from the prompt; or as the format's reader
            raises it.
    """
    prompt, answer = str(fields[PROMPT]), str(fields.get(ANSWER, ""))
    form = format_of_row(prompt)
    begins = read(prompt, form)
    if ANSWER not in fields:
        return [Document(to_json(begins.transcript), begins.findings)]
    is_begun = prompt.rstrip().endswith(_IN_CONTENT)
    goes_on = is_begun or _TOKEN.match(answer.lstrip()) is not None
    ends = read(prompt + answer, form) if goes_on else read({"messages": [message("assistant", answer)]}, "openai")
    before, after = begins.transcript, ends.transcript
    if not isinstance(before, Transcript) or not isinstance(after, Transcript):
        raise misshapen(f"/{PROMPT}", "a conversation")
    if not goes_on:
        return [Document(to_json(joined(before, after)), (*begins.findings, *ends.findings))]
    prompt_messages = before.messages[:-1] if is_begun else before.messages
    more = after.messages[len(prompt_messages) :]
    if (
        not more
        or after.messages[: len(prompt_messages)] != prompt_messages
        or any(each.role != "assistant" for each in more)
    ):
        raise misshapen(f"/{ANSWER}", "an answer that goes on from the prompt")
    return [Document(to_json(after), ends.findings)]


PROMPTED: Final = Layout(
    "prompted",
    "a prompt in a text format, such as Harmony, and its answer",
    "canonical",
    {PROMPT: (*columns.QUESTIONS, "input"), ANSWER: columns.ANSWERS},
    is_prompted,
    read_prompted,
    without=frozenset((*columns.CHOSEN, *columns.REJECTED, *columns.SEVERAL)),
)
