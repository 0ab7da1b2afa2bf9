"""Errors of the library for arguments of the wrong type: a path, an open file, a message made of dicts."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import BridgeError, ErrorCode, Message, Transcript, convert, detect, formats, read, write
from ocml_bridge.model import Settings, Text, Tool
from ocml_bridge.model.misfit import misfit


def as_other(value: object) -> Any:
    """The value without its type, so that the type checker allows it."""
    return value


def as_list(*values: object) -> Any:
    return [*values]


LEADS: list[Any] = [Path("a.chatml"), io.BytesIO(b"{}"), io.StringIO("{}"), bytearray(b"{}"), memoryview(b"{}")]
TAKES: list[Callable[[Any], object]] = [
    detect,
    read,
    lambda data: read(data, "harmony"),
    lambda data: read(data, "openai"),
    lambda data: convert(data, target="harmony"),
]


@pytest.mark.parametrize("take", TAKES)
@pytest.mark.parametrize("data", LEADS, ids=lambda data: type(data).__name__)
def test_a_path_or_an_open_file_is_refused_with_advice(take: Callable[[Any], object], data: Any) -> None:
    with pytest.raises(BridgeError) as caught:
        take(data)
    assert caught.value.code is ErrorCode.SHAPE
    assert f"not a {type(data).__name__}; give " in caught.value.message


def test_detection_takes_bytes() -> None:
    assert detect(b"<|im_start|>user\nHi<|im_end|>\n") == "chatml"


@pytest.mark.parametrize("name", ["a.chatml", "data/in.json", "C:\\data\\in.txt"])
def test_the_name_of_a_file_is_not_read_as_a_text(name: str) -> None:
    with pytest.raises(BridgeError, match="looks like the name of a file; give the content of the file"):
        convert(name, target="openai")


def test_the_error_for_empty_input_names_it() -> None:
    with pytest.raises(BridgeError, match="the input is empty"):
        detect(" \n")


WRONG: dict[str, tuple[Any, str]] = {
    "/messages/0/content": (Message("user", None), "a str, or a tuple of parts such as Text and Media, not None"),  # type: ignore[arg-type]
    "/messages/0/content/0": (Message("user", ({"type": "text"},)), "classes, such as Text and Media, not a dict"),  # type: ignore[arg-type]
    "/messages/0": ({"role": "user", "content": "Hi"}, "must be Message objects, not a dict"),
    "/messages/0/role": (Message(7, "Hi"), "the role of a message must be a str, not an int"),  # type: ignore[arg-type]
    "/messages/0/channel": (Message("user", "Hi", channel=4), "a str or None, not an int"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("target", [name for name in formats() if name != "canonical"])  # which represents any values
@pytest.mark.parametrize("path", WRONG)
def test_a_message_of_another_class_than_those_of_the_model_is_named(path: str, target: str) -> None:
    message, words = WRONG[path]
    with pytest.raises(BridgeError) as caught:
        write(Transcript((message,)), target).losses  # noqa: B018  # they are found when they are looked at
    assert (caught.value.code, caught.value.path) == (ErrorCode.SHAPE, path)
    assert words in caught.value.message


def test_a_list_of_messages_is_refused_because_it_is_mutable() -> None:
    messages: Any = [Message("user", "Hi")]
    with pytest.raises(
        BridgeError, match="the messages of a Transcript must be a tuple of Message, not a list"
    ) as caught:
        write(Transcript(messages), "harmony")
    assert (caught.value.code, caught.value.path) == (ErrorCode.SHAPE, "/messages")


@pytest.mark.parametrize(
    ("document", "path", "message"),
    [
        (Transcript(tools=as_list(Tool("f"))), "/tools", "tools of a Transcript must be a tuple of Tool, not a list"),
        (Transcript(tools=(as_other("f"),)), "/tools/0", "a Transcript must be a tuple of Tool, not a str"),
        (Transcript(settings=Settings(stop=as_list("a"))), "/settings/stop", "of a Settings must be a tuple of str"),
        (Transcript(settings=as_other({})), "/settings", "must be Settings or None, not a dict"),
        (
            Transcript((Message("user", (Text("a", citations=as_list()),)),)),
            "/messages/0/content/0/citations",
            "the citations of a Text must be a tuple of Citation, not a list",
        ),
    ],
)
def test_a_list_in_place_of_a_tuple_is_named(document: Transcript, path: str, message: str) -> None:
    found = misfit(document)
    assert found is not None
    assert found.path == path
    assert message in found.message


def test_the_json_of_a_format_is_not_a_document_of_the_model() -> None:
    request: Any = {"messages": []}
    with pytest.raises(BridgeError, match="`convert` and `read` take the JSON of a format, not a dict") as caught:
        write(request, "harmony")
    assert caught.value.path == ""  # the whole of it
