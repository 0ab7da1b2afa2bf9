"""The ledger shows the outcome of each record; `requeue` puts repaired records into their places."""

from __future__ import annotations

import base64
import gzip
import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.bulk import requeue
from ocml_bridge.bulk.running import durable, journal, outputs
from ocml_bridge.bulk.running.durable import MOVES
from ocml_bridge.cli import main
from ocml_bridge.errors import ExitCode

Batch = Callable[..., int]
GOOD = "<|im_start|>user\nmended<|im_end|>\n"


def mend(quarantine: Path, mended: Path, whole: Callable[[dict[str, Any]], str]) -> None:
    """Write the lines of a quarantine again, each with a valid `raw`."""
    rows = [json.loads(line) for line in quarantine.read_bytes().splitlines()]
    for row in rows:
        row.pop("raw_base64", None)
        row["raw"] = whole(row)
    mended.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_repaired_lines_are_in_the_places_of_the_originals(
    form: str, end: str, many: Any, batch: Batch, tmp_path: Path
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    read = gzip.decompress if end else bytes
    compress = gzip.compress if end else bytes
    broken = many.lines(40, broken_each=7).splitlines()
    line = json.dumps({"id": 0, "text": GOOD}).encode()
    whole = [line if number % 7 == 3 else each for number, each in enumerate(broken)]
    for name, lines in (("broken", broken), ("whole", whole)):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"a.jsonl{end}").write_bytes(compress(b"".join(line + b"\n" for line in lines)))
    args = ("-f", "chatml", "-t", "openai", "--ledger", form)
    for name, status in (("broken", ExitCode.SOME_FAILED), ("whole", ExitCode.OK)):
        assert batch(*args, tmp_path / name / f"a.jsonl{end}", "-o", tmp_path / f"{name}.out") == status
    out, mended = tmp_path / "broken.out", tmp_path / "mended.jsonl"
    mend(out / "a.quarantine.jsonl", mended, lambda row: whole[row["line"] - 1].decode())
    assert main(["requeue", str(out), str(mended)]) == ExitCode.OK
    assert not (out / "a.quarantine.jsonl").exists()
    assert read((out / f"a.jsonl{end}").read_bytes()) == read((tmp_path / "whole.out" / f"a.jsonl{end}").read_bytes())
    if form == "jsonl":
        expected = (tmp_path / "whole.out" / "a.ledger.jsonl").read_text()
        assert (out / "a.ledger.jsonl").read_text().replace("/broken/", "/whole/") == expected
    report = tmp_path / "report.json"
    args = (*args, tmp_path / "broken" / f"a.jsonl{end}", "-o", out, "--resume", "--report", report)
    assert batch(*args) == ExitCode.OK, "what was mended is quarantined no longer"
    counted = json.loads(report.read_bytes())
    assert counted["outcomes"] == {"converted": 40, "lossy": 0, "quarantined": 0}
    assert counted["errors"] == {}
    assert main(["requeue", str(out), str(mended)]) == ExitCode.SOME_FAILED  # they are no longer the quarantine's


