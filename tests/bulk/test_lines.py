"""JSON lines in and out: fields, compression, standard input, quarantine."""

from __future__ import annotations

import base64
import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ocml_bridge import convert
from ocml_bridge.errors import ExitCode

Batch = Callable[..., int]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def compressor(end: str) -> Callable[[bytes], bytes]:
    return gzip.compress if end == ".gz" else pytest.importorskip("zstandard").ZstdCompressor().compress


def expected(many: Any, number: int, target: str = "openai") -> Any:
    return convert(many.transcript(number), source="chatml", target=target).output


def test_other_fields_are_carried_along_and_order_is_kept(many: Any, batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(many.lines(20))
    assert batch("-f", "chatml", "-t", "openai", tmp_path / "a.jsonl", "-o", tmp_path / "out") == ExitCode.OK
    assert set(many.tree(tmp_path / "out")) == {"a.jsonl"}
    found = rows(tmp_path / "out" / "a.jsonl")
    assert found == [{"id": number, "text": expected(many, number), "score": 0.5} for number in range(20)]


def test_the_raw_text_of_other_fields_is_not_changed(batch: Batch, tmp_path: Path) -> None:
    text = json.dumps("<|im_start|>user\nhi<|im_end|>\n")
    line = (
        '{"n": 1.50e3, "big": 123456789012345678901, "conversation" : %s, "x": {"a": [1,  2]}, "s": "\\u00e9\\ud800"}'
    )
    (tmp_path / "a.jsonl").write_text(line % text)
    status = batch("-f", "chatml", "-t", "chatml", "--field", "conversation", tmp_path / "a.jsonl", "-o", tmp_path)
    assert status == ExitCode.USAGE  # it would overwrite its input
    batch("-f", "chatml", "-t", "chatml", "--field", "conversation", tmp_path / "a.jsonl", "-o", tmp_path / "out")
    assert (tmp_path / "out" / "a.jsonl").read_text() == (
        '{"n":1.50e3,"big":123456789012345678901,"conversation":"<|im_start|>user\\nhi<|im_end|>\\n",'
        '"x":{"a": [1,  2]},"s":"\\u00e9\\ud800"}\n'
    )


def test_a_line_that_is_the_transcript(batch: Batch, tmp_path: Path) -> None:
    line = b'{"messages":[{"role":"user","content":"hi"}]}\r\n\n \n'
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + line * 2)
    assert batch("-f", "openai", "-t", "harmony", tmp_path / "a.jsonl", "-o", tmp_path / "out") == ExitCode.OK
    written = tmp_path / "out" / "a.jsonl"
    assert written.read_text() == '{"text":"<|start|>user<|message|>hi<|end|>"}\n' * 2
    assert batch("-f", "harmony", "-t", "openai", "--bare", written, "-o", tmp_path / "back") == ExitCode.OK
    assert (tmp_path / "back" / "a.jsonl").read_text() == '{"messages":[{"role":"user","content":"hi"}]}\n' * 2


