"""Pages as axe-core sees them: no violation of any rule, on a desk and on a phone, in light and in dark.

`OCML_AXE` names the file `axe.min.js` of axe-core (https://www.npmjs.com/package/axe-core).
"""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from ocml_bridge import read, registry
from ocml_bridge.view import DEBUG, END_USER, compare, view_of
from ocml_bridge.view.html import NamedView, comparison_page, matrix_page, signoff_page, view_page, views_page
from ocml_bridge.view.matrix import matrix_of
from ocml_bridge.view.signoff import Entry, Example, Group, SignOff
from sources import ROOT

from .axe import AXE, looked_at
from .browser import CHROMIUM, Browser, started

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: apt-get install chromium"),
    pytest.mark.skipif(AXE is None, reason="OCML_AXE names no axe.min.js"),
]
CASES = (
    "openai/tools",
    "openai/multimodal",
    "openai/reasoning",
    "anthropic/thinking-and-tools",
    "ocm-2.2/fixture-3-parallel-calls",
    "ocm-0.1/files",
    "harmony/function-call",
    "internlm2/code-interpreter",
    "gemini/media",
)
LONG = "# Title\n\n| a | b |\n| --- | --: |\n| 1 | 2 |\n\n```python\nprint('x' * 3)  # often\n```\n\n> said\n\n[to](https://e.org)\n\n"


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with started() as one:
        yield one


def pages() -> dict[str, str]:
    """Pages by name: as end users see them, as those who debug do, and beside two formats."""
    out: dict[str, str] = {}
    for case in CASES:
        data = next((ROOT / "golden" / case).glob("input.*")).read_bytes()
        reading = read(data, case.partition("/")[0])
        about = {"name": case, "source": reading.source}
        for word, visibility in (("user", END_USER), ("debug", DEBUG)):
            out[f"{case} {word}"] = view_page(view_of(reading.transcript, reading.findings, visibility), **about)
        for target in ("harmony", "openai", "harmony-tokens"):
            comparison = compare(reading.transcript, target, reading.findings, visibility=DEBUG)
            out[f"{case} {target}"] = comparison_page(comparison, **about)
    long = read(json.dumps([{"role": "assistant", "content": LONG + "word " * 1_000}]), "openai").transcript
    out["long"] = view_page(view_of(long), name="long", source="openai")
    several = [
        NamedView(name, "openai", view_of(read(json.dumps([{"role": "user", "content": name}]), "openai").transcript))
        for name in ("one", "two")
    ]
    out["matrix"] = matrix_page(matrix_of([registry.adapter(name)[0] for name in registry.formats()]))
    examples = (Example("a.jsonl:1", "a call id", '{"a":1}', "b"), Example("a.jsonl:2", "another"))
    out["migration"] = signoff_page(
        SignOff(
            source="openai",
            target="harmony",
            records=3,
            outcomes=(("converted", 1), ("lossy", 1), ("quarantined", 1)),
            losses=(Group("content", 1, (Entry("media", 1, "1 lost", examples),)),),
            quarantine=(Entry("OCB-JSON", 1, "", examples),),
            findings=(Entry("end-missing", 1, "1 changed", examples),),
            read=100,
            written=90,
            slowest=(("a.jsonl:1", "0.1 s"),),
            largest=(("a.jsonl:1", "1 kB"),),
            inputs=(("a.jsonl", 3, "out/a.txt"),),
            more=1,
            failures=("b.jsonl: OCB-IO",),
        )
    )
    out["several"] = views_page(several, name="several")
    return out


PAGES = pages() if AXE else {"none": ""}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_violation(browser: Browser, tmp_path: Path, name: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(PAGES[name], "utf-8")
    with browser.opened(path.as_uri()) as page:
        for found in looked_at(page):
            assert found == []
