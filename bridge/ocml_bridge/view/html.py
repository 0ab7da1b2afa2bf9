"""Make self-contained pages of views, comparisons and the matrix.

The template library or the Markdown renderer (`prose`) escapes all content of transcripts, and the page's
Content-Security-Policy allows only its own style and its own script, by their hashes.
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
from .entries import Gap, Kind, View
from .matrix import Matrix
from .signoff import SignOff

if TYPE_CHECKING:
    from jinja2 import Environment

LONG: Final = 2_400
"""The number of characters from which on a text is folded."""
HUGE: Final = 60_000
"""The number of characters from which on only an excerpt of a text is laid out."""
_EXCERPT: Final = 600
MANY: Final = 36
"""The number of lines from which on a text is folded."""
_CHUNK: Final = 12_000
_CHUNKS: Final = re.compile(rf"(?s).{{1,{_CHUNK}}}(?:\n|\Z)|.{{1,{_CHUNK}}}[^\n]*(?:\n|\Z)")


class Drawn(NamedTuple):
    """A text for the templates.

    Attributes:
        markup: safe HTML of Markdown; None if the text is shown unchanged.
        chunks: the text in pieces that end with a line, so that a browser lays out only those in sight.
        folded: whether it is folded.
        excerpt: its beginning, if it is so long that the rest is laid out only on request; "" otherwise.
        size: its length, as text.
    """

    markup: Any
    chunks: tuple[Any, ...]
    folded: bool
    excerpt: str
    size: str


def view_page(view: View, *, name: str, source: str) -> str:
    """Return a page of one document.

    Args:
        view: the view.
        name: the name of the document.
        source: the format that it was read from.
    """
    return _render("view.html.j2", view=view, name=visible(name), source=source, debug=view.debug)


class NamedView(NamedTuple):
    """One conversation of several.

    Attributes:
        name: its name.
        source: the format that it was read from.
        view: the view.
    """

    name: str
    source: str
    view: View

    @property
    def opening(self) -> str:
        """Return its first visible words: those of a user, if there are any."""
        items = [item for item in self.view.items if not isinstance(item, Gap)]
        items.sort(key=lambda item: item.kind is not Kind.USER)
        texts = (block.text for item in items for block in item.blocks if block.look in (Look.PROSE, Look.PLAIN))
        return " ".join(next(filter(str.strip, texts), "")[:_EXCERPT].split())[:_OPENING]


_OPENING: Final = 90


def views_page(views: Sequence[NamedView], *, name: str) -> str:
    """Return a page of several documents, with a list of them.

    Args:
        views: the views of the documents.
        name: their common name.
    """
    named = [each._replace(name=visible(each.name)) for each in views]
    debug = any(each.view.debug for each in views)
    return _render("views.html.j2", views=named, name=visible(name), debug=debug)


def comparison_page(comparison: Comparison, *, name: str, source: str) -> str:
    """Return a page of a comparison; the arguments are those of `view_page`."""
    return _render("compare.html.j2", it=comparison, name=visible(name), source=source, debug=comparison.debug)


def panels(comparison: Comparison, *, source: str) -> dict[str, str]:
    """Return the parts of a comparison as HTML for a page with this package's style: verdict, output, conversation.

    Args:
        comparison: the comparison.
        source: the format that the document was read from.
    """
    drawn: Any = environment().get_template("panels.html.j2").module
    return {
        "verdict": str(drawn.verdict(comparison)),
        "output": str(drawn.output(comparison.written)),
        "conversation": str(drawn.conversation(comparison, source)),
    }


def matrix_page(matrix: Matrix) -> str:
    """Return a page of what each format can hold."""
    return _render("matrix.html.j2", it=matrix, name="What each format can hold")


def matrix_picture(matrix: Matrix) -> str:
    """Return a picture (SVG) of what each format can hold, for light and dark."""
    return _render("matrix.svg.j2", it=matrix)


def signoff_page(signoff: SignOff) -> str:
    """Return the sign-off page of a migration."""
    return _render("signoff.html.j2", it=signoff, name=f"{signoff.source} → {signoff.target}")


def _render(template: str, **values: object) -> str:
    return environment().get_template(template).render(**values)


@cache
def environment() -> Environment:
    """Return the environment of the templates; it is made once.

    Raises:
        BridgeError: OCB-DEPENDENCY if jinja2 or markdown-it-py is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined

        prose.renderer()
    except ImportError as error:
        raise BridgeError(ErrorCode.DEPENDENCY, f"{error.name} is missing: pip install 'ocml-convert[view]'") from error
    loader = PackageLoader("ocml_bridge.view")
    # Jinja's types have only its own filters.
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
    """Return text of this package as markup, which is not escaped."""
    from markupsafe import Markup

    return Markup(text)


def _policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy: nothing is loaded, and only this style and this script are allowed."""
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
    """Return code in colours, as safe HTML; "" if it is not coloured."""
    return _own(colours.coloured(code, language) or "")


def _touched(code: str) -> str:
    """Return the class of a loss by its code; "" for a finding's code."""
    return _TOUCHED.get(code, "")


_TOUCHED: Final = {str(code): str(touched) for code, touched in CLASSES.items()}


def words(counts: tuple[tuple[str, int], ...]) -> str:
    """Return counts in words, such as `2 system, 1 analysis`."""
    return ", ".join(f"{count:,} {name}" for name, count in counts)
