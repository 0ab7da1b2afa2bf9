"""Read LibreChat's exported chats: messages that hold their replies, or that name their parent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..fitting import items_of, members_of, objects_of
from ..layout import Document, Object, Wording, misshapen
from ..media import part_of
from ..messages import message
from ..pieces import Pieces
from ..trees import by_name, conversations, linked, nested, rest, rest_with

MESSAGES: Final = "messages"
OPTIONS: Final = "options"
_IS_USER: Final = "isCreatedByUser"


def is_librechat(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages that say whether the user wrote them."""
    items = items_of(fields.get(MESSAGES))
    return bool(items) and all(isinstance(members_of(each).get(_IS_USER), bool) for each in items)


def read_librechat(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation for each branch, after the prompt of the chat's options.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a message, or if no message has content; OCB-LIMIT if the tree is
            too large.
    """
    items = {f"/{MESSAGES}/{at}": each for at, each in enumerate(items_of(fields[MESSAGES]))}
    tree = nested(items, "children")
    if len(tree.nodes) == len(items):
        tree = linked(tree.nodes, by_name(tree.nodes, "messageId"), "parentMessageId")
    prompt = members_of(fields.get(OPTIONS)).get("promptPrefix")
    first = [message("system", prompt)] if isinstance(prompt, str) and prompt else []
    documents = conversations(tree, _messages_of, _metadata, first)
    return [document._replace(path=None) for document in documents] if len(documents) == 1 else documents


def _messages_of(node: Object, place: str) -> list[Object]:
    """Return the messages of a node: of its text, or of its parts in their order."""
    if not isinstance(node.get(_IS_USER), bool):
        raise misshapen(f"{place}/{_IS_USER}", "true for what a person wrote, false for an answer")
    pieces = Pieces("user" if node[_IS_USER] else "assistant")
    for url in _images(node):
        pieces.show(part_of("image", url))
    parts = _parts(node)
    for part in parts:
        _read_part(part, pieces)
    if not any(part.get("type") in _KINDS for part in parts):
        pieces.say(str(node.get("text") or ""))
    return pieces.messages()


_KINDS: Final = ("text", "think", "tool_call", "image_url", "image_file")


def _parts(node: Object) -> list[Object]:
    return objects_of(node.get("content"))


def _images(node: Object) -> list[str]:
    """Return the addresses of the images that were sent with a message."""
    images = [each for each in objects_of(node.get("files")) if str(each.get("type")).startswith("image/")]
    return [each["filepath"] for each in images if isinstance(each.get("filepath"), str)]


def _read_part(part: Object, pieces: Pieces) -> None:
    kind = part.get("type")
    call = members_of(part.get("tool_call"))
    if kind == "think":
        pieces.think(_text(part.get("think")))
    elif kind == "text":
        pieces.say(_text(part.get("text")))
    elif kind == "image_url":
        pieces.show(part)
    elif kind == "image_file":
        path = members_of(part.get(kind)).get("filepath")
        pieces.show(part_of("image", path) if isinstance(path, str) else part)
    elif kind == "tool_call" and isinstance(call.get("name"), str):
        pieces.call(call["name"], call.get("args"), call.get("id"))
        if call.get("output") is not None:
            pieces.result(call["output"], call.get("id"))


def _text(value: Json) -> str:
    """Return a text, which may be in an object, as Assistants have it."""
    found = members_of(value).get("value") if isinstance(value, dict) else value
    return found if isinstance(found, str) else ""


_READ_MEMBERS: Final = {"tool_call": ("id", "name", "args", "output"), "image_file": ("filepath",)}
"""The members of a part's value that its message holds."""


def _metadata(node: Object) -> Object:
    """Return the members of a message, and of its parts, that are not read."""
    parts = _parts(node)
    is_read = node.get("text") == "" or not any(part.get("type") in _KINDS for part in parts)
    known = (_IS_USER, "children", "content", *(("text",) if is_read else ()))
    return rest_with(node, known, {"content": [_part_metadata(part) for part in parts]})


def _part_metadata(part: Object) -> Object:
    """Return the members of a part that are not read: all of them for a part of an unknown kind."""
    kind = str(part.get("type"))
    if kind not in _KINDS or kind == "image_url":
        return {} if kind == "image_url" else part
    value = members_of(part.get(kind))
    inner = {key: each for key, each in rest(value, _READ_MEMBERS.get(kind, ("value",))).items() if each != []}
    return {**rest(part, ("type", kind)), **({kind: inner} if inner else {})}
