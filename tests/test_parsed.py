"""Values given as parsed JSON, and values in the model, must be JSON; others are refused with their path."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import replace
from enum import Enum, IntEnum
from math import inf, nan
from typing import Any, Final

import pytest
from openai.types.chat import ChatCompletionMessage

from ocml_bridge import BridgeError, Settings, Text, Tool, Transcript, convert, detect, read, write
from ocml_bridge.model import Message
from ocml_bridge.report.policy import LENIENT

NO_JSON: Final[dict[str, Any]] = {
    "infinite": inf,
    "none": nan,
    "a set": {1},
    "bytes": b"x",
    "a key": {1: 2},
    "an object": ChatCompletionMessage(role="assistant", content="Hi"),
}
TARGETS: Final = (
    *("harmony", "openai", "chatml:hermes", "chatml:qwen-xml", "anthropic", "openai-responses", "gemini", "canonical"),
    *("bedrock-converse", "ocm-0.1", "ocm-2.2", "ocm-2.2-json", "internlm2", "sharegpt"),
)


def request(value: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "Hi", "odd/key": [0, value]}]}


@pytest.mark.parametrize("name", NO_JSON)
def test_a_value_that_is_not_json_is_refused_with_its_path(name: str) -> None:
    data = request(NO_JSON[name])
    for refused in (
        lambda: convert(data, source="openai", target="anthropic"),
        lambda: read(data, "openai"),
        lambda: read(data),
    ):
        with pytest.raises(BridgeError) as caught:
            refused()
        assert (caught.value.code, caught.value.path) == ("OCB-SHAPE", "/messages/0/odd~1key/1")


def test_the_error_for_an_object_of_a_library_names_the_method_for_its_json() -> None:
    with pytest.raises(BridgeError, match=r"ChatCompletionMessage is not .*; give what \.model_dump\(\) gives"):
        read({"model": "m", "messages": [NO_JSON["an object"]]}, "openai")


class Role(str, Enum):  # noqa: UP042  what formats it has its name, not its value
    USER = "user"
    TOOL = "tool"


class Shout(str):
    """A text that shows itself otherwise."""

    __slots__ = ()

    def __str__(self) -> str:
        return "!"

    def __format__(self, _: str) -> str:
        return "!"


class Size(IntEnum):
    LARGE = 3


def exactly(value: Any) -> Any:
    """The same values of JSON's own classes, by the standard library."""
    return json.loads(json.dumps(value))


CALL: Final = {"id": Shout("c"), "type": "function", "function": {"name": Shout("f"), "arguments": Shout("{}")}}
PART: Final = OrderedDict[str, Any](type="text", text=Shout("3"))
SUBCLASSES: Final[Any] = OrderedDict[str, Any](
    model=Shout("m"),
    messages=(
        {"role": Role.USER, "content": Shout("Hi")},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {
            "role": Role.TOOL,
            "tool_call_id": Shout("c"),
            "content": (OrderedDict[str, Any](type="text", text=Shout("3")),),
        },
    ),
    tools=[{"type": "function", "function": {"name": Shout("f"), "parameters": {"enum": [Role.USER, Size.LARGE]}}}],
)


@pytest.mark.parametrize("target", TARGETS)
def test_instances_of_subclasses_are_written_as_their_base_type(target: str) -> None:
    written = convert(SUBCLASSES, source="openai", target=target, policy=LENIENT)
    plain = convert(exactly(SUBCLASSES), source="openai", target=target, policy=LENIENT)
    assert (written.data, written.losses) == (plain.data, plain.losses)
    document = read(exactly(SUBCLASSES), "openai").transcript
    assert isinstance(document, Transcript)
    plain = write(document, target, policy=LENIENT)
    first = replace(document.messages[0], role=Role.USER, content=Shout("Hi"))
    call = replace(document.messages[1], recipient=Shout(document.messages[1].recipient))
    written = write(replace(document, messages=(first, call, *document.messages[2:])), target, policy=LENIENT)
    assert (written.data, written.losses) == (plain.data, plain.losses)


def test_instances_of_subclasses_are_recognised_as_their_base_type() -> None:
    assert detect(SUBCLASSES) == detect(exactly(SUBCLASSES)) == "openai"


def test_a_value_that_contains_itself_is_refused() -> None:
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
def test_values_in_documents_of_the_model_are_checked_in_the_same_way(
    document: Transcript, path: str, target: str
) -> None:
    with pytest.raises(BridgeError) as caught:
        write(document, target)
    assert (caught.value.code, caught.value.path) == ("OCB-SHAPE", path)


def test_lists_of_parsed_values_may_be_as_deep_as_those_of_texts() -> None:
    deep: Any = ("a tuple, so that the values are looked at one by one",)
    for _ in range(200):
        deep = [deep]
    request = {"messages": [{"role": "user", "content": "Hi"}], "odd": deep}
    assert convert(request, source="openai", target="openai").output["odd"] == json.loads(json.dumps(deep))
