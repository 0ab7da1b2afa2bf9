"""Law 12 for documents of which a reader understood little, and for adapters that break it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from ocml_adapters.canonical.units import DocumentWriter
from ocml_bridge import (
    Completion,
    Document,
    Loss,
    LossCode,
    Message,
    Severity,
    Transcript,
    formats,
    verify,
    write,
)
from ocml_bridge.chat.substance import vanished
from ocml_bridge.formats.adapter import Adapter
from ocml_bridge.loss import Log
from ocml_bridge.model import CacheMark, Foreign, Media, Text
from ocml_bridge.registry import adapter
from ocml_bridge.report.report import Report
from ocml_bridge.report.result import DocumentOutcome, Result
from ocml_bridge.testing import strategies
from ocml_bridge.testing.substance import substance
from ocml_bridge.testing.trial import LawBrokenError, Trial
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.writer import Prepared
from sampling import examples

SPOKEN = Transcript((Message("user", "Hello"), Message("assistant", "Hi", channel="final")))


@given(strategies.opaque())
@examples(100)
def test_every_format_keeps_the_law(document: Document) -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    for target in formats():
        substance(Trial(document, target))


def test_a_message_is_emptied_even_if_another_is_joined_to_it() -> None:
    image = Media("image", url="https://example.org/a.png")
    speech = Foreign("ocm-2.2-json", {"type": "speech", "text": "hi"})
    document = Transcript((Message("system", (image, speech)), Message("system", (Text("hi"),))))
    trial = Trial(document, "gemini")
    assert "/messages/0/content" in {loss.path for loss in trial.result.losses if loss.code is LossCode.EMPTIED}
    substance(trial)


def emptying(code: LossCode) -> Adapter:
    """An adapter that writes no content, and reports it as losses with this code."""

    class Emptying(DocumentWriter):
        def nearest(self, message: Message, index: int, log: Log) -> Message:
            if message.content:
                log.lose(code, f"/messages/{index}/content", "it has no place for words")
            return replace(message, content="")

    return replace(adapter("canonical")[0], writes_units=Emptying)


def test_an_adapter_that_empties_messages_is_caught() -> None:
    with pytest.raises(LawBrokenError, match="law of substance"):
        substance(Trial(SPOKEN, emptying(LossCode.EXTRAS)))


def test_an_adapter_may_leave_out_text_that_it_reports() -> None:
    substance(Trial(SPOKEN, emptying(LossCode.CONTENT)))


def test_an_adapter_that_reports_a_message_as_emptied_without_reason_is_caught() -> None:
    class Pretending(DocumentWriter):
        def prepare(self, conversation: Conversation, log: Log) -> Prepared:
            log.lose(LossCode.EMPTIED, "/messages/0/content", "it says so, but it is there")
            return super().prepare(conversation, log)

    with pytest.raises(LawBrokenError, match="law of substance"):
        substance(Trial(SPOKEN, replace(adapter("canonical")[0], writes_units=Pretending)))


def test_verify_reports_text_that_is_missing_without_a_loss_of_content() -> None:
    result = write(SPOKEN, "chatml")

    assert verify(SPOKEN, result) == ()
    shorter = write(replace(SPOKEN, messages=(Message("user", "Hell"), SPOKEN.messages[1])), "chatml")
    layout = Report([Loss(LossCode.LAYOUT, Severity.LAYOUT, "/messages/0/content", "it says so")])
    outcome = DocumentOutcome(shorter.output, layout, shorter.transcript)
    unreported = verify(SPOKEN, Result(outcome, SPOKEN, (), None, shorter.target))
    assert [loss.path for loss in unreported] == ["/messages/0/content"]


@pytest.mark.parametrize(
    ("loss", "silent"),
    [
        (Loss(LossCode.CONTENT, Severity.CHANGED, "/messages/0/content", ""), False),
        (Loss(LossCode.MEDIA, Severity.LOST, "/messages/0/content/1", ""), False),
        (Loss(LossCode.CONTENT, Severity.LAYOUT, "/messages/0/content", ""), True),
        (Loss(LossCode.ROLE, Severity.CHANGED, "/messages/0/content", ""), True),
        (Loss(LossCode.CONTENT, Severity.CHANGED, "/messages/1/content", ""), True),
    ],
)
def test_only_a_loss_of_content_at_the_place_accounts_for_it(loss: Loss, silent: bool) -> None:
    back = replace(SPOKEN, messages=(Message("user", "Hell"), SPOKEN.messages[1]))
    assert vanished(SPOKEN, back, [loss]) == (["/messages/0/content"] if silent else [])


def test_a_missing_message_is_not_replaced_by_its_neighbour() -> None:
    lost = Loss(LossCode.MESSAGE, Severity.LOST, "/messages/0", "")
    assert vanished(SPOKEN, replace(SPOKEN, messages=SPOKEN.messages[1:]), [lost]) == []
    assert vanished(SPOKEN, replace(SPOKEN, messages=()), [lost]) == ["/messages/1/content"]
    structure = lost._replace(code=LossCode.TOOLS_MOVED)
    assert vanished(SPOKEN, replace(SPOKEN, messages=SPOKEN.messages[1:]), [structure]) == ["/messages/0/content"]


def test_a_text_to_complete_that_vanishes_is_lost_as_content() -> None:
    substance(Trial(Completion("\n"), "ocm-0.1"))


@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock-converse"])
@pytest.mark.parametrize(
    "content",
    [
        " ",
        (Text("a"), Text(" "), Text("b", cache=CacheMark())),
        (Foreign("another", {"text": "Hi!"}),),
        (Foreign("another", {"text": "Hi!"}), Text("")),
    ],
    ids=["white space", "white space among texts", "not understood", "not understood, beside an empty text"],
)
def test_a_message_that_an_api_refuses_may_be_left_out(target: str, content: Any) -> None:
    substance(Trial(Transcript((Message("user", "Hi."), Message("user", content))), target))
