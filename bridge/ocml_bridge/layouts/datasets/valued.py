"""Read and write LLaMA-Factory v1: messages whose content is a list of parts, each with a type and a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from ...json_values import jsontext
from ...json_values.jsontext import as_text
from ...loss import Finding
from ...model import Json
from ..declared import read_tools
from ..exchange import declared, messages_in, shared
from ..fitting import IDS, THOUGHTS, as_list, as_object, items_of, members_of
from ..layout import Document, Object, Wording, misshapen, noticed, parsed, parsed_or_none, unfit
from ..messages import calls_of, preference, request

MESSAGES: Final = "messages"

_MEDIA: Final = {"image_url": "image_url", "video_url": "video_url", "audio_url": "audio_url"}
_WEIGHT: Final = "loss_weight"


def are_valued(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages whose content is a list of parts with a `value`."""
    return all(_are_valued(fields.get(name)) for name in ((MESSAGES,) if MESSAGES in fields else _ANSWERS))


_ANSWERS: Final = ("chosen", "rejected")
_NAME: Final = "llamafactory-v1"


def _are_valued(value: Json) -> bool:
    messages = items_of(value)
    return any(members_of(each).get("content") for each in messages) and all(map(_is_valued, messages))


def _is_valued(value: Json) -> bool:
    found = members_of(value)
    parts = as_list(found.get("content"))
    return parts is not None and all(_is_part(members_of(part)) for part in parts)


def _is_part(part: Object) -> bool:
    is_text = isinstance(part.get("value"), str) or part.get("type") != "reasoning"
    return part.keys() == {"type", "value"} and isinstance(part["type"], str) and is_text


def read_valued(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of messages whose parts have values: texts, reasoning, calls, media."""
    tools = read_tools(fields)
    findings: list[Finding] = []
    if MESSAGES in fields:
        return [Document(request(_valued(fields[MESSAGES], MESSAGES, findings), tools), tuple(findings))]
    chosen, rejected = (_valued(fields[name], name, findings) for name in _ANSWERS)
    at = shared(chosen, rejected)
    return [Document(preference(chosen[:at], chosen[at:], rejected[at:], tools), tuple(findings))]


def _valued(value: Json, name: str, findings: list[Finding]) -> list[Object]:
    out: list[Object] = []
    for at, item in enumerate(items_of(value)):
        path = f"/{name}/{at}"
        found = as_object(item)
        if found is None or not _is_valued(item) or not isinstance(found.get("role"), str):
            raise misshapen(path, "a message whose parts have 'type' and 'value'")
        made = _unvalued(found, path)
        results = _results(made, out[-1]) if out and made["role"] == "tool" else []
        if results:
            findings.append(
                noticed(path, "the results of parallel calls are in one list; each is read as the reply to its call")
            )
        out += results or [made]
    return out


def _results(reply: Object, before: Object) -> list[Object]:
    """Return the replies in a message with a result for each of several calls; none for any other message."""
    made = cast("list[Object]", before.get("tool_calls") or [])
    results = as_list(parsed_or_none(reply["content"])) if isinstance(reply.get("content"), str) else None
    if results is None or len(made) < 2 or len(made) != len(results):
        return []
    return [{**reply, "content": _result(result, call)} for result, call in zip(results, made, strict=True)]


def _result(result: Json, call: Object) -> str:
    """Return a result as a text, without members that repeat its call."""
    found = members_of(result)
    name = cast("Object", call["function"])["name"]
    if found.keys() <= {"tool_call_id", "name", "content"} and "content" in found and found.get("name", name) == name:
        result = found["content"]
    return result if isinstance(result, str) else as_text(result)


def _unvalued(found: Object, path: str) -> Object:
    parts = cast("list[Object]", found["content"])
    kinds = {part["type"] for part in parts}
    around = {("weight" if key == _WEIGHT else key): value for key, value in found.items() if key != "content"}
    content = [_part(part) for part in parts if part["type"] not in ("reasoning", "tool_call")]
    text_or_blocks: Json = content[0]["text"] if len(content) == 1 and content[0]["type"] == "text" else content
    out: Object = {**around, "content": text_or_blocks if content or not kinds else None}
    reasoning = [part["value"] for part in parts if part["type"] == "reasoning"]
    if reasoning:
        out["reasoning"] = "\n\n".join(reasoning)
    made = [
        call for part in parts if part["type"] == "tool_call" for call in calls_of(part["value"], f"{path}/content")
    ]
    return {**out, "tool_calls": made} if made else out


def _part(part: Object) -> Object:
    kind = part["type"]
    if kind == "text":
        return {"type": "text", "text": part["value"]}
    return {"type": kind, kind: {"url": part["value"]}} if isinstance(kind, str) and kind in _MEDIA else part


def write_valued(document: Json, wording: Wording) -> Object:
    """Return the fields of a request, or of a preference, whose messages have texts, reasoning, calls, and media.

    Raises:
        BridgeError: OCB-SHAPE if replies do not follow in the order of their calls, as only ids would pair them.
    """
    found = members_of(document)
    answers = [as_list(found.get(name)) for name in ("preferred_output", "non_preferred_output")]
    if all(answers):
        given = found.get("input")
        prompt = messages_in(given, _NAME, tools=True)
        both = [[_revalued(each) for each in (*prompt, *(answer or []))] for answer in answers]
        return {**dict(zip(_ANSWERS, both, strict=True)), **declared(given)}
    messages = messages_in(document, _NAME, tools=True)
    if any(IDS in each for each in messages):  # they are left out where the order shows them
        raise unfit(_NAME, "the replies do not follow in the order of their calls")
    return {MESSAGES: [_revalued(each) for each in messages], **declared(document)}


def _revalued(each: Object) -> Object:
    parts: list[Any] = []
    thought = next((key for key in THOUGHTS if isinstance(each.get(key), str)), THOUGHTS[0])
    if isinstance(each.get(thought), str):
        parts.append({"type": "reasoning", "value": each[thought]})
    text_or_blocks = each.get("content")
    content = (
        [{"type": "text", "text": text_or_blocks}] if isinstance(text_or_blocks, str) else items_of(text_or_blocks)
    )
    for part in cast("list[Object]", content):
        kind = part.get("type")
        inner = as_object(part.get(kind)) if isinstance(kind, str) else None
        parts.append({"type": kind, "value": part.get("text") if kind == "text" else (inner or {}).get("url")})
    calls = cast("list[Object]", each.get("tool_calls") or [])
    parts += [{"type": "tool_call", "value": _call_text(call)} for call in calls]
    names = {"weight": _WEIGHT}
    known = ("content", thought, "tool_calls")
    around = {names.get(key, key): value for key, value in each.items() if key not in known}
    return {"role": each["role"], "content": parts, **around}


def _call_text(call: Object) -> str:
    function = members_of(call.get("function"))
    arguments = function.get("arguments")
    value = parsed(arguments, "/tool_calls") if isinstance(arguments, str) else arguments
    return jsontext.dumps({"name": function.get("name"), "arguments": value}).decode()
