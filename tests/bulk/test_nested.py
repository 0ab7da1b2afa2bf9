"""Messages and tools in nested columns, as public datasets have them: one document a row, without Arrow's padding."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.bulk.containers.nested import Nested, document
from ocml_bridge.errors import BridgeError, ErrorCode, ExitCode

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")

Batch = Callable[..., int]
Wire = dict[str, Any]


def call(name: str, arguments: Any) -> Wire:
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": function}],
    }


def tool(name: str, **properties: Any) -> Wire:
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def outputs(folder: Path) -> list[str]:
    return pq.read_table(folder / "a.parquet").column("messages").to_pylist()


@pytest.mark.parametrize("spell", [json.dumps, list], ids=["JSON text", "nested"])
def test_the_tools_in_another_column_are_declared(spell: Callable[[Any], Any], batch: Batch, tmp_path: Path) -> None:
    rows = [{"messages": [{"role": "user", "content": "hi"}], "tools": spell([tool("f", x={"type": "string"})])}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    args = ("-f", "openai", "-t", "harmony", "--field", "messages", tmp_path / "a.parquet")
    assert batch(*args, "-o", tmp_path / "out") == ExitCode.OK
    assert "type f = (_: {\nx?: string,\n}) => any;" in outputs(tmp_path / "out")[0]


def test_a_call_gets_no_parameters_of_other_calls(batch: Batch, tmp_path: Path) -> None:
    rows = [{"messages": [call("f", {"x": 1})]}, {"messages": [call("g", {"y": 2})]}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    args = ("-f", "openai", "-t", "harmony", "--field", "messages", tmp_path / "a.parquet")
    assert batch(*args, "-o", tmp_path / "out", "--report", tmp_path / "report.json") == ExitCode.OK
    first, second = outputs(tmp_path / "out")
    assert '{"x":1}<|call|>' in first
    assert '{"y":2}<|call|>' in second
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert report["findings"]["arrow-padding"]["records"] == 2
    assert batch(*args, "-o", tmp_path / "strict", "--strict") == ExitCode.SOME_FAILED


def test_a_value_that_json_cannot_represent_is_quarantined(batch: Batch, tmp_path: Path) -> None:
    rows = [{"messages": [{"role": "user", "content": "hi", "weight": weight}]} for weight in (1.0, float("nan"))]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    args = ("-f", "openai", "-t", "openai", "--field", "messages", tmp_path / "a.parquet")
    assert batch(*args, "-o", tmp_path / "out") == ExitCode.SOME_FAILED
    lost = json.loads((tmp_path / "out" / "a.quarantine.jsonl").read_bytes())
    assert (lost["code"], lost["position"]["path"]) == ("OCB-JSON", "/0/weight")


def test_nulls_of_the_conversation_are_kept() -> None:
    messages = [{"role": "user", "content": "hi", "name": None}, call("f", '{"x":null}')]
    assert document(messages) == Nested(messages, ())


def test_each_place_of_padding_is_reported() -> None:
    nested = document(
        [call("f", {"x": 1, "y": None, "z": {"a": None}})], [tool("f", x={"type": "string", "enum": None})]
    )
    assert isinstance(nested, Nested)
    assert [finding.path for finding in nested.findings] == [
        "/0/tool_calls/0/function/arguments",
        "/0/tool_calls/0/function/arguments/z",
        "/tools/0/function/parameters/properties/x",
    ]


def test_tools_that_are_not_json_are_an_error() -> None:
    error = document([{"role": "user", "content": "hi"}], "{")
    assert isinstance(error, BridgeError)
    assert (error.code, error.path) == (ErrorCode.JSON, "/tools")


def test_a_list_of_other_turns_is_not_changed() -> None:
    turns = [{"from": "human", "value": "hi"}]
    assert document(turns, "[]") is turns


def undecodable(*values: bytes) -> Any:
    """A column of text whose values need not be UTF-8."""
    stored = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(values), stored.buffers())


@pytest.mark.parametrize(
    ("column", "role", "text", "options", "path"),
    [
        ("messages", "role", "content", ("-f", "openai", "--field", "messages"), "/0/content"),
        ("conversations", "from", "value", ("-f", "sharegpt", "--field", "conversations"), "/0/value"),
        ("conversations", "from", "value", ("--plan", "sharegpt"), "/conversations/0/value"),
    ],
)
def test_nested_text_that_is_not_utf_8_is_not_read_as_an_object(
    column: str, role: str, text: str, options: tuple[str, ...], path: str, batch: Batch, tmp_path: Path
) -> None:
    turns = pa.StructArray.from_arrays([pa.array(["user", "user"]), undecodable(b"hi", b"\xffoh")], [role, text])
    table = pa.table({"id": [1, 2], column: pa.ListArray.from_arrays(pa.array([0, 1, 2]), turns)})
    pq.write_table(table, tmp_path / "a.parquet")
    assert batch(*options, "-t", "openai", tmp_path / "a.parquet", "-o", tmp_path / "out") == ExitCode.SOME_FAILED
    lost = json.loads((tmp_path / "out" / "a.quarantine.jsonl").read_bytes())
    assert (lost["row"], lost["code"], lost["position"]) == (2, "OCB-ENCODING", {"path": path})
    assert json.loads(lost["raw"])[column][0][text] == {"base64": "/29o"}


def test_another_column_that_is_not_utf_8_is_not_written_as_an_object(batch: Batch, tmp_path: Path) -> None:
    text = '{"messages":[{"role":"user","content":"hi"}]}'
    table = pa.table({"text": [text, text], "note": undecodable(b"ok", b"\xff"), "data": [b"\xff", b""]})
    pq.write_table(table, tmp_path / "a.parquet")
    args = ("-f", "openai", "-t", "openai", tmp_path / "a.parquet", "-o")
    assert batch(*args, tmp_path / "same") == ExitCode.OK
    assert batch(*args, tmp_path / "bare", "--into", "jsonl", "--bare") == ExitCode.OK
    assert batch(*args, tmp_path / "out", "--into", "jsonl") == ExitCode.SOME_FAILED
    lost = json.loads((tmp_path / "out" / "a.quarantine.jsonl").read_bytes())
    assert (lost["row"], lost["code"]) == (2, "OCB-ENCODING")
    assert "'note'" in lost["message"]
    written = json.loads((tmp_path / "out" / "a.jsonl").read_bytes())
    assert (written["note"], written["data"]) == ("ok", {"base64": "/w=="})


def test_the_error_for_a_row_without_a_transcript_names_the_column(batch: Batch, tmp_path: Path) -> None:
    table = pa.table({"text": pa.array([None], pa.string())})
    pq.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "b.jsonl").write_text('{"text":null}\n')
    for name, place in (("a.parquet", "column 'text'"), ("b.jsonl", "field 'text'")):
        out = tmp_path / name[0]
        assert batch("-f", "chatml", "-t", "openai", tmp_path / name, "-o", out) == ExitCode.SOME_FAILED
        lost = json.loads((out / f"{name[0]}.quarantine.jsonl").read_bytes())
        assert lost["code"] == "OCB-SHAPE"
        assert f"{place} is null" in lost["message"]
