"""Read trees of messages: each path from a root to a message without replies is a conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..loss import Finding
from ..model import Json
from .fitting import as_object, items_of
from .layout import Document, Object, Wording, misshapen
from .messages import ROLES, request

LONGEST: Final = 10_000
"""The maximal number of messages of a path, and of paths of a tree, so that one row does not become too many."""
NODES: Final = "nodes"
"""The column for the remaining members of a path's messages: ids, languages, dates, ratings."""


class Tree(NamedTuple):
    """Messages, and the message before each.

    Attributes:
        nodes: the messages, by their JSON pointers.
        parents: the JSON pointer to the message before each; None for a root.
        current: the JSON pointer to the current message, whose path comes first; None if it is not known.
    """

    nodes: Mapping[str, Object]
    parents: Mapping[str, str | None]
    current: str | None = None


def nested(roots: Mapping[str, Json], inner: str) -> Tree:
    """Return the tree of messages that hold their replies.

    Args:
        roots: the first messages, by their JSON pointers.
        inner: the member of a message that holds its replies.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a message; OCB-LIMIT if the tree is too large.
    """
    nodes: dict[str, Object] = {}
    parents: dict[str, str | None] = {}
    pending: list[tuple[str, Json, str | None, int]] = []
    pending += [(place, each, None, 1) for place, each in roots.items()][::-1]
    while pending:
        place, value, parent, depth = pending.pop()
        node = as_object(value)
        if node is None:
            raise misshapen(place, "a message")
        nodes[place], parents[place] = node, parent
        check_limits(0, depth)
        replies = list(enumerate(items_of(node.get(inner))))
        pending += [(f"{place}/{inner}/{at}", reply, place, depth + 1) for at, reply in reversed(replies)]
    return Tree(nodes, parents)


def linked(nodes: Mapping[str, Object], names: Mapping[str, str], parent: str, current: Json = None) -> Tree:
    """Return the tree of messages that name their parents; those without an existing parent are roots.

    If no message names a parent, each follows the one before it.

    Args:
        nodes: the messages, by their JSON pointers.
        names: the names of messages, and their JSON pointers.
        parent: the member of a message that names its parent.
        current: the name of the current message.
    """
    if not any(isinstance(node.get(parent), str) for node in nodes.values()):
        return Tree(nodes, dict(zip(nodes, (None, *nodes), strict=False)))
    parents = {place: _named(names, node.get(parent)) for place, node in nodes.items()}
    return Tree(nodes, parents, _named(names, current))


def by_name(nodes: Mapping[str, Object], member: str) -> dict[str, str]:
    """Return the JSON pointers of messages by the names in a member."""
    return {node[member]: place for place, node in nodes.items() if isinstance(node.get(member), str)}


def _named(names: Mapping[str, str], name: Json) -> str | None:
    return names.get(name) if isinstance(name, str) else None


def conversations(
    tree: Tree,
    messages_of: Callable[[Object, str], Sequence[Object]],
    metadata_of: Callable[[Object], Object],
    before: Sequence[Object] = (),
    findings: Mapping[str, Sequence[Finding]] = MappingProxyType({}),
) -> list[Document]:
    """Return a conversation for each path of a tree.

    Args:
        tree: the messages.
        messages_of: returns the messages of Chat Completions for a node and its JSON pointer.
        metadata_of: returns the members of a node that its messages do not hold, for an extra column.
        before: the first messages of each conversation.
        findings: what was assumed of the nodes, by their JSON pointers; `messages_of` may add to it.

    Raises:
        BridgeError: OCB-SHAPE if a node is not connected to a root, or if no node has content; OCB-LIMIT if the tree is
            too large.
    """
    messages_by_node = {place: list(messages_of(node, place)) for place, node in tree.nodes.items()}
    metadata = {place: metadata_of(node) for place, node in tree.nodes.items()}
    documents: list[Document] = []
    seen: set[bytes] = set()
    for path in paths(tree):
        messages = [each for place in path for each in messages_by_node[place]]
        if not messages:
            continue
        extra_columns = [metadata[place] for place in path if metadata[place]]
        key = jsontext.dumps([messages, extra_columns])
        if key not in seen:
            seen.add(key)
            document = request([*before, *merged(messages)], None)
            noticed = [finding for place in path for finding in findings.get(place, ())]
            more: Object = {NODES: extra_columns} if extra_columns else {}
            documents.append(Document(document, tuple(noticed), path[-1], more))
        check_limits(len(documents), len(messages))
    if not documents:
        raise misshapen(_root(tree), "a tree with a message at least")
    return documents


def paths(tree: Tree) -> Iterator[list[str]]:
    """Yield the path to the current node, and to each node that has no replies.

    Raises:
        BridgeError: OCB-SHAPE if a node is not connected to a root.
    """
    inner = set(tree.parents.values())
    leaves = [place for place in tree.nodes if place not in inner]
    reached: set[str] = set()
    first = [] if tree.current is None else [tree.current]
    for leaf in [*first, *(each for each in leaves if each != tree.current)]:
        path: list[str] = []
        place: str | None = leaf
        while place is not None and len(path) <= len(tree.nodes):
            path.append(place)
            place = tree.parents[place]
        if place is not None:
            raise misshapen(place, "a node of a tree")
        reached.update(path)
        yield path[::-1]
    unreached = next((place for place in tree.nodes if place not in reached), None)
    if unreached is not None:
        raise misshapen(unreached, "a node of a tree")


def _root(tree: Tree) -> str:
    first = next(iter(tree.nodes), "")
    return first.rpartition("/")[0]


def merged(messages: Sequence[Object]) -> list[Object]:
    """Return messages in which reasoning is joined with the answer or the call after it."""
    out: list[Object] = []
    for each in messages:
        before = out[-1] if out else {}
        alone = "reasoning" in before and before.get("content") is None and "tool_calls" not in before
        if alone and each["role"] == "assistant" and "reasoning" not in each:
            out[-1] = {"role": "assistant", "reasoning": before["reasoning"], **each}
        else:
            out.append(each)
    return out


def check_limits(paths: int, depth: int) -> None:
    """Raise OCB-LIMIT if a tree has too many paths, or a path too many messages.

    Raises:
        BridgeError: OCB-LIMIT.
    """
    if max(paths, depth) > LONGEST:
        raise BridgeError(ErrorCode.LIMIT, f"a tree of more than {LONGEST:,} paths, or messages in one")


def rest(node: Object, known: Sequence[str]) -> Object:
    """Return the members of a node without some of them, and without nulls."""
    return {key: value for key, value in node.items() if key not in known and value is not None}


def rest_with(node: Object, known: Sequence[str], parts: Mapping[str, Sequence[Json]]) -> Object:
    """Return the members of a node without some of them, and lists of what is left of its parts, if anything is.

    Args:
        node: the node.
        known: the members that are read, those with parts among them.
        parts: by member, what is left of each of its parts.
    """
    return {**rest(node, known), **{name: left for name, left in parts.items() if any(left)}}


def role_of(word: Json, wording: Wording, path: str) -> str:
    """Return the role for a word.

    Raises:
        BridgeError: OCB-SHAPE if the value is not a text.
    """
    if not isinstance(word, str):
        raise misshapen(path, "the role of a message")
    return wording.roles.get(word.lower()) or ROLES.get(word.lower(), word)
