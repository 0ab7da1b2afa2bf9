"""What real requests have and a plain generator has not: one feature each, to be added to a plain conversation.

A feature may cost what it takes to read and report it, but it must not make the rest of its document slow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple
from zlib import crc32

Wire = dict[str, Any]


class Feature(NamedTuple):
    """One feature.

    Attributes:
        name: what it is, for people.
        add: gives a conversation with it; the conversation that is given may be changed.
    """

    name: str
    add: Callable[[Wire], Wire]


def _each(change: Callable[[Wire], Wire], role: str | None = None) -> Callable[[Wire], Wire]:
    """Change every message, or those of one role."""

    def add(request: Wire) -> Wire:
        changed = [change(message) if role in (None, message["role"]) else message for message in request["messages"]]
        return {**request, "messages": changed}

    return add


def _first(change: Callable[[Wire], Wire], role: str) -> Callable[[Wire], Wire]:
    """Change the first message of a role."""

    def add(request: Wire) -> Wire:
        messages = list[Wire](request["messages"])
        for at, message in enumerate(messages):
            if message["role"] == role:
                messages[at] = change(message)
                break
        return {**request, "messages": messages}

    return add


def _with(**more: Any) -> Callable[[Wire], Wire]:
    return lambda message: {**message, **more}


def _named_replies(request: Wire) -> Wire:
    """Give every reply the name of the function whose call has its id."""
    calls = [call for message in request["messages"] for call in message.get("tool_calls") or ()]
    names = {call["id"]: call["function"]["name"] for call in calls}
    messages = [
        {**message, "name": names[message["tool_call_id"]]} if message["role"] == "tool" else message
        for message in request["messages"]
    ]
    return {**request, "messages": messages}


def _content_first(message: Wire) -> Wire:
    return {"content": message["content"], **{key: value for key, value in message.items() if key != "content"}}


def _dumped(message: Wire) -> Wire:
    """An assistant's message as an SDK's object dumps it."""
    nulls = {"refusal": None, "annotations": None, "audio": None, "function_call": None, "tool_calls": None}
    return {"content": None, **nulls, **message}


def _text(message: Wire, text: str) -> Wire:
    return {**message, "content": f"{message['content'] or ''}{text}"}


def _parts(message: Wire) -> Wire:
    return {**message, "content": [{"type": "text", "text": message["content"] or ""}]}


def _with_image(message: Wire) -> Wire:
    """An image that no other message has."""
    text = message["content"] or ""
    image = {"type": "image_url", "image_url": {"url": f"https://example.com/{crc32(text.encode())}.png"}}
    return {**message, "content": [{"type": "text", "text": text}, image]}


def _cached(message: Wire) -> Wire:
    part = {"type": "text", "text": message["content"] or "", "cache_control": {"type": "ephemeral"}}
    return {**message, "content": [part]}


def _calls(change: Callable[[Wire, int], Wire]) -> Callable[[Wire], Wire]:
    """Change every tool call."""

    def changed(message: Wire) -> Wire:
        if "tool_calls" not in message:
            return message
        return {**message, "tool_calls": [change(call, at) for at, call in enumerate(message["tool_calls"])]}

    return _each(changed, "assistant")


def _functions(change: Callable[[Wire], Wire]) -> Callable[[Wire], Wire]:
    """Change every declared function."""

    def add(request: Wire) -> Wire:
        if "tools" not in request:
            return request
        tools = [{**tool, "function": change(tool["function"])} for tool in request["tools"]]
        return {**request, "tools": tools}

    return add


def _pydantic(function: Wire) -> Wire:
    """Parameters as pydantic writes them."""
    schema = function["parameters"]
    properties = {
        name: {"anyOf": [more, {"type": "null"}], "title": name.title(), "default": None}
        for name, more in schema["properties"].items()
    }
    return {**function, "parameters": {**schema, "properties": properties, "title": function["name"]}}


def _closed(function: Wire) -> Wire:
    return {**function, "parameters": {**function["parameters"], "additionalProperties": False}}


def _stray_reply(request: Wire) -> Wire:
    reply = {"role": "tool", "tool_call_id": "call_of_nobody", "content": "7"}
    return {**request, "messages": [*request["messages"], reply]}


def _tools_first(request: Wire) -> Wire:
    tools = {"tools": request["tools"]} if "tools" in request else {}
    return {**tools, **request}


def _model_first(request: Wire) -> Wire:
    return {"model": "a-model", **request}


def _settings_last(request: Wire) -> Wire:
    return {**request, "model": "a-model", "temperature": 0.7, "stream": True}


def _developer(request: Wire) -> Wire:
    return _each(_with(role="developer"), "system")(request)


def _reasoning_twice(message: Wire) -> Wire:
    """Reasoning as OpenRouter and vLLM send it: the same text in several members."""
    text = message.get("reasoning_content") or f"So it is {crc32(str(message['content']).encode())}."
    item = {"type": "reasoning.text", "text": text, "format": "unknown", "index": 0}
    return {**message, "reasoning": text, "reasoning_content": text, "reasoning_details": [item]}


def _with_arguments(arguments: str) -> Callable[[Wire], Wire]:
    return _calls(lambda call, _: {**call, "function": {**call["function"], "arguments": arguments}})


def _without_ids(request: Wire) -> Wire:
    def without(value: Wire, key: str) -> Wire:
        return {name: each for name, each in value.items() if name != key}

    changed = _calls(lambda call, _: without(call, "id"))(request)
    return _each(lambda reply: without(reply, "tool_call_id"), "tool")(changed)


FEATURES: Final = (
    Feature("`model` first", _model_first),
    Feature("settings last", _settings_last),
    Feature("`content` before `role` everywhere", _each(_content_first)),
    Feature("`content` before `role` once", _first(_content_first, "user")),
    Feature(
        "reasoning behind content",
        _each(lambda m: {**m, "reasoning_content": m.get("reasoning_content", "So.")}, "assistant"),
    ),
    Feature("`refusal: null`", _each(_with(refusal=None), "assistant")),
    Feature("as an SDK dumps it", _each(_dumped, "assistant")),
    Feature("replies with a name", _named_replies),
    Feature("replies with another name", _each(_with(name="lookup"), "tool")),
    Feature("calls with an index", _calls(lambda call, at: {**call, "index": at})),
    Feature("calls with `function` first", _calls(lambda call, _: {"function": call["function"], **call})),
    Feature("calls beside an empty text", _each(lambda m: {**m, "content": m["content"] or ""}, "assistant")),
    Feature("calls with empty arguments", _with_arguments("")),
    Feature("calls whose arguments break off", _with_arguments('{"a": [1')),
    Feature("calls without ids", _without_ids),
    Feature("reasoning in three members", _each(_reasoning_twice, "assistant")),
    Feature("an empty answer", _first(lambda m: {**m, "content": m["content"] and ""}, "assistant")),
    Feature("a refusal", _first(lambda m: {**m, "content": None, "refusal": "I cannot help."}, "assistant")),
    Feature("one text part", _each(_parts, "user")),
    Feature("a user's name", _first(_with(name="bob"), "user")),
    Feature("one image", _first(_with_image, "user")),
    Feature("a part with `cache_control`", _first(_cached, "user")),
    Feature("an unknown member", _first(_with(id="m1"), "user")),
    Feature("a Harmony token in one text", _first(lambda m: _text(m, " <|end|>"), "user")),
    Feature("a ChatML token in one text", _first(lambda m: _text(m, " <|im_end|>"), "user")),
    Feature("`<` in every text", _each(lambda m: _text(m, " a < b"))),
    Feature("a number of 16 digits in a text", _first(lambda m: _text(m, " 1234567890123456"), "user")),
    Feature("a reply without a call", _stray_reply),
    Feature("`strict` tools", _functions(lambda function: {**function, "strict": True})),
    Feature("tools as pydantic writes them", _functions(_pydantic)),
    Feature("tools with `additionalProperties`", _functions(_closed)),
    Feature("tools before messages", _tools_first),
    Feature("developer in place of system", _developer),
)
"""Each is measured alone, against the same conversations without it."""
