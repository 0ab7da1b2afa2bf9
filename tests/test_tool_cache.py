"""Tools are read and written once each, in whatever lists; a caller who changes his values changes nobody else's."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import convert
from ocml_bridge.chat.tool_cache import LARGEST, cached_reader, cached_writer
from ocml_bridge.model import CacheMark, Json, Tool
from ocml_bridge.testing.ownership import poison

PARAMETERS: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string", "description": "Where?"}}}


def request(*names: str) -> dict[str, Any]:
    functions = [{"name": name, "description": f"{name}s", "parameters": {**PARAMETERS}} for name in names]
    tools = [{"type": "function", "function": function} for function in functions]
    return {"messages": [{"role": "user", "content": "Hi"}], "tools": tools}


class Counted:
    """Counts what it is called with."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def read(self, raw: Json) -> Json:
        self.calls.append(raw)
        return raw

    def write(self, tool: Tool) -> str:
        self.calls.append(tool)
        return tool.name


def test_a_tool_is_read_once() -> None:
    counted = Counted()
    read = cached_reader(counted.read)
    tools: list[Json] = [{"name": name} for name in "fgf"]
    assert [read(tool) for tool in tools] == tools
    assert counted.calls == tools[:2]


def test_what_is_no_tool_is_known_as_well() -> None:
    calls: list[Json] = []
    read = cached_reader(calls.append)
    assert read("f") is read("f") is None
    assert calls == ["f"]


@pytest.mark.parametrize(
    ("one", "other"),
    [({"a": 1}, {"a": 1.0}), ({"a": 1}, {"a": True}), ({"a": 0.0}, {"a": -0.0}), ({"a": 1, "b": 2}, {"b": 2, "a": 1})],
    ids=str,
)
def test_similar_values_are_different_tools(one: Json, other: Json) -> None:
    read = cached_reader(str)
    assert (read(one), read(other), read(one)) == (str(one), str(other), str(one))


def test_a_reader_does_not_share_the_value_of_its_caller() -> None:
    read = cached_reader(lambda raw: raw)
    raw: dict[str, Json] = {"name": "f"}
    read(raw)
    raw["name"] = "g"
    assert read({"name": "f"}) == {"name": "f"}


@pytest.mark.parametrize("size", [LARGEST - 100, LARGEST + 1])
def test_large_tools_are_not_kept(size: int) -> None:
    counted = Counted()
    read = cached_reader(counted.read)
    raw: Json = {"description": "x" * size}
    assert read(raw) == read(raw) == raw
    assert len(counted.calls) == (1 if size < LARGEST else 2)


def test_a_tool_is_written_once_with_all_its_fields_in_mind() -> None:
    counted = Counted()
    write = cached_writer(counted.write)
    tools = [Tool("f"), Tool("f", ""), Tool("f", strict=False), Tool("f", cache=CacheMark())]
    tools.append(Tool("f", extras={"a": {}}))
    assert [write(tool) for tool in (*tools, *tools)] == ["f"] * 10
    assert counted.calls == tools


def test_a_value_that_is_not_json_is_read_all_the_same() -> None:
    odd: Any = {"name": object()}
    assert cached_reader(lambda raw: raw)(odd) is odd


@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic", "gemini", "bedrock-converse", "harmony"])
def test_a_result_that_is_changed_changes_no_other(target: str) -> None:
    def converted(*names: str) -> Any:
        return convert(request(*names), source="openai", target=target)

    first = converted("search", "book")
    expected = first.data
    for value in (first.output, first.transcript, first.image):
        poison(value)
    again = converted("search", "book")
    assert again.data == expected
    assert again.transcript == converted("search", "book").transcript
    assert [tool.parameters for tool in again.transcript.tools] == [PARAMETERS, PARAMETERS]
