"""Read and write blocks: calls, results and thoughts, which are whole messages, and the parts of other messages."""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType
from typing import Any, Final, cast

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.turns import is_blank, is_call, name_of, parts_of, recipient_of
from ocml_bridge.chat.vendors import signature_by
from ocml_bridge.json_values import jsontext
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, is_empty, rest, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import ByFormat, CacheMark, Content, Foreign, Json, Message, Part, Signature, Text
from ocml_bridge.wires.blocks.grammar import BLOCKS, EMPTY, UNKNOWN, BlockCodec, Keys
from ocml_bridge.wires.blocks.reading import read_block
from ocml_bridge.wires.blocks.spelling import respelled
from ocml_bridge.wires.blocks.values import compact_object, value_in

from .parts import PART_KINDS, read_part, write_part
from .syntax import (
    CACHE,
    CITATIONS,
    HOME,
    IDS,
    MESSAGE,
    NOTES,
    PLAIN,
    REASONING,
    REDACTED,
    THINKING,
    TOOL_RESULT,
    TOOL_USE,
    VENDOR,
)
from .tools import NAMES, type_note, type_of


class Blocks(BlockCodec):
    """The reader and writer of one block at a time."""

    notes = NOTES

    def plain_order(self, block: Object, value: Message | Part, /) -> Keys | None:
        """Return the order of the usual members of a block; None if one is empty, or a list other than citations."""
        order = PLAIN.get((block["type"], *block))
        if order is None or not all(block.values()):
            return None
        return None if list in map(type, block.values()) and getattr(value, CITATIONS, None) is None else order

    def refuses(self, text: str, /) -> bool:
        """Return whether a text is empty or blank, which the API refuses."""
        return is_blank(text)

    def stands_alone(self, text: Text) -> bool:
        """Return whether the only text of a message has no other members."""
        return text.is_bare

    def read(self, block: Object, side: str) -> Message | Part:
        """Return the message or the part of a block; `UNKNOWN` if it is not understood."""
        kind: Any = block.get("type")
        if not isinstance(kind, str):
            return UNKNOWN
        message: Message | None = None
        if kind in PART_KINDS or MESSAGE in block:  # the extras of a message have another meaning of this member
            pass
        elif side == "assistant":
            if kind.endswith(TOOL_USE):
                message = _read_call(block, kind)
            elif kind.endswith(f"_{TOOL_RESULT}"):
                message = _read_result(block, kind)
            elif kind in THOUGHTS:
                message = _read_thought(block, kind)
        elif side == "user" and kind == TOOL_RESULT:
            message = _read_result(block, kind)
        return message or read_part(block, kind) or UNKNOWN

    def write(self, message: Message) -> Object:
        """Return the block of a thought, a call or a reply; the arguments of a call are compact JSON."""
        write = _write_result if message.role == "tool" else _write_call if is_call(message) else _write_thought
        block, extras = write(message), NOTES.of(message.extras)
        block |= CONTROL.write(message.cache)
        return add(block, without(extras, *_NOT_MEMBERS)) if extras else block

    def write_part(self, part: Part) -> Json:
        """Return the block of a part; None if the format has no place for it."""
        return write_part(part)


CODEC: Final = Blocks()
_NOT_MEMBERS: Final = frozenset({MESSAGE, "type"})
"""The keys of a message's extras that are not written as further members of its block."""


def message_in(raw: Json, role: str) -> Message | None:
    """Return the message of a block; None if it is a part of a message, or not understood.

    Args:
        raw: the block.
        role: the role of its wire message.
    """
    value = read_block(CODEC, raw, role)
    return value if isinstance(value, Message) else None


def ends_in_reply(unit: Any) -> bool:
    """Return whether a unit is a wire message of the user that ends in the result of a tool of the client."""
    content: Any = unit.get("content") if isinstance(unit, OBJECT) and unit.get("role") == "user" else None
    last: Any = content[-1] if isinstance(content, ARRAY) and content else None
    return isinstance(last, OBJECT) and isinstance(CODEC.read(cast("Object", last), "user"), Message)


def write_block(message: Message) -> Json:
    """Return the block of a thought, a call or a reply, as it was spelled."""
    block, form = CODEC.write(message), NOTES.of(message.layout).get(BLOCKS)
    return block if form is None else respelled([block], form)[0]


