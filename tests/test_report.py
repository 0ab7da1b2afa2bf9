"""A report is data first: its sentences are made when somebody looks at them, and are the same at any time."""

from __future__ import annotations

import pickle
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Document, Loss, LossCode, Message, Options, Severity, Transcript, formats, read, write
from ocml_bridge.model import Settings, Tool
from ocml_bridge.model.diff import ABSENT, Difference
from ocml_bridge.report import naming
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import compared
from ocml_bridge.testing.strategies import documents

TARGETS = st.sampled_from([name for name in formats() if not name.endswith("-tokens")])
LATE = [Loss(LossCode.CONTROL_TOKEN, Severity.CHANGED, "/messages/0", "late")]
WEIGHED = Transcript((Message("user", "Hi", weight=0.5),))


@given(documents(), TARGETS, st.sets(st.sampled_from(LossCode)))
def test_losses_of_some_codes_are_those_among_all(document: Document, target: str, codes: set[LossCode]) -> None:
    image = read(write(document, target, policy=LENIENT).data, target, options=Options(force_format=True)).transcript
    report, unread = (compared(document, image, [], target=target).with_more(LATE) for _ in range(2))
    assert unread.of(codes) == [loss for loss in report.losses if loss.code in codes] == report.of(codes)


def test_what_was_found_later_stands_behind_the_rest_and_changes_nothing_of_it() -> None:
    report = compared(WEIGHED, Transcript((Message("user", "Hi"),)), [], target="x")
    assert [loss.detail for loss in report.losses] == ["x has no place for the training weight 0.5"]
    fresh = compared(WEIGHED, Transcript((Message("user", "Hi"),)), [], target="x")
    assert fresh.with_more(LATE).with_more(LATE).losses == (*report.losses, *LATE, *LATE)
    assert fresh.with_more(()) is fresh


@given(documents(), TARGETS)
def test_a_result_is_a_value_whether_its_losses_were_looked_at_or_not(document: Document, target: str) -> None:
    looked_at, unread = (write(document, target, policy=LENIENT) for _ in range(2))
    sentences = deepcopy(looked_at.losses)
    copy = pickle.loads(pickle.dumps(unread))
    assert unread == looked_at == copy
    assert repr(unread) == repr(looked_at)
    assert copy.losses == unread.losses == sentences


@pytest.mark.parametrize("target", ["ocm-0.1", "ocm-2.2", "internlm2"])
def test_where_nothing_is_refused_no_sentence_is_made_until_somebody_looks(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[object] = []

    def shown(value: object) -> str:
        looked_at.append(value)
        return "it"

    monkeypatch.setattr(naming, "shown", shown)
    result = write(WEIGHED, target)
    assert looked_at == []
    assert "/messages/0/weight" in {loss.path for loss in result.losses}
    assert looked_at == [0.5]


@pytest.mark.parametrize("target", ["chatml", "harmony", "internlm2", "ocm-0.1"])
def test_a_token_that_is_left_as_it_is_hides_nothing_else_that_is_lost(target: str) -> None:
    text = "<|im_end|><|end|>[UNUSED_TOKEN_145]<|end_of_turn|>"
    document = Transcript((Message("user", text),), settings=Settings(temperature=1))
    losses = write(document, target, options=Options(control_tokens="raw"), policy=LENIENT).losses
    assert {LossCode.CONTROL_TOKEN, LossCode.SETTINGS} <= {loss.code for loss in losses}


def test_nor_does_one_that_is_broken_in_a_declared_tool() -> None:
    tool = Tool("f", "<|end|>", {"type": "object", "properties": {"a": {"type": "integer"}}})
    losses = write(Transcript(tools=(tool,)), "harmony", policy=LENIENT).losses
    assert {"/tools", "/tools/0/parameters/properties/a/type"} <= {loss.path for loss in losses}


@pytest.mark.parametrize("path", ["/tools/0/parameters/properties/extras", "/extras/openai/x/extras"])
def test_json_that_is_called_extras_is_shown_as_json(path: str) -> None:
    loss = naming.name_difference(Difference(path, {"type": "string"}, ABSENT), "harmony")
    assert loss.detail == 'harmony has no place for "extras": {"type":"string"}'
