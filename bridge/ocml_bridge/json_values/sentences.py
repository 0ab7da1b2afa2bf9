"""Say in sentences what the libraries for JSON found wrong."""

from __future__ import annotations

import re
import sys
from typing import Final

_SENTENCES: Final = {
    "unexpected content after document": "a second value begins here; write one value, or one on each line",
    "unexpected control character in string": "a string has a line break or a tab in it; write those as \\n and \\t",
    # of the standard library
    "Unterminated string starting at": "a string begins here that does not end",
    "Expecting value": "a value is missing here",
    "Expecting ',' delimiter": "a comma, or the end of the list or object, is missing here",
    "Expecting ':' delimiter": "a colon is missing here",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing here",
    "Extra data": "a second value begins here; write one value, or one on each line",
    "Invalid control character at": "a string has a line break or a tab in it; write those as \\n and \\t",
}
"""Sentences that say what is wrong or what to do, for errors that do not."""


def sentence(error: str) -> str:
    """Return the sentence for an error of a library."""
    return _SENTENCES.get(error, error)


def too_many_digits(text: str) -> tuple[str, int | None]:
    """Return the sentence for a number that has too many digits, and its offset in the text."""
    most = sys.get_int_max_str_digits()
    found = re.search(rf"(?<!\d)\d{{{most + 1},}}", text)
    return f"a number has more than {most} digits; write it as a text", None if found is None else found.start()
