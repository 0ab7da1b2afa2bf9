"""Pages in a real browser: nothing leaves them, nothing of a transcript runs in them, nothing is complained of."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from ocml_bridge import Message, Transcript, read, registry
from ocml_bridge.view import DEBUG, compare, view_of
from ocml_bridge.view.html import NamedView, comparison_page, matrix_page, view_page, views_page
from ocml_bridge.view.matrix import matrix_of
from sampling import sweep
from sources import ROOT

from .browser import CHROMIUM, Browser, Opened, started
from .hostile import CANARY, RUN, hostile

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: apt-get install chromium")

GOLDEN = (
    "ocm-2.2/function-call/input.ocm",
    "ocm-2.2/fixture-3-parallel-calls/input.ocm",
    "ocm-2.2/fixture-5-literal-start/input.ocm",
    "ocm-2.2/open-turn/input.ocm",
    "openai/multimodal/input.json",
    "openai/reasoning/input.json",
    "openai/control-tokens/input.json",
    "harmony/function-call/input.txt",
    "harmony/malformed-constrain-as-recipient/input.txt",
    "internlm2/code-interpreter/input.txt",
)


class Server:
    """Nobody should come.

    Attributes:
        visits: how many connections there were.
        asked: what they asked for.
    """

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.1)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.visits = 0
        self.asked: list[bytes] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while not self._over.is_set():
            try:
                visitor, _ = self._socket.accept()
            except TimeoutError:
                continue
            self.visits += 1
            with visitor, suppress(TimeoutError):
                visitor.settimeout(0.3)
                self.asked.append(visitor.recv(100))

    def close(self) -> None:
        """Wait for whoever is there, and close."""
        self._over.set()
        self._thread.join()
        self._socket.close()


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with started() as one:
        yield one


@pytest.fixture
def server() -> Generator[Server]:
    one = Server()
    yield one
    one.close()


def put(folder: Path, page: str) -> str:
    path = folder / "page.html"
    path.write_text(page, "utf-8")
    return path.as_uri()


def assert_calm(page: Opened, address: str) -> None:
    """Only the page itself was asked for, no script but ours ran, and the browser had nothing to complain of."""
    assert page.requests == [address]
    assert page.complaints == []
    assert page.run(f"window.{CANARY} ?? null") is None
    assert page.run("document.title") != "run"
    assert page.run("performance.getEntriesByType('resource').length") == 0


@pytest.mark.sweep
@pytest.mark.parametrize("name", sweep(GOLDEN, 5))
def test_golden_transcripts(browser: Browser, tmp_path: Path, name: str) -> None:
    reading = read((ROOT / "golden" / name).read_bytes(), name.partition("/")[0])
    for debug in (False, True):
        view = (
            view_of(reading.transcript, reading.findings, DEBUG)
            if debug
            else view_of(reading.transcript, reading.findings)
        )
        address = put(tmp_path, view_page(view, name=name, source=reading.source))
        with browser.opened(address) as page:
            assert_calm(page, address)
            assert page.run("document.querySelectorAll('.item').length") > 0
            assert page.run("document.querySelector('.search').hidden") is False
    comparison = compare(reading.transcript, "chatml", reading.findings, visibility=DEBUG)
    address = put(tmp_path, comparison_page(comparison, name=name, source=reading.source))
    with browser.opened(address) as page:
        assert_calm(page, address)
        assert page.run("document.querySelectorAll('.row').length") == len(comparison.rows)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", sweep(["debug", "compare", "view"], 3))
def test_hostile_transcripts(browser: Browser, server: Server, tmp_path: Path, kind: str) -> None:
    transcript = hostile(server.address)
    if kind == "compare":
        page_text = comparison_page(compare(transcript, "openai", visibility=DEBUG), name="x", source="canonical")
    else:
        view = view_of(transcript, visibility=DEBUG) if kind == "debug" else view_of(transcript)
        page_text = view_page(view, name=hostile(server.address).messages[0].role, source="canonical")
    address = put(tmp_path, page_text)
    with browser.opened(address, settle=0.3) as page:
        page.run("document.querySelectorAll('details').forEach((each) => { each.open = true })")
        page.run("scrollTo(0, document.body.scrollHeight)")
        page.run("document.querySelectorAll('a, [tabindex]').forEach((each) => each.focus())")
        assert_calm(page, address)
        assert page.run("document.scripts.length") == 1
        assert page.run("document.querySelectorAll('img, iframe, object, embed, link, form, video, base').length") == 0
    server.close()
    assert server.visits == 0


def test_unescaped_scripts_would_still_not_run(browser: Browser, server: Server, tmp_path: Path) -> None:
    """The policy alone is enough: raw HTML in place of a transcript's text does nothing."""
    page_text = view_page(view_of(Transcript((Message("user", "HERE"),))), name="x", source="canonical")
    raw = f'<img src=\'{server.address}/i\' onerror="{RUN}"><script>{RUN}</script><b onclick="{RUN}" id=b>x</b>'
    raw += f"<iframe src='{server.address}/f'></iframe><style>body{{background:url({server.address}/c)}}</style>"
    address = put(tmp_path, page_text.replace("HERE", raw))
    with browser.opened(address, settle=0.3) as page:
        page.run("document.getElementById('b').click()")
        assert page.run(f"window.{CANARY} ?? null") is None
        assert page.complaints != []
    server.close()
    # A browser may connect ahead of a frame that the policy then forbids; it asks for nothing.
    assert server.asked == []


