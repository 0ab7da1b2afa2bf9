"""What two readers make of one message: ours, and a format's official one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["same", "differs", "only-ours", "only-theirs", "refused"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One message, read by our reader and by a format's official one.

    Attributes:
        index: of the message in our reading, from 0; None for the open turn and for what stands behind all messages.
        ours: what we read, in the official reader's terms; None where we read no message.
        theirs: what the official reader reads; None where it reads no message that ends here.
        verdict: `only-ours`: it took this message for part of another, or it is an open turn, which it does not know;
            `refused`: it gave up here.
        detail: its error, else "".
    """

    index: int | None
    ours: dict[str, str] | None
    theirs: dict[str, str] | None
    verdict: Verdict
    detail: str = ""
