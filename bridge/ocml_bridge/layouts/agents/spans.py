"""Read the messages in the attributes of tracing spans: OpenInference, OpenLLMetry, OpenTelemetry.

Attributes are flat, with dots and numbers in their names (`llm.input_messages.0.message.role`), or nested, or a list of
keys and values as OTLP has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...errors import BridgeError
from ...json_values.jsontext import as_text
from ...model import Json
from ..declared import tools_of
from ..fitting import as_list, as_object, items_of, members_of, objects_of
from ..layout import Document, Object, Wording, misshapen, parsed
from ..messages import ROLES, calls_of, request, respelled_all
from ..pieces import Pieces
from .readers import at as _at

ATTRIBUTES: Final = "attributes"
REQUESTS: Final = ("llm.input_messages", "gen_ai.prompt", "gen_ai.input.messages", "pydantic_ai.all_messages")
"""The names of a request's messages: OpenInference's, OpenLLMetry's, OpenTelemetry's; the last has all of a run."""
_AI_SDK: Final = "ai.prompt.messages"
"""The name of the messages that Vercel's AI SDK sends, which are its own."""
RESPONSES: Final = ("llm.output_messages", "gen_ai.completion", "gen_ai.output.messages")
"""The names of a response's messages, likewise."""
_SYSTEM: Final = "gen_ai.system_instructions"
_TOOLS: Final = ("llm.tools", "gen_ai.tool.definitions")
_WRAPPERS: Final = ("message", "tool_call", "message_content", "tool")
"""The members that OpenInference has around the members of an item."""
_REPLIES: Final = ("tool_call_response", "tool_result")
_NUMBER: Final = re.compile("[0-9]{1,6}")


def is_span(fields: Object, wording: Wording) -> bool:
    """Return whether the attributes of a span hold messages."""
    try:
        found = _nested(fields)
        return bool(_messages(found, REQUESTS) or _items(found, _AI_SDK))
    except BridgeError:
        return False


