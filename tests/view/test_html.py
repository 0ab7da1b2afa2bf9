"""Pages as text: escaped, self-contained, without what is hidden."""

from __future__ import annotations

import io
import re
import sys
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from ocml_bridge import BridgeError, ErrorCode, Message, Transcript, registry
from ocml_bridge.view import DEBUG, compare, html, prose, view_of
from ocml_bridge.view.html import comparison_page, matrix_page, view_page
from ocml_bridge.view.matrix import matrix_of
from ocml_bridge.view.terminal import of_comparison, of_view

from .hostile import attacks, hostile

SERVER = "http://127.0.0.1:9"
OURS = "body button circle dd details div dl dt h1 h2 h3 head header html input kbd label main meta output path script"
MORE = "section span style summary svg symbol title use a article b bdi i p pre ul li"
MARKDOWN = "blockquote br code del em h4 h5 h6 hr ol strong table tbody td th thead tr"
OWN_TAGS = frozenset(f"{OURS} {MORE} {MARKDOWN}".split())
COPY = '<button type="button" class="copy">Copy</button>'
CODE = '<div class="code">'
SAFE = 'rel="noopener noreferrer nofollow" target="_blank"'
LOADS = frozenset({"src", "srcset", "data", "poster", "action", "background", "ping", "style", "srcdoc", "formaction"})


