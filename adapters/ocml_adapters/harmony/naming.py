"""What gpt-oss calls the tools that a request declares: functions, by any name that a header can hold.

Its own tools, `python` and `browser`, are no functions; a function of such a name, or with a dot in it, is written
behind `functions.` like all others, as the chat template and vLLM do.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ocml_bridge.model import Message, Tool, replace
from ocml_bridge.turns import FUNCTIONS, full_name, is_call, recipient_of

from .nearest import header_word
from .syntax import ASSISTANT, TOOL

OWN_TOOLS: Final = ("browser", "python")
"""Tools that the model has of its own, by the first word of their recipients."""


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


# --- answers ----------------------------------------------------------------------------------------------------------


def meant(message: Message, declared: Collection[str]) -> Message:
    """What a message of an answer evidently is: a call of a declared function, however its name is written.

    A function's name with a namespace that is none, or with the type of its arguments glued to it, names that function.
    Where its name stands in the place of the role, and a type is promised, the function is called.

    Args:
        message: of the answer.
        declared: the recipients that the model knows.
    """
    named = message.recipient if is_call(message) else message.name if _takes_arguments(message) else None
    function = None if named is None or named in declared else _evident(named, declared)
    if function is None and not (named in declared and message.role == TOOL):
        return message
    return replace(message, role=ASSISTANT, name=None, recipient=function or named)


def _takes_arguments(message: Message) -> bool:
    """Whether a tool's message is none of its replies, which promise no type."""
    return message.role == TOOL and message.recipient is None and message.constraint is not None


_TYPES: Final = ("", "json", "code")


def _evident(named: str, declared: Collection[str]) -> str | None:
    """The one function that a name evidently means; None where there is none, or several."""
    if named.partition(".")[0] in OWN_TOOLS:
        return None
    found = {
        recipient
        for recipient in declared
        for kind in _TYPES
        if named.endswith(kind) and _is_named(named.removesuffix(kind), recipient.removeprefix(FUNCTIONS))
    }
    return found.pop() if len(found) == 1 else None


def _is_named(name: str, function: str) -> bool:
    return name == function or (name.endswith(f".{function}") and "." not in name.removesuffix(f".{function}"))
