"""`convert_batch`: one outcome for each record, in order, and never an exception."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, ErrorCode, LossCode, convert
from ocml_bridge.bulk import Outcome, Settings, Status, convert_batch
from ocml_bridge.bulk import batch as module
from ocml_bridge.loss import LossClass
from ocml_bridge.report.policy import LossPolicy
from sources import BRIDGE, imports

GOOD = "<|im_start|>user\nhi<|im_end|>\n"
NAMED = {"messages": [{"role": "user", "content": "hi", "name": "bob"}]}


def one(record: Any, settings: Settings) -> Outcome:
    (outcome,) = convert_batch([record], settings)
    return outcome


def test_a_record_without_losses_is_converted() -> None:
    outcome = one(GOOD, Settings("openai", "chatml"))
    assert (outcome.status, outcome.output) == (Status.CONVERTED, {"messages": [{"role": "user", "content": "hi"}]})
    assert (outcome.text, outcome.counts) == ('{"messages":[{"role":"user","content":"hi"}]}', {})


def test_a_lossy_record_has_its_losses() -> None:
    outcome = one(NAMED, Settings("harmony", "openai"))
    assert (outcome.status, outcome.counts) == (Status.LOSSY, {LossCode.NAME: 1})
    assert outcome.text == outcome.output == "<|start|>user<|message|>hi<|end|>"


def test_an_invalid_record_has_a_code_and_a_position() -> None:
    outcome = one(b"hi \xff", Settings("openai", "chatml"))
    assert (outcome.status, outcome.output, outcome.text) == (Status.QUARANTINED, None, None)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.offset) == (ErrorCode.ENCODING, 3)


def test_strict_quarantines_a_lossy_record() -> None:
    outcome = one(NAMED, Settings("harmony", "openai", strict=True))
    assert outcome.error is not None
    assert (outcome.status, outcome.error.code) == (Status.QUARANTINED, ErrorCode.LOSS)


def test_an_error_for_a_record_is_its_outcome() -> None:
    error = BridgeError(ErrorCode.IO, "gone")
    assert one(error, Settings("openai")).error is error


def test_a_record_with_an_unreported_difference_is_quarantined(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings("openai", "chatml", verify=True)
    assert one(GOOD, settings).status is Status.CONVERTED
    other = convert("<|im_start|>user\nbye<|im_end|>\n", source="chatml", target="openai")
    right = convert(GOOD, source="chatml", target="openai")
    mixed = other.of(right.transcript, right.losses, right.findings, right.source)

    def convert_wrongly(*_args: object, **_options: object) -> module.Result:
        return mixed

    monkeypatch.setattr(module, "convert", convert_wrongly)
    outcome = one(GOOD, settings)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.path) == (ErrorCode.UNREPORTED, "/messages/0/content")


def test_an_internal_error_quarantines_only_its_record(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_args: object, **_options: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(module, "convert", fails)
    outcomes = convert_batch([GOOD, GOOD], Settings("openai", "chatml"))
    assert [outcome.error and outcome.error.code for outcome in outcomes] == [ErrorCode.INTERNAL] * 2


@given(st.lists(st.one_of(st.text(), st.binary(), st.none(), st.dictionaries(st.text(), st.integers()), st.just(GOOD))))
def test_there_are_as_many_outcomes_as_records(records: list[Any]) -> None:
    outcomes = convert_batch(records, Settings("openai"))
    assert len(outcomes) == len(records)
    for outcome in outcomes:
        assert (outcome.error is not None) == (outcome.status is Status.QUARANTINED) == (outcome.text is None)


def test_the_module_imports_no_engine_and_opens_no_file() -> None:
    path = BRIDGE / "bulk" / "batch.py"
    assert {found.module.split(".")[0] for found in imports(path)} <= {
        "__future__", "collections", "dataclasses", "enum", "ocml_bridge", "typing",
    }  # fmt: skip
    names = {node.id for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Name)}
    assert not names & {"open", "print", "input"}


EMPTIED = {"messages": [{"role": "user", "content": [{"type": "speech", "text": "Hello there"}]}]}


def test_a_message_that_would_be_emptied_is_quarantined() -> None:
    outcome = one(EMPTIED, Settings("harmony", "openai"))
    assert outcome.error is not None
    assert (outcome.status, outcome.error.code) == (Status.QUARANTINED, ErrorCode.EMPTIED)


def test_a_policy_allows_what_would_be_quarantined() -> None:
    outcome = one(EMPTIED, Settings("harmony", "openai", policy=LossPolicy(allow=("emptied",))))
    assert (outcome.status, outcome.loss_class) == (Status.LOSSY, LossClass.CONTENT)
    assert outcome.characters == (11, 0)


ANSWERS = {"choices": [{"message": {"role": "assistant", "content": text}} for text in ("Yes.", "Or no.")]}


def test_a_record_with_answers_that_would_be_left_out_is_quarantined_with_the_place_of_the_first() -> None:
    outcome = one(ANSWERS, Settings("harmony", "openai"))
    assert outcome.status is Status.QUARANTINED
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.path) == (ErrorCode.LOSS, "/alternatives/0")
    assert "--allow alternatives" in outcome.error.message
    assert one(ANSWERS, Settings("canonical", "openai")).status is Status.CONVERTED
    allowed = one(ANSWERS, Settings("harmony", "openai", policy=LossPolicy(allow=("alternatives",))))
    assert (allowed.status, allowed.loss_class) == (Status.LOSSY, LossClass.CONTENT)


def test_a_policy_quarantines_by_class() -> None:
    assert one(NAMED, Settings("harmony", "openai", policy=LossPolicy(refuse=("content",)))).status is Status.LOSSY
    refused = one(NAMED, Settings("harmony", "openai", policy=LossPolicy(refuse=("structure",))))
    assert refused.status is Status.QUARANTINED
