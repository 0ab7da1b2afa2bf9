"""Define the table of parameters: which members of a request or a response are which settings."""

from __future__ import annotations

from typing import Final

from ocml_bridge.chat.turns import name_of, recipient_of
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import (
    Parameters,
    members_of,
    parameter,
    plain_parameter,
    schema_members,
    usage_at,
    value_at,
)
from ocml_bridge.model import AnswerFormat, Json, ToolChoice
from ocml_bridge.model import settings as plain
from ocml_bridge.wires.tool_choices import ToolChoices

from .syntax import CAMEL_PARAMETERS


def _stop(value: Json) -> tuple[str, ...] | None:
    return (value,) if isinstance(value, str) else plain.texts(value)


# --- tool choice ------------------------------------------------------------------------------------------------------

_KINDS: Final = ("function", "custom")
_ANY: Final = "any"
"""Mistral's word for `required`."""


def _recipient(members: Object) -> str | None:
    kind: Json = members.get("type")
    if kind not in _KINDS or members.keys() != {"type", kind}:
        return None
    name: Json = members_of(members[kind]).get("name")
    return recipient_of(name) if isinstance(name, str) and name else None


def _is_name(members: Object) -> bool:
    return all(len(members_of(each)) == 1 for key, each in members.items() if key != "type")


def _named(recipient: str) -> Object:
    return {"type": "function", "function": {"name": name_of(recipient)}}


def _as_custom(tool: Object) -> Object:
    return {"type": "custom", "custom": tool["function"]}


TOOL_CHOICES: Final = ToolChoices(
    recipient=_recipient, is_name=_is_name, named=_named, as_custom=_as_custom, nested=True
)


def _tool_choice(value: Json) -> ToolChoice | None:
    return TOOL_CHOICES.read("required" if value == _ANY else value)


def _function_call(value: Json) -> ToolChoice | None:
    """Read the deprecated `function_call`: a word, or the name of a function."""
    return TOOL_CHOICES.read(value if isinstance(value, str) else {"type": "function", "function": value})


def _write_function_call(choice: ToolChoice) -> Json:
    written = TOOL_CHOICES.write(choice)
    return written if isinstance(written, str) else members_of(written).get("function")


# --- the form of the answer -------------------------------------------------------------------------------------------


def _response_format(value: Json) -> AnswerFormat | None:
    members = members_of(value)
    described: Json = members.get("json_schema", {})
    wanted = {"type", "json_schema"} if members.get("type") == "json_schema" else {"type"}
    if members.keys() != wanted or not isinstance(described, dict) or "type" in described:
        return None
    return plain.answer_format({"type": members["type"], **members_of(described)})


def _write_response_format(form: AnswerFormat) -> Json:
    return {"type": form.type} | ({"json_schema": schema_members(form)} if form.type == "json_schema" else {})


# --- settings inside objects with other members -----------------------------------------------------------------------

_EFFORT: Final = (("effort",),)
_NUMBERS: Final[dict[str, tuple[str, ...]]] = {
    "input_tokens": ("prompt_tokens",),
    "output_tokens": ("completion_tokens",),
    "total_tokens": ("total_tokens",),
    "cached_tokens": ("prompt_tokens_details", "cached_tokens"),
    "reasoning_tokens": ("completion_tokens_details", "reasoning_tokens"),
}


def _effort(value: Json) -> str | None:
    """Return the effort in `reasoning`, an object of gateways with other members."""
    return plain.text(value_at(value, ("effort",)))


def _write_effort(effort: str) -> Json:
    return {"effort": effort}


# --- how the service treats a request ---------------------------------------------------------------------------------

_TIERS: Final = frozenset({"auto", "default", "flex", "scale", "priority", "fast"})
"""The values that the API accepts; Responses has more."""


def _write_tier(tier: str) -> Json:
    return tier if tier in _TIERS else None


# --- all of them ------------------------------------------------------------------------------------------------------

_PARAMETERS: Final = {
    "max_completion_tokens": parameter("max_tokens", plain.count),  # `max_tokens` is refused for reasoning models
    **{name: plain_parameter(name) for name in plain.READERS if name not in ("stop", "response_format", "tool_choice")},
    **{name: parameter(name, read) for name, read in plain.SERVICE.items()},
    "service_tier": parameter("service_tier", plain.text, _write_tier),
    "stop": parameter("stop", _stop),
    "response_format": parameter("response_format", _response_format, _write_response_format),
    "tool_choice": parameter("tool_choice", _tool_choice, TOOL_CHOICES.write),
    "usage": usage_at(_NUMBERS),
    "x_groq": usage_at({name: ("usage", *place) for name, place in _NUMBERS.items()}),  # in Groq's streams
    "reasoning": parameter("reasoning_effort", _effort, _write_effort, _EFFORT),
    "function_call": parameter("tool_choice", _function_call, _write_function_call),
    "random_seed": plain_parameter("seed"),  # Mistral's
}
PARAMETERS: Final = Parameters(
    {**_PARAMETERS, **{camel: _PARAMETERS[name] for camel, name in CAMEL_PARAMETERS.items()}}
)
"""If two parameters have the same setting, the first one is read, and the first one is written."""
