"""Read and write rows that hold a prompt and its answer in steps (TRL)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..exchange import INSTRUCTION, OUTPUT, is_text_or_messages, read_prompt, read_tools, write_completion
from ..fitting import as_list, as_object
from ..layout import Document, Object, Wording, unfit
from ..messages import request

STEPS: Final = "steps"


def is_stepwise(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a prompt and an answer in steps."""
    steps = as_list(fields.get(STEPS))
    return (
        is_text_or_messages(fields.get(INSTRUCTION))
        and bool(steps)
        and all(isinstance(each, str) for each in steps or ())
    )


def read_steps(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation that ends with an answer whose parts are the steps."""
    parts = [{"type": "text", "text": step} for step in as_list(fields[STEPS]) or []]
    answer: Object = {"role": "assistant", "content": parts}
    return [Document(request([*read_prompt(fields, wording), answer], read_tools(fields)))]


def write_steps(document: Json, wording: Wording) -> Object:
    """Return the fields of a conversation that ends with a message of the assistant in parts: the steps."""
    fields = write_completion(document, wording)
    parts = as_list(fields[OUTPUT][0].get("content"))
    steps = [(as_object(part) or {}).get("text") for part in parts or []]
    if not steps or not all(isinstance(step, str) for step in steps):
        raise unfit("stepwise", "the last answer must consist of text parts")
    more = {key: value for key, value in fields.items() if key != OUTPUT}
    return {**more, STEPS: steps}
