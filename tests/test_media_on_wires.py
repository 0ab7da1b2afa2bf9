"""Media on each wire: the members for them, the source of their type, and media without a place (docs/formats)."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any, cast

import pytest

from ocml_bridge import Message, Severity, Transcript, convert, write
from ocml_bridge.model import Media, Passages, Text
from ocml_bridge.report.policy import LENIENT

DATA = b64encode(b"hello").decode()
PNG = b64encode(b"\x89PNG\r\n\x1a\nrest").decode()
PAGE = "https://e.org/a"
S3 = {"s3Location": {"uri": "s3://b/a"}}


def written(media: Media, wire: str) -> tuple[Any, list[Any]]:
    """The part that is written for media after a text, None if there is none, and the losses except those of layout."""
    result = write(Transcript((Message("user", (Text("x"), media)),)), wire, policy=LENIENT)
    document: Any = result.output
    message = next(document[key] for key in ("messages", "input", "contents") if key in document)[0]
    parts = message.get("content", message.get("parts"))
    parts = [{"text": parts}] if isinstance(parts, str) else parts
    assert parts[0]["text"] == "x"
    losses = [(str(loss.code), loss.path) for loss in result.losses if loss.severity is not Severity.LAYOUT]
    return (parts[1] if len(parts) > 1 else None), losses


def image_url(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


def input_image(url: str) -> dict[str, Any]:
    return {"type": "input_image", "image_url": url, "detail": "auto"}


def inline(mime: str | None, data: str, **more: str) -> dict[str, Any]:
    return {"inlineData": {**({} if mime is None else {"mimeType": mime}), "data": data, **more}}


def stored(mime: str | None, uri: str) -> dict[str, Any]:
    return {"fileData": {**({} if mime is None else {"mimeType": mime}), "fileUri": uri}}


def block(kind: str, format_: str | None, source: dict[str, Any], **more: str) -> dict[str, Any]:
    return {kind: {**({} if format_ is None else {"format": format_}), **more, "source": source}}


def source(kind: str, kind_of_source: str, **more: str) -> dict[str, Any]:
    return {"type": kind, "source": {"type": kind_of_source, **more}}


WRITTEN: list[tuple[Media, dict[str, Any]]] = [
    (
        Media("image", data=DATA, format="image/png"),
        {
            "openai": image_url(f"data:image/png;base64,{DATA}"),
            "openai-responses": input_image(f"data:image/png;base64,{DATA}"),
            "anthropic": source("image", "base64", media_type="image/png", data=DATA),
            "gemini": inline("image/png", DATA),
            "bedrock-converse": block("image", "png", {"bytes": DATA}),
        },
    ),
    (  # its first bytes show the type
        Media("image", data=PNG),
        {
            "anthropic": source("image", "base64", media_type="image/png", data=PNG),
            "gemini": inline("image/png", PNG),
            "bedrock-converse": block("image", "png", {"bytes": PNG}),
        },
    ),
    (  # the type is unknown
        Media("image", data=DATA),
        {
            "anthropic": source("image", "base64", data=DATA),
            "gemini": inline("image/jpeg", DATA),
            "bedrock-converse": None,
        },
    ),
    (
        Media("image", url=f"{PAGE}.PNG"),
        {
            "openai": image_url(f"{PAGE}.PNG"),
            "openai-responses": input_image(f"{PAGE}.PNG"),
            "anthropic": source("image", "url", url=f"{PAGE}.PNG"),
            "gemini": stored("image/png", f"{PAGE}.PNG"),
            "bedrock-converse": None,
        },
    ),
    *(
        (Media(cast("Any", kind), url=f"{PAGE}{ending}"), {"gemini": stored(mime, f"{PAGE}{ending}")})
        for kind, ending, mime in (
            ("image", "", "image/jpeg"),
            ("image", ".webp", "image/webp"),
            ("image", ".gif", "image/gif"),
            ("image", ".mov", "image/jpeg"),
            ("video", "", "video/mp4"),
            ("video", ".webm", "video/webm"),
            ("video", ".mov", "video/quicktime"),
            ("audio", "", "audio/wav"),
            ("audio", ".mp3", "audio/mp3"),
            ("audio", ".ogg", "audio/ogg"),
            ("audio", ".flac", "audio/flac"),
            ("file", ".pdf", None),
        )
    ),
    (
        Media("image", url="s3://b/a", format="image/webp"),
        {"anthropic": None, "gemini": None, "bedrock-converse": block("image", "webp", S3)},
    ),
    (  # what Google keeps
        Media("image", url="gs://b/a", format="image/webp"),
        {"anthropic": None, "gemini": stored("image/webp", "gs://b/a"), "bedrock-converse": None},
    ),
    *(
        (Media("video", url="s3://b/a", format=f"video/{name}"), {"bedrock-converse": block("video", name, S3)})
        for name in ("mp4", "webm", "mpeg", "mov")
    ),
    (
        Media("file", data=DATA, format="text/plain", filename="a"),
        {
            "openai": {"type": "file", "file": {"filename": "a", "file_data": f"data:text/plain;base64,{DATA}"}},
            "openai-responses": {
                "type": "input_file",
                "filename": "a",
                "file_data": f"data:text/plain;base64,{DATA}",
            },
            "anthropic": {**source("document", "text", media_type="text/plain", data="hello"), "title": "a"},
            "gemini": inline("text/plain", DATA, displayName="a"),
            "bedrock-converse": block("document", "txt", {"bytes": DATA}, name="a"),
        },
    ),
    *(
        (
            Media("file", data=DATA, format=mime, filename="a"),
            {"bedrock-converse": block("document", name, {"bytes": DATA}, name="a")},
        )
        for mime, name in (
            ("application/pdf", "pdf"),
            ("text/csv", "csv"),
            ("text/html", "html"),
            ("text/markdown", "md"),
            ("application/msword", "doc"),
            ("application/vnd.ms-excel", "xls"),
            ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
            ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
            (None, None),
        )
    ),
    (
        Media("file", url=f"{PAGE}.pdf"),
        {
            "openai": None,
            "openai-responses": {"type": "input_file", "file_url": f"{PAGE}.pdf"},
            "anthropic": source("document", "url", url=f"{PAGE}.pdf"),
            "bedrock-converse": None,
        },
    ),
    (
        Media("file", file_id="f"),
        {
            "openai": {"type": "file", "file": {"file_id": "f"}},
            "openai-responses": {"type": "input_file", "file_id": "f"},
            "anthropic": source("document", "file", file_id="f"),
            "gemini": None,
            "bedrock-converse": None,
        },
    ),
    (
        Media("audio", data=DATA, format="mp3"),
        {
            "openai": {"type": "input_audio", "input_audio": {"data": DATA, "format": "mp3"}},
            "openai-responses": {"type": "input_audio", "input_audio": {"data": DATA, "format": "mp3"}},
            "anthropic": None,
            "bedrock-converse": block("audio", "mp3", {"bytes": DATA}),
        },
    ),
    (
        Media("audio", url=f"{PAGE}.mp3"),
        {
            "openai": {"type": "audio_url", "audio_url": {"url": f"{PAGE}.mp3"}},
            **dict.fromkeys(("openai-responses", "anthropic", "bedrock-converse")),
        },
    ),
    (
        Media("video", data=DATA, format="video/mp4"),
        {
            "openai": {"type": "video_url", "video_url": {"url": f"data:video/mp4;base64,{DATA}"}},
            "openai-responses": None,
            "anthropic": None,
            "gemini": inline("video/mp4", DATA),
            "bedrock-converse": block("video", "mp4", {"bytes": DATA}),
        },
    ),
]


@pytest.mark.parametrize(
    ("media", "wire", "part"), [(media, wire, part) for media, parts in WRITTEN for wire, part in parts.items()]
)
def test_media_are_written_as_the_api_has_them_or_lost(media: Media, wire: str, part: Any) -> None:
    lost = [("media", "/messages/0/content/1")] if part is None else []
    assert written(media, wire) == (part, lost)


@pytest.mark.parametrize(
    ("wire", "address"), [("anthropic", "s3://b/a"), ("anthropic", "gs://b/a"), ("gemini", "s3://b/a")]
)
def test_an_address_that_the_api_refuses_is_written_back(wire: str, address: str) -> None:
    if wire == "gemini":
        request: Any = {"contents": [{"role": "user", "parts": [{"text": "Hi"}, stored("image/png", address)]}]}
    else:
        block = source("image", "url", url=address)
        request = {"max_tokens": 9, "messages": [{"role": "user", "content": [block, {"type": "text", "text": "Hi"}]}]}
    assert convert(request, source=wire, target=wire).output == request


def sound(name: str) -> dict[str, Any]:
    return {"type": "input_audio", "input_audio": {"data": DATA, "format": name}}


WEBP = f"data:image/webp;base64,{DATA}"
SOUNDS = {"audio/mp3": "mp3", "audio/mpeg": "mp3", "audio/wav": "wav", "audio/x-wav": "wav", "audio/flac": "flac"}
"""The types of sounds → the formats that OpenAI and Converse name."""
VIDEOS = {
    "video/quicktime": "mov",
    "video/x-matroska": "mkv",
    "video/x-flv": "flv",
    "video/x-ms-wmv": "wmv",
    "video/3gpp": "three_gp",
}
"""The types of videos → the formats of Converse's `VideoBlock` that are called otherwise."""
CHANGED: list[tuple[Media, str, dict[str, Any]]] = [
    *(
        (Media("audio", data=DATA, format=mime), wire, sound(name))
        for wire in ("openai", "openai-responses")
        for mime, name in SOUNDS.items()
    ),
    *(
        (Media("audio", data=DATA, format=mime), "bedrock-converse", block("audio", name, {"bytes": DATA}))
        for mime, name in SOUNDS.items()
    ),
    *(
        (Media("video", url="s3://b/a", format=mime), "bedrock-converse", block("video", name, S3))
        for mime, name in VIDEOS.items()
    ),
    (Media("image", data=DATA, format="image/jpg"), "bedrock-converse", block("image", "jpeg", {"bytes": DATA})),
    (Media("image", data=DATA, format="webp"), "openai", image_url(WEBP)),
    (Media("image", data=DATA, format="webp"), "openai-responses", input_image(WEBP)),
    (
        Media("image", data=DATA, format="webp"),
        "anthropic",
        source("image", "base64", media_type="image/webp", data=DATA),
    ),
    (
        Media("file", data=DATA, format="pdf"),
        "anthropic",
        source("document", "base64", media_type="application/pdf", data=DATA),
    ),
    (Media("audio", data=DATA, format="wav"), "gemini", inline("audio/wav", DATA)),
    (Media("image", data=DATA, format="webp"), "gemini", inline("image/webp", DATA)),
    (Media("file", data=DATA, format="pdf"), "gemini", inline("application/pdf", DATA)),
    (
        Media("file", data=DATA, format="application/pdf", filename="a_b.c"),
        "bedrock-converse",
        block("document", "pdf", {"bytes": DATA}, name="a-b-c"),
    ),
    (
        Media("file", data=DATA, format="application/pdf", filename="a" * 201),
        "bedrock-converse",
        block("document", "pdf", {"bytes": DATA}, name="a" * 200),
    ),
]


