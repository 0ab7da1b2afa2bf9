"""Detection of a source's format, checked on real files that are labelled by their origin, and on small examples.

The labels come from the corpus's lists of sources, not from detection. A label names the formats that are
right; a document that no format reads has the name that the error must contain. A source that is not detected is
ambiguous or unknown; it is never detected as another format.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import pytest

from corpus import corpus_path, other_wire
from ocml_bridge import BridgeError, ErrorCode, adapter, detect

UNDETECTED = "undetected"
"""The result for a source whose format `detect` cannot find."""


class Label(NamedTuple):
    """The correct result for a group of documents.

    Attributes:
        formats: the formats that are right.
        named: a part of the error's message if no format is right; "" for anything.
        share: the percentage of documents whose format must be detected.
    """

    formats: frozenset[str]
    named: str = ""
    share: int = 0


def of(*right: str, named: str = "", share: int = 0) -> Label:
    return Label(frozenset(right), named, share)


CHAT, NOTHING = of("openai", share=100), of()
WIRES = {
    ("anthropic", "request"): of("anthropic", share=100),
    ("anthropic", "response"): of("anthropic", share=100),
    ("anthropic", "response-streaming"): of(named="a recorded stream of Anthropic events"),
    ("bedrock", "request"): of("bedrock-converse", share=100),
    ("bedrock", "response"): of("bedrock-converse", share=100),
    ("bedrock", "response-streaming"): of(named="a recorded stream of Bedrock events"),
    ("chat-completions", "request"): CHAT,
    ("chat-completions", "response"): CHAT,
    ("chat-completions", "response-streaming"): of(named="a recorded stream of Chat Completions chunks"),
    ("google", "request"): of("gemini", share=100),
    ("google", "response"): of("gemini", share=100),
    ("google", "response-streaming"): of(named="a Gemini response"),
    ("responses", "request"): of("openai-responses", share=100),
    ("responses", "response"): of("openai-responses", share=100),
    ("responses", "response-streaming"): of(named="a recorded stream of Responses events"),
}
"""The wire and the kind of document → its label."""
LEGACY = {
    "axolotl_alpaca.json": of(named="an Alpaca record"),
    "axolotl_conversation.json": of("sharegpt", share=100),
    "fastchat_dummy_conversation.jsonl": of("sharegpt", share=100),
    "llamafactory_alpaca_en_50.json": of(named="an Alpaca record"),
    "llamafactory_dpo_en_50.json": of("sharegpt", share=100),
    "llamafactory_glaive_toolcall_en.jsonl": of("sharegpt", share=100),
    "llamafactory_identity.jsonl": of(named="an Alpaca record"),
    "llamafactory_kto_en_50.json": CHAT,
    "llamafactory_v1_sft_50.jsonl": of(named="messages of LLaMA-Factory"),
    "msswift_alpaca.csv": of(named="(CSV)"),
    "msswift_alpaca_history.jsonl": of(named="an Alpaca record"),
    "msswift_query_history.jsonl": of(named="a question and its answer"),
    "msswift_sharegpt_pairs.jsonl": of(named="pairs of texts of a user and an assistant"),
    "oasst2_trees.jsonl": of(named="Open Assistant"),
    "glaive_v2_row.jsonl": of(named="a Glaive record"),
    "xlam_row.jsonl": of(named="a question and its answer"),
}
"""The file of training data → the label of its records."""
TEXTS = {
    "harmony": of("harmony", share=75),
    "chatml": of("chatml", share=90),
    # A conversation without tools is the same in both.
    "internlm2": of("internlm2", "chatml", share=95),
}
READ = {"Anthropic": of("anthropic", share=100), "Responses": of("openai-responses")}
"""Other vendors whose messages are read."""
OTHERWISE = {
    "docs/model.md:34": of("chatml"),
    "docs/model.md:157": of("chatml"),
    "tests/model/parsers/test_harmony_parsers.cpp": NOTHING,
}
"""Texts that are in the folder of another format, by their ids."""
FAMILIES = {"gpt-oss": "harmony", "internlm2": "internlm2"}
"""Families of templates that write no ChatML."""


class Document(NamedTuple):
    """A document, which it is, and its label."""

    id: str
    group: str
    data: Any
    label: Label


def wires() -> Iterator[Document]:
    for path in sorted(corpus_path("wires").glob("*/*/*.json")):
        kind = path.stem.removeprefix("followup-")
        if kind != "error":
            wire = path.parent.name
            yield Document(str(path), f"wires {wire} {kind}", path.read_bytes(), WIRES[wire, kind])


def legacy() -> Iterator[Document]:
    for name, label in LEGACY.items():
        path = corpus_path("legacy", name)
        if path.suffix == ".csv":
            yield Document(name, name, path.read_bytes(), label)
            continue
        text = path.read_text("utf-8")
        lines = text.splitlines() if path.suffix == ".jsonl" else [text]
        values: list[Any] = [json.loads(line) for line in lines]
        for number, record in enumerate(cast("list[Any]", values[0]) if isinstance(values[0], list) else values):
            yield Document(f"{name}:{number}", name, record, label)


def chat_completions() -> Iterator[Document]:
    for path in sorted(corpus_path("openai").glob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            document = json.loads(line)
            vendor = other_wire(document)
            label = CHAT if vendor is None else READ.get(vendor, of(named=vendor))
            yield Document(f"{path.name}:{number}", "openai" if vendor is None else vendor, document, label)


def texts() -> Iterator[Document]:
    for folder, label in TEXTS.items():
        for path in sorted(corpus_path(folder).rglob("*")):
            if path.suffix == ".txt" and not path.read_text("utf-8")[0].isdigit():
                yield Document(str(path), folder, path.read_bytes(), label)
            elif path.suffix == ".jsonl":
                for line in path.read_text("utf-8").splitlines():
                    row = json.loads(line)
                    name = f"{path.name} {row.get('id')}"
                    if isinstance(row.get("text"), str):
                        yield Document(name, folder, row["text"], OTHERWISE.get(str(row.get("id")), label))


def dialects() -> Iterator[Document]:
    for path in sorted(corpus_path("chatml-dialects").glob("*.txt")):
        yield Document(path.name, "rendered ChatML", path.read_bytes(), of("chatml", share=100))
    for path in sorted(corpus_path("chatml-dialects").glob("*.request.json")):
        yield Document(path.name, "their requests", path.read_bytes(), CHAT)
    for line in corpus_path("chatml-dialects", "grid.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row.get("prompt"):
            right = next((form for family, form in FAMILIES.items() if family in row["family"]), "chatml")
            accepted = {right, "chatml"} if right == "internlm2" else {right}
            yield Document(row["name"], f"grid {row['family']}", row["prompt"], Label(frozenset(accepted), share=100))


def detected(data: Any) -> tuple[str, str]:
    """The detected format, or UNDETECTED and the error's message."""
    try:
        return detect(data), ""
    except BridgeError as error:
        if error.code not in (ErrorCode.FORMAT_UNKNOWN, ErrorCode.FORMAT_AMBIGUOUS):
            raise
        return UNDETECTED, error.message


