"""What a driver is: how one kind of engine is asked for completions, and what its answers say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from ....errors import BridgeError, ErrorCode
from ....formats.guidance import Guide
from ....model import Json
from ....stream.completions import ReadChunk, members
from ..problems import ApiError

DriverName = Literal["auto", "vllm", "llama.cpp", "completions"]
"""What the drivers are called; `auto` is none of them: the upstream is asked."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What is wanted of an engine, in no engine's words.

    Attributes:
        prompt: text, or token ids.
        model: its name, as the client says it; None where it says none.
        stream: whether the answer is to come as it is written.
        usage: whether a stream is to end with the numbers of tokens.
        count: how many answers.
        limit: how many tokens an answer may have; None for as many as there is room for.
        sampling: temperature, penalties and the like, by the names that Chat Completions has for them.
        guide: what the answer has to look like; None for anything.
        logprobs: how many likely tokens to name at each place, beside the one that was written; None for no
            probabilities at all.
    """

    prompt: str | Sequence[int]
    model: str | None = None
    stream: bool = False
    usage: bool = False
    count: int = 1
    limit: int | None = None
    sampling: Mapping[str, Json] = field(default_factory=dict[str, Json])
    logprobs: int | None = None
    guide: Guide | None = None


class Call(NamedTuple):
    """A request to the engine.

    Attributes:
        path: behind the address of its server, such as `/v1/completions`.
        body: JSON; None for a question (GET).
    """

    path: str
    body: Mapping[str, Json] | None = None

    @property
    def is_streamed(self) -> bool:
        """Whether the answer comes as it is written, whatever the client has asked for."""
        return self.body is not None and self.body.get("stream") is True


Ask = Callable[[Call], Awaitable[Any]]
"""Sends a call and gives the answer, parsed.

Raises:
    ApiError: where there is none.
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a gateway needs of its engine.

    Attributes:
        ids: whether prompts and answers are token ids.
        tokens: the special tokens of the format, which the engine must not leave out of its texts.
        length: of the model's context in tokens, where whoever runs the gateway says it.
    """

    ids: bool = False
    tokens: tuple[str, ...] = ()
    length: int | None = None


class Driver(Protocol):
    """Asks one kind of engine. It is made once, when the engine is first reached."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def guides(self) -> bool:
        """Whether it holds answers to a guide."""
        ...

    async def room(self, wanted: Completion, ask: Ask) -> int:
        """How many tokens an answer may have at most: what the prompt leaves of the model's context.

        Raises:
            ApiError: where the engine refuses to say.
        """
        ...

    async def count(self, wanted: Completion, ask: Ask) -> int:
        """How many tokens the prompt has, or about how many where nobody can count them.

        Raises:
            ApiError: where the engine refuses to say.
        """
        ...

    def call(self, wanted: Completion, limit: int) -> Call:
        """The request for completions.

        Args:
            wanted: what the client asks for.
            limit: how many tokens an answer may have.

        Raises:
            ApiError: 400 where the engine cannot do it.
        """
        ...

    def reader(self, wanted: Completion) -> ReadChunk:
        """What takes the messages of the answer apart."""
        ...


MakeDriver = Callable[[Terms, Any, Ask], Awaitable[Driver]]
"""Makes a driver of what is needed and of the engine's list of models.

Raises:
    BridgeError: OCB-OPTION where the engine cannot do what is needed.
"""


def models_of(listing: Any) -> list[dict[str, Any]]:
    """The models that an engine offers (`/v1/models`)."""
    found = members(listing).get("data")
    return [members(model) for model in found] if isinstance(found, list) else []  # type: ignore[arg-type]


_LENGTHS = ("max_model_len", "context_length", "context_window", "max_context_length")
"""The members in which servers say how long a model's context is."""


def lengths_of(models: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Name of each model → the length of its context, where the list says it."""
    found: dict[str, int] = {}
    for model in models:
        lengths = [model.get(key) for key in _LENGTHS] + [members(model.get("meta")).get("n_ctx")]
        length = next((value for value in lengths if isinstance(value, int) and value > 0), None)
        if length is not None:
            found[str(model.get("id"))] = length
    return found


def unfit(message: str) -> BridgeError:
    """An engine that cannot do what the gateway was started for."""
    return BridgeError(ErrorCode.OPTION, message)


def unable(engine: str, param: str) -> ApiError:
    """Something of a request that an engine has no word for."""
    return ApiError(400, "unsupported_parameter", f"{engine} cannot do what {param!r} asks for", param)


def full(length: int) -> ApiError:
    """A prompt that leaves no room for an answer."""
    message = f"the messages fill the model's context of {length} tokens: there is no room for an answer"
    return ApiError(400, "context_length_exceeded", message, "messages")
