"""InternLM2 as token ids: tokens by id alone, content that becomes none whatever it spells, odd ids kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from internlm2_vocabulary import VARIABLE, model, write_model
from ocml_adapters.internlm2.syntax import BOS, EOS, IDS, IM
from ocml_adapters.internlm2.syntax import TOKENS as SPELLINGS
from ocml_adapters.internlm2.token_units import Places, to_ids, to_text
from ocml_adapters.internlm2.vocabulary import Vocabulary, load_vocabulary
from ocml_bridge import (
    BridgeError,
    ErrorCode,
    FindingCode,
    LossCode,
    Message,
    Transcript,
    convert,
    detect,
    read,
    read_all,
    write,
)
from ocml_bridge.model import Document
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.laws import all_laws
from ocml_bridge.testing.strategies import documents

NAME = "internlm2-tokens"
START, END, PLUGIN = IDS["<|im_start|>"], IDS["<|im_end|>"], IDS["<|plugin|>"]
ACTION, ACTION_END = IDS["<|action_start|>"], IDS["<|action_end|>"]


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "prefix"])
def model_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that puts no space before text, and one that does."""
    return write_model(tmp_path_factory.mktemp("internlm2") / "tokenizer.model", prefix=request.param)


@pytest.fixture
def vocabulary(model_file: Path, monkeypatch: pytest.MonkeyPatch) -> Vocabulary:
    monkeypatch.setenv(VARIABLE, str(model_file))
    return load_vocabulary()


def encode(text: str) -> list[int]:
    return load_vocabulary().encode(text)


def frame(text: str, role: str = "user") -> list[int]:
    return [START, *encode(f"{role}\n{text}"), END]


def ids_of(*messages: Message) -> list[int]:
    return cast("list[int]", write(Transcript(messages), NAME).output)


def messages_of(ids: list[int]) -> tuple[Message, ...]:
    return cast("Transcript", read(ids, NAME).transcript).messages


def found(ids: list[int]) -> set[FindingCode]:
    reading = read(ids, NAME)
    result = write(reading.transcript, NAME)
    assert result.output == ids, "the ids come back, whatever they are"
    assert result.image == reading.transcript
    return {finding.code for finding in reading.findings}


def test_the_ids_are_those_of_the_specifications_table() -> None:
    unused = [f"[UNUSED_TOKEN_{number}]" for number in range(146, 140, -1)]
    assert dict(zip(unused, IDS.values(), strict=True)) == {
        "[UNUSED_TOKEN_146]": 92543,
        "[UNUSED_TOKEN_145]": 92542,
        "[UNUSED_TOKEN_144]": 92541,
        "[UNUSED_TOKEN_143]": 92540,
        "[UNUSED_TOKEN_142]": 92539,
        "[UNUSED_TOKEN_141]": 92538,
    }
    assert tuple(IDS) == tuple(IM)


def test_messages_in_ids(vocabulary: Vocabulary) -> None:
    ids = [*frame("Hello"), *encode("\n"), *frame("Hi there", "assistant"), *encode("\n")]
    messages = Message("user", "Hello", end="end"), Message("assistant", "Hi there", channel="final", end="end")
    assert ids_of(*messages) == ids
    assert messages_of(ids) == messages
    assert found(ids) == set()


def test_a_call_and_its_reply_in_ids(vocabulary: Vocabulary) -> None:
    call = encode('\n{"name": "get_current_weather", "parameters": {"location": "Shanghai"}}')
    ids = [
        *(START, *encode("assistant\nSure."), ACTION, PLUGIN, *call, ACTION_END, END, *encode("\n")),
        *(START, *encode("environment name="), PLUGIN, *encode('\n{"temperature": 22}'), END, *encode("\n")),
    ]
    text, call, reply = messages_of(ids)
    assert (text.content, text.intent) == ("Sure.", "preamble")
    assert (call.recipient, call.content) == ("functions.get_current_weather", '{"location": "Shanghai"}')
    assert (reply.role, reply.name, reply.content) == ("tool", "functions.get_current_weather", '{"temperature": 22}')
    assert found(ids) == set()


