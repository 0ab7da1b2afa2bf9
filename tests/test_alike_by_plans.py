"""Similar documents of a wire, with other words, are converted by plans to the same outputs as without plans."""

from __future__ import annotations

import json
import re
from itertools import cycle
from typing import Any

import pytest

from ocml_bridge import Options, Result, convert
from ocml_bridge.report.policy import LENIENT
from test_odd_members import KINDS
from test_sequences import WIRES
from wire_pieces import PIECES

TIMES = 7
"""The number of similar documents after which a plan was used."""
WORD = re.compile(r"\bw(\d+)\b")
TARGETS = (*PIECES, "sharegpt", "ocm-2.2-json", "harmony")


def with_other_words(document: Any, number: int) -> Any:
    """The document with other words in the same places; the empty text stays."""
    return json.loads(WORD.sub(lambda found: f"w{found[1]}_{number}", json.dumps(document)))


def converted(document: Any, source: str, target: str, *, plans: bool) -> Any:
    options = Options(plans=plans, force_format=True)
    result = convert(document, source=source, target=target, options=options, policy=LENIENT)
    assert isinstance(result, Result)
    return json.dumps(result.output), result.losses


def check(document: Any, source: str, target: str) -> None:
    for number in range(TIMES):
        one = with_other_words(document, number)
        assert converted(one, source, target, plans=True) == converted(one, source, target, plans=False), number


ROWS: dict[str, Any] = {
    "a row": {"conversations": [{"from": "human", "value": "w1"}, {"from": "gpt", "value": "w2"}], "id": "w3"},
    "a list": [{"from": "human", "value": "w1"}, {"from": "gpt", "value": "<think>w2</think>w3"}],
    "a column": {"conversations": [{"from": "human", "value": "w1"}], "system": "w2", "tools": '[{"name": "w3"}]'},
    "calls": {
        "conversations": [
            {"from": "human", "value": "w1"},
            {"from": "function_call", "value": '{"name": "f", "arguments": {"a": "w2"}}'},
            {"from": "observation", "value": "w3"},
            {"from": "gpt", "value": "w4"},
        ]
    },
    "other keys": {"messages": [{"from": "user", "value": "w1"}, {"from": "gpt", "value": "w2"}]},
    "other words": {"conversation": [{"role": "user", "content": "w1"}, {"role": "assistant", "content": "w2"}]},
    "what is preferred": {"conversations": [{"from": "human", "value": "w1"}], "chosen": "w2", "rejected": "w3"},
    "an image": {"conversations": [{"from": "human", "value": "w1<image>"}], "images": ["w2"]},
}
DOCUMENTS: list[tuple[str, str, Any]] = [
    *((wire, kind, PIECES[wire][kind]) for wire, kind in KINDS),
    *(("sharegpt", kind, row) for kind, row in ROWS.items()),
    *((wire, kind, around([block(1)])) for wire, kinds, around in WIRES.values() for kind, block in kinds.items()),
]
CASES = [
    pytest.param(source, target, document, id=f"{source}-{target}-{kind}")
    for (source, kind, document), target in zip(DOCUMENTS, cycle(TARGETS), strict=False)
]


@pytest.mark.parametrize(("source", "target", "document"), CASES)
def test_similar_documents_are_converted_as_without_plans(source: str, target: str, document: Any) -> None:
    check(document, source, target)
    check(document, source, source)
