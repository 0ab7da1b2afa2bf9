"""Define the settings of a conversation: the parameters of a request, and the model and usage of an answer.

The header of an OpenChatML 2.2 text and the requests of all APIs use the same fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, cast

from .parts import Json

_STRICT: dict[str, str] = {"extra": "forbid"}

Number = int | float


@dataclass(slots=True)
class ToolChoice:
    """Which tools the model may call in its answer.

    Attributes:
        mode: `none`: no tool; `auto`: the model decides; `required`: at least one.
        names: the recipients of the tools that may be called; () for all declared tools.
    """

    mode: Literal["none", "auto", "required"]
    names: tuple[str, ...] = ()
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class AnswerFormat:
    """The required format of the answer.

    Attributes:
        type: `text`: any text; `json_object`: any JSON object; `json_schema`: JSON that matches `schema`.
        name: the name of the schema.
        schema: the JSON Schema.
        description: the purpose of the answer.
        strict: whether an answer that does not match the schema is an error.
    """

    type: Literal["text", "json_object", "json_schema"]
    name: str | None = None
    schema: Json = None
    description: str | None = None
    strict: bool | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Usage:
    """The token counts of an answer.

    Attributes:
        cached_tokens: the number of input tokens that came from the cache.
        reasoning_tokens: the number of output tokens that are private reasoning.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Settings:
    """The settings of a conversation. A field is None if the source does not set it.

    Attributes:
        model: the model that should answer, or has answered.
        max_tokens: the maximum number of tokens of the answer, reasoning included.
        stop: texts that end the answer; () if the source sets an empty list.
        n: the number of answers.
        reasoning_effort: how much to reason, as the source writes it.
        verbosity: the length of the answer: low, medium, high.
        modalities: the modalities of the answer: text, audio, image.
        parallel_tool_calls: whether several calls may be made in one turn.
        usage: the token counts of an answer.
        filtered: whether a filter ended or withheld an answer; None if it is not known.
        metadata: names and values that the service stores with the answer.
        store: whether the service stores the answer.
        service_tier: the service's processing tier, as the source writes it.
        safety_identifier: an identifier of the end user, for the service.
        prompt_cache_key: the cache key of requests with similar prompts.
        prompt_cache_retention: how long the prompt may be cached, as the source writes it.
        user: the end user, in the parameter that `safety_identifier` and `prompt_cache_key` replace.
        stream: whether the answer is to be streamed.
    """

    model: str | None = None
    temperature: Number | None = None
    top_p: Number | None = None
    top_k: int | None = None
    min_p: Number | None = None
    presence_penalty: Number | None = None
    frequency_penalty: Number | None = None
    repetition_penalty: Number | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] | None = None
    seed: int | None = None
    n: int | None = None
    reasoning_effort: str | None = None
    verbosity: str | None = None
    modalities: tuple[str, ...] | None = None
    response_format: AnswerFormat | None = None
    tool_choice: ToolChoice | None = None
    parallel_tool_calls: bool | None = None
    usage: Usage | None = None
    filtered: bool | None = None
    metadata: dict[str, str] | None = None
    store: bool | None = None
    service_tier: str | None = None
    safety_identifier: str | None = None
    prompt_cache_key: str | None = None
    prompt_cache_retention: str | None = None
    user: str | None = None
    stream: bool | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


# --- settings as JSON values ------------------------------------------------------------------------------------------


def text(value: Json) -> str | None:
    """Return a text; None for any other value."""
    return value if isinstance(value, str) else None


def flag(value: Json) -> bool | None:
    """Return a boolean; None for any other value."""
    return value if isinstance(value, bool) else None


def number(value: Json) -> Number | None:
    """Return a number; None for any other value."""
    return value if type(value) in (int, float) else None


def count(value: Json) -> int | None:
    """Return an integer; None for any other value."""
    return value if type(value) is int else None


def texts(value: Json) -> tuple[str, ...] | None:
    """Return a list of texts as a tuple; None for any other value."""
    if not isinstance(value, (list, tuple)):
        return None
    items = cast("list[Json]", value)
    return tuple(items) if all(isinstance(item, str) for item in items) else None


def words(value: Json) -> dict[str, str] | None:
    """Return an object whose values are texts; None for any other value, and for an empty object."""
    if not isinstance(value, dict) or not value:
        return None
    members = cast("dict[str, Json]", value)
    return dict(members) if all(isinstance(member, str) for member in members.values()) else None


def tool_choice(value: Json) -> ToolChoice | None:
    """Return the tool choice of a mode, or of an object with `mode` and `names`; None for any other value."""
    members = cast("dict[str, Json]", value) if isinstance(value, dict) else {"mode": value}
    mode, names = members.get("mode"), texts(members.get("names", ()))
    if mode not in ("none", "auto", "required") or names is None or members.keys() - {"mode", "names"}:
        return None
    return ToolChoice(mode, names)


def answer_format(value: Json) -> AnswerFormat | None:
    """Return the answer format of an object with the fields of `AnswerFormat`; None for any other value."""
    members = cast("dict[str, Json]", value) if isinstance(value, dict) else {}
    if members.get("type") not in ("text", "json_object", "json_schema") or members.keys() - _FORMAT_MEMBERS.keys():
        return None
    if any(_FORMAT_MEMBERS[key](member) is None for key, member in members.items() if member is not None):
        return None
    return AnswerFormat(**members)


def _anything(value: Json) -> Json:
    return value


_FORMAT_MEMBERS: Final[dict[str, Callable[[Json], Any]]] = {
    "type": text,
    "name": text,
    "schema": _anything,
    "description": text,
    "strict": flag,
}

READERS: Final[dict[str, Callable[[Json], Any]]] = {
    "model": text,
    **dict.fromkeys(("temperature", "top_p", "min_p"), number),
    **dict.fromkeys(("presence_penalty", "frequency_penalty", "repetition_penalty"), number),
    **dict.fromkeys(("top_k", "max_tokens", "seed", "n"), count),
    **dict.fromkeys(("stop", "modalities"), texts),
    **dict.fromkeys(("reasoning_effort", "verbosity"), text),
    "response_format": answer_format,
    "tool_choice": tool_choice,
    "parallel_tool_calls": flag,
}
"""For each field of `Settings` about the answer, the function that reads it from JSON; it returns None for an invalid
value."""


SERVICE: Final[dict[str, Callable[[Json], Any]]] = {
    "metadata": words,
    **dict.fromkeys(("store", "stream"), flag),
    **dict.fromkeys(("service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "user"), text),
}
"""The same for the fields that concern the service and not the model; OpenAI's APIs use these names."""


def settings_of(values: dict[str, Json]) -> tuple[Settings | None, dict[str, Json]]:
    """Split the members of a JSON object into settings (None if there are none) and other members."""
    settings: dict[str, Any] = {}
    others: dict[str, Json] = {}
    for name, value in values.items():
        setting = READERS[name](value) if name in READERS else None
        if setting is None:
            others[name] = value
        else:
            settings[name] = setting
    return Settings(**settings) if settings else None, others
