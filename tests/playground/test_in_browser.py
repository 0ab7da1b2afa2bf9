"""The page in Chromium, with nothing but its own folder to ask: it gives what the command gives.

It needs what the browser runs: `ocml-convert playground` has downloaded it, or `OCML_PLAYGROUND_ASSETS` names a folder.
"""

from __future__ import annotations

import base64
import json
import os
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ocml_bridge import BridgeError, formats
from ocml_bridge.playground import assets
from ocml_bridge.playground.examples import examples
from ocml_bridge.playground.serve import served
from ocml_bridge.playground.site import build
from sources import ROOT
from view.axe import AXE, looked_at
from view.browser import CHROMIUM, Browser, Opened, started

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: apt-get install chromium"),
]
INPUTS = sorted(path for path in (ROOT / "golden").glob("*/*/input.*"))
NEEDS_A_LIBRARY = frozenset({"internlm2-tokens"})
"""Formats whose tokenizer no browser has."""


class Page(NamedTuple):
    """The page that is open, and where it is."""

    page: Opened
    address: str


@pytest.fixture(scope="module")
def collected() -> dict[str, bytes]:
    named = os.environ.get("OCML_PLAYGROUND_ASSETS")
    folder = Path(named) if named else assets.cache_folder()
    try:
        return assets.collect(folder)
    except BridgeError as error:
        pytest.skip(f"{error.message}; `ocml-convert playground` downloads it")


@pytest.fixture(scope="module")
def address(collected: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    build(folder, collected)
    with served(folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with started() as one:
        yield one


@contextmanager
def opened(browser: Browser, address: str) -> Generator[Opened]:
    """The page, ready, which then has asked nobody else, and has not complained."""
    with browser.opened(address) as page:
        wait(page, "performance.getEntriesByName('ready').length")
        yield page
        assert page.complaints == []
        assert [asked for asked in page.requests if not asked.startswith((address.partition("#")[0], "data:,"))] == []


def wait(page: Opened, condition: str) -> None:
    deadline = time.monotonic() + 60
    while not page.run(condition):
        assert time.monotonic() < deadline, (condition, page.complaints, page.run("document.body.innerText"))
        time.sleep(0.05)


def choose(page: Opened, name: str, value: str) -> None:
    """Choose in a list of the page, and wait for its answer."""
    page.run("performance.clearMarks('answered')")
    page.run(
        f"(e => {{ e.value = {json.dumps(value)}; e.dispatchEvent(new Event('change', {{ bubbles: true }})) }})"
        f"(document.getElementById('{name}'))"
    )
    wait(page, "performance.getEntriesByName('answered').length")


def text(page: Opened, name: str) -> str:
    return page.run(f"document.getElementById('{name}').textContent")


def test_every_golden_input_becomes_in_every_format_what_the_command_makes_of_it(
    browser: Browser, address: str
) -> None:
    """Bytes, losses and refusals. The words of an error in JSON are the parser's own."""
    script = """
    (async (cases) => {
      const worker = globalThis.asked ??= new Worker("worker.js", { type: "module" });
      const answers = [];
      for (const [data, asked] of cases) {
        const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
        worker.postMessage({ id: 1, data: bytes, asked });
        answers.push(await new Promise((done) => {
          worker.onmessage = ({ data: reply }) => "id" in reply && done(reply.answer ?? reply.message);
        }));
      }
      return JSON.stringify(answers);
    })
    """
    compared = refused = 0
    begun = time.monotonic()
    with opened(browser, address) as page:
        for path in INPUTS:
            data = path.read_bytes()
            wishes = [
                {"source": path.parts[-3], "target": target, "drawn": False}
                for target in formats()
                if not {target, path.parts[-3]} & NEEDS_A_LIBRARY
            ]
            cases = [[base64.b64encode(data).decode(), wish] for wish in wishes]
            answers: list[Any] = json.loads(page.run(f"{script}({json.dumps(cases)})"))
            for wish, answer in zip(wishes, answers, strict=True):
                expected = json.loads(answer(data, json.dumps(wish)))
                about = f"{path.parts[-3]}/{path.parts[-2]} -> {wish['target']}"
                if "error" in expected and expected["error"]["code"] == "OCB-JSON":
                    answer["error"]["message"] = expected["error"]["message"]
                assert answer == expected, about
                refused += "error" in expected
                compared += 1
    print(f"{compared} conversions, {refused} of them refused, in {time.monotonic() - begun:.1f} s")
    assert compared > 2_000


def test_all_examples_are_shown_and_nothing_is_asked_of_anybody(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        for index, example in enumerate(examples()):
            choose(page, "examples", str(index))
            assert text(page, "recognised").startswith("recognised as "), example["title"]
            assert text(page, "output"), example["title"]
            assert page.run("document.querySelectorAll('#conversation .row').length") > 0
        assert page.run("document.querySelectorAll('#target option').length") > len(formats())


def test_a_link_brings_it_all_back(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        choose(page, "examples", "3")
        page.run("(navigator.clipboard.writeText = async (value) => { globalThis.written = value; })")
        page.run("document.getElementById('share').click()")
        wait(page, "globalThis.written")
        link = page.run("globalThis.written")
        shown = text(page, "output")
    assert link.startswith(f"{address}#c=")
    with opened(browser, link) as page:
        wait(page, "document.getElementById('output').textContent")
        assert text(page, "output") == shown
        assert page.run("document.getElementById('target').value") == "openai"


def test_one_of_several_conversations_is_chosen(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        lines = "\n".join(json.dumps([{"role": "user", "content": each}]) for each in ("one", "two"))
        page.run(f"document.getElementById('text').value = {json.dumps(lines)}")
        choose(page, "target", "harmony")
        assert text(page, "conversations") == "2"
        assert "one" in text(page, "output")
        choose(page, "which", "2")
        assert "two" in text(page, "output")
        choose(page, "examples", "0")
        assert page.run("document.getElementById('several').hidden") is True


def test_an_error_is_shown_and_the_page_goes_on(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.run("document.getElementById('text').value = '{\"messages\": ['")
        choose(page, "source", "openai")
        assert "OCB-JSON" in text(page, "verdict")
        choose(page, "source", "")
        choose(page, "examples", "0")
        assert "harmony" in text(page, "verdict")


def test_ids_without_a_vocabulary_lead_to_the_text_or_the_command(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        choose(page, "examples", "0")
        choose(page, "target", "internlm2-tokens")
        verdict = text(page, "verdict")
        assert "This page has no vocabulary for these token ids." in verdict
        assert "set OCML_INTERNLM2_TOKENIZER" in verdict
        choose(page, "target", "internlm2")
        assert "<|im_start|>" in text(page, "output")


@pytest.mark.skipif(AXE is None, reason="OCML_AXE names no axe.min.js")
def test_it_has_no_violation(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        for found in looked_at(page):
            assert found == []
        for example in ("0", "4", "11"):
            choose(page, "examples", example)
            for found in looked_at(page):
                assert found == []


def test_how_long_it_takes(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        paint = page.run("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        ready = page.run("performance.getEntriesByName('ready')[0].startTime")
        choose(page, "examples", "0")
        first = text(page, "took")
        choose(page, "target", "chatml")
        print(f"first paint {paint:.0f} ms, ready {ready:.0f} ms; first: {first}; next: {text(page, 'took')}")
        assert paint < 2_000
        assert page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
