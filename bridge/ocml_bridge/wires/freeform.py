"""Read and write the input format of custom tools, as both wires of OpenAI declare it: any text, or a grammar.

{"type": "text"}
{"type": "grammar", "syntax": "lark", "definition": "…"}                 Responses
{"type": "grammar", "grammar": {"syntax": "lark", "definition": "…"}}    Chat Completions
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast

from ..chat.turns import full_name, recipient_of
from ..json_values import jsontext
from ..json_values.form import Object
from ..json_values.parameters import items_of, members_of
from ..model import Freeform, Json, Tool
from ..units.heads import Item

FORMAT: Final = "format"
_TEXT: Final[Object] = {"type": "text"}
_GRAMMAR: Final = "grammar"
_MEMBERS: Final = ("syntax", "definition")


def read_freeform(value: Json, *, nested: bool) -> tuple[Freeform, Json]:
    """Return the input format of a custom tool, and its spelling for the layout.

    The spelling is None if the value is not understood; "text" if it explicitly allows any text; the keys, if their
    order is not the one that would be written; else an empty list.

    Args:
        value: the value of the member `format`; None if there is none, which means any text.
        nested: whether the grammar is in an object of its own (Chat Completions).
    """
    if value == _TEXT:
        return Freeform(), "text"
    members = members_of(value)
    grammar: Json = members.get(_GRAMMAR)
    inner = cast("Object", grammar) if nested and isinstance(grammar, dict) else {} if nested else members
    expected_keys = {"type", _GRAMMAR} if nested else {"type", *_MEMBERS}
    syntax, definition = (inner.get(key) for key in _MEMBERS)
    is_whole = members.keys() == expected_keys and (not nested or inner.keys() == set(_MEMBERS))
    if not (is_whole and members["type"] == _GRAMMAR and isinstance(syntax, str) and isinstance(definition, str)):
        return Freeform(), None
    order = [*members, *inner] if nested else [*members]
    return Freeform(syntax, definition), [] if order == ["type", *([_GRAMMAR] if nested else []), *_MEMBERS] else order


def write_freeform(freeform: Freeform, spelled: Json, *, nested: bool) -> Object:
    """Return the member `format` in an object; an empty object for any text, unless the member was read.

    Args:
        freeform: the input format of the tool.
        spelled: the spelling that `read_freeform` returned.
        nested: whether the grammar is in an object of its own.
    """
    if freeform.syntax is None or freeform.grammar is None:
        return {FORMAT: dict(_TEXT)} if spelled == "text" else {}
    inner = _ordered(dict(zip(_MEMBERS, (freeform.syntax, freeform.grammar), strict=True)), spelled)
    outer: Object = {"type": _GRAMMAR, _GRAMMAR: inner} if nested else {"type": _GRAMMAR, **inner}
    return {FORMAT: _ordered(outer, spelled)}


def _ordered(value: Object, spelled: Json) -> Object:
    order = items_of(spelled)
    return {key: value[key] for key in sorted(value, key=lambda key: order.index(key) if key in order else len(order))}


def custom_calls(items: Sequence[Item], tools: Sequence[Tool] | None) -> list[int]:
    """Return the indexes of the calls of custom tools that are not marked as JSON."""
    return [at for at, is_custom in undecided_calls(items, tools) if is_custom]


def undecided_calls(items: Sequence[Item], tools: Sequence[Tool] | None) -> Iterator[tuple[int, bool]]:
    """Yield the index of each call of a declared tool that says nothing of its input, and whether the tool is custom.

    Args:
        items: the messages, in order.
        tools: the declared tools.
    """
    names = {recipient_of(full_name(tool)): tool.freeform is not None for tool in tools or ()}
    for at, (head, content, _) in enumerate(items) if names else ():
        is_custom = names.get(head.recipient or "")
        says = head.constraint is not None or head.promises_json
        if head.calls and isinstance(content, str) and is_custom is not None and not says:
            yield at, is_custom


def is_object(text: str) -> bool:
    """Return whether a text is a JSON object, as the arguments of functions are."""
    if text[:1] != "{" and text.lstrip()[:1] != "{":
        return False
    span = jsontext.parse(text)
    return span is not None and isinstance(span.value, dict)
