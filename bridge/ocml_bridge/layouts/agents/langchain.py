"""Read LangChain's messages as it dumps them, and the model runs that LangSmith exports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..declared import read_tools
from ..fitting import as_list, as_object, items_of, members_of, objects_of, without_members
from ..layout import Document, Object, Wording, misshapen
from ..media import part_with
from ..messages import calls_of, request

MESSAGES: Final = "messages"
INPUTS: Final = "inputs"
OUTPUTS: Final = "outputs"
STATE: Final = "values"
"""The field with the state of a graph (LangGraph), which holds the messages."""
_ROLES: Final = {
    **dict.fromkeys(("human", "HumanMessage", "HumanMessageChunk"), "user"),
    **dict.fromkeys(("ai", "AIMessage", "AIMessageChunk"), "assistant"),
    **dict.fromkeys(("system", "SystemMessage"), "system"),
    **dict.fromkeys(("tool", "ToolMessage"), "tool"),
    **dict.fromkeys(("function", "FunctionMessage"), "function"),
}
"""The role for each type or class of a message."""
_DEFAULTS: Final[Object] = {
    "additional_kwargs": {},
    "response_metadata": {},
    "invalid_tool_calls": [],
    "tool_calls": [],
    "example": False,
    "status": "success",
}
"""The members that a dump has for every message, with the values that mean nothing."""


def are_langchain(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages as LangChain dumps them, or the inputs and outputs of a model run."""
    if MESSAGES in fields or STATE in fields:
        return _are_messages(_messages(fields))
    return _are_messages(_input_messages(fields)) and OUTPUTS in fields


def _are_messages(value: Json) -> bool:
    listed = items_of(value)
    return bool(listed) and all(_role_and_members(each) is not None for each in listed)


