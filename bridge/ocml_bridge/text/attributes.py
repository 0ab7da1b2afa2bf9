"""Parse and check header attributes, as the text formats write them: `role key=value key=value`."""

from __future__ import annotations

import re
from typing import Final

_UNSAFE: Final = re.compile(r"[\s<|\x00-\x1f\x7f\u200b\ufeff\ud800-\udfff]")


def is_safe(value: str) -> bool:
    """Return whether a header can contain a value unchanged: not empty, no white space, no `<` or `|`."""
    return value != "" and _UNSAFE.search(value) is None


def split(header: str) -> list[str]:
    """Split a header into its words, at ASCII white space only."""
    return _WORDS.findall(header)


_WORDS: Final = re.compile(r"[^ \t\r\n\f\v]+")


def attribute(word: str) -> tuple[str, str] | None:
    """Return the key and the value of a word such as `key=value`, or None if it has no `=` or no key."""
    key, equals, value = word.partition("=")
    return (key, value) if equals and key else None


def safe(value: str) -> str:
    """Return a value with `_` for each character that a header cannot contain."""
    return _UNSAFE.sub("_", value)
