"""Read Open WebUI's exported chats, and Qwen's: a history of messages, each of which names its parent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ...loss import Finding
from ...model import Json
from ..fitting import as_object, items_of, members_of, objects_of
from ..layout import Document, Object, Wording
from ..media import part_of
from ..messages import message
from ..pieces import Pieces
from ..trees import conversations, linked, rest, role_of
from .details import read_details

CHAT: Final = "chat"


def is_open_webui(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a chat with its history, or only with its messages."""
    return bool(_messages(members_of(fields.get(CHAT))))


def _messages(chat: Object) -> dict[str, Object]:
    """Return the messages of a chat, by JSON pointer; none if any of them is not a message."""
    history = members_of(chat.get("history"))
    found = {f"/{CHAT}/history/messages/{name}": each for name, each in members_of(history.get("messages")).items()}
    found = found or {f"/{CHAT}/messages/{at}": each for at, each in enumerate(items_of(chat.get("messages")))}
    nodes = {place: members_of(each) for place, each in found.items()}
    return nodes if all(isinstance(each.get("role"), str) and "content" in each for each in nodes.values()) else {}


def read_open_webui(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation for each branch, that of the current message first.

    Raises:
        BridgeError: OCB-SHAPE if a message is not connected to a root, or if no message has content; OCB-LIMIT if the
            tree is too large.
    """
    chat = cast("Object", fields[CHAT])
    nodes = _messages(chat)
    history = members_of(chat.get("history"))
    names = {str(node.get("id", place.rpartition("/")[2])): place for place, node in nodes.items()}
    tree = linked(nodes, names, "parentId", history.get("currentId"))
    system = _system(chat)
    first = [message("system", system)] if system else []
    findings: dict[str, Sequence[Finding]] = {}

    def messages_of(node: Object, place: str) -> list[Object]:
        pieces = _pieces_of(node, place, wording)
        findings[place] = pieces.findings
        return pieces.messages()

    documents = conversations(tree, messages_of, _metadata, first, findings)
    metadata = _chat_metadata(chat, history)
    return [
        each._replace(extra_columns={**each.extra_columns, **({CHAT: metadata} if metadata else {})})
        for each in documents
    ]


def _system(chat: Object) -> str | None:
    """Return the system prompt of a chat; earlier versions have it next to the parameters."""
    found = members_of(chat.get("params")).get("system") or chat.get("system")
    return found if isinstance(found, str) else None


def _chat_metadata(chat: Object, history: Object) -> Object:
    """Return the members of a chat that are not read, without messages that repeat those of the history."""
    nodes = list(members_of(history.get("messages")).values())
    repeated = all(each in nodes for each in items_of(chat.get("messages"))) or not nodes
    more = rest(history, ("messages", "currentId"))
    return {**rest(chat, ("history", *(["messages"] if repeated else []))), **({"history": more} if more else {})}


# --- messages ---------------------------------------------------------------------------------------------------------


def _pieces_of(node: Object, place: str, wording: Wording) -> Pieces:
    """Return the pieces of a node: its media and text, or the output items of the model."""
    pieces = Pieces(role_of(node.get("role"), wording, f"{place}/role"))
    for url in _images(node):
        pieces.show(part_of("image", url))
    if _has_output(node):
        for at, item in enumerate(cast("list[Object]", node["output"])):
            _read_item(item, pieces, f"{place}/output/{at}/output")
        return pieces
    if isinstance(node.get(_REASONING), str) and node[_REASONING]:
        pieces.think(node[_REASONING])
    for each in _phases(node):
        _PHASES[each["phase"]](pieces, each["content"])
    content = node["content"]
    for part in items_of(content):
        pieces.show(as_object(part) or {"type": "text", "text": str(part)})
    if isinstance(content, str) and not read_details(content, pieces, f"{place}/content"):
        pieces.say(content)
    return pieces


_REASONING: Final = "reasoning_content"
_PHASED: Final = "content_list"
"""The member of Qwen's messages that holds the answer in its phases, where `content` is empty."""
_PHASES: Final = {"think": Pieces.think, "answer": Pieces.say}


def _phases(node: Object) -> list[Object]:
    """Return the phases of an answer that say something; none if the content says it."""
    return [] if node["content"] else [each for each in objects_of(node.get(_PHASED)) if _is_read(each)]


def _is_read(phase: Object) -> bool:
    name = phase.get("phase")
    return isinstance(name, str) and name in _PHASES and isinstance(phase.get("content"), str)


def _images(node: Object) -> list[str]:
    """Return the addresses of the images that were sent with a message."""
    files = objects_of(node.get("files"))
    return [each["url"] for each in files if each.get("type") == "image" and isinstance(each.get("url"), str)]


def _metadata(node: Object) -> Object:
    """Return the members of a message that are not read, and its text if that repeats the output items."""
    content = node["content"]
    files = [
        rest(each, ("type", "url")) if each.get("type") == "image" else each for each in objects_of(node.get("files"))
    ]
    shown = isinstance(content, str) and (_has_output(node) or read_details(content, Pieces("assistant")))
    known = ("id", "parentId", "childrenIds", "role", "files", *(() if shown else ("content",)))
    items = [_rest_of(each) for each in cast("list[Object]", node["output"])] if _has_output(node) else []
    phases = [rest(each, ("phase", "content")) if _is_read(each) else each for each in objects_of(node.get(_PHASED))]
    apart = {
        "files": files if any(files) else None,
        "output": items if any(items) else None,
        _PHASED: phases if any(phases) else None,
    }
    read = ("output",) if _has_output(node) else (_REASONING, *([_PHASED] if _phases(node) else ()))
    left = rest(node, (*known, *read))
    return {
        **({"id": node["id"]} if "id" in node else {}),
        **left,
        **{key: each for key, each in apart.items() if each and key not in left},
    }


# --- output of the model, as items of the Responses API ---------------------------------------------------------------


def _texts(value: Json) -> str:
    return "".join(str(members_of(each).get("text") or "") for each in items_of(value))


def _read_item(item: Object, pieces: Pieces, place: str) -> None:
    kind = item.get("type")
    if kind == "reasoning":
        pieces.think(_texts(item.get("content")) or _texts(item.get("summary")))
    elif kind == "message":
        pieces.say(_texts(item.get("content")))
    elif kind == "function_call":
        pieces.call(str(item.get("name")), item.get("arguments"), item.get("call_id") or item.get("id"))
    elif kind == "function_call_output":
        pieces.result(item.get("output"), item.get("call_id"), place=place)


_READ_MEMBERS: Final = {
    "reasoning": ("type", "content"),
    "message": ("type", "role", "content"),
    "function_call": ("type", "name", "arguments", "call_id"),
    "function_call_output": ("type", "call_id", "output"),
}
"""The members of items that their messages hold."""


def _rest_of(item: Object) -> Object:
    """Return the members of an item that its messages do not hold, with those of its texts."""
    parts = [rest(each, ("type", "text")) for each in objects_of(item.get("content"))]
    others = rest(item, _READ_MEMBERS[item["type"]])
    return {**others, "content": parts} if any(parts) and "content" not in others else others


def _has_output(node: Object) -> bool:
    """Return whether a message has output items, all of known kinds."""
    kinds = [each.get("type") for each in objects_of(node.get("output"))]
    return bool(kinds) and all(isinstance(kind, str) and kind in _READ_MEMBERS for kind in kinds)
