"""The documents that every pair of formats is measured on: three thirds, each in three spellings of its JSON.

* `generated`: the corpus of `corpus.py`, as clients send it: with `model`, and members in mixed orders.
* `real`: conversations that nobody here wrote, from the folder of real transcripts, where there is one.
* `features`: the conversations of `corpus.py`, each with one feature of `features.py`.

Each third is judged alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random
from typing import Any, Final, cast

import orjson

from corpus import corpus_root

from .corpus import SEED, conversations, records_of_calls
from .features import FEATURES

Wire = dict[str, Any]


def generated() -> Iterator[Wire]:
    """Requests from the generator, with a model; the order of members is drawn for each conversation."""
    chance = Random(SEED)
    for data in conversations(100_000):
        request: Wire = orjson.loads(data)
        settings = {"model": "a-model", **({"temperature": 0.7, "stream": True} if chance.random() < 0.5 else {})}
        model_first, content_first = chance.random() < 0.5, chance.random() < 0.3
        if content_first:
            request["messages"] = [dict(sorted(message.items())) for message in request["messages"]]
        yield {**settings, **request} if model_first else {**request, **settings}


def real() -> Iterator[Wire]:
    """Every conversation of the real transcripts as a request with a model, without repeats, where there are any."""
    seen: set[bytes] = set()
    for path in sorted(corpus_root().rglob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            request = _request(row)
            data = b"" if request is None else json.dumps(request).encode()
            if request is not None and data not in seen:
                seen.add(data)
                yield request


def _request(row: Any) -> Wire | None:
    """A row's conversation, where its messages are those of Chat Completions."""
    if not isinstance(row, dict):
        return None
    record = cast("Wire", row)
    messages, tools = record.get("messages"), record.get("tools")
    if not isinstance(messages, list) or not messages or not all(map(_is_message, cast("list[Any]", messages))):
        return None
    return {"model": "a-model", "messages": messages, **({"tools": tools} if isinstance(tools, list) else {})}


def _is_message(message: Any) -> bool:
    return isinstance(message, dict) and cast("Wire", message).get("role") in _ROLES


_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})


def features() -> Iterator[Wire]:
    """Conversations from the generator, each with the next feature of the table."""
    for number, data in enumerate(conversations(100_000)):
        yield FEATURES[number % len(FEATURES)].add(orjson.loads(data))


KNOWN_TOOLS: Final = 100


def calls() -> Iterator[Wire]:
    """Records of calls: short, and each with another list of tools. They are no third, as they are met once."""
    return records_of_calls(KNOWN_TOOLS)


THIRDS: Final[dict[str, Callable[[], Iterator[Wire]]]] = {"generated": generated, "real": real, "features": features}


def _compact(request: Wire) -> bytes:
    return orjson.dumps(request)


def _default(request: Wire) -> bytes:
    return json.dumps(request).encode()


def _indented(request: Wire) -> bytes:
    return json.dumps(request, indent=2, ensure_ascii=False).encode() + b"\n"


SPELLINGS: Final[dict[str, Callable[[Wire], bytes]]] = {
    "compact": _compact,
    "json.dumps": _default,
    "indented": _indented,
}
"""How the bytes of a request are spelled: as current clients do, as `json.dumps` does unasked, for people."""


def third(name: str, count: int) -> list[Wire]:
    """The first conversations of a third, or of `calls`; fewer where there are not so many.

    Real ones are taken from all over their files: one in so many.
    """
    if name != "real":
        return list(islice((calls if name == "calls" else THIRDS[name])(), count))
    found = list(real())
    return found[:: max(1, len(found) // count)][:count]
