"""What a conversation asks of the engine that answers it, and what an answer tells of how it was made.

The header of an OpenChatML 2.2 text, a request of Chat Completions and any vendor's request say the same here.
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
        mode: none of them; any; at least one.
        names: recipients of the only ones that may be called; () for all that are declared.
    """

    mode: Literal["none", "auto", "required"]
    names: tuple[str, ...] = ()
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class AnswerFormat:
    """What the answer must be.

    Attributes:
        type: any text; a JSON object; JSON that follows `schema`.
        name: of the schema.
        schema: JSON Schema.
        description: what the answer is for.
        strict: whether an answer that does not follow the schema is an error.
    """

    type: Literal["text", "json_object", "json_schema"]
    name: str | None = None
    schema: Json = None
    description: str | None = None
    strict: bool | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Usage:
    """The numbers of tokens that an answer took.

    Attributes:
        cached_tokens: those of the input that were not read anew.
        reasoning_tokens: those of the output that are private reasoning.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Settings:
    """The settings of a conversation; None where nothing is said.

    Attributes:
        model: which model is asked, or has answered.
        max_tokens: how many tokens the answer may have, reasoning included.
        stop: texts that end the answer; () where it is said that there are none.
        n: how many answers are wanted.
        reasoning_effort: how much to reason, in the source's own word.
        verbosity: how long an answer is wanted: low, medium, high.
        modalities: what the answer may be made of: text, audio, image.
        parallel_tool_calls: whether several calls may be made in one turn.
        usage: of an answer, the numbers of tokens.
        metadata: names and values that the service keeps with the answer.
        store: whether the service keeps the answer.
        service_tier: how the service is to treat the request, in its own word.
        safety_identifier: who asks, as a word that the service can tell users by.
        prompt_cache_key: tells requests whose prompts are alike.
        prompt_cache_retention: how long a prompt may be remembered, in the service's own word.
        user: who asks, as services had it before `safety_identifier` and `prompt_cache_key`.
        stream: whether the answer is wanted as it is made.
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
    """A text; None for anything else."""
    return value if isinstance(value, str) else None


def flag(value: Json) -> bool | None:
    """A truth value; None for anything else."""
    return value if isinstance(value, bool) else None


def number(value: Json) -> Number | None:
    """A number; None for anything else."""
    return value if type(value) in (int, float) else None


def count(value: Json) -> int | None:
    """A whole number; None for anything else."""
    return value if type(value) is int else None


def texts(value: Json) -> tuple[str, ...] | None:
    """A list of texts; None for anything else."""
    if not isinstance(value, (list, tuple)):
        return None
    items = cast("list[Json]", value)
    return tuple(items) if all(isinstance(item, str) for item in items) else None


def words(value: Json) -> dict[str, str] | None:
    """An object whose members are texts; None for anything else, and for one that says nothing."""
    if not isinstance(value, dict) or not value:
        return None
    members = cast("dict[str, Json]", value)
    return dict(members) if all(isinstance(member, str) for member in members.values()) else None


def tool_choice(value: Json) -> ToolChoice | None:
    """A tool choice: a mode, or an object with `mode` and `names`; None for anything else."""
    members = cast("dict[str, Json]", value) if isinstance(value, dict) else {"mode": value}
    mode, names = members.get("mode"), texts(members.get("names", ()))
    if mode not in ("none", "auto", "required") or names is None or members.keys() - {"mode", "names"}:
        return None
    return ToolChoice(mode, names)


def answer_format(value: Json) -> AnswerFormat | None:
    """An answer format: an object with the members of one; None for anything else."""
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
"""What is asked for, by field → what reads it of a JSON value; None where the value is none of that setting's."""


SERVICE: Final[dict[str, Callable[[Json], Any]]] = {
    "metadata": words,
    **dict.fromkeys(("store", "stream"), flag),
    **dict.fromkeys(("service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "user"), text),
}
"""The same for what is said to the service, and not to the model: OpenAI's APIs have the same words for it."""


def settings_of(values: dict[str, Json]) -> tuple[Settings | None, dict[str, Json]]:
    """The settings that are among some members, and the members that are none."""
    known: dict[str, Any] = {}
    others: dict[str, Json] = {}
    for name, value in values.items():
        setting = READERS[name](value) if name in READERS else None
        if setting is None:
            others[name] = value
        else:
            known[name] = setting
    return Settings(**known) if known else None, others
