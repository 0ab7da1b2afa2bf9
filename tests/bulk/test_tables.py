"""Tables and compressions: CSV, TSV, Arrow's streams and files, bzip2 and xz."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocml_bridge.bulk.containers.tables import comma_separated
from ocml_bridge.cli import main
from ocml_bridge.errors import ExitCode

Run = Callable[..., int]
ASKED: Any = {"messages": [{"role": "user", "content": "Why?\nSo?"}, {"role": "assistant", "content": 'Be "cause",'}]}
CSV = 'id,instruction,input,output\r\n1,"Why?\nSo?",,"Be ""cause"","\r\n2,b,,\r\n'


@pytest.fixture
def rows(batch: Run, tmp_path: Path) -> Callable[..., tuple[list[Any], list[Any]]]:
    """Convert a file; returns the rows of the output, and the quarantine."""

    def start(name: str, data: bytes, *arguments: str) -> tuple[list[Any], list[Any]]:
        (tmp_path / name).write_bytes(data)
        batch(tmp_path / name, "-o", tmp_path / "out", *arguments)
        quarantine = list((tmp_path / "out").glob("*.quarantine.jsonl"))
        [output] = [path for path in (tmp_path / "out").glob("[!.]*") if path not in quarantine]
        return read_lines(output), [each for path in quarantine for each in read_lines(path)]

    return start


def read_lines(path: Path) -> list[Any]:
    opened = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}.get(path.suffix, open)
    with opened(path, "rb") as file:
        return [json.loads(line) for line in file]


Rows = Callable[..., tuple[list[Any], list[Any]]]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", CSV.encode()),
        ("a.csv", b"\xef\xbb\xbf" + CSV.encode()),
        ("a.csv", b'id;instruction;input;output\n1;"Why?\nSo?";;"Be ""cause"","\n2;b;;\n'),
        ("a.csv", b'\xef\xbb\xbfsep=;\r\nid;instruction;input;output\r\n1;"Why?\nSo?";;"Be ""cause"","\r\n2;b;;\r\n'),
        ("a.csv", CSV.encode("utf-16")),
        ("a.csv", b"\xfe\xff" + CSV.encode("utf-16-be")),
        (
            "a.tsv",
            b"\xff\xfe"
            + 'id\tinstruction\tinput\toutput\r\n1\t"Why?\nSo?"\t\t"Be ""cause"","\r\n2\tb\t\t\r\n'.encode("utf-16-le"),
        ),
        ("a.csv.gz", gzip.compress(CSV.encode("utf-16"))),
        ("a.csv.gz", gzip.compress(CSV.encode())),
        ("a.csv.bz2", bz2.compress(CSV.encode())),
        ("a.csv.xz", lzma.compress(CSV.encode())),
    ],
    ids=(
        *("plain", "with a byte order mark", "with semicolons", "as Excel writes it"),
        *("UTF-16", "its other order", "Excel's Unicode text", "UTF-16 and gzip", "gzip", "bzip2", "xz"),
    ),
)
def test_a_row_of_a_table_has_a_text_for_each_column(name: str, data: bytes, rows: Rows) -> None:
    written, refused = rows(name, data, "--plan", "alpaca", "-t", "openai")
    assert written == [
        {"id": "1", **ASKED},
        {"id": "2", "messages": [{"role": "user", "content": "b"}, {"role": "assistant", "content": ""}]},
    ]
    assert refused == []


def test_a_table_may_have_tabs_and_texts_need_no_plan(rows: Rows) -> None:
    text = "<|im_start|>user⏎Hi<|im_end|>⏎".replace("⏎", "\n")
    written, _ = rows("a.tsv", f'id\ttext\n1\t"{text}"\n'.encode(), "-f", "chatml", "-t", "openai")
    assert written == [{"id": "1", "text": {"messages": [{"role": "user", "content": "Hi"}]}}]


def test_the_name_of_a_column_may_contain_another_delimiter(rows: Rows) -> None:
    written, _ = rows("a.csv", b"prompt;completion;a, b\nWhy?;So.;1\n", "--plan", "auto", "-t", "openai")
    assert written[0].pop("a, b") == "1"
    assert [turn["content"] for turn in written[0]["messages"]] == ["Why?", "So."]


@pytest.mark.parametrize(
    ("data", "beside"),
    [
        (b"Question , Answer\nWhy?,So.\n", {}),
        (b"\n \nquestion,answer\nWhy?,So.\n", {}),
        (b"\r\nsep=;\r\n\r\nquestion;answer\r\nWhy?;So.\r\n", {}),
        (b"question,answer,,\nWhy?,So.,,x\n", {"Unnamed: 2": "", "Unnamed: 3": "x"}),  # the SMS spam table at Kaggle
        (b",question,answer\n0,Why?,So.\n", {"": "0"}),
    ],
)
def test_a_header_as_people_write_it_names_the_columns(data: bytes, beside: dict[str, str], rows: Rows) -> None:
    written, refused = rows("a.csv", data, "--plan", "auto", "-t", "openai")
    messages = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]
    assert written == [{"messages": messages, **beside}]
    assert refused == []


def test_rows_with_more_or_fewer_values_than_columns_are_quarantined(rows: Rows) -> None:
    data = b"prompt,completion\na,b\nc\nd,e,f\n\xff,g\n\nh,i\nprompt,completion\n"
    written, refused = rows("a.csv", data, "--plan", "auto", "-t", "openai")
    assert [row["messages"][0]["content"] for row in written] == ["a", "h"]
    assert [(each["code"], each["row"]) for each in refused] == [
        ("OCB-SHAPE", 2),
        ("OCB-SHAPE", 3),
        ("OCB-ENCODING", 4),
        ("OCB-SHAPE", 6),  # files that were joined with their headers
    ]
    assert "more or fewer values than the table has columns" in refused[0]["message"]
    assert "iconv" in refused[2]["message"]


@pytest.mark.parametrize(
    ("data", "cut_off"),
    [
        (b"prompt,completion\ra,b\rc,d\nmore words\re,f\r", ["c", "more words"]),
        (b"prompt,completion\r\na,b\r\nc,d\nmore words\r\ne,f", ["c", "more words"]),
        (b"prompt,completion\r\na,b\r\nc,d\nmore words, more\r\n", []),
        (b"prompt,completion\r\na,b\nmore words\n", ["a", "more words"]),
        (b"prompt,completion\na,b\nmore words\nc,d\n", ["more words"]),
        (b"prompt,completion\ra,b\rwords\nmore words,c\rd,e\r", ["words", "more words"]),
        (b"prompt,completion\r\nwords\nmore words,c\r\nd,e\r\n", ["words", "more words"]),
    ],
)
def test_a_row_that_goes_on_behind_another_line_end_than_the_others_is_quarantined(
    data: bytes, cut_off: list[str], rows: Rows
) -> None:
    _, refused = rows("a.csv", data, "--plan", "auto", "-t", "openai")
    assert [json.loads(each["raw"])[0] for each in refused] == cut_off


@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
@given(cells=st.lists(st.lists(st.text("ab \"',\n\r", max_size=6), min_size=1, max_size=3), max_size=5))
def test_no_value_of_a_table_is_lost(line_end: str, cells: list[list[str]]) -> None:
    """Values in quotes have any line breaks; those without quotes are at least in a row that is quarantined."""
    for quoted in (True, False):
        lines = [",".join(_quoted(cell) if quoted else re.sub("[\"']", "", cell) for cell in row) for row in cells]
        data = line_end.join(("p,c", *lines, "")).encode()
        found: list[Any] = [json.loads(row) for row in comma_separated(BytesIO(data))]
        texts: list[list[str]] = [[*row.values()] if isinstance(row, dict) else row for row in found]
        if quoted:
            assert texts == cells
        else:
            assert re.findall("[ab ]", "".join(map("".join, texts))) == re.findall("[ab ]", data.decode()[3:])


_BROKEN = st.lists(st.sampled_from([*"ab", ",", "\n", "\r", "\r\n", '"', '""', '","', '"a\rb\nc"']), max_size=20)


@settings(max_examples=60)
@given(line_end=st.sampled_from(["\n", "\r", "\r\n"]), pieces=_BROKEN)
def test_the_records_of_a_table_hold_all_of_it_and_each_is_in_the_ledger(line_end: str, pieces: list[str]) -> None:
    """The texts of the rows that are written or quarantined are those of the file, unless all of it is refused."""
    data = f"prompt,completion{line_end}{''.join(pieces)}{line_end}".encode()
    with TemporaryDirectory() as folder:
        (Path(folder) / "a.csv").write_bytes(data)
        arguments = ("--plan", "auto", "-t", "openai", "--ledger", "jsonl")
        status = main(["batch", "--quiet", "--jobs", "1", f"{folder}/a.csv", "-o", f"{folder}/out", *arguments])
        found = {path.name: read_lines(path) for path in Path(folder, "out").glob("[!.]*")}
    if not found:
        assert status == ExitCode.SOME_FAILED
        return
    ledger = found["a.ledger.jsonl"]
    written, refused = iter(found["a.jsonl"]), iter(found.get("a.quarantine.jsonl", []))
    texts = [
        [each["content"] for each in next(written)["messages"]]
        if entry["error"] is None
        else json.loads(next(refused)["raw"])  # a list of its values
        for entry in ledger
    ]
    assert [each["position"] for each in ledger] == [*range(1, len(ledger) + 1)]
    assert re.findall("[ab]", "".join(map("".join, texts))) == re.findall("[ab]", "".join(pieces))
    assert next(written, None) is next(refused, None) is None


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'\nprompt\nx\n"a\nb', "in the row that begins at line 4: a quote is not closed"),
        (b"prompt,prompt\na,b\n", "two columns are named 'prompt'"),
    ],
)
def test_a_table_that_cannot_be_read_is_named(data: bytes, reason: str, batch: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    report = tmp_path / "report.json"
    assert (
        batch(tmp_path / "a.csv", "--plan", "prompt", "-t", "openai", "-o", tmp_path / "out", "--report", report) == 6
    )
    assert reason in json.loads(report.read_text())["inputs"][0]["error"]


def test_a_value_may_be_longer_than_the_limit_of_the_csv_module(rows: Rows) -> None:
    written, _ = rows("a.csv", b"prompt\n" + b"x" * 300_000 + b"\n", "--plan", "prompt", "-t", "openai")
    assert len(written[0]["messages"][0]["content"]) == 300_000


@pytest.mark.parametrize("made", ["file", "stream"])
def test_nulls_that_arrow_adds_to_rows_are_removed(made: str, rows: Rows) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    calls: list[Any] = [{"function": {"name": "f", "arguments": each}} for each in ({"a": 1}, {"b": 2})]
    table = arrow.Table.from_pylist(
        [
            {"id": at, "messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]}
            for at, call in enumerate(calls)
        ]
        + [{"id": 2, "messages": [{"role": "user", "content": "Why?", "tool_calls": None}]}]
    )
    sink = arrow.BufferOutputStream()
    with (arrow.ipc.new_file if made == "file" else arrow.ipc.new_stream)(sink, table.schema) as writer:
        writer.write_table(table)
    written, refused = rows("a.arrow", sink.getvalue().to_pybytes(), "--plan", "messages", "-t", "canonical")
    assert [row["messages"][0]["content"] for row in written] == ['{"a":1}', '{"b":2}', "Why?"]
    assert [row["id"] for row in written] == [0, 1, 2]
    assert refused == []


@pytest.mark.parametrize("name", ["a.arrow", "a.parquet"])
def test_maps_are_objects_and_nulls_among_messages_are_reported(name: str, rows: Rows, tmp_path: Path) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    text, pair = arrow.string(), [("role", "user"), ("content", "Why?")]
    columns = {
        "messages": arrow.array([[pair, None]], arrow.list_(arrow.map_(text, text))),
        "a": arrow.array([[("x", 1)]], arrow.map_(text, arrow.int64())),
        "b": arrow.array([[("x", 1), ("x", 2)]], arrow.map_(text, arrow.int64())),
        "c": arrow.array([[(1, None)]], arrow.map_(arrow.int64(), text)),
    }
    table, sink = arrow.table(columns), arrow.BufferOutputStream()
    if name == "a.parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, sink)
    else:
        with arrow.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    report = tmp_path / "report.json"
    data = sink.getvalue().to_pybytes()
    [written], _ = rows(name, data, "--plan", "auto", "-t", "openai", "--report", report)
    assert written["messages"] == [{"role": "user", "content": "Why?"}]
    assert (written["a"], written["b"], written["c"]) == ({"x": 1}, [["x", 1], ["x", 2]], [[1, None]])
    assert json.loads(report.read_text())["findings"]["arrow-padding"]["records"] == 1


def test_a_number_that_json_cannot_represent_is_quarantined(rows: Rows) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    table = arrow.table({"prompt": ["a", "b"], "score": [0.5, float("nan")]})
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    written, refused = rows("a.arrow", sink.getvalue().to_pybytes(), "--plan", "prompt", "-t", "openai")
    assert [row["score"] for row in written] == [0.5]
    assert [(each["code"], each["row"]) for each in refused] == [("OCB-JSON", 2)]


@pytest.mark.parametrize(("end", "packed"), [("bz2", bz2.compress), ("xz", lzma.compress)])
def test_lines_may_be_compressed_with_bzip2_or_xz(end: str, packed: Callable[[bytes], bytes], rows: Rows) -> None:
    lines = b'{"prompt":"a"}\n{"prompt":"b"}\n'
    written, _ = rows(f"a.jsonl.{end}", packed(lines[:15]) + packed(lines[15:]), "--plan", "prompt", "-t", "openai")
    assert [row["messages"][0]["content"] for row in written] == ["a", "b"]


def test_a_table_of_utf_16_that_ends_within_a_character_names_it(batch: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(CSV.encode("utf-16") + b"x")
    report = tmp_path / "report.json"
    args = (tmp_path / "a.csv", "-o", tmp_path / "out", "--plan", "alpaca", "-t", "openai", "--report", report)
    assert batch(*args) == ExitCode.SOME_FAILED
    assert "not utf-16-le: truncated data" in report.read_text()


def test_half_of_a_surrogate_pair_in_utf_16_is_kept(rows: Rows) -> None:
    table = "instruction,output\n".encode("utf-16") + b"\x3d\xd8" + ",b\n".encode("utf-16-le")
    written, refused = rows("a.csv", table, "--plan", "alpaca", "-t", "openai")
    assert not refused
    assert [turn["content"] for turn in written[0]["messages"]] == ["\ud83d", "b"]


KEYED: Any = {
    "objects": {"a7": {"instruction": "Why?", "output": "So."}, "b1": {"instruction": "Who?", "output": "I."}},
    "one": {"a7": {"instruction": "Why?", "output": "So."}},
    "lists": {
        "a7": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}],
        "b1": [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "I."}],
    },
    "with an id": {"a7": {"id": "a7", "instruction": "Why?", "output": "So."}},
    "with another id": {"a7": {"id": 3, "instruction": "Why?", "output": "So."}},
}


@pytest.mark.parametrize("name", KEYED)
def test_rows_under_their_keys_are_rows_with_their_keys(name: str, rows: Rows) -> None:
    written, refused = rows("a.json", json.dumps(KEYED[name]).encode(), "--plan", "auto", "-t", "openai")
    assert not refused
    assert [[turn["content"] for turn in row.pop("messages")] for row in written] == [["Why?", "So."], ["Who?", "I."]][
        : len(written)
    ]
    beside = [{"id": 3, "key": "a7"}] if name == "with another id" else [{"id": key} for key in KEYED[name]]
    assert written == beside


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": [{"role": "user", "content": "Why?"}], "completion": [{"role": "assistant", "content": "So."}]},
        {"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]},
        {"request": {"model": "m", "messages": [{"role": "user", "content": "Why?"}]},
         "response": {"choices": [{"index": 0, "message": {"role": "assistant", "content": "So."}}]}},
    ],
    ids=("a pair", "a list", "a request and its response"),
)  # fmt: skip
def test_an_object_that_is_not_a_dataset_is_one_row(row: Any, rows: Rows) -> None:
    written, refused = rows("a.json", json.dumps(row).encode(), "--plan", "auto", "-t", "openai")
    assert len([*written, *refused]) == 1
    for one in written:
        assert [turn["content"] for turn in one["messages"]] == ["Why?", "So."]


def test_a_text_of_arrow_that_is_not_utf_8_is_quarantined(rows: Rows) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    stored = arrow.array([b"a", b"\xff"], arrow.binary())
    table = arrow.table({"prompt": arrow.Array.from_buffers(arrow.string(), 2, stored.buffers())})
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    written, refused = rows("a.arrow", sink.getvalue().to_pybytes(), "--plan", "prompt", "-t", "openai")
    assert (len(written), [(row["row"], row["code"]) for row in refused]) == (1, [(2, "OCB-ENCODING")])