@pytest.mark.parametrize("token", SPELLINGS)
def test_text_that_spells_a_token_is_text_and_nothing_is_lost(vocabulary: Vocabulary, token: str) -> None:
    message = Message("user", f"{token} a{token}{token}\u200b<{token}[", end="end")
    result = write(Transcript((message,)), NAME)
    ids = cast("list[int]", result.output)
    assert result.losses == ()
    assert [number for number in ids if number in IDS.values()] == [START, END]
    assert messages_of(ids) == (message,)
    assert found(ids) == set()


def test_the_encoder_alone_would_take_a_spelling_for_the_token() -> None:
    """Why it is asked for less than the whole text."""
    import sentencepiece

    whole: Any = sentencepiece.SentencePieceProcessor(model_proto=model())
    assert whole.encode("[UNUSED_TOKEN_145]") == [END]
    assert END not in encode("[UNUSED_TOKEN_145]")


def test_reserved_pieces_do_not_come_from_content_either(vocabulary: Vocabulary) -> None:
    text = "[UNUSED_TOKEN_0] [UNUSED_TOKEN_130] [UNUSED_TOKEN_147]"
    assert max(encode(text)) < 92_397
    assert vocabulary.decode(encode(text)) == text


def test_spelled_tokens_are_broken_where_the_target_is_text() -> None:
    ids = frame("<|im_end|>")
    result = convert(ids, source=NAME, target="internlm2")
    assert result.output == "<|im_start|>user\n<\u200b|im_end|><|im_end|>"
    assert [loss.code for loss in result.losses] == [LossCode.CONTROL_TOKEN]


def test_a_header_that_spells_a_token_names_no_channel() -> None:
    """`name=<|plugin|>` is a token; text that looks like it is somebody's name."""
    ids = [START, *encode("environment name=<|plugin|>\n1"), END]
    assert FindingCode.REPLY_UNPAIRED in found(ids)
    meant = [START, *encode("environment name="), PLUGIN, *encode("\n1"), END]
    assert messages_of(ids)[0].name != messages_of(meant)[0].name


@given(st.text())
def test_all_text_comes_back(text: str) -> None:
    (message,) = messages_of(ids_of(Message("user", text, end="end")))
    assert message.content == text


@given(st.text(alphabet=st.sampled_from("▁ \n<|>[]im_endUSTOK145é𝔘\u200b\0\r")), st.booleans())
def test_text_is_encoded_and_decoded_exactly(text: str, prefix: bool) -> None:
    pieces = VOCABULARIES[prefix]
    ids = pieces.encode(text)
    assert pieces.decode(ids) == text
    assert not {*IDS.values(), 0, 1, 2} & set(ids)


VOCABULARIES = {prefix: Vocabulary(model(prefix=prefix)) for prefix in (False, True)}


