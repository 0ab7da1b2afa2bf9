"""Detect Converse's requests, responses and messages; unlike those of other formats, its blocks have no `type`."""

from __future__ import annotations

from typing import cast

from ocml_bridge.formats.adapter import Source
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json

from .syntax import CONTENT, IMAGE, KINDS, MESSAGES, OUTPUT, REQUEST_MARKS, ROLES, STOP_REASON


def sniff(source: Source) -> int:
    """Return 3 for messages of blocks that only Converse has, and for responses, 1 for an empty request, else 0.

    Messages are of another format if a block has a type, or is a text, if they have a role of other APIs, or if one has
    only blocks of other kinds. With a block of another kind beside those of Converse they are probably Converse's: 2.
    """
    if isinstance(source, list):
        return _of_messages(cast("list[Json]", source))
    if not isinstance(source, dict):
        return 0
    document = cast("Object", source)
    messages, output = document.get(MESSAGES), document.get(OUTPUT)
    if isinstance(messages, list):
        marked = any(key in document for key in REQUEST_MARKS)
        return _of_messages(cast("list[Json]", messages)) or (1 if marked and not messages else 0)
    if not isinstance(output, dict) or "message" not in output:
        return 0
    return 3 if isinstance(document.get(STOP_REASON), str) else _of_messages([cast("Object", output)["message"]])


def _of_messages(messages: list[Json]) -> int:
    if not messages or not all(map(_is_message, messages)):
        return 0
    contents = [cast("list[Object]", cast("Object", each)[CONTENT]) for each in messages]
    known = [list(map(_is_block, blocks)) for blocks in contents if blocks]
    if not known or not all(map(any, known)):
        return 0
    return 3 if all(map(all, known)) else 2


def _is_message(item: Json) -> bool:
    if not isinstance(item, dict):
        return False
    message = cast("Object", item)
    blocks = message.get(CONTENT)
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES or not isinstance(blocks, list):
        return False
    return all(isinstance(block, dict) and "type" not in block for block in cast("list[Json]", blocks))


def _is_block(block: Object) -> bool:
    """Return whether a block is of a kind of Converse's, with the source of a medium where it is one."""
    media = [block[kind] for kind in (IMAGE, "document", "video", "audio") if kind in block]
    return not KINDS.isdisjoint(block) and all(isinstance(each, dict) and "source" in each for each in media)