def read_langchain(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation in the form of Chat Completions.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a message.
    """
    extra_columns: Object = {}
    found = as_list(_messages(fields))
    if STATE in fields:
        extra_columns = {STATE: without_members(members_of(fields[STATE]), MESSAGES)}
    if found is None:
        answers, more = _output_messages(fields)
        found = [*(_input_messages(fields) or ()), *answers]
        inputs = members_of(fields[INPUTS])
        extra_columns = {INPUTS: without_members(inputs, MESSAGES if MESSAGES in inputs else "input"), OUTPUTS: more}
    messages = [_message(each, f"/{MESSAGES}/{at}") for at, each in enumerate(found)]
    beside = {name: each for name, each in extra_columns.items() if each}
    return [Document(request(messages, read_tools(fields)), extra_columns=beside)]


def _messages(fields: Object) -> Json:
    """Return the messages of a row, or of the state of a graph."""
    return fields[MESSAGES] if MESSAGES in fields else members_of(fields.get(STATE)).get(MESSAGES)


def _input_messages(fields: Object) -> list[Json] | None:
    """Return the input messages of a model; a run has them in a list of batches, a dataset of chats in `input`."""
    inputs = members_of(fields.get(INPUTS))
    listed = as_list(inputs.get(MESSAGES, inputs.get("input")))
    first = as_list(listed[0]) if listed else None
    return listed if first is None or len(listed or ()) > 1 else first


def _output_messages(fields: Object) -> tuple[list[Json], Object]:
    """Return the output messages of a model, and the other members of its outputs.

    Raises:
        BridgeError: OCB-SHAPE if there is no output message.
    """
    outputs = members_of(fields[OUTPUTS])
    if (listed := as_list(outputs.get(MESSAGES))) is not None:
        return listed, without_members(outputs, MESSAGES)
    batches = items_of(outputs.get("generations"))
    answers = as_list(batches[0]) if len(batches) == 1 else None
    answer = as_object(answers[0]) if answers and len(answers) == 1 else as_object(outputs.get("output"))
    message = answer if answer is None or "message" not in answer else answer["message"]
    if _role_and_members(message) is None:
        raise misshapen(f"/{OUTPUTS}", "one message of the assistant, under `generations`, `messages` or `output`")
    about = {} if answer is message else without_members(answer or {}, "message", "text", "type")
    return [message], {**without_members(outputs, "generations", "output"), **about}


def _role_and_members(value: Json) -> tuple[str, Object] | None:
    """Return the role of a message and its members, in any form of dump; None if the value is not a message."""
    found = members_of(value)
    if found.get("lc") is not None and found.get("type") == "constructor":
        members, names = as_object(found.get("kwargs")), as_list(found.get("id"))
        kind = names[-1] if names else None
        around = without_members(found, "lc", "type", "id", "kwargs")
    else:
        data = as_object(found.get("data"))
        members, kind = found if data is None else data, found.get("type")
        around = {} if data is None else without_members(found, "type", "data")
    members = None if members is None else {**around, **members}
    if members is None or not isinstance(kind, str) or "content" not in members:
        return None
    if kind in ("chat", "ChatMessage") and isinstance(members.get("role"), str):
        return str(members["role"]), members
    return None if kind not in _ROLES else (_ROLES[kind], members)


def _message(value: Json, path: str) -> Object:
    role_and_members = _role_and_members(value)
    if role_and_members is None:
        raise misshapen(path, "a message of LangChain, with `type` and `content`")
    role, members = role_and_members
    more = members_of(members.get("additional_kwargs"))
    given = as_list(members.get("tool_calls")) or as_list(more.get("tool_calls"))
    out: Object = {"role": role, "content": _content(members["content"], given or [])}
    if isinstance(more.get(_REASONING), str):
        out[_REASONING] = more[_REASONING]
        more = without_members(more, _REASONING)
    if given:
        calls = [_call(each) for each in given]
        out["tool_calls"] = calls_of(calls, f"{path}/tool_calls")
        more = without_members(more, "tool_calls")
    rest = {**members, "additional_kwargs": more}
    known = ("type", "role", "content", "tool_calls")
    out |= {key: each for key, each in rest.items() if key not in known and each not in (None, _DEFAULTS.get(key))}
    return out


_REASONING: Final = "reasoning_content"
"""The member of `additional_kwargs` with the thought of a model of DeepSeek, Qwen or Ollama."""
_CALLS: Final = ("tool_use", "tool_call", "function_call")
"""The types of blocks that repeat what is in `tool_calls`."""
_MEDIA: Final = ("image", "audio", "video", "file")


def _content(content: Json, calls: list[Json]) -> Json:
    """Return the content without the blocks of calls that are in `tool_calls`, too; media and thoughts as parts."""
    blocks = as_list(content)
    if blocks is None:
        return content
    ids = {str(call.get("id")) for call in objects_of(calls)}
    left = [_part(each) for each in blocks if not _repeats(members_of(each), ids)]
    return left if left or not calls else None


def _repeats(block: Object, ids: set[str]) -> bool:
    """Return whether a block is a call with one of some ids."""
    return block.get("type") in _CALLS and str(block.get("call_id", block.get("id"))) in ids


def _part(value: Json) -> Json:
    """Return a block as a part of Chat Completions: a thought, or a medium of a standard block."""
    block = members_of(value)
    kind = block.get("type")
    if kind == "reasoning" and isinstance(block.get("reasoning"), str):
        extras = members_of(block.get("extras"))
        return {
            "type": "thinking",
            "thinking": block["reasoning"],
            **without_members(block, "type", "reasoning", "extras"),
            **extras,
        }
    address = next((block[key] for key in ("base64", "data", "url") if isinstance(block.get(key), str)), None)
    media_type = block.get("mime_type")
    if kind not in _MEDIA or address is None or not block.keys() <= _OF_MEDIA:
        return value
    name = block.get("filename")
    return part_with(
        address, media_type if isinstance(media_type, str) else None, str(kind), name if isinstance(name, str) else None
    )


_OF_MEDIA: Final = frozenset({"type", "source_type", "base64", "data", "url", "mime_type", "filename"})
"""The members of a block with a medium and nothing else."""


def _call(value: Json) -> Json:
    """Return a call without LangChain's own `type`."""
    found = members_of(value)
    return value if "function" in found else without_members(found, "type")
