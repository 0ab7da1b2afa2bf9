"""Values that are given as parsed JSON, and those of the model, are JSON; what is none is refused with its place."""

from __future__ import annotations

from collections import OrderedDict
from enum import StrEnum
from math import inf, nan
from typing import Any, Final

import pytest
from openai.types.chat import ChatCompletionMessage

from ocml_bridge import BridgeError, Settings, Text, Tool, Transcript, convert, detect, read, write
from ocml_bridge.model import Message

NO_JSON: Final[dict[str, Any]] = {
    "infinite": inf,
    "none": nan,
    "a set": {1},
    "bytes": b"x",
    "a key": {1: 2},
    "an object": ChatCompletionMessage(role="assistant", content="Hi"),
}


def request(value: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "Hi", "odd/key": [0, value]}]}


@pytest.mark.parametrize("name", NO_JSON)
def test_what_is_no_json_is_refused_with_its_place(name: str) -> None:
    data = request(NO_JSON[name])
    for refused in (
        lambda: convert(data, source="openai", target="anthropic"),
        lambda: read(data, "openai"),
        lambda: read(data),
    ):
        with pytest.raises(BridgeError) as caught:
            refused()
        assert (caught.value.code, caught.value.path) == ("OCB-SHAPE", "/messages/0/odd~1key/1")


def test_the_object_of_a_library_leads_to_its_json() -> None:
    with pytest.raises(BridgeError, match=r"ChatCompletionMessage is not .*; give what \.model_dump\(\) gives"):
        read({"model": "m", "messages": [NO_JSON["an object"]]}, "openai")


class Role(StrEnum):
    USER = "user"


def test_subclasses_of_json_are_json() -> None:
    message = OrderedDict[str, Any](role=Role.USER, content="Hi", n=(10**400,))
    assert read({"model": "m", "messages": [message]}, "openai").transcript
    assert detect({"model": "m", "messages": [message]})


def test_what_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(BridgeError) as caught:
        read(request(endless), "openai")
    assert caught.value.code == "OCB-LIMIT"


HELLO: Final = Message("user", "Hi")


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (Transcript((HELLO,), settings=Settings(temperature=inf)), "/settings/temperature"),
        (Transcript((HELLO, Message("user", "Hi", weight=nan))), "/messages/1/weight"),
        (Transcript((Message("user", "Hi", extras={"openai": {"a": [inf]}}),)), "/messages/0/extras/openai/a/0"),
        (Transcript((HELLO,), (Tool("f", parameters={"default": -inf}),)), "/tools/0/parameters/default"),
        (Transcript((Message("user", (Text("Hi"),), layout={"openai": {"a": {1}}}),)), "/messages/0/layout/openai/a"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("target", ["openai", "harmony", "canonical"])
def test_so_it_is_in_documents_of_the_model(document: Transcript, path: str, target: str) -> None:
    with pytest.raises(BridgeError) as caught:
        write(document, target)
    assert (caught.value.code, caught.value.path) == ("OCB-SHAPE", path)
