"""What a request asks for beside its messages: the parameters of Chat Completions, each by who it is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, cast

from ocml_bridge.model import Json, Transcript
from ocml_bridge.prompting import AnswerFormat, Asked, Prompting, ToolChoice
from ocml_bridge.turns import recipient_of

from .form import Object, kept, mine
from .syntax import HOME

ENGINE: Final = frozenset(
    {
        *("model", "stream", "stream_options", "n", "seed", "stop", "max_tokens", "max_completion_tokens"),
        *("temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
        *("logit_bias", "logprobs", "top_logprobs", "prediction", "include_reasoning"),
        *("user", "safety_identifier", "metadata", "store", "service_tier"),
        *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
    }
)
"""Sampling, limits, transport and bookkeeping: no part of the conversation, and none of a prompt's business."""
DEFAULTS: Final[dict[str, Json]] = {
    "tool_choice": "auto",
    "function_call": "auto",
    "parallel_tool_calls": True,
    "response_format": {"type": "text"},
    "verbosity": "medium",
    "modalities": ["text"],
}
"""What goes without saying."""


def asked(transcript: Transcript) -> Asked:
    """Take a request apart; what cannot be understood stays where it is."""
    extras = mine(transcript.extras, HOME)
    rest: Object = {key: value for key, value in extras.items() if not _is_silent(key, value)}
    fields, places = dict[str, Any](), dict[str, str]()
    for key, (field, reader) in _READERS.items():
        if key in rest and field not in fields and (value := reader(rest[key])) is not None:
            fields[field], places[field] = value, f"/extras/{HOME}/{key}"
    others = {home: more for home, more in (transcript.extras or {}).items() if home != HOME}
    return Asked(
        replace(transcript, extras={**others, **(kept(HOME, rest) or {})} or None), Prompting(**fields, places=places)
    )


def _is_silent(key: str, value: Json) -> bool:
    return key in ENGINE or (key in DEFAULTS and value == DEFAULTS[key])


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


def _effort(value: Json) -> str | None:
    """The effort in `reasoning`, as gateways have it beside `exclude`, which is about the answer."""
    members = _object(value)
    return _text(members.get("effort")) if members.keys() <= {"effort", "exclude", "enabled"} else None


def _tool_choice(value: Json) -> ToolChoice | None:
    if value in ("none", "auto", "required"):
        return ToolChoice(value)
    members = _object(value)
    if members.get("type") == "allowed_tools":
        return _allowed_tools(_object(members.get("allowed_tools")))
    name = _name(value)
    return None if name is None else ToolChoice("required", (name,))


def _allowed_tools(allowed: Object) -> ToolChoice | None:
    mode, tools = allowed.get("mode"), allowed.get("tools")
    names = [_name(tool) for tool in cast("list[Json]", tools)] if isinstance(tools, list) else []
    known = tuple(name for name in names if name is not None)
    return ToolChoice(mode, known) if known and len(known) == len(names) and mode in ("auto", "required") else None


def _function_call(value: Json) -> ToolChoice | None:
    """The deprecated `function_call`: a word, or the name of a function."""
    return _tool_choice(value if isinstance(value, str) else {"type": "function", "function": value})


def _name(value: Json) -> str | None:
    """The recipient for a tool as `tool_choice` names one."""
    members = _object(value)
    kind = members.get("type")
    name = _object(members.get(kind)).get("name") if kind in ("function", "custom") else None
    return recipient_of(name) if isinstance(name, str) and name else None


def _answer_format(value: Json) -> AnswerFormat | None:
    members = _object(value)
    if members.get("type") == "json_object":
        return AnswerFormat()
    described = _object(members.get("json_schema")) if members.get("type") == "json_schema" else {}
    name, description = described.get("name"), described.get("description")
    if not isinstance(name, str) or not (description is None or isinstance(description, str)):
        return None
    return AnswerFormat(name, described.get("schema", {}), description, described.get("strict") is True)


def _object(value: Json) -> Object:
    return cast("Object", value) if isinstance(value, dict) else {}


_READERS: Final[dict[str, tuple[str, Callable[[Json], Any]]]] = {
    "reasoning_effort": ("effort", _text),
    "reasoning": ("effort", _effort),
    "tool_choice": ("tool_choice", _tool_choice),
    "function_call": ("tool_choice", _function_call),
    "parallel_tool_calls": ("parallel_tool_calls", _flag),
    "response_format": ("answer", _answer_format),
    "verbosity": ("verbosity", _text),
}
"""Parameter → the field that it fills, and what reads it. Of two for one field the first is believed."""