def write_parts(parts: Sequence[Part], form: Json) -> list[Json]:
    """Return the blocks of parts, in a form."""
    blocks = list(map(write_part, parts))
    return blocks if form is None else cast("list[Json]", respelled(blocks, form))


def write_content(content: Content, layout: Object) -> Json:
    """Return content as a text, as a list of blocks, or as the bare value that was read, depending on its layout."""
    spelling = layout.get("content")
    if isinstance(content, str) and spelling != "list":
        return content
    blocks = write_parts(parts_of(content), layout.get(BLOCKS))
    return blocks[0] if spelling == "bare" and len(blocks) == 1 else blocks


def _more(block: Object, mark: CacheMark | None, *known: str) -> Object:
    """Return the members of a block that are not known, and not its cache mark."""
    return rest(block, known if mark is None else (*known, CACHE))


# --- calls ------------------------------------------------------------------------------------------------------------
#
# Of tools that the client runs (`tool_use`), and of tools that the server runs (`server_tool_use`, `mcp_tool_use`).

_NO_TOOLS: Final = frozenset({"", "all", "assistant", "developer", "system", "user"})
"""Names that are no recipients of calls in the canonical form."""


def _read_call(block: Object, kind: str) -> Message | None:
    name, arguments, call_id = block.get("name"), block.get("input"), block.get("id")
    if not isinstance(name, str) or "input" not in block:
        return None
    if not (call_id is None or isinstance(call_id, str)):
        return None
    content = jsontext.text_of(arguments)
    if content is None or (kind != TOOL_USE and name in _NO_TOOLS):
        return None
    layout: Object = NAMES.note(name) | _layout_of_id(call_id)
    if not isinstance(arguments, OBJECT):
        layout["input"] = "kept"
    recipient = recipient_of(name) if kind == TOOL_USE else name
    mark = CONTROL.read(block)
    more = _more(block, mark, "type", "id", "name", "input")
    return Message(
        *("assistant", content, None, "commentary", recipient, call_id or None),
        constraint="json",
        end="call",
        extras=NOTES.by_format({**type_note(kind, TOOL_USE), **more}),
        layout=NOTES.by_format(layout),
        cache=mark,
    )


def _layout_of_id(call_id: str | None) -> Object:
    """Return the layout of a call or reply whose id the API would refuse, or that has none."""
    if not call_id:
        return {"call_id": "absent"}
    return {} if IDS.takes(call_id) else {"call_id": "kept"}


def keeps_input(layout: ByFormat | None) -> bool:
    """Return whether the input of a call was no object, as a client sends back what a model wrote."""
    return NOTES.of(layout).get("input") == "kept"


def _write_call(message: Message) -> Object:
    """Return the block of a call, whose arguments are the compact JSON of an object, or of the value that was read."""
    kind, recipient, text = type_of(message), cast("str", message.recipient), cast("str", message.content)
    kept = value_in(text) if keeps_input(message.layout) else None
    return {
        "type": kind or TOOL_USE,
        **({"id": message.call_id} if message.call_id else {}),
        "name": recipient if kind else name_of(recipient),
        "input": (compact_object(text) or {}) if kept is None else kept[0],
    }


# --- results ----------------------------------------------------------------------------------------------------------


def _read_result(block: Object, kind: str) -> Message | None:
    call_id, value, failed = block.get("tool_use_id"), block.get("content"), block.get("is_error")
    if not (call_id is None or isinstance(call_id, str)):
        return None
    content, layout = _read_content(value, kind)
    layout |= _layout_of_id(call_id)
    known = ("type", "tool_use_id", "content")
    if isinstance(failed, bool):
        known = (*known, "is_error")
        if failed and _is_error(value):
            layout["is_error"] = True
    mark = CONTROL.read(block)
    return Message(
        *("tool", content, None, "commentary", "assistant", call_id or None),
        failed=failed if isinstance(failed, bool) else _is_error(value) or None,
        extras=NOTES.by_format({**type_note(kind, TOOL_RESULT), **_more(block, mark, *known)}),
        layout=NOTES.by_format(layout),
        cache=mark,
    )


