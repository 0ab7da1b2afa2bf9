"""The contents of a file decide how it is read: as records, as one transcript, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.errors import ExitCode

Batch = Callable[..., int]
CHATML = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello!<|im_end|>\n"
HARMONY = "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>Hello!<|end|>"
REQUEST: Any = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]}


def read_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.html", b"<html>Hi</html>", "a web page"),
        ("a.dat", b"%PDF-1.7\n", "a PDF document"),
    ],
)
def test_a_file_of_another_type_is_named_and_refused_before_the_run(
    name: str, data: bytes, reason: str, batch: Batch, tmp_path: Path, capfd: Any
) -> None:
    source = tmp_path / name
    source.write_bytes(data)
    assert batch("-f", "chatml", "-t", "openai", source, "-o", tmp_path / "out") == ExitCode.FORMAT
    err = capfd.readouterr().err
    assert "OCB-FORMAT-UNKNOWN" in err
    assert name in err
    assert reason in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("options", [("-f", "chatml"), ("--plan", "auto")], ids=["format", "plan"])
@pytest.mark.parametrize("given", ["data", "data/*"], ids=["folder", "pattern"])
def test_files_of_other_types_in_a_folder_are_quarantined(
    options: tuple[str, ...], given: str, batch: Batch, tmp_path: Path
) -> None:
    folder, out = tmp_path / "data", tmp_path / "out"
    folder.mkdir()
    (folder / "a.txt").write_text(CHATML)
    (folder / "b.html").write_text("<html>Hi</html>")
    (folder / "c.dat").write_bytes(b"%PDF-1.7\n")
    (folder / "d.xlsx").write_text("Hi")
    (folder / "e.txt").write_text(CHATML)
    sources = (*options, "-t", "openai", tmp_path / given, "-o", out, "--into", "jsonl", "--ledger", "jsonl")
    assert batch(*sources) == ExitCode.SOME_FAILED
    [quarantine] = out.rglob("*.quarantine.jsonl")
    quarantined = {line["file"]: (line["code"], line["message"]) for line in read_lines(quarantine)}
    assert {code for code, _ in quarantined.values()} == {"OCB-FORMAT-UNKNOWN"}
    reasons = {"b.html": "a web page", "c.dat": "a PDF document", "d.xlsx": "no .xlsx file is read"}
    assert [name for name, what in reasons.items() if what not in quarantined[name][1]] == []
    [ledger] = out.rglob("*.ledger.jsonl")
    outcomes = [line["outcome"] for line in read_lines(ledger)]
    assert outcomes == ["converted", "quarantined", "quarantined", "quarantined", "converted"]


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("shape", ["array", "indented array", "lines"])
def test_a_json_file_of_many_records_is_read_as_records(
    shape: str, compressed: bool, batch: Batch, tmp_path: Path, capfd: Any
) -> None:
    import gzip

    rows = [REQUEST, REQUEST, {"no": "transcript"}]
    text = {
        "array": json.dumps(rows),
        "indented array": json.dumps(rows, indent=2),
        "lines": "\n".join(map(json.dumps, rows)) + "\n",
    }[shape]
    source = tmp_path / ("a.json.gz" if compressed else "a.json")
    source.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    out = tmp_path / "out"
    assert batch("-t", "harmony", source, "-o", out, "--into", "jsonl") == ExitCode.SOME_FAILED
    assert read_lines(out / "a.jsonl") == [{"text": HARMONY}, {"text": HARMONY}]
    (quarantined,) = read_lines(out / "a.quarantine.jsonl")
    assert quarantined["line" if shape == "lines" else "item"] == 3
    assert quarantined["code"] == "OCB-FORMAT-UNKNOWN"


def test_a_resumed_run_continues_inside_of_an_array(batch: Batch, tmp_path: Path) -> None:
    source, out = tmp_path / "a.json", tmp_path / "out"
    rows = [{"messages": [{"role": "user", "content": f"{number} {'x' * 400}"}]} for number in range(2000)]
    rows[900] = {}
    source.write_text(json.dumps(rows))
    assert batch("-t", "harmony", source, "-o", out, "--fail-fast", "-j", "1") == ExitCode.SOME_FAILED
    assert batch("-t", "harmony", source, "-o", out, "--fail-fast", "-j", "1", "--resume") == ExitCode.SOME_FAILED
    assert [int(row["text"].split("<|message|>")[1].split()[0]) for row in read_lines(out / "a.jsonl")] == [
        number for number in range(2000) if number != 900
    ]


@pytest.mark.parametrize("data", [json.dumps(REQUEST), json.dumps(REQUEST, indent=1), json.dumps(REQUEST["messages"])])
def test_a_json_file_of_one_transcript_is_one_transcript(data: str, batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(data)
    assert batch("-t", "harmony", tmp_path / "a.json", "-o", tmp_path / "out") == ExitCode.OK
    assert (tmp_path / "out" / "a.txt").read_text() == HARMONY


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_text_file_may_be_in_utf_16(encoding: str, batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(f"\ufeff{CHATML}".encode(encoding))
    (tmp_path / "b.txt").write_bytes(f"\ufeff{CHATML}".encode(encoding) + b"x")
    out = tmp_path / "out"
    assert batch("-t", "openai", tmp_path / "[ab].txt", "-o", out, "--into", "jsonl") == ExitCode.SOME_FAILED
    [converted] = [path for path in out.glob("*.jsonl") if "quarantine" not in path.name]
    assert [row["text"] for row in read_lines(converted)] == [REQUEST]
    [quarantined] = [line for path in out.glob("*.quarantine.jsonl") for line in read_lines(path)]
    assert "this looks like UTF-16 text" in quarantined["message"]


def test_truncated_json_is_quarantined_with_a_position(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([REQUEST])[:-5])
    assert batch("-t", "harmony", tmp_path / "a.json", "-o", tmp_path / "out") == ExitCode.SOME_FAILED


def test_the_format_of_texts_is_detected_in_each_line(batch: Batch, tmp_path: Path) -> None:
    rows = [{"id": 1, "text": CHATML}, {"id": 2, "text": HARMONY}, {**REQUEST, "text": "a title"}, {"text": "Hello."}]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    out = tmp_path / "out"
    assert batch("-t", "openai", tmp_path / "a.jsonl", "-o", out) == ExitCode.SOME_FAILED
    assert read_lines(out / "a.jsonl") == [{"id": 1, "text": REQUEST}, {"id": 2, "text": REQUEST}, rows[2]]
    (quarantined,) = read_lines(out / "a.quarantine.jsonl")
    assert (quarantined["line"], quarantined["code"]) == (4, "OCB-FORMAT-UNKNOWN")


def test_a_record_of_another_format_is_quarantined_without_force(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": CHATML}) + "\n")
    out = tmp_path / "out"
    assert batch("-f", "harmony", "-t", "openai", tmp_path / "a.jsonl", "-o", out) == ExitCode.SOME_FAILED
    assert read_lines(out / "a.quarantine.jsonl")[0]["code"] == "OCB-FORMAT-DOUBT"
    forced = tmp_path / "forced"
    options = ("-f", "harmony", "--force-format", "-t", "openai", "-o", forced)
    assert batch(*options, tmp_path / "a.jsonl") == ExitCode.OK


LISTS: list[tuple[str, list[Any]]] = [
    (
        "pydantic-ai",
        [
            {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hi"}]},
            {"kind": "response", "parts": [{"part_kind": "text", "content": "Hello!"}]},
        ],
    ),
    ("langchain", [{"type": "human", "content": "Hi"}, {"type": "ai", "content": "Hello!"}]),
    (
        "adk",
        [
            {"author": "user", "invocation_id": "e", "content": {"parts": [{"text": "Hi"}], "role": "user"}},
            {"author": "guide", "invocation_id": "e", "content": {"parts": [{"text": "Hello!"}], "role": "model"}},
        ],
    ),
    ("sharegpt", [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello!"}]),
]


@pytest.mark.parametrize("messages", [messages for _, messages in LISTS], ids=[name for name, _ in LISTS])
def test_a_list_of_messages_without_roles_is_one_conversation(messages: Any, batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(messages, indent=1))
    out = tmp_path / "out"
    assert batch("--plan", "auto", "-t", "harmony", tmp_path / "a.json", "-o", out, "--into", "jsonl") == ExitCode.OK
    [written] = [line for path in out.rglob("*.jsonl") for line in read_lines(path)]
    assert written["text"] == HARMONY


def test_a_list_of_questions_and_answers_is_a_list_of_rows(batch: Batch, tmp_path: Path) -> None:
    rows = [{"question": "Hi", "answer": "Hello!"}] * 2
    (tmp_path / "a.json").write_text(json.dumps(rows))
    out = tmp_path / "out"
    assert batch("--plan", "auto", "-t", "harmony", tmp_path / "a.json", "-o", out, "--into", "jsonl") == ExitCode.OK
    assert read_lines(out / "a.jsonl") == [{"text": HARMONY}] * 2


CONVERSATION = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]
SHOWN: dict[str, Any] = {
    "features": [{"feature_idx": 0, "name": "question", "type": {"dtype": "string"}}],
    "rows": [{"row_idx": at, "row": {"question": "Hi", "answer": "Hello!"}, "truncated_cells": []} for at in (0, 1)],
    "num_rows_total": 2,
}


@pytest.mark.parametrize("content", [[CONVERSATION, CONVERSATION], SHOWN], ids=["lists", "viewer"])
def test_lists_of_messages_and_rows_of_the_dataset_viewer_are_read_as_rows(
    content: Any, batch: Batch, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(content))
    out = tmp_path / "out"
    assert batch("--plan", "auto", "-t", "harmony", tmp_path / "a.json", "-o", out, "--into", "jsonl") == ExitCode.OK
    assert [row["text"] for row in read_lines(out / "a.jsonl")] == [HARMONY] * 2
    assert [row.get("row_idx") for row in read_lines(out / "a.jsonl")] in ([None, None], [0, 1])
    if content is SHOWN:
        first, second = read_lines(out / "a.jsonl")
        assert (first["num_rows_total"], first["features"]) == (2, SHOWN["features"])
        assert "features" not in second


VALUES = {
    "indented": "\n".join(json.dumps(REQUEST, indent=2) for _ in range(3)),
    "without spaces between them": json.dumps(REQUEST, indent=2) * 3,
    "on one line": json.dumps(REQUEST) * 3,
    "not indented": "\r\n".join(json.dumps(REQUEST, indent=0) for _ in range(3)),
    "in a sequence (RFC 7464)": "".join(f"\x1e{json.dumps(REQUEST)}\n" for _ in range(3)),
    "in a sequence, indented, as `jq --seq` writes it": "".join(
        f"\x1e{json.dumps(REQUEST, indent=2)}\n" for _ in range(3)
    ),
    "with brackets in texts": "\n".join([json.dumps(REQUEST, indent=1)] * 3).replace('"Hi"', r'"]}\"{["'),
}


@pytest.mark.parametrize("end", ["json", "jsonl"])
@pytest.mark.parametrize("text", VALUES.values(), ids=VALUES.keys())
def test_values_one_after_another_are_records(text: str, end: str, batch: Batch, tmp_path: Path) -> None:
    (tmp_path / f"a.{end}").write_text(text, newline="")
    out = tmp_path / "out"
    assert batch("--plan", "auto", "-t", "harmony", tmp_path / f"a.{end}", "-o", out) == ExitCode.OK
    [written] = out.glob("a.json*")  # lines stay in a file of the same name
    texts = [row["text"] for row in read_lines(written)]
    assert [text.replace(']}"{[', "Hi") for text in texts] == [HARMONY] * 3


@pytest.mark.parametrize("separator", ["", "\x1e"])
@pytest.mark.parametrize("indent", [2, None])
def test_a_value_that_is_cut_off_is_quarantined_and_the_next_ones_are_read(
    separator: str, indent: int | None, batch: Batch, tmp_path: Path
) -> None:
    one = separator + json.dumps(REQUEST, indent=indent)
    (tmp_path / "a.json").write_text("\n".join((one, one[:-10], one)))
    out = tmp_path / "out"
    assert batch("-t", "harmony", tmp_path / "a.json", "-o", out, "--into", "jsonl") == ExitCode.SOME_FAILED
    assert read_lines(out / "a.jsonl") == [{"text": HARMONY}] * 2
    [quarantined] = read_lines(out / "a.quarantine.jsonl")
    assert (quarantined["item" if indent else "line"], quarantined["code"]) == (2, "OCB-JSON")
