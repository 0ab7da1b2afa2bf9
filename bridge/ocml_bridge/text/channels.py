"""Choose the channel of a message from misspelt or repeated channel names in its header.

All text formats use the same rules. They fail closed: if a header names a hidden channel and a visible one, the message
is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

CHANNELS: Final = ("analysis", "commentary", "final")
"""The known channels, the most private one first."""
_NAME: Final = re.compile("|".join(CHANNELS))
_MISSPELT: Final = re.compile(rf"[\W\d_]*(?:(?:{_NAME.pattern})[\W\d_]*)+")
_HIDDEN: Final = CHANNELS[0]
_NEARLY_HIDDEN: Final = re.compile(
    "|".join(
        [
            *(f"{_HIDDEN[:at]}[a-z]?{_HIDDEN[at + 1 :]}" for at in range(len(_HIDDEN))),
            *(f"{_HIDDEN[:at]}[a-z]{_HIDDEN[at:]}" for at in range(1, len(_HIDDEN))),
            f"[a-z]+{_HIDDEN}",
        ]
    )
)
"""Matches the hidden channel's name with one letter too few, too many or wrong, or with a word glued before it."""


def evident(value: str) -> str:
    """Return the known channel that a misspelt name means (`analysis??` and `Analysis` mean `analysis`), else the name.

    If the name contains several channels, the most private one is returned.
    """
    if value in CHANNELS:
        return value
    folded = value.casefold()
    return min(_NAME.findall(folded), key=CHANNELS.index) if _MISSPELT.fullmatch(folded) else value


def meant(word: str) -> str:
    """Return the known channel that a word without a marker before it means, else the word.

    More misspellings than those of `evident` mean the hidden channel (`analysi`, `jsonanalysis`).
    """
    return _HIDDEN if _NEARLY_HIDDEN.fullmatch(word.casefold()) else evident(word)


def chosen(names: Sequence[str], *, answers: bool) -> str | None:
    """Return the channel of a header with any number of channel markers; None if it has none.

    For an answer, the most private channel is chosen: `analysis` or an unknown one, then `commentary`, then `final`.
    Markers without a name are ignored if there are others, else they mean `analysis`. For a call, and for messages of
    other authors than the assistant, the first known channel is chosen, or the first one if none is known.

    Args:
        names: the name after each marker; "" if there is none.
        answers: whether the message is an answer of the assistant, not a call.
    """
    channels = [evident(name) for name in names if name]
    if not answers:
        return next((name for name in channels if name in CHANNELS), channels[0] if channels else None)
    if not channels:
        return CHANNELS[0] if names else None
    return min(channels, key=_rank)


def _rank(name: str) -> int:
    return CHANNELS.index(name) if name in CHANNELS else 0
