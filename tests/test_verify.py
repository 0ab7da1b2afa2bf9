"""Violations that `verify` finds in an output that does not match its report: one for each law that is broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from ocml_bridge import (
    BridgeError,
    Document,
    Loss,
    LossCode,
    Message,
    Severity,
    Transcript,
    convert,
    formats,
    verify,
    write,
)
from ocml_bridge.model import Completion
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import Report
from ocml_bridge.report.result import DocumentOutcome, Result

QUESTION, ANSWER = Message("user", "Is it?"), Message("assistant", "Yes.", channel="final")
THOUGHT = Message("assistant", "They ask.", channel="analysis")
CORRECT = Transcript((QUESTION, THOUGHT, ANSWER))
A, B, C = (
    Message("assistant", "{}", None, "commentary", "functions.f", call_id, constraint="json", end="call")
    for call_id in "abc"
)
ONE, TWO, THREE = (Message("tool", "same", "functions.f", "commentary", "assistant", call_id) for call_id in "abc")
CALLED = Transcript((A, B, ONE, TWO))
NAMED = {
    "content": "OCB-UNREPORTED: the output reads differently here",
    "text": "OCB-UNREPORTED: the text here is not in the output",
    "pairing": "OCB-UNREPORTED: in the output this reply answers another call",
    "channel": "OCB-UNREPORTED: the output shows end users what is hidden from them",
}


def found(
    document: Document, output: Document, losses: Sequence[Loss] = (), order: tuple[int, ...] | None = None
) -> list[Loss]:
    """The violations in an output that is read as `output` although it was written for `document`."""
    outcome = DocumentOutcome(write(output, "canonical").output, Report(losses), output, order)
    return list(verify(document, Result(outcome, document, (), None, "canonical")))


def violation(kind: str, path: str) -> Loss:
    return Loss(LossCode("content" if kind == "text" else kind), Severity.CHANGED, path, NAMED[kind])


def loss(code: str, path: str, severity: Severity = Severity.CHANGED) -> Loss:
    return Loss(LossCode(code), severity, path, "")


def transcript(*messages: Message) -> Transcript:
    return Transcript(messages)


SHOWN = replace(THOUGHT, channel="final")
EMPTY = replace(QUESTION, content="")
BROKEN: dict[str, tuple[Document, Document, list[Loss], list[Loss]]] = {
    "nothing": (CORRECT, CORRECT, [], []),
    "what is reported": (CORRECT, transcript(EMPTY, THOUGHT, ANSWER), [loss("content", "/messages/0/content")], []),
    "a difference": (
        CORRECT,
        transcript(replace(QUESTION, name="bob"), THOUGHT, ANSWER),
        [],
        [violation("content", "/messages/0/name")],
    ),
    "a difference beside one that is reported": (
        CORRECT,
        transcript(replace(QUESTION, name="bob", weight=1), THOUGHT, ANSWER),
        [loss("name", "/messages/0/name", Severity.LAYOUT)],
        [violation("content", "/messages/0/weight")],
    ),
    "a text": (
        CORRECT,
        transcript(EMPTY, THOUGHT, ANSWER),
        [loss("role", "/messages/0/content")],
        [violation("text", "/messages/0/content")],
    ),
    "a thought": (
        CORRECT,
        transcript(QUESTION, SHOWN, ANSWER),
        [loss("channel", "/messages/1/channel")],
        [violation("channel", "/messages/1")],
    ),
    "a thought and a difference": (
        CORRECT,
        transcript(QUESTION, SHOWN, ANSWER),
        [],
        [violation("content", "/messages/1/channel"), violation("channel", "/messages/1")],
    ),
    "an answer": (
        CALLED,
        transcript(A, B, TWO, ONE),
        [loss("call-id", "/messages/2/call_id"), loss("call-id", "/messages/3/call_id")],
        [violation("pairing", "/messages/2"), violation("pairing", "/messages/3")],
    ),
    "an answer that is reported and another": (
        CALLED,
        transcript(A, B, TWO, ONE),
        [loss("call-id", f"/messages/{at}/call_id") for at in (2, 3)] + [loss("pairing", "/messages/3")],
        [violation("pairing", "/messages/2")],
    ),
    "an answer to nothing": (
        CALLED,
        transcript(A, B, ONE, replace(TWO, call_id=None, name="functions.g")),
        [loss("call-id", "/messages/3/call_id"), loss("name", "/messages/3/name")],
        [violation("pairing", "/messages/3")],
    ),
    "an answer that is gone": (CALLED, transcript(A, B, ONE), [loss("message", "/messages/3", Severity.LOST)], []),
    "a conversation": (
        CORRECT,
        Completion("Is it?"),
        [],
        [violation("content", "")],
    ),
}


@pytest.mark.parametrize(("document", "output", "losses", "violations"), BROKEN.values(), ids=BROKEN)
def test_each_violation_has_its_law_and_its_path(
    document: Document, output: Document, losses: list[Loss], violations: list[Loss]
) -> None:
    assert found(document, output, losses) == violations


def test_messages_in_another_order_are_compared_with_their_originals() -> None:
    moved = transcript(A, B, TWO, ONE)
    assert found(CALLED, moved, [loss("order", "/messages")], (0, 1, 3, 2)) == []
    wrong = transcript(A, B, replace(TWO, call_id="a"), replace(ONE, call_id="b"))
    reported = [loss("order", "/messages"), *(loss("call-id", f"/messages/{at}/call_id") for at in (2, 3))]
    assert found(CALLED, wrong, reported, (0, 1, 3, 2)) == [violation("pairing", f"/messages/{at}") for at in (2, 3)]


def test_messages_after_a_missing_one_are_compared_with_their_originals() -> None:
    document = transcript(A, B, C, ONE, THREE, TWO)
    gone = [loss("message", "/messages/0", Severity.LOST), loss("message", "/messages/3", Severity.LOST)]
    assert found(document, transcript(B, C, THREE, TWO), gone) == []
    swapped = [*gone, *(loss("call-id", f"/messages/{at}/call_id") for at in (4, 5))]
    assert found(document, transcript(B, C, TWO, THREE), swapped) == [
        violation("pairing", "/messages/4"),
        violation("pairing", "/messages/5"),
    ]


@pytest.mark.parametrize("target", formats())
def test_an_output_is_read_in_its_own_format_and_not_detected(target: str) -> None:
    others = Transcript(tuple(Message(role, "Hi.") for role in ("user", "model", "function", "human")))
    for source in (CORRECT, CALLED, others):
        result = write(source, target, policy=LENIENT)
        assert verify(source, result) == ()


def test_the_output_is_read_in_the_dialect_that_was_written() -> None:
    result = convert([{"role": "user", "content": "Hi"}], source="openai", target="chatml:hermes")
    assert verify(result.transcript, result) == ()


def test_an_output_of_a_format_that_is_not_registered_is_read_by_its_adapter() -> None:
    unregistered = replace(adapter("chatml")[0], id="of-my-own")
    result = write(CORRECT, unregistered, policy=LENIENT)
    with pytest.raises(BridgeError, match="of-my-own"):
        verify(CORRECT, result)
    assert verify(CORRECT, result, target=unregistered) == ()
