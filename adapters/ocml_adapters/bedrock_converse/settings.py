"""Read and write the parameters of requests and responses as settings, by a table."""

from __future__ import annotations

from typing import Final

from ocml_bridge.chat.turns import name_of, recipient_of
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import Parameter, Parameters, members_of, parameter, plain_parameter
from ocml_bridge.model import AnswerFormat, Json, ToolChoice, Usage
from ocml_bridge.model import settings as plain
from ocml_bridge.wires.blocks.values import text_of

from .syntax import TOOL_CONFIG

# --- tool choice ------------------------------------------------------------------------------------------------------


def _tool_choice(value: Json) -> ToolChoice | None:
    members = members_of(value)
    if members == {"auto": {}}:
        return ToolChoice("auto")
    if members == {"any": {}}:
        return ToolChoice("required")
    tool = members_of(members.get("tool")) if len(members) == 1 else {}
    name = tool.get("name")
    return ToolChoice("required", (recipient_of(name),)) if isinstance(name, str) and len(tool) == 1 else None


def _write_tool_choice(choice: ToolChoice) -> Json:
    if choice.mode == "required":
        return {"tool": {"name": name_of(choice.names[0])}} if len(choice.names) == 1 else {"any": {}}
    return {"auto": {}} if choice.mode == "auto" else None


# --- the format of the answer -----------------------------------------------------------------------------------------

_SCHEMA_MEMBERS: Final = ("schema", "name", "description")


def _answer_format(value: Json) -> AnswerFormat | None:
    """Return the format of the answer, or None; its schema is a text that contains JSON."""
    members = members_of(value)
    structure = members_of(members.get("structure"))
    described = members_of(structure.get("jsonSchema"))
    if members.keys() != {"type", "structure"} or members["type"] != "json_schema" or len(structure) != 1:
        return None
    schema, name, description = (described.get(key) for key in _SCHEMA_MEMBERS)
    span = jsontext.parse(schema) if isinstance(schema, str) else None
    are_texts = all(each is None or isinstance(each, str) for each in (name, description))
    if span is None or not are_texts or described.keys() - set(_SCHEMA_MEMBERS) or text_of(span.value) != schema:
        return None
    return AnswerFormat("json_schema", name, span.value, description)


def _write_answer_format(form: AnswerFormat) -> Json:
    schema = text_of(form.schema) if form.type == "json_schema" else None
    if schema is None:
        return None
    described: Object = {"schema": schema}
    described |= {key: value for key in ("name", "description") if (value := getattr(form, key)) is not None}
    return {"type": "json_schema", "structure": {"jsonSchema": described}}


# --- the numbers of tokens --------------------------------------------------------------------------------------------

_NUMBERS: Final = ("inputTokens", "outputTokens", "totalTokens", "cacheReadInputTokens")
_WRITTEN: Final = "cacheWriteInputTokens"


def _read_usage(value: Json) -> Object:
    """Return the numbers of tokens.

    `inputTokens` excludes tokens that were read from a cache or written to it; the settings' number includes them.
    """
    members = members_of(value)
    numbers = [plain.count(members.get(key)) for key in _NUMBERS]
    if any(number is None and key in members for number, key in zip(numbers, _NUMBERS, strict=True)):
        return {}
    inputs, outputs, total, cached = numbers
    if inputs is not None:
        inputs += (cached or 0) + (plain.count(members.get(_WRITTEN)) or 0)
    return {"usage": Usage(inputs, outputs, total, cached)}


def _write_usage(settings: Object, others: Object) -> Json:
    usage: Usage = settings["usage"]
    inputs = usage.input_tokens
    if inputs is not None:
        inputs -= (usage.cached_tokens or 0) + (plain.count(others.get(_WRITTEN)) or 0)
    numbers = (inputs, usage.output_tokens, usage.total_tokens, usage.cached_tokens)
    return {key: number for key, number in zip(_NUMBERS, numbers, strict=True) if number is not None} or None


# --- the tables -------------------------------------------------------------------------------------------------------


def _temperature(value: Json) -> float | None:
    """Return a temperature; None for one that the API refuses, which stays where it is."""
    temperature = plain.number(value)
    return None if temperature is None or temperature > 1 else temperature


def _write_temperature(temperature: float) -> Json:
    """Return a temperature that the API accepts: at most 1."""
    return min(temperature, 1)


REQUEST_PARAMETERS: Final = Parameters(
    {
        "modelId": parameter("model", plain.text),
        "inferenceConfig.maxTokens": plain_parameter("max_tokens"),
        "inferenceConfig.temperature": parameter("temperature", _temperature, _write_temperature),
        "inferenceConfig.topP": plain_parameter("top_p"),
        "inferenceConfig.stopSequences": plain_parameter("stop"),
        f"{TOOL_CONFIG}.toolChoice": parameter("tool_choice", _tool_choice, _write_tool_choice),
        "outputConfig.textFormat": parameter("response_format", _answer_format, _write_answer_format),
        "outputConfig.effort": parameter("reasoning_effort", plain.text),
    }
)
RESPONSE_PARAMETERS: Final = Parameters(
    {"usage": Parameter(("usage",), _read_usage, _write_usage, tuple((key,) for key in _NUMBERS), ((_WRITTEN,),))}
)
