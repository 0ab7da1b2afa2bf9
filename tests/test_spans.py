"""Spans: the part of the document that each piece of an output represents, and the pieces that a model would write.

The laws are 9a to 9f of docs/spans.md: tiling, content, the same bytes, streams, tokens, stability.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from corpus import corpus_cases
from internlm2_vocabulary import VARIABLE, write_model
from ocml_adapters.harmony.tokens import ends_of, spelled
from ocml_adapters.internlm2.token_units import to_text
from ocml_adapters.internlm2.vocabulary import load_vocabulary
from ocml_adapters.ocm_2_2.body import decode
from ocml_bridge import BridgeError, ErrorCode, Message, Options, Tool, Transcript, convert, read, write
from ocml_bridge.checks.stability import is_stable
from ocml_bridge.model import Completion, Infill, Text, Tools, replace
from ocml_bridge.profiles import profile
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.spans import Span, SpanKind, in_bytes, tokenized
from ocml_bridge.testing import check_spans
from ocml_bridge.testing.spans import spans_hold, tiles
from sources import ROOT

TEXTS = ("harmony", "harmony:hf", "chatml", "chatml:hermes", "chatml:qwen-xml", "chatml:lfm2", "ocm-0.1", "ocm-2.2")
TOKENS = ("harmony-tokens", "internlm2-tokens")
TALK = Transcript(
    (
        Message("system", "Be brief."),
        Message("user", "Is it <|end|> warm?"),
        Message("assistant", "I look.", channel="analysis"),
        Message("assistant", '{"a":1}', None, "commentary", "functions.f", "c1", constraint="json", end="call"),
        Message("tool", "Rain.", "functions.f", "commentary", "assistant", "c1"),
        Message("assistant", "No.", channel="final"),
    )
)


def pieces(result: Any, *, sampled: bool | None = None) -> list[tuple[str, str, str]]:
    """Kind, path and text of the spans; of those that a model would have written, or of the others."""
    return [
        (span.kind.value, span.path, result.output[span.start : span.end])
        for span in result.spans
        if sampled in (None, span.sampled)
    ]


def unescape(raw: str) -> str:
    """The content of a body of OpenChatML 2.2."""
    content = decode(raw, marked=False)
    return content if isinstance(content, str) else raw


def test_the_example_of_the_page_shows_what_it_gives(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "spans.md").read_text("utf-8")
    [source, *_] = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    exec(source, {})
    assert capsys.readouterr().out == re.findall(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0]


# --- the pieces of an output ------------------------------------------------------------------------------------------


def test_spans_are_made_only_with_the_option() -> None:
    assert write(TALK, "harmony").spans is None


def test_a_frame_has_a_header_a_body_and_an_end() -> None:
    assert pieces(write(TALK, "harmony", spans=True))[:3] == [
        ("header", "/messages/0", "<|start|>system<|message|>"),
        ("body", "/messages/0/content", "Be brief."),
        ("end", "/messages/0", "<|end|>"),
    ]


def test_the_character_that_breaks_a_token_belongs_to_the_body() -> None:
    bodies = pieces(write(TALK, "harmony", spans=True))
    assert ("body", "/messages/1/content", "Is it <\u200b|end|> warm?") in bodies


def test_text_between_frames_is_a_gap() -> None:
    found = pieces(write(TALK, "chatml", spans=True))
    assert found[2:4] == [("end", "/messages/0", "<|im_end|>"), ("gap", "", "\n")]


def test_a_call_id_in_a_header_has_a_span_of_its_own() -> None:
    found = pieces(write(TALK, "ocm-2.2", spans=True))
    assert ("header", "/messages/3/call_id", "c1") in found
    assert ("header", "/messages/4/call_id", "c1") in found


def test_messages_of_one_frame_have_spans_of_their_own() -> None:
    wire = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Now?"}, *_wire()]
    result = convert(wire, source="openai", target="chatml:hermes", spans=True, policy=LENIENT)
    assert pieces(result, sampled=True) == [
        ("header", "/messages/2", "<think>\n"),
        ("body", "/messages/2/content", "Hm."),
        ("end", "/messages/2", "\n</think>"),
        ("header", "/messages/3", '\n\n<tool_call>\n{"name": "f", "arguments": '),
        ("body", "/messages/3/content", '{"a":1}'),
        ("end", "/messages/3", "}\n</tool_call>"),
        ("header", "/messages/4", '\n<tool_call>\n{"name": "g", "arguments": '),
        ("body", "/messages/4/content", "{}"),
        ("end", "/messages/4", "}\n</tool_call><|im_end|>"),
    ]


def _wire(second: str = "g") -> list[dict[str, Any]]:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}},
        {"id": "c2", "type": "function", "function": {"name": second, "arguments": "{}"}},
    ]
    return [{"role": "assistant", "reasoning": "Hm.", "content": None, "tool_calls": calls}]


def test_calls_of_one_function_without_arguments_have_spans_of_their_own() -> None:
    calls = [
        Message("assistant", "{}", None, "commentary", "functions.f", end="call", continues=at > 0) for at in (0, 1)
    ]
    for plans in (True, False):
        talk = Transcript((Message("user", "Now?"), *calls))
        found = write(talk, "chatml:lfm2", options=Options(plans=plans), spans=True, policy=LENIENT)
        assert pieces(found, sampled=True) == [
            ("header", "/messages/1", "<|tool_call_start|>[f("),
            ("header", "/messages/2", "), f("),
            ("end", "/messages/2", ")]<|tool_call_end|><|im_end|>"),
        ]


@pytest.mark.parametrize("target", ["harmony", "chatml:hermes", "chatml:qwen-xml", "ocm-0.1", "ocm-2.2", "internlm2"])
def test_declared_tools_have_a_span_of_their_own(target: str) -> None:
    tools = (Tool("weather", "Asks the sky.", {"type": "object", "properties": {}}, "functions"),)
    developer = Transcript((Message("developer", "Be brief."), *TALK.messages[1:]), tools=tools)
    for document in (Transcript(TALK.messages, tools=tools), developer):
        found = pieces(write(document, target, spans=True, policy=LENIENT))
        [(_, path, text)] = [one for one in found if one[0] == "tools"]
        assert path == "/tools"
        assert "Asks the sky." in text
        assert "Be brief." not in text
        assert ("body", "/messages/0/content", "Be brief.") in found


def test_parts_have_spans_of_their_own() -> None:
    tools = Tools((Tool("f", None, None, "functions"),))
    found = pieces(write(Transcript((Message("developer", (Text("Be brief."), tools)),)), "harmony", spans=True))
    assert ("body", "/messages/0/content/0/text", "Be brief.") in found
    assert [path for kind, path, _ in found if kind == "tools"] == ["/messages/0/content/1"]


def test_the_open_turn_is_not_sampled() -> None:
    asked = Transcript(TALK.messages[:2], open_turn=Message("assistant", "", end=None))
    assert pieces(write(asked, "chatml", spans=True))[-2:] == [
        ("gap", "", "\n"),
        ("open-turn", "/open_turn", "<|im_start|>assistant\n"),
    ]
    assert not any(span.sampled for span in write(asked, "harmony", spans=True).spans or ())


def test_moved_replies_keep_their_paths() -> None:
    wire = [*_wire("f"), {"role": "tool", "tool_call_id": "c2", "content": "two<|end|>"}]
    wire.append({"role": "tool", "tool_call_id": "c1", "content": "one"})
    result = convert(wire, source="openai", target="harmony", spans=True, policy=LENIENT)
    order = [(path, text) for kind, path, text in pieces(result) if kind == "body" and not text.startswith("{")]
    assert order == [
        ("/messages/0/content", "Hm."),
        ("/messages/4/content", "one"),
        ("/messages/3/content", "two<\u200b|end|>"),
    ]


def test_reasoning_that_is_left_out_has_no_span_and_moves_no_other() -> None:
    result = write(TALK, "harmony", drop_analysis="final", spans=True)
    assert [path for kind, path, _ in pieces(result) if kind == "body"] == [
        f"/messages/{index}/content" for index in (0, 1, 3, 4, 5)
    ]


def test_added_tokens_that_are_broken_move_what_follows() -> None:
    talk = Transcript((Message("user", "a<mask>b"), Message("assistant", "c", channel="final")))
    result = write(talk, "harmony", options=Options(special_tokens=("<mask>",)), spans=True, policy=LENIENT)
    assert pieces(result)[1] == ("body", "/messages/0/content", "a<\u200bmask>b")
    tiles(result)


def test_a_text_to_be_completed_is_one_body() -> None:
    result = write(Completion((Infill("a", None, "c"),)), "ocm-0.1", spans=True)
    assert [(span.kind, span.path) for span in result.spans or ()] == [(SpanKind.BODY, "/content")]


def test_json_has_no_spans() -> None:
    with pytest.raises(BridgeError) as caught:
        write(TALK, "openai", spans=True)
    assert caught.value.code is ErrorCode.OPTION


# --- what a model would have written ----------------------------------------------------------------------------------


def written_by_the_model(target: str) -> str:
    return "⋮".join(text for _, _, text in pieces(write(TALK, target, spans=True, policy=LENIENT), sampled=True))


@pytest.mark.parametrize(
    ("target", "header", "end"),
    [
        ("harmony", "<|channel|>final<|message|>", "<|end|>"),
        ("ocm-2.2", "<|channel|>final<|message|>", "<|return|>"),
        ("chatml", "", "<|im_end|>"),
        ("internlm2", "", "<|im_end|>"),
        ("ocm-0.1", "", "\n<|im_end|>"),
    ],
)
def test_an_answer_is_sampled_from_the_end_of_the_prompt_to_its_end(target: str, header: str, end: str) -> None:
    """Harmony and 2.2 from after `<|start|>assistant`, the others from after the line of the header; no line break."""
    parts = [part for part in (header, "No.", end) if part]
    assert written_by_the_model(target).split("⋮")[-len(parts) :] == parts


def test_a_first_frame_without_a_start_token_is_sampled_with_and_without_a_plan() -> None:
    """The start token is at the end of the prompt."""
    source = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>No.<|return|>"
    for _ in range(4):
        spans = convert(source, source="harmony", target="harmony", spans=True).spans or ()
        assert "".join(source[span.start : span.end] for span in spans if span.sampled) == source.replace(
            "<|start|>assistant", ""
        )


def test_a_handoff_is_sampled_with_its_header() -> None:
    assert ' to=functions.f<|channel|>commentary <|constrain|>json<|message|>⋮{"a":1}⋮<|call|>' in written_by_the_model(
        "harmony"
    )
    assert "<|channel|>analysis<|message|>⋮I look.⋮<|end|>" in written_by_the_model("harmony")


@pytest.mark.parametrize("target", [*TEXTS, "internlm2", *TOKENS])
def test_messages_of_other_roles_are_not_sampled(target: str) -> None:
    spans = write(TALK, target, spans=True, policy=LENIENT).spans or ()
    others = {"/messages/0/content", "/messages/1/content", "/messages/4/content", ""}
    assert not any(span.sampled for span in spans if span.path in others)


def test_the_weight_of_a_message_is_multiplied_in() -> None:
    wire = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b", "weight": 0},
        {"role": "user", "content": "c"},
        {"role": "assistant", "content": "d", "weight": 1},
    ]
    spans = convert({"messages": wire}, source="openai", target="chatml", spans=True, policy=LENIENT).spans or ()
    weights = {span.path: (span.sampled, span.weight) for span in spans if span.kind is SpanKind.BODY}
    assert weights == {
        "/messages/0/content": (False, 0),
        "/messages/1/content": (True, 0),
        "/messages/2/content": (False, 0),
        "/messages/3/content": (True, 1),
    }


def test_an_empty_thought_that_a_template_writes_is_not_sampled() -> None:
    text = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\nHello.<|im_end|>\n"
    result = convert(text, source="chatml", target="chatml", spans=True)
    assert result.output == text
    assert pieces(result, sampled=True) == [
        ("body", "/messages/1/content", "Hello."),
        ("end", "/messages/1", "<|im_end|>"),
    ]


# --- laws -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["chatml:lfm2", "ocm-0.1", "harmony-tokens"])
def test_the_laws_are_kept_for_drawn_documents(target: str) -> None:
    check_spans(target, unescape=unescape if target == "ocm-2.2" else str, examples=3)


@pytest.mark.long
@pytest.mark.parametrize("target", [*TEXTS, "internlm2", "internlm2:unused", "internlm2:lagent", *TOKENS])
def test_the_laws_are_kept_for_many_drawn_documents(target: str) -> None:
    check_spans(target, unescape=unescape if target == "ocm-2.2" else str, examples=1500)


@pytest.mark.parametrize("step", [pytest.param(200, id="some"), pytest.param(1, id="all", marks=pytest.mark.long)])
def test_the_laws_are_kept_for_real_documents(step: int) -> None:
    for number, case in enumerate(corpus_cases()):
        if number % step:
            continue
        try:
            document = read(case.data, case.format).transcript
        except BridgeError:
            continue
        for target in (*TEXTS, "internlm2", *TOKENS):
            spans_hold(document, target, unescape=unescape if target == "ocm-2.2" else str)


def test_tokens_are_those_of_the_text() -> None:
    """Law 9e: the ids of a span are those of its text, so no id belongs to two spans."""
    talk = Transcript((Message("system", "Grüße 你好"), *TALK.messages[1:]))
    ids = write(talk, "harmony-tokens", spans=True)
    text = write(talk, "harmony", options=Options(control_tokens="raw"), spans=True, policy=LENIENT)
    output: Any = ids.output
    assert [(span.path, span.kind, spelled(output[span.start : span.end])) for span in ids.spans or ()] == [
        (span.path, span.kind, str(text.output)[span.start : span.end]) for span in text.spans or ()
    ]
    assert set(_ends(text.spans or (), str(text.output))) <= set(ends_of(output))


def test_ids_of_internlm2_are_those_of_the_text() -> None:
    ids, text = (write(TALK, target, spans=True, policy=LENIENT) for target in ("internlm2-tokens", "internlm2"))
    output: Any = ids.output
    own = [(span.path, to_text(output[span.start : span.end], load_vocabulary())) for span in ids.spans or ()]
    assert own == [(path, piece) for _, path, piece in pieces(text)]


@pytest.mark.parametrize("target", TOKENS)
def test_a_truncated_text_that_spells_an_end_token_is_a_body(target: str) -> None:
    """Among ids it is no end; a template of units that end must not take it for theirs."""
    for token in ("<|end|>", "<|im_end|>"):
        talk = Transcript((Message("user", "Hi"), Message("assistant", token, channel="final", end=None)))
        found = [
            write(talk, target, options=Options(plans=plans), spans=True, policy=LENIENT) for plans in (True, False)
        ]
        assert found[0].spans == found[1].spans
        assert [(span.kind, span.path) for span in found[0].spans or ()][-1] == (SpanKind.BODY, "/messages/1/content")


def test_the_space_before_a_text_belongs_to_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many vocabularies put a space before a text; it does not belong to the token before."""
    monkeypatch.setenv(VARIABLE, str(write_model(tmp_path / "tokenizer.model", prefix=True)))
    for last in ("end", None):
        talk = Transcript((Message("user", "Hi"), Message("assistant", "No.", channel="final", end=last)))
        found = write(talk, "internlm2-tokens", spans=True, policy=LENIENT)
        ends = [span for span in found.spans or () if span.kind is SpanKind.END]
        assert [span.end - span.start for span in ends] == [1] * len(ends)