def test_a_line_that_is_a_text(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('"<|im_start|>user\\nhi<|im_end|>\\n"\n')
    assert batch("-f", "chatml", "-t", "chatml", "--bare", tmp_path / "a.jsonl", "-o", tmp_path / "out") == ExitCode.OK
    assert (tmp_path / "out" / "a.jsonl").read_text() == '"<|im_start|>user\\nhi<|im_end|>\\n"\n'


def test_the_format_is_detected_for_each_record(batch: Batch, tmp_path: Path) -> None:
    ocm = (Path(__file__).parents[2] / "golden" / "ocm-2.2" / "function-call" / "input.ocm").read_text()
    lines = [{"text": ocm}, {"text": "<|start|>user<|message|>hi<|end|>"}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert batch("-t", "openai", "--field", "text", tmp_path / "a.jsonl", "-o", tmp_path / "out") == ExitCode.OK
    assert len(rows(tmp_path / "out" / "a.jsonl")) == 2


@pytest.mark.parametrize("end", [".gz", ".zst"])
def test_compressed_files(end: str, many: Any, batch: Batch, tmp_path: Path) -> None:
    compress = compressor(end)
    data = many.lines(600, broken_each=200)
    half = len(many.lines(250))
    (tmp_path / "plain.jsonl").write_bytes(data)
    # Two members, one after the other, as `cat a.gz b.gz` writes them.
    (tmp_path / f"a.jsonl{end}").write_bytes(compress(data[:half]) + compress(data[half:]))
    for name in ("plain.jsonl", f"a.jsonl{end}"):
        assert batch("-f", "chatml", "-t", "harmony", tmp_path / name, "-o", tmp_path / "out") == ExitCode.SOME_FAILED
    out = tmp_path / "out"
    assert set(many.tree(out)) == {
        "plain.jsonl", "plain.quarantine.jsonl", f"a.jsonl{end}", "a.quarantine.jsonl"
    }  # fmt: skip
    # What was written can be read, here by the command itself.
    assert batch("-f", "harmony", "-t", "chatml", out / f"a.jsonl{end}", "-o", tmp_path / "x", "--into", "jsonl") == 0
    assert batch("-f", "harmony", "-t", "chatml", out / "plain.jsonl", "-o", tmp_path / "y") == 0
    assert (tmp_path / "x" / "a.jsonl").read_bytes() == (tmp_path / "y" / "plain.jsonl").read_bytes()
    if end == ".gz":
        assert gzip.decompress((out / "a.jsonl.gz").read_bytes()) == (out / "plain.jsonl").read_bytes()


def test_the_messages_of_the_quarantine_name_options_of_the_command(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"foo":1}')
    assert batch("-t", "openai", tmp_path / "a.jsonl", "-o", tmp_path / "out") == ExitCode.SOME_FAILED
    [row] = rows(tmp_path / "out" / "a.quarantine.jsonl")
    assert "name it with --from" in row["message"]


def test_every_broken_line_is_quarantined_whole(many: Any, batch: Batch, tmp_path: Path) -> None:
    data = many.lines(60, broken_each=10)
    (tmp_path / "a.jsonl").write_bytes(data)
    report = tmp_path / "report.json"
    status = batch("-f", "chatml", "-t", "openai", tmp_path / "a.jsonl", "-o", tmp_path / "out", "--report", report)
    assert status == ExitCode.SOME_FAILED
    kept = rows(tmp_path / "out" / "a.quarantine.jsonl")
    assert [row["line"] for row in kept] == [6, 16, 26, 36, 46, 56]
    raws = [base64.b64decode(row["raw_base64"]) if "raw_base64" in row else row["raw"].encode() for row in kept]
    assert raws == [line.rstrip(b"\n") for line in many.broken]
    assert [row["code"] for row in kept] == [
        "OCB-JSON", "OCB-SHAPE", "OCB-ENCODING", "OCB-NO-FRAMES", "OCB-SHAPE", "OCB-SHAPE",
    ]  # fmt: skip
    assert kept[0]["position"] == {"offset": 23}
    assert kept[2]["position"] == {"offset": 0}
    assert all(row["input"] == str(tmp_path / "a.jsonl") and row["message"] for row in kept)
    counts = json.loads(report.read_bytes())
    assert counts["outcomes"] == {"converted": 54, "lossy": 0, "quarantined": 6}
    assert counts["records"] == 60 == sum(counts["outcomes"].values())
    assert counts["errors"]["OCB-SHAPE"]["records"] == 3
    assert [example["line"] for example in counts["errors"]["OCB-SHAPE"]["examples"]] == [16, 46, 56]
    assert counts["inputs"][0]["quarantine"] == "a.quarantine.jsonl"


@pytest.mark.parametrize("target", ["harmony", "anthropic"])
def test_a_record_after_a_byte_order_mark_keeps_its_other_members(target: str, batch: Batch, tmp_path: Path) -> None:
    line = '{"id":"a","messages":[{"role":"user","content":"Hi"}],"source":{"of": 1}}\n'
    (tmp_path / "a.jsonl").write_text(f"\ufeff{line}{line}\ufeff{line}", "utf-8")
    args = ("-t", target, "--ledger", "jsonl", tmp_path / "a.jsonl", "-o", tmp_path / "out")
    assert batch(*args) == ExitCode.OK
    assert len(set((tmp_path / "out" / "a.jsonl").read_text().splitlines())) == 1
    assert [(row["id"], row["codes"]) for row in rows(tmp_path / "out" / "a.ledger.jsonl")] == [("a", [])] * 3


TORN = [
    '{"messages":[{"role":"user","content":"<|start|>user<|message|>Hi<|end|>"},{"ro',
    '{"messages":[{"role":"user","content":"x<|im_start|>user Hi<|im_end|>"}],"id":1,"id":2}',
    '{"text":"[BOS]<|im_start|>user\\nHi<|im_end|>","score":NaN}',
]


@pytest.mark.parametrize("line", TORN)
def test_a_damaged_line_of_json_is_not_read_as_a_text_with_tokens(line: str, batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(line + "\n<|start|>user<|message|>Hi<|end|>\n")
    assert batch("-t", "openai", tmp_path / "a.jsonl", "-o", tmp_path / "out") == ExitCode.SOME_FAILED
    kept = rows(tmp_path / "out" / "a.quarantine.jsonl")
    assert [(row["line"], row["code"]) for row in kept] == [(1, "OCB-JSON")]


def test_a_quarantine_of_an_earlier_run_is_removed(many: Any, batch: Batch, tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(many.lines(20, broken_each=10))
    assert batch("-f", "chatml", "-t", "openai", source, "-o", out) == ExitCode.SOME_FAILED
    source.write_bytes(many.lines(20))
    assert batch("-f", "chatml", "-t", "openai", source, "-o", out) == ExitCode.OK
    assert set(many.tree(out)) == {"a.jsonl"}


def test_losses_are_counted_by_code_with_examples(batch: Batch, tmp_path: Path) -> None:
    line = b'{"messages":[{"role":"user","content":"hi","name":"bob"},{"role":"user","content":"ho","name":"eve"}]}\n'
    (tmp_path / "a.jsonl").write_bytes(line * 5)
    report = tmp_path / "report.json"
    assert batch("-f", "openai", "-t", "harmony", tmp_path, "--dry-run", "--report", report) == ExitCode.OK
    counts = json.loads(report.read_bytes())
    assert counts["outcomes"] == {"converted": 0, "lossy": 5, "quarantined": 0}
    name = counts["losses"]["name"]
    assert (name["records"], name["places"], name["lost"]) == (5, 10, 10)
    assert [example["line"] for example in name["examples"]] == [1, 2, 3]
    assert name["examples"][0]["path"] == "/messages/0/name"
    assert {path.name for path in tmp_path.iterdir()} == {"a.jsonl", "report.json"}
    assert batch("-f", "openai", "-t", "harmony", tmp_path, "--strict", "-o", tmp_path.parent / "strict") == 6
    assert len(rows(tmp_path.parent / "strict" / "a.quarantine.jsonl")) == 5


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_standard_input(
    compress: Callable[[bytes], bytes], many: Any, batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    buffer = io.BufferedReader(io.BytesIO(compress(many.lines(5))))  # pyright: ignore[reportArgumentType]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=buffer))
    assert batch("-f", "chatml", "-t", "openai", "-", "-o", tmp_path) == ExitCode.OK
    assert [row["id"] for row in rows(tmp_path / "stdin.jsonl")] == list(range(5))


def test_a_limit_counts_over_all_inputs(many: Any, batch: Batch, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.jsonl").write_bytes(many.lines(10))
    assert batch("-f", "chatml", "-t", "openai", tmp_path, "-o", tmp_path.parent / "o", "--limit", "15") == ExitCode.OK
    lengths = {name: len(data.splitlines()) for name, data in many.tree(tmp_path.parent / "o").items()}
    assert lengths == {"a.jsonl": 10, "b.jsonl": 5}


@pytest.mark.parametrize("end", [".gz", ".zst"])
@pytest.mark.parametrize("cut", [1, 3000])
def test_a_truncated_input_does_not_end_the_others(end: str, cut: int, many: Any, batch: Batch, tmp_path: Path) -> None:
    compress = compressor(end)
    (tmp_path / f"a.jsonl{end}").write_bytes(compress(many.lines(1000))[:-cut])
    (tmp_path / "b.jsonl").write_bytes(many.lines(3))
    report = tmp_path / "report.json"
    args = ("-f", "chatml", "-t", "openai", tmp_path / f"a.jsonl{end}", tmp_path / "b.jsonl", "-o", tmp_path / "out")
    assert batch(*args, "--report", report) == ExitCode.SOME_FAILED
    assert set(many.tree(tmp_path / "out")) == {"b.jsonl"}
    first, second = json.loads(report.read_bytes())["inputs"]
    assert (first["output"], first["records"], second["output"]) == (None, 0, "b.jsonl")
    assert "end-of-stream" in first["error"]
    (tmp_path / f"a.jsonl{end}").write_bytes(compress(many.lines(1000)))
    assert batch(*args, "--resume") == ExitCode.OK
    assert set(many.tree(tmp_path / "out")) == {f"a.jsonl{end}", "b.jsonl"}
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.endswith(".partial")]


WIDE = 'Größe – 天气 🙂 "\\ud800"'
TALKS = [{"messages": [{"role": "user", "content": f"{number} {WIDE}"}]} for number in range(700)]
LINES = "".join(f"{json.dumps(talk, ensure_ascii=False)}\r\n" for talk in TALKS)
FORMS = {
    "a.jsonl": LINES.encode("utf-16"),
    "b.jsonl": b"\xfe\xff" + LINES.encode("utf-16-be"),
    "c.jsonl.gz": gzip.compress(LINES.encode("utf-16")),
    "d.json": LINES.encode("utf-16"),
    "e.json": json.dumps(TALKS).encode("utf-16"),
}


@pytest.mark.parametrize("name", FORMS)
def test_json_may_be_in_utf_16_with_a_byte_order_mark(name: str, batch: Batch, tmp_path: Path) -> None:
    """Windows PowerShell writes output that is redirected to a file in this encoding."""
    (tmp_path / name).write_bytes(FORMS[name])
    args = ("-f", "openai", "-t", "openai", "--ledger", "jsonl", tmp_path / name, "-o", tmp_path / "out")
    assert batch(*args) == ExitCode.OK
    output = next((tmp_path / "out").glob(f"{name[0]}.json*")).read_bytes()
    data = gzip.decompress(output) if name.endswith(".gz") else output
    assert [json.loads(line) for line in data.splitlines()] == TALKS
    assert [row["position"] for row in rows(tmp_path / "out" / f"{name[0]}.ledger.jsonl")] == [*range(1, 701)]


def test_truncated_utf_16_is_an_error_of_its_file(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(LINES.encode("utf-16")[:-1])
    report = tmp_path / "report.json"
    args = ("-f", "openai", "-t", "openai", tmp_path / "a.jsonl", "-o", tmp_path / "out", "--report", report)
    assert batch(*args) == ExitCode.SOME_FAILED
    assert "utf-16" in json.loads(report.read_text())["inputs"][0]["error"]


def test_a_quiet_run_names_the_input_that_it_could_not_read(
    batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl.gz"
    good.write_bytes(b'{"messages": [{"role": "user", "content": "Hi"}]}\n')
    bad.write_bytes(b"this is no gzip")
    assert batch(good, bad, "-f", "openai", "-t", "harmony", "-o", tmp_path / "out") == ExitCode.SOME_FAILED
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"ocml-convert: {bad}: cannot be read: ")
