"""Call ids: which of them every format writes unchanged, and which ones writers make up."""

from __future__ import annotations

import re
from typing import Final

ID_LENGTHS: Final = range(1, 65)
"""How long an id may be that every format writes unchanged, in characters."""
is_plain_id: Final = re.compile(f"[A-Za-z0-9_-]{{{ID_LENGTHS[0]},{ID_LENGTHS[-1]}}}").fullmatch
"""Matches an id that every format writes unchanged."""


def made_up_id(number: int) -> str:
    """Return the id that a call without one gets, given its number among such calls, from 1.

    If another call of the conversation has this id, the next number is taken.
    """
    return f"call_{number}"