def _ends(spans: tuple[Span, ...], text: str) -> list[int]:
    return [len(text[: span.end].encode()) for span in spans]


class Words:
    """A tokenizer of words: each with the blanks before it."""

    class Encoding(NamedTuple):
        ids: list[int]
        offsets: list[tuple[int, int]]

    def encode(self, sequence: str, /, *, add_special_tokens: bool) -> Encoding:
        assert not add_special_tokens
        offsets = [found.span() for found in re.finditer(r"\s*(<\|\w+\|>|[^\s<]+)|\s+", sequence)]
        return self.Encoding([len(sequence[begin:end]) for begin, end in offsets], offsets)


def test_a_text_has_spans_in_the_tokens_of_any_model() -> None:
    talk = Transcript((Message("user", "Hi"), Message("assistant", "\nNo, not now.", channel="final")))
    result = write(talk, "chatml", spans=True)
    ids, spans = tokenized(result.spans or (), str(result.output), Words())
    assert [span.start for span in spans] == [0, *[span.end for span in spans][:-1]]
    assert spans[-1].end == len(ids)
    body = next(span for span in spans if span.path == "/messages/1/content")
    assert ids[body.start : body.end] == [len("\n\nNo,"), len(" not"), len(" now.")]  # the later one has a shared token


def test_a_text_has_spans_in_the_tokens_of_a_real_tokenizer() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="it is an extra")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    special = ["<|im_start|>", "<|im_end|>"]
    made.train_from_iterator(
        ["Grüße 你好"], tokenizers.trainers.BpeTrainer(special_tokens=special, initial_alphabet=alphabet)
    )
    talk = Transcript((Message("user", "Grüße 你好"), Message("assistant", "No.", channel="final")))
    result = write(talk, "chatml", spans=True)
    ids, spans = tokenized(result.spans or (), str(result.output), made)
    decoded = [made.decode(ids[span.start : span.end], skip_special_tokens=False) for span in spans]
    assert decoded == [str(result.output)[span.start : span.end] for span in result.spans or ()]


