"""What is written, judged by the types of the official clients: openai, anthropic, google-genai, and botocore's shapes.

A document is taken apart into what a client names a type for, and each piece is validated against its type, so that a
fault names its place. What a document of ours cannot know is filled in: the model, the id of a response, its usage.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, cast, get_args, get_type_hints

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from ocml_bridge import convert
from ocml_bridge.report.policy import LENIENT

STRANGER = "unknown role"
"""A message of somebody whom the API does not know."""
REASONS: dict[str, str] = {
    rf"^{STRANGER}: ": "a role that the API does not know",
    r"tool_call_id missing|call_id missing|tool_use_id missing|\"toolUseId\"": "a tool result without a call",
    r"bytes_invalid_encoding": "data that is not base64",
    r"\"audio\", must be one of|^function_call_output: .* literal_error": "audio in a tool result",
    r"'s document: source\.": "a file without a type",
    r": (?:content\.)?\d+\.(?:text|type|\w*ContentPart|\w*RefusalParam|\w*ResultBlock)": (
        "media that the API does not accept here"
    ),
    r"JSONSchemaConfigParam missing": "a form of answers without a schema",
    r"effort literal_error|modalities": "a value of a setting that the API does not know",
}
"""A pattern of a fault → what of the source the client has no type for. It stays as it is, rather than being lost."""
Piece = tuple[str, Any, Any]
"""What a piece is, its type, and the piece itself."""


def faults(wire: str, output: Any) -> list[str]:
    """What of a document is not of the types of the wire's client, such as `tool: tool_call_id missing`."""
    if wire == "bedrock-converse":
        return _faults_of_shape(output)
    return [f"{name}: {fault}" for name, kind, value in _PIECES[wire](output) for fault in _faults(kind, value)]


def reason(fault: str) -> str | None:
    """Why a document is not of the types; None where that is a fault of ours."""
    return next((why for pattern, why in REASONS.items() if re.search(pattern, fault)), None)


def unexplained(document: Any, source: str, target: str) -> list[str]:
    """The faults of a document that is written for another API, but those that have a reason."""
    output = convert(document, source=source, target=target, policy=LENIENT).output
    return [fault for fault in faults(target, output) if reason(fault) is None]


def _faults(kind: Any, value: Any) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # google-genai takes any word, and warns of those that it does not know
            _walk(_adapter(kind).validate_python(value))
    except UserWarning as warning:
        yield str(warning)
    except ValidationError as error:
        places = {(each["loc"][:3], each["type"]) for each in error.errors()}
        yield "; ".join(sorted(f"{'.'.join(map(str, place))} {what}" for place, what in places))


def _walk(value: Any) -> None:
    """Go through a validated value: what is an `Iterable` is validated when somebody asks for its items."""
    if isinstance(value, dict):
        value = list(cast("dict[str, Any]", value).values())
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, BaseModel)):
        for item in cast("Iterable[Any]", value):
            _walk(item)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _request(output: Any, key: str) -> Any:
    """A request; a list of messages alone is made one."""
    return {key: cast("list[Any]", output)} if isinstance(output, list) else output


def _chat(output: Any) -> Iterator[Piece]:
    from openai.types import chat
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    if "choices" in output:
        response = {"id": "", "created": 0, "model": "", "object": "chat.completion", **output}
        yield "response", chat.ChatCompletion, response
        return
    kinds = {
        "system": chat.ChatCompletionSystemMessageParam,
        "developer": chat.ChatCompletionDeveloperMessageParam,
        "user": chat.ChatCompletionUserMessageParam,
        "assistant": chat.ChatCompletionAssistantMessageParam,
        "tool": chat.ChatCompletionToolMessageParam,
        "function": chat.ChatCompletionFunctionMessageParam,
    }
    request = _request(output, "messages")
    for message in request.get("messages", ()):  # a line of preferences has none: the client has no type for it
        known = kinds.get(message["role"])
        yield (
            (STRANGER, chat.ChatCompletionMessageParam, message) if known is None else (message["role"], known, message)
        )
    yield "request", CompletionCreateParamsNonStreaming, {"model": "", **request, "messages": []}


