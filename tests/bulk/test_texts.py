"""Folders of text files, patterns, and the names of outputs."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import convert
from ocml_bridge.bulk.inputs import find_inputs
from ocml_bridge.errors import BridgeError, ErrorCode, ExitCode
from ocml_bridge.formats.adapter import Kind

Batch = Callable[..., int]


@pytest.fixture
def legacy(many: Any, tmp_path: Path) -> Path:
    """A folder of transcripts, one of them broken, one compressed, one hidden."""
    folder = tmp_path / "legacy"
    (folder / "2023" / "may").mkdir(parents=True)
    for number, name in enumerate(("b.txt", "a.txt", "2023/c.txt", "2023/may/d.log")):
        (folder / name).write_text(many.transcript(number), "utf-8")
    (folder / "2023" / "z.txt.gz").write_bytes(gzip.compress(many.transcript(9).encode()))
    (folder / "broken.txt").write_bytes(b"\xff\x00")
    (folder / ".hidden").write_bytes(b"not for us")
    return folder


def test_a_folder_gives_a_folder(many: Any, legacy: Path, batch: Batch, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert batch("-f", "chatml", "-t", "openai", legacy, "-o", out) == ExitCode.SOME_FAILED
    found = many.tree(out)
    assert set(found) == {
        "a.json", "b.json", "2023/c.json", "2023/may/d.json", "2023/z.json.gz", "legacy.quarantine.jsonl"
    }  # fmt: skip
    assert found["a.json"] == convert(many.transcript(1), source="chatml", target="openai").data
    kept = json.loads(found["legacy.quarantine.jsonl"])
    assert (kept["file"], kept["code"], kept["raw_base64"]) == ("broken.txt", "OCB-ENCODING", "/wA=")


def test_a_text_target_keeps_names(many: Any, legacy: Path, batch: Batch, tmp_path: Path) -> None:
    assert batch("-f", "chatml", "-t", "harmony", legacy, "-o", tmp_path / "out") == ExitCode.SOME_FAILED
    found = many.tree(tmp_path / "out")
    assert {"a.txt", "2023/may/d.log"} < set(found)
    assert found["a.txt"] == convert(many.transcript(1), source="chatml", target="harmony").data


def test_a_folder_into_one_file(many: Any, legacy: Path, batch: Batch, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert batch("-f", "chatml", "-t", "openai", legacy, "-o", out, "--into", "jsonl") == ExitCode.SOME_FAILED
    rows = [json.loads(line) for line in (out / "legacy.jsonl").read_bytes().splitlines()]
    assert [row["file"] for row in rows] == ["2023/c.txt", "2023/may/d.log", "2023/z.txt.gz", "a.txt", "b.txt"]
    assert rows[3]["text"] == convert(many.transcript(1), source="chatml", target="openai").output
    bare = tmp_path / "bare"
    assert batch("-f", "chatml", "-t", "openai", legacy, "-o", bare, "--into", "jsonl", "--bare") == 6
    assert (bare / "legacy.jsonl").read_bytes().splitlines()[3] == json.dumps(
        rows[3]["text"], ensure_ascii=False, separators=(",", ":")
    ).encode()


def test_an_output_of_an_earlier_run_is_removed(legacy: Path, batch: Batch, tmp_path: Path, many: Any) -> None:
    out = tmp_path / "out"
    batch("-f", "chatml", "-t", "openai", legacy, "-o", out)
    (legacy / "a.txt").write_bytes(b"\xff")
    assert batch("-f", "chatml", "-t", "openai", legacy, "-o", out) == ExitCode.SOME_FAILED
    assert "a.json" not in many.tree(out)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_cannot_be_read_is_quarantined(legacy: Path, batch: Batch, tmp_path: Path, many: Any) -> None:
    (legacy / "a.txt").chmod(0)
    assert batch("-f", "chatml", "-t", "openai", legacy, "-o", tmp_path / "out") == ExitCode.SOME_FAILED
    rows = [json.loads(line) for line in many.tree(tmp_path / "out")["legacy.quarantine.jsonl"].splitlines()]
    assert [(row["file"], row["code"]) for row in rows] == [("a.txt", "OCB-IO"), ("broken.txt", "OCB-ENCODING")]


def test_a_link_to_nothing_is_quarantined(legacy: Path, batch: Batch, tmp_path: Path, many: Any) -> None:
    (legacy / "gone.txt").symlink_to("nowhere")
    (legacy / "2023" / "again").symlink_to("..")
    batch("-f", "chatml", "-t", "openai", legacy, "-o", tmp_path / "out")
    rows = [json.loads(line) for line in many.tree(tmp_path / "out")["legacy.quarantine.jsonl"].splitlines()]
    assert ("gone.txt", "OCB-IO") in [(row["file"], row["code"]) for row in rows]


def test_any_name_of_a_file(batch: Batch, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/legacy"
    os.mkdir(folder)
    for name in (b"\xff.txt", b"a\nb.txt", b"broken\xfe.txt"):
        try:
            with open(folder + b"/" + name, "wb") as file:
                file.write(b"\xff" if name.startswith(b"broken") else b"<|im_start|>user\nhi<|im_end|>\n")
        except OSError:
            pytest.skip("this file system takes no such name")
    for _ in range(2):
        args = ("-f", "chatml", "-t", "openai", tmp_path / "legacy", "-o", tmp_path / "out", "--resume")
        assert batch(*args, "--report", tmp_path / "report.json") == ExitCode.SOME_FAILED
    assert {b"\xff.json", b"a\nb.json"} < set(os.listdir(os.fsencode(tmp_path / "out")))


# --- what is converted ------------------------------------------------------------------------------------------------


@pytest.fixture
def mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    for name in ("a.jsonl", "b.jsonl.gz", "sub/c.ndjson", "x.txt", "sub/y.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    return folder


def outputs(*arguments: str, into: str | None = None) -> list[tuple[str, str, str]]:
    return [(item.kind, item.output, item.quarantine) for item in find_inputs(arguments, Kind.JSON, into)]


def test_a_folder_may_contain_files_of_records_and_texts(mixed: Path) -> None:
    assert outputs("data") == [
        ("jsonl", "a.jsonl", "a.quarantine.jsonl"),
        ("jsonl", "b.jsonl.gz", "b.quarantine.jsonl"),
        ("jsonl", "sub/c.ndjson", "sub/c.quarantine.jsonl"),
        ("files", ".", "data.quarantine.jsonl"),
    ]
    assert outputs("data", into="jsonl.gz")[2:] == [
        ("jsonl", "sub/c.jsonl.gz", "sub/c.quarantine.jsonl"),
        ("files", "data.jsonl.gz", "data.quarantine.jsonl"),
    ]


def test_patterns_keep_what_is_below_their_fixed_part(mixed: Path) -> None:
    assert outputs("data/**/*.ndjson") == [("jsonl", "sub/c.ndjson", "sub/c.quarantine.jsonl")]
    (texts,) = find_inputs(["data/**/*.txt"], Kind.TEXT)
    assert (texts.path, texts.names) == ("data", ("sub/y.txt", "x.txt"))


def test_text_files_that_are_named_are_gathered_by_folder(mixed: Path) -> None:
    (texts,) = find_inputs(["data/x.txt"], Kind.TEXT)
    assert (texts.path, texts.names, texts.quarantine) == ("data", ("x.txt",), "data.quarantine.jsonl")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["data/nothing.jsonl"], ErrorCode.IO),
        (["data/*.parquet"], ErrorCode.IO),
        (["data/a.jsonl", "data/a.jsonl"], ErrorCode.OPTION),
        (["empty"], ErrorCode.OPTION),
    ],
)
def test_arguments_without_a_meaning_are_refused(mixed: Path, arguments: list[str], code: ErrorCode) -> None:
    (mixed.parent / "empty").mkdir()
    with pytest.raises(BridgeError) as error:
        find_inputs(arguments, Kind.JSON)
    assert error.value.code is code


def test_two_texts_never_share_an_output(mixed: Path) -> None:
    (mixed / "x.log").write_bytes(b"")
    with pytest.raises(BridgeError, match=r"x\.log and x\.txt would both be written to x\.json"):
        find_inputs(["data"], Kind.JSON)
    assert find_inputs(["data"], Kind.TEXT)
    assert find_inputs(["data"], Kind.JSON, "jsonl")


@pytest.mark.parametrize(
    ("name", "target", "output"),
    [
        ("a.chatml", "harmony", "a.harmony"),
        ("a.CHATML.gz", "harmony:oss", "a.harmony.gz"),
        ("a.chatml", "ocm-2.2", "a.ocm"),
        ("a.ocm", "ocm-0.1", "a.ocm"),
        ("a.chatml", "openai", "a.json"),
        ("a.txt", "harmony", "a.txt"),
        ("chatml", "harmony", "chatml"),
    ],
)
def test_the_name_of_an_output_does_not_name_another_format(
    batch: Batch, tmp_path: Path, many: Any, name: str, target: str, output: str
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    source = "ocm-2.2" if ".ocm" in name else "chatml"
    text = convert(many.transcript(1), source="chatml", target=source).data
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    out = tmp_path / "out"
    assert batch("-f", source, "-t", target, folder, "-o", out, "--ledger", "jsonl") == ExitCode.OK
    row = json.loads((out / "texts.ledger.jsonl").read_bytes())
    assert (row["input"], row["output"]) == (str(folder / name), output)
    assert (out / output).is_file()
    assert batch("-f", source, "-t", target, folder, "-o", out, "--ledger", "jsonl", "--resume") == ExitCode.OK


def test_outputs_with_one_name_are_refused_before_the_run(batch: Batch, tmp_path: Path, many: Any) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in ("a.chatml", "a.harmony"):
        (folder / name).write_text(many.transcript(1), "utf-8")
    assert batch("-t", "harmony", folder, "-o", tmp_path / "out") == ExitCode.USAGE
    assert not (tmp_path / "out").exists()
