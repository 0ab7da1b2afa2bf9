"""Messages have numbers in a stream and indices in the document; declared tools are a message in one of them only."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import convert
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Stop
from ocml_bridge.loss import Severity
from ocml_bridge.pipe import decoder, encoder
from sources import ROOT

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
    assert (stop.declaration_at is None) == (source == "ocm-0.1")  # whose tools stand behind a text
    messages: Any = stop.document
    gone = {loss.path for loss in writing.losses if loss.severity is Severity.LOST}
    for index, message in enumerate(messages.messages):
        if target == "openai-sse":
            # One answer: what others say has no place, what the assistant says does.
            assert (f"/messages/{index}" in gone) == (message.role != "assistant"), (index, message)
        assert f"/messages/{len(messages.messages)}" not in gone
