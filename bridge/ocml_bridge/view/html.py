"""Stories, comparisons and the matrix as one self-contained page each.

Everything that comes from a transcript is escaped by the template library or by the Markdown renderer (`prose`), and
the page's Content-Security-Policy allows nothing but its own style and its own script, by their hashes.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from ..loss import CLASSES
from . import colours, prose
from .blocks import Block, Look
from .characters import visible
from .compare import Comparison
from .matrix import Matrix
from .signoff import SignOff
from .story import Gap, Kind, Story

if TYPE_CHECKING:
    from jinja2 import Environment

LONG: Final = 2_400
"""Characters from which on a text is folded."""
HUGE: Final = 60_000
"""Characters from which on only an excerpt of a text is laid out."""
_EXCERPT: Final = 600
MANY: Final = 36
"""Lines from which on a text is folded."""
_CHUNK: Final = 12_000
_CHUNKS: Final = re.compile(rf"(?s).{{1,{_CHUNK}}}(?:\n|\Z)|.{{1,{_CHUNK}}}[^\n]*(?:\n|\Z)")


class Drawn(NamedTuple):
    """A text as the templates draw it.

    Attributes:
        markup: safe HTML of Markdown; None where the text is shown as it stands.
        chunks: the text in pieces that end with a line, so that a browser lays out only those in sight.
        folded: whether it is folded.
        excerpt: its beginning, where it is so long that nothing else of it is laid out before somebody asks; else "".
        size: how long it is, in words.
    """

    markup: Any
    chunks: tuple[Any, ...]
    folded: bool
    excerpt: str
    size: str


def story_page(story: Story, *, name: str, source: str) -> str:
    """A page of one document.

    Args:
        story: what to draw.
        name: what the document is called.
        source: the format that it was read from.
    """
    return _render("story.html.j2", story=story, name=visible(name), source=source, debug=story.debug)


class NamedStory(NamedTuple):
    """One conversation of several.

    Attributes:
        name: what it is called.
        source: the format that it was read from.
        story: what to draw.
    """

    name: str
    source: str
    story: Story

    @property
    def opening(self) -> str:
        """The first words of it that are seen: a user's, where there are any."""
        items = [item for item in self.story.items if not isinstance(item, Gap)]
        items.sort(key=lambda item: item.kind is not Kind.USER)
        texts = (block.text for item in items for block in item.blocks if block.look in (Look.PROSE, Look.PLAIN))
        return " ".join(next(filter(str.strip, texts), "")[:_EXCERPT].split())[:_OPENING]


_OPENING: Final = 90


def stories_page(stories: Sequence[NamedStory], *, name: str) -> str:
    """A page of several documents, with a list of them.

    Args:
        stories: of the documents.
        name: what they are called together.
    """
    named = [each._replace(name=visible(each.name)) for each in stories]
    debug = any(each.story.debug for each in stories)
    return _render("stories.html.j2", stories=named, name=visible(name), debug=debug)


def comparison_page(comparison: Comparison, *, name: str, source: str) -> str:
    """A page of a document and what a format gives back of it; arguments as for `story_page`."""
    return _render("compare.html.j2", it=comparison, name=visible(name), source=source, debug=comparison.debug)


def panels(comparison: Comparison, *, source: str) -> dict[str, str]:
    """The parts of a comparison, each as HTML for a page that has this package's style: verdict, output, conversation.

    Args:
        comparison: what to draw.
        source: the format that the document was read from.
    """
    drawn: Any = environment().get_template("panels.html.j2").module
    return {
        "verdict": str(drawn.verdict(comparison)),
        "output": str(drawn.output(comparison.written)),
        "conversation": str(drawn.conversation(comparison, source)),
    }


def matrix_page(matrix: Matrix) -> str:
    """A page of what each format can hold."""
    return _render("matrix.html.j2", it=matrix, name="What each format can hold")


def matrix_picture(matrix: Matrix) -> str:
    """The same as a picture (SVG) for light and dark."""
    return _render("matrix.svg.j2", it=matrix)


def signoff_page(signoff: SignOff) -> str:
    """A page of a migration, to sign it off by."""
    return _render("signoff.html.j2", it=signoff, name=f"{signoff.source} → {signoff.target}")


def _render(template: str, **values: object) -> str:
    return environment().get_template(template).render(**values)


@cache
def environment() -> Environment:
    """Where templates come from, and how they are filled in; made once.

    Raises:
        BridgeError: OCB-DEPENDENCY where jinja2 or markdown-it-py is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined

        prose.renderer()
    except ImportError as error:
        raise BridgeError(ErrorCode.DEPENDENCY, f"{error.name} is missing: pip install 'ocml-convert[view]'") from error
    loader = PackageLoader("ocml_bridge.view")
    # Jinja's own types know only the filters that it comes with.
    made: Any = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    style, script = (loader.get_source(made, name)[0] for name in ("page.css", "page.js"))
    made.globals.update(style=_own(style), script=_own(script), policy=_policy(style, script))
    made.filters.update(touched=_touched, drawn=_drawn, words=words, coloured=coloured, chunks=_chunks)
    made.tests.update(gap=_is_gap)
    return made


def _is_gap(value: object) -> bool:
    return isinstance(value, Gap)


def _own(text: str) -> Any:
    """Text of this package, which needs no escaping."""
    from markupsafe import Markup

    return Markup(text)


def _policy(style: str, script: str) -> str:
    """The Content-Security-Policy: nothing is loaded, and only this style and this script are run."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {_digest(style)}",
            f"script-src {_digest(script)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _drawn(block: Block) -> Drawn:
    text, lines = block.text, block.text.count("\n") + 1
    rendered = prose.markdown(text) if block.look is Look.PROSE and len(text) <= prose.LONGEST else None
    bright = coloured(text, "json") if block.look is Look.JSON else None
    return Drawn(
        markup=None if rendered is None else _own(rendered),
        chunks=() if rendered is not None else (bright,) if bright else _chunks(text),
        folded=len(text) > LONG or lines > MANY,
        excerpt=text[:_EXCERPT] if len(text) > HUGE else "",
        size=f"{len(text):,} characters, {lines:,} line{'s' * (lines != 1)}",
    )


def _chunks(text: str) -> tuple[str, ...]:
    return tuple(_CHUNKS.findall(text)) if len(text) > _CHUNK else (text,)


def coloured(code: str, language: str) -> Any:
    """Code in colours, as safe HTML; "" where there are none for it."""
    return _own(colours.coloured(code, language) or "")


def _touched(code: str) -> str:
    """The class of a loss by its code; "" for a finding that is none."""
    return _TOUCHED.get(code, "")


_TOUCHED: Final = {str(code): str(touched) for code, touched in CLASSES.items()}


def words(counts: tuple[tuple[str, int], ...]) -> str:
    """Counts in words: `2 system, 1 analysis`."""
    return ", ".join(f"{count:,} {name}" for name, count in counts)
