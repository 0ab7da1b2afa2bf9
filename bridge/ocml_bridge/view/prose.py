"""Render Markdown as HTML that neither runs nor loads anything, and hides no word of it.

HTML is off, images are not loaded, links lead only to the web and show their host. Text that Markdown would hide is
shown: definitions of references, entities as they are written, titles, and text after the language of a code block.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from .characters import visible
from .colours import coloured

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LINK: Final = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)
"""The addresses that a link may have. Any other, `javascript:`, `data:`, `file:` or a relative one, stays text."""
_DEEPEST: Final = 40
"""The maximal depth of nesting."""
LONGEST: Final = 20_000
"""The maximal number of characters; longer text is shown unchanged."""


def markdown(text: str) -> str | None:
    """Return Markdown as safe HTML; None if it is nested so deep that some of it would be left out."""
    made, env = renderer(), dict[str, Any]()
    tokens = made.parse(text, env)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        return None
    return made.renderer.render(tokens, made.options, env)


@cache
def renderer() -> MarkdownIt:
    """Return the renderer; it is made once."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": _DEEPEST})
    made.enable(["table", "strikethrough"]).disable(["reference", "entity"])
    made.validateLink = lambda url: _LINK.match(url) is not None  # type: ignore[method-assign]
    made.core.ruler.push("calm", _adapt_to_page)
    made.add_render_rule("image", _image)
    made.add_render_rule("link_open", _link)
    made.add_render_rule("fence", _fence)
    made.add_render_rule("code_block", _fence)
    made.add_render_rule("table_open", _table_open)
    made.add_render_rule("table_close", _table_close)
    return made


def _adapt_to_page(state: Any) -> None:
    """Move headings below those of the page, and make classes of alignment, as the page allows no style attributes."""
    for token in state.tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + 3, 6)}"
        style = token.attrs.pop("style", None)
        if style is not None:
            token.attrs["class"] = str(style).removeprefix("text-align:")


def _image(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    from markupsafe import escape

    token = tokens[index]
    source = " ".join(filter(None, (str(token.attrs["src"]), visible(str(token.attrs.get("title", ""))))))
    return f'<span class="image">{escape(token.content or "image")} <i>{escape(source)}</i></span>'


def _fence(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    from markupsafe import escape

    token = tokens[index]
    info = visible(token.info.strip())
    title = f'<p class="title">{escape(info)}</p>' if info else ""
    code = token.content.removesuffix("\n")
    bright = coloured(code, info.split(maxsplit=1)[0]) if info else None
    return f'<div class="code">{title}{_COPY}<pre tabindex="0"><code>{bright or escape(code)}</code></pre></div>\n'


_COPY: Final = '<button type="button" class="copy">Copy</button>'


def _table_open(*_: Any) -> str:
    return '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"


def _link(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    token.attrs |= {"rel": "noopener noreferrer nofollow", "target": "_blank"}
    title = visible(str(token.attrs.pop("title", "")))
    token.attrs["data-to"] = ", ".join(filter(None, (_host(str(token.attrs["href"])), title)))
    return str(self.renderToken(tokens, index, options, env))


def _host(url: str) -> str:
    """Return the host of a link, which is shown after its text."""
    try:
        return urlsplit(url).hostname or url[:60]
    except ValueError:
        return url[:60]
