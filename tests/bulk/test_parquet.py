"""Parquet in and out: one column is converted, the others are not changed."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import convert
from ocml_bridge.bulk.containers import compression
from ocml_bridge.bulk.survey import propose
from ocml_bridge.cli import main
from ocml_bridge.errors import BridgeError, ErrorCode, ExitCode

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")

Batch = Callable[..., int]
DAY = datetime.date(2024, 5, 15)


def table(many: Any, count: int, kind: Any) -> Any:
    texts = [many.transcript(number) for number in range(count)]
    texts[3] = "nothing"
    columns = {
        "id": pa.array(range(count), pa.int32()),
        "text": pa.array([text.encode() if kind == pa.binary() else text for text in texts], kind),
        "day": pa.array([DAY] * count),
        "tags": pa.array([["a", "b"]] * count),
    }
    return pa.table(columns).replace_schema_metadata({"owner": "us"})


@pytest.mark.parametrize("kind", ["string", "large_string", "binary"])
def test_a_column_is_converted(kind: str, many: Any, batch: Batch, tmp_path: Path) -> None:
    count = 1300
    pq.write_table(table(many, count, getattr(pa, kind)()), tmp_path / "a.parquet", row_group_size=600)
    assert batch("-f", "chatml", "-t", "openai", tmp_path / "a.parquet", "-o", tmp_path / "out") == 6
    found = pq.read_table(tmp_path / "out" / "a.parquet")
    assert found.schema.names == ["id", "text", "day", "tags"]
    assert found.schema.metadata[b"owner"] == b"us"
    assert found.column("id").to_pylist() == [number for number in range(count) if number != 3]
    assert found.column("day").type == pa.date32()
    assert found.column("tags").to_pylist() == [["a", "b"]] * (count - 1)
    texts = found.column("text").to_pylist()
    assert json.loads(texts[0]) == convert(many.transcript(0), source="chatml", target="openai").output
    kept = json.loads((tmp_path / "out" / "a.quarantine.jsonl").read_bytes())
    assert (kept["row"], kept["code"]) == (4, "OCB-NO-FRAMES")
    text = {"base64": "bm90aGluZw=="} if kind == "binary" else "nothing"
    assert json.loads(kept["raw"]) == {"id": 3, "text": text, "day": "2024-05-15", "tags": ["a", "b"]}


def test_a_nested_column(batch: Batch, tmp_path: Path) -> None:
    messages = [[{"role": "user", "content": "hi"}], [{"role": "robot"}], None]
    pq.write_table(pa.table({"messages": messages, "n": [1, 2, 3]}), tmp_path / "a.parquet")
    args = ("-f", "openai", "-t", "harmony", "--field", "messages", tmp_path / "a.parquet")
    assert batch(*args, "-o", tmp_path / "out", "--into", "jsonl") == ExitCode.SOME_FAILED
    first = (tmp_path / "out" / "a.jsonl").read_bytes().splitlines()[0]
    assert json.loads(first) == {"messages": "<|start|>user<|message|>hi<|end|>", "n": 1}


def test_a_file_without_rows(batch: Batch, tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert batch("-f", "chatml", "-t", "openai", tmp_path / "a.parquet", "-o", tmp_path / "out") == ExitCode.OK
    assert pq.read_table(tmp_path / "out" / "a.parquet").num_rows == 0


def test_a_limit_and_a_bare_output(many: Any, batch: Batch, tmp_path: Path) -> None:
    pq.write_table(table(many, 1300, pa.string()), tmp_path / "a.parquet")
    args = (
        "-f",
        "chatml",
        "-t",
        "harmony",
        tmp_path / "a.parquet",
        "-o",
        tmp_path / "out",
        "--limit",
        "1000",
        "--bare",
    )
    assert batch(*args) == ExitCode.SOME_FAILED
    found = pq.read_table(tmp_path / "out" / "a.parquet")
    assert (found.schema.names, found.num_rows) == (["text"], 999)


def test_a_missing_column_is_an_error(
    many: Any, batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pq.write_table(table(many, 5, pa.string()), tmp_path / "a.parquet")
    args = ("-f", "chatml", "-t", "harmony", tmp_path / "a.parquet", "-o", tmp_path / "out")
    assert batch(*args, "--field", "conversation") == ExitCode.USAGE
    assert "no column 'conversation'; name one with --field: id, text, day, tags" in capsys.readouterr().err


def test_a_file_that_is_not_parquet_does_not_end_the_others(many: Any, batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 not really")
    pq.write_table(table(many, 5, pa.string()), tmp_path / "b.parquet")
    out, report = tmp_path / "out", tmp_path / "report.json"
    args = ("-f", "chatml", "-t", "harmony", tmp_path / "a.parquet", tmp_path / "b.parquet", "-o", out)
    assert batch(*args, "--report", report) == ExitCode.SOME_FAILED
    assert set(many.tree(out)) == {"b.parquet", "b.quarantine.jsonl"}
    assert "Parquet magic bytes" in json.loads(report.read_bytes())["inputs"][0]["error"]


def test_a_library_that_is_missing_is_named() -> None:
    with pytest.raises(BridgeError, match=r"pip install 'ocml-convert\[bulk\]'") as error:
        compression.library("no_such_library", "bulk")
    assert error.value.code is ErrorCode.DEPENDENCY


def wrong_text() -> Any:
    """A column of text in which one value is not UTF-8."""
    values = (b"<|im_start|>user\nhi<|im_end|>\n", b"<|im_start|>user\n\xff<|im_end|>\n")
    offsets = pa.array([0, len(values[0]), len(values[0]) + len(values[1])], pa.int32()).buffers()[1]
    return pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"".join(values))])


@pytest.mark.parametrize("into", [(), ("--into", "jsonl")])
def test_a_text_that_is_not_utf_8_quarantines_only_its_row(into: tuple[str, ...], batch: Batch, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2], "text": wrong_text()}), tmp_path / "a.parquet")
    args = ("-f", "chatml", "-t", "openai", tmp_path / "a.parquet", "-o", tmp_path / "out", *into)
    assert batch(*args) == ExitCode.SOME_FAILED
    kept = json.loads((tmp_path / "out" / "a.quarantine.jsonl").read_bytes())
    assert (kept["row"], kept["code"]) == (2, "OCB-ENCODING")


def test_other_columns_with_invalid_utf_8_or_distant_dates_are_carried_along(batch: Batch, tmp_path: Path) -> None:
    far = pa.array([0, 300_000_000_000], pa.timestamp("s"))
    texts = ["<|im_start|>user\nhi<|im_end|>\n", "broken"]
    pq.write_table(pa.table({"text": texts, "note": wrong_text(), "when": far}), tmp_path / "a.parquet")
    args = ("-f", "chatml", "-t", "openai", tmp_path / "a.parquet", "-o")
    assert batch(*args, tmp_path / "out") == ExitCode.SOME_FAILED
    kept = json.loads((tmp_path / "out" / "a.quarantine.jsonl").read_bytes())
    assert json.loads(kept["raw"])["when"].startswith("11476-")
    assert "base64" in json.loads(kept["raw"])["note"]
    assert batch(*args, tmp_path / "lines", "--into", "jsonl") == ExitCode.SOME_FAILED


def test_a_number_that_json_cannot_represent_is_not_dropped(batch: Batch, tmp_path: Path) -> None:
    texts = ["<|im_start|>user\nhi<|im_end|>\n"] * 2
    pq.write_table(pa.table({"text": texts, "score": [1.0, float("nan")]}), tmp_path / "a.parquet")
    args = ("-f", "chatml", "-t", "openai", tmp_path / "a.parquet", "-o")
    assert batch(*args, tmp_path / "rows") == ExitCode.OK
    assert batch(*args, tmp_path / "lines", "--into", "jsonl") == ExitCode.SOME_FAILED
    kept = json.loads((tmp_path / "lines" / "a.quarantine.jsonl").read_bytes())
    assert (kept["code"], json.loads(kept["raw"])["score"]) == ("OCB-JSON", "nan")


def test_text_as_views(batch: Batch, tmp_path: Path) -> None:
    texts = pa.array(["<|im_start|>user\nhi<|im_end|>\n", "broken"], pa.string_view())
    try:
        pq.write_table(pa.table({"text": texts}), tmp_path / "a.parquet")
    except pa.ArrowNotImplementedError:
        pytest.skip("this version of pyarrow writes no views into Parquet")
    args = ("-f", "chatml", "-t", "openai", tmp_path / "a.parquet", "-o", tmp_path / "out")
    assert batch(*args) == ExitCode.SOME_FAILED
    assert pq.read_table(tmp_path / "out" / "a.parquet").num_rows == 1


def test_two_columns_with_one_name_are_refused_if_they_become_members_of_an_object(
    batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = pa.array(["<|im_start|>user\nhi<|im_end|>\n"])
    one = pa.array([1])
    pq.write_table(pa.table([text, one, one], names=["text", "n", "n"]), tmp_path / "a.parquet")
    args = ("-f", "chatml", "-t", "openai", tmp_path / "a.parquet", "-o", tmp_path / "out")
    assert batch(*args) == ExitCode.OK
    assert batch(*args, "--into", "jsonl") == ExitCode.USAGE
    assert "2 columns are named 'n'" in capsys.readouterr().err


def test_a_plan_for_two_columns_with_one_name_is_refused_as_the_run_would_be(tmp_path: Path) -> None:
    one = pa.array(["Why?"])
    pq.write_table(pa.table([one, one, one], names=["prompt", "completion", "prompt"]), tmp_path / "a.parquet")
    with pytest.raises(BridgeError, match="2 columns are named 'prompt'"):
        propose([str(tmp_path / "a.parquet")], 10)


def _structs(**members: Any) -> Any:
    return pa.StructArray.from_arrays([*members.values()], names=[name[:1] for name in members])


ONE = pa.array([1])
TWINS = _structs(k1=ONE, k2=ONE)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ((ONE, ONE), "2 columns are named 'n'"),
        ((TWINS,), "2 members of the column 'n' are named 'k'"),
        ((pa.ListArray.from_arrays([0, 1], TWINS),), "2 members of the column 'n' are named 'k'"),
        ((pa.LargeListArray.from_arrays([0, 1], _structs(a=TWINS)),), "2 members of the column 'n' are named 'k'"),
        ((pa.MapArray.from_arrays([0, 1], pa.array(["a"]), TWINS),), "2 members of the column 'n' are named 'k'"),
    ],
)
@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_duplicate_names_in_rows_of_a_plan_are_refused(
    name: str, values: tuple[Any, ...], reason: str, batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["instruction", "output", *("n" for _ in values)]
    table = pa.table([pa.array(["Why?"]), pa.array(["Because."]), *values], names=names)
    if name.endswith(".parquet"):
        pq.write_table(table, tmp_path / name)
    else:
        with pa.ipc.new_file(tmp_path / name, table.schema) as file:
            file.write_table(table)
    report = tmp_path / "report.json"
    args = ("--plan", "auto", "-t", "openai", tmp_path / name, "-o", tmp_path / "out", "--report", report)
    if name.endswith(".parquet"):
        assert batch(*args) == ExitCode.USAGE
        assert reason in capsys.readouterr().err
    else:
        assert batch(*args) == ExitCode.SOME_FAILED
        assert reason in json.loads(report.read_text())["inputs"][0]["error"]
    assert not [*(tmp_path / "out").glob("*.jsonl")]


@pytest.mark.parametrize("kind", [pa.string(), pa.binary()])
def test_members_of_a_transcript_that_its_column_does_not_keep_are_reported(
    kind: Any, batch: Batch, tmp_path: Path
) -> None:
    line = '{"id":"a","messages":[{"role":"user","content":"hi"}],"source":"web"}'
    pq.write_table(pa.table({"text": pa.array([line.encode()], pa.binary()).cast(kind)}), tmp_path / "a.parquet")
    args = ("-t", "harmony", "--ledger", "jsonl", tmp_path / "a.parquet", "-o", tmp_path / "out")
    assert batch(*args) == ExitCode.OK
    assert pq.read_table(tmp_path / "out" / "a.parquet").to_pylist() == [{"text": "<|start|>user<|message|>hi<|end|>"}]
    row = json.loads((tmp_path / "out" / "a.ledger.jsonl").read_bytes())
    assert (row["outcome"], row["codes"]) == ("lossy", ["extras"])
    assert [loss["path"] for loss in row["losses"]] == ["/extras/openai/id", "/extras/openai/source"]


def test_a_broken_file_does_not_end_a_run_in_which_it_is_the_first(
    process: Callable[..., Any], batch: Batch, tmp_path: Path
) -> None:
    """The library is not imported yet, so its errors are not known yet."""
    (tmp_path / "a.parquet").touch()
    (tmp_path / "b.jsonl").write_text('{"prompt":"Hi"}\n')
    args = ("-q", "--plan", "auto", "-t", "openai", tmp_path / "a.parquet", tmp_path / "b.jsonl", "-o")
    assert process(*args, tmp_path / "out").wait() == ExitCode.SOME_FAILED
    assert (tmp_path / "out" / "b.jsonl").exists()


def test_files_whose_names_are_not_utf_8(batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / os.fsdecode(b"\xff.parquet"), tmp_path / "out"
    try:
        with source.open("wb") as file:
            pq.write_table(pa.table({"text": ["<|im_start|>user\nhi<|im_end|>\n", "broken"]}), file)
    except OSError:
        pytest.skip("this disk has no such names")
    args = ("-f", "chatml", "-t", "openai", "--ledger", "parquet", source, "-o", out)
    assert batch(*args) == ExitCode.SOME_FAILED
    quarantine = out / os.fsdecode(b"\xff.quarantine.jsonl")
    mended = json.loads(quarantine.read_bytes())
    mended["raw"] = json.dumps({"text": "<|im_start|>user\nhi<|im_end|>\n"})
    (tmp_path / "mended.jsonl").write_text(json.dumps(mended) + "\n")
    assert main(["requeue", str(out), str(tmp_path / "mended.jsonl")]) == ExitCode.OK
    capsys.readouterr()
    assert main(["ledger", str(out)]) == ExitCode.OK
    assert capsys.readouterr().out.split()[:4] == ["records", "2", "converted", "2"]
