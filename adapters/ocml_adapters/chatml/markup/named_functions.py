"""Tell whether `<function name=` begins a call: a name in quotes, and a parameter or the end of the call, follow it."""

from __future__ import annotations

import re
from typing import Final

_NAMED: Final = re.compile(r"""(?P<quote>["'])[^"'<>\n]+(?P=quote)\s*>\s*""")
_NAMED_SO_FAR: Final = re.compile(r"""(?:["'][^"'<>\n]*+(?:["']\s*+)?)?""")
_FOLLOW_NAME: Final = ("<param name=", "</function>", "<arguments>")
"""What follows the name of a function whose parameters have names in attributes."""


def names_function(head: str) -> bool:
    """Return whether the text after `<function name=` names a function and goes on like a call."""
    named = _NAMED.match(head)
    return named is not None and head.startswith(_FOLLOW_NAME, named.end())


def may_name_function(head: str) -> bool:
    """Return whether more text may still make it one."""
    named = _NAMED.match(head)
    if named is None:
        return _NAMED_SO_FAR.fullmatch(head) is not None
    return any(tag.startswith(head[named.end() :]) for tag in _FOLLOW_NAME)
