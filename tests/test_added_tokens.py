"""Law 13 for the special tokens that the options name: content never makes one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, ErrorCode, Message, Options, Transcript, make_sidecar, read, write
from ocml_bridge.checks.verify import verify
from ocml_bridge.events import Event, Stop
from ocml_bridge.formats.adapter import AddedTokens
from ocml_bridge.model import Completion, Text, Tool
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.stream import replay
from ocml_bridge.testing.laws import all_laws
from ocml_bridge.text.added_tokens import Breaker, Passage

TARGETS = ("harmony", "chatml", "internlm2", "internlm2:unused", "ocm-0.1", "ocm-0.1:s")
LLAMA = ("<|begin_of_text|>", "<|start_header_id|>", "<|eot_id|>")
MISTRAL = ("[INST]", "[/INST]", "[TOOL_CALLS]")
HOSTILE = ("<<s>", "<<<", "[[a]", "a]a]", "]]a", "<|eot_id|><|eot_id|>")
"""Tokens that overlap each other, themselves and tokens of the formats."""

tokens = st.lists(st.sampled_from((*LLAMA, *MISTRAL, *HOSTILE)), min_size=1, max_size=6, unique=True).map(tuple)


def halves(token: str, at: int) -> tuple[str, str]:
    return token[:at], token[at:]


def contents(named: Sequence[str]) -> st.SearchStrategy[str]:
    """Contents made of tokens, whole, broken and cut, and of what they are made of."""
    token = st.sampled_from(named)
    cut = st.tuples(token, st.integers(0, 5)).map(lambda drawn: drawn[0][: drawn[1]])
    broken = st.tuples(token, st.integers(0, 5)).map(lambda drawn: "\u200b".join(halves(*drawn)))
    pieces = st.sampled_from(["<", "[", "]", "a", "|", " ", "\n", "\u200b", "<s>", "<|im_end|>", "<|end|>"])
    return st.lists(st.one_of(token, cut, broken, pieces), max_size=8).map("".join)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Transcript, Options]:
    """Conversations whose contents are made of the tokens that the options name."""
    named = draw(tokens)
    users = st.builds(Message, st.just("user"), contents(named))
    answers = contents(named).map(lambda text: Message("assistant", text, channel="final"))
    messages = draw(st.lists(st.one_of(users, answers), min_size=1, max_size=4))
    return Transcript(tuple(messages)), Options(special_tokens=named)


def found_in(text: str, named: Sequence[str]) -> list[str]:
    return [token for token in named if token in text]


@given(conversations())
def test_content_makes_none_of_the_named_tokens_and_reads_back(drawn: tuple[Transcript, Options]) -> None:
    document, options = drawn
    for target in TARGETS:
        result = all_laws(document, target, options).result
        assert found_in(str(result.output), options.special_tokens) == []
        assert verify(document, result, options=options) == ()


@given(conversations())
def test_a_reader_without_the_tokens_sees_only_the_reported_changes(drawn: tuple[Transcript, Options]) -> None:
    """A reader without the tokens sees exactly the changes that the report names."""
    for target in TARGETS:
        check_reading_without_the_tokens(target, *drawn)


def check_reading_without_the_tokens(target: str, document: Transcript, options: Options) -> None:
    result = write(document, target, options=options)
    unaware = read(str(result.output), result.target, options=Options(force_format=True)).transcript
    aware = read(str(result.output), result.target, options=replace(options, force_format=True)).transcript
    assert isinstance(unaware, Transcript)
    assert isinstance(aware, Transcript)
    named = {loss.path for loss in result.losses if loss.code == "control-token"}
    for index, (one, other) in enumerate(zip(unaware.messages, aware.messages, strict=True)):
        if one.content != other.content:
            assert f"/messages/{result.origins[index]}/content" in named


@given(conversations(), st.data())
def test_a_stream_writes_and_reads_the_same_as_the_whole_text(
    drawn: tuple[Transcript, Options], data: st.DataObject
) -> None:
    for target in ("harmony", "chatml", "internlm2", "ocm-0.1"):
        check_stream(target, *drawn, data)


def check_stream(target: str, document: Transcript, options: Options, data: st.DataObject) -> None:
    made = encoder(target, options=options)
    chunks = made.encode(replay(document)) + made.finish()
    output = b"".join(chunks).decode()
    assert found_in(output, options.special_tokens) == []
    cuts = sorted(data.draw(st.lists(st.integers(0, len(output)), max_size=8)))
    source = decoder(target, options=options)
    events = [
        event for at, end in zip([0, *cuts], [*cuts, len(output)], strict=True) for event in source.feed(output[at:end])
    ]
    stop = [*events, *source.finish()][-1]
    whole = read(output, target, options=replace(options, force_format=True)).transcript
    assert stop.document == whole  # pyright: ignore


def test_spaces_that_cannot_be_part_of_a_token_are_passed_on_at_once() -> None:
    passage = Passage(AddedTokens(("<x>",)), Breaker.neutralise)
    pieces = {"a": "a", " ": " ", "b ": "b ", "\n": "\n", "<": "", "x": "", ">": "<\u200bx>"}
    assert {piece: passage.feed(piece) for piece in pieces} == pieces
    assert passage.finish() == ""


def test_a_reader_with_the_tokens_restores_the_document_exactly() -> None:
    options = Options(special_tokens=MISTRAL)
    document = Transcript((Message("user", "[INST] [\u200bINST] [/INST"),))
    for target in TARGETS:
        output = str(write(document, target, options=options).output)
        back = read(output, target, options=options).transcript
        assert isinstance(back, Transcript)
        assert back.messages[0].content == document.messages[0].content
        assert write(back, target, options=options).output == output


def test_tokens_made_by_joined_parts_declarations_or_escapes_are_broken() -> None:
    options = Options(special_tokens=("[INST]",))
    tool = Tool(
        "search", "Finds [INST]", {"type": "object", "properties": {"q": {"type": "string", "enum": ["[INST]"]}}}
    )
    call = Message("assistant", '{"q": "\\u005bINST]"}', channel="commentary", recipient="functions.search", end="call")
    document = Transcript((Message("user", (Text("[IN"), Text("ST]"))), call), (tool,))
    for target in TARGETS:
        result = write(document, target, options=options)
        assert "[INST]" not in str(result.output)
        assert verify(document, result, options=options) == ()


def test_tokens_in_a_completion_are_broken() -> None:
    result = write(Completion("a [INST] b"), "ocm-0.1", options=Options(special_tokens=MISTRAL))
    assert result.output == "a [\u200bINST] b"
    assert [loss.path for loss in result.losses if loss.code == "control-token"] == ["/content"]


def test_paths_are_those_of_the_document_even_if_messages_are_left_out() -> None:
    thought = Message("assistant", "hm", channel="analysis")
    result = write(Transcript((thought, Message("user", "[INST]"))), "chatml", options=Options(special_tokens=MISTRAL))
    assert [loss.path for loss in result.losses if loss.code == "control-token"] == ["/messages/1/content"]


@pytest.mark.parametrize("target", TARGETS)
def test_the_policy_for_control_tokens_applies_to_added_tokens(target: str) -> None:
    document = Transcript((Message("user", "a"), Message("user", "b [INST]")))
    with pytest.raises(BridgeError, match="use --control-tokens neutralise") as raised:
        write(document, target, options=Options(control_tokens="refuse", special_tokens=MISTRAL))
    assert (raised.value.code, raised.value.path) == (ErrorCode.CONTROL_TOKEN, "/messages/1/content")
    raw = write(document, target, options=Options(control_tokens="raw", special_tokens=MISTRAL))
    assert raw.output == write(document, target).output
    assert [loss.severity for loss in raw.losses if loss.code == "control-token"] == ["changed"]


def test_a_stream_has_the_same_policy() -> None:
    document = Transcript((Message("user", "a"), Message("user", "b [INST]")))
    with pytest.raises(BridgeError) as raised:
        encoder("harmony", options=Options(control_tokens="refuse", special_tokens=MISTRAL)).encode(replay(document))
    assert (raised.value.code, raised.value.path) == (ErrorCode.CONTROL_TOKEN, "/messages/1/content")
    made = encoder("harmony", options=Options(control_tokens="raw", special_tokens=MISTRAL))
    assert b"".join(made.encode(replay(document))).decode() == write(document, "harmony").output
    assert [loss.code for loss in made.losses] == ["control-token"]
    made = encoder("harmony", options=Options(special_tokens=MISTRAL))
    made.encode(replay(document))
    assert [loss.path for loss in made.losses] == ["/messages/1/content"]


@pytest.mark.parametrize("target", ["harmony-tokens", "chatml-json", "openai", "ocm-2.2", "canonical"])
def test_formats_in_which_content_cannot_make_a_token_keep_it(target: str) -> None:
    if target == "harmony-tokens":
        pytest.importorskip("openai_harmony", reason="the vocabulary is needed")
    document = Transcript((Message("user", "[INST]"),))
    assert write(document, target, options=Options(special_tokens=MISTRAL)).output == write(document, target).output


def test_tokens_of_the_format_may_be_added_tokens() -> None:
    document = Transcript((Message("user", "hi"),))
    for target, own in (("harmony", "<|start|>"), ("chatml", "<|im_start|>"), ("ocm-0.1", "<|im_end|>")):
        named = Options(special_tokens=(own, "[INST]"))
        assert write(document, target, options=named).output == write(document, target).output


def test_a_token_that_occurs_in_headers_is_refused() -> None:
    with pytest.raises(BridgeError, match="take it out of --special-tokens") as raised:
        write(Transcript((Message("user", "hi"),)), "chatml", options=Options(special_tokens=("user",)))
    assert raised.value.code is ErrorCode.OPTION


def test_tokens_at_the_ends_of_a_text_of_ocm_0_1_are_tokens_only_there() -> None:
    options = Options(format_options={"bos": "<bot>", "eos": "<eot>"})
    document = Transcript((Message("user", "a <bot> b <eot>"), Message("assistant", "<eot>", channel="final")))
    result = write(document, "ocm-0.1", options=options)
    output = str(result.output)
    assert re.findall("<bot>|<eot>", output) == ["<bot>", "<eot>"]
    assert output.startswith("<bot>")
    assert output.endswith("<eot>")
    assert {loss.path for loss in result.losses if loss.code == "control-token"} == {
        "/messages/0/content",
        "/messages/1/content",
    }
    back = read(output, "ocm-0.1", options=options).transcript
    assert isinstance(back, Transcript)
    assert [message.content for message in back.messages] == ["a <bot> b <eot>", "<eot>"]
    made = encoder("ocm-0.1", options=options)
    assert b"".join(made.encode(replay(document))).decode() == output


def test_a_sidecar_restores_broken_tokens() -> None:
    options = Options(special_tokens=MISTRAL)
    document = Transcript((Message("assistant", "[INST]", channel="analysis"), Message("user", "[INST]", weight=0)))
    result = write(document, "chatml", options=options)
    kept = make_sidecar(result, options=options)
    assert read(result.data, "chatml", options=options, sidecar=kept).transcript == document


@pytest.mark.parametrize(
    "named",
    [("",), ("a",), ("a\u200bb",), ("x" * 129,), (7,), ["[INST]"], "[INST]"],
    ids=lambda value: repr(value)[:20],
)
def test_a_text_that_cannot_be_broken_is_refused_as_a_token(named: object) -> None:
    with pytest.raises(BridgeError) as raised:
        Options(special_tokens=named)  # pyright: ignore
    assert raised.value.code is ErrorCode.OPTION


def test_a_copy_of_a_decoder_is_independent() -> None:
    """Each of the two keeps its own beginning of a possible token."""
    made = decoder("ocm-0.1", options=Options(special_tokens=MISTRAL))
    made.feed("<|im_start|>user\na [\u200bIN")
    other = made.copy()
    first, second = [*made.feed("ST]\n<|im_end|>"), *made.finish()], [*other.feed("X]\n<|im_end|>"), *other.finish()]
    assert [contents_at_the_end(events) for events in (first, second)] == [["a [INST]"], ["a [\u200bINX]"]]


def contents_at_the_end(events: Sequence[Event]) -> list[object]:
    stop = events[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    return [message.content for message in stop.document.messages]