def _items(output: Any) -> Iterator[Piece]:
    from openai.types.responses import Response, ResponseInputItemParam
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    if "output" in output:
        needed: dict[str, Any] = {"id": "", "created_at": 0, "model": "", "object": "response", "tools": []}
        yield "response", Response, {**needed, "tool_choice": "auto", "parallel_tool_calls": True, **output}
        return
    request = _request(output, "input")
    if isinstance(request.get("input"), list):
        kinds = _by_type(ResponseInputItemParam)
        for item in request["input"]:
            name = item.get("type", "message")
            is_known = name != "message" or item["role"] in ("system", "developer", "user", "assistant")
            kind = ResponseInputItemParam if name == "message" else kinds.get(name, ResponseInputItemParam)
            yield name if is_known else STRANGER, kind, item
    yield "request", ResponseCreateParamsNonStreaming, {"model": "", **request, "input": []}


def _by_type(union: Any) -> dict[str, Any]:
    """The types of a union by the value of their member `type`."""
    found = ((get_args(get_type_hints(each).get("type")), each) for each in get_args(union))
    return {names[0]: each for names, each in found if names and isinstance(names[0], str)}


def _blocks(output: Any) -> Iterator[Piece]:
    from anthropic import types
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    if output.get("type") == "message":
        usage = {"input_tokens": 0, "output_tokens": 0}
        yield "response", types.Message, {"id": "", "model": "", "usage": usage, "stop_reason": None, **output}
        return
    kinds = _by_type(types.ContentBlockParam)
    for message in output["messages"]:
        role, content = message["role"], message.get("content")
        if isinstance(content, list):
            for block in cast("list[Any]", content):
                yield f"{role}'s {block['type']}", kinds.get(block["type"], types.ContentBlockParam), block
            content = cast("list[Any]", [])
        known = role in ("user", "assistant", "system")
        yield (
            role if known else STRANGER,
            types.MessageParam,
            {**message, **({} if content is None else {"content": content})},
        )
    yield "request", MessageCreateParamsNonStreaming, {"max_tokens": 1, "model": "", **output, "messages": []}


def _contents(output: Any) -> Iterator[Piece]:
    types = pytest.importorskip("google.genai.types")
    if isinstance(output, dict) and ("candidates" in output or "promptFeedback" in output):
        yield "response", types.GenerateContentResponse, output
        return
    request = _request(output, "contents")
    for content in request["contents"]:
        yield content.get("role", "content"), types.Content, content
    for name, kind in (
        ("systemInstruction", types.Content),
        ("tools", list[types.Tool]),
        ("toolConfig", types.ToolConfig),
        ("generationConfig", types.GenerationConfig),
        ("safetySettings", list[types.SafetySetting]),
    ):
        if name in request:
            yield name, kind, request[name]


_PIECES: dict[str, Callable[[Any], Iterator[Piece]]] = {
    "openai": _chat,
    "openai-responses": _items,
    "anthropic": _blocks,
    "gemini": _contents,
}


@cache
def converse() -> Any:
    """The operation Converse, as botocore knows it."""
    session = pytest.importorskip("botocore.session").get_session()
    return session.get_service_model("bedrock-runtime").operation_model("Converse")


def _faults_of_shape(output: Any) -> list[str]:
    validate = pytest.importorskip("botocore.validate")
    request = _request(output, "messages")
    needed: dict[str, Any] = {"modelId": "m"}
    shape = converse().input_shape
    if "output" in request:
        shape = converse().output_shape
        usage = {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
        needed = {"metrics": {"latencyMs": 0}, "usage": usage, "stopReason": "end_turn"}
    report = validate.ParamValidator().validate({**needed, **request}, shape)
    return report.generate_report().splitlines()
