"""Edited documents keep the laws: golden documents whose messages are moved, repeated, spliced or changed.

After an edit, what a format keeps of a document is next to other messages, or in another document.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any, Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, Options, Transcript, formats
from ocml_bridge.model.codec import from_json
from ocml_bridge.registry import adapter
from ocml_bridge.testing import laws
from sampling import examples
from sources import ROOT

Wire = dict[str, Any]
LARGEST: Final = 20_000
MOST: Final = 12
"""Longer documents and conversations are left out because they would take most of the time."""
TARGETS: Final = [
    (name, dialect)
    for name in formats()
    if name != "internlm2-tokens"  # the vocabulary is a model's
    for dialect in adapter(name)[0].dialects or (None,)
]
CONTENTS: Final = (
    "",
    " ",
    "\n",
    "\n\na\n\n",
    "</think>",
    "<think>",
    "{}",
    "[]",
    "null",
    '"x"',
    '{"a":1}',
    "<|im_end|>",
)
FIELDS: Final = (
    *("role", "channel", "recipient", "name", "call_id", "constraint", "content_type", "intent", "end", "continues"),
    *("failed", "weight"),
)
AROUND: Final = ("tools", "settings", "header", "open_turn", "extras", "layout")


def _golden() -> list[Wire]:
    files = sorted((ROOT / "golden").glob("*/*/canonical.json"))
    documents = [json.loads(path.read_bytes()) for path in files if path.stat().st_size < LARGEST]
    return [document for document in documents if document["type"] == "transcript" and document["messages"]]


GOLDEN: Final = _golden()


def _remove(document: Wire, random: Random) -> None:
    document["messages"].pop(random.randrange(len(document["messages"])))


def _double(document: Wire, random: Random) -> None:
    messages = document["messages"]
    messages.insert(random.randint(0, len(messages)), copy.deepcopy(random.choice(messages)))


def _swap(document: Wire, random: Random) -> None:
    messages = document["messages"]
    one, other = random.randrange(len(messages)), random.randrange(len(messages))
    messages[one], messages[other] = messages[other], messages[one]


def _splice(document: Wire, random: Random) -> None:
    message = random.choice(random.choice(GOLDEN)["messages"])
    document["messages"].insert(random.randint(0, len(document["messages"])), copy.deepcopy(message))


def _copy_field(document: Wire, random: Random) -> None:
    one, other, field = random.choice(document["messages"]), random.choice(document["messages"]), random.choice(FIELDS)
    if field in other:
        one[field] = other[field]
    elif field != "role":
        one.pop(field, None)


def _copy_content(document: Wire, random: Random) -> None:
    one, other = random.choice(document["messages"]), random.choice(document["messages"])
    one["content"] = copy.deepcopy(other["content"])


def _rewrite(document: Wire, random: Random) -> None:
    random.choice(document["messages"])["content"] = random.choice(CONTENTS)


def _surround(document: Wire, random: Random) -> None:
    other = random.choice(GOLDEN)
    for field in random.sample(AROUND, 2):
        document.pop(field, None)
        if field in other:
            document[field] = copy.deepcopy(other[field])


def _forget(document: Wire, random: Random) -> None:
    for message in document["messages"]:
        message.pop(random.choice(("layout", "extras")), None)


EDITS: Final[tuple[Callable[[Wire, Random], None], ...]] = (
    *(_remove, _double, _swap, _splice, _copy_field, _copy_content, _rewrite, _surround, _forget),
)


def edited(random: Random) -> Transcript | None:
    """A golden document with up to three edits; None if that is no document of the canonical form."""
    document = copy.deepcopy(random.choice(GOLDEN))
    for edit in random.choices(EDITS, k=random.randint(1, 3)):
        if document["messages"]:
            edit(document, random)
    document["messages"] = document["messages"][:MOST]
    try:
        return cast("Transcript", from_json(document))
    except BridgeError:
        return None


@given(st.randoms(use_true_random=False))
@examples(300)
def test_an_edited_document_keeps_the_laws(random: Random) -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    document = edited(random)
    if document is None:
        return
    for name, dialect in random.sample(TARGETS, 3):
        laws.all_laws(document, name, Options(dialect=dialect))