def read_span(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of a span: request and response.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a message.
    """
    found = _nested(fields)
    if sent := _items(found, _AI_SDK):
        messages = [*respelled_all(sent, wording, f"/{ATTRIBUTES}/{_AI_SDK}"), *_answer_of_ai_sdk(found)]
        return [Document(request(messages, None))]
    system = [
        {"role": "system", "content": text} for part in _items(found, _SYSTEM) for text in [_text_of(part, _SYSTEM)]
    ]
    tools = next((each for name in _TOOLS if (each := _items(found, name))), None)
    declared = None if tools is None else tools_of([_tool(each) for each in tools], f"/{ATTRIBUTES}")
    return [Document(request([*system, *_messages(found, REQUESTS), *_messages(found, RESPONSES)], declared))]


def _answer_of_ai_sdk(attributes: Object) -> list[Object]:
    """Return what answered the messages of Vercel's AI SDK."""
    pieces = Pieces("assistant")
    thought, text = (_at(attributes, f"ai.response.{name}") for name in ("reasoning", "text"))
    if isinstance(thought, str) and thought:
        pieces.think(thought)
    if isinstance(text, str) and text:
        pieces.say(text)
    for call in objects_of(_items(attributes, "ai.response.toolCalls")):
        pieces.call(str(call.get("toolName")), call.get("input", call.get("args")), call.get("toolCallId"))
    return pieces.messages()


def _messages(attributes: Object, names: Sequence[str]) -> list[Object]:
    """Return the messages under the first name that has any."""
    for name in names:
        if items := _items(attributes, name):
            return [each for item in items for each in _message(item, name)]
    return []


def _items(attributes: Object, name: str) -> list[Json]:
    value = _at(attributes, name)
    if isinstance(value, str):
        value = parsed(value, f"/{ATTRIBUTES}/{name}")
    return items_of(value)


def _message(value: Json, name: str) -> list[Object]:
    """Return the message of an item, and the results in its parts as messages of their own."""
    found = _unwrapped(value)
    role = found.get("role")
    if not isinstance(role, str):
        raise misshapen(f"/{ATTRIBUTES}/{name}", "messages, each with a role")
    parts = [_unwrapped(each) for each in as_list(found.get("parts")) or as_list(found.get("contents")) or []]
    calls = [each for each in parts if each.get("type") == "tool_call"]
    calls += [_unwrapped(each) for each in items_of(found.get("tool_calls"))]
    if isinstance(found.get("function_call_name"), str):  # as OpenInference had one call
        calls.append(
            {"name": found["function_call_name"], "arguments": found.get("function_call_arguments_json", "{}")}
        )
    replies = [each for each in parts if each.get("type") in _REPLIES]
    contents = [each for each in parts if each not in calls and each not in replies]
    thoughts = [_text_of(each, name) for each in contents if each.get("type") in ("reasoning", "thinking")]
    texts = [_text_of(each, name) for each in contents if each.get("type") not in ("reasoning", "thinking")]
    content = found.get("content") if "content" in found else "".join(texts) if texts else None
    out: Object = {"role": ROLES.get(role.lower(), role)}
    out |= {"reasoning": "\n".join(thoughts)} if thoughts else {}
    content = as_text(content) if as_object(content) is not None else content  # a result
    out |= {"content": content} if content is not None or not (calls or replies or thoughts) else {}
    out |= {key: found[key] for key in ("name", "tool_call_id") if isinstance(found.get(key), str)}
    out |= {"tool_calls": calls_of([_call(each) for each in calls], f"/{ATTRIBUTES}/{name}")} if calls else {}
    results: list[Object] = [
        {"role": "tool", "tool_call_id": each.get("id"), "content": _result(each)} for each in replies
    ]
    return [*([out] if out.keys() - {"role", "name"} else []), *results]


def _result(part: Object) -> Json:
    value = next((part[key] for key in ("response", "result", "content") if key in part), "")
    return value if isinstance(value, str) else as_text(value)


def _call(value: Object) -> Object:
    """Return the members of a call; OpenInference has its arguments in `function`, and leaves empty ones out."""
    out = {key: each for key, each in value.items() if key in ("id", "name", "arguments", "function")}
    function = as_object(out.get("function"))
    return out if function is None else {**out, "function": {"arguments": "{}", **function}}


def _tool(value: Json) -> Json:
    """Return a declared tool, which OpenInference has as JSON text."""
    found = _unwrapped(value)
    schema = found.get("json_schema")
    return found if schema is None else parsed(schema, f"/{ATTRIBUTES}")


def _text_of(value: Json, name: str) -> str:
    """Return the text of a part.

    Raises:
        BridgeError: OCB-SHAPE if the part has no text.
    """
    found = members_of(value)
    text = next((found[key] for key in ("content", "text") if isinstance(found.get(key), str)), None)
    if text is None:
        raise misshapen(f"/{ATTRIBUTES}/{name}", "parts that are texts, calls or results")
    return text


def _unwrapped(value: Json) -> Object:
    found = members_of(value)
    inner = next((as_object(found[key]) for key in _WRAPPERS if as_object(found.get(key)) is not None), None)
    return found if inner is None else inner


def _nested(fields: Object) -> Object:
    """Return the attributes as nested values, with lists for names that are numbers."""
    given = fields.get(ATTRIBUTES)
    given = parsed(given, f"/{ATTRIBUTES}") if isinstance(given, str) and given.lstrip().startswith("{") else given
    flat = _of_otlp(items_of(given)) if as_list(given) is not None else members_of(given)
    columns = {name.removeprefix("attributes."): value for name, value in fields.items() if name != ATTRIBUTES}
    out: Object = {}
    for name, value in {**columns, **flat}.items():
        _put(out, name.split("."), _spread(value))
    return members_of(_lists(out))


def _put(out: Object, steps: Sequence[str], value: Json) -> None:
    for step in steps[:-1]:
        inner = as_object(out.get(step))
        if inner is None:
            inner = out[step] = {}
        out = inner
    old, new = as_object(out.get(steps[-1])), as_object(value)
    out[steps[-1]] = value if old is None or new is None else {**old, **new}


def _spread(value: Json) -> Json:
    """Return a value with nested objects for names with dots, as in the messages of a table of spans."""
    listed, found = as_list(value), as_object(value)
    if listed is not None:
        return [_spread(each) for each in listed]
    if found is None:
        return value
    out: Object = {}
    for name, each in found.items():
        _put(out, name.split("."), _spread(each))
    return out


def _lists(value: Json) -> Json:
    """Return a value with lists for objects whose names are all numbers, in their order."""
    listed, found = as_list(value), as_object(value)
    if listed is not None:
        return [_lists(each) for each in listed]
    if found is None:
        return value
    if found and all(_NUMBER.fullmatch(name) for name in found):
        return [_lists(found[name]) for name in sorted(found, key=int)]
    return {name: _lists(each) for name, each in found.items()}


def _of_otlp(items: Sequence[Json]) -> Object:
    """Return attributes that are given as a list of keys and typed values."""
    pairs = [members_of(item) for item in items]
    return {pair["key"]: _otlp_value(pair.get("value")) for pair in pairs if isinstance(pair.get("key"), str)}


def _otlp_value(value: Json) -> Json:
    found = as_object(value)
    if found is None or len(found) != 1:
        return value
    [(kind, inner)] = found.items()
    several = members_of(inner)
    if kind == "arrayValue":
        return [_otlp_value(each) for each in items_of(several.get("values"))]
    return _of_otlp(items_of(several.get("values"))) if kind == "kvlistValue" else inner
