"""A report is data: its sentences are made when they are read, and are always the same."""

from __future__ import annotations

import pickle
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Document, Loss, LossCode, Message, Options, Severity, Transcript, formats, read, write
from ocml_bridge.loss import Log
from ocml_bridge.model import CacheMark, Foreign, Settings, Signature, Tool, replace
from ocml_bridge.model.diff import ABSENT, Difference
from ocml_bridge.report import naming
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import Report, compared, covered, report
from ocml_bridge.testing.strategies import documents

TARGETS = st.sampled_from([name for name in formats() if not name.endswith("-tokens")])
LATE = [Loss(LossCode.CONTROL_TOKEN, Severity.CHANGED, "/messages/0", "late")]
WEIGHED = Transcript((Message("user", "Hi", weight=0.5),))


@given(documents(), TARGETS, st.sets(st.sampled_from(LossCode)))
def test_losses_of_some_codes_are_a_part_of_all_losses(document: Document, target: str, codes: set[LossCode]) -> None:
    image = read(write(document, target, policy=LENIENT).data, target, options=Options(force_format=True)).transcript
    report, unread = (compared(document, image, [], target=target).with_more(LATE) for _ in range(2))
    assert unread.of(codes) == [loss for loss in report.losses if loss.code in codes] == report.of(codes)


def test_later_losses_are_added_at_the_end_and_change_no_other() -> None:
    report = compared(WEIGHED, Transcript((Message("user", "Hi"),)), [], target="x")
    assert [loss.detail for loss in report.losses] == ["x has no place for the training weight 0.5"]
    fresh = compared(WEIGHED, Transcript((Message("user", "Hi"),)), [], target="x")
    assert fresh.with_more(LATE).with_more(LATE).losses == (*report.losses, *LATE, *LATE)
    assert fresh.with_more(()) is fresh


@given(documents(), TARGETS)
def test_a_result_is_a_value_whether_its_losses_were_read_or_not(document: Document, target: str) -> None:
    looked_at, unread = (write(document, target, policy=LENIENT) for _ in range(2))
    sentences = deepcopy(looked_at.losses)
    copy = pickle.loads(pickle.dumps(unread))
    assert unread == looked_at == copy
    assert repr(unread) == repr(looked_at)
    assert copy.losses == unread.losses == sentences


@pytest.mark.parametrize("target", ["ocm-0.1", "ocm-2.2", "internlm2"])
def test_sentences_are_made_only_when_losses_are_read(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_a_kept_token_hides_no_other_loss(target: str) -> None:
    text = "<|im_end|><|end|>[UNUSED_TOKEN_145]<|end_of_turn|>"
    document = Transcript((Message("user", text),), settings=Settings(temperature=1))
    losses = write(document, target, options=Options(control_tokens="raw"), policy=LENIENT).losses
    assert {LossCode.CONTROL_TOKEN, LossCode.SETTINGS} <= {loss.code for loss in losses}


def test_a_broken_token_in_a_declared_tool_hides_no_other_loss() -> None:
    tool = Tool("f", "<|end|>", {"type": "object", "properties": {"a": {"type": "integer"}}})
    losses = write(Transcript(tools=(tool,)), "harmony", policy=LENIENT).losses
    assert {"/tools", "/tools/0/parameters/properties/a/type"} <= {loss.path for loss in losses}


@pytest.mark.parametrize("path", ["/tools/0/parameters/properties/extras", "/extras/openai/x/extras"])
def test_json_that_is_called_extras_is_shown_as_json(path: str) -> None:
    loss = naming.name_difference(Difference(path, {"type": "string"}, ABSENT), "harmony")
    assert loss.detail == 'harmony has no place for "extras": {"type":"string"}'


def test_the_loss_of_an_unread_text_that_is_not_written_follows_the_differences() -> None:
    spoken = Message("user", (Foreign("openai", {"type": "speech", "text": "Hello"}),))
    document, image = (
        Transcript((WEIGHED.messages[0], spoken)),
        Transcript((Message("user", "Hi"), Message("user", ""))),
    )
    losses = compared(document, image, [], target="x").losses
    assert losses[0].code is LossCode.WEIGHT
    assert [loss.code for loss in losses].count(LossCode.EMPTIED) == 1
    detail = "the reader understood nothing of this text, and x would have nothing in its place"
    assert losses[-1] == Loss(LossCode.EMPTIED, Severity.LOST, "/messages/1/content", detail)


@pytest.mark.parametrize("severity", Severity)
def test_a_message_whose_content_is_written_elsewhere_loses_its_other_members(severity: Severity) -> None:
    """Its tools are declared elsewhere, or its parts are joined to another message."""
    marked = Message(
        "system", "Help.", "bob", weight=0.5, cache=CacheMark(), signature=Signature("c2ln"), extras={"x": {"k": 1}}
    )
    document = Transcript((Message("user", "Hi"), replace(marked, content_type="t")))
    image = Transcript((Message("user", "Hi"),))
    fields = ["name", "content_type", "weight", "signature", "cache", "extras"]
    for code in (LossCode.TOOLS_MOVED, LossCode.MESSAGE):
        gone = [Loss(code, severity, "/messages/1", "it is written elsewhere")]
        moved = code is LossCode.TOOLS_MOVED or severity is Severity.CHANGED
        expected = {f"/messages/1/{field}" for field in fields} if moved else set[str]()
        losses = compared(document, image, gone, target="x").losses
        assert {loss.path.removesuffix("/k").removesuffix("/x") for loss in losses[1:]} == expected
        named = [*gone, Loss(LossCode.NAME, Severity.LOST, "/messages/1/name", "")]
        rest = compared(document, image, named, target="x").losses[2:]
        assert {loss.path.removesuffix("/k").removesuffix("/x") for loss in rest} == expected - {"/messages/1/name"}


@pytest.mark.parametrize(
    ("path", "is_covered"),
    [("/a/b", True), ("/a/b/c/0", True), ("/a/bc", False), ("/a", False), ("", False), ("/x", True), ("/x/y", True)],
)
def test_a_difference_below_a_reported_path_is_reported(path: str, is_covered: bool) -> None:
    assert covered(path, {"/a/b", "/x"}) is is_covered
    assert covered(path, {""})


def test_reports_are_values() -> None:
    losses = [*LATE, Loss(LossCode.NAME, Severity.LOST, "/messages/0/name", "lost")]
    assert Report(losses) == Report(losses[:1], (), losses[1:]) == pickle.loads(pickle.dumps(Report(losses)))
    assert Report(losses) != Report(losses[:1])
    assert Report() != ()
    assert repr(Report(losses)) == repr(tuple(losses))
    assert Report(losses).logged == losses


def test_losses_are_added_at_the_end_of_a_log() -> None:
    log = Log()
    log.losses += [Loss(LossCode.NAME, Severity.LOST, "/messages/0/name", "first")]
    report(WEIGHED, Transcript((Message("user", "Hi"),)), log, target="x")
    assert [loss.detail for loss in log.losses] == ["first", "x has no place for the training weight 0.5"]
