"""Requests as their envelopes and their units."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, cast

from ocml_bridge.form import Object, is_empty
from ocml_bridge.model import Json, Transcript
from ocml_bridge.units.grammar import Emptied

from .reader import is_system_prompt
from .shapes import is_answer, is_text_of_assistant
from .syntax import MESSAGES, NOTES, SYSTEM, TEXT


def emptied(source: Json) -> Emptied | None:
    """A request as its envelope and its units; None for a document of another shape.

    What tells whether an answer is to be continued stays in the envelope, and whether there is a system prompt.
    """
    wires: Json = cast("Object", source).get(MESSAGES) if source.__class__ is dict else None
    if wires.__class__ is not list:
        return None
    request = cast("Object", source)
    last = [{"role": "assistant", "content": TEXT}] if is_text_of_assistant(cast("list[Any]", wires)) else []
    prompt = request.get(SYSTEM)
    if is_empty(prompt):
        return Emptied({**request, MESSAGES: last}, cast("list[Any]", wires))
    return Emptied({**request, MESSAGES: last, SYSTEM: SYSTEM}, [{SYSTEM: prompt}, *cast("list[Any]", wires)])


def outline(units: list[Any], around: Transcript) -> Hashable | None:
    """What of the units of a request matters to what stands around them; None for a document of another shape.

    It is whether there is a system prompt, and whether the last message is the assistant's: the API asks for the number
    of tokens of an answer, and one that is not whole is to be continued.
    """
    if (around.layout is not None and "shape" in NOTES.of(around.layout)) or is_answer(around):
        return None
    last: Object = units[-1] if units else {}
    answered = last.get("role") == "assistant"
    return bool(units) and is_system_prompt(units[0]), bool(units), answered, answered and is_text_of_assistant(units)


def refilled(envelope: Object, units: list[Any]) -> Object:
    """A request with other units in an envelope."""
    if SYSTEM in envelope and units and is_system_prompt(units[0]):
        prompt, *wires = units
        envelope[SYSTEM], envelope[MESSAGES] = prompt[SYSTEM], wires
    else:
        envelope[MESSAGES] = units
    return envelope
