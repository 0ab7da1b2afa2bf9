"""The parameters of a request, and what a response tells of itself, as the settings of a conversation: their table."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final, cast

from ocml_bridge.form import Object
from ocml_bridge.model import AnswerFormat, Json, Tool, ToolChoice
from ocml_bridge.model import settings as plain
from ocml_bridge.parameters import Parameter, Parameters, as_it_is, members_of, usage_at, value_at
from ocml_bridge.turns import full_name, name_of, recipient_of


def _stop(value: Json) -> tuple[str, ...] | None:
    return (value,) if isinstance(value, str) else plain.texts(value)


# --- tool choice ------------------------------------------------------------------------------------------------------


def _tool_choice(value: Json) -> ToolChoice | None:
    if isinstance(value, str):
        return plain.tool_choice(value)
    members = members_of(value)
    if members.get("type") == "allowed_tools" and len(members) == 2:
        return _allowed_tools(members_of(members.get("allowed_tools")))
    name = _name(value)
    alone = len(members) == 2 and all(len(members_of(each)) == 1 for key, each in members.items() if key != "type")
    return ToolChoice("required", (name,)) if alone and name is not None else None


def _allowed_tools(allowed: Object) -> ToolChoice | None:
    tools: Json = allowed.get("tools")
    names = [_name(tool) for tool in cast("list[Json]", tools)] if isinstance(tools, list) else []
    known = tuple(name for name in names if name is not None)
    if not known or len(known) != len(names) or allowed.get("mode") not in ("auto", "required") or len(allowed) != 2:
        return None
    return ToolChoice(allowed["mode"], known)


def _name(value: Json) -> str | None:
    """The recipient for a tool as `tool_choice` names one, or declares it once more."""
    members = members_of(value)
    kind = members.get("type")
    name = members_of(members.get(kind)).get("name") if kind in ("function", "custom") else None
    return recipient_of(name) if isinstance(name, str) and name else None


def _write_tool_choice(choice: ToolChoice) -> Json:
    if not choice.names:
        return choice.mode
    tools = [{"type": "function", "function": {"name": name_of(name)}} for name in choice.names]
    if choice.mode == "required" and len(tools) == 1:
        return tools[0]
    return {"type": "allowed_tools", "allowed_tools": {"mode": choice.mode, "tools": tools}}


def with_kinds(choice: Json, tools: Sequence[Tool]) -> Json:
    """A tool choice as we write it, in which those of some tools that take a text are named as custom ones."""
    custom = {full_name(tool) for tool in tools if tool.freeform is not None}
    return _with_kinds(choice, custom) if custom and isinstance(choice, dict) else choice


def _with_kinds(choice: Json, custom: Set[str]) -> Json:
    members = members_of(choice)
    if members.get("type") == "allowed_tools":
        allowed = members_of(members["allowed_tools"])
        listed = [_with_kinds(tool, custom) for tool in cast("list[Json]", allowed["tools"])]
        return {"type": "allowed_tools", "allowed_tools": {**allowed, "tools": listed}}
    named = members_of(members.get("function"))
    return {"type": "custom", "custom": named} if named.get("name") in custom else choice


def _function_call(value: Json) -> ToolChoice | None:
    """The deprecated `function_call`: a word, or the name of a function."""
    return _tool_choice(value if isinstance(value, str) else {"type": "function", "function": value})


def _write_function_call(choice: ToolChoice) -> Json:
    written = _write_tool_choice(choice)
    return written if isinstance(written, str) else members_of(written).get("function")


# --- the form of the answer -------------------------------------------------------------------------------------------

SCHEMA_NAME: Final = "answer"
"""The name of a schema that has none: the API asks for one."""
_DESCRIBED: Final = ("name", "description", "schema", "strict")


def _response_format(value: Json) -> AnswerFormat | None:
    members = members_of(value)
    described: Json = members.get("json_schema", {})
    if not isinstance(described, dict) or len(members) != 1 + ("json_schema" in members):
        return None
    inner = cast("Object", described)
    if ("json_schema" in members) is not (members.get("type") == "json_schema") or inner.keys() - set(_DESCRIBED):
        return None
    return plain.answer_format({"type": members.get("type"), **inner})


def _write_response_format(form: AnswerFormat) -> Json:
    if form.type != "json_schema":
        return {"type": form.type}
    described = {name: value for name in _DESCRIBED if (value := getattr(form, name)) is not None}
    return {"type": form.type, "json_schema": {"name": SCHEMA_NAME, **described}}


# --- settings inside objects that say more ----------------------------------------------------------------------------

_EFFORT: Final = {"effort": ("effort",)}
_NUMBERS: Final[dict[str, tuple[str, ...]]] = {
    "input_tokens": ("prompt_tokens",),
    "output_tokens": ("completion_tokens",),
    "total_tokens": ("total_tokens",),
    "cached_tokens": ("prompt_tokens_details", "cached_tokens"),
    "reasoning_tokens": ("completion_tokens_details", "reasoning_tokens"),
}


def _effort(value: Json) -> str | None:
    """The effort in `reasoning`, as gateways have it beside what is about the answer."""
    return plain.text(value_at(value, ("effort",)))


def _write_effort(effort: str) -> Json:
    return {"effort": effort}


# --- how the service treats a request ---------------------------------------------------------------------------------

_TIERS: Final = frozenset({"auto", "default", "flex", "scale", "priority", "fast"})
"""The words that the API takes; Responses has more."""


def _write_tier(tier: str) -> Json:
    return tier if tier in _TIERS else None


# --- all of them ------------------------------------------------------------------------------------------------------

PARAMETERS: Final = Parameters(
    {
        **{
            name: Parameter(name, plain.READERS[name], as_it_is)
            for name in plain.READERS
            if name not in ("stop", "response_format", "tool_choice")
        },
        **{name: Parameter(name, read, as_it_is) for name, read in plain.SERVICE.items()},
        "service_tier": Parameter("service_tier", plain.text, _write_tier),
        "stop": Parameter("stop", _stop, as_it_is),
        "response_format": Parameter("response_format", _response_format, _write_response_format),
        "tool_choice": Parameter("tool_choice", _tool_choice, _write_tool_choice),
        "usage": usage_at(_NUMBERS),
        "max_completion_tokens": Parameter("max_tokens", plain.count, as_it_is),
        "reasoning": Parameter("reasoning_effort", _effort, _write_effort, _EFFORT),
        "function_call": Parameter("tool_choice", _function_call, _write_function_call),
    }
)
"""Of two for one setting the first is believed; the first is written."""