def test_a_line_that_is_still_invalid_stays_in_quarantine_with_its_new_error(
    many: Any, batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_bytes(many.lines(20, broken_each=10))
    out, mended = tmp_path / "out", tmp_path / "mended.jsonl"
    args = ("-f", "chatml", "-t", "openai", "--ledger", "jsonl", tmp_path / "a.jsonl", "-o", out)
    assert batch(*args) == ExitCode.SOME_FAILED
    mend(out / "a.quarantine.jsonl", mended, lambda row: '{"text":"still nothing"}' if row["line"] == 6 else "")
    mended.write_text(mended.read_text().splitlines()[0] + "\n")
    assert main(["requeue", str(out), str(mended)]) == ExitCode.SOME_FAILED
    assert "0 put back, 1 quarantined again, 0 not in the quarantine" in capsys.readouterr().err
    kept = [json.loads(line) for line in (out / "a.quarantine.jsonl").read_bytes().splitlines()]
    assert [(row["line"], row["code"]) for row in kept] == [(6, "OCB-NO-FRAMES"), (16, "OCB-SHAPE")]
    assert batch(*args, "--resume") == ExitCode.SOME_FAILED


def test_a_repaired_text_gets_its_file(batch: Batch, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "good.txt").write_text(GOOD)
    (folder / "torn.txt").write_bytes(b"\xff")
    out, mended = tmp_path / "out", tmp_path / "mended.jsonl"
    assert batch("-f", "chatml", "-t", "openai", "--ledger", "jsonl", folder, "-o", out) == ExitCode.SOME_FAILED
    row = json.loads((out / "texts.quarantine.jsonl").read_bytes())
    row["raw_base64"] = base64.b64encode(GOOD.encode()).decode()
    mended.write_text(json.dumps(row) + "\n")
    assert main(["requeue", str(out), str(mended)]) == ExitCode.OK
    assert (out / "torn.json").read_bytes() == (out / "good.json").read_bytes()


def test_repaired_texts_of_a_plan_are_read_by_it(batch: Batch, tmp_path: Path) -> None:
    whole = {"a.txt": GOOD, "b.txt": GOOD, "c.json": '{"instruction":"Hi","output":"Ho"}'}
    for name, broken in (("whole", ()), ("torn", ("b.txt", "c.json"))):
        (tmp_path / name / "texts").mkdir(parents=True)
        for file, text in whole.items():
            (tmp_path / name / "texts" / file).write_text(text[:8] if file in broken else text)
        args = ("--plan", "auto", "-t", "openai", "--ledger", "jsonl", tmp_path / name / "texts" / "a.txt")
        texts = (tmp_path / name / "texts" / "b.txt", tmp_path / name / "texts" / "c.json")
        batch(*args, *texts, "-o", tmp_path / f"{name}.out")
    out = tmp_path / "torn.out"
    for quarantine in sorted(out.glob("*.quarantine.jsonl")):
        mend(quarantine, tmp_path / "mended.jsonl", lambda row: whole[row.get("file", "c.json")])
        assert main(["requeue", str(out), str(tmp_path / "mended.jsonl")]) == ExitCode.OK
    outputs = [(tmp_path / "whole.out" / name).read_text() for name in ("texts.jsonl", "c.jsonl")]
    assert (out / "texts.jsonl").read_text() == "".join(outputs)


def test_interrupted_moves_of_files_are_finished(many: Any, batch: Batch, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "a.jsonl").write_bytes(many.lines(20, broken_each=10))
    out, mended = tmp_path / "out", tmp_path / "mended.jsonl"
    args = ("-f", "chatml", "-t", "openai", "--ledger", "jsonl", tmp_path / "a.jsonl", "-o", out)
    assert batch(*args) == ExitCode.SOME_FAILED
    mend(out / "a.quarantine.jsonl", mended, lambda _row: json.dumps({"text": GOOD}))
    moved: list[str] = []
    replace = os.replace

    def cut(source: str, target: str) -> None:
        moved.append(target)
        if len(moved) == 6:  # after the list of the files to move and the second of these files
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", cut)
        assert main(["requeue", str(out), str(mended)]) == ExitCode.INTERRUPTED
    assert (out / MOVES).exists()
    assert batch(*args, "--resume") == ExitCode.OK, "what was mended is counted with the files that hold it"
    assert not (out / MOVES).exists()
    rows = [json.loads(line) for line in (out / "a.ledger.jsonl").read_bytes().splitlines()]
    assert [row["output_position"] for row in rows] == list(range(1, 21))
    assert len((out / "a.jsonl").read_bytes().splitlines()) == 20


STEPS = (
    *((durable, name) for name in ("sync", "sync_folder", "discard")),
    *((module, "sync") for module in (journal, outputs)),
    (requeue, "discard"),
    (os, "replace"),
)


def killed_at(step: int, command: list[str], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run a command in a process that dies before its nth step on the disk; returns whether it died."""
    left = [step]

    def dying(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args)

        return call

    child = os.fork()
    if not child:
        for module, name in STEPS:
            monkeypatch.setattr(module, name, dying(getattr(module, name)))
        main(command)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def everything_in(folder: Path, report: Path) -> dict[str, Any]:
    """The files of a folder without hidden ones, and the counts of a report."""
    found = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}
    counted = json.loads(report.read_bytes())
    return {**found, "counts": {name: counted[name] for name in ("records", "outcomes", "errors", "losses")}}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("again", ["requeue", "batch"])
def test_outputs_and_counts_agree_wherever_the_run_is_killed(
    again: str, many: Any, batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.jsonl").write_bytes(many.lines(20, broken_each=10))
    report, first, out, mended = (tmp_path / name for name in ("report.json", "first", "out", "mended.jsonl"))
    args = ("-f", "chatml", "-t", "openai", "--ledger", "jsonl", tmp_path / "a.jsonl", "--report", report, "-o")
    assert batch(*args, first) == ExitCode.SOME_FAILED
    before = everything_in(first, report)
    mend(first / "a.quarantine.jsonl", mended, lambda _row: json.dumps({"text": GOOD}))
    shutil.copytree(first, out)
    assert main(["requeue", str(out), str(mended)]) == ExitCode.OK
    assert batch(*args, out, "--resume") == ExitCode.OK
    after = everything_in(out, report)
    step = 0
    was_killed = True
    while was_killed:
        step += 1
        shutil.rmtree(out)
        shutil.copytree(first, out)
        was_killed = killed_at(step, ["requeue", str(out), str(mended)], monkeypatch)
        if again == "requeue":
            main(["requeue", str(out), str(mended)])
        batch(*args, out, "--resume")
        expected = [after] if again == "requeue" else [before, after]
        assert everything_in(out, report) in expected, f"killed at step {step}"
        assert not (out / MOVES).exists()
    assert step > 10


def test_a_requeue_without_a_ledger_is_refused(many: Any, batch: Batch, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "a.jsonl").write_bytes(many.lines(20, broken_each=10))
    out = tmp_path / "out"
    assert batch("-f", "chatml", "-t", "openai", tmp_path / "a.jsonl", "-o", out) == ExitCode.SOME_FAILED
    assert main(["requeue", str(out), str(out / "a.quarantine.jsonl")]) == ExitCode.USAGE
    assert "wrote no ledger" in capsys.readouterr().err


def test_a_ledger_is_summed_up_filtered_and_shown(
    many: Any, batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_bytes(many.lines(20, broken_each=10))
    out = tmp_path / "out"
    args = ("-f", "chatml", "-t", "openai", "--ledger", "jsonl", tmp_path / "a.jsonl", "-o", out)
    assert batch(*args) == ExitCode.SOME_FAILED
    assert main(["ledger", str(out)]) == ExitCode.OK
    assert capsys.readouterr().out.split()[:6] == ["records", "20", "converted", "18", "quarantined", "2"]
    assert main(["ledger", str(out), "--code", "OCB-JSON", "--rows"]) == ExitCode.OK
    assert [json.loads(line)["position"] for line in capsys.readouterr().out.splitlines()] == [6]
    assert main(["ledger", str(out), "--id", "7", "--show"]) == ExitCode.OK
    head, before, after = capsys.readouterr().out.splitlines()
    assert head == f"{tmp_path / 'a.jsonl'}:8 (7): converted"
    assert before == "- " + many.lines(20).decode().splitlines()[7].replace("\n", "\\n")
    assert after.startswith('+ {"id":7,"text":{"messages":[')


def test_repaired_rows_of_parquet_are_in_the_places_of_the_originals(batch: Batch, tmp_path: Path) -> None:
    """The other columns have the values of the input, even those that JSON cannot represent."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    whole = [f"<|im_start|>user\n{number}<|im_end|>\n" for number in range(9)]
    dates = arrow.array([None, *range(8)], arrow.timestamp("us"))
    for name, broken in (("whole", ()), ("broken", (0, 4, 8))):
        texts = ["nothing" if number in broken else text for number, text in enumerate(whole)]
        (tmp_path / name).mkdir()
        table = arrow.table({"at": dates, "text": texts, "id": list(range(9))})
        parquet.write_table(table, tmp_path / name / "a.parquet", row_group_size=4)
        args = ("-f", "chatml", "-t", "openai", "--ledger", "jsonl", "-o", tmp_path / f"{name}.out")
        assert batch(*args, tmp_path / name / "a.parquet") in (ExitCode.OK, ExitCode.SOME_FAILED)
    out, mended = tmp_path / "broken.out", tmp_path / "mended.jsonl"

    def whole_row(row: dict[str, Any]) -> str:
        found = json.loads(row["raw"])
        return json.dumps({**found, "text": whole[found["id"]], **({"id": "x"} if found["id"] == 8 else {})})

    mend(out / "a.quarantine.jsonl", mended, whole_row)
    assert main(["requeue", str(out), str(mended)]) == ExitCode.SOME_FAILED
    (kept,) = [json.loads(line) for line in (out / "a.quarantine.jsonl").read_bytes().splitlines()]
    assert (kept["code"], kept["position"], json.loads(kept["raw"])["id"]) == ("OCB-SHAPE", {"path": "/id"}, "x")
    mend(out / "a.quarantine.jsonl", mended, lambda row: json.dumps({**json.loads(row["raw"]), "id": 8}))
    assert main(["requeue", str(out), str(mended)]) == ExitCode.OK
    assert parquet.read_table(out / "a.parquet") == parquet.read_table(tmp_path / "whole.out" / "a.parquet")


@pytest.mark.parametrize("into", ["json", "csv", "parquet"])
def test_repaired_records_are_put_into_outputs_of_any_kind(into: str, batch: Batch, tmp_path: Path) -> None:
    if into == "parquet":
        pytest.importorskip("pyarrow")
    rows = [{"instruction": "Hi", "output": str(number), "n": number, "meta": {"a": [number]}} for number in range(4)]
    for name, key in (("whole", "instruction"), ("broken", "instruc")):
        lines = [json.dumps(row) for row in rows]
        lines[0], lines[2] = (line.replace("instruction", key) for line in (lines[0], lines[2]))
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
        args = ("--plan", "alpaca", "-t", "openai", "--into", into, "--ledger", "jsonl")
        batch(*args, tmp_path / f"{name}.jsonl", "-o", tmp_path / name)
    out, mended = tmp_path / "broken", tmp_path / "mended.jsonl"
    mend(out / "broken.quarantine.jsonl", mended, lambda row: row["raw"].replace("instruc", "instruction"))
    assert main(["requeue", str(out), str(mended)]) == ExitCode.OK
    assert (out / f"broken.{into}").read_bytes() == (tmp_path / "whole" / f"whole.{into}").read_bytes()