@pytest.mark.parametrize(("media", "wire", "part"), CHANGED)
def test_types_and_names_that_an_api_refuses_are_changed(media: Media, wire: str, part: Any) -> None:
    there, losses = written(media, wire)
    assert there == part
    assert [code for code, _ in losses] == ["content"]


PDF = f"data:application/pdf;base64,{DATA}"


@pytest.mark.parametrize(
    ("media", "name"),
    [
        (Media("file", data=DATA, format="application/pdf"), "document.pdf"),
        (Media("file", data=DATA, format="pdf"), "document.pdf"),
        (Media("file", data=DATA, format="text/plain"), "document.txt"),
        (Media("file", data=DATA, format="application/x-unknown"), "document"),
        (Media("file", data=DATA, format="application/pdf", filename="a"), "a"),
        (Media("file", data=DATA, format="application/pdf", file_id="f", vendor="openai"), None),
    ],
)
def test_a_file_with_data_has_the_name_that_openai_requires(media: Media, name: str | None) -> None:
    # "Missing required parameter: messages[0].content[1].file.file_id" (openai-agents, 1513; langchainjs, 9570)
    assert written(media, "openai")[0]["file"].get("filename") == name
    assert written(media, "openai-responses")[0].get("filename") == name


@pytest.mark.parametrize(
    ("wire", "key", "part"),
    [
        ("openai", "messages", {"type": "file", "file": {"file_data": PDF}}),
        ("openai", "messages", {"type": "file", "file": {"file_data": PDF, "filename": None}}),
        ("openai", "messages", {"type": "file", "file": {"file_data": f"{PAGE}.pdf"}}),
        ("openai-responses", "input", {"type": "input_file", "file_data": PDF}),
        ("openai-responses", "input", {"type": "input_file", "file_data": PDF, "filename": ""}),
    ],
)
def test_a_file_that_was_read_without_a_name_gets_none(wire: str, key: str, part: Any) -> None:
    document = {key: [{"role": "user", "content": [part]}]}
    back = convert(json.dumps(document), source=wire, target=wire)
    assert json.dumps(back.output) == json.dumps(document)
    assert back.losses == ()


