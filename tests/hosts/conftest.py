"""Records for the engines, and what a run on one machine makes of them."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ocml_bridge.bulk import Settings
from ocml_bridge.cli import main
from sources import ROOT

SETTINGS = Settings("harmony", "openai")


@pytest.fixture(scope="session")
def engine() -> Callable[[str], Any]:
    """Import an engine; where it is absent the test is skipped, but not where `OCML_ENGINES` is set."""

    def find(name: str) -> Any:
        if os.environ.get("OCML_ENGINES"):
            return importlib.import_module(name)
        return pytest.importorskip(name, reason=f"{name} is not installed (.ci/run installs it)", exc_type=ImportError)

    return find


@pytest.fixture(scope="session", autouse=True)
def environment() -> Iterator[None]:
    """Engines start processes of their own, which see the packages of this checkout, and send no usage data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT / "bridge"), str(ROOT / "adapters"))))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


class Row(NamedTuple):
    """What came of a record.

    Attributes:
        text: of its output, or what it was where it is quarantined.
        code: why it is quarantined.
        account: its summary in the ledger.
    """

    text: str
    code: str | None
    account: dict[str, Any]


ACCOUNT = ("sha256", "outcome", "class", "codes", "losses", "findings")


class Plain(NamedTuple):
    """Records in files, and what `ocml-convert batch` makes of them.

    Attributes:
        lines: JSON lines, each of them a transcript.
        parquet: the same with a column `id`, and the line as the column `text`.
        rows: what a run on one machine made of them, by `id`.
        by_line: the same by the line.
        settings: how they were converted.
    """

    lines: Path
    parquet: Path
    rows: dict[int, Row]
    by_line: dict[str, Row]
    settings: Settings


def record(number: int) -> str:
    if number % 50 == 7:
        return f'{{"messages": [{number}'
    message: dict[str, Any] = {"role": "user", "content": f"Frage {number}: größer?\n"}
    if number % 10 == 3:
        message["name"] = "eve"  # which harmony cannot represent
    answer = {"role": "assistant", "content": f"Ja {number} <|end|>."}
    return json.dumps({"messages": [message, answer]}, ensure_ascii=number % 2 == 0)


@pytest.fixture(scope="session")
def plain(engine: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory) -> Plain:
    arrow, parquet = engine("pyarrow"), engine("pyarrow.parquet")
    folder = tmp_path_factory.mktemp("plain")
    texts = [record(number) for number in range(2000)]
    lines, table = folder / "a.jsonl", folder / "b.parquet"
    lines.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    parquet.write_table(arrow.table({"id": list(range(len(texts))), "text": texts}), table, row_group_size=300)
    run = ["batch", "-q", "-f", "openai", "-t", "harmony", "--ledger", "jsonl", str(lines), str(table)]
    assert main([*run, "-o", str(folder / "o")]) == 6
    rows = dict(enumerate(from_lines(folder / "o", len(texts))))
    assert rows == from_parquet(parquet, folder / "o")
    return Plain(lines, table, rows, dict(zip(texts, rows.values(), strict=True)), SETTINGS)


def from_lines(folder: Path, count: int) -> list[Row]:
    """The outputs of JSON lines and their quarantine, put together again by line number."""
    kept = {row["line"]: row for row in map(json.loads, (folder / "a.quarantine.jsonl").read_bytes().splitlines())}
    written = iter((folder / "a.jsonl").read_bytes().splitlines())
    rows = [
        Row(kept[number]["raw"], kept[number]["code"], account)
        if number in kept
        else Row(json.loads(next(written))["text"], None, account)
        for number, account in zip(range(1, count + 1), accounts_in(folder / "a.ledger.jsonl"), strict=True)
    ]
    assert next(written, None) is None
    return rows


def from_parquet(parquet: Any, folder: Path) -> dict[int, Row]:
    accounts = accounts_in(folder / "b.ledger.jsonl")
    rows: dict[int, Row] = {}
    for row in parquet.read_table(folder / "b.parquet").to_pylist():
        rows[row["id"]] = Row(row["text"], None, accounts[row["id"]])
    for row in map(json.loads, (folder / "b.quarantine.jsonl").read_bytes().splitlines()):
        kept = json.loads(row["raw"])
        rows[kept["id"]] = Row(kept["text"], row["code"], accounts[kept["id"]])
    return rows


def accounts_in(ledger: Path) -> list[dict[str, Any]]:
    rows = map(json.loads, ledger.read_bytes().splitlines())
    return [{name: row[name] for name in ACCOUNT} for row in rows]


def of_engine(row: dict[str, Any], column: str = "text") -> Row:
    """What an engine made of a record, its columns checked against each other."""
    error = None if row["error"] is None else json.loads(row["error"])
    values = {name: row[name] for name in ACCOUNT[:3]} | {name: json.loads(row[name]) for name in ACCOUNT[3:]}
    return Row(row[column], error and error["code"], values)


@pytest.fixture(scope="session")
def row_of() -> Callable[..., Row]:
    return of_engine
