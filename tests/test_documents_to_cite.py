"""The context of a document, and whether it may be cited, in Anthropic's and Converse's messages."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ocml_bridge import Media, Transcript, convert, read
from ocml_bridge.loss import LossCode, Severity

PDF: Final = "JVBERi0xLjQK"
CITED: Final = {"context": "It is of last year.", "citations": {"enabled": True}}
DOCUMENTS: Final[dict[str, dict[str, Any]]] = {
    "anthropic": {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": PDF},
        "title": "report",
        **CITED,
    },
    "bedrock-converse": {"document": {"format": "pdf", "name": "report", "source": {"bytes": PDF}, **CITED}},
}


def request(wire: str, document: dict[str, Any]) -> dict[str, Any]:
    text = {"type": "text", "text": "Sum up."} if wire == "anthropic" else {"text": "Sum up."}
    return {"messages": [{"role": "user", "content": [document, text]}]}


@pytest.mark.parametrize("wire", DOCUMENTS)
def test_context_and_citability_of_a_document_are_read(wire: str) -> None:
    document = read(request(wire, DOCUMENTS[wire]), source=wire).transcript
    assert isinstance(document, Transcript)
    media = document.messages[0].content[0]
    assert isinstance(media, Media)
    assert (media.context, media.citable, media.extras) == ("It is of last year.", True, None)


@pytest.mark.parametrize("source", DOCUMENTS)
@pytest.mark.parametrize("target", DOCUMENTS)
def test_context_and_citability_are_converted_between_the_two_wires(source: str, target: str) -> None:
    result: Any = convert(request(source, DOCUMENTS[source]), source=source, target=target)
    assert result.output["messages"][0]["content"][0] == DOCUMENTS[target]
    assert {loss.severity for loss in result.losses} <= {Severity.LAYOUT}


@pytest.mark.parametrize("target", ["openai", "openai-responses", "gemini"])
def test_on_other_wires_context_and_citability_are_lost_as_content(target: str) -> None:
    result = convert(request("anthropic", DOCUMENTS["anthropic"]), source="anthropic", target=target)
    lost = {loss.path: loss.code for loss in result.losses if loss.severity is Severity.LOST}
    assert lost["/messages/0/content/0/context"] is LossCode.CONTENT
    assert lost["/messages/0/content/0/citable"] is LossCode.CONTENT


@pytest.mark.parametrize(
    "members", [{"context": ""}, {"context": None}, {"citations": None}, {"citations": {"enabled": True, "x": 1}}]
)
def test_empty_and_unknown_members_are_restored(members: dict[str, Any]) -> None:
    for wire, document in DOCUMENTS.items():
        inner: dict[str, Any] = document if wire == "anthropic" else document["document"]
        changed = {**inner, **members}
        value = request(wire, changed if wire == "anthropic" else {"document": changed})
        result = convert(value, source=wire, target=wire)
        assert (result.output, result.losses) == (value, ())
