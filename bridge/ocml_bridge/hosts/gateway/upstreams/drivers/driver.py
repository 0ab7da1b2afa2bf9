"""Define drivers: how one kind of engine is asked for completions, and how its answers are read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from .....errors import BridgeError, ErrorCode
from .....formats.guidance import Guide
from .....json_values.parameters import items_of, members_of
from .....model import Json
from .....stream.completions import ReadChunk
from ...problems import TOO_LONG, ApiError

DriverName = Literal["auto", "vllm", "llama.cpp", "completions"]
"""The names of drivers; `auto` chooses one by asking the upstream."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion to request, independent of the engine.

    Attributes:
        prompt: text, or token ids.
        model: the name of the model in the client's request; None if it has none.
        stream: whether the answer is streamed.
        usage: whether a stream ends with the numbers of tokens.
        count: the number of answers.
        limit: the maximal number of tokens of an answer; None for as many as there is room for.
        sampling: temperature, penalties and the like, by the names that Chat Completions has for them.
        guide: the guide that the answer must follow; None for any answer.
        logprobs: the number of likely tokens at each position, in addition to the one that was written; None for no
            probabilities.
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
        path: the path after the address of its server, such as `/v1/completions`.
        body: the JSON body; None for GET.
    """

    path: str
    body: Mapping[str, Json] | None = None

    @property
    def is_streamed(self) -> bool:
        """Return whether the answer is streamed, whatever the client has requested."""
        return self.body is not None and self.body.get("stream") is True


Ask = Callable[[Call], Awaitable[Any]]
"""Sends a call and returns the parsed answer.

Raises:
    ApiError: if there is none.
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a gateway needs of its engine.

    Attributes:
        ids: whether prompts and answers are token ids.
        tokens: the special tokens of the format, which the engine must not leave out of its texts.
        length: the length of the model's context in tokens, if the settings have it; None otherwise.
    """

    ids: bool = False
    tokens: tuple[str, ...] = ()
    length: int | None = None


class Driver(Protocol):
    """Asks one kind of engine. It is made once, when the engine is first reached."""

    @property
    def name(self) -> str:
        """Return its name."""
        ...

    @property
    def guides(self) -> bool:
        """Return whether the engine enforces guides."""
        ...

    async def room(self, wanted: Completion, ask: Ask) -> int:
        """Return the maximal number of tokens of an answer: the context without the prompt.

        Raises:
            ApiError: if the engine refuses to count.
        """
        ...

    async def count(self, wanted: Completion, ask: Ask) -> int:
        """Return the number of tokens of the prompt, or an estimate if they cannot be counted.

        Raises:
            ApiError: if the engine refuses to count.
        """
        ...

    def call(self, wanted: Completion, limit: int) -> Call:
        """Return the request for completions.

        Args:
            wanted: the completion to request.
            limit: the maximal number of tokens of an answer.

        Raises:
            ApiError: 400 if the engine cannot do it.
        """
        ...

    def reader(self, wanted: Completion) -> ReadChunk:
        """Return the reader of the answer's messages."""
        ...


MakeDriver = Callable[[Terms, Any, Ask], Awaitable[Driver]]
"""Makes a driver from what the gateway needs and the engine's list of models.

Raises:
    BridgeError: OCB-OPTION if the engine cannot do what the gateway needs.
"""


def models_of(listing: Any) -> list[dict[str, Any]]:
    """Return the models in an engine's list (`/v1/models`)."""
    return [members_of(model) for model in items_of(members_of(listing).get("data"))]


_LENGTHS = ("max_model_len", "context_length", "context_window", "max_context_length")
"""The members in which servers give the length of a model's context."""


def lengths_of(models: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the lengths of models' contexts in a list, by name."""
    found: dict[str, int] = {}
    for model in models:
        lengths = [model.get(key) for key in _LENGTHS] + [members_of(model.get("meta")).get("n_ctx")]
        length = next((value for value in lengths if isinstance(value, int) and value > 0), None)
        if length is not None:
            found[str(model.get("id"))] = length
    return found


def unfit(message: str) -> BridgeError:
    """Return the error for an engine that cannot do what the gateway's settings require."""
    return BridgeError(ErrorCode.OPTION, message)


def unable(engine: str, param: str) -> ApiError:
    """Return the error for a part of a request that an engine cannot express."""
    return ApiError(400, "unsupported_parameter", f"{engine} cannot do what {param!r} asks for", param)


def full(length: int) -> ApiError:
    """Return the error for a prompt that leaves no room for an answer."""
    message = f"the messages fill the model's context of {length} tokens: there is no room for an answer"
    return ApiError(400, TOO_LONG, message, "messages")
