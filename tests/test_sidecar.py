"""Law 8; for an output that was edited, the sidecar restores what still fits, and reports the rest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import (
    BridgeError,
    Document,
    ErrorCode,
    FindingCode,
    Message,
    Tool,
    Transcript,
    formats,
    make_sidecar,
    read,
    write,
)
from ocml_bridge.loss import Log
from ocml_bridge.model import Completion, Media
from ocml_bridge.model.codec import to_json
from ocml_bridge.report import sidecar as sidecars


def call(name: str, call_id: str) -> Message:
    return Message("assistant", "{}", None, "commentary", f"functions.{name}", call_id, constraint="json", end="call")


def reply(name: str, text: str, call_id: str) -> Message:
    return Message("tool", text, f"functions.{name}", "commentary", "assistant", call_id)


DOCUMENT = Transcript(
    (
        Message("user", "Compare."),
        call("f", "call_f"),
        reply("f", "one", "call_f"),
        call("g", "call_g"),
        reply("g", "two", "call_g"),
        Message("user", (Media("image", url="https://example.org/a.png"),)),
        Message("assistant", "Done.", None, "final"),
    )
)
"""The parts that Harmony cannot represent: the ids of the calls, and the image."""
WRITTEN = write(DOCUMENT, "harmony")
TEXT = str(WRITTEN.output)
SIDECAR: Any = make_sidecar(WRITTEN)


def back(text: str, sidecar: Any = None) -> tuple[Transcript, list[tuple[str, str]]]:
    reading = read(text, "harmony", sidecar=SIDECAR if sidecar is None else sidecar)
    assert isinstance(reading.transcript, Transcript)
    return reading.transcript, [(str(each.code), each.path) for each in reading.findings]


def test_the_sidecar_restores_the_document() -> None:
    assert back(TEXT) == (DOCUMENT, [])


@pytest.mark.parametrize("target", formats())
def test_the_sidecar_restores_a_document_from_an_output_that_looks_like_another_format(target: str) -> None:
    document = Transcript(tuple(Message(role, "Hi.") for role in ("user", "model", "function", "human")))
    written = write(document, target)
    assert read(written.data, target, sidecar=make_sidecar(written)).transcript == document


def test_a_message_inserted_at_the_beginning_moves_all_others() -> None:
    document, findings = back(f"<|start|>system<|message|>Be brief.<|end|>{TEXT}")
    assert document.messages == (Message("system", "Be brief."), *DOCUMENT.messages)
    assert findings == []


def test_a_removed_message_is_reported_and_the_others_are_restored() -> None:
    edited = TEXT.replace(
        "<|start|>assistant to=functions.g<|channel|>commentary <|constrain|>json<|message|>{}<|call|>", ""
    )
    assert edited != TEXT
    document, findings = back(edited)
    assert document.messages == DOCUMENT.messages[:3] + DOCUMENT.messages[4:]
    assert [code for code, _ in findings] == [str(FindingCode.SIDECAR)]
    assert findings[0][1].startswith("/messages/3")


def test_an_edited_text_is_kept() -> None:
    document, findings = back(TEXT.replace("two", "three"))
    assert document.messages[4].content == "three"
    assert [message.call_id for message in document.messages] == [message.call_id for message in DOCUMENT.messages]
    assert findings == []


def test_the_sidecar_restores_a_completion() -> None:
    completion = Completion("def add(a, b):", extras={"gemini": {"x": 1}})
    result = write(completion, "ocm-0.1")
    assert result.losses
    assert read(result.output, "ocm-0.1", sidecar=make_sidecar(result)).transcript == completion


def test_another_output_is_refused() -> None:
    other = write(Transcript((Message("user", "Something else."), Message("user", "Entirely."))), "harmony")
    with pytest.raises(BridgeError) as raised:
        back(str(other.output))
    assert raised.value.code is ErrorCode.SIDECAR


@pytest.mark.parametrize(
    "sidecar",
    [
        {},
        [],
        "words",
        {**SIDECAR, "sidecar": 99},
        {**SIDECAR, "target": "chatml"},
        {**SIDECAR, "more": 1},
        {**SIDECAR, "patch": [{"op": "no"}]},
        {**SIDECAR, "patch": ["replace"]},
        {**SIDECAR, "patch": [{"op": "replace", "path": "/messages", "value": 7}]},
    ],
    ids=str,
)
def test_an_invalid_sidecar_is_refused(sidecar: Any) -> None:
    with pytest.raises(BridgeError) as raised:
        back(TEXT, sidecar)
    assert raised.value.code is ErrorCode.SIDECAR


@pytest.mark.parametrize(
    "damage",
    [
        {"anchors": "words"},
        {"anchors": [["words"]]},
        {"anchors": [None, 1]},
        {"order": {"/messages/0": 1}},
        {"order": {"/messages/0": [["role"]]}},
    ],
    ids=str,
)
@pytest.mark.parametrize("text", [TEXT, TEXT.replace("Compare.", "Contrast.")], ids=["as it was", "edited"])
def test_a_damaged_sidecar_is_refused_whether_the_output_was_edited_or_not(damage: Any, text: str) -> None:
    with pytest.raises(BridgeError, match="the sidecar is damaged") as raised:
        back(text, {**SIDECAR, **damage})
    assert raised.value.code is ErrorCode.SIDECAR


SCHEMA: Any = {
    "properties": {"url": {"description": "d", "title": "Url", "type": "string"}},
    "required": ["url"],
    "type": "object",
}
WITH_TOOL = Transcript(
    (*DOCUMENT.messages[:1], Message("user", "b", extras={"openai": {"z": 1, "a": 2}})), (Tool("f", None, SCHEMA),)
)


def spelled(document: Document) -> str:
    return json.dumps(to_json(document))


@pytest.mark.parametrize("target", formats())
def test_the_sidecar_restores_the_order_of_keys(target: str) -> None:
    written = write(WITH_TOOL, target)
    restored = read(written.data, target, sidecar=make_sidecar(written)).transcript
    assert spelled(restored) == spelled(WITH_TOOL)


def test_the_sidecar_restores_the_order_of_keys_outside_of_edits() -> None:
    written = write(WITH_TOOL, "harmony")
    edited = str(written.output).replace("Compare.", "Compare them.")
    restored = read(edited, "harmony", sidecar=make_sidecar(written)).transcript
    assert spelled(restored) == spelled(WITH_TOOL).replace("Compare.", "Compare them.")


def test_a_sidecar_of_the_first_version_is_read() -> None:
    first = {key: value for key, value in make_sidecar(write(WITH_TOOL, "harmony")).items() if key != "order"}
    restored = read(write(WITH_TOOL, "harmony").data, "harmony", sidecar={**first, "sidecar": 1}).transcript
    assert restored == WITH_TOOL


@pytest.mark.parametrize("places", [(9,), (3, 9), (2, 2), (0, 1, 2, 99, 100)])
def test_a_message_for_a_missing_place_is_reported(places: tuple[int, ...]) -> None:
    written = write(Transcript((Message("user", "Hi"), Message("assistant", "Hello."))), "harmony")
    added: list[Any] = [
        {"op": "add", "path": f"/messages/{at}", "value": {"role": "user", "content": f"{nth}"}}
        for nth, at in enumerate(places)
    ]
    sidecar: Any = {**make_sidecar(written), "patch": added}
    reading = read(str(written.output).replace("Hello", "Hullo"), "harmony", sidecar=sidecar)
    contents = [message.content for message in cast("Transcript", reading.transcript).messages]
    refused = [finding for finding in reading.findings if finding.code is FindingCode.SIDECAR]
    assert len(contents) + len(refused) == 2 + len(places)
    assert {each.detail for each in refused} <= {"the output was edited here; add was not applied"}
    assert [each for each in contents if not str(each).isdigit()] == ["Hi", "Hullo."]


@pytest.mark.parametrize(("left", "fits"), [(3, True), (2, False), (1, False)])
def test_an_edited_output_is_recognised_by_half_of_its_messages(left: int, fits: bool) -> None:
    written = write(Transcript(tuple(Message("user", f"{number}") for number in range(6))), "harmony")
    frames = [f"{frame}<|end|>" for frame in str(written.output).split("<|end|>")[:-1]]
    output = "".join(frames[:left])
    if fits:
        assert read(output, "harmony", sidecar=make_sidecar(written)).transcript
    else:
        with pytest.raises(BridgeError, match="fewer than half") as caught:
            read(output, "harmony", sidecar=make_sidecar(written))
        assert caught.value.code is ErrorCode.SIDECAR


# --- messages in another order ----------------------------------------------------------------------------------------


def in_order(order: Sequence[int]) -> Transcript:
    return Transcript(tuple(Message("user", f"Number {int(index)}.") for index in order))


@given(st.integers(0, 12).flatmap(lambda count: st.permutations(range(count))))
def test_the_sidecar_restores_any_order_of_messages(order: list[int]) -> None:
    document, output = in_order(range(len(order))), in_order(order)
    made = sidecars.make(document, output, order, b"output", "harmony")
    assert sidecars.apply(output, made, b"output", "harmony", Log()) == document
    assert sum(operation["op"] == "move" for operation in made["patch"]) == len(made["patch"]) < max(len(order), 1)


class Compared(int):
    """An index that counts how often it is compared."""

    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return int.__eq__(self, other)

    __hash__ = int.__hash__


def test_messages_in_another_order_are_looked_up_and_not_searched_for() -> None:
    def comparisons(count: int) -> int:
        order = list(map(Compared, reversed(range(count))))
        before = Compared.times
        sidecars.make(in_order(range(count)), in_order(order), order, b"output", "harmony")
        return Compared.times - before

    assert comparisons(200) <= comparisons(50) * 4.4
