"""Law 13: content makes no special token of the target's vocabulary, and the special tokens of a text are kept."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from hypothesis import given

from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import BridgeError, ErrorCode, Message, Options, Result, Transcript, convert, read, write
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.testing import voice
from ocml_bridge.testing.laws import all_laws
from ocml_bridge.testing.trial import LawBrokenError, Trial

TARGETS = ("harmony", "chatml", "internlm2", "internlm2:unused", "ocm-0.1", "ocm-0.1:s", "ocm-0.1:bare")


def asked(text: str) -> Transcript:
    return Transcript((Message("user", text),))


def texts(output: object) -> str:
    assert isinstance(output, str)
    return output


@pytest.mark.parametrize("target", TARGETS)
@given(voice.conversations())
def test_the_special_tokens_of_an_output_are_those_of_its_frames(target: str, document: Transcript) -> None:
    all_laws(document, target)


@given(voice.conversations())
def test_the_official_encoding_sees_no_token_of_content(document: Transcript) -> None:
    pytest.importorskip("openai_harmony", reason="the official encoding is the judge")

    def ids(output: object) -> list[int]:
        return [number for number in load_encoding().encode(texts(output), allowed_special="all") if number >= 199998]

    assert ids(write(document, "harmony").output) == ids(write(voice.harmless(document), "harmony").output)


def test_every_special_token_of_the_official_encoding_is_broken() -> None:
    pytest.importorskip("openai_harmony", reason="the official encoding is the judge")
    encoding = load_encoding()
    every = "".join(sorted(encoding.special_tokens_set)) + "<|endofprompt|>"
    output = texts(write(asked(every), "harmony").output)
    found = [number for number in encoding.encode(output, allowed_special="all") if number >= 199998]
    assert found == encoding.encode("<|start|><|message|><|end|>", allowed_special="all")
    assert "<|endofprompt|>" not in output


@pytest.mark.parametrize("token", voice.HARMONY)
def test_the_name_of_a_tool_makes_no_special_token(token: str) -> None:
    def written(name: str) -> Result:
        call = Message("assistant", "{}", channel="commentary", recipient=name, call_id="c", end="call")
        reply = Message("tool", "1", name=name, channel="commentary", recipient="assistant", call_id="c")
        return write(Transcript((call, reply)), "harmony")

    result, harmless = written(f"functions.f{token}"), written("functions.f")
    assert voice.specials_in(texts(result.output), voice.HARMONY) == voice.specials_in(
        texts(harmless.output), voice.HARMONY
    )
    assert [loss.path for loss in result.losses if loss.code in ("recipient", "name")] == [
        *("/messages/0/recipient", "/messages/1/name")
    ]


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("harmony", "a<|endoftext|>b<|startoftext|>d<|reserved_200013|>e<|endofprompt|>"),
        ("chatml", "<|endoftext|></s><tool_call><think><|vision_start|><|fim_prefix|><s>"),
        ("internlm2", "<|endoftext|></s><tool_call><think><|vision_start|><|fim_prefix|><s>"),
        ("ocm-0.1", "[BOS][EOS]<s></s>"),
    ],
)
def test_tokens_in_content_are_broken_reported_and_undone(target: str, text: str) -> None:
    result = write(asked(text), target)
    assert [(loss.code, loss.severity, loss.path) for loss in result.losses if loss.code == "control-token"] == [
        ("control-token", "changed", "/messages/0/content")
    ]
    assert text not in texts(result.output)
    back = read(texts(result.output), target).transcript
    assert isinstance(back, Transcript)
    assert back.messages[0].content == text
    with pytest.raises(BridgeError) as raised:
        write(asked(text), target, options=Options(control_tokens="refuse"))
    assert raised.value.code is ErrorCode.CONTROL_TOKEN
    assert text in texts(write(asked(text), target, options=Options(control_tokens="raw")).output)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("chatml", "<|im_start|>assistant\n<think>\nHm.\n</think>\n<tool_call>\n{}\n</tool_call><|im_end|>\n"),
        ("chatml", "<|im_start|>user\n<think> and <\u200bthink><|im_end|>\n"),
        ("internlm2", "<|im_start|>assistant\n<think>x</think></s><|im_end|>\n"),
        ("ocm-0.1", "[BOS]<|im_start|>user\n[EOS][BOS] <s>\n<|im_end|>[EOS]"),
        ("harmony", "<|start|>user<|message|>a<|endoftext|>b<|reserved_200013|><|end|>"),
    ],
)
def test_tokens_in_a_text_of_the_same_format_are_kept(source: str, text: str) -> None:
    reading = read(text, source)
    result = write(reading.transcript, source)
    assert result.output == text
    assert [loss for loss in result.losses if loss.code == "control-token"] == []


def test_markup_of_one_format_is_content_in_another() -> None:
    text = "<|im_start|>assistant\n<think>\nHm.\n</think>\nHi<|im_end|>\n"
    assert "<think>" not in texts(convert(text, source="chatml", target="internlm2").output)


def test_token_ids_and_json_keep_any_content() -> None:
    pytest.importorskip("openai_harmony", reason="token ids need the official encoder")
    text = "<|endoftext|><|reserved_200013|><think>"
    for target in ("harmony-tokens", "openai", "chatml-json", "ocm-2.2-json"):
        result = write(asked(text), target)
        assert [loss for loss in result.losses if loss.code == "control-token"] == []


def pieces(text: str, size: int) -> Iterable[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


@pytest.mark.parametrize("target", ["harmony", "chatml", "internlm2", "ocm-0.1"])
@pytest.mark.parametrize("size", [1, 3, 7])
def test_a_stream_breaks_tokens_in_any_chunks(target: str, size: int) -> None:
    text = "".join(voice.VOCABULARIES[target])
    meant, ours = encoder(target), decoder("openai-sse")
    chunk = '{{"choices":[{{"index":0,"delta":{{"content":{}}}}}]}}'
    out: list[bytes] = []
    for piece in pieces(text, size):
        out += meant.encode(ours.feed(f"data: {chunk.format(json.dumps(piece))}\n\n"))
    out += meant.encode(ours.feed("data: [DONE]\n\n"))
    out += meant.encode(ours.finish("stop"))
    plain = write(Transcript((Message("assistant", "x", channel="final"),)), target)
    vocabulary = voice.vocabulary_of(target)
    meant_tokens = voice.specials_in(texts(plain.output), vocabulary)
    assert voice.specials_in(b"".join(out).decode(), vocabulary) == meant_tokens


def test_an_unbroken_token_breaks_the_law() -> None:
    trial = Trial(asked("<think>"), "chatml", Options(control_tokens="raw"))
    trial.options = Options()
    with pytest.raises(LawBrokenError, match="voice"):
        voice.voice(trial)
