"""Colour the syntax of code in HTML. No character is added or left out."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST: Final = 20_000
"""The maximal number of characters of code that is coloured."""
_LANGUAGES: Final = """
bash c c++ console cpp cs csharp css diff go html ini java javascript js json jsx kotlin lua php python py r ruby rust
sh shell sql swift toml ts tsx typescript xml yaml yml zsh
""".split()  # noqa: SIM905  # a list of words
"""The languages that are looked up; other words after a fence do not load a lexer."""


def coloured(code: str, language: str) -> str | None:
    """Return code as safe HTML; None if the language is not known, or if the code is too long.

    Args:
        code: the visible code.
        language: the language after a fence of Markdown.
    """
    lexer = _lexer(language.casefold()) if len(code) <= LONGEST else None
    if lexer is None:
        return None
    from markupsafe import escape

    out: list[str] = []
    at = 0
    for kind, text in lexer.get_tokens(code):
        name = _name(kind)
        out.append(f'<span class="{name}">{escape(text)}</span>' if name else str(escape(text)))
        if not code.startswith(text, at):
            return None
        at += len(text)
    return "".join(out) if at == len(code) else None


@cache
def _lexer(language: str) -> Lexer | None:
    if language not in _LANGUAGES:
        return None
    from pygments import lexers

    return cast("Any", lexers).get_lexer_by_name(language, stripnl=False, ensurenl=False)


def _name(kind: Any) -> str:
    """Return the style of a token in the page; "" for a token without a colour."""
    from pygments import token

    # The first that fits is used: a key of JSON is a tag, which is a name, too.
    names = (
        (token.Comment, "co"),
        (token.Keyword, "kw"),
        (token.Literal.String, "st"),
        (token.Literal.Number, "nu"),
        (token.Name.Tag, "na"),
        (token.Name.Function, "na"),
        (token.Name.Class, "na"),
        (token.Name.Attribute, "na"),
        (token.Generic.Deleted, "kw"),
        (token.Generic.Inserted, "st"),
    )
    return next((name for of, name in names if kind in of), "")
