"""The id of an uploaded file is written only for the API of its vendor; for others, its loss is reported."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ocml_bridge import Media, Message, Text, Transcript, convert, read, write
from ocml_bridge.loss import LossCode, Severity

STORED: Final = "https://generativelanguage.googleapis.com/v1beta/files/abc"
"""An address in Google's store of uploaded files."""
FILES: Final[dict[str, dict[str, Any]]] = {
    "openai": {"type": "file", "file": {"file_id": "file-1"}},
    "openai-responses": {"type": "input_file", "file_id": "file-1"},
    "anthropic": {"type": "document", "source": {"type": "file", "file_id": "file-1"}},
    "gemini": {"fileData": {"mimeType": "application/pdf", "fileUri": STORED}},
}
"""An uploaded file on each wire."""
VENDORS: Final = {"openai": "openai", "openai-responses": "openai", "anthropic": "anthropic", "gemini": "google"}
WIRES: Final = (*FILES, "bedrock-converse")
PAIRS: Final = [(source, target) for source in FILES for target in WIRES if source != target]


def request(wire: str) -> dict[str, Any]:
    """A request that asks about an uploaded file."""
    if wire == "gemini":
        return {"contents": [{"role": "user", "parts": [{"text": "Sum up."}, FILES[wire]]}]}
    if wire == "openai-responses":
        content = [{"type": "input_text", "text": "Sum up."}, FILES[wire]]
        return {"model": "m", "input": [{"role": "user", "content": content}]}
    content = [{"type": "text", "text": "Sum up."}, FILES[wire]]
    return {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": content}]}


def asked(part: Any) -> Transcript:
    return Transcript((Message("user", (Text("Sum up."), part)),))


def part_of(document: Any) -> Any:
    return document.messages[0].content[1]


@pytest.mark.parametrize("wire", FILES)
def test_a_reader_returns_the_vendor_of_an_uploaded_file(wire: str) -> None:
    assert part_of(read(request(wire), source=wire).transcript).vendor == VENDORS[wire]


@pytest.mark.parametrize("wire", FILES)
def test_the_same_wire_writes_the_id_of_its_file(wire: str) -> None:
    result = convert(request(wire), source=wire, target=wire)
    assert (result.output, result.losses) == (request(wire), ())


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_another_vendor_does_not_get_the_file(source: str, target: str) -> None:
    result = convert(request(source), source=source, target=target)
    if VENDORS[source] == VENDORS.get(target):
        assert "file-1" in result.data.decode()
        assert [loss for loss in result.losses if loss.severity is not Severity.LAYOUT] == []
        return
    assert "file-1" not in result.data.decode()
    assert STORED not in result.data.decode()
    [loss] = [loss for loss in result.losses if loss.code is LossCode.MEDIA]
    assert (loss.severity, loss.path) == (Severity.LOST, "/messages/0/content/1")
    assert loss.detail == f"{target} has no place for a file that was uploaded to {VENDORS[source]}"


@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic"])
def test_a_file_without_a_vendor_is_written_for_every_vendor(target: str) -> None:
    written = write(asked(Media("file", file_id="file-1")), target=target)
    assert "file-1" in written.data.decode()
    assert {loss.severity for loss in written.losses} <= {Severity.LAYOUT}


@pytest.mark.parametrize(
    "media",
    [
        Media("image", url="https://e.org/a.png", file_id="file-1", vendor="anthropic"),
        Media("image", data="aGk=", format="image/png", file_id="file-1", vendor="anthropic"),
    ],
)
def test_data_and_addresses_are_written_without_the_id_of_the_file(media: Media) -> None:
    written = write(asked(media), target="openai-responses")
    image = written.output["input"][0]["content"][1]
    assert "file_id" not in image
    assert image["image_url"] == (media.url or "data:image/png;base64,aGk=")
    lost = [(loss.path, loss.severity) for loss in written.losses if loss.severity is Severity.LOST]
    assert lost == [(f"/messages/0/content/1/{field}", Severity.LOST) for field in ("file_id", "vendor")]


def test_an_address_of_googles_store_is_an_address_without_a_vendor() -> None:
    """Earlier releases wrote such documents."""
    written = write(asked(Media("video", url=STORED, format="video/mp4")), target="openai")
    assert written.output["messages"][0]["content"][1] == {"type": "video_url", "video_url": {"url": STORED}}


def test_a_citation_has_the_id_of_a_file_for_its_own_vendor() -> None:
    note = {"type": "file_citation", "index": 3, "file_id": "file-1", "filename": "a.pdf"}
    content = [{"type": "output_text", "text": "So it is.", "annotations": [note]}]
    message = {"type": "message", "role": "assistant", "content": content}
    document: Any = read({"input": [message]}, source="openai-responses").transcript
    [citation] = document.messages[0].content[0].citations
    assert (citation.file_id, citation.vendor) == ("file-1", "openai")
    assert convert({"input": [message]}, source="openai-responses", target="openai-responses").losses == ()


def test_a_citation_of_another_vendors_file_is_lost() -> None:
    where = {"type": "char_location", "cited_text": "It is so.", "document_index": 0, "document_title": "a"}
    where |= {"start_char_index": 0, "end_char_index": 9, "file_id": "file-1"}
    content = [{"type": "text", "text": "So it is.", "citations": [where]}]
    messages = {"messages": [{"role": "assistant", "content": content}]}
    result = convert(messages, source="anthropic", target="openai-responses")
    assert "file-1" not in result.data.decode()
    [loss] = [loss for loss in result.losses if loss.code is LossCode.CITATIONS]
    assert (loss.severity, loss.path) == (Severity.LOST, "/messages/0/content/0/citations")
