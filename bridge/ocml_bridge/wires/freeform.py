"""What custom tools take in place of arguments, as both wires of OpenAI declare it.

{"type": "text"}
{"type": "grammar", "syntax": "lark", "definition": "…"}                 Responses
{"type": "grammar", "grammar": {"syntax": "lark", "definition": "…"}}    Chat Completions
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ..chat.turns import full_name, recipient_of
from ..json_values.form import Object
from ..model import Freeform, Json, Tool
from ..units.heads import Item

FORMAT: Final = "format"
TEXT_KEY: Final = "input"
"""The member of an object that stands for a text."""
_TEXT: Final[Object] = {"type": "text"}
_GRAMMAR: Final = "grammar"
_MEMBERS: Final = ("syntax", "definition")


def read_freeform(value: Json, *, nested: bool) -> tuple[Freeform, Json]:
    """What a tool takes, and how that was spelled; None where it is not understood.

    It is `text` where that is said, and the keys in their order where that is not ours; else an empty list.

    Args:
        value: of the key `format`; None where there is none, which is any text.
        nested: whether a grammar is an object of its own.
    """
    if value == _TEXT:
        return Freeform(), "text"
    members = cast("Object", value) if isinstance(value, dict) else {}
    apart: Json = members.get(_GRAMMAR)
    inner = cast("Object", apart) if nested and isinstance(apart, dict) else {} if nested else members
    known = {"type", _GRAMMAR} if nested else {"type", *_MEMBERS}
    syntax, definition = (inner.get(key) for key in _MEMBERS)
    is_whole = members.keys() == known and (not nested or inner.keys() == set(_MEMBERS))
    if not (is_whole and members["type"] == _GRAMMAR and isinstance(syntax, str) and isinstance(definition, str)):
        return Freeform(), None
    order = [*members, *inner] if nested else [*members]
    return Freeform(syntax, definition), [] if order == ["type", *([_GRAMMAR] if nested else []), *_MEMBERS] else order


def write_freeform(freeform: Freeform, spelled: Json, *, nested: bool) -> Object:
    """The member `format`; none for any text, unless it was read from one.

    Args:
        freeform: what the tool takes.
        spelled: as it was read.
        nested: as for reading.
    """
    if freeform.syntax is None or freeform.grammar is None:
        return {FORMAT: dict(_TEXT)} if spelled == "text" else {}
    inner = _ordered(dict(zip(_MEMBERS, (freeform.syntax, freeform.grammar), strict=True)), spelled)
    outer: Object = {"type": _GRAMMAR, _GRAMMAR: inner} if nested else {"type": _GRAMMAR, **inner}
    return {FORMAT: _ordered(outer, spelled)}


def _ordered(value: Object, spelled: Json) -> Object:
    order = cast("list[Json]", spelled) if isinstance(spelled, list) else []
    return {key: value[key] for key in sorted(value, key=lambda key: order.index(key) if key in order else len(order))}


def parameters_of(tool: Tool) -> Json:
    """The schema of what a tool takes, for formats whose calls have objects.

    That of one that takes a text is an object with the text, as `nearest_object` writes the calls.
    """
    if tool.freeform is None or tool.parameters is not None:
        return tool.parameters
    return {"type": "object", "properties": {TEXT_KEY: {"type": "string"}}, "required": [TEXT_KEY]}


def custom_calls(items: Sequence[Item], tools: Sequence[Tool] | None) -> list[int]:
    """The places of the calls to tools that take a text, of which nothing says that they give JSON."""
    names = {recipient_of(full_name(tool)) for tool in tools or () if tool.freeform is not None}
    calls = enumerate(items) if names else ()
    return [
        at
        for at, (head, content, _) in calls
        if head.calls
        and isinstance(content, str)
        and head.recipient in names
        and head.constraint is None
        and not head.promises_json
    ]
