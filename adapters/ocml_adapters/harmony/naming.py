"""What gpt-oss calls the tools that a request declares: functions, by any name that a header can hold.

Its own tools, `python` and `browser`, are no functions; a function of such a name, or with a dot in it, is written
behind `functions.` like all others, as the chat template and vLLM do.
"""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.model import Tool
from ocml_bridge.turns import FUNCTIONS, full_name, recipient_of

from .nearest import header_word


def function_names(tools: Sequence[Tool]) -> dict[str, str]:
    """By the recipient for a declared name, the name of the function that it is to the model, where that differs.

    Names that a header holds stay as they are; of others, what would part or end it becomes `_`, and where another tool
    has that name already, a number stands behind it.
    """
    declared = dict.fromkeys(map(full_name, tools))
    spelled = {name: fitting for name in declared if (fitting := _fitting(name)) == name}
    taken = set(spelled)
    for name in declared:
        if name not in spelled:
            spelled[name] = _free(_fitting(name), taken)
            taken.add(spelled[name])
    return {
        recipient: name
        for recipient, name in ((recipient_of(name), spelled[name]) for name in declared)
        if "." in name or recipient != FUNCTIONS + name
    }


def _fitting(name: str) -> str:
    return header_word(FUNCTIONS + name).removeprefix(FUNCTIONS)


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
