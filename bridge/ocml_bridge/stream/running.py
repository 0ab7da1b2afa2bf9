"""Write more of a text that is running: everything but the text is the same as in the event before."""

from __future__ import annotations

from collections.abc import Callable
from json.encoder import encode_basestring_ascii
from typing import NamedTuple

PLACE = "\ue000text\ue000"
"""Stands for the text in an event from which a `RunningText` is made."""


class RunningText(NamedTuple):
    """An event without its text.

    Attributes:
        before: what stands before its text.
        after: what stands behind it.
        take: takes a text that is written, as `more` does.
        quote: returns a text as a string of JSON.
    """

    before: str
    after: str
    take: Callable[[str], object]
    quote: Callable[[str], str] = encode_basestring_ascii

    def write(self, text: str) -> bytes:
        """Return the event with a text."""
        self.take(text)
        return f"{self.before}{self.quote(text)}{self.after}".encode()


def running_text(event: bytes, take: Callable[[str], object], quote: Callable[[str], str]) -> RunningText | None:
    """Return an event without its text; None if `PLACE` does not stand in it exactly once.

    Args:
        event: the event, with `PLACE` as its text.
        take: as for `RunningText`.
        quote: as for `RunningText`.
    """
    before, *others = event.decode().split(quote(PLACE))
    return RunningText(before, others[0], take, quote) if len(others) == 1 else None
