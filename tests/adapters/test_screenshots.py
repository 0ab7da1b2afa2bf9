"""Screenshots that answer a computer's call in Responses, in the spellings in which clients send them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import Transcript, convert, read, write
from ocml_bridge.model import Media

CALL = {"type": "computer_call", "id": "cu_1", "call_id": "c1", "action": {"type": "screenshot"}, "status": "completed"}
DATA = "data:image/png;base64,iVBORw0KGgo="
OUTPUTS: dict[str, dict[str, Any]] = {
    "as in the API's types": {"type": "computer_screenshot", "image_url": DATA},
    "with a detail": {"type": "computer_screenshot", "image_url": DATA, "detail": "original"},
    # openai/openai-cua-sample-app, agent/agent.py
    "as in OpenAI's sample": {"type": "input_image", "image_url": DATA},
    "in the order of the alphabet": {"detail": "original", "image_url": DATA, "type": "input_image"},
    "in another order": {"image_url": DATA, "type": "computer_screenshot"},
}


def request(output: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "type": "computer_call_output",
        "call_id": "c1",
        "acknowledged_safety_checks": [],
        "output": output,
    }
    return {"model": "m", "input": [CALL, answer]}


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS)
def test_a_screenshot_is_an_image_in_every_spelling(output: dict[str, Any]) -> None:
    source = request(output)
    reading = read(source, "openai-responses")
    assert reading.findings == ()
    assert isinstance(reading.transcript, Transcript)
    [image] = reading.transcript.messages[1].content
    assert isinstance(image, Media)
    assert (image.media, image.data, image.format) == ("image", "iVBORw0KGgo=", "image/png")
    same = convert(source, source="openai-responses", target="openai-responses").output
    assert json.dumps(same) == json.dumps(source)
    assert "iVBORw0KGgo=" in json.dumps(convert(source, source="openai-responses", target="anthropic").output)


def test_an_output_of_another_type_is_kept_whole() -> None:
    source = request({"type": "hologram", "image_url": DATA})
    assert [str(finding.code) for finding in read(source, "openai-responses").findings] == ["shape"]
    assert convert(source, source="openai-responses", target="openai-responses").output == source


def test_an_edited_screenshot_is_written_as_it_is() -> None:
    reading = read(request(OUTPUTS["in another order"]), "openai-responses")
    assert isinstance(reading.transcript, Transcript)
    [image] = reading.transcript.messages[1].content
    assert isinstance(image, Media)
    image.data, image.url, image.format = None, "https://e.org/a.png", None
    written: Any = write(reading.transcript, "openai-responses").output
    assert written["input"][1]["output"] == {"type": "computer_screenshot", "image_url": "https://e.org/a.png"}
