"""LibreChat's exported chats: messages with those behind them in them, or with the names of those before them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..model import Json
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, misshapen
from .messages import message
from .pieces import Pieces
from .trees import conversations, linked, nested, rest

MESSAGES: Final = "messages"
OPTIONS: Final = "options"
_WHOSE: Final = "isCreatedByUser"


def is_librechat(fields: Object, wording: Wording) -> bool:
    """Whether messages stand there that say whether a person wrote them."""
    items = as_list(fields.get(MESSAGES))
    return bool(items) and all(isinstance((as_object(each) or {}).get(_WHOSE), bool) for each in items or [])


def read_librechat(fields: Object, wording: Wording) -> Sequence[Document]:
    """A conversation for each branch, behind the prompt of the chat's options.

    Raises:
        BridgeError: OCB-SHAPE for what is no message, or where nothing is said; OCB-LIMIT for a tree too large.
    """
    items = {f"/{MESSAGES}/{at}": each for at, each in enumerate(as_list(fields[MESSAGES]) or [])}
    tree = nested(items, "children")
    if len(tree.nodes) == len(items):
        names = {
            node["messageId"]: place for place, node in tree.nodes.items() if isinstance(node.get("messageId"), str)
        }
        tree = linked(tree.nodes, names, "parentMessageId")
    prompt = (as_object(fields.get(OPTIONS)) or {}).get("promptPrefix")
    first = [message("system", prompt)] if isinstance(prompt, str) and prompt else []
    documents = conversations(tree, _messages_of, _about, first)
    return [document._replace(path=None) for document in documents] if len(documents) == 1 else documents


def _messages_of(node: Object, place: str) -> list[Object]:
    """The messages of one: its text, or its parts in their order."""
    if not isinstance(node.get(_WHOSE), bool):
        raise misshapen(f"{place}/{_WHOSE}", "true for what a person wrote, false for an answer")
    pieces = Pieces("user" if node[_WHOSE] else "assistant")
    for url in _images(node):
        pieces.show({"type": "image_url", "image_url": {"url": url}})
    parts = _parts(node)
    for part in parts:
        _read_part(part, pieces)
    if not any(part.get("type") in _KNOWN for part in parts):
        pieces.say(str(node.get("text") or ""))
    return pieces.messages()


_KNOWN: Final = ("text", "think", "tool_call", "image_url", "image_file")


def _parts(node: Object) -> list[Object]:
    return [as_object(part) or {} for part in as_list(node.get("content")) or []]


def _images(node: Object) -> list[str]:
    """The addresses of the images that were sent with a message."""
    files = [as_object(each) or {} for each in as_list(node.get("files")) or []]
    images = [each.get("filepath") for each in files if str(each.get("type")).startswith("image/")]
    return [each for each in images if isinstance(each, str)]


def _read_part(part: Object, pieces: Pieces) -> None:
    kind = part.get("type")
    call = as_object(part.get("tool_call")) or {}
    if kind == "think":
        pieces.think(_text(part.get("think")))
    elif kind == "text":
        pieces.say(_text(part.get("text")))
    elif kind == "image_url":
        pieces.show(part)
    elif kind == "image_file":
        path = (as_object(part.get(kind)) or {}).get("filepath")
        pieces.show({"type": "image_url", "image_url": {"url": path}} if isinstance(path, str) else part)
    elif kind == "tool_call" and isinstance(call.get("name"), str):
        pieces.call(call["name"], call.get("args"), call.get("id"))
        if call.get("output") is not None:
            pieces.result(call["output"], call.get("id"))


def _text(value: Json) -> str:
    """A text, which may stand in an object as Assistants have it."""
    found = (as_object(value) or {}).get("value") if isinstance(value, dict) else value
    return found if isinstance(found, str) else ""


_READ: Final = {"tool_call": ("id", "name", "args", "output"), "image_file": ("filepath",)}
"""The members of what a part holds that its message has."""


def _about(node: Object) -> Object:
    """What else a message says: of itself, and of its parts."""
    parts = _parts(node)
    left = [_left(part) for part in parts]
    is_read = node.get("text") == "" or not any(part.get("type") in _KNOWN for part in parts)
    known = (_WHOSE, "children", "content", *(("text",) if is_read else ()))
    return {**rest(node, known), **({"content": left} if any(left) else {})}


def _left(part: Object) -> Object:
    """What a part says beside its message: nothing of most, all of one that is of no known kind."""
    kind = str(part.get("type"))
    if kind not in _KNOWN or kind == "image_url":
        return {} if kind == "image_url" else part
    value = as_object(part.get(kind)) or {}
    inner = {key: each for key, each in rest(value, _READ.get(kind, ("value",))).items() if each != []}
    return {**rest(part, ("type", kind)), **({kind: inner} if inner else {})}
