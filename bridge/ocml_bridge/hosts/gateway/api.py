"""Define the APIs of clients: how the requests of each are read, and the form of its answers and refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import orjson

from ...json_values.parameters import members_of
from ...model import Json
from .clients import parameters
from .clients.parameters import wrong
from .problems import TOO_LONG, ApiError

Request = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a request, apart from its conversation.

    Attributes:
        stream: whether the answer is streamed.
        usage: whether a stream ends with the numbers of tokens.
        count: the number of answers.
        limit: the maximal number of tokens of an answer; None if the client sets no limit.
        sampling: the parameters that the engine gets unchanged.
        logprobs: the number of likely tokens at each position; None for no probabilities.
        stop: strings that end the answer.
        strict: whether a tool requires arguments that follow its schema.
        legacy: whether the client declares its tools as `functions`, and expects a `function_call`.
    """

    stream: bool
    usage: bool
    count: int = 1
    limit: int | None = None
    sampling: Mapping[str, Json] = field(default_factory=dict[str, Json])
    logprobs: int | None = None
    stop: tuple[str, ...] = ()
    strict: bool = False
    legacy: bool = False


@dataclass(frozen=True, slots=True)
class Api:
    """An API.

    Attributes:
        form: the format of its requests.
        stream: the stream id of streamed answers.
        whole: the stream id of whole answers.
        read: returns the parameters of a request, for a maximal number of answers; raises for invalid ones.
        refusal: returns the body of a refusal.
        event: returns a refusal as an event of a stream.
        names_stop: whether an answer says which stop string ended it.
        conversation: the parameter with the messages.
    """

    form: str
    stream: str
    whole: str
    read: Callable[[Request, int], Parameters]
    refusal: Callable[[ApiError], Any]
    event: Callable[[ApiError], bytes]
    names_stop: bool = False
    conversation: str = "messages"


# --- Chat Completions -------------------------------------------------------------------------------------------------


def _chat(request: Request, most: int) -> Parameters:
    stream = parameters.flag(request, "stream")
    for check in (
        parameters.messages,
        parameters.tools,
        parameters.answer_format,
        parameters.manner,
        parameters.modalities,
    ):
        check(request)
    return Parameters(
        stream,
        parameters.usage(request, stream=stream),
        parameters.whole(request, "n", 1, most) or 1,
        parameters.limit(request),
        parameters.sampling(request),
        parameters.logprobs(request),
        tuple(parameters.stop(request)),
        parameters.strict(request),
        bool(request.get("functions")) and not request.get("tools"),
    )


def _event(problem: ApiError) -> bytes:
    return b"data: " + orjson.dumps(problem.body()) + b"\n\n"


CHAT: Final = Api("openai", "openai-sse", "openai", _chat, ApiError.body, _event)

# --- Responses --------------------------------------------------------------------------------------------------------

_STATEFUL: Final = ("previous_response_id", "conversation", "prompt")
"""Parameters that need a stored conversation, which the gateway does not have."""
_REFERENCE: Final = "item_reference"
_COMPACTED: Final = frozenset({"compaction", "compaction_summary", "compaction_trigger", "context_compaction"})
"""The types of items that stand for earlier turns, which only their server can read, or that ask for such an item."""


def _responses(request: Request, _most: int) -> Parameters:
    for param in _STATEFUL:
        if request.get(param) is not None:
            message = f"the gateway keeps nothing between requests: send the whole input, without {param!r}"
            raise ApiError(400, "unsupported_parameter", message, param)
    if parameters.flag(request, "background"):
        raise ApiError(400, "unsupported_parameter", "the gateway answers at once, not in the background", "background")
    given = request.get("input")
    if not isinstance(given, (str, list)) or not given:
        raise wrong("input", "must be a text, or a list of at least one item")
    if isinstance(given, list):
        parameters.roles(request, "input")
        _check_items(cast("list[Json]", given))
    parameters.checked(request, "instructions", (str, list), "a text or a list of items")
    tools = [members_of(tool) for tool in parameters.items(request, "tools")]
    return Parameters(
        parameters.flag(request, "stream"),
        usage=True,
        limit=parameters.whole(request, "max_output_tokens", 1),
        sampling=parameters.sampling(request),
        strict=any(tool.get("strict") is True for tool in tools),
    )


def _check_items(items: list[Json]) -> None:
    """Check that a request has no items whose content is on another server.

    Raises:
        ApiError: with the place of such an item; without its content, the model would not see a part of the turns.
    """
    for at, item in enumerate(map(members_of, items)):
        kind = item.get("type")
        if kind == _REFERENCE or (kind is None and "id" in item and "role" not in item):
            message = (
                "the gateway keeps nothing between requests: send the item itself, as clients do if 'store' is false"
            )
        elif isinstance(kind, str) and kind in _COMPACTED:
            message = "the gateway cannot read or make compacted turns: send the turns themselves"
        else:
            continue
        raise ApiError(400, "unsupported_parameter", message, f"input.{at}")


def _responses_event(problem: ApiError) -> bytes:
    error = {"type": "error", "code": problem.code, "message": problem.message, "param": problem.param}
    return b"event: error\ndata: " + orjson.dumps(error) + b"\n\n"


RESPONSES: Final = Api(
    "openai-responses",
    "openai-responses-sse",
    "openai-responses",
    _responses,
    ApiError.body,
    _responses_event,
    conversation="input",
)

# --- Anthropic Messages -----------------------------------------------------------------------------------------------

_KINDS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
}
"""The types of errors in the Messages API, by status; all others are `api_error`."""


_NO_THREADS: Final[Mapping[str, Json]] = {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}
"""By these details, clients know that they have to send the whole conversation each time."""


def _messages(request: Request, _most: int) -> Parameters:
    if request.get("thread") is not None:
        message = "the gateway keeps nothing between requests: send all messages, without 'thread'"
        raise ApiError(400, "unsupported_parameter", message, "thread", details=_NO_THREADS)
    given = request.get("messages")
    if not isinstance(given, list) or not given:
        raise wrong("messages", "must be a list of at least one message")
    parameters.roles(request, "messages")
    stop = parameters.items(request, "stop_sequences")
    if not all(isinstance(string, str) for string in stop):
        raise wrong("stop_sequences", "must be a list of strings")
    tools = [members_of(tool) for tool in parameters.items(request, "tools")]
    return Parameters(
        parameters.flag(request, "stream"),
        usage=True,
        limit=parameters.whole(request, "max_tokens", 1),
        sampling=parameters.sampling(request),
        stop=tuple(stop),
        strict=any(tool.get("strict") is True for tool in tools),
    )


def _messages_refusal(problem: ApiError) -> Any:
    kind = _KINDS.get(problem.status, "api_error" if problem.status >= 500 else "invalid_request_error")
    # The API has no codes; clients know this error by its words.
    message = f"prompt is too long: {problem.message}" if problem.code == TOO_LONG else problem.message
    error: dict[str, Any] = {"type": kind, "message": message}
    return {"type": "error", "error": error if problem.details is None else {**error, "details": problem.details}}


def _messages_event(problem: ApiError) -> bytes:
    return b"event: error\ndata: " + orjson.dumps(_messages_refusal(problem)) + b"\n\n"


MESSAGES: Final = Api(
    "anthropic", "anthropic-sse", "anthropic", _messages, _messages_refusal, _messages_event, names_stop=True
)
