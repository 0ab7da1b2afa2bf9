"""Read prompts that a chat template wrote, with the answers in another column: together they are one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...model import Json
from .. import columns
from ..declared import TOOLS
from ..exchange import CHOSEN, HISTORY, INPUT, REJECTED, SYSTEM, shared
from ..fitting import as_list, items_of, members_of
from ..layout import Document, Layout, Object, Wording, misshapen
from ..messages import preference
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


def is_rendered_preference(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a prompt in the tokens of a template, and two answers that continue it."""
    return all(is_rendered(each, wording) for each in _with_either(fields))


def _with_either(fields: Object) -> list[Object]:
    """Return the fields with the chosen answer, and those with the rejected one."""
    return [{**fields, ANSWER: fields.get(key)} for key in (CHOSEN, REJECTED)]


def continued(fields: Object, answers: Sequence[Json], wording: Wording) -> list[Document]:
    """Return the conversations of a prompt in the tokens of a template with each of its answers; [] for other prompts.

    A prompt with a system message, an input or tools beside it is another prompt: the template has them inside.
    """
    if any(fields.get(name) for name in (SYSTEM, INPUT, HISTORY, TOOLS)):
        return []
    given = [{PROMPT: fields.get(PROMPT), ANSWER: answer} for answer in answers]
    if not all(isinstance(answer, str) for answer in answers) or not all(is_rendered(each, wording) for each in given):
        return []
    found = [document for each in given for document in read_rendered(each, wording)]
    return found if len(found) == len(answers) else []


def read_rendered_preference(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the prompt with both of its answers.

    Raises:
        BridgeError: OCB-SHAPE if the prompt with an answer is not one conversation in the tokens of a template.
    """
    found = [each for given in _with_either(fields) for each in read_rendered(given, wording)]
    if len(found) != len((CHOSEN, REJECTED)):
        raise misshapen(f"/{PROMPT}", "a prompt that its answers continue")
    return [preferred(found[0], found[1])]


def preferred(chosen: Document, rejected: Document) -> Document:
    """Return two conversations that begin alike as one, with the end of the second as the rejected answer."""
    found = (chosen, rejected)
    values = [members_of(each.value) for each in found]
    one, other = (items_of(value.get("messages")) for value in values)
    at = shared(one, other)
    findings = tuple(dict.fromkeys(finding for each in found for finding in each.findings))
    return Document(preference(one[:at], one[at:], other[at:], as_list(values[0].get("tools"))), findings)


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


RENDERED_PREFERENCE: Final = Layout(
    "rendered-preference",
    "a prompt in a template, and two answers, of which one was chosen",
    "openai",
    {
        PROMPT: ("prompt", "instruction", "question", "input"),
        CHOSEN: columns.CHOSEN,
        REJECTED: columns.REJECTED,
    },
    is_rendered_preference,
    read_rendered_preference,
)