class TestOddIds:
    def test_a_body_that_was_tokenised_in_another_way_keeps_its_ids(self) -> None:
        assert encode("hello") != encode("hel") + encode("lo")
        ids = [START, *encode("user\nhel"), *encode("lo"), END]
        assert messages_of(ids)[0].content == "hello"
        assert found(ids) == set()

    def test_kept_ids_are_not_used_once_anything_has_changed(self) -> None:
        reading = read([START, *encode("user\nhel"), *encode("lo"), END], NAME)
        document = cast("Transcript", reading.transcript)
        document.messages[0].content = "bye"
        assert write(document, NAME).output == frame("bye")

    @pytest.mark.parametrize("kept", [[1, "x"], [-1], "ids", {"a": 1}, [START], [10**30], [[]]])
    def test_kept_ids_of_another_content_are_not_used(self, kept: Any) -> None:
        document = Transcript((Message("user", "hi", end="end"),), layout={"internlm2": {"ids": kept}})
        assert write(document, NAME).output == [*frame("hi"), *encode("\n")]

    def test_bos_and_eos_around_messages_are_no_content(self) -> None:
        ids = [1, *frame("hi"), *encode("\n"), 2]
        assert found(ids) == set()
        assert convert(ids, source=NAME, target="internlm2").output == "<s><|im_start|>user\nhi<|im_end|>\n</s>"

    @pytest.mark.parametrize("number", [0, 1, 2, 92_397, 92_527])
    def test_special_tokens_in_a_message_are_read_as_their_text(self, number: int) -> None:
        assert found([START, *encode("user\na"), number, END]) == {FindingCode.STRAY_TOKEN}

    def test_a_token_that_means_nothing_in_a_body_stays_one(self) -> None:
        ids = [START, *encode("user\na"), PLUGIN, END]
        assert messages_of(ids)[0].content == "a<|plugin|>"
        assert found(ids) == {FindingCode.STRAY_TOKEN}

    def test_bytes_that_are_no_utf8_are_read_as_u_fffd(self) -> None:
        ids = [START, *encode("user\na"), encode("é")[0], END]
        assert messages_of(ids)[0].content == "a\ufffd"
        assert found(ids) == {FindingCode.SHAPE}

    def test_half_of_a_surrogate_pair_becomes_u_fffd_and_is_reported(self) -> None:
        result = write(Transcript((Message("user", "a\ud800", end="end"),)), NAME)
        assert messages_of(cast("list[int]", result.output))[0].content == "a\ufffd"
        assert [(loss.code, loss.path) for loss in result.losses] == [(LossCode.CONTENT, "/messages/0/content")]

    @pytest.mark.parametrize(
        ("source", "path"),
        [
            ([START, -1], "/1"),
            ([92_544], "/0"),
            ([10**30], "/0"),
            ([1.0], "/0"),
            ([True], "/0"),
            ([None], "/0"),
            ({}, ""),
        ],
    )
    def test_an_invalid_id_is_refused_with_its_path(self, source: Any, path: str) -> None:
        with pytest.raises(BridgeError) as caught:
            read(source, NAME)
        assert (caught.value.code, caught.value.path) == (ErrorCode.SHAPE, path)

    def test_ids_without_a_message_are_refused(self) -> None:
        with pytest.raises(BridgeError) as caught:
            read(encode("hi"), NAME)
        assert (caught.value.code, caught.value.path) == (ErrorCode.NO_FRAMES, "")

    @given(st.lists(st.one_of(st.integers(3, 400), st.sampled_from([*IDS.values(), 0, 92_397, 500])), max_size=40))
    def test_any_ids_are_read_and_come_back(self, ids: list[int]) -> None:
        found([*frame("hi"), *ids])
        found([*ids, *frame("hi")])


class TestVocabulary:
    def refused(self, monkeypatch: pytest.MonkeyPatch, name: str | None) -> str:
        if name is None:
            monkeypatch.delenv(VARIABLE)
        else:
            monkeypatch.setenv(VARIABLE, name)
        with pytest.raises(BridgeError) as caught:
            write(Transcript(()), NAME)
        assert caught.value.code is ErrorCode.VOCABULARY
        assert VARIABLE in caught.value.message
        return caught.value.message

    @pytest.mark.parametrize("name", [None, "", "/no/such/file", "/"])
    def test_without_one_the_error_names_the_option(self, monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
        self.refused(monkeypatch, name)

    def test_a_file_that_is_none_is_refused(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "tokenizer.model").write_bytes(b"no model")
        assert "not a SentencePiece model" in self.refused(monkeypatch, str(tmp_path / "tokenizer.model"))

    def test_that_of_another_model_is_refused(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        path = write_model(tmp_path / "tokenizer.model", reserved=False)
        assert "92538 to 92543" in self.refused(monkeypatch, str(path))

    def test_without_sentencepiece_the_error_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "sentencepiece", None)
        with pytest.raises(BridgeError) as caught:
            Vocabulary(b"")
        assert caught.value.code is ErrorCode.DEPENDENCY
        assert "ocml-convert[internlm2]" in caught.value.message

    def test_text_needs_neither(self) -> None:
        code = "import sys, ocml_bridge; ocml_bridge.read('<|im_start|>user\\nhi<|im_end|>\\n', 'internlm2')"
        code += (
            "; assert 'sentencepiece' not in sys.modules and 'ocml_adapters.internlm2.vocabulary' not in sys.modules"
        )
        subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})


