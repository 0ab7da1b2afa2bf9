"""Rows that hold a tree of messages: each path from its root to a leaf is a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from .. import jsontext
from ..errors import BridgeError, ErrorCode
from ..model import Json
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, misshapen
from .messages import ROLES, message, request

LONGEST: Final = 10_000
"""The most messages of a path, and paths of a tree; more are an error, as a row would become a flood."""
NODES: Final = "nodes"
"""The column for what else a tree says of the messages of a path: ids, languages, dates, ratings."""


def _rest(node: Object, known: Sequence[str]) -> Object:
    return {key: value for key, value in node.items() if key not in known and value is not None}


def _role(word: Json, wording: Wording, path: str) -> str:
    if not isinstance(word, str):
        raise misshapen(path, "the role of a message")
    return wording.roles.get(word.lower()) or ROLES.get(word.lower(), word)


# --- Open Assistant ---------------------------------------------------------------------------------------------------


def is_oasst(fields: Object, wording: Wording) -> bool:
    """Whether a message with replies stands there."""
    root = as_object(fields.get("prompt")) or {}
    return isinstance(root.get("text"), str) and isinstance(root.get("role"), str)


def read_oasst(fields: Object, wording: Wording) -> Sequence[Document]:
    """A conversation for each message without a reply: what leads to it.

    Raises:
        BridgeError: OCB-SHAPE for what is no message; OCB-LIMIT for a tree too large.
    """
    documents: list[Document] = []
    todo: list[tuple[Json, list[Object], list[Object], str]] = [(fields["prompt"], [], [], "/prompt")]
    while todo:
        node, before, about, path = todo.pop()
        found = as_object(node)
        if found is None or not isinstance(found.get("text"), str):
            raise misshapen(path, "a message with 'text', 'role' and 'replies'")
        messages = [*before, message(_role(found.get("role"), wording, path), found["text"])]
        nodes = [*about, _rest(found, ("text", "role", "replies"))]
        replies = as_list(found.get("replies")) or []
        if not replies:
            documents.append(Document(request(messages, None), path=path, beside={NODES: nodes}))
        _bounded(len(documents), len(messages))
        todo += [(reply, messages, nodes, f"{path}/replies/{at}") for at, reply in reversed(list(enumerate(replies)))]
    return documents


def _bounded(paths: int, depth: int) -> None:
    if max(paths, depth) > LONGEST:
        raise BridgeError(ErrorCode.LIMIT, f"a tree of more than {LONGEST:,} paths, or messages in one")


# --- ChatGPT's export -------------------------------------------------------------------------------------------------


def is_chatgpt(fields: Object, wording: Wording) -> bool:
    """Whether the mapping of an exported chat stands there."""
    nodes = as_object(fields.get("mapping"))
    return bool(nodes) and all("message" in (as_object(node) or {}) for node in (nodes or {}).values())


def read_chatgpt(fields: Object, wording: Wording) -> Sequence[Document]:
    """A conversation for each branch, that of the current node first.

    Raises:
        BridgeError: OCB-SHAPE for a tree whose nodes do not hang together.
    """
    nodes = cast("Object", fields["mapping"])
    leaves = [name for name, node in nodes.items() if not as_list(cast("Object", node).get("children"))]
    current = fields.get("current_node")
    ordered = [current, *leaves] if isinstance(current, str) and current in nodes else leaves
    documents: list[Document] = []
    seen: set[str] = set()
    for leaf in ordered:
        path = _path(nodes, leaf)
        messages = [each for name in path for each in _exported(nodes[name], f"/mapping/{name}", wording)]
        text = jsontext.dumps(messages).decode("utf-8", "surrogatepass")
        if messages and text not in seen:
            seen.add(text)
            about = [_about(nodes[name]) for name in path]
            beside = {NODES: [each for each in about if each]}
            documents.append(Document(request(_merged(messages), None), path=f"/mapping/{leaf}", beside=beside))
        _bounded(len(documents), len(messages))
    if not documents:
        raise misshapen("/mapping", "a tree with a message at least")
    return documents


def _about(node: Json) -> Object:
    """What a node says of its message beside what that says."""
    return _rest(as_object(cast("Object", node).get("message")) or {}, ("content", "author", "recipient", "weight"))


def _path(nodes: Object, leaf: str) -> list[str]:
    """The nodes from the root to one."""
    path: list[str] = []
    seen: set[str] = set()
    name: Json = leaf
    while isinstance(name, str):
        if name in seen or name not in nodes:
            raise misshapen(f"/mapping/{path[-1] if path else leaf}/parent", "a node of a tree")
        seen.add(name)
        path.append(name)
        name = cast("Object", nodes[name]).get("parent")
    return path[::-1]


def _exported(node: Json, path: str, wording: Wording) -> Iterator[Object]:
    """The messages of a node: none for one that is empty, or that the app hides and that says nothing."""
    found = as_object(cast("Object", node).get("message"))
    if found is None:
        return
    role = _role((as_object(found.get("author")) or {}).get("role"), wording, f"{path}/message/author/role")
    content = as_object(found.get("content")) or {}
    kind, recipient = content.get("content_type"), found.get("recipient")
    value = _text_or_parts(content)
    if kind == "thoughts" or kind == "reasoning_recap":
        if value and kind == "thoughts":
            yield {"role": role, "reasoning": value, "content": None}
    elif role == "assistant" and isinstance(recipient, str) and recipient not in ("all", "assistant"):
        call = {"type": "function", "function": {"name": recipient, "arguments": value}}
        yield {"role": role, "content": None, "tool_calls": [call]}
    elif value or (value == [] and role == "assistant"):
        name = (as_object(found.get("author")) or {}).get("name")
        yield {"role": role, **({"name": name} if role == "tool" and isinstance(name, str) else {}), "content": value}


def _text_or_parts(content: Object) -> Any:
    """What a message says: a text, or parts where there are media."""
    thoughts = as_list(content.get("thoughts"))
    if thoughts is not None:
        texts = [as_object(each) or {} for each in thoughts]
        return "\n\n".join(str(each.get("content") or each.get("summary") or "") for each in texts)
    parts = as_list(content.get("parts"))
    if parts is None:
        found = next((content[key] for key in ("text", "result", "content") if isinstance(content.get(key), str)), None)
        rest = _rest(content, ("content_type",))
        return found if found is not None else [{"type": str(content.get("content_type")), **rest}] if rest else ""
    made = [_exported_part(part) for part in parts if part != ""]
    if all(part["type"] == "text" for part in made):
        return "".join(part["text"] for part in made)
    return made


def _exported_part(part: Json) -> Object:
    found = as_object(part)
    if found is None:
        return {"type": "text", "text": part if isinstance(part, str) else jsontext.dumps(part).decode()}
    if isinstance(found.get("text"), str) and "asset_pointer" not in found:
        return {"type": "text", "text": found["text"]}
    pointer = found.get("asset_pointer")
    if isinstance(pointer, str) and str(found.get("content_type", "")).startswith("image"):
        return {"type": "image_url", "image_url": {"url": pointer}}
    return {"type": str(found.get("content_type") or "unknown"), **found}


def _merged(messages: Sequence[Object]) -> list[Object]:
    """Messages, each thought with the answer or the call behind it."""
    out: list[Object] = []
    for each in messages:
        before = out[-1] if out else {}
        alone = before.get("role") == "assistant" and before.get("content") is None and "tool_calls" not in before
        if alone and each["role"] == "assistant" and "reasoning" not in each:
            out[-1] = {"role": "assistant", "reasoning": before["reasoning"], **each}
        else:
            out.append(each)
    return out


# --- Claude's export --------------------------------------------------------------------------------------------------


def is_claude(fields: Object, wording: Wording) -> bool:
    """Whether the messages of an exported chat stand there."""
    return all("sender" in (as_object(each) or {}) for each in as_list(fields.get("chat_messages")) or [None])


def read_claude(fields: Object, wording: Wording) -> Sequence[Document]:
    """A conversation for each branch; one where messages name no parents.

    Raises:
        BridgeError: OCB-SHAPE for what is no message.
    """
    items = [cast("Object", each) for each in as_list(fields["chat_messages"]) or []]
    by_id = {each["uuid"]: each for each in items if isinstance(each.get("uuid"), str)}
    parents = [each.get("parent_message_uuid") for each in items]
    if not any(isinstance(parent, str) and parent in by_id for parent in parents) or len(by_id) < len(items):
        return [_claude(items, None, wording)]
    inner = {parent for parent in parents if isinstance(parent, str)}
    documents: list[Document] = []
    for leaf in (each for each in items if each["uuid"] not in inner):
        path: list[Object] = []
        node: Object | None = leaf
        while node is not None and len(path) <= len(items):
            path.append(node)
            node = by_id.get(str(node.get("parent_message_uuid")))
        documents.append(_claude(path[::-1], f"/chat_messages/{items.index(leaf)}", wording))
        _bounded(len(documents), len(path))
    return documents


def _claude(items: Sequence[Object], path: str | None, wording: Wording) -> Document:
    messages = [each for item in items for each in _of_claude(item, wording)]
    return Document(request(messages, None), path=path, beside={NODES: [_rest(item, _CLAUDES) for item in items]})


_CLAUDES: Final = ("sender", "text", "content", "attachments")


def _of_claude(item: Object, wording: Wording) -> Iterator[Object]:
    """The messages of one: what it thinks, says and calls, block by block."""
    role = _role(item.get("sender"), wording, "/chat_messages")
    blocks = [as_object(each) or {} for each in as_list(item.get("content")) or []]
    attached = "".join(f"\n\n{text}" for text in _attachments(item))
    if not blocks:
        yield message(role, f"{item.get('text') or ''}{attached}")
        return
    out: Object = {"role": role, "content": ""}
    for block in blocks:
        kind = block.get("type")
        if kind in ("tool_use", "tool_result"):
            call = str(block.get("id") if kind == "tool_use" else block.get("tool_use_id"))
            if kind == "tool_use":
                arguments = jsontext.dumps(block.get("input") or {}).decode()
                function = {"name": str(block.get("name")), "arguments": arguments}
                out["tool_calls"] = [*out.get("tool_calls", []), {"id": call, "type": "function", "function": function}]
                continue
            if out.get("tool_calls") or out["content"]:
                yield _whole(out)
            out = {"role": role, "content": ""}
            yield {"role": "tool", "tool_call_id": call, "content": _result(block.get("content"))}
            continue
        if out.get("tool_calls"):
            yield _whole(out)
            out = {"role": role, "content": ""}
        if kind == "thinking":
            out["reasoning"] = f"{out.get('reasoning', '')}{block.get('thinking') or ''}"
        else:
            out["content"] += str(block.get("text") or "")
    out["content"] += attached
    if out["content"] or out.keys() - {"role", "content"} or len(blocks) == 0:
        yield _whole(out)


def _whole(out: Object) -> Object:
    """A message whose calls say nothing beside them."""
    return {**out, "content": out["content"] or None} if out.get("tool_calls") else out


def _attachments(item: Object) -> Iterator[str]:
    """The texts of the files that were attached to a message."""
    for each in as_list(item.get("attachments")) or []:
        text = (as_object(each) or {}).get("extracted_content")
        if isinstance(text, str) and text:
            yield text


def _result(content: Json) -> str:
    """What a tool gave, as a text."""
    if isinstance(content, str):
        return content
    blocks = [as_object(each) or {} for each in as_list(content) or []]
    if blocks and all(isinstance(each.get("text"), str) for each in blocks):
        return "\n".join(each["text"] for each in blocks)
    return jsontext.dumps(content).decode()