@pytest.mark.parametrize("documents", [wires, legacy, chat_completions, texts, dialects])
def test_no_real_document_is_detected_as_another_format(documents: Any) -> None:
    wrong: list[str] = []
    counts: dict[str, Counter[str]] = {}
    least: dict[str, int] = {}
    for document in documents():
        found, message = detected(document.data)
        counts.setdefault(document.group, Counter())[found] += 1
        least[document.group] = max(least.get(document.group, 0), document.label.share)
        if found == UNDETECTED:
            if document.label.named not in message:
                wrong.append(f"{document.id}: {message}")
        elif found not in document.label.formats:
            wrong.append(f"{document.id}: {found}")
    assert wrong == []
    for group, count in counts.items():
        assert 100 * (count.total() - count[UNDETECTED]) >= least[group] * count.total(), (group, count)


# --- small ones -------------------------------------------------------------------------------------------------------

THOUGHT = {"role": "assistant", "thinking": "t", "content": ""}
CALLED = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
QUESTION = {"role": "user", "content": "q"}
IMAGE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.test/a.png"}}]}
EXAMPLE = (
    '<|channel|>analysis<|message|>User asks: "What is 2 + 2?" Simple arithmetic. Provide answer.<|end|>\n'
    "<|start|>assistant<|channel|>final<|message|>2 + 2 = 4.<|return|>"
)
"""From openai/harmony docs/format.md."""
TYPESCRIPT = "# Tools\n\n## functions\n\nnamespace functions {\n\ntype f = () => any;\n\n} // namespace functions"


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ([QUESTION, {**THOUGHT, "tool_calls": [CALLED]}], "openai"),
        ([QUESTION, {**THOUGHT, "content": "a"}], "openai"),
        ([IMAGE, {**THOUGHT, "content": "a"}], "openai"),
        ([QUESTION, {"role": "assistant", "channel": "final", "content": "a"}], "ocm-2.2-json"),
        (EXAMPLE, "harmony"),
        ("<|start|>functions.f to=assistant<|channel|>commentary<|message|>1<|end|>\n<|start|>assistant", "harmony"),
        (f"<|start|>developer<|message|>{TYPESCRIPT}<|end|>\n<|start|>user<|message|>q<|end|>\n", "harmony"),
        ("<|start|>user<|message|>a <<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "harmony"),
        ("I must refuse.<|end|><|start|>assistant<|channel|>final<|message|>No.<|return|>", "harmony"),
        ("version: 2.2\n<|start|>user<|message|>q<|end|>\n<|start|>assistant", "ocm-2.2"),
        ("<|start|>user name=alice<|message|>q<|end|>\n<|start|>assistant", "ocm-2.2"),
        ("<|start|>user<|message|>Print <|literal|><|start|><|endliteral|><|end|>", "ocm-2.2"),
        ("<s><|im_start|>system\n<|function_list|>[]\n<tool_call>{}</tool_call><|im_end|>\n", "chatml"),
        ("<|im_start|>user\nWhat is <|fim_prefix|>?<|im_end|>\n", "chatml"),
        ("<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>", "ocm-0.1"),
        ("<|im_start|>user\nHi<|im_end|>\n", "chatml"),
        ("[UNUSED_TOKEN_146]user\nHi[UNUSED_TOKEN_145]\n", "internlm2"),
    ],
)
def test_a_format_is_detected_by_its_unique_marks(source: Any, right: str) -> None:
    assert detect(source) == right