def test_ids_are_distinguished_from_harmonys_and_from_other_json() -> None:
    assert detect(frame("hi")) == NAME
    assert detect([200006, 92543, 200008, 200007]) == "harmony-tokens"
    assert json.loads(json.dumps(frame("hi"))) == frame("hi")


@given(documents())
def test_the_output_reads_as_the_image(document: Document) -> None:
    result = write(document, NAME, policy=LENIENT)
    assert read(result.output, NAME).transcript == result.image
    assert write(result.image, NAME).image == result.image


@given(documents())
def test_any_document_keeps_the_laws(document: Document) -> None:
    all_laws(document, NAME)


def test_ids_that_end_a_text_between_messages_begin_another_conversation(vocabulary: Vocabulary) -> None:
    one = [1, *frame("A"), 2]
    with pytest.raises(BridgeError) as raised:
        read(one * 3, "internlm2-tokens")
    assert (raised.value.code, raised.value.path) == (ErrorCode.SEVERAL, f"/{len(one)}")
    readings = [*read_all(one * 3, "internlm2-tokens")]
    assert [reading.place.path for reading in readings] == [f"/{len(one) * count}" for count in range(3)]
    assert readings[0].transcript == readings[2].transcript == read(one, "internlm2-tokens").transcript


def test_text_before_the_first_message_is_of_the_first_conversation(vocabulary: Vocabulary) -> None:
    ids = [*encode("\n"), *frame("A"), EOS, *frame("B")]
    places = [reading.place.path for reading in read_all(ids, NAME)]
    assert places == ["/0", f"/{ids.index(EOS) + 1}"]


def test_tokens_that_begin_and_end_a_text_are_tokens_between_messages_alone(vocabulary: Vocabulary) -> None:
    """Inside of a message they are text, behind a call's tokens, too."""
    edges = encode("<s></s>")
    ids = [BOS, START, *encode("user\n<s></s>"), ACTION, *edges, ACTION_END, *edges, END, EOS, PLUGIN, BOS]
    text = "<s><|im_start|>user\n<s></s><|action_start|><s></s><|action_end|><s></s><|im_end|></s><|plugin|><s>"
    assert to_ids(text, vocabulary) == ids


BREAK = "\u200b".encode()


@given(st.lists(st.sampled_from((*IM, *SPELLINGS, "<s>", "</s>", "user\n", "hello", " the ", " ", "é", "🙂", "\n"))))
def test_each_id_has_its_place_in_the_text_that_ids_are(pieces: list[str]) -> None:
    """A token's is its spelling; that of other ids is what they spell, and what breaks a token in it."""
    known = load_vocabulary()
    ids = to_ids(to_text(to_ids("".join(pieces), known), known), known)
    text, ends = Places().read(ids)
    assert text == to_text(ids, known)
    assert list(ends) == list(Places().ends(ids))
    data, begin = text.encode(), 0
    for number, end in zip(ids, ends, strict=True):
        piece = data[begin:end]
        if number in IDS.values() or number in (BOS, EOS):
            spelled = {**dict(zip(IDS.values(), IM, strict=True)), BOS: "<s>", EOS: "</s>"}[number]
            assert piece.replace(BREAK, b"") == spelled.encode()
        else:
            assert [len(piece.replace(BREAK, b""))] == known.sizes([number])
        begin = end
    assert begin == len(data)
