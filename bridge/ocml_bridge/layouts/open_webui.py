"""Open WebUI's exported chats: a history of messages, each with the one before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ..model import Json
from .details import read_details
from .fitting import as_list, as_object, objects_of
from .layout import Document, Object, Wording
from .messages import message
from .pieces import Pieces
from .trees import conversations, linked, rest, role_of

CHAT: Final = "chat"


def is_open_webui(fields: Object, wording: Wording) -> bool:
    """Whether a chat stands there with its history, or with its messages alone."""
    return bool(_messages(as_object(fields.get(CHAT)) or {}))


def _messages(chat: Object) -> dict[str, Object]:
    """The messages of a chat, by the JSON pointer to them."""
    history = as_object(chat.get("history")) or {}
    found = {
        f"/{CHAT}/history/messages/{name}": each for name, each in (as_object(history.get("messages")) or {}).items()
    }
    found = found or {f"/{CHAT}/messages/{at}": each for at, each in enumerate(as_list(chat.get("messages")) or [])}
    nodes = {place: as_object(each) or {} for place, each in found.items()}
    return nodes if all(isinstance(each.get("role"), str) and "content" in each for each in nodes.values()) else {}


def read_open_webui(fields: Object, wording: Wording) -> Sequence[Document]:
    """A conversation for each branch, that of the current message first.

    Raises:
        BridgeError: OCB-SHAPE for messages that do not hang together, or where nothing is said; OCB-LIMIT for a tree
            too large.
    """
    chat = cast("Object", fields[CHAT])
    nodes = _messages(chat)
    history = as_object(chat.get("history")) or {}
    names = {str(node.get("id", place.rpartition("/")[2])): place for place, node in nodes.items()}
    tree = linked(nodes, names, "parentId", history.get("currentId"))
    system = _system(chat)
    first = [message("system", system)] if system else []
    documents = conversations(tree, lambda node, place: _messages_of(node, place, wording), _about, first)
    beside = _beside(chat, history)
    return [each._replace(beside={**each.beside, **({CHAT: beside} if beside else {})}) for each in documents]


def _system(chat: Object) -> str | None:
    """The system prompt of a chat; earlier versions had it beside the parameters."""
    found = (as_object(chat.get("params")) or {}).get("system") or chat.get("system")
    return found if isinstance(found, str) else None


def _beside(chat: Object, history: Object) -> Object:
    """What else a chat says; the messages of the current branch, which it says again, stand in its history."""
    nodes = list((as_object(history.get("messages")) or {}).values())
    again = all(each in nodes for each in as_list(chat.get("messages")) or []) or not nodes
    more = rest(history, ("messages", "currentId"))
    return {**rest(chat, ("history", *(["messages"] if again else []))), **({"history": more} if more else {})}


# --- messages ---------------------------------------------------------------------------------------------------------


def _messages_of(node: Object, place: str, wording: Wording) -> list[Object]:
    """The messages of one: what it shows and says, or what the model put out, item by item."""
    pieces = Pieces(role_of(node.get("role"), wording, f"{place}/role"))
    for url in _images(node):
        pieces.show({"type": "image_url", "image_url": {"url": url}})
    if _has_output(node):
        for item in cast("list[Object]", node["output"]):
            _read_item(item, pieces)
        return pieces.messages()
    content = node["content"]
    for part in as_list(content) or []:
        pieces.show(as_object(part) or {"type": "text", "text": str(part)})
    if isinstance(content, str) and not read_details(content, pieces):
        pieces.say(content)
    return pieces.messages()


def _images(node: Object) -> list[str]:
    """The addresses of the images that were sent with a message."""
    files = objects_of(node.get("files"))
    return [each["url"] for each in files if each.get("type") == "image" and isinstance(each.get("url"), str)]


def _about(node: Object) -> Object:
    """What else a message says, and how it was shown where that is not what it says."""
    content = node["content"]
    files = [
        rest(each, ("type", "url")) if each.get("type") == "image" else each
        for each in map(_object, as_list(node.get("files")) or [])
    ]
    shown = isinstance(content, str) and (_has_output(node) or read_details(content, Pieces("assistant")))
    known = ("id", "parentId", "childrenIds", "role", "files", *(() if shown else ("content",)))
    items = (
        [rest(each, _READ[each["type"]]) for each in cast("list[Object]", node["output"])] if _has_output(node) else []
    )
    apart = {"files": files if any(files) else None, "output": items if any(items) else None}
    left = rest(node, (*known, "output") if _has_output(node) else known)
    return {
        **({"id": node["id"]} if "id" in node else {}),
        **left,
        **{key: each for key, each in apart.items() if each},
    }


def _object(value: Json) -> Object:
    return as_object(value) or {}


# --- what the model put out, as items of the Responses API ------------------------------------------------------------


def _texts(value: Json) -> str:
    return "".join(str(_object(each).get("text") or "") for each in as_list(value) or [])


def _read_item(item: Object, pieces: Pieces) -> None:
    kind = item.get("type")
    if kind == "reasoning":
        pieces.think(_texts(item.get("content")) or _texts(item.get("summary")))
    elif kind == "message":
        pieces.say(_texts(item.get("content")))
    elif kind == "function_call":
        pieces.call(str(item.get("name")), item.get("arguments"), item.get("call_id") or item.get("id"))
    elif kind == "function_call_output":
        pieces.result(item.get("output"), item.get("call_id"))


_READ: Final = {
    "reasoning": ("type", "content"),
    "message": ("type", "role", "content"),
    "function_call": ("type", "name", "arguments", "call_id"),
    "function_call_output": ("type", "call_id", "output"),
}
"""The members of items that their messages have."""


def _has_output(node: Object) -> bool:
    """Whether the items that the model put out stand there, all of kinds that are known."""
    items = as_list(node.get("output"))
    return bool(items) and all(_object(each).get("type") in _READ for each in items or [])
