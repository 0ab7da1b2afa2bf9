"""Law 9: each reply answers the same call on both sides, or a loss names the reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from ocml_adapters.harmony.units import Frames
from ocml_bridge import Document, Message, Transcript, convert, formats, make_sidecar, read, registry, verify, write
from ocml_bridge.chat.turns import is_call, parts_of
from ocml_bridge.checks.answers import other_answers
from ocml_bridge.formats.adapter import Adapter
from ocml_bridge.loss import LossCode
from ocml_bridge.pipe import encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import Report, unnamed
from ocml_bridge.report.result import DocumentOutcome, Result
from ocml_bridge.stream import replay
from ocml_bridge.testing import check_adapter, laws
from ocml_bridge.testing.calls import linked_transcripts
from ocml_bridge.testing.encoding import in_pieces, order_of, run
from ocml_bridge.testing.trial import LawBrokenError
from ocml_bridge.units.grammar import Enclosed, State, Unit
from ocml_bridge.units.pairing import pair
from sampling import Pairs, every_pair, examples, some_pairs

FORMATS = formats()
WITHOUT_IDS = ("harmony", "ocm-0.1", "internlm2")
STREAMS = (*WITHOUT_IDS, "chatml", "ocm-2.2")


def request(calls: Iterable[tuple[str, str]], replies: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """A conversation in which the assistant makes calls (id, tool) at once, and replies (id, text) follow."""
    called = [
        {"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps({"k": name})}}
        for name, tool in calls
    ]
    answered = [{"role": "tool", "tool_call_id": name, "content": text} for name, text in replies]
    return {
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": None, "tool_calls": called},
            *answered,
        ]
    }


def answers(document: Document) -> dict[str, str]:
    """The content of the reply to each call, by the `k` of the call."""
    assert isinstance(document, Transcript)
    messages = document.messages
    return {
        json.loads(str(messages[call].content))["k"]: str(messages[reply].content)
        for reply, call in pair(messages).items()
    }


def relations(result: Result) -> list[tuple[str, str]]:
    """The losses of a result that are about what is between messages."""
    return [(loss.code, loss.path) for loss in result.losses if loss.code in (LossCode.ORDER, LossCode.PAIRING)]


def read_back(result: Result) -> Document:
    return read(result.encode(), result.target).transcript


# --- what is written --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [*WITHOUT_IDS, "harmony-tokens"])
def test_replies_that_are_out_of_order_are_written_in_the_order_of_their_calls(target: str) -> None:
    if target == "harmony-tokens":
        pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    result = convert(request([("a", "f"), ("b", "f")], [("b", "two"), ("a", "one")]), source="openai", target=target)
    assert answers(read_back(result)) == {"a": "one", "b": "two"}
    assert relations(result) == [("order", "/messages/3"), ("order", "/messages/4")]
    assert verify(result.transcript, result) == ()


@pytest.mark.parametrize("target", WITHOUT_IDS)
def test_a_call_without_a_reply_does_not_get_that_of_another(target: str) -> None:
    result = convert(request([("a", "f"), ("b", "f")], [("b", "two")]), source="openai", target=target)
    assert answers(read_back(result)) == {"b": "two"}
    assert relations(result) == [("order", "/messages/1"), ("order", "/messages/2")]


@pytest.mark.parametrize("target", WITHOUT_IDS)
def test_each_answered_call_of_three_keeps_its_reply(target: str) -> None:
    calls = [("a", "f"), ("b", "f"), ("c", "f")]
    result = convert(request(calls, [("c", "three"), ("a", "one")]), source="openai", target=target)
    assert answers(read_back(result)) == {"a": "one", "c": "three"}


@pytest.mark.parametrize("target", ["ocm-0.1", "internlm2"])
def test_a_second_reply_to_a_call_that_reads_as_the_reply_to_another_is_reported(target: str) -> None:
    replies = [("a", "one"), ("a", "one again")]
    result = convert(request([("a", "f"), ("b", "f")], replies), source="openai", target=target)
    assert relations(result) == [("pairing", "/messages/4")]


def test_replies_are_not_moved_if_the_names_of_their_tools_determine_the_calls() -> None:
    result = convert(request([("a", "f"), ("b", "g")], [("b", "two"), ("a", "one")]), source="openai", target="harmony")
    assert relations(result) == []
    assert answers(read_back(result)) == {"a": "one", "b": "two"}


@pytest.mark.parametrize("target", ["openai", "ocm-2.2", "ocm-2.2-json", "canonical"])
def test_nothing_is_moved_in_formats_with_ids(target: str) -> None:
    result = convert(request([("a", "f"), ("b", "f")], [("b", "two"), ("a", "one")]), source="openai", target=target)
    assert result.order is None
    assert relations(result) == []


@pytest.mark.parametrize("target", [*WITHOUT_IDS, "chatml", "openai", "ocm-2.2", "ocm-2.2-json", "canonical"])
def test_a_reply_that_names_its_tool_alone_does_not_go_to_another_call_with_the_same_id(target: str) -> None:
    calls = (
        Message("assistant", "{}", channel="commentary", recipient=f"functions.{name}", call_id="c1", end="call")
        for name in ("f", "g")
    )
    laws.all_laws(Transcript((*calls, Message("tool", "one", name="functions.g", recipient="assistant"))), target)


@pytest.mark.parametrize("target", [*WITHOUT_IDS, "chatml", "openai", "ocm-2.2", "ocm-2.2-json", "canonical"])
def test_a_reply_to_the_first_of_two_calls_with_a_text_between_them_does_not_go_to_the_second(target: str) -> None:
    first, second = (
        Message("assistant", "{}", channel="commentary", recipient=f"functions.{name}", end="call")
        for name in ("f", "g")
    )
    between = Message("assistant", "x", channel="final", continues=True)
    unknown = Message("tool", "one", "functions.g", "commentary", "assistant", "c9")
    laws.all_laws(Transcript((first, between, second, unknown)), target)


def test_a_reply_whose_call_is_read_as_answered_by_another_keeps_its_name() -> None:
    calls = (("functions.", "c1"), ("functions.f", "c2"))
    replies = ((None, "c1"), ("functions.", None), ("functions.f", "c9"))
    messages = (
        *(Message("assistant", "{}", None, "commentary", name, call_id, end="call") for name, call_id in calls),
        *(Message("tool", "one", name, "commentary", "assistant", call_id) for name, call_id in replies),
    )
    for target in FORMATS:
        laws.all_laws(Transcript(messages), target)


def test_a_view_has_replies_in_the_order_of_the_calls() -> None:
    result = convert(request([("a", "f"), ("b", "f")], [("b", "two"), ("a", "one")]), source="openai", target="chatml")
    assert isinstance(result.output, str)
    assert result.output.index("one") < result.output.index("two")


def test_a_reply_in_a_later_turn_is_moved_to_its_call() -> None:
    wires = request([("a", "f"), ("b", "f")], [("b", "two")])["messages"]
    later = [{"role": "user", "content": "and?"}, {"role": "tool", "tool_call_id": "a", "content": "one"}]
    result = convert({"messages": [*wires, *later]}, source="openai", target="harmony")
    assert answers(read_back(result)) == {"a": "one", "b": "two"}
    assert result.order == (0, 1, 2, 5, 3, 4)


def test_losses_of_fields_have_the_path_in_the_source() -> None:
    made = request([("a", "f"), ("b", "f")], [("b", "<|end|>"), ("a", "one")])
    result = convert(made, source="openai", target="harmony")
    assert [loss.path for loss in result.losses if loss.code is LossCode.CONTROL_TOKEN] == ["/messages/3/content"]


def test_a_sidecar_restores_the_order() -> None:
    made = request([("a", "f"), ("b", "f"), ("c", "f")], [("c", "three"), ("a", "one")])
    result = convert(made, source="openai", target="harmony")
    sidecar = json.loads(json.dumps(make_sidecar(result)))
    restored = read(result.encode(), "harmony", sidecar=sidecar)
    assert write(restored.transcript, "openai").output == made


def test_a_sidecar_restores_the_order_of_an_edited_output() -> None:
    made = request([("a", "f"), ("b", "f")], [("b", "two"), ("a", "one")])
    result = convert(made, source="openai", target="harmony")
    sidecar = make_sidecar(result)
    edited = result.data.replace(b"<|message|>x<", b"<|message|>y<")
    restored = read(edited, "harmony", sidecar=sidecar)
    made["messages"][0]["content"] = "y"
    assert write(restored.transcript, "openai").output == made


# --- what is read -----------------------------------------------------------------------------------------------------


def test_a_reply_with_an_unknown_id_is_read_as_the_reply_to_the_only_open_call_and_reported() -> None:
    made = request([("a", "f"), ("b", "f")], [("z", "two"), ("a", "one")])
    reading = read(made, "openai")
    assert answers(reading.transcript) == {"a": "one", "b": "two"}
    assert [(note.code, note.path) for note in reading.findings] == [("reply-unpaired", "/messages/3/call_id")]
    assert write(reading.transcript, "openai").output == made
    back = read_back(write(reading.transcript, "harmony"))
    assert answers(back) == {"a": "one", "b": "two"}


@pytest.mark.parametrize("target", FORMATS)
def test_a_reply_of_another_tool_with_an_unknown_id_does_not_go_to_the_open_call_without_a_report(target: str) -> None:
    """If its name is written, it answers no call; a format without names reads it as the answer to the open call."""
    for times in range(1, 7):  # by plans, too
        source = request([(f"c{times}", "f")], [("unknown", "4")])
        source["messages"][-1]["name"] = "g"
        document = read(json.dumps(source), "openai").transcript
        laws.all_laws(document, target)
        back = read(write(document, target, policy=LENIENT).output, target).transcript
        reported = LossCode.PAIRING in {loss.code for loss in write(document, target, policy=LENIENT).losses}
        assert isinstance(back, Transcript)
        assert not pair(back.messages) or reported


def test_a_reply_that_could_be_to_two_calls_stays_unpaired() -> None:
    made = request([("a", "f"), ("b", "f")], [("z", "?")])
    reading = read(made, "openai")
    assert answers(reading.transcript) == {}
    assert [(note.code, note.path) for note in reading.findings] == [("reply-unpaired", "/messages/3")]
    assert relations(write(reading.transcript, "harmony")) == [("pairing", "/messages/3")]


def test_a_reply_without_a_name_gets_no_tool() -> None:
    made = {"messages": [{"role": "user", "content": "x"}, {"role": "tool", "content": "?"}]}
    harmony = convert(made, source="openai", target="harmony")
    assert harmony.output == (
        "<|start|>user<|message|>x<|end|><|start|>tool to=assistant<|channel|>commentary<|message|>?<|end|>"
    )
    assert convert(harmony.data, source="harmony", target="openai").output == made


# --- the law on drawn documents ---------------------------------------------------------------------------------------


def check_laws(pairs: Pairs, document: Transcript) -> None:
    for source, targets in pairs.items():
        known = read(write(document, source, policy=LENIENT).encode(), source).transcript
        for target in targets:
            laws.all_laws(known, target)


@examples(30)
@given(linked_transcripts(), some_pairs())
def test_the_laws_are_kept_for_calls_and_replies_in_every_relation(document: Transcript, pairs: Pairs) -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    check_laws(pairs, document)


@pytest.mark.long
@settings(max_examples=5000)
@given(linked_transcripts())
def test_the_laws_are_kept_for_calls_and_replies_in_every_relation_at_length(document: Transcript) -> None:
    check_laws(every_pair(), document)


@given(linked_transcripts())
def test_contents_are_read_as_answers_to_the_same_calls(document: Transcript) -> None:
    """Only contents are compared: they are plain, and no two are equal."""
    for target in (*WITHOUT_IDS, "openai", "ocm-2.2"):
        result = write(document, target)
        named = {loss.path for loss in result.losses if loss.code is LossCode.PAIRING}
        given = contents_by_reply(document, named)
        back = read_back(result)
        names = {str(document.messages[int(path.rpartition("/")[2])].content) for path in named}
        found = {reply: call for reply, call in contents_by_reply(back, set()).items() if reply not in names}
        assert found == given


def contents_by_reply(document: Document, named: set[str]) -> dict[str, str]:
    """Content of each reply → content of the call that it answers; without the replies that losses name.

    Several replies to one call are one in some formats: its first text is compared.
    """
    assert isinstance(document, Transcript)
    messages = document.messages
    return {
        str(getattr(parts_of(messages[reply].content)[0], "text", "")): json.dumps(
            json.loads(str(messages[call].content))
        )
        for reply, call in pair(messages).items()
        if f"/messages/{reply}" not in named
    }


@given(linked_transcripts())
def test_streams_keep_the_law(document: Transcript) -> None:
    for target in STREAMS:
        text, made = run(in_pieces(replay(document), 3), encoder(target))
        back = read(text, target).transcript
        assert unnamed(document, back, made.losses, order_of(made)) == []
        result = Result(DocumentOutcome(text, Report(made.losses), back, order_of(made)), document, (), None, target)
        assert other_answers(document, back, result) == []


# --- an adapter that breaks it ----------------------------------------------------------------------------------------


REPLY = r"(<\|start\|>functions\S* to=assistant<\|channel\|>commentary<\|message\|>)(.*?)(<\|end\|>)"
REPLIES = re.compile(REPLY + REPLY, re.DOTALL)


class Swapping(Frames):
    """Harmony with a writer that swaps the contents of two neighbouring replies."""

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        made = super().enclose(units, around, state)
        return made._replace(output=REPLIES.sub(r"\1\5\3\4\2\6", made.output, count=1))


def swapping() -> Adapter:
    return replace(registry.adapter("harmony")[0], id="swapping", writes_units=Swapping)


def test_the_kit_catches_an_adapter_that_swaps_replies(unshrunk: None) -> None:
    with pytest.raises(LawBrokenError):
        check_adapter(swapping(), linked_transcripts(), examples=50)


def test_verify_catches_an_output_that_swaps_answers() -> None:
    """The output has every field where it was reported to be; only the relation is another."""
    call = Message("assistant", "{}", channel="commentary", recipient="functions.f", constraint="json", end="call")
    reply = Message("tool", "same", "functions.f", "commentary", "assistant")
    calls = (replace(call, call_id="a"), replace(call, call_id="b", continues=True))
    document = Transcript((*calls, replace(reply, call_id="a"), replace(reply, call_id="b")))
    swapped = replace(document, messages=(*calls, replace(reply, call_id="b"), replace(reply, call_id="a")))
    written = write(swapped, "canonical")
    (one, other) = verify(document, written)[-2:]
    assert (one.code, one.path) == ("pairing", "/messages/2")
    assert (other.code, other.path) == ("pairing", "/messages/3")
    assert one.detail == other.detail
    assert "this reply answers another call" in one.detail


@given(linked_transcripts())
def test_every_call_is_drawn_with_a_content_of_its_own(document: Transcript) -> None:
    calls = [message.content for message in document.messages if is_call(message)]
    assert len(calls) == len(set(calls))


# --- calls of other libraries' shapes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        {"name": "f", "args": {"k": "a"}, "id": "a"},
        {"name": "f", "args": {"k": "a"}, "id": "a", "type": "tool_call"},
        {"name": "f", "arguments": '{"k":"a"}', "id": "a"},
        {"id": "a", "type": "tool", "function": {"name": "f", "arguments": '{"k":"a"}'}},
    ],
)
def test_a_call_in_the_shape_of_another_library_is_a_call_and_is_restored(call: dict[str, Any]) -> None:
    made = request([], [("a", "one")])
    made["messages"][1]["tool_calls"] = [call]
    result = convert(made, source="openai", target="ocm-2.2")
    assert [(note.code, note.path) for note in result.findings] == [("shape", "/messages/1")]
    assert answers(read_back(result)) == {"a": "one"}
    assert convert(made, source="openai", target="openai").output == made


def test_a_nested_call_of_chat_completions_is_a_call_in_openchatml_json_and_is_restored() -> None:
    nested = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"k":"a"}'}}
    made = [
        {"role": "assistant", "channel": "commentary", "tool_calls": [nested]},
        {"role": "tool", "name": "functions.f", "channel": "commentary", "call_id": "a", "content": "one"},
    ]
    result = convert(made, source="ocm-2.2-json", target="harmony")
    assert [(note.code, note.path) for note in result.findings] == [("shape", "/messages/0")]
    assert answers(read_back(result)) == {"a": "one"}
    assert convert(made, source="ocm-2.2-json", target="ocm-2.2-json").output == made
