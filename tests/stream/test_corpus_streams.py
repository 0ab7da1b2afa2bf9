"""Law 4 on real transcripts and golden ones: however they are cut, a stream reads what the batch reader reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from corpus import Case, corpus_cases
from ocml_bridge.pipe import streams
from ocml_bridge.testing.streams import Chunks, check_decoding
from sources import ROOT

READABLE = frozenset(streams()[0])
SAMPLE = 11
"""One document in so many in the normal run."""


def ways(text: str) -> Iterator[Chunks]:
    for size in (1, 7, 64):
        yield [text[at : at + size] for at in range(0, len(text), size)]
    data = text.encode()
    yield [data[at : at + 5] for at in range(0, len(data), 5)]


def run(cases: Iterable[Case]) -> int:
    count = 0
    for case in cases:
        if case.format in READABLE:
            try:
                text = case.data.decode()
            except UnicodeDecodeError:
                continue
            check_decoding(text, case.format, ways(text), None)
            count += 1
    return count


GOLDEN = [
    path
    for name in sorted(READABLE)
    if (ROOT / "golden" / name).is_dir()
    for path in sorted((ROOT / "golden" / name).glob("*/input*"))
]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parts[-3]}-{path.parts[-2]}")
def test_golden_texts(path: Path) -> None:
    if path.suffix == ".json":
        pytest.skip("ids, which have tests of their own")
    text = path.read_bytes().decode("utf-8", "surrogatepass")
    check_decoding(text, path.parts[-3], ways(text), None)


def test_a_sample_of_the_corpus() -> None:
    assert run(case for number, case in enumerate(corpus_cases()) if number % SAMPLE == 0) > 50


@pytest.mark.long
def test_the_whole_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    count = run(corpus_cases())
    with capsys.disabled():
        print(f"\n{count} transcripts, each cut in five ways")
