"""docs/conformance.md has the results of the corpus; `python tests/conformance.py --write` writes it."""

from __future__ import annotations

import pytest

from conformance import PAGE, page
from corpus import corpus_path


@pytest.mark.long
def test_the_page_has_the_results_of_the_corpus() -> None:
    pytest.importorskip("openai_harmony", reason="it compares with the official parser")
    for folder in ("chatml", "chatml-dialects", "harmony", "internlm2", "openai", "wires"):
        corpus_path(folder)
    assert PAGE.read_text("utf-8") == page()
