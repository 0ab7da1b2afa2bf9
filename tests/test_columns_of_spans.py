"""Changes of spans after an output was written, checked for each character: with a prompt, and for another document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Message, Transcript
from ocml_bridge.spans.columns import Columns
from ocml_bridge.spans.masks import MASKS, Mask, Run, runs
from ocml_bridge.spans.origins import behind_prompt, rerooted
from ocml_bridge.spans.span import Span, SpanKind

PATHS: Final = ("/messages/0", "/messages/0/content", "/messages/1", "/messages/1/content", "")


class Character(NamedTuple):
    """The spans' information on one character."""

    path: str
    kind: SpanKind
    weight: float | None


def characters(columns: Columns) -> list[Character]:
    """The path, the kind and the weight of each character; no weight if the model would not have written it."""
    rows = zip(columns.sizes, columns.paths, columns.kinds, columns.sampled, columns.weights, strict=True)
    return [
        Character(path, kind, weight if sampled else None)
        for size, path, kind, sampled, weight in rows
        for _ in range(size)
    ]


PIECES: Final = st.lists(
    st.tuples(
        st.integers(1, 4),
        st.sampled_from(PATHS),
        st.sampled_from((SpanKind.HEADER, SpanKind.HEADER, SpanKind.BODY, SpanKind.END)),
        st.none() | st.sampled_from((1.0, 0.5)),
    ),
    min_size=1,
    max_size=8,
)


@st.composite
def texts(draw: st.DrawFn) -> tuple[Columns, str, str]:
    """The pieces of a text, the first of which is a header of another role; the text; and a prompt in it."""
    columns = Columns()
    columns.add(draw(st.integers(1, 3)), draw(st.sampled_from(PATHS)), SpanKind.HEADER)
    for size, path, kind, weight in draw(PIECES):
        columns.add(size, path, kind, weight)
    text = draw(st.text("ab", min_size=sum(columns.sizes), max_size=sum(columns.sizes)))
    start = draw(st.just(0) | st.sampled_from(columns.starts))
    return columns, text, text[start : start + draw(st.integers(1, 12))]


@given(texts())
def test_after_a_prompt_only_its_beginning_is_no_longer_sampled(drawn: tuple[Columns, str, str]) -> None:
    columns, text, prompt = drawn
    begun = {
        at
        for start, kind, sampled in zip(columns.starts, columns.kinds, columns.sampled, strict=True)
        if kind is SpanKind.HEADER and not sampled and text.startswith(prompt, start)
        for at in range(start, start + len(prompt))
    }
    before = characters(columns)
    expected = [each._replace(weight=None) if at in begun else each for at, each in enumerate(before)]
    changed = behind_prompt(columns, text, prompt)
    assert characters(changed) == expected
    assert characters(columns) == before, "the columns that were given are as they were"
    assert all(weight == 0 for weight, sampled in zip(changed.weights, changed.sampled, strict=True) if not sampled)


ORIGINS: Final = st.lists(st.sampled_from(("/messages/0", "/messages/1", "/messages/2", "/tools")), max_size=2)
WEIGHTS: Final = st.lists(st.none() | st.sampled_from((0, 0.25, 2)), max_size=3)


@given(texts(), ORIGINS, WEIGHTS)
def test_a_piece_has_the_path_and_the_weight_of_the_original_message(
    drawn: tuple[Columns, str, str], origins: list[str], weights: Sequence[float | None]
) -> None:
    columns, _, _ = drawn
    found = characters(rerooted(columns, origins, weights))
    for old, new in zip(characters(columns), found, strict=True):
        _, _, index, *rest = [*old.path.split("/"), "", "", ""]
        origin = origins[int(index)] if index and int(index) < len(origins) else None
        is_message = origin is not None and origin.startswith("/messages/")
        inner = "/content" if "content" in rest and is_message else ""
        assert new.path == (old.path if origin is None else origin + inner)
        made_of = new.path.split("/")[2] if new.path.startswith("/messages/") else ""
        own = weights[int(made_of)] if made_of and int(made_of) < len(weights) else None
        assert new.weight == (old.weight if old.weight is None or own is None else own)
        assert new.kind is old.kind


# --- masks ------------------------------------------------------------------------------------------------------------

ANSWER: Final = Span(0, 3, "/messages/0/content", SpanKind.BODY, sampled=True, weight=1)
THOUGHT: Final = Transcript((Message("assistant", "Hm.", channel="analysis"),))


def test_without_messages_of_other_roles_every_answer_is_the_last() -> None:
    assert runs([ANSWER], "last", THOUGHT) == [Run(0, 3, 1)]


@pytest.mark.parametrize("mask", MASKS)
def test_text_after_all_messages_is_not_a_thought(mask: Mask) -> None:
    behind = ANSWER._replace(path="/messages/1")
    assert runs([behind], mask, THOUGHT) == [Run(0, 3, 1)]
