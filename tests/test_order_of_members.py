"""A document without its kept spelling is written with the members of each object in the order of the reference."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest

from ocml_bridge import BridgeError, read, write
from ocml_bridge.report.policy import LENIENT
from test_odd_members import KINDS, odd, read_or_refused
from wire_pieces import PIECES

OURS = re.compile(r"((messages|contents|input|tools)/)?\d+(/(content|parts|tool_calls)/\d+)?: (turned|more)")
"""The objects that a format writes itself; others are values that are kept as they are."""


KEPT = {
    ("anthropic", "tools"),
    *(("openai-responses", kind) for kind in ("hosted calls", "more hosted calls", "state", "tools")),
    *(("anthropic", "kept blocks"), ("gemini", "a signature behind")),
}
"""Kinds with such values in these objects: members that only servers understand."""


def bare(value: Any) -> Any:
    """A canonical document without layout."""
    if isinstance(value, dict):
        return {key: bare(member) for key, member in cast("dict[str, Any]", value).items() if key != "layout"}
    return [bare(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def spelled(document: Any, wire: str) -> str | None:
    """The document, read and written without its spelling; None if it is refused."""
    reading = read_or_refused(json.dumps(document), wire)
    if isinstance(reading, BridgeError):
        return None
    document_without_spelling = read(bare(write(reading.transcript, "canonical").output), "canonical").transcript
    return json.dumps(write(document_without_spelling, wire, policy=LENIENT).output)


@pytest.mark.parametrize(("wire", "kind"), [each for each in KINDS if each not in KEPT])
def test_members_are_in_the_order_of_the_reference(wire: str, kind: str) -> None:
    base = PIECES[wire][kind]
    ours = spelled(base, wire)
    for name, document in odd(base):
        if OURS.fullmatch(name):
            expected = ours if name.endswith("turned") else json.dumps(document)
            if name.endswith("turned") or ours == json.dumps(base):
                assert spelled(document, wire) in (expected, None), name