def test_frames_on_lines_of_their_own_are_ambiguous() -> None:
    """It is the minimal example of OpenChatML 2.2 §13, without the header that it must have, and one of Harmony."""
    text = "<|start|>user<|message|>What is 2 + 2?<|end|>\n<|start|>assistant"
    with pytest.raises(BridgeError, match=r"ocm-2\.2 or harmony") as raised:
        detect(text)
    assert raised.value.code is ErrorCode.FORMAT_AMBIGUOUS


def test_text_bytes_and_parsed_json_are_detected_alike() -> None:
    request = {"messages": [QUESTION]}
    text = json.dumps(request)
    assert detect(request) == detect(text) == detect(text.encode()) == detect(f"\ufeff{text}".encode()) == "openai"


def test_the_error_of_the_library_names_its_argument_and_no_option() -> None:
    with pytest.raises(BridgeError, match="`source`") as raised:
        detect("Hello.")
    assert "--" not in raised.value.message


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("opnai", "openai"),
        ("openAI", "openai"),
        ("gpt-oss", "harmony"),
        ("qwen", "chatml:hermes"),
        ("Harmony", "harmony"),
        ("chatlm", "chatml"),
    ],
)
def test_the_error_for_an_unknown_id_names_the_nearest(written: str, meant: str) -> None:
    with pytest.raises(BridgeError, match=rf"did you mean {meant}\?") as raised:
        adapter(written)
    assert raised.value.code is ErrorCode.FORMAT_UNKNOWN


def test_the_error_for_the_id_of_a_stream_names_its_command() -> None:
    with pytest.raises(BridgeError, match="openai-sse is a stream; convert it with `ocml-convert stream`") as raised:
        adapter("openai-sse")
    assert raised.value.code is ErrorCode.FORMAT_UNKNOWN


def test_the_error_for_an_id_that_is_like_no_other_lists_the_formats() -> None:
    with pytest.raises(BridgeError, match=r"the formats are ocm-0\.1") as raised:
        adapter("wav")
    assert "did you mean" not in raised.value.message


@pytest.mark.parametrize("tag", ["<think>\nHm.\n</think>\n\nHi.", '<tool_call>\n{"name": "f"}\n</tool_call>', "a"])
def test_tags_of_chatml_outweigh_a_beginning_that_openchatml_shares(tag: str) -> None:
    text = f"<s>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n{tag}<|im_end|>\n"
    assert detect(text) == ("ocm-0.1" if tag == "a" else "chatml")
    assert detect(text.replace("<s>", "[BOS]")) == "ocm-0.1"