@pytest.mark.parametrize(
    ("target", "stable"), [("chatml", True), ("harmony", True), ("ocm-2.2", False), ("ocm-0.1", False)]
)
def test_a_text_continues_where_its_beginning_ended(target: str, stable: bool) -> None:
    """Law 9f. OpenChatML 2.2 ends its last answer with `<|return|>`, and 0.1 the whole text with a token."""
    talk = Transcript((Message("user", "Hi"), Message("assistant", "Yes.", channel="final"), Message("user", "So?")))
    assert is_stable(talk, target) is stable
    outputs = [str(write(replace(talk, messages=talk.messages[:count]), target).output) for count in (1, 2, 3)]
    assert all(outputs[-1].startswith(output) for output in outputs) is stable


def test_a_text_may_be_stable_with_an_open_turn_or_a_loss() -> None:
    """A prefix has no open turn, and is written even with losses."""
    talk = Transcript((Message("user", "Hi"), Message("user", "So?")), open_turn=Message("assistant", ""))
    assert is_stable(talk, "chatml")
    unknown = [{"type": "speech", "text": "Hi"}]
    request = {"messages": [{"role": "user", "content": content} for content in (unknown, "So?")]}
    emptied = read(request, "openai").transcript
    assert isinstance(emptied, Transcript)
    with pytest.raises(BridgeError, match="OCB-EMPTIED"):
        write(emptied, "chatml")
    assert is_stable(emptied, "chatml")