def test_this_would_notice(browser: Browser, server: Server, tmp_path: Path) -> None:
    """A page that loads, runs and complains is seen to do so."""
    address = put(tmp_path, f"<title>x</title><script>{RUN};console.log(1)</script><img src='{server.address}/i.png'>")
    with browser.opened(address, settle=0.2) as page:
        assert page.run(f"window.{CANARY}") == 1
        assert page.requests == [address, f"{server.address}/i.png"]
        assert page.complaints != []
    server.close()
    assert server.visits == len(server.asked) > 0


def test_five_megabytes(browser: Browser, tmp_path: Path) -> None:
    texts = ("a line of <b>text</b>\n" * 230_000, "word " * 1_000_000)
    page_text = view_page(
        view_of(Transcript(tuple(Message("user", text) for text in texts))), name="x", source="canonical"
    )
    address = put(tmp_path, page_text)
    with browser.opened(address) as page:
        page.run("document.querySelector('details.long').open = true")
        assert_calm(page, address)
        assert page.run("document.querySelector('.plain').textContent.length") == len(texts[0])


TURN = "Here is **paragraph** number {}.\n\n- one\n- two\n\n```python\nprint({})\n```\n"


@pytest.fixture(scope="module")
def long_page() -> str:
    messages = tuple(
        Message("user" if k % 2 == 0 else "assistant", TURN.format(k, k), channel=None) for k in range(2_000)
    )
    return view_page(view_of(Transcript(messages)), name="long", source="canonical")


def test_two_thousand_messages_open_and_scroll_without_delay(browser: Browser, tmp_path: Path, long_page: str) -> None:
    address = put(tmp_path, long_page)
    with browser.opened(address) as page:
        assert_calm(page, address)
        opened = page.run("performance.getEntriesByType('navigation')[0].loadEventEnd")
        scroll = """(async () => {
          const times = [];
          for (let k = 0; k < 40; k++) {
            const begun = performance.now();
            scrollTo(0, document.body.scrollHeight * Math.random());
            document.body.offsetHeight;
            await new Promise(requestAnimationFrame);
            times.push(performance.now() - begun);
          }
          return times.sort((a, b) => a - b)[20];
        })()"""
        scrolled = page.run(scroll)
        print(f"opened in {opened:.0f} ms, a jump takes {scrolled:.0f} ms, {len(long_page):,} characters")
        assert opened < 5_000
        assert scrolled < 250


def test_search_and_keys(browser: Browser, tmp_path: Path, long_page: str) -> None:
    with browser.opened(put(tmp_path, long_page)) as page:
        page.press("/")
        assert page.run("document.activeElement.type") == "search"
        page.run("(i => { i.value = 'NUMBER 1234.'; i.dispatchEvent(new Event('input')) })(document.activeElement)")
        page.run("new Promise((done) => setTimeout(done, 400))")
        assert page.run("document.querySelectorAll('.item:not(.out)').length") == 1
        assert page.run("document.querySelector('output').textContent") == "1 of 2000"
        assert page.run("CSS.highlights.get('found').size") == 1
        page.press("Escape")
        assert page.run("document.querySelectorAll('.item:not(.out)').length") == 2_000
        page.press("j")
        assert page.run("scrollY") > 0
        assert page.complaints == []


def test_several_conversations_are_seen_one_at_a_time(browser: Browser, tmp_path: Path) -> None:
    views = [
        NamedView(name, "canonical", view_of(Transcript((Message("user", f"the {name}"), Message("assistant", "yes")))))
        for name in ("first", "second", "third")
    ]
    address = put(tmp_path, views_page(views, name="a folder"))
    seen = "[...document.querySelectorAll('.chat')].filter((each) => each.checkVisibility()).map((each) => each.id)"
    current = "document.querySelector('.chats [aria-current]').hash"
    with browser.opened(address) as page:
        assert_calm(page, address)
        assert (page.run(seen), page.run(current)) == (["chat-1"], "#chat-1")
        page.run("document.querySelectorAll('.chats nav a')[2].click()")
        page.run("new Promise((done) => setTimeout(done, 100))")
        assert (page.run(seen), page.run(current)) == (["chat-3"], "#chat-3")
        assert page.run("document.activeElement.id") == "chat-3"
        page.run("(i => { i.value = 'SECOND'; i.dispatchEvent(new Event('input')) })(document.querySelector('input'))")
        page.run("new Promise((done) => setTimeout(done, 300))")
        assert page.run(seen) == ["chat-2"]
        assert page.run("document.querySelectorAll('.chats li:not(.out)').length") == 1


