"""Read ChatGPT's exported chats: a mapping of messages, each of which names its parent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from ...json_values import jsontext
from ...model import Json
from ..fitting import as_list, as_object, items_of, members_of
from ..layout import Document, Object, Wording, misshapen
from ..media import part_of
from ..trees import Tree, conversations, rest, role_of


def is_chatgpt(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold the mapping of an exported chat."""
    nodes = members_of(fields.get("mapping"))
    return bool(nodes) and all("message" in members_of(node) for node in nodes.values())


def read_chatgpt(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation for each branch, that of the current node first.

    Raises:
        BridgeError: OCB-SHAPE if a node is not connected to a root; OCB-LIMIT if the tree is too large.
    """
    return conversations(
        tree_of_mapping(fields), lambda node, place: list(_messages_of(node, place, wording)), _metadata
    )


def tree_of_mapping(fields: Object) -> Tree:
    """Return the tree of a mapping.

    Raises:
        BridgeError: OCB-SHAPE if a node names a parent that does not exist.
    """
    nodes = {f"/mapping/{name}": cast("Object", node) for name, node in cast("Object", fields["mapping"]).items()}
    parents = {place: _parent(node, place, nodes) for place, node in nodes.items()}
    current = f"/mapping/{fields.get('current_node')}"
    return Tree(nodes, parents, current if current in nodes else None)


def _parent(node: Object, place: str, nodes: Object) -> str | None:
    """Return the key of a node's parent; None for a root."""
    name = node.get("parent")
    parent = f"/mapping/{name}"
    if isinstance(name, str) and parent not in nodes:
        raise misshapen(f"{place}/parent", "a node of a tree")
    return parent if isinstance(name, str) else None


def _metadata(node: Object) -> Object:
    """Return the members of a node that its message does not hold."""
    found = members_of(node.get("message"))
    author, content = members_of(found.get("author")), members_of(found.get("content"))
    read = ("parts", "text", "result", "thoughts") if content.get("content_type") != "reasoning_recap" else ()
    about = rest(content, ("content_type", *read)) if any(key in content for key in read) else content
    summaries = [rest(members_of(each), ("content",)) for each in items_of(content.get("thoughts"))]
    apart = {
        "author": {key: each for key, each in rest(author, ("role",)).items() if each != {}},
        "content": {**about, **({"thoughts": summaries} if any(summaries) else {})},
    }
    known = ("content", "author", *(key for key, usual in _USUAL.items() if found.get(key) in usual))
    return {**others_of(node), **rest(found, known), **{key: each for key, each in apart.items() if each}}


def others_of(node: Object) -> Object:
    """Return the members of a node besides its message and its place in the tree, under `node`; {} if it has none."""
    others = rest(node, ("id", "message", "parent", "children"))
    return {"node": others} if others else {}


_USUAL: Final = {"recipient": ("all", "assistant"), "weight": (1,)}
"""The values of members that most messages have; they are left out."""


def _messages_of(node: Object, path: str, wording: Wording) -> Iterator[Object]:
    """Yield the messages of a node: none for an empty one, or for a hidden one without content."""
    found = as_object(node.get("message"))
    if found is None:
        return
    role = role_of(members_of(found.get("author")).get("role"), wording, f"{path}/message/author/role")
    content = members_of(found.get("content"))
    kind, recipient = content.get("content_type"), found.get("recipient")
    value = _text_or_parts(content)
    if kind == "thoughts" or kind == "reasoning_recap":
        if value and kind == "thoughts":
            yield {"role": role, "reasoning": value, "content": None}
    elif role == "assistant" and isinstance(recipient, str) and recipient not in ("all", "assistant"):
        call = {"type": "function", "function": {"name": recipient, "arguments": value}}
        yield {"role": role, "content": None, "tool_calls": [call]}
    elif value or (value == [] and role == "assistant"):
        name = members_of(found.get("author")).get("name")
        yield {"role": role, **({"name": name} if role == "tool" and isinstance(name, str) else {}), "content": value}


def _text_or_parts(content: Object) -> Any:
    """Return the content of a message: a text, or parts if it has media."""
    thoughts = as_list(content.get("thoughts"))
    if thoughts is not None:
        texts = [members_of(each) for each in thoughts]
        return "\n\n".join(str(each.get("content") or each.get("summary") or "") for each in texts)
    parts = as_list(content.get("parts"))
    if parts is None:
        found = next((content[key] for key in _TEXTS if isinstance(content.get(key), str)), None)
        other = rest(content, ("content_type",))
        context = [content[key] for key in _CONTEXT if isinstance(content.get(key), str) and content[key]]
        if found is None and context:
            return "\n\n".join(context)
        return found if found is not None else [{"type": str(content.get("content_type")), **other}] if other else ""
    made = [_exported_part(part) for part in parts if part != ""]
    if len(made) < 2 and all(part["type"] == "text" for part in made):
        return "".join(part["text"] for part in made)
    return made


_TEXTS: Final = ("text", "result", "content", "thoughts")
_CONTEXT: Final = ("user_profile", "user_instructions")
"""A person's description of themselves, and of the answers that they want."""


def _exported_part(part: Json) -> Object:
    """Return a part in the form of Chat Completions."""
    found = as_object(part)
    if found is None:
        return {"type": "text", "text": part if isinstance(part, str) else jsontext.dumps(part).decode()}
    if isinstance(found.get("text"), str) and "asset_pointer" not in found:
        return {"type": "text", "text": found["text"]}
    pointer = found.get("asset_pointer")
    if isinstance(pointer, str) and str(found.get("content_type", "")).startswith("image"):
        return part_of("image", pointer)
    return {"type": str(found.get("content_type") or "unknown"), **found}
