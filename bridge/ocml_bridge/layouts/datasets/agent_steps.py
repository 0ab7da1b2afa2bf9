"""Read rows with a query and the steps of an agent: its thought, its calls, what it observed, what the user said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from .. import columns
from ..declared import read_tools
from ..exchange import INSTRUCTION, read_prompt
from ..fitting import items_of, objects_of, without_members
from ..layout import Document, Layout, Object, Wording
from ..messages import calls_of, message, request, respelled_all

STEPS: Final = "steps"
_THOUGHT: Final = "thought"
_CALLS: Final = "tool_calls"
_OBSERVATION: Final = "next_observation"
_USER: Final = "user_input"


def are_steps(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a query and steps, each with a thought, calls, and what was observed."""
    steps = objects_of(fields.get(STEPS))
    return isinstance(fields.get(INSTRUCTION), str) and bool(steps) and all(map(_is_step, steps))


def _is_step(step: Object) -> bool:
    known = all(isinstance(step.get(name, ""), str) for name in (_THOUGHT, _USER))
    return known and _OBSERVATION in step and all("name" in each for each in objects_of(step.get(_CALLS)))


def read_step(step: Object, path: str, *, is_last: bool) -> list[Object]:
    """Return the messages of a step: of the assistant, of the tool, and of the user.

    The thought next to calls is reasoning; without calls it is the answer.

    Raises:
        BridgeError: OCB-SHAPE if a call has no name.
    """
    thought, observed, answer = (step.get(name) for name in (_THOUGHT, _OBSERVATION, _USER))
    made = calls_of(step.get(_CALLS) or [], f"{path}/{_CALLS}")
    messages: list[Object] = []
    if made:
        reasoning = {"reasoning": thought} if thought else {}
        messages.append({"role": "assistant", **reasoning, "content": None, _CALLS: made})
    elif thought:
        messages.append({"role": "assistant", "content": thought})
    if observed or (made and not is_last):
        messages.append({"role": "tool", "content": observed or ""})
    return [*messages, message("user", answer)] if isinstance(answer, str) and answer else messages


def read_steps(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of a query and its steps; other members of these go into the column `nodes`.

    Raises:
        BridgeError: OCB-SHAPE if a step is none.
    """
    messages: list[Object] = read_prompt(fields, wording)
    steps = items_of(fields[STEPS])
    for at, step in enumerate(objects_of(steps)):
        path = f"/{STEPS}/{at}"
        found: list[Json] = [*messages[-1:], *read_step(step, path, is_last=at == len(steps) - 1)]
        messages[-1:] = respelled_all(found, wording, path)
    others = [without_members(each, _THOUGHT, _CALLS, _OBSERVATION, _USER) for each in objects_of(steps)]
    beside = {"nodes": list[Json](others)} if any(others) else {}
    return [Document(request(messages, read_tools(fields)), extra_columns=beside)]


AGENT_STEPS: Final = Layout(
    "agent-steps",
    "a query, and the steps of an agent with its calls and what it observed (xLAM)",
    "openai",
    {
        INSTRUCTION: ("query", "question", "instruction"),
        STEPS: (STEPS,),
        **columns.PROMPT,
        "system": ("task_instruction", *columns.SYSTEM),
    },
    are_steps,
    read_steps,
)