def test_keys_move_the_focus(browser: Browser, tmp_path: Path) -> None:
    """A screen reader hears where they lead."""
    talk = Transcript(tuple(Message("user", f"{k}") for k in range(3)))
    with browser.opened(put(tmp_path, view_page(view_of(talk), name="x", source="canonical"))) as page:
        focused = list[str]()
        page.run("document.querySelector('#m0').focus()")
        for key in ("j", "j", "k"):
            page.press(key)
            focused.append(page.run("document.activeElement.id"))
    assert focused == ["m1", "m2", "m1"]


def test_a_long_text_is_unfolded_in_place(browser: Browser, tmp_path: Path) -> None:
    talk = Transcript((Message("assistant", "| a | b |\n| - | - |\n| 1 | 2 |\n\n" + "word " * 1_000),))
    with browser.opened(put(tmp_path, view_page(view_of(talk), name="x", source="canonical"))) as page:
        height = "document.querySelector('.folded').getBoundingClientRect().height"
        folded = page.run(height)
        assert page.run("document.querySelector('td').checkVisibility()") is True
        page.run("document.querySelector('.unfold').click()")
        assert page.run(height) > folded * 2
        assert page.run("document.querySelector('.unfold').getAttribute('aria-expanded')") == "true"


def test_search_opens_what_is_folded_and_closes_it_again(browser: Browser, tmp_path: Path) -> None:
    talk = Transcript((Message("user", "hi"), Message("assistant", "the needle", channel="analysis")))
    with browser.opened(
        put(tmp_path, view_page(view_of(talk, visibility=DEBUG), name="x", source="canonical"))
    ) as page:
        typed = (
            "(v => {{ const i = document.querySelector('input'); i.value = v; i.dispatchEvent(new Event('input')) }})"
        )
        for value, open_ones in (("needle", 1), ("", 0)):
            page.run(f"{typed}('{value}')")
            page.run("new Promise((done) => setTimeout(done, 300))")
            assert page.run("document.querySelectorAll('details[open]').length") == open_ones


def test_kinds_differ_by_more_than_colour(browser: Browser, tmp_path: Path) -> None:
    """Without any colour each kind still has its icon, its label, and a line of its own pattern."""
    talk = Transcript(
        (
            Message("system", "a"),
            Message("user", "b"),
            Message("assistant", "c", channel="analysis"),
            Message("assistant", "d", channel="commentary", recipient="functions.f", end="call"),
            Message("assistant", "e", channel="final"),
        )
    )
    with browser.opened(
        put(tmp_path, view_page(view_of(talk, visibility=DEBUG), name="x", source="canonical"))
    ) as page:
        items = "[...document.querySelectorAll('.item')]"
        icons = page.run(f"{items}.map((each) => each.querySelector('use').getAttribute('href'))")
        labels = page.run(f"{items}.map((each) => each.querySelector('h3').textContent)")
        lines = page.run(f"{items}.map((each) => getComputedStyle(each).borderLeftStyle)")
    assert len(set(icons)) == len(set(labels)) == 5
    assert set(lines) == {"double", "solid", "dashed", "dotted"}


def test_dark_and_print(browser: Browser, tmp_path: Path) -> None:
    talk = Transcript((Message("user", "line\n" * 60),))
    with browser.opened(put(tmp_path, view_page(view_of(talk), name="x", source="canonical"))) as page:
        ground = "getComputedStyle(document.body).backgroundColor"
        light = page.run(ground)
        page.emulate(dark=True)
        assert page.run(ground) != light
        page.emulate(media="print", dark=True)
        assert page.run(ground) == "rgb(255, 255, 255)"
        assert page.run("document.querySelector('.tall .prose').getBoundingClientRect().height") > 500
        assert page.run("getComputedStyle(document.querySelector('.search')).display") == "none"


def test_everything_can_be_reached_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    reading = read((ROOT / "golden" / GOLDEN[0]).read_bytes())
    page_text = view_page(view_of(reading.transcript, visibility=DEBUG), name="x", source="canonical")
    with browser.opened(put(tmp_path, page_text)) as page:
        reached = page.run(
            "[...document.querySelectorAll('summary, a, input')].every((each) => { each.focus();"
            " return document.activeElement === each })"
        )
        assert reached is True
        wide = page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert wide is True


def test_the_matrix(browser: Browser, tmp_path: Path) -> None:
    matrix = matrix_of([registry.adapter(name)[0] for name in registry.formats()])
    address = put(tmp_path, matrix_page(matrix))
    with browser.opened(address) as page:
        assert_calm(page, address)
        assert page.run("document.querySelectorAll('tbody td').length") == len(matrix.lines) * len(matrix.formats)
