"""Markdown as HTML that neither runs nor loads anything: HTML off, addresses shown, images and most links not made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LINK: Final = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)
"""What a link may lead to. Anything else, `javascript:`, `data:`, `file:` or a place beside the page, stays text."""
LONGEST: Final = 20_000
"""Characters; longer text is shown as it stands."""


def markdown(text: str) -> str:
    """Markdown as safe HTML."""
    return renderer().render(text)


@cache
def renderer() -> MarkdownIt:
    """The renderer; made once."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    made.validateLink = lambda url: _LINK.match(url) is not None  # type: ignore[method-assign]
    made.core.ruler.push("calm", _calm)
    made.add_render_rule("image", _image)
    made.add_render_rule("link_open", _link)
    return made


def _calm(state: Any) -> None:
    """Headings below those of the page; alignment as a class, because the page allows no style attributes."""
    for token in state.tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
        style = token.attrs.pop("style", None)
        if style is not None:
            token.attrs["class"] = str(style).removeprefix("text-align:")


def _image(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    from markupsafe import escape

    token = tokens[index]
    return f'<span class="image">{escape(token.content or "image")} <i>{escape(token.attrs["src"])}</i></span>'


def _link(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    token.attrs |= {"rel": "noopener noreferrer nofollow", "target": "_blank"}
    token.attrs["data-to"] = _host(str(token.attrs["href"]))
    return str(self.renderToken(tokens, index, options, env))


def _host(url: str) -> str:
    """Where a link leads, to be shown behind its text."""
    try:
        return urlsplit(url).hostname or url[:60]
    except ValueError:
        return url[:60]
