"""A source that is certainly of another format than the named one is refused; a possible one is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import BridgeError, ErrorCode, Options, convert, formats, read
from ocml_bridge.bulk import Settings, Status, convert_batch
from ocml_bridge.recognise import KINDS
from recognised_examples import EXAMPLES

AS_NAMED = Options(force_format=True)
CHATML = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello!<|im_end|>\n"
HARMONY = "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>Hello!<|return|>"
LLAMA = "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
MISTRAL = "<s>[INST] Hi [/INST] Hello!</s>"
REQUEST = '{"messages":[{"role":"user","content":"Hi"}]}'
ROWS = json.dumps({"text": CHATML}) + "\n" + json.dumps({"text": CHATML}) + "\n"
FORMS = ("harmony", "ocm-0.1")
"""The formats that read any text, because it may be an answer or a text to complete."""


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (CHATML, "ChatML (`<|im_start|>` at 1:1)"),
        (HARMONY, "Harmony (`<|start|>` at 1:1)"),
        (LLAMA, "a Llama 3 prompt (`<|begin_of_text|>` at 1:1)"),
        (MISTRAL, "a Mistral or Llama 2 prompt (`<s>[INST]` at 1:1)"),
        ("<start_of_turn>user\nHi<end_of_turn>\n", "a Gemma prompt"),
        ("[UNUSED_TOKEN_146]user\nHi[UNUSED_TOKEN_145]\n", "InternLM2 text"),
        (REQUEST, "Chat Completions JSON (`messages` at /messages)"),
        (json.dumps(json.loads(REQUEST), indent=2), "Chat Completions JSON"),
    ],
)
def test_certain_evidence_of_another_format_is_refused(data: str, name: str) -> None:
    # OpenChatML 0.1 has the frames of ChatML.
    for named in {*FORMS} - ({"harmony"} if data == HARMONY else {"ocm-0.1"} if data == CHATML else set()):
        with pytest.raises(BridgeError) as raised:
            read(data, named)
        assert raised.value.code is ErrorCode.FORMAT_DOUBT
        assert raised.value.exit_code == 5
        assert f"the input is not {named} but {name}" in raised.value.message
        assert read(data, named, options=AS_NAMED).source == named


@pytest.mark.parametrize(
    ("named", "token"), [("harmony", HARMONY), ("ocm-0.1", CHATML), ("chatml", CHATML), ("ocm-2.2", HARMONY)]
)
@pytest.mark.parametrize("listed", [False, True])
def test_json_that_quotes_a_frame_is_read_as_json(named: str, token: str, listed: bool) -> None:
    messages: Any = [{"role": "user", "content": token}, {"role": "assistant", "tool_calls": []}]
    text = json.dumps(messages if listed else {"messages": messages})
    for data in (text, f" {text}"):
        with pytest.raises(BridgeError) as raised:
            read(data, named)
        assert raised.value.code is ErrorCode.FORMAT_DOUBT


@pytest.mark.parametrize("named", FORMS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello there.",
        "The answer, in short: 4.",
        '{"answer": 42}',
        '[{"name": "a"}, {"name": "b"}]',
        "Write `<|im_start|>user` in front of it.",
        "Use [INST] and [/INST].",
        "<html><body>Here is your page.</body></html>",
        "name,text\na,b\n",
        "user: that is how it begins\nassistant: and goes on",
        "analysisThe user asks.assistantfinalHello",
        "\n\n  Hello",
    ],
)
def test_text_that_may_be_an_answer_is_read_as_the_named_format(named: str, text: str) -> None:
    assert read(text, named).source == named


@pytest.mark.parametrize(
    ("named", "text"),
    [
        ("harmony", f"<|start|>user<|message|>What does {CHATML} mean?<|end|>"),
        ("harmony", f"{CHATML}<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>"),
        ("harmony", f"<|channel|>final<|message|>{MISTRAL}"),
        ("ocm-0.1", f"[BOS]<|im_start|>user\nWhat does {HARMONY} mean?<|im_end|>[EOS]"),
        ("chatml", f"<|im_start|>user\n{REQUEST}<|im_end|>\n"),
        ("chatml", "<s><|im_start|>user\nHi<|im_end|>\n"),
        ("internlm2", CHATML),
        ("ocm-0.1", CHATML),
        ("ocm-2.2", HARMONY),
        ("harmony", "version: 2.2\n<|start|>user<|message|>q<|end|>\n"),
        ("ocm-2.2-json", '[{"role":"user","content":"Hi"},{"role":"expert","content":"Hello!"}]'),
        ("ocm-2.2-json", '[{"role":"model","content":"Hi"},{"role":"assistant","channel":"final","content":"Hello!"}]'),
    ],
)
def test_a_possible_format_is_not_refused(named: str, text: str) -> None:
    assert read(text, named).source == named


# --- openai -----------------------------------------------------------------------------------------------------------

OTHERS = ("Bedrock", "Anthropic", "Responses", "Gemini", "OpenTelemetry", "Vercel", "LLaMA-Factory", "parts")
FOREIGN: list[tuple[str, Any]] = [
    (name, example)
    for name, examples in EXAMPLES.items()
    if any(word in name for word in OTHERS)
    for example in examples
    if not isinstance(example, str) and "messages" in (example if isinstance(example, dict) else {"messages": example})
]


@pytest.mark.parametrize(("name", "example"), FOREIGN)
def test_openai_takes_only_what_it_understands(name: str, example: Any) -> None:
    kind = next(kind for kind in KINDS if kind.name == name)
    is_read = kind.format in formats()
    for source in ("openai",) if is_read else ("openai", None):
        with pytest.raises(BridgeError) as raised:
            convert(example, source=source, target="harmony")
        # An object without a role is refused by the reader itself, whose error names the kind of the input.
        wrong = {ErrorCode.SHAPE, *([ErrorCode.FORMAT_DOUBT] if is_read else [])}
        assert raised.value.code in (wrong if source else {ErrorCode.FORMAT_UNKNOWN})
        assert name in raised.value.message
        assert raised.value.path is not None


def test_openai_reads_unknown_documents_if_the_format_is_forced() -> None:
    document = {
        "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "1"}]}]
    }
    reading = read(document, "openai", options=AS_NAMED)
    assert [finding.code for finding in reading.findings] == ["shape"]
    assert convert(document, source="openai", target="openai", options=AS_NAMED).output == document


@pytest.mark.parametrize(
    "more",
    [
        {
            "content": [
                {"type": "text", "text": "Look."},
                {"type": "video_url", "video_url": {"url": "https://e.test/v"}},
            ]
        },
        {"content": [{"type": "video_url", "video_url": {"url": "https://e.test/v"}}]},
        {"content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}]},
        {"content": [{"type": "file", "file": {"file_id": "f"}}]},
        {"content": [{"type": "text", "text": "Look.", "cache_control": {"type": "ephemeral"}}]},
        {"content": "Hi", "cache_control": {"type": "ephemeral"}, "vendor": {"a": 1}},
        {"content": "Hi", "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]},
        {"content": "Hi", "annotations": [], "audio": None},
    ],
)
def test_members_that_servers_add_to_chat_completions_are_read_without_a_finding(more: dict[str, Any]) -> None:
    reading = read({"model": "m", "messages": [{"role": "user", **more}], "provider": {"order": ["a"]}})
    assert (reading.source, reading.findings) == ("openai", ())


def test_an_unknown_part_among_known_ones_is_a_finding() -> None:
    parts = [{"type": "text", "text": "Look."}, {"type": "hologram", "hologram": "AAAA"}]
    reading = read([{"role": "user", "content": parts}], "openai")
    assert [(finding.code, finding.path) for finding in reading.findings] == [("shape", "/messages/0/content/1")]


# --- the hint in the error --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "data", "words"),
    [
        ("chatml", HARMONY, "this looks like Harmony (`<|start|>` at 1:1); the format harmony reads it"),
        ("chatml", LLAMA, "this looks like a Llama 3 prompt"),
        ("openai", HARMONY, "this looks like Harmony"),
        ("openai", {"model": "m", "input": "Hi"}, "this looks like a request of the Responses API"),
        ("openai", "\x1f\x8b".encode("latin-1"), "this looks like gzip"),
        ("openai", "Hi".encode("utf-16"), "this looks like UTF-16 text"),
        ("canonical", REQUEST, "the format openai reads it"),
    ],
)
def test_an_error_names_the_kind_of_the_input(named: str, data: Any, words: str) -> None:
    with pytest.raises(BridgeError) as raised:
        read(data, named)
    assert words in raised.value.message


@pytest.mark.parametrize("named", formats())
def test_every_example_is_read_or_refused_as_any_format(named: str) -> None:
    for examples in EXAMPLES.values():
        for example in examples:
            try:
                read(example, named)
            except BridgeError:
                continue


# --- many -------------------------------------------------------------------------------------------------------------


def test_a_record_of_another_format_is_quarantined() -> None:
    outcomes = convert_batch([HARMONY, CHATML], Settings("openai", "harmony"))
    assert [outcome.status for outcome in outcomes] == [Status.CONVERTED, Status.QUARANTINED]
    assert outcomes[1].error is not None
    assert outcomes[1].error.code is ErrorCode.FORMAT_DOUBT
    (forced,) = convert_batch([CHATML], Settings("openai", "harmony", options=AS_NAMED))
    assert forced.status is Status.CONVERTED


def test_a_log_of_texts_is_not_one_text() -> None:
    log = json.dumps({"text": HARMONY}) + "\n" + json.dumps({"text": HARMONY}) + "\n"
    with pytest.raises(BridgeError, match="not harmony but a record with a text in it") as caught:
        read(log, "harmony")
    assert caught.value.code is ErrorCode.FORMAT_DOUBT
    assert read(log, "harmony", options=AS_NAMED).source == "harmony"


@pytest.mark.parametrize("named", ["chatml", "ocm-0.1"])
def test_a_log_of_texts_that_are_only_likely_is_not_one_text(named: str) -> None:
    with pytest.raises(BridgeError) as caught:
        read(json.dumps({"text": CHATML}) + "\n" + json.dumps({"text": "Hi <|im_start|>"}), named)
    assert caught.value.code is ErrorCode.FORMAT_DOUBT
    with pytest.raises(BridgeError) as caught:
        read(json.dumps({"text": "Hi <|im_start|>"}), named)
    assert caught.value.code is ErrorCode.FORMAT_DOUBT


@pytest.mark.parametrize("named", FORMS)
def test_records_with_texts_of_other_formats_may_be_a_text_of_the_named_format(named: str) -> None:
    """An answer may be JSON lines."""
    rows = json.dumps({"text": "Hi"}) + "\n" + json.dumps({"text": "Hello!"}) + "\n"
    assert rows.rstrip("\n") in repr(read(rows, named).transcript).replace("\\n", "\n")
