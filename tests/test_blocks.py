"""What JSON formats with lists of blocks share: equal values, and replies before all other blocks."""

from __future__ import annotations

from itertools import product
from typing import Any, Final, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ocml_adapters.anthropic.blocks import CODEC
from ocml_adapters.anthropic.syntax import PLAIN
from ocml_adapters.bedrock_converse.blocks import BlockGrammar
from ocml_adapters.gemini.blocks import PartGrammar
from ocml_bridge import BridgeError, ErrorCode, Message, Severity, Transcript, read, write
from ocml_bridge.wires.blocks.grammar import UNKNOWN, BlockCodec
from ocml_bridge.wires.blocks.spelling import UnlikeError, form_of, form_of_order, is_empty, is_same, respelled

NO_JSON: Final = object()
VALUES: Final[list[Any]] = [
    *(None, True, False, 0, 1, 1.0, "", "1", [], {}),
    *([1], [1.0], [True], [1, 2], [2, 1], [[1]], [{"a": 1}], [{"a": 1.0}]),
    *({"a": 1}, {"a": 1.0}, {"b": 1}, {"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": {"b": [1]}}, {"a": {"b": [2]}}),
]


def again(value: Any) -> Any:
    """The same in other objects; the order of keys and the kinds of numbers belong to it."""
    if isinstance(value, dict):
        return {key: again(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return [again(item) for item in value] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]


@pytest.mark.parametrize("beside", [[], [NO_JSON]], ids=["JSON", "beside what is no JSON, in a document made by hand"])
def test_only_equal_values_are_the_same(beside: list[Any]) -> None:
    for at, one in enumerate(VALUES):
        for to, other in enumerate(VALUES):
            assert is_same([one, *beside], [again(other), *beside]) is (at == to), (one, other)
            assert is_same({"x": one, "y": beside}, {"x": again(other), "y": beside}) is (at == to), (one, other)
            assert is_same(one, again(other)) is (at == to), (one, other)


def test_lists_of_different_lengths_are_not_the_same() -> None:
    assert not is_same([NO_JSON, 1], [NO_JSON])
    assert not is_same({"a": NO_JSON, "b": 1}, {"a": NO_JSON})


@pytest.mark.parametrize("value", [None, False, "", [], {}])
def test_empty_values(value: Any) -> None:
    assert is_empty(value)


@pytest.mark.parametrize("value", [0, 0.0, True, " ", [None], {"a": None}])
def test_values_that_are_not_empty(value: Any) -> None:
    assert not is_empty(value)


# --- forms ----------------------------------------------------------------------------------------------------------

KEYS_OF_FORMS: Final = st.sampled_from(["a", "b", "fileUri", "file_uri", "c", "file_URI"])
SCALARS: Final = st.sampled_from([None, False, True, 0, 1, 2, 0.0, 1.0, 2.5, "", "x", "X", "1", "2"])
VALUES_OF_FORMS: Final = st.recursive(
    SCALARS,
    lambda each: st.lists(each, max_size=3) | st.dictionaries(KEYS_OF_FORMS, each, max_size=4),
    max_leaves=8,
)


def _alias(key: str) -> str:
    return "fileUri" if key.startswith("file") else key


@st.composite
def values_spelled_otherwise(draw: st.DrawFn) -> tuple[Any, Any]:
    """A value as it would be written, and one that may be another spelling of it."""

    def changed(value: Any) -> Any:
        if draw(st.integers(0, 9)) == 0:
            return draw(SCALARS)
        if isinstance(value, list):
            return [changed(each) for each in cast("list[Any]", value)]
        if not isinstance(value, dict):
            return value
        members = [
            (
                draw(KEYS_OF_FORMS.filter(lambda name: _alias(name) == "fileUri")) if key == "fileUri" else key,
                changed(each),
            )
            for key, each in cast("dict[str, Any]", value).items()
        ]
        raw = dict(draw(st.permutations(members)) if draw(st.booleans()) else members)
        if draw(st.integers(0, 3)) == 0:
            raw[draw(KEYS_OF_FORMS)] = draw(SCALARS)
        if raw and draw(st.integers(0, 5)) == 0:
            raw.pop(draw(st.sampled_from(list(raw))))
        return raw

    written = draw(VALUES_OF_FORMS)
    return written, changed(written)


@given(values_spelled_otherwise())
@example(({"a": None, "fileUri": 1}, {"a": None, "file_uri": 1, "fileUri": None}))
def test_a_form_gives_exactly_the_value_that_was_read(values: tuple[Any, Any]) -> None:
    written, raw = values
    try:
        form = form_of(written, raw, _alias)
    except UnlikeError:
        return
    assert is_same(respelled(written, form), raw), form


# --- blocks ---------------------------------------------------------------------------------------------------------

SPELLED: Final = {("", ("text",)), *((kind, keys) for (kind, *_), each in PLAIN.items() for keys in (each, each[::-1]))}
"""The type and the keys of blocks that may be plain."""
CITED: Final = {"type": "page_location", "document_index": 0, "start_page_number": 1, "end_page_number": 2}
ANY: Final[tuple[Any, ...]] = (
    *("x", 5, True, {"a": 1.0}, {"type": "ephemeral"}, "", [1], [CITED], [{"cited_text": "x", **CITED}, {}]),
    [{"type": "web_search_result_location", "cited_text": "x", "url": "u", "title": "t", "encrypted_index": "e"}],
)


@pytest.mark.parametrize("codec", [CODEC, BlockGrammar(), PartGrammar()], ids=lambda codec: codec.home)
@pytest.mark.parametrize("side", ["user", "assistant", "model", "system"])
def test_plain_blocks_are_written_as_they_were_read(codec: BlockCodec, side: str) -> None:
    known = 0
    for kind, keys in sorted(SPELLED):
        for values in product(*((kind,) if key == "type" else ANY for key in keys)):
            block: dict[str, Any] = dict(zip(keys, values, strict=True))
            value = codec.read(block, side)
            if value is None or value is UNKNOWN or (order := codec.plain_order(block, value)) is None:
                continue
            known += 1
            written = codec.write(value) if isinstance(value, Message) else codec.write_part(value)
            assert is_same(written, {key: block[key] for key in order}), block
            assert is_same(respelled(written, form_of_order(block, order)), block), block
    assert known


# --- replies ----------------------------------------------------------------------------------------------------------


def call(call_id: str, *, continues: bool = False) -> Message:
    return Message(
        *("assistant", "{}", None, "commentary", "functions.f", call_id),
        constraint="json",
        end="call",
        continues=continues,
    )


def reply(call_id: str) -> Message:
    return Message("tool", f"of {call_id}", "functions.f", "commentary", "assistant", call_id)


@pytest.mark.parametrize("target", ["gemini", "bedrock-converse"])
def test_only_a_reply_that_is_moved_is_reported(target: str) -> None:
    calls = Message("user", "x"), call("a"), call("b", continues=True)
    result = write(Transcript((*calls, reply("a"), Message("user", "wait"), reply("b"))), target)
    assert result.order == (0, 1, 2, 3, 5, 4)
    moved = [(loss.path, loss.severity) for loss in result.losses if loss.code == "order"]
    assert moved == [("/messages/5", Severity.CHANGED)]
    placed = write(Transcript((*calls, reply("a"), reply("b"), Message("user", "wait"))), target)
    assert placed.order is None
    assert "order" not in {loss.code for loss in placed.losses}


@pytest.mark.parametrize(("target", "key"), [("anthropic", "messages"), ("gemini", "contents")])
def test_an_invalid_message_is_refused_with_its_path(target: str, key: str) -> None:
    good = {"anthropic": {"role": "user", "content": "x"}, "gemini": {"role": "user", "parts": [{"text": "x"}]}}[target]
    with pytest.raises(BridgeError) as caught:
        read({key: [good, 7]}, target)
    assert (caught.value.code, caught.value.path) == (ErrorCode.SHAPE, f"/{key}/1")
