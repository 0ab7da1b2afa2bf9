"""Check the parameters of a Chat Completions request: each must have its type, or the error names it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar, cast

from ....json_values.parameters import members_of
from ....model import Json
from ..problems import ApiError

Value = TypeVar("Value")
ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
SPEAKING: Final = ROLES - {"assistant", "function"}
"""The roles whose messages need content."""
CHOICE: Final = ("tool_choice", "function_call")
"""The parameters with the choice among the tools."""
CHOICES: Final = ("none", "auto", "required")
_ANY: Final = "any"
"""Mistral's word for `required`, in `tool_choice`."""
VERBOSITIES: Final = ("low", "medium", "high")
UNSUPPORTED: Final = ("audio", "web_search_options")
"""Parameters that are refused because ignoring them would give another answer."""
FORMATS: Final = frozenset({"text", "json_object", "json_schema"})
MOST_LIKELY: Final = 20
"""The maximal number of likely tokens at each position."""


def wrong(param: str, message: str) -> ApiError:
    """Return the error for an invalid parameter."""
    return ApiError(400, "invalid_value", f"{param!r} {message}", param)


def checked(
    request: Mapping[str, Any], param: str, kind: type[Value] | tuple[type[Value], ...], what: str
) -> Value | None:
    """Return a parameter's value; None if it is absent or null.

    Args:
        request: the request, or an object in it.
        param: its name; in an object, with the path before it.
        kind: its type; true and false are not numbers.
        what: the name of the type in the error.

    Raises:
        ApiError: 400 if it has another type.
    """
    value = request.get(param.rpartition(".")[2])
    if value is None:
        return None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise wrong(param, f"must be {what}")
    return value


def record(request: Mapping[str, Any], param: str) -> dict[str, Any] | None:
    """Return an object; None if it is absent or null."""
    return cast("dict[str, Any] | None", checked(request, param, dict, "an object"))


def items(request: Mapping[str, Any], param: str) -> list[Any]:
    """Return the items of a list; none if it is absent or null."""
    return cast("list[Any] | None", checked(request, param, list, "a list")) or []


def flag(request: Mapping[str, Any], param: str) -> bool:
    """Return a Boolean parameter; False if it is absent or null."""
    return checked(request, param, bool, "true or false") or False


def whole(request: Mapping[str, Any], param: str, least: int, most: int | None = None) -> int | None:
    """Return a whole number in a range.

    Raises:
        ApiError: 400 if it is not one.
    """
    value = checked(request, param, int, "a whole number")
    if value is not None and (value < least or (most is not None and value > most)):
        raise wrong(param, f"must be at least {least}" if most is None else f"must be from {least} to {most}")
    return value


def _number(request: Mapping[str, Any], param: str) -> Json:
    return checked(request, param, (int, float), "a number")  # type: ignore[arg-type]


def _integer(request: Mapping[str, Any], param: str) -> Json:
    return checked(request, param, int, "a whole number")


def _biases(request: Mapping[str, Any], param: str) -> Json:
    biases = record(request, param) or {}
    for token in biases:
        _number(biases, f"{param}.{token}")
    return biases or None


def _text(request: Mapping[str, Any], param: str) -> Json:
    return checked(request, param, str, "a string")


SAMPLING: Final[dict[str, Callable[[Mapping[str, Any], str], Json]]] = {
    "temperature": _number,
    "top_p": _number,
    "seed": _integer,
    "presence_penalty": _number,
    "frequency_penalty": _number,
    "logit_bias": _biases,
    "user": _text,
    "top_k": _integer,
    "min_p": _number,
    "repetition_penalty": _number,
    "min_tokens": _integer,
}
"""The checks of the parameters that the engine gets unchanged; the engine checks their ranges."""


def sampling(request: Mapping[str, Any]) -> dict[str, Json]:
    """Return the parameters that the engine gets unchanged."""
    read = ((param, take(request, param)) for param, take in SAMPLING.items())
    return {param: value for param, value in read if value is not None}


def limit(request: Mapping[str, Any]) -> int | None:
    """Return the maximal number of tokens of an answer; None if the client sets no limit."""
    old, new = (whole(request, param, 1) for param in ("max_tokens", "max_completion_tokens"))
    return old if new is None else new


def logprobs(request: Mapping[str, Any]) -> int | None:
    """Return the number of likely tokens at each position; None for no probabilities."""
    wanted, top = flag(request, "logprobs"), whole(request, "top_logprobs", 0, MOST_LIKELY)
    if top is not None and not wanted:
        raise wrong("top_logprobs", "must be for requests with 'logprobs': true")
    return (top or 0) if wanted else None


