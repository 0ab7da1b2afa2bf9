"""Read and write the parameters of requests and responses as settings, by a table."""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.chat.turns import name_of, recipient_of
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import Parameter, Parameters, members_of, parameter, plain_parameter
from ocml_bridge.model import AnswerFormat, Json, ToolChoice, Usage
from ocml_bridge.model import settings as plain

from .syntax import keys
from .tools import from_openapi, to_openapi

CONFIG: Final = "generationConfig"
_JSON: Final = "application/json"
_MODES: Final[dict[str, Any]] = {"AUTO": "auto", "ANY": "required", "NONE": "none"}
_MODE_OF: Final = {mode: name for name, mode in _MODES.items()}


_LEVELS: Final = {level.lower(): level for level in ("MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH")}
"""The API's level by the effort of reasoning."""


def _effort(value: Json) -> str | None:
    return value.lower() if isinstance(value, str) and value in _LEVELS.values() else None


def _level(effort: str) -> Json:
    """Return the level of an effort, the highest one for `max`; None for an unknown effort."""
    return _LEVELS.get("xhigh" if effort == "max" else effort)


def _modalities(value: Json) -> tuple[str, ...] | None:
    words = plain.texts(value)
    return tuple(word.lower() for word in words) if words is not None and all(map(str.isupper, words)) else None


def _write_modalities(value: tuple[str, ...]) -> Json:
    return [word.upper() for word in value] if all(map(str.islower, value)) else None


def _top_k(value: Json) -> int | None:
    """Return a `top_k`, which is a float in the API: 40 for 40.0."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else plain.count(value)


# --- tool choice ------------------------------------------------------------------------------------------------------


def _tool_choice(value: Json) -> ToolChoice | None:
    members = cast("Object", value)
    mode, names = members.get("mode"), plain.texts(members.get("allowedFunctionNames", []))
    plain_mode = _MODES.get(mode.upper()) if isinstance(mode, str) else None
    return None if plain_mode is None or names is None else ToolChoice(plain_mode, tuple(map(recipient_of, names)))


def _write_tool_choice(choice: ToolChoice) -> Json:
    out: Object = {"mode": _MODE_OF[choice.mode]}
    return {**out, "allowedFunctionNames": list(map(name_of, choice.names))} if choice.names else out


# --- the format of the answer -----------------------------------------------------------------------------------------


def _answer_format(value: Json) -> AnswerFormat | None:
    members = cast("Object", value)
    kind, schema, openapi = (members.get(key) for key in _FORMATS)
    if kind == "text/plain" and schema is openapi is None:
        return AnswerFormat("text")
    if kind != _JSON or (schema is not None and openapi is not None):
        return None
    if schema is openapi is None:
        return AnswerFormat("json_object")
    form = AnswerFormat("json_schema", schema=schema if openapi is None else from_openapi(openapi))
    return form if openapi is None or to_openapi(form.schema) is not None else None


OPENAPI_SCHEMA: Final = "responseSchema"
_FORMATS: Final = ("responseMimeType", "responseJsonSchema", OPENAPI_SCHEMA)


def _write_answer_format(form: AnswerFormat) -> Json:
    if form.type != "json_schema":
        return {"responseMimeType": "text/plain" if form.type == "text" else _JSON}
    return {"responseMimeType": _JSON, "responseJsonSchema": form.schema}


def _write_openapi_format(form: AnswerFormat) -> Json:
    schema = to_openapi(form.schema) if form.type == "json_schema" else None
    return _write_answer_format(form) if schema is None else {"responseMimeType": _JSON, OPENAPI_SCHEMA: schema}


# --- the numbers of tokens --------------------------------------------------------------------------------------------

_NUMBERS: Final[dict[str, str]] = {
    "promptTokenCount": "input_tokens",
    "candidatesTokenCount": "output_tokens",
    "totalTokenCount": "total_tokens",
    "cachedContentTokenCount": "cached_tokens",
    "thoughtsTokenCount": "reasoning_tokens",
}


_OF_TOOLS: Final = "toolUsePromptTokenCount"
"""The number of tokens that the results of the API's own tools took in the prompt."""


def _read_usage(value: Json) -> Object:
    """Return the numbers of tokens.

    `promptTokenCount` excludes the results of the API's own tools, and `candidatesTokenCount` excludes thoughts; the
    numbers of the settings include them. An answer of thoughts alone has no `candidatesTokenCount`.
    """
    members = members_of(value)
    numbers = {name: plain.count(members[key]) for key, name in _NUMBERS.items() if key in members}
    if any(number is None for number in numbers.values()):
        return {}
    usage = Usage(**cast("dict[str, int]", numbers))
    if usage.input_tokens is not None:
        usage.input_tokens += plain.count(members.get(_OF_TOOLS)) or 0
    if usage.reasoning_tokens is not None:
        usage.output_tokens = (usage.output_tokens or 0) + usage.reasoning_tokens
    return {"usage": usage}


def _write_usage(settings: Object, others: Object) -> Json:
    usage: Usage = settings["usage"]
    numbers = {key: getattr(usage, name) for key, name in _NUMBERS.items()}
    if usage.input_tokens is not None:
        numbers["promptTokenCount"] -= plain.count(others.get(_OF_TOOLS)) or 0
    if usage.output_tokens is not None and usage.reasoning_tokens is not None:
        spoken = usage.output_tokens - usage.reasoning_tokens
        numbers["candidatesTokenCount"] = spoken or None
    return {key: number for key, number in numbers.items() if number is not None}


# --- the tables -------------------------------------------------------------------------------------------------------


_PLACES: Final = tuple((key,) for key in _FORMATS)
_CHOICE: Final = (("mode",), ("allowedFunctionNames",))
_REQUEST: Final = {
    "model": plain_parameter("model"),
    "generationConfig.temperature": plain_parameter("temperature"),
    "generationConfig.topP": plain_parameter("top_p"),
    "generationConfig.topK": parameter("top_k", _top_k),
    "generationConfig.maxOutputTokens": plain_parameter("max_tokens"),
    "generationConfig.stopSequences": plain_parameter("stop"),
    "generationConfig.candidateCount": plain_parameter("n"),
    "generationConfig.seed": plain_parameter("seed"),
    "generationConfig.presencePenalty": plain_parameter("presence_penalty"),
    "generationConfig.frequencyPenalty": plain_parameter("frequency_penalty"),
    CONFIG: parameter("response_format", _answer_format, _write_answer_format, _PLACES),
    "generationConfig.responseModalities": parameter("modalities", _modalities, _write_modalities),
    "generationConfig.thinkingConfig.thinkingLevel": parameter("reasoning_effort", _effort, _level),
    "toolConfig.functionCallingConfig": parameter("tool_choice", _tool_choice, _write_tool_choice, _CHOICE),
}
_OPENAPI: Final = {CONFIG: parameter("response_format", _answer_format, _write_openapi_format, _PLACES)}
REQUEST_PARAMETERS: Final = Parameters(_REQUEST, keys)
OPENAPI_PARAMETERS: Final = Parameters({**_REQUEST, **_OPENAPI}, keys)
"""The same for a request that has the schema of the answer as an OpenAPI schema."""
RESPONSE_PARAMETERS: Final = Parameters(
    {
        "usageMetadata": Parameter(
            ("usage",), _read_usage, _write_usage, tuple((key,) for key in _NUMBERS), ((_OF_TOOLS,),)
        ),
        "modelVersion": plain_parameter("model"),
    },
    keys,
)
