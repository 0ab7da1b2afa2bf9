"""Define the comparison of our reading of a message with that of a format's official reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["same", "differs", "only-ours", "only-theirs", "refused"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One message, read by our reader and by a format's official reader.

    Attributes:
        index: the index of the message in our reading, from 0; None for the open turn, and for a text after the
            messages.
        ours: our reading, in the official reader's terms; None if we read no message here.
        theirs: the official reading; None if the official reader has no message that ends here.
        verdict: `only-ours`: the official reader takes the message for part of another one, or this is an open turn,
            which it does not know; `refused`: it raised an error here.
        detail: its error, else "".
    """

    index: int | None
    ours: dict[str, str] | None
    theirs: dict[str, str] | None
    verdict: Verdict
    detail: str = ""