def named(name: str) -> dict[str, Any]:
    return block("document", "pdf", {"bytes": DATA}, name=name)


def test_documents_of_one_request_have_different_names_in_converse() -> None:
    # "Messages can't contain duplicate document names" (maximhq/bifrost, issue 7003; litellm, 30093)
    names = ("a.b", "a-b", None, "A-B", "a-b-2", None, "x" * 200, "x" * 200)
    files = [Media("file", data=DATA, format="application/pdf", filename=name) for name in names]
    passages = Passages(("x",), title="a-b")
    asked = [Message("user", tuple(files[:4])), Message("assistant", "Yes."), Message("user", (*files[4:], passages))]
    result = write(Transcript(tuple(asked)), "bedrock-converse", policy=LENIENT)
    output: Any = result.output
    contents = [message["content"] for message in output["messages"][::2]]
    written_names = [each["document"]["name"] for content in contents for each in content]
    assert written_names == [
        *("a-b", "a-b-3", "document", "A-B-4", "a-b-2", "document-2", "x" * 200, "x" * 190, "a-b-5")
    ]
    changed = [loss.path for loss in result.losses if loss.code == "content"]
    assert len(changed) == 7, "all but those that have their name already"


def test_names_of_documents_that_repeat_in_a_request_of_converse_are_kept() -> None:
    document = {"messages": [{"role": "user", "content": [named("a"), named("A"), named("b_c"), named("a")]}]}
    back = convert(json.dumps(document), source="bedrock-converse", target="bedrock-converse")
    assert json.dumps(back.output) == json.dumps(document)
    assert back.losses == ()
