"""Header attributes: `role key=value key=value`, as the text formats write them."""

from __future__ import annotations

import re
from typing import Final

_UNSAFE: Final = re.compile(r"[\s<|\x00-\x1f\x7f\u200b\ufeff\ud800-\udfff]")


def is_safe(value: str) -> bool:
    """Whether a header can hold a value as it is: not empty, no white space, nothing that could be part of a token."""
    return value != "" and _UNSAFE.search(value) is None


def split(header: str) -> list[str]:
    """The words of a header; only ASCII white space separates them."""
    return _WORDS.findall(header)


_WORDS: Final = re.compile(r"[^ \t\r\n\f\v]+")


def attribute(word: str) -> tuple[str, str] | None:
    """A word as key and value, or None where it is not of that shape."""
    key, equals, value = word.partition("=")
    return (key, value) if equals and key else None


def unsafe_as(replacement: str, value: str) -> str:
    """A value with each character replaced that a header cannot hold."""
    return _UNSAFE.sub(replacement, value)
