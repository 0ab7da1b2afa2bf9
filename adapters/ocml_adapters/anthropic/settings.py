"""Read and write the parameters of requests and responses as settings, by a table.

A member that contains more than settings, such as `usage`, stays in the extras, with null in place of the settings. A
member that the writer would spell otherwise is stored under `settings` in the layout, and used while it means the same.
"""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.chat.turns import is_blank, name_of, recipient_of
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import Parameter, Parameters, members_of, parameter, value_at
from ocml_bridge.model import AnswerFormat, Json, Settings, ToolChoice, Usage
from ocml_bridge.model import settings as plain

# --- tool choice ------------------------------------------------------------------------------------------------------

_MODES: Final = {"auto": "auto", "any": "required", "none": "none"}
_TYPES: Final = {mode: kind for kind, mode in _MODES.items()}
_ALONE: Final = "disable_parallel_tool_use"


def _read_choice(value: Json) -> Object:
    members = members_of(value)
    kind, name, alone = members.get("type"), members.get("name"), members.get(_ALONE)
    if members.keys() - {"type", "name", _ALONE} or not (alone is None or isinstance(alone, bool)):
        return {}
    if kind == "tool" and isinstance(name, str) and name:
        choice = ToolChoice("required", (recipient_of(name),))
    elif isinstance(kind, str) and kind in _MODES and "name" not in members:
        choice = ToolChoice(cast("Any", _MODES[kind]))
    else:
        return {}
    parallel = {} if alone is None else {"parallel_tool_calls": not alone}
    return {"tool_choice": choice, **parallel}


def _write_choice(settings: Object, _: Object) -> Json:
    choice: ToolChoice | None = settings.get("tool_choice")
    parallel: bool | None = settings.get("parallel_tool_calls")
    if choice is None and parallel is None:
        return None
    choice = choice or ToolChoice("auto")
    if choice.mode == "required" and len(choice.names) == 1:
        out: Object = {"type": "tool", "name": name_of(choice.names[0])}
    else:
        out = {"type": _TYPES[choice.mode]}
    return out if parallel is None or choice.mode == "none" else {**out, _ALONE: not parallel}


# --- effort and form of the answer ------------------------------------------------------------------------------------

_EFFORTS: Final = {"minimal": "low", "none": None}
"""The efforts of reasoning that only other APIs have, and the nearest one of this API; None if it has none."""


def _answer_format(value: Json) -> AnswerFormat | None:
    members = members_of(value)
    if members.get("type") != "json_schema" or members.keys() != {"type", "schema"} or members["schema"] is None:
        return None
    return AnswerFormat("json_schema", schema=members["schema"])


def _write_answer_format(form: AnswerFormat) -> Json:
    return None if form.type != "json_schema" or form.schema is None else {"type": form.type, "schema": form.schema}


def _read_config(value: Json) -> Object:
    members = members_of(value)
    settings = {
        "reasoning_effort": plain.text(members.get("effort")),
        "response_format": _answer_format(members.get("format")),
    }
    return {field: setting for field, setting in settings.items() if setting is not None}


def _write_config(settings: Object, _: Object) -> Json:
    effort: Any = settings.get("reasoning_effort")
    form: AnswerFormat | None = settings.get("response_format")
    members: Object = {
        "effort": _EFFORTS.get(effort, effort),
        "format": None if form is None else _write_answer_format(form),
    }
    return {key: value for key, value in members.items() if value is not None} or None


# --- usage ------------------------------------------------------------------------------------------------------------

_INPUT, _OUTPUT, _CACHED, _WRITTEN = (
    *("input_tokens", "output_tokens"),
    *("cache_read_input_tokens", "cache_creation_input_tokens"),
)
_DETAILS, _THOUGHT = "output_tokens_details", "thinking_tokens"


def _read_usage(value: Json) -> Object:
    """Return the numbers of tokens; the input includes cached tokens in settings, and excludes them in the API."""
    members = members_of(value)
    counts = {key: plain.count(members.get(key)) for key in (_INPUT, _OUTPUT, _CACHED, _WRITTEN)}
    inputs, outputs = counts[_INPUT], counts[_OUTPUT]
    if inputs is None or outputs is None:
        return {}
    inputs += (counts[_CACHED] or 0) + (counts[_WRITTEN] or 0)
    details = members_of(members.get(_DETAILS))
    reasoned = plain.count(details.get(_THOUGHT)) if len(details) == 1 else None
    return {"usage": Usage(inputs, outputs, inputs + outputs, counts[_CACHED], reasoned)}


def _write_usage(settings: Object, others: Object) -> Json:
    usage: Usage | None = settings.get("usage")
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = usage.cached_tokens
    inputs = usage.input_tokens - (cached or 0) - (plain.count(others.get(_WRITTEN)) or 0)
    if inputs < 0:
        return None
    reasoned = usage.reasoning_tokens
    return {
        _INPUT: inputs,
        **({} if cached is None else {_CACHED: cached}),
        _OUTPUT: usage.output_tokens,
        **({} if reasoned is None else {_DETAILS: {_THOUGHT: reasoned}}),
    }


def has_usage(settings: Settings) -> bool:
    """Return whether settings have the numbers of tokens of both input and answer, as a response must have them."""
    return _write_usage({"usage": settings.usage}, {}) is not None


# --- the end user -----------------------------------------------------------------------------------------------------

_USER: Final = (("user_id",),)
"""The path of the user's id in `metadata`; the API detects abuse by it, as OpenAI's APIs do by `safety_identifier`."""


def _read_user(value: Json) -> Object:
    user = plain.text(value_at(value, _USER[0]))
    return {} if user is None else {"safety_identifier": user}


def _write_user(settings: Object, _: Object) -> Json:
    user = settings.get("safety_identifier", settings.get("user"))
    return None if user is None else {"user_id": user}


# --- the table --------------------------------------------------------------------------------------------------------


def _write_temperature(temperature: float) -> Json:
    """Return a temperature that the API accepts: at most 1."""
    return min(temperature, 1)


def _write_stops(stops: tuple[str, ...]) -> Json:
    """Return the stop texts that the API accepts: those that are not only white space."""
    return [stop for stop in stops if not is_blank(stop)] or None


PARAMETERS: Final = Parameters(
    {
        "model": parameter("model", plain.text),
        "max_tokens": parameter("max_tokens", plain.count),
        "temperature": parameter("temperature", plain.number, _write_temperature),
        "top_p": parameter("top_p", plain.number),
        "top_k": parameter("top_k", plain.count),
        "stop_sequences": parameter("stop", plain.texts, _write_stops),
        "tool_choice": Parameter(("tool_choice", "parallel_tool_calls"), _read_choice, _write_choice),
        "stream": parameter("stream", plain.flag),
        "metadata": Parameter(("safety_identifier", "user"), _read_user, _write_user, _USER),
        "output_config": Parameter(
            ("reasoning_effort", "response_format"), _read_config, _write_config, (("effort",), ("format",))
        ),
        "output_format": parameter("response_format", _answer_format, _write_answer_format),
        "usage": Parameter(("usage",), _read_usage, _write_usage, ((_INPUT,), (_CACHED,), (_OUTPUT,), (_DETAILS,))),
    }
)
"""The members by key. If two of them have the same setting, the first one is read and written."""
