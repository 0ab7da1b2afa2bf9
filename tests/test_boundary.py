"""Law 11: two conversations never become one. Tokens that begin or end one do so wherever they are outside messages."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import BridgeError, ErrorCode, Message, Options, Transcript, convert, read, read_all, write
from ocml_bridge.formats.boundary import ListsOfDocuments, Place
from ocml_bridge.model import ByFormat
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.split import split
from ocml_bridge.testing import strategies
from ocml_bridge.testing.boundary import boundaries

USER = "<|im_start|>user\n{}\n<|im_end|>"
CHATML = "<|im_start|>user\n{}<|im_end|>"
HARMONY = "<|start|>user<|message|>{}<|end|>"
ANSWERED = "<|start|>system<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>"
OCM = "version: 2.2\n<|start|>user<|message|>{}<|end|>\n"
START, END = {"token": "<|im_start|>"}, {"token": "<|im_end|>"}


def listed(text: str) -> list[Any]:
    return [START, f"user\n{text}", END]


def request(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


SEVERAL: list[tuple[str, Any, Place]] = [
    ("ocm-0.1", f"[BOS]{USER.format('A')}[EOS][BOS]{USER.format('B')}[EOS]", Place(39, 3, 16)),
    ("ocm-0.1", f"<s>{USER.format('A')}</s><s>{USER.format('B')}</s>\n", Place(36, 3, 15)),
    ("ocm-0.1", f"{USER.format('A')}[EOS]\n{USER.format('B')}", Place(35, 4, 1)),
    ("internlm2", f"<s>{CHATML.format('A')}</s><s>{CHATML.format('B')}</s>", Place(35, 2, 16)),
    ("chatml", f"{CHATML.format('A')}\n<|endoftext|>{CHATML.format('B')}", Place(42, 3, 14)),
    ("chatml", f"{CHATML.format('A')}\n<s>{CHATML.format('B')}", Place(29, 3, 1)),
    ("harmony", ANSWERED.format("A") + ANSWERED.format("B"), Place(93, 1, 94)),
    ("harmony", f"{HARMONY.format('A')}<|endoftext|>\n<|startoftext|>{HARMONY.format('B')}", Place(46, 2, 1)),
    ("ocm-2.2", OCM.format("A") + OCM.format("B"), Place(46, 3, 1)),
    ("ocm-2.2", OCM.format("A") + "---\n" + OCM.format("B"), Place(46, 3, 1)),
    ("chatml-json", [*listed("A"), {"token": "<|endoftext|>"}, *listed("B")], Place(path="/4")),
    ("chatml-json", [listed("A"), listed("B")], Place(path="/1")),
    ("openai", [request("A"), request("B")], Place(path="/1")),
    ("openai", [request("A")["messages"], request("B")["messages"]], Place(path="/1")),
    ("openai", b'{"messages":[{"role":"user","content":"A"}]}\n{"messages":[]}\n', Place(path="/1")),
    ("ocm-2.2-json", [[{"role": "user", "content": "A"}], [{"role": "user", "content": "B"}]], Place(path="/1")),
    ("canonical", [{"type": "transcript", **request("A")}, {"type": "transcript", **request("B")}], Place(path="/1")),
]
"""A format, a document of two conversations, and the position of the second."""
IDS = [source for source, _, _ in SEVERAL]


@pytest.mark.parametrize(("source", "data", "second"), SEVERAL, ids=IDS)
def test_a_document_of_several_conversations_is_refused_with_the_position_of_the_second(
    source: str, data: Any, second: Place
) -> None:
    with pytest.raises(BridgeError) as raised:
        read(data, source)
    error = raised.value
    assert error.code is ErrorCode.SEVERAL
    assert error.exit_code == 4
    assert (error.offset, error.line, error.column, error.path) == second
    assert "ocml-convert batch" in error.message
    assert "read_all" in error.message


@pytest.mark.parametrize(("source", "data", "second"), SEVERAL, ids=IDS)
def test_read_all_returns_each_conversation_with_its_position(source: str, data: Any, second: Place) -> None:
    one, other = read_all(data, source)
    assert one.place in (Place(0, 1, 1), Place(path="/0"))
    assert other.place == second
    assert contents(one.transcript)[0] == "A"
    assert one.findings == other.findings == ()


def test_a_conversation_may_begin_behind_the_open_turn_of_a_prompt() -> None:
    text = f"{HARMONY.format('A')}<|start|>assistant<|endoftext|><|startoftext|>{HARMONY.format('B')}"
    with pytest.raises(BridgeError, match="a second conversation begins here") as raised:
        read(text, "harmony")
    assert raised.value.offset == text.index("<|startoftext|>")
    assert [contents(each.transcript)[0] for each in read_all(text, "harmony")] == ["A", "B"]


@pytest.mark.parametrize(("source", "data", "second"), SEVERAL, ids=IDS)
def test_the_format_of_several_conversations_is_known(source: str, data: Any, second: Place) -> None:
    found = {reading.source for reading in read_all(data, source)}
    assert found == {source}


def contents(document: Any) -> list[str]:
    return [message.content for message in document.messages]


def test_token_ids_are_cut_at_the_ids_of_their_boundaries() -> None:
    pytest.importorskip("openai_harmony", reason="token ids need the official encoder")
    text = f"<|startoftext|>{ANSWERED.format('A')}<|endoftext|><|startoftext|>{ANSWERED.format('B')}<|endoftext|>"
    ids = load_encoding().encode(text, allowed_special="all")
    one, other = read_all(ids, "harmony-tokens")
    assert (contents(one.transcript)[0], contents(other.transcript)[0]) == ("A", "B")
    assert other.place == Place(path=f"/{len(ids) // 2}")
    assert one.findings == other.findings == ()
    assert [*read_all([ids[:12], ids[:12]], "harmony-tokens")][1].place == Place(path="/1")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("ocm-0.1", f"[BOS]{USER.format('A')}[EOS]\n"),
        ("ocm-0.1", "[BOS]<|file_separator|>a<|file_separator|>b[EOS]"),
        ("ocm-0.1", f"[BOS]{USER.format('[EOS][BOS]')}[EOS]"),
        ("chatml", f"{CHATML.format('A')}\n<|endoftext|>"),
        ("chatml", f"<s>{CHATML.format('A')}\n</s>\n"),
        ("chatml", f"{CHATML.format('</s><s>')}\n"),
        ("internlm2", f"<s>{CHATML.format('A')}\n{CHATML.format('B')}\n"),
        ("harmony", f"<|startoftext|>{ANSWERED.format('A')}<|endoftext|>\n"),
        ("harmony", f"{HARMONY.format('A')}{HARMONY.format('B')}\n"),
        ("ocm-2.2", OCM.format("version: 2.2")),
    ],
)
def test_text_around_or_inside_of_one_conversation_is_not_a_boundary(source: str, text: str) -> None:
    reading = read(text, source)
    assert reading.findings == ()
    assert write(reading.transcript, source).output == text
    assert len([*read_all(text, source)]) == 1


def test_tokens_in_the_options_are_boundaries() -> None:
    text = f"<START>{USER.format('A')}<STOP><START>{USER.format('B')}<STOP>"
    options = Options(format_options={"bos": "<START>", "eos": "<STOP>"})
    assert [contents(one.transcript) for one in read_all(text, "ocm-0.1", options=options)] == [["A"], ["B"]]
    assert len(read(text, "ocm-0.1").findings) > 0


def test_an_invalid_conversation_raises_in_its_turn_with_its_position() -> None:
    readings = read_all(f"{CHATML.format('A')}\n<|endoftext|>\n<|im_start|>user\nhalf", "chatml")
    assert contents(next(readings).transcript) == ["A"]
    with pytest.raises(BridgeError) as raised:
        next(readings)
    assert (raised.value.code, raised.value.line, raised.value.column) == (ErrorCode.INCOMPLETE, 4, 1)
    with pytest.raises(StopIteration):
        next(readings)


def test_an_error_in_json_has_its_path_in_the_whole_document() -> None:
    readings = read_all([request("A"), {"messages": [{"role": 5, "content": "B"}]}], "openai")
    assert contents(next(readings).transcript) == ["A"]
    with pytest.raises(BridgeError) as raised:
        next(readings)
    assert (raised.value.code, raised.value.path) == (ErrorCode.SHAPE, "/1/messages/0/role")


@pytest.mark.parametrize(
    ("place", "json", "moved"),
    [
        (Place(path="/1"), True, ("/1/messages/0", 7, 1, 3)),
        (Place(path="/1"), False, ("/messages/0", 7, 1, 3)),
        (Place(offset=20, line=4, column=5), False, ("/messages/0", 27, 4, 7)),
    ],
)
def test_the_position_of_an_error_is_counted_from_the_beginning_of_the_document(
    place: Place, json: bool, moved: tuple[str, int, int, int]
) -> None:
    error = BridgeError(ErrorCode.SHAPE, "x", path="/messages/0", offset=7)
    error.line, error.column = 1, 3
    place.moved(error, json=json)
    assert (error.path, error.offset, error.line, error.column) == moved
    error = BridgeError(ErrorCode.SHAPE, "x")
    error.line, error.column = 2, 3
    assert place.moved(error, json=json).column == 3, "only its first line begins behind another conversation"
    none = place.moved(BridgeError(ErrorCode.SHAPE, "x"), json=json)
    assert (none.path, none.offset, none.line, none.column) == (None, None, None, None)


def test_a_document_of_another_format_is_an_error_at_once() -> None:
    with pytest.raises(BridgeError) as raised:
        read_all(CHATML.format("A"), "openai")
    assert (raised.value.code, raised.value.offset, raised.value.line) == (ErrorCode.JSON, 0, 1)


@given(st.lists(st.sampled_from([data for _, data, _ in SEVERAL if isinstance(data, str)]), max_size=3).map("\n".join))
def test_the_parts_of_a_text_joined_are_the_text(text: str) -> None:
    for source in ("ocm-0.1", "internlm2", "chatml", "harmony"):
        parts = split(text, source)
        assert "".join(str(part.value) for part in parts) == text
        assert [part.place.offset for part in parts] == [
            sum(len(str(before.value)) for before in parts[:at]) for at in range(len(parts))
        ]


def conversations() -> st.SearchStrategy[Transcript]:
    spoken = st.builds(Message, st.sampled_from(["system", "user"]), strategies.texts())
    return st.lists(spoken, min_size=1, max_size=3).map(lambda messages: Transcript(tuple(messages)))


@pytest.mark.parametrize("target", ["ocm-0.1:bare", "chatml", "internlm2", "harmony", "ocm-2.2"])
@given(st.lists(conversations(), min_size=2, max_size=4), boundaries())
def test_concatenated_conversations_are_read_one_by_one(target: str, documents: list[Transcript], between: str) -> None:
    outputs = [write(document, target).data.decode() for document in documents]
    readings = [*read_all(between.join(outputs), target, options=Options(force_format=True))]
    alone = [read(output, target).transcript for output in outputs]
    assert [contents(one.transcript) for one in readings] == [contents(document) for document in alone]


@pytest.mark.parametrize("source", ["ocm-0.1", "chatml", "internlm2", "harmony", "ocm-2.2"])
@given(conversations(), boundaries())
def test_every_document_is_written_as_one_conversation(source: str, document: Transcript, gap: str) -> None:
    """This is true whatever text between its messages a document keeps."""
    keys = ("gap", "before", "tail", "front", "head")
    laid: ByFormat = {source: dict.fromkeys(keys, gap)}
    messages = tuple(
        Message(one.role, one.content, layout=laid, extras=laid, end="return") for one in document.messages
    )
    output = write(Transcript(messages, layout=laid, extras=laid), source, policy=LENIENT).data
    assert len([*read_all(output, source)]) == 1


def test_a_message_does_not_end_the_training_line_if_a_system_message_follows() -> None:
    messages = (Message("assistant", "x", channel="final", end="return"), Message("system", "y"))
    result = write(Transcript(messages), "harmony")
    assert isinstance(result.output, str)
    assert result.output.endswith("<|end|><|start|>system<|message|>y<|end|>")
    assert [loss.code for loss in result.losses] == ["ending"]


def test_several_conversations_are_never_converted_to_one() -> None:
    for source, data, _ in SEVERAL:
        with pytest.raises(BridgeError, match="OCB-SEVERAL"):
            convert(data, source=source, target="canonical")


def test_read_all_of_one_list_is_one_conversation() -> None:
    messages = [{"role": "user", "content": "Hi"}]
    assert [(reading.place.path, reading.source) for reading in read_all(messages, "ocm-2.2-json")] == [
        ("", "ocm-2.2-json")
    ]


def test_read_all_of_one_document_is_one_conversation() -> None:
    document = {"messages": [{"role": "user", "content": "Hi"}]}
    lists = ListsOfDocuments(lambda value: "messages" in value, None)
    assert lists.split(document, Options()) == [(0, document)]
    assert lists.split([document, document], Options()) == [(0, document), (1, document)]
