"""Real transcripts are converted to every format: each difference is reported, and only BridgeError is raised."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from corpus import Case, corpus_cases
from ocml_bridge import BridgeError, formats, read, write
from ocml_bridge.testing import laws
from sampling import formats_in_turn
from sources import ROOT, tree

SAMPLE, AT_ONCE = 29, 6
"""In a normal run one of so many documents is written, each in so many formats."""


class Tally:
    """The results of converting the documents.

    Attributes:
        read: how many could be read, by format.
        refused: how many could not, by format and error code.
        findings: how often readers mended something, by code.
        losses: what was reported, by target and code.
        not_back: documents read without findings that are not written back as they were.
    """

    def __init__(self) -> None:
        self.read: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.findings: Counter[str] = Counter()
        self.losses: Counter[str] = Counter()
        self.not_back: list[str] = []


def run(cases: Iterable[Case], at_once: int) -> Tally:
    tally = Tally()
    for number, case in enumerate(cases):
        try:
            reading = read(case.data, case.format)
        except BridgeError as error:
            tally.refused[f"{case.format} {error.code}"] += 1
            continue
        tally.read[case.format] += 1
        tally.findings.update(f"{case.format} {finding.code}" for finding in reading.findings)
        back = write(reading.transcript, case.format)
        if not reading.findings and isinstance(back.output, str) and back.encode() != case.data:
            tally.not_back.append(case.id)
        for target in formats_in_turn(number, at_once):
            for loss in laws.all_laws(reading.transcript, target).result.losses:
                tally.losses[f"{target} {loss.severity} {loss.code}"] += 1
    return tally


def test_a_sample_of_the_corpus_keeps_the_laws() -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    cases = [case for number, case in enumerate(corpus_cases()) if number % SAMPLE == 0]
    tally = run(cases, AT_ONCE)
    assert sum(tally.read.values()) > len(cases) // 2
    assert tally.not_back == []


@pytest.mark.long
def test_the_whole_corpus_keeps_the_laws(capsys: pytest.CaptureFixture[str]) -> None:
    tally = run(corpus_cases(), len(formats()))
    with capsys.disabled():
        for name in ("read", "refused", "findings", "losses"):
            print(f"\n{name}")
            for key, count in sorted(getattr(tally, name).items()):
                print(f"  {count:8} {key}")
    assert tally.not_back == []


def test_tests_are_collected_without_a_corpus() -> None:
    """Looking for the corpus skips the running test, which would fail while a module is imported."""
    readers = {"corpus_cases", "corpus_path", "rendered"}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if "from corpus import" in path.read_text("utf-8"):
            called = (each.func for each in _called_at_import(tree(path)) if isinstance(each.func, ast.Name))
            assert not readers & {each.id for each in called}, path


def _called_at_import(node: ast.AST) -> Iterator[ast.Call]:
    """The calls that run when a module is imported: those of decorators and defaults, and not those of bodies."""
    if isinstance(node, ast.Call):
        yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and child in node.body):
            yield from _called_at_import(child)
