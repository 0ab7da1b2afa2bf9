"""The page of a migration's report: its contents, and that markup in a transcript has no effect."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ocml_bridge.errors import ExitCode

pytest.importorskip("jinja2")
pytest.importorskip("markdown_it")
Batch = Callable[..., int]
HOSTILE = "</code><script>alert(1)</script>\u202e"
ROWS = (
    {"messages": [{"role": "user", "content": "Whole."}]},
    {"messages": [{"role": "user", "content": HOSTILE, "name": "bob"}]},
    {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]}]},
    {"no": f"transcript {HOSTILE}"},
)


@pytest.fixture
def page(batch: Batch, tmp_path: Path) -> Callable[..., str]:
    def make(*options: str) -> str:
        (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
        args = ("-f", "openai", "-t", "harmony", *options, tmp_path / "a.jsonl", "-o", tmp_path / "out")
        assert batch(*args, "--page", tmp_path / "page.html") == ExitCode.SOME_FAILED
        return (tmp_path / "page.html").read_text("utf-8")

    return make


def test_the_page_has_outcomes_losses_by_class_and_quarantine_by_reason(page: Callable[..., str]) -> None:
    text = page()
    assert "1 of 4 records are quarantined." in text
    assert re.findall(r"<h2>(.*?)</h2>", text)[1:] == [
        "Lost: content", "Lost: structure", "Quarantined", "Slowest", "Largest", "Inputs"
    ]  # fmt: skip
    assert re.findall(r"<summary><code>(.*?)</code>", text) == ["media", "name", "OCB-SHAPE"]
    assert "harmony has no place for the name &#34;bob&#34;" in text


def test_with_a_ledger_the_page_shows_records_before_and_after(page: Callable[..., str]) -> None:
    assert "aria-label" not in page().split("<main")[1].split("<section")[2]
    with_ledger = page("--ledger", "jsonl", "--overwrite")
    before, after = re.findall(r'<pre aria-label="(?:before|after)"><code>(.*?)</code>', with_ledger)[2:4]
    assert before.startswith("{&#34;messages&#34;:")
    assert after.startswith("{&#34;text&#34;:&#34;&lt;|start|&gt;user")


def test_markup_in_a_transcript_is_escaped(page: Callable[..., str]) -> None:
    text = page("--ledger", "jsonl")
    assert "alert(1)" in text
    assert "<script>alert" not in text
    assert "\u202e" not in text
    assert "default-src 'none'" in text.replace("&#39;", "'")
    assert not re.findall(r'(?:src|href)="(?!#)', text)