def stop(request: Mapping[str, Any]) -> list[str]:
    """Return the strings that end the answer."""
    value = request.get("stop")
    strings = cast("list[Any]", value) if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(string, str) for string in strings):
        raise wrong("stop", "must be a string or a list of strings")
    return strings


def usage(request: Mapping[str, Any], *, stream: bool) -> bool:
    """Return whether a stream ends with the numbers of tokens."""
    options = record(request, "stream_options")
    if options is None:
        return False
    if not stream:
        raise wrong("stream_options", "must be for requests with 'stream': true")
    return flag(options, "stream_options.include_usage")


def roles(request: Mapping[str, Any], param: str) -> None:
    """Check the roles of the messages in a list.

    Raises:
        ApiError: 400 if one is unknown.
    """
    for index, message in enumerate(items(request, param)):
        role = members_of(message).get("role")
        if role is not None and (not isinstance(role, str) or role not in ROLES):
            raise wrong(f"{param}.{index}.role", f"must be one of {', '.join(sorted(ROLES))}")


def messages(request: Mapping[str, Any]) -> None:
    """Check the messages.

    Raises:
        ApiError: 400 if they are invalid.
    """
    given = request.get("messages")
    if not isinstance(given, list) or not given:
        raise wrong("messages", "must be a list of at least one message")
    roles(request, "messages")
    for index, message in enumerate(cast("list[Any]", given)):
        path = f"messages.{index}"
        if not isinstance(message, dict):
            raise wrong(path, "must be an object")
        fields = members_of(message)
        role = fields.get("role")
        if role is None:
            raise wrong(f"{path}.role", f"must be one of {', '.join(sorted(ROLES))}")
        checked(fields, f"{path}.content", (str, list), "a string, a list of parts, or null")
        if fields.get("content") is None and role in SPEAKING:
            raise wrong(f"{path}.content", "must be a string or a list of parts")
        for at, call in enumerate(items(fields, f"{path}.tool_calls")):
            _named(call, f"{path}.tool_calls.{at}")


def _named(value: Any, path: str) -> None:
    """Check that a function that is called or declared has a name."""
    if not isinstance(value, dict):
        raise wrong(path, "must be an object")
    tool = members_of(value)
    if tool.get("type", "function") == "function" and not isinstance(members_of(tool.get("function")).get("name"), str):
        raise wrong(f"{path}.function.name", "must be a string")


def tools(request: Mapping[str, Any]) -> None:
    """Check the tools, and the form of the choice among them.

    Raises:
        ApiError: 400 if they are invalid.
    """
    for index, tool in enumerate(items(request, "tools")):
        _named(tool, f"tools.{index}")
    for index, function in enumerate(items(request, "functions")):
        if not isinstance(members_of(function).get("name"), str):
            raise wrong(f"functions.{index}.name", "must be a string")
    for param in CHOICE:
        choice = request.get(param)
        is_word = choice in CHOICES or (param == CHOICE[0] and choice == _ANY)
        if choice is not None and not isinstance(choice, dict) and not is_word:
            raise wrong(param, f"must be one of {', '.join(CHOICES)}, or an object")


def strict(request: Mapping[str, Any]) -> bool:
    """Return whether a tool requires arguments that follow its schema."""
    return any(members_of(tool.get("function")).get("strict") is True for tool in items(request, "tools"))


def answer_format(request: Mapping[str, Any]) -> None:
    """Check the format of the answer.

    Raises:
        ApiError: 400 if it is invalid.
    """
    wanted = record(request, "response_format")
    if wanted is None:
        return
    if wanted.get("type") not in FORMATS:
        raise wrong("response_format.type", f"must be one of {', '.join(sorted(FORMATS))}")
    if wanted["type"] == "json_schema":
        schema = record(wanted, "response_format.json_schema")
        if schema is None or not isinstance(schema.get("schema"), dict):
            raise wrong("response_format.json_schema.schema", "must be a JSON Schema")


def manner(request: Mapping[str, Any]) -> None:
    """Check the parameters for the manner of the answer.

    Raises:
        ApiError: 400 if it is invalid.
    """
    checked(request, "parallel_tool_calls", bool, "true or false")
    checked(request, "reasoning_effort", str, "a string")
    if request.get("verbosity") not in (None, *VERBOSITIES):
        raise wrong("verbosity", f"must be one of {', '.join(VERBOSITIES)}")
    for param in UNSUPPORTED:
        if request.get(param) is not None:
            raise ApiError(400, "unsupported_parameter", f"there is no {param!r} here", param)


def modalities(request: Mapping[str, Any]) -> None:
    """Check that the answer is to be text.

    Raises:
        ApiError: 400 if it is to be anything else.
    """
    if any(each != "text" for each in items(request, "modalities")):
        raise ApiError(400, "unsupported_parameter", "answers are text: 'modalities' can be [\"text\"]", "modalities")
