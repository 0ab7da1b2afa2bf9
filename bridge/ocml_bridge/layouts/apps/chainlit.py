"""Read threads of Chainlit: steps, of which some are messages and some are what tools did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..fitting import items_of, members_of, objects_of
from ..layout import Document, Object, Wording
from ..messages import message, request
from ..pieces import function_call
from ..trees import NODES, rest

STEPS: Final = "steps"
_ROLES: Final = {"user_message": "user", "assistant_message": "assistant", "system_message": "system"}
"""The role for each type of a step that is a message."""
_TOOL: Final = "tool"


def is_thread(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold steps, each with a type, one of which is a message."""
    types = [members_of(step).get("type") for step in items_of(fields.get(STEPS))]
    return all(isinstance(each, str) for each in types) and any(each in _ROLES for each in types)


def read_thread(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation, with the other steps, and the other members of all steps, in a column."""
    messages: list[Object] = []
    nodes: list[Json] = []
    for step in objects_of(fields[STEPS]):
        answer, role = step.get("output"), _ROLES.get(step["type"])
        if role is not None and isinstance(answer, str):
            messages.append(message(role, answer))
            nodes.append(rest(step, ("type", "output")))
        elif (
            step["type"] == _TOOL
            and isinstance(answer, str)
            and all(isinstance(step.get(key), str) for key in ("name", "input"))
        ):
            identity = step.get("id") if isinstance(step.get("id"), str) else None
            call = function_call(step["name"], step["input"], identity)
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({**message("tool", answer), **({"tool_call_id": identity} if identity is not None else {})})
            nodes.append(rest(step, ("type", "name", "input", "output")))
        else:
            nodes.append(step)
    return [Document(request(messages, None), extra_columns={NODES: nodes})]
