r"""Tokens inside JSON: a string may hold them escaped (`\u003ctool_call>`), so that they are none to anyone."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from ..syntax import MARKED, MARKS

_ESCAPE: Final = "\\u003c"


@cache
def _escaped() -> re.Pattern[str]:
    """An escaped `<` that a token would begin with, behind any escaped backslashes."""
    return re.compile(rf"(?<!\\)((?:\\\\)*)\\u003c(?={'|'.join(re.escape(token[1:]) for token in MARKED)})")


def escape(text: str) -> str:
    """JSON text without tokens: outside of strings there are none."""
    return text if MARKS.is_free(text) else MARKS.plain.sub(lambda token: _ESCAPE + token[0][1:], text)


def unescape(text: str) -> str:
    """JSON text as it was before `escape`."""
    return _escaped().sub(r"\1<", text) if _ESCAPE in text else text
