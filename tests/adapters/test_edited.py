"""Edited documents: spelling of another content is not used, and made-up ids are new."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ocml_bridge import Message, Transcript, read, write

SPELLED = {
    "ocm-2.2": "---\nversion: 2.2\n---\n<|start|>assistant name=bob<|channel|>final <|message|>Hi.<|end|>\n",
    "harmony": "<|start|>assistant <|channel|>final<|message|>Hi.<|end|>",
    "ocm-0.1": "[BOS]\n<|im_start|>assistant  name=bob\nHi.\n<|im_end|>\n[EOS]",
    "chatml": "<|im_start|>assistant  name=bob\nHi.<|im_end|>\n",
    "internlm2": "<|im_start|>assistant  name=bob\nHi.<|im_end|>\n",
}
"""Headers that are not spelled as we would spell them."""


@pytest.mark.parametrize("name", SPELLED)
def test_a_header_is_written_as_it_stood(name: str) -> None:
    reading = read(SPELLED[name], name)
    (message,) = transcript(reading.transcript).messages
    assert message.layout is not None
    assert "header" in message.layout[name]
    assert write(reading.transcript, name).output == SPELLED[name]


@pytest.mark.parametrize("name", SPELLED)
@pytest.mark.parametrize("change", [{"role": "user", "channel": None, "name": None}, {"name": "eve"}], ids=str)
def test_a_header_that_was_edited_is_not(name: str, change: dict[str, Any]) -> None:
    document = transcript(read(SPELLED[name], name).transcript)
    edited = replace(document, messages=(replace(document.messages[0], **change),))
    written = write(edited, name)
    (back,) = transcript(read(written.output, name).transcript).messages
    assert back.role == edited.messages[0].role
    if not any(loss.path.endswith("/name") for loss in written.losses):
        assert back.name == edited.messages[0].name


@pytest.mark.parametrize("name", ["openai", "ocm-2.2"])
def test_an_id_that_is_made_up_is_no_other_calls(name: str) -> None:
    def call(call_id: str | None) -> Message:
        recipient = "functions.f"
        return Message("assistant", "{}", None, "commentary", recipient, call_id, constraint="json", end="call")

    document = Transcript((call(None), call("call_1"), call(None), call("call_3")))
    back = transcript(read(write(document, name).output, name).transcript)
    ids = [message.call_id for message in back.messages]
    assert ids[1::2] == ["call_1", "call_3"]
    assert None not in ids
    assert len(set(ids)) == 4


def transcript(document: object) -> Transcript:
    assert isinstance(document, Transcript)
    return document
