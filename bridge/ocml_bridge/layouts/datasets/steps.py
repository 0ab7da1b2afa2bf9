"""Read and write rows that hold a prompt and its answer in steps (TRL)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..declared import read_tools
from ..exchange import INSTRUCTION, OUTPUT, is_text_or_messages, read_prompt, write_completion
from ..fitting import items_of, objects_of, without_members
from ..layout import Document, Object, Wording, unfit
from ..messages import request

STEPS: Final = "steps"


def is_stepwise(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a prompt and an answer in steps."""
    steps = items_of(fields.get(STEPS))
    texts = bool(steps) and all(isinstance(each, str) for each in steps)
    return texts and is_text_or_messages(fields.get(INSTRUCTION))


def read_steps(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation that ends with an answer whose parts are the steps."""
    parts = [{"type": "text", "text": step} for step in items_of(fields[STEPS])]
    answer: Object = {"role": "assistant", "content": parts}
    return [Document(request([*read_prompt(fields, wording), answer], read_tools(fields)))]


def write_steps(document: Json, wording: Wording) -> Object:
    """Return the fields of a conversation that ends with a message of the assistant in parts: the steps."""
    fields = write_completion(document, wording, "stepwise")
    steps = [part.get("text") for part in objects_of(fields[OUTPUT][0].get("content"))]
    if not steps or not all(isinstance(step, str) for step in steps):
        raise unfit("stepwise", "the last answer must consist of text parts")
    return {**without_members(fields, OUTPUT), STEPS: steps}
