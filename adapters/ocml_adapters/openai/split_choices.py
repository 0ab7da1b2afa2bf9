"""Join the choices of a response that are one answer: its text, and its calls in choices of their own.

GitHub Copilot answers so with the models of other vendors. The choices of a response with several answers have
different indices (Chat Completions, `choices[].index`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Final

from ocml_bridge.json_values.form import Object, is_empty
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import Json

from .syntax import CONTENT, TOOL_CALLS

CALLS_OF_CHOICES: Final = "calls of choices"
"""The key of the layout with how many calls of the message each choice has."""


def joined(choices: Sequence[Json]) -> tuple[Object, list[Json], list[Json]] | None:
    """Return the message of choices that are one answer, the choices without what they say, and their numbers of calls.

    Returns:
        None if the choices have different indices, or any but the first has anything but calls.
    """
    wires = [members_of(members_of(choice).get("message")) for choice in choices]
    indices = [members_of(choice).get("index") for choice in choices]
    calls = [items_of(wire.get(TOOL_CALLS)) for wire in wires]
    if len(choices) < 2 or any(index != indices[0] for index in indices):
        return None
    if not all(calls[1:]) or not all(is_empty(wire.get(CONTENT)) for wire in wires[1:]):
        return None
    if TOOL_CALLS in wires[0] and not calls[0]:
        return None
    message: Object = {**wires[0], TOOL_CALLS: [call for each in calls for call in each]}
    others: list[Json] = [
        {**members_of(choice), "message": {**wire, TOOL_CALLS: []}}
        for choice, wire in zip(choices[1:], wires[1:], strict=True)
    ]
    return message, [{**members_of(choices[0]), "message": None}, *others], [len(each) for each in calls]


def apart(message: Object, choices: Sequence[Json], counts: Json) -> list[Json]:
    """Return the choices with the message in them, as `joined` read it; in the first one if its calls were changed.

    Args:
        message: the wire message.
        choices: the choices without what they say.
        counts: how many calls each choice has.
    """
    calls, numbers = items_of(message.get(TOOL_CALLS)), [each for each in items_of(counts) if isinstance(each, int)]
    if len(numbers) != len(choices) or min(numbers, default=-1) < 0 or sum(numbers) != len(calls):
        return [{**members_of(choices[0]), "message": message}]
    parts = [calls[start:stop] for start, stop in pairwise(accumulate(numbers, initial=0))]
    out: list[Json] = []
    for choice, part in zip(choices, parts, strict=True):
        wire = {**(members_of(members_of(choice).get("message")) if out else message), TOOL_CALLS: part}
        if not part:
            del wire[TOOL_CALLS]
        out.append({**members_of(choice), "message": wire})
    return out
