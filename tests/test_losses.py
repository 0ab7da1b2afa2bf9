"""Losses and findings as values: their paths, the parts of a document that they account for, and their JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import Loss, LossCode, Message, Severity, Transcript, convert, read, write
from ocml_bridge.json_values.json_lines import Lines
from ocml_bridge.loss import (
    CLASSES,
    Finding,
    FindingCode,
    Log,
    LossClass,
    gone,
    is_element,
    is_lossless,
    named,
    without_message,
    worst_class,
)
from ocml_bridge.model import Completion, Media, Text
from ocml_bridge.report.report import Report, report
from ocml_bridge.report.result import DocumentOutcome, Result, extras_of

LOST, CHANGED, LAYOUT = Severity.LOST, Severity.CHANGED, Severity.LAYOUT


def loss(path: str, severity: Severity = LOST, code: LossCode = LossCode.NAME) -> Loss:
    return Loss(code, severity, path, "")


def finding(path: str) -> Finding:
    return Finding(FindingCode.HEADER_VALUE, CHANGED, path, "")


@pytest.mark.parametrize(
    ("path", "renumbered"),
    [
        ("/messages/0/name", "/messages/0/name"),
        ("/messages/1", "/messages/1"),
        ("/messages/2", "/tools"),
        ("/messages/2/content/1", "/tools"),
        ("/messages/3", "/messages/2"),
        ("/messages/12/content/3", "/messages/11/content/3"),
        ("/open_turn", "/open_turn"),
        ("", ""),
    ],
)
def test_paths_of_findings_follow_a_message_that_was_taken_out(path: str, renumbered: str) -> None:
    others = [finding("/messages/0"), finding("/header")]
    assert without_message([others[0], finding(path), others[1]], 2) == [others[0], finding(renumbered), others[1]]


@pytest.mark.parametrize(
    ("path", "severity", "code", "is_gone", "is_named"),
    [
        ("/messages/1", LOST, LossCode.MESSAGE, True, True),
        ("/messages/1", CHANGED, LossCode.MESSAGE, True, True),
        ("/messages/1", LAYOUT, LossCode.MESSAGE, True, True),
        ("/messages/1/content/0", LOST, LossCode.MEDIA, True, True),
        ("/messages/1/content/0", LAYOUT, LossCode.THOUGHT, True, True),
        ("/messages/1/content/0", CHANGED, LossCode.REFUSAL, False, True),
        ("/content/2", LOST, LossCode.FILE_BREAK, True, True),
        ("/messages/1/content", LOST, LossCode.CONTENT, False, True),
        ("/messages/1/name", LOST, LossCode.NAME, False, True),
        ("/messages/1", CHANGED, LossCode.ORDER, False, False),
        ("/messages/1", LOST, LossCode.PAIRING, False, False),
        ("/tools/1", LOST, LossCode.TOOLS, False, True),
        ("", LOST, LossCode.COMPLETION, False, True),
    ],
)
def test_a_loss_of_a_message_or_a_part_means_it_is_missing_and_one_of_a_relation_does_not(
    path: str, severity: Severity, code: LossCode, is_gone: bool, is_named: bool
) -> None:
    each = loss(path, severity, code)
    assert gone([each]) == ({path} if is_gone else set())
    assert named([each]) == ({path} if is_named else set())
    if is_gone:
        assert is_element(path)


@pytest.mark.parametrize(
    ("severities", "lossless"),
    [((), True), ((LAYOUT,), True), ((LAYOUT, CHANGED), False), ((LOST, LAYOUT), False), ((CHANGED,), False)],
)
def test_a_conversion_with_only_losses_of_layout_is_lossless(severities: tuple[Severity, ...], lossless: bool) -> None:
    losses = [loss("/messages/0/name", severity) for severity in severities]
    assert is_lossless(losses) is lossless
    assert (worst_class(losses) is None) is lossless


@pytest.mark.parametrize("code", LossCode)
def test_a_loss_has_the_class_of_its_code(code: LossCode) -> None:
    each = Loss(code, CHANGED, "/messages/0", "a sentence")
    assert each.loss_class is CLASSES[code]
    assert worst_class([each, loss("", LAYOUT, LossCode.CONTENT)]) is CLASSES[code]
    assert json.loads(json.dumps(each.to_json())) == {
        "code": str(code),
        "class": str(CLASSES[code]),
        "severity": "changed",
        "path": "/messages/0",
        "detail": "a sentence",
    }


def test_a_log_has_findings_and_losses_in_order() -> None:
    log = Log()
    log.find(FindingCode.VERSION, "/header/version", "first")
    log.find(FindingCode.BYTE_ORDER_MARK, "", "second", LAYOUT)
    log.lose(LossCode.NAME, "/messages/0/name", "first")
    log.lose(LossCode.ROLE, "/messages/0/role", "second", CHANGED)
    assert log.findings == [
        Finding(FindingCode.VERSION, CHANGED, "/header/version", "first"),
        Finding(FindingCode.BYTE_ORDER_MARK, LAYOUT, "", "second"),
    ]
    assert log.losses == [
        Loss(LossCode.NAME, LOST, "/messages/0/name", "first"),
        Loss(LossCode.ROLE, CHANGED, "/messages/0/role", "second"),
    ]
    assert log.findings[1].to_json() == {
        "code": "byte-order-mark",
        "severity": "layout",
        "path": "",
        "detail": "second",
    }


def test_messages_in_another_order_are_compared_with_their_originals() -> None:
    one, other = Message("user", "a", "bob"), Message("user", "b")
    log = Log()
    report(Transcript((one, other)), Transcript((other, Message("user", "a"))), log, target="x", order=(1, 0))
    assert [(each.code, each.path) for each in log.losses] == [(LossCode.NAME, "/messages/0/name")]


# --- results ----------------------------------------------------------------------------------------------------------

NAMED = Transcript((Message("user", "Hi", "bob"), Message("assistant", "Ho", channel="final")), extras={"x": {"k": 1}})


def test_the_report_of_a_conversion_is_json() -> None:
    source = '\ufeff{"messages": [{"role": "user", "content": "Hi!", "name": "bob"}]}'
    result = convert(source, target="harmony", source="openai", spans=True)
    assert json.loads(json.dumps(result.report())) == {
        "source": "openai",
        "target": "harmony",
        "lossless": False,
        "characters": {"read": 3, "written": 3},
        "findings": [
            {
                "code": "byte-order-mark",
                "severity": "layout",
                "path": "",
                "detail": "the byte order mark at the beginning is left out",
            }
        ],
        "losses": [each.to_json() | place(result, each) for each in result.losses],
    }
    assert result.losses[0].path == "/messages/0/name"
    assert "span" not in json.dumps(write(NAMED, "harmony").report())


def place(result: Result, each: Loss) -> dict[str, Any]:
    found = result.place_of(each.path)
    return {} if found is None else {"span": list(found)}


def test_a_loss_has_the_place_of_its_message_in_the_output() -> None:
    result = write(NAMED, "harmony", spans=True)
    begin, end = result.place_of("/messages/0/name") or (0, 0)
    assert str(result.output)[begin:end] == "<|start|>user<|message|>Hi<|end|>"
    begin, end = result.place_of("/messages/1/content") or (0, 0)
    assert str(result.output)[begin:end] == "Ho"
    assert result.place_of("/messages/7") is None
    assert write(NAMED, "harmony").place_of("/messages/0") is None
    assert write(NAMED, "harmony").spans is None
    assert result.columns is not None
    assert result.spans == result.columns.spans


def test_the_bytes_of_an_output_are_its_text_or_its_json_and_a_line_end() -> None:
    text, wire = write(NAMED, "chatml"), write(NAMED, "openai")
    assert text.data == text.encode(pretty=True) == str(text.output).encode()
    assert wire.data == json.dumps(wire.output, separators=(",", ":")).encode() + b"\n"
    assert wire.encode(pretty=True) == json.dumps(wire.output, indent=2).encode() + b"\n"
    assert (text.text, wire.text) == (text.output, None)


def test_the_bytes_of_records_are_lines_and_half_a_pair_is_kept() -> None:
    records = Lines([{"a": 1}, {"b": [2]}])
    outcome = DocumentOutcome(records, Report(), NAMED)
    assert Result(outcome, NAMED, (), None, "openai").data == b'{"a":1}\n{"b":[2]}\n'
    halved = DocumentOutcome("a\ud83d", Report(), NAMED)
    assert Result(halved, NAMED, (), None, "chatml").data == "a\ud83d".encode("utf-8", "surrogatepass")


def test_results_belong_to_the_caller() -> None:
    result = write(NAMED, "openai")
    assert result.output is result.output
    result.output["messages"].append("anything")
    assert len(json.loads(result.data)["messages"]) == 2
    (result.transcript.extras or {})["x"]["k"] = 2
    assert extras_of(result) == {"x": {"k": 1}}


def test_origins_are_the_indices_of_the_messages_that_are_left() -> None:
    private = Message("narrator", "Hm.", channel="analysis")
    document = Transcript((private, *NAMED.messages))
    assert write(document, "chatml:hermes").origins == [1, 2]
    assert write(NAMED, "harmony").origins == [0, 1]
    assert write(Completion("a"), "ocm-0.1").origins == []


def test_characters_are_counted_in_the_document_and_in_the_output() -> None:
    document = Transcript((Message("user", (Text("abc"), Media("image", url="https://example.org/a.png"))),))
    result = write(document, "harmony")
    assert result.characters == (3, 3)
    assert convert([{"role": "user", "content": "abcd"}], source="openai", target="chatml").characters == (4, 4)


def test_a_result_of_another_document_keeps_the_output() -> None:
    result = write(NAMED, "harmony")
    request = Transcript((Message("user", "Hi"),))
    noted = finding("/messages/0")
    other = result.of(request, [loss("/messages/0/name")], (noted,), "openai")
    assert (other.output, other.target, other.source) == (result.output, "harmony", "openai")
    assert (other.document, other.losses, other.findings) == (request, (loss("/messages/0/name"),), (noted,))
    assert other.image == result.image
    assert other != result
    assert other == result.of(request, [loss("/messages/0/name")], (noted,), "openai")
    assert (other == 5) is False


def test_classes_of_losses_are_in_order_of_severity() -> None:
    assert list(LossClass) == [LossClass.CONTENT, LossClass.STRUCTURE, LossClass.BOOKKEEPING]


def test_a_reading_has_the_format_of_its_source() -> None:
    reading = read("<|im_start|>user\nHi<|im_end|>\n")
    assert (reading.source, reading.findings) == ("chatml", ())
