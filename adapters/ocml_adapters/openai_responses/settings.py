"""The parameters of a request, and what a response tells of itself, as the settings of a conversation: their table.

`reasoning` and `text` are objects whose members are parameters of their own. A document is unfolded before it is read:
`text.format` stands for the member `format` of `text`, in its place, and what is written is folded again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Any, Final, cast

from ocml_bridge.form import Object
from ocml_bridge.model import AnswerFormat, Json, Tool, ToolChoice
from ocml_bridge.model import settings as plain
from ocml_bridge.parameters import Parameter, Parameters, as_it_is, members_of, usage_at
from ocml_bridge.turns import full_name, recipient_of

from .calls import name_in, named, recipient
from .syntax import FOLDED

# --- tool choice ------------------------------------------------------------------------------------------------------

_KINDS: Final = ("function", "custom")


def _tool_choice(value: Json) -> ToolChoice | None:
    if isinstance(value, str):
        return plain.tool_choice(value)
    members = members_of(value)
    if members.get("type") == "allowed_tools":
        names = [_tool(tool) for tool in members.get("tools") or ()] if isinstance(members.get("tools"), list) else []
        known = tuple(name for name in names if name is not None)
        if not known or len(known) != len(names) or members.get("mode") not in ("auto", "required"):
            return None
        return ToolChoice(members["mode"], known) if len(members) == len(_ALLOWED) else None
    name = _tool(value)
    return ToolChoice("required", (name,)) if name is not None and members.keys() <= _NAMING else None


_NAMING: Final = frozenset({"type", "name", "namespace"})
_ALLOWED: Final = ("type", "mode", "tools")


def _tool(value: Json) -> str | None:
    """The recipient for a tool as `tool_choice` names one, or declares it once more."""
    members = members_of(value)
    name = name_in(members) if members.get("type") in _KINDS else None
    return recipient(name) if name is not None and name.name else None


def _write_tool_choice(choice: ToolChoice) -> Json:
    if not choice.names:
        return choice.mode
    tools = [_write_tool(name) for name in choice.names]
    if choice.mode == "required" and len(tools) == 1:
        return tools[0]
    return {"type": "allowed_tools", "mode": choice.mode, "tools": tools}


def _write_tool(tool: str) -> Object:
    name = named(tool)
    out: Object = {"type": "function", "name": name.name}
    return out if name.namespace is None else {**out, "namespace": name.namespace}


def with_kinds(choice: Json, tools: Sequence[Tool]) -> Json:
    """A tool choice as we write it, in which those of some tools that take a text are named as custom ones."""
    custom = {named(recipient_of(full_name(tool))) for tool in tools if tool.freeform is not None}
    return _with_kinds(choice, custom) if custom and isinstance(choice, dict) else choice


def _with_kinds(choice: Json, custom: Set[Any]) -> Json:
    members = members_of(choice)
    if members.get("type") == "allowed_tools":
        return {**members, "tools": [_with_kinds(tool, custom) for tool in cast("list[Json]", members["tools"])]}
    return {**members, "type": "custom"} if name_in(members) in custom else choice


def _answer_format(value: Json) -> AnswerFormat | None:
    return plain.answer_format(value) if isinstance(value, dict) else None


SCHEMA_NAME: Final = "answer"
"""The name of a schema that has none: the API asks for one."""


def _write_answer_format(form: AnswerFormat) -> Json:
    members = ("name", "description", "schema", "strict")
    described = {name: value for name in members if (value := getattr(form, name)) is not None}
    named = {"name": SCHEMA_NAME} if form.type == "json_schema" else {}
    return {"type": form.type, **named, **described}


# --- all of them ------------------------------------------------------------------------------------------------------


def _plain(field: str) -> Parameter:
    return Parameter(field, plain.READERS[field], as_it_is)


PARAMETERS: Final = Parameters(
    {
        **{
            field: _plain(field)
            for field in (
                *("model", "temperature", "top_p", "top_k", "seed", "stop"),
                *("presence_penalty", "frequency_penalty", "repetition_penalty", "parallel_tool_calls"),
            )
        },
        **{name: Parameter(name, read, as_it_is) for name, read in plain.SERVICE.items()},
        "max_output_tokens": _plain("max_tokens"),
        "reasoning.effort": _plain("reasoning_effort"),
        "text.verbosity": _plain("verbosity"),
        "text.format": Parameter("response_format", _answer_format, _write_answer_format),
        "tool_choice": Parameter("tool_choice", _tool_choice, _write_tool_choice),
        "usage": usage_at(
            {
                "input_tokens": ("input_tokens",),
                "output_tokens": ("output_tokens",),
                "total_tokens": ("total_tokens",),
                "cached_tokens": ("input_tokens_details", "cached_tokens"),
                "reasoning_tokens": ("output_tokens_details", "reasoning_tokens"),
            }
        ),
    }
)
"""Unfolded key → the setting that it is."""

_DOTTED: Final = re.compile(rf"\.*(?:{'|'.join(FOLDED)})\.")
"""What the keys of folded members begin with; a document's own keys that do get another dot before them."""


def unfolded(document: Object) -> Object:
    """A document with the members of folded objects as its own; itself where it has none."""
    if not any(key in FOLDED or _DOTTED.match(key) for key in document):
        return document
    out: Object = {}
    for key, value in document.items():
        if key in FOLDED and value and isinstance(value, dict):
            out |= {f"{key}.{name}": member for name, member in cast("Object", value).items()}
        else:
            out[f".{key}" if _DOTTED.match(key) else key] = value
    return out


def folded(document: Object) -> Object:
    """An unfolded document as it is written; itself where nothing is to be folded."""
    if not any(_DOTTED.match(key) for key in document):
        return document
    out: Object = {}
    for key, value in document.items():
        if not _DOTTED.match(key):
            out[key] = value
        elif key.startswith("."):
            out[key[1:]] = value
        else:
            outer, _, name = key.partition(".")
            inner: Json = out.setdefault(outer, {})
            if isinstance(inner, dict):
                inner[name] = value
    return out
