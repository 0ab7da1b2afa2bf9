"""Damaged documents are converted with plans to the same result as without plans.

Plans are made for what is met often. What differs from that in a token, a key or an empty text is where they go wrong:
whatever a reader understands there, notes or refuses must be the same when it is met for the seventh time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Final, NamedTuple

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ocml_bridge import Transcript, formats
from ocml_bridge.formats.adapter import Kind
from ocml_bridge.model import Json
from ocml_bridge.registry import adapter
from ocml_bridge.testing.damage import places_in
from outcomes import PLAIN, PLANNED, outcome
from sampling import examples, sweep
from test_conversation_plans import AROUND, READ, WORDS, conversation, of_an_agent, written

TIMES: Final = 6
"""The number of conversions after which a plan writes a document."""
SOURCES: Final = tuple(name for name in formats() if not name.startswith("internlm2-tokens"))
TARGETS: Final = ("canonical", "openai", "harmony", "ocm-0.1")

INSERTED: Final = (
    *(b"<|im_start|>", b"<|im_end|>", b"<|end|>", b"<|message|>", b"<|channel|>", b"<", b"|>", b"\n", b"\r", b" "),
    *(b"<|start_reason|>", b"<|end_reason|>", b"<|function_list|>\n", b"<|function_call|>\n"),
    *(b"# Tools\n\n## functions\n\n", b"# Instructions\n\n", b"<|action_start|><|plugin|>\n"),
    *(b'"', b"{", b"}", b'""', b"null", b"0", b"[]", b"true", b",", b"\\ud83d", "é".encode()),
    *(b'"content":"x",', b'"text":"",', b'"thought":true,', b'"id":"a",', b'"type":"text",', b'"signature":"s",'),
    *(b'"cache_control":{"type":"ephemeral"},', b'"is_error":true,', b'"unknown":[{"text":"x"}],'),
)
"""Texts that have a meaning in some format."""


class Edit(NamedTuple):
    """A change of a document.

    Attributes:
        at: the position, in thousandths of the document.
        removed: the number of bytes that are removed.
        inserted: the replacement.
    """

    at: int
    removed: int
    inserted: bytes


EDITS: Final[SearchStrategy[list[Edit]]] = st.lists(
    st.builds(Edit, st.integers(0, 1000), st.sampled_from((0, 0, 1, 2, 5, 20)), st.sampled_from((b"", *INSERTED))),
    min_size=1,
    max_size=3,
)


def edited(data: bytes, edits: Sequence[Edit]) -> bytes:
    for at, removed, inserted in edits:
        start = at * len(data) // 1000
        data = data[:start] + inserted + data[start + removed :]
    return data


@examples(400)
@given(st.sampled_from(SOURCES), st.sampled_from(READ), st.sampled_from(AROUND), EDITS, st.sampled_from(TARGETS))
def test_a_damaged_document_is_converted_as_without_plans(
    source: str, turns: Sequence[str], around: Transcript, edits: Sequence[Edit], target: str
) -> None:
    data = edited(written(conversation(turns, WORDS, around), source), edits)
    plain = outcome(data, source, target, PLAIN)
    for _ in range(TIMES):
        assert outcome(data, source, target, PLANNED) == plain


# --- members with other values ----------------------------------------------------------------------------------------

OTHERS: Final[tuple[Json, ...]] = (None, "", [], {}, True, 0, "x", ["x"], {"type": "x"})
"""Values of every type, and empty values."""
JSON_FORMATS: Final = tuple(name for name in SOURCES if adapter(name)[0].kind is Kind.JSON)
SIGNED: Final = WORDS._replace(own=["rs_1", "gAAA"])
CONVERSATIONS: Final = {
    **{name: written(conversation(READ[3], WORDS, AROUND[1]), name) for name in JSON_FORMATS},
    **{f"{name} of an agent": of_an_agent(name, SIGNED) for name in ("openai-responses", "anthropic")},
}


def with_another_member(data: bytes) -> Iterator[bytes]:
    """A document with one of its members gone, or with another value."""
    document = orjson.loads(data)
    for holder, key in places_in(document):
        kept = holder[key]
        for other in OTHERS:
            holder[key] = deepcopy(other)
            yield orjson.dumps(document)
        holder[key] = kept
        if not isinstance(holder, list):
            kept = [*holder.items()]
            del holder[key]
            yield orjson.dumps(document)
            holder.clear()
            holder.update(kept)


@pytest.mark.sweep
@pytest.mark.parametrize("data", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_a_member_with_another_value_is_read_as_without_plans(data: bytes, request: pytest.FixtureRequest) -> None:
    """Absent, null and empty are three things, also in a document that is similar to a frequent one."""
    source = request.node.callspec.id.split()[0]
    for _ in range(TIMES):
        outcome(data, source, "canonical", PLANNED)
    for damaged in sweep(with_another_member(data), 3):
        assert outcome(damaged, source, "canonical", PLANNED) == outcome(damaged, source, "canonical", PLAIN), damaged
