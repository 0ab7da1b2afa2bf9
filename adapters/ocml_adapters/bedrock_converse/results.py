"""Read and write the blocks of a tool's result: texts, JSON values, media and passages."""

from __future__ import annotations

from typing import Final, cast

from ocml_bridge.chat.turns import is_blank
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Content, Foreign, Json, Media, Message, Part, Passages, Text
from ocml_bridge.wires.blocks.grammar import EMPTY
from ocml_bridge.wires.blocks.spelling import is_same
from ocml_bridge.wires.blocks.values import text_of, value_in

from .passages import read_media_or_passages, write_media_or_passages
from .syntax import HOME, NOTES

RESULT: Final = "result"
"""The key of the layout of a reply that is one block: `json` if it is a JSON value, `text` if it is a blank text."""
_JSON: Final = {"json": True}
"""The extras of a text that is the JSON of a value, among several blocks."""


def read_result(raws: list[Json]) -> tuple[Content, Object]:
    """Return the content of a result's blocks, and its layout."""
    parts = list(map(_read_part, raws))
    part = parts[0] if len(parts) == 1 else None
    if not isinstance(part, Text):
        has_blank = any(isinstance(each, Text) and is_blank(each.text) for each in parts)
        return tuple(parts) or "", {EMPTY: "part"} if has_blank else {}
    if NOTES.of(part.extras) == _JSON:
        return part.text, {RESULT: "json"}
    return part.text, {RESULT: "text"} if is_blank(part.text) else {}


def _read_part(raw: Json) -> Part:
    """Return the part of a block; a foreign part if it would not be written back unchanged."""
    block = members_of(raw)
    if len(block) == 1:
        [(kind, value)] = block.items()
        if kind == "text" and isinstance(value, str):
            return Text(value)
        if kind == "json" and (text := text_of(value)) is not None:
            return Text(text, NOTES.by_format({**_JSON}))
        if isinstance(value, dict):
            part = read_media_or_passages(kind, cast("Object", value), {})
            if part is not None and is_same(_sorted(write_media_or_passages(part)), _sorted(block)):
                return part
    return Foreign(HOME, raw)


def _sorted(value: Json) -> Json:
    """Return a value with the keys of its objects sorted, because their order is stored in the form."""
    if isinstance(value, dict):
        members = cast("Object", value)
        return {key: _sorted(members[key]) for key in sorted(members)}
    return [_sorted(item) for item in cast("list[Json]", value)] if isinstance(value, list) else value


def write_result(message: Message) -> list[Json]:
    """Return the blocks of a reply's content."""
    content, spelling = message.content, NOTES.of(message.layout).get(RESULT)
    if not isinstance(content, str):
        return list(map(_write_part, content))
    if spelling == "json" and (value := value_in(content)) is not None:
        return [{"json": value[0]}]
    return [{"text": content}] if content or spelling == "text" else []


def _write_part(part: Part) -> Json:
    if isinstance(part, Text):
        value = value_in(part.text) if NOTES.of(part.extras) == _JSON else None
        return {"text": part.text} if value is None else {"json": value[0]}
    if isinstance(part, Foreign):
        return part.value
    return write_media_or_passages(part) if isinstance(part, (Media, Passages)) else None


def can_hold(part: Part) -> bool:
    """Return whether a result has a place for a part other than a text."""
    if isinstance(part, Foreign):
        return part.format == HOME and isinstance(_read_part(part.value), Foreign)
    block = write_media_or_passages(part) if isinstance(part, (Media, Passages)) else None
    return block is not None and type(_read_part(block)) is type(part)