def _is_error(content: Json) -> bool:
    """Return whether the content of a server tool's result is an error."""
    kind = members_of(content).get("type")
    return isinstance(kind, str) and kind.endswith("_error")


def _read_content(value: Json, kind: str) -> tuple[Content, Object]:
    """Return the content of a result, and its layout."""
    if isinstance(value, str):
        return value, {}
    if not value and is_empty(value):
        return "", {}
    if isinstance(value, list) and (kind == TOOL_RESULT or _are_parts(cast("list[Json]", value))):
        parts = tuple(cast("Part", read_block(CODEC, raw, "tool")) for raw in cast("list[Json]", value))
        if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].is_bare:
            return parts[0].text, {"content": "list"}
        has_blank = any(isinstance(part, Text) and is_blank(part.text) for part in parts)
        return parts, {EMPTY: "part"} if has_blank else {}
    text = None if kind == TOOL_RESULT else jsontext.text_of(value)
    return ((Foreign(HOME, value),), {"content": "bare"}) if text is None else (text, {"content": "json"})


def _are_parts(items: list[Json]) -> bool:
    """Return whether a server tool's result is texts, like that of an MCP tool; other tools return typed values."""
    return all(members_of(item).get("type") == "text" for item in items)


def _write_result(message: Message) -> Object:
    kind, layout, content = type_of(message), NOTES.of(message.layout), message.content
    is_json = kind is not None and layout.get("content") == "json"
    parsed = value_in(content) if is_json and isinstance(content, str) else None
    value: Json = None if parsed is None else parsed[0]
    if value is None or isinstance(value, str):
        value = write_content(content, without(layout, BLOCKS))
    block: Object = {"type": kind or TOOL_RESULT}
    if message.call_id:
        block["tool_use_id"] = message.call_id
    block["content"] = value
    if message.failed is not None and (layout.get("is_error") is True or not (message.failed and _is_error(value))):
        block["is_error"] = message.failed
    return block


# --- thoughts ---------------------------------------------------------------------------------------------------------

THOUGHTS: Final = {THINKING: "thinking", REDACTED: "data", REASONING: "text"}
"""The member with the text or the seal of a thought, by the type of its block.

`thinking` has a text, which may be empty because the signature contains it; `redacted_thinking` is sealed; `reasoning`
has a text alone.
"""
_TYPE: Final = "type"
"""The key of the layout for the type of a thought's block, if it is not that of the API."""
_SIGNATURE: Final = "signature"
"""The member of a `thinking` block with its signature; in the layout, `absent` if it has none."""


def _read_thought(block: Object, kind: str) -> Message | None:
    key = THOUGHTS[kind]
    value, signature = block.get(key), block.get(_SIGNATURE) if kind == THINKING else None
    if not isinstance(value, str) or not (value or kind == THINKING) or not isinstance(signature, (str, NoneType)):
        return None
    message = Message("assistant", "" if kind == REDACTED else value, None, "analysis")
    if kind == REDACTED:
        message.signature = Signature(value, VENDOR, sealed=True)
    elif signature:
        message.signature = Signature(signature, VENDOR)
    else:
        message.layout = NOTES.by_format({_TYPE: REASONING} if kind == REASONING else {_SIGNATURE: "absent"})
    message.extras = NOTES.by_format(rest(block, ("type", key, *((_SIGNATURE,) if kind == THINKING else ()))))
    return message


def is_accepted(message: Message) -> bool:
    """Return whether the API accepts a thought: it is signed by the API, or was read from a block of this format."""
    return signature_of(message) is not None or any(
        homes is not None and HOME in homes for homes in (message.extras, message.layout)
    )


def signature_of(message: Message) -> Signature | None:
    """Return the signature of a thought, if the API may have made it; else None."""
    return signature_by(message, VENDOR)


def _write_thought(message: Message) -> Object:
    signature, text = signature_of(message), cast("str", message.content)
    if signature is not None and signature.sealed:
        return {"type": REDACTED, "data": signature.value}
    if signature is not None:
        return {"type": THINKING, "thinking": text, _SIGNATURE: signature.value}
    if NOTES.of(message.layout).get(_TYPE) == REASONING and text:
        return {"type": REASONING, "text": text}
    return {"type": THINKING, "thinking": text, **({} if is_accepted(message) else {_SIGNATURE: ""})}
