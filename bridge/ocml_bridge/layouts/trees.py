"""Trees of messages: each path from a root to a message without replies is a conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..model import Json
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, misshapen
from .messages import ROLES, request

LONGEST: Final = 10_000
"""The most messages of a path, and paths of a tree; more are an error, as a row would become a flood."""
NODES: Final = "nodes"
"""The column for what else a tree says of the messages of a path: ids, languages, dates, ratings."""


class Tree(NamedTuple):
    """Messages, each with the one before it.

    Attributes:
        nodes: by the JSON pointer to them.
        parents: by the same; None for a root.
        current: the message that was looked at last, whose path comes first; None where nothing says.
    """

    nodes: Mapping[str, Object]
    parents: Mapping[str, str | None]
    current: str | None = None


def nested(roots: Mapping[str, Json], inner: str) -> Tree:
    """The tree of messages that hold the ones behind them.

    Args:
        roots: the first messages, by the JSON pointer to them.
        inner: the member of a message that holds what follows it.

    Raises:
        BridgeError: OCB-SHAPE for what is no message; OCB-LIMIT for a tree too large.
    """
    nodes: dict[str, Object] = {}
    parents: dict[str, str | None] = {}
    todo: list[tuple[str, Json, str | None, int]] = []
    todo += [(place, each, None, 1) for place, each in roots.items()][::-1]
    while todo:
        place, value, parent, depth = todo.pop()
        node = as_object(value)
        if node is None:
            raise misshapen(place, "a message")
        nodes[place], parents[place] = node, parent
        bounded(0, depth)
        replies = list(enumerate(as_list(node.get(inner)) or []))
        todo += [(f"{place}/{inner}/{at}", reply, place, depth + 1) for at, reply in reversed(replies)]
    return Tree(nodes, parents)


def linked(nodes: Mapping[str, Object], names: Mapping[str, str], parent: str, current: Json = None) -> Tree:
    """The tree of messages that name the one before them; those that name none that is there begin it.

    Where no message names any, each is behind the one that stands before it.

    Args:
        nodes: by the JSON pointer to them.
        names: what messages are called, and these pointers.
        parent: the member of a message that names the one before it.
        current: the name of the message that was looked at last.
    """
    if not any(isinstance(node.get(parent), str) for node in nodes.values()):
        return Tree(nodes, dict(zip(nodes, (None, *nodes), strict=False)))
    parents = {place: _named(names, node.get(parent)) for place, node in nodes.items()}
    return Tree(nodes, parents, _named(names, current))


def _named(names: Mapping[str, str], name: Json) -> str | None:
    return names.get(name) if isinstance(name, str) else None


def conversations(
    tree: Tree,
    messages_of: Callable[[Object, str], Sequence[Object]],
    about: Callable[[Object], Object],
    before: Sequence[Object] = (),
) -> list[Document]:
    """A conversation for each path of a tree.

    Args:
        tree: the messages.
        messages_of: what the message of a node says, as messages of Chat Completions; it takes the node and its place.
        about: what else a node says; it stands beside the conversation.
        before: messages that come first in each.

    Raises:
        BridgeError: OCB-SHAPE where nodes do not hang together, or where none says anything; OCB-LIMIT for a tree too
            large.
    """
    spoken = {place: list(messages_of(node, place)) for place, node in tree.nodes.items()}
    abouts = {place: about(node) for place, node in tree.nodes.items()}
    documents: list[Document] = []
    seen: set[bytes] = set()
    for path in _paths(tree):
        messages = [each for place in path for each in spoken[place]]
        if not messages:
            continue
        beside = [abouts[place] for place in path if abouts[place]]
        one = jsontext.dumps([messages, beside])
        if one not in seen:
            seen.add(one)
            document = request([*before, *merged(messages)], None)
            documents.append(Document(document, path=path[-1], beside={NODES: beside} if beside else {}))
        bounded(len(documents), len(messages))
    if not documents:
        raise misshapen(_root(tree), "a tree with a message at least")
    return documents


def _paths(tree: Tree) -> Iterator[list[str]]:
    """The path to the current node, and to each node that no other follows."""
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
    lost = next((place for place in tree.nodes if place not in reached), None)
    if lost is not None:
        raise misshapen(lost, "a node of a tree")


def _root(tree: Tree) -> str:
    first = next(iter(tree.nodes), "")
    return first.rpartition("/")[0]


def merged(messages: Sequence[Object]) -> list[Object]:
    """Messages, each thought with the answer or the call behind it."""
    out: list[Object] = []
    for each in messages:
        before = out[-1] if out else {}
        alone = "reasoning" in before and before.get("content") is None and "tool_calls" not in before
        if alone and each["role"] == "assistant" and "reasoning" not in each:
            out[-1] = {"role": "assistant", "reasoning": before["reasoning"], **each}
        else:
            out.append(each)
    return out


def bounded(paths: int, depth: int) -> None:
    """Refuse a tree that is too large.

    Raises:
        BridgeError: OCB-LIMIT.
    """
    if max(paths, depth) > LONGEST:
        raise BridgeError(ErrorCode.LIMIT, f"a tree of more than {LONGEST:,} paths, or messages in one")


def rest(node: Object, known: Sequence[str]) -> Object:
    """What a node says beside some members; null says nothing."""
    return {key: value for key, value in node.items() if key not in known and value is not None}


def role_of(word: Json, wording: Wording, path: str) -> str:
    """The role that a word stands for.

    Raises:
        BridgeError: OCB-SHAPE for what is no word.
    """
    if not isinstance(word, str):
        raise misshapen(path, "the role of a message")
    return wording.roles.get(word.lower()) or ROLES.get(word.lower(), word)
