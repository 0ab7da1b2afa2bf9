"""Messages have numbers in a stream and indices in the document; declared tools are a message in one of them only."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import BridgeError, Message, Options, Transcript, convert
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Stop
from ocml_bridge.loss import LossCode, Severity
from ocml_bridge.model import replace
from ocml_bridge.pipe import decoder, encoder, streams
from ocml_bridge.stream.response_losses import losses_of
from sources import ROOT

ADDED = {(LossCode.MESSAGE, Severity.LAYOUT, "/messages/0")}
CASE = ROOT / "golden" / "ocm-2.2" / "function-call" / "input.ocm"


def spelled(source: str) -> Any:
    return convert(CASE.read_bytes(), target=source).output


@pytest.mark.parametrize("source", ["ocm-2.2", "harmony", "ocm-0.1", "harmony-tokens"])
@pytest.mark.parametrize("target", ["openai-sse", "harmony", "ocm-2.2", "chatml"])
def test_losses_name_places_in_the_document(source: str, target: str) -> None:
    made, writing = decoder(source), encoder(target, visibility=DEBUG)
    text = spelled(source)
    events = [*(made.feed(text) if isinstance(text, str) else made.feed_tokens(text)), *made.finish()]
    stop = events[-1]
    assert isinstance(stop, Stop)
    writing.encode(events)
    assert stop.document == convert(text, source=source, target="canonical").transcript
    assert (stop.declaration_at is None) == (source == "ocm-0.1")  # whose tools follow a text
    messages: Any = stop.document
    gone = {loss.path for loss in writing.losses if loss.severity is Severity.LOST}
    for index, message in enumerate(messages.messages):
        if target == "openai-sse":
            # One answer: messages of other roles have no place, those of the assistant do.
            assert (f"/messages/{index}" in gone) == (message.role != "assistant"), (index, message)
        assert f"/messages/{len(messages.messages)}" not in gone


@pytest.mark.parametrize("target", streams()[1])
def test_what_was_passed_on_of_a_stream_that_cannot_be_read_is_added(target: str) -> None:
    """A text that breaks off in an error is no document: what clients have had of it is more than there is."""
    made, writing = decoder("ocm-2.2"), encoder(target, visibility=DEBUG)
    events = made.feed(
        "<|start|>assistant<|channel|>final<|message|>One.<|end|><|start|>assistant<|channel|>final<|mes"
    )
    with pytest.raises(BridgeError, match=r"<\|start\|> is in a header"):
        made.feed("sage|>Two.<|end|><|start|>assistant<|start|>")
    writing.encode([*events, *made.finish()])
    assert {(loss.code, loss.severity, loss.path) for loss in writing.losses} <= ADDED


def test_messages_that_the_document_does_not_have_take_no_place_of_others() -> None:
    """The losses of each message are those of what was written of it, also behind one that the document lacks."""
    first, second = (Message("assistant", text, channel="final", end="end") for text in ("One.", "Two."))
    thought = Message("assistant", "Hm.", channel="analysis", end="end")
    image = Transcript((thought, first, replace(second, end=None)))
    losses = losses_of(Transcript((first, second)), image, [None, 0, 1], {}, target="x")
    assert [(loss.code, loss.path) for loss in losses] == [
        (LossCode.ENDING, "/messages/1/end"),
        (LossCode.MESSAGE, "/messages/2"),
    ]


BEHIND_ITS_ANSWER = b"".join(
    b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}).encode() + b"\n\n"
    for delta, reason in (({"role": "assistant", "content": "Hi [INST]"}, None), ({"reasoning": "Hm"}, "stop"))
)
"""A thought that comes behind the answer, which it precedes in the document."""


@pytest.mark.parametrize("named", [(), ("[INST]",)], ids=["plain", "with tokens of its own"])
@pytest.mark.parametrize("target", streams()[1])
def test_a_message_that_comes_late_has_its_place_in_the_document(target: str, named: tuple[str, ...]) -> None:
    made = decoder("openai-sse")
    events = [*made.feed(BEHIND_ITS_ANSWER), *made.finish()]
    writing = encoder(target, visibility=DEBUG, options=Options(special_tokens=named))
    output = b"".join([*writing.encode(events), *writing.finish()])
    stop = events[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    assert [message.content for message in stop.document.messages] == ["Hm", "Hi [INST]"]
    lost = {loss.path for loss in writing.losses if loss.code == "message"}
    assert lost == (set() if b"Hm" in output else {"/messages/0"})
    broken = {loss.path[:11] for loss in writing.losses if loss.code == "control-token"}
    assert broken == ({"/messages/1"} if named and target in TEXTS else set())


TEXTS = ("harmony", "ocm-0.1", "chatml", "internlm2")
"""The streams of texts in which content makes tokens."""
