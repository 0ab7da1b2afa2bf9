"""Which channel a header evidently names, where it does not name one plainly; the text formats read it alike.

It fails closed: where a header names a channel that is shown and one that is hidden, its message is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

CHANNELS: Final = ("analysis", "commentary", "final")
"""The channels, the most private one first."""
_NAME: Final = re.compile("|".join(CHANNELS))
_NEAR: Final = re.compile(rf"[\W\d_]*(?:(?:{_NAME.pattern})[\W\d_]*)+")


def evident(value: str) -> str:
    """The channel that a name evidently means: `analysis??` is `analysis`, as `Analysis` is; any other is itself."""
    if value in CHANNELS:
        return value
    near = value.casefold()
    return min(_NAME.findall(near), key=CHANNELS.index) if _NEAR.fullmatch(near) else value


def chosen(names: Sequence[str], *, answers: bool) -> str | None:
    """The channel of a header with any number of channel markers.

    Of several, the most private one counts: one that nobody knows, as `analysis`, before `commentary`, and that before
    `final`. A marker without a name says nothing beside others; alone, it is `analysis`. A call, and what others than
    the assistant say, is on the first channel, a known one if there is any.

    Args:
        names: what stands behind each marker, "" where nothing does.
        answers: whether the message is the assistant's, and no call.
    """
    named = [evident(name) for name in names if name]
    if not answers:
        return next((name for name in named if name in CHANNELS), named[0] if named else None)
    if not named:
        return CHANNELS[0] if names else None
    return min(named, key=_rank)


def _rank(name: str) -> int:
    return CHANNELS.index(name) if name in CHANNELS else 0
