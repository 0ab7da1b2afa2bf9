"""Law 10 for damaged documents: what was a thought is shown nowhere, whichever member is missing or another."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ocml_bridge import BridgeError, Options, Transcript, convert, read
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.damage import each_value
from wire_pieces import PIECES

FORCED = Options(force_format=True)
LISTS = ("messages", "contents", "input", "output", "choices", "candidates")
"""The members of documents with messages, contents, items or answers."""


def is_hidden(block: Object) -> bool:
    """Whether a block, a part or an item is a thought, as the documentation of its API has it."""
    of_type = block.get("type") in ("thinking", "redacted_thinking", "reasoning")
    return of_type or block.get("thought") is True or "reasoningContent" in block


def shown(document: Any) -> set[str]:
    """The words that a client shows: the texts of messages, parts and blocks that are no thoughts."""
    whole: Object = {"messages": document} if isinstance(document, list) else members_of(document)
    alone: list[Any] = [document]
    listed = next((items_of(whole[key]) for key in LISTS if isinstance(whole.get(key), list)), alone)
    texts: list[Any] = []
    for item in map(members_of, listed):
        message = next((members_of(item[key]) for key in ("message", "content") if members_of(item.get(key))), item)
        content: Any = message.get("content", message.get("parts"))
        blocks: list[Any] = [content] if isinstance(content, (str, dict)) else items_of(content)
        visible = [block for block in blocks if not is_hidden(message) and not is_hidden(members_of(block))]
        texts += [members_of(block).get("text", block) for block in visible]
    return set(re.findall(r"w\d+", " ".join(text for text in texts if isinstance(text, str))))


def thoughts(document: Any, wire: str) -> set[str]:
    """The words of the thoughts of a document."""
    transcript = read(json.dumps(document), wire, options=FORCED).transcript
    assert isinstance(transcript, Transcript)
    private = [str(message.content) for message in transcript.messages if is_private(message)]
    return set(re.findall(r"w\d+", " ".join(private)))


CASES = [
    (wire, kind, target)
    for wire, kinds in PIECES.items()
    for kind, document in kinds.items()
    if thoughts(document, wire)
    for target in PIECES
    if target != wire
]


@pytest.mark.parametrize(("wire", "kind", "target"), CASES)
def test_a_thought_is_shown_nowhere_whatever_is_damaged(wire: str, kind: str, target: str) -> None:
    document = PIECES[wire][kind]
    hidden = thoughts(document, wire) - shown(document)
    for data in each_value(json.dumps(document).encode()):
        try:
            there = convert(data, source=wire, target=target, policy=LENIENT, options=FORCED)
        except BridgeError:
            continue
        assert (hidden & shown(there.output)) - shown(json.loads(data)) == set(), data
