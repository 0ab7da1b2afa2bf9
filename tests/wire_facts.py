"""The values in a recorded wire document, leaf by leaf, and those that a conversion leaves out; it knows no adapter."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, NamedTuple, cast

from corpus import corpus_path
from ocml_bridge import BridgeError, Loss, Options, convert, formats, read, write
from ocml_bridge.report.policy import LENIENT

FOLDERS = {
    "anthropic": "anthropic",
    "bedrock-converse": "bedrock",
    "openai": "chat-completions",
    "gemini": "google",
    "openai-responses": "responses",
}
"""The formats that read recorded documents → the folders that have them."""


class Recorded(NamedTuple):
    """A recorded document: its case, its file's name, and what is in it."""

    case: str
    kind: str
    data: bytes

    @property
    def value(self) -> Any:
        return json.loads(self.data)


def recorded(wire: str, *, streams: bool = False) -> list[Recorded]:
    """The requests and responses of a wire in the corpus, or its streams."""
    files = sorted(corpus_path("wires").glob(f"*/{wire}/*.json"))
    return [
        Recorded(path.parents[1].name, path.stem, path.read_bytes())
        for path in files
        if path.stem != "error" and path.stem.endswith("streaming") is streams
    ]


class Leaf(NamedTuple):
    """A value that is neither list nor object, with the keys that lead to it; places in lists do not count."""

    keys: tuple[str, ...]
    value: str


def leaves(value: Any, keys: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """Every leaf with a value that is not empty."""
    if isinstance(value, dict):
        for key, member in cast("dict[str, Any]", value).items():
            yield from leaves(member, (*keys, key))
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from leaves(item, keys)
    elif value not in (None, "", False):
        yield Leaf(keys, json.dumps(value))


def gone(before: Any, after: Any) -> list[Leaf]:
    """The leaves that a document has and another has not, wherever that has them."""
    there = Counter((leaf.keys[-1:], leaf.value) for leaf in leaves(after))
    missing: list[Leaf] = []
    for leaf in leaves(before):
        place = leaf.keys[-1:], leaf.value
        if there[place]:
            there[place] -= 1
        else:
            missing.append(leaf)
    return missing


def unexplained(missing: Iterable[Leaf], losses: Iterable[Loss], words: dict[str, str]) -> list[Leaf]:
    """The leaves that are gone although no loss is about them.

    A loss is about a leaf if it names one of the leaf's keys, or if its code does.

    Args:
        missing: what is gone.
        losses: what was reported.
        words: key → what losses call the value under it: codes, and names of settings.
    """
    reports = [(loss.code, f"{loss.path} {loss.detail}") for loss in losses]

    def is_named(leaf: Leaf) -> bool:
        names = {name for key in leaf.keys for name in (key, *words.get(key, "").split())} - {"parts", "content"}
        return any(code in names or any(name in report for name in names) for code, report in reports)

    return [leaf for leaf in missing if not is_named(leaf)]


def there_and_back(data: bytes, own: str, words: dict[str, str]) -> list[str]:
    """What is gone without a word when a document goes to each other format and back."""
    problems: list[str] = []
    value = json.loads(data)
    for other in (each for each in formats() if not each.endswith("-tokens")):  # these have twins in text
        there = convert(data, source=own, target=other, policy=LENIENT)
        back = convert(there.data, source=other, target=own, policy=LENIENT)
        losses = [*there.losses, *back.losses]
        problems += [f"{other}: {leaf}" for leaf in unexplained(gone(value, back.output), losses, words)]
    return problems


def injected(value: Any, key: str = "x_unknown") -> Iterator[tuple[str, Any]]:
    """The document once for each object in it, with an unknown member in that; and where it is."""
    for path, _ in objects_in(value):
        changed = json.loads(json.dumps(value))
        at = changed
        for step in path:
            at = at[step]
        at[key] = {"a": 1}
        yield "/".join(map(str, path)), changed


ODD: list[Any] = [
    None,
    "",
    [],
    {},
    0,
    1.5,
    True,
    False,
    "x",
    "USER",
    '{"a": 1}',
    {"text": "t"},
    [{"text": "t"}],
    [None],
    10**20,
]
"""Values in places where others are expected."""


def spoiled(value: Any, chance: Random) -> Any:
    """A document with something changed in it: a member gone, of another type, elsewhere, twice, in another order."""
    value = json.loads(json.dumps(value))
    for _ in range(chance.randint(1, 3)):
        holders = list(_holders(value))
        if not holders:
            break
        holder, key = chance.choice(holders)
        what = chance.randrange(5)
        if what == 0:
            del holder[key]
        elif what == 1:
            holder[key] = json.loads(json.dumps(chance.choice(ODD)))
        elif what == 2 and isinstance(holder, dict):
            members = list(cast("dict[str, Any]", holder).items())
            chance.shuffle(members)
            holder.clear()
            cast("dict[str, Any]", holder).update(members)
        elif what == 3 and isinstance(holder, list):
            cast("list[Any]", holder).append(json.loads(json.dumps(holder[key])))
        else:
            other, its = chance.choice(holders)
            holder[key] = json.loads(json.dumps(other[its]))
    return value


def _holders(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each object and list in a value, with each of its keys or places."""
    if isinstance(value, dict):
        for key, member in cast("dict[str, Any]", value).items():
            yield value, key
            yield from _holders(member)
    elif isinstance(value, list):
        for at, item in enumerate(cast("list[Any]", value)):
            yield value, at
            yield from _holders(item)


def not_back(documents: Iterable[Any], own: str, *, seed: int) -> list[str]:
    """The documents that are read and not written back as they are; the others are written back, or refused."""
    wrong: list[str] = []
    chance = Random(seed)
    for document in documents:
        text = json.dumps(spoiled(document, chance))
        try:
            reading = read(text, own, options=Options(force_format=True))
        except BridgeError:
            continue
        back = write(reading.transcript, own, policy=LENIENT)
        if json.dumps(back.output) != json.dumps(json.loads(text)) or back.losses:
            wrong.append(text)
    return wrong


def objects_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Every object in a JSON value, with the keys and indices that lead to it."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        yield path, members
        for key, member in members.items():
            yield from objects_in(member, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(cast("list[Any]", value)):
            yield from objects_in(item, (*path, at))