@pytest.mark.parametrize(("name", "stable"), [("qwen2.5", True), ("qwen3", False), ("gpt-oss", False)])
def test_a_template_may_rewrite_what_it_wrote(name: str, stable: bool) -> None:
    """Qwen3 takes the thoughts out of what is history; gpt-oss too, and ends its last answer otherwise."""
    wire = [{"role": "user", "content": "Hi"}, {"role": "assistant", "reasoning": "Hm.", "content": "Yes."}]
    request = read({"messages": [*wire, {"role": "user", "content": "So?"}]}, "openai").transcript
    assert isinstance(request, Transcript)
    assert profile(name).is_stable(request) is stable


def test_stability_is_checked_even_if_a_prefix_becomes_empty() -> None:
    speech = {"type": "speech", "text": "Hi"}
    request = read({"messages": [{"role": "user", "content": [speech]}]}, "openai").transcript
    assert isinstance(request, Transcript)
    with pytest.raises(BridgeError, match="OCB-EMPTIED"):
        profile("hermes").prompt(request)
    assert profile("hermes").is_stable(request)


# --- losses -----------------------------------------------------------------------------------------------------------


def test_a_loss_has_its_place_in_the_output() -> None:
    talk = Transcript((Message("user", "a <|end|> b", name="bob"), Message("assistant", "c", channel="final")))
    result = write(talk, "harmony", spans=True, policy=LENIENT)
    losses: Any = result.report()["losses"]
    places = {loss["path"]: str(result.output)[slice(*loss["span"])] for loss in losses}
    assert places["/messages/0/content"] == "a <\u200b|end|> b"
    assert places["/messages/0/name"] == "<|start|>user<|message|>a <\u200b|end|> b<|end|>"


def test_a_loss_of_a_missing_message_has_no_place_in_the_output() -> None:
    thought = Message("assistant", "Hm.", channel="analysis")
    result = write(Transcript((TALK.messages[0], thought)), "chatml", spans=True, policy=LENIENT)
    losses: Any = result.report()["losses"]
    assert [("span" in loss) for loss in losses if loss["path"] == "/messages/1"] == [False]
    assert "span" not in str(write(TALK, "harmony", policy=LENIENT).report())


def test_places_in_bytes_are_those_of_the_encoded_text() -> None:
    text = str(write(replace(TALK, messages=(Message("user", "Grüße 你好"),)), "chatml").output)
    spans = convert(text, source="chatml", target="chatml", spans=True).spans or ()
    data = text.encode()
    assert [data[span.start : span.end].decode() for span in in_bytes(spans, text)] == [
        text[span.start : span.end] for span in spans
    ]
