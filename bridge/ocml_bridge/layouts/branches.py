"""Read messages that name the message before them, and of which several have the same one: a tree in a list.

An app stores an answer that was made again next to the first one. Read in the order of the list, they would be answers
after each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..model import Json
from .fitting import as_list, objects_of, without_members
from .layout import Document, Object, Wording, noticed
from .trees import NODES, Tree, by_name, check_limits, linked, paths
from .turns import MESSAGES, are_requests, list_or_none, read_messages

CURRENT: Final = "current"
_NAMES: Final = ("id", "uuid", "message_id", "messageId")
"""Members of a message that may hold its name."""
_PARENTS: Final = ("parentId", "parent_id", "parent", "parentMessageId", "parent_message_id", "parent_uuid")
"""Members of a message that may hold the name of the message before it."""
_ANCESTORS: Final = "ancestors"
"""The member of a message with the names of all messages before it, the first one first (HuggingChat)."""
_LINKS: Final = frozenset({*_PARENTS, _ANCESTORS})
_PLACES: Final = frozenset({*_NAMES, *_LINKS, "children", "childrenIds"})
"""Members that say where a message is in its tree, which go into a column."""


def are_branches(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages of one tree, which are not a conversation in their order."""
    items = objects_of(list_or_none(fields, MESSAGES))
    if all(map(_LINKS.isdisjoint, items)) or not are_requests(fields, wording):
        return False
    tree = _tree_of(fields)
    if tree is None or not _is_connected(tree):
        return False
    return list(tree.parents.values()) != [None, *tree.nodes][:-1]


def _is_connected(tree: Tree) -> bool:
    """Return whether all messages follow one first message."""
    after: dict[str | None, list[str]] = {}
    for place, parent in tree.parents.items():
        after.setdefault(parent, []).append(place)
    reached = after.get(None, [])
    if len(reached) != 1:
        return False
    for place in reached:  # which grows
        reached.extend(after.get(place, []))
    return len(reached) == len(tree.nodes)


def _tree_of(fields: Object) -> Tree | None:
    """Return the tree of messages that all have a name of their own; None for any other messages."""
    items = objects_of(list_or_none(fields, MESSAGES))
    nodes = {f"/{MESSAGES}/{at}": item for at, item in enumerate(items)}
    places = next((found for name in _NAMES if len(found := by_name(nodes, name)) == len(nodes)), None)
    if places is None:
        return None
    links: dict[str, Object] = {place: {_PARENT: _parent_of(item)} for place, item in nodes.items()}
    return _with_one_root(linked(links, places, _PARENT, fields.get(CURRENT))._replace(nodes=nodes))


def _with_one_root(tree: Tree) -> Tree:
    """Return a tree in which each further root follows the last message before it that has no replies.

    Some apps link an answer to its question, and not the question to the answer before it (LobeChat).
    """
    parents, answered = dict(tree.parents), set(tree.parents.values())
    roots: dict[str, str] = {}
    for place in tree.nodes:
        root, steps = place, 0
        while (parent := tree.parents[root]) is not None and steps <= len(tree.nodes):
            root, steps = parent, steps + 1
        roots[place] = root
    ends: list[str] = []
    for place, parent in tree.parents.items():
        if parent is None and ends:
            parents[place] = next((end for end in reversed(ends) if roots[end] != place), None)
        if place not in answered:
            ends.append(place)
    return tree._replace(parents=parents)


_PARENT: Final = "parent"


def _parent_of(item: Object) -> Json:
    """Return the name of the message before a message; None for the first one."""
    ancestors = as_list(item.get(_ANCESTORS))
    return ancestors[-1] if ancestors else next((item[name] for name in _PARENTS if item.get(name) is not None), None)


_ASSUMED: Final = "the message does not say which one it follows; it is read after the last one before it"


def read_branches(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation for each branch, that of the current message first, with the links in a column.

    Raises:
        BridgeError: OCB-LIMIT if the tree is too large.
    """
    tree = _tree_of(fields)
    assert tree is not None, "the row was found to be of the layout"
    around = without_members(fields, MESSAGES, CURRENT)
    found: list[Document] = []
    for path in paths(tree):
        check_limits(len(found), len(path))
        items = [tree.nodes[place] for place in path]
        messages = [without_members(item, *_PLACES) for item in items]
        [document] = read_messages({**around, MESSAGES: messages}, wording)
        nodes = [{name: item[name] for name in item if name in _PLACES} for item in items]
        assumed = tuple([noticed(place, _ASSUMED) for place in path[1:] if _parent_of(tree.nodes[place]) is None])
        findings = (*document.findings, *assumed)
        found.append(document._replace(path=path[-1], findings=findings, extra_columns={NODES: nodes}))
    return found if len(found) > 1 else [each._replace(path=None) for each in found]
