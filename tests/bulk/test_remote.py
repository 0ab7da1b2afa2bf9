"""Inputs that are given by addresses, on file systems without a network: memory, and local files by `file://`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from ocml_bridge.bulk.containers import remote
from ocml_bridge.errors import BridgeError, ErrorCode

fsspec: Any = pytest.importorskip("fsspec")
Run = Callable[..., int]
LINE = b'{"id":1,"prompt":"Why?"}\n'
ROW = {"id": 1, "messages": [{"role": "user", "content": "Why?"}]}
PLAN = ("--plan", "prompt", "-t", "openai")


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


def read_lines(path: Path) -> list[Any]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as file:
        return [json.loads(line) for line in file]


def test_a_file_of_an_address_is_read(memory: Any, batch: Run, tmp_path: Path) -> None:
    memory.pipe("/data/a.jsonl", LINE * 3)
    assert batch("memory://data/a.jsonl", *PLAN, "-o", tmp_path / "out") == 0
    assert read_lines(tmp_path / "out" / "a.jsonl") == [ROW] * 3


def test_folders_and_patterns_keep_their_tree(memory: Any, batch: Run, tmp_path: Path) -> None:
    memory.pipe("/data/a.jsonl", LINE)
    memory.pipe("/data/more/b.jsonl.gz", gzip.compress(LINE * 2))
    memory.pipe("/data/more/c.csv", b"id,prompt\n1,Why?\n")
    assert batch("memory://data", *PLAN, "-o", tmp_path / "out") == 0
    assert read_lines(tmp_path / "out" / "a.jsonl") == [ROW]
    assert read_lines(tmp_path / "out" / "more" / "b.jsonl.gz") == [ROW] * 2
    assert read_lines(tmp_path / "out" / "more" / "c.jsonl") == [{**ROW, "id": "1"}]
    assert batch("memory://data/m*/*.gz", *PLAN, "-o", tmp_path / "some") == 0
    assert [path.name for path in (tmp_path / "some").rglob("*.gz")] == ["b.jsonl.gz"]


def test_parquet_is_read_from_its_address(batch: Run, tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"id": [1, 1], "prompt": ["Why?", "Why?"]}), tmp_path / "a.parquet")
    address = f"file://{tmp_path}/a.parquet"
    assert batch(address, *PLAN, "-o", tmp_path / "out") == 0
    assert read_lines(tmp_path / "out" / "a.jsonl") == [ROW] * 2


def test_a_resumed_run_requires_the_same_inputs(batch: Run, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(LINE)
    (tmp_path / "b.jsonl.gz").write_bytes(b"no gzip")
    given = (f"file://{tmp_path}/a.jsonl", f"file://{tmp_path}/b.jsonl.gz", *PLAN, "-o", tmp_path / "out")
    assert batch(*given) == 6
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(LINE))
    assert batch(*given, "--resume") == 0
    assert read_lines(tmp_path / "out" / "b.jsonl.gz") == [ROW]


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("memory://no/such.jsonl", ErrorCode.IO),
        ("memory://no/*.jsonl", ErrorCode.IO),
        ("nowhere://a.jsonl", ErrorCode.OPTION),
    ],
)
def test_a_missing_input_is_named(address: str, code: ErrorCode, memory: Any) -> None:
    with pytest.raises(BridgeError) as caught:
        remote.found(address)
    assert caught.value.code == code
    assert address in str(caught.value)


def test_texts_are_copied_first(memory: Any, batch: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memory.pipe("/data/a.txt", b"<|im_start|>user\nHi<|im_end|>\n")
    assert batch("memory://data/a.txt", "-f", "chatml", "-t", "openai", "-o", tmp_path / "out") == 2
    assert "download it first" in capsys.readouterr().err


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(BridgeError, match="remote") as caught:
        remote.found("s3://bucket/a.jsonl")
    assert caught.value.code == ErrorCode.DEPENDENCY


def test_the_error_for_an_address_names_the_library_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def url_to_fs(_address: str) -> NoReturn:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr("fsspec.core.url_to_fs", url_to_fs)
    for address, library in (("s3://a/b.jsonl", "s3fs"), ("gs://a/b.jsonl", "gcsfs")):
        with pytest.raises(BridgeError, match=f"{address}: Install s3fs to access S3: pip install {library}$"):
            remote.opened(address)