class Reader(HTMLParser):
    """Every tag of a page with its attributes, and every text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def page_of(transcript: Transcript, *, debug: bool = True) -> str:
    view = view_of(transcript, visibility=DEBUG) if debug else view_of(transcript)
    return view_page(view, name="a file", source="canonical")


def hostile_pages() -> dict[str, str]:
    transcript = hostile(SERVER)
    name = attacks(SERVER)[0]
    return {
        "view": view_page(view_of(transcript), name=name, source="canonical"),
        "debug": view_page(view_of(transcript, visibility=DEBUG), name=name, source="canonical"),
        "compare": comparison_page(compare(transcript, "openai", visibility=DEBUG), name=name, source="canonical"),
    }


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return hostile_pages()


@pytest.mark.parametrize("kind", ["view", "debug", "compare"])
class TestHostilePages:
    def test_have_only_tags_of_ours(self, pages: dict[str, str], kind: str) -> None:
        tags = Reader(pages[kind]).tags
        assert {tag for tag, _ in tags} <= OWN_TAGS
        assert sum(tag == "script" for tag, _ in tags) == sum(tag == "style" for tag, _ in tags) == 1

    def test_have_no_attribute_that_runs_or_loads(self, pages: dict[str, str], kind: str) -> None:
        for tag, attributes in Reader(pages[kind]).tags:
            assert not {name for name in attributes if name.startswith("on")}, (tag, attributes)
            assert not LOADS & set(attributes), (tag, attributes)

    def test_have_only_links_with_safe_schemes(self, pages: dict[str, str], kind: str) -> None:
        for tag, attributes in Reader(pages[kind]).tags:
            href = attributes.get("href") or ""
            if tag == "use":
                assert re.fullmatch(r"#i-[a-z]+", href)
            elif href and not href.startswith("#"):
                assert re.match(r"(?:https?://|mailto:)", href), href
                assert attributes["rel"] == "noopener noreferrer nofollow"
                assert attributes["data-to"]

    def test_can_be_written_and_have_no_control_characters(self, pages: dict[str, str], kind: str) -> None:
        pages[kind].encode()
        assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", pages[kind]) is None


def test_the_policy_names_what_is_in_the_page() -> None:
    page = page_of(Transcript((Message("user", "hi"),)))
    policy = next(a["content"] for t, a in Reader(page).tags if t == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        (own,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert f"{tag}-src 'sha256-{b64encode(sha256(own.encode()).digest()).decode()}'" in policy
    assert "unsafe" not in policy


def test_hidden_messages_are_not_in_the_page() -> None:
    talk = Transcript(
        (
            Message("system", "secret"),
            Message("user", "hi"),
            Message("assistant", "secret", channel="analysis"),
            Message("assistant", "secret", channel="commentary", recipient="functions.f", end="call"),
            Message("tool", "secret", name="functions.f", channel="commentary"),
            Message("assistant", "yes", channel="final"),
        )
    )
    page = page_of(talk, debug=False)
    assert "secret" not in page
    assert "1 system hidden" in page
    assert page_of(talk).count("secret") == 4
    assert "secret" not in comparison_page(compare(talk, "chatml"), name="x", source="canonical")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("**b** *i* `c`", "<p><strong>b</strong> <em>i</em> <code>c</code></p>"),
        ("# Title", "<h4>Title</h4>"),
        ("a\nb", "<p>a<br />\nb</p>"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("[x](data:image/png;base64,AA)", "<p>[x](data:image/png;base64,AA)</p>"),
        ("[x](//evil)", "<p>[x](//evil)</p>"),
        ("https://example.org", "<p>https://example.org</p>"),
        ("![a](https://e.org/x.png)", '<p><span class="image">a <i>https://e.org/x.png</i></span></p>'),
        ("![a](x.png)", "<p>![a](x.png)</p>"),
        ("[a]: https://e.org", "<p>[a]: https://e.org</p>"),
        ("&#8238; &lt;", "<p>&amp;#8238; &amp;lt;</p>"),
        (
            "```py &#8238;secret\nx\n```",
            f'{CODE}<p class="title">py &amp;#8238;secret</p>{COPY}<pre tabindex="0"><code>x</code></pre></div>',
        ),
        (
            "```py\n1\n```",
            f'{CODE}<p class="title">py</p>{COPY}<pre tabindex="0"><code><span class="nu">1</span></code></pre></div>',
        ),
        ("    x < y", f'{CODE}{COPY}<pre tabindex="0"><code>x &lt; y</code></pre></div>'),
        ('![a](https://e.org "t")', '<p><span class="image">a <i>https://e.org t</i></span></p>'),
        ('[a](https://e.org/ "&#8238;")', f'<p><a href="https://e.org/" {SAFE} data-to="e.org, ‹U+202E›">a</a></p>'),
        ('[a](https://e.org/ "t")', f'<p><a href="https://e.org/" {SAFE} data-to="e.org, t">a</a></p>'),
        (
            "[bank](https://evil.example/a)",
            f'<p><a href="https://evil.example/a" {SAFE} data-to="evil.example">bank</a></p>',
        ),
    ],
)
def test_markdown(text: str, made: str) -> None:
    assert (prose.markdown(text) or "").strip() == made


@pytest.mark.parametrize(
    "text", ["> " * 300 + "deep", "- " * 300 + "deep", "\n".join("  " * k + "- deep" for k in range(60))]
)
def test_markdown_that_nests_too_deep_is_shown_unchanged(text: str) -> None:
    assert prose.markdown(text) is None
    assert page_of(Transcript((Message("user", text),))).count("deep") >= text.count("deep")


MARKUP = st.sampled_from(
    [*"ab*_`~[]()!<>&#-+|:\\\"' \n", "1. ", '](https://a/ "b")', "```b\n", "    ", "\n\n", "| - |\n", "&#97;"]
)


@given(st.lists(MARKUP, max_size=40).map("".join))
def test_markdown_hides_no_letter(text: str) -> None:
    made = prose.markdown(text)
    if made is not None:
        seen = Reader(made)
        shown = "".join((*seen.texts, *(tag["href"] or "" for _, tag in seen.tags if "href" in tag)))
        shown += "".join(tag["data-to"] or "" for _, tag in seen.tags if "data-to" in tag)
        for letter in "ab":
            assert shown.count(letter) >= text.count(letter)


def test_alignment_is_a_class_because_the_page_allows_no_style_attributes() -> None:
    made = prose.markdown("| a | b |\n| --: | :-: |\n| 1 | 2 |")
    assert made is not None
    assert "style" not in made
    assert '<td class="right">1</td>' in made


def test_long_messages_are_folded_and_short_ones_are_not() -> None:
    def folds(text: str) -> tuple[bool, bool]:
        page = page_of(Transcript((Message("user", text),)))
        return '<div class="tall">' in page, '<details class="long">' in page

    assert folds("word " * 100) == (False, False)
    assert folds("word " * 1_000) == folds("line\n" * 60) == (True, False)
    assert folds("word " * 20_000) == (False, True)


def test_folded_contents_have_their_form() -> None:
    page = page_of(Transcript((Message("user", "| a | b |\n| - | - |\n| 1 | 2 |\n\n" + "word " * 1_000),)))
    folded = page.partition('<div class="folded">')[2].partition('class="unfold"')[0]
    assert "<td>1</td>" in folded


@pytest.mark.parametrize("text", ["a line of text\n" * 66_667, "x" * 1_000_000, "<b>&" * 250_000, "\x00" * 1_000_000])
def test_no_word_of_megabytes_is_lost(text: str) -> None:
    page = page_of(Transcript((Message("user", text), Message("assistant", text, channel="analysis"))))
    shown = re.findall(r'<div dir="auto">(.*?)</div>', page, re.DOTALL)
    assert html.visible(text) * 2 == "".join(shown).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def test_right_to_left_text_finds_its_direction() -> None:
    page = page_of(Transcript((Message("user", "שלום", name="דנה"),)))
    assert '<div class="prose" dir="auto"><p>שלום</p>' in page
    assert "<bdi" in page


def test_the_matrix_has_each_level_in_words_too() -> None:
    page = matrix_page(matrix_of([registry.adapter(name)[0] for name in registry.formats()]))
    cells = re.findall(r'<td class="(\w+)">.*?<span class="unseen">(\w+)</span></td>', page)
    assert len(cells) == len(registry.formats()) * page.count('scope="row"') > 0
    assert all(style == word for style, word in cells)


def test_without_its_libraries_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    html.environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(BridgeError, match="pip install 'ocml-convert\\[view\\]'") as caught:
        page_of(Transcript(()))
    assert caught.value.code is ErrorCode.DEPENDENCY


class TestTerminal:
    def drawn(self, drawable: RenderableType) -> str:
        console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor")
        with console.capture() as captured:
            console.print(drawable)
        return captured.get()

    def test_nothing_in_a_transcript_acts_on_the_terminal(self) -> None:
        text = self.drawn(of_view(view_of(hostile(SERVER), visibility=DEBUG)))
        text += self.drawn(of_comparison(compare(hostile(SERVER), "chatml", visibility=DEBUG)))
        left = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", left) is None
        assert "[red]" not in left

    def test_markup_of_the_library_is_text(self) -> None:
        shown = self.drawn(of_view(view_of(Transcript((Message("user", "[bold]x[/bold] :smile: https://e.org"),)))))
        assert "[bold]x[/bold] :smile: https://e.org" in re.sub(r"\x1b\[[0-9;]*m", "", shown)
