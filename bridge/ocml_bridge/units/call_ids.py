"""Call ids: which of them every format writes unchanged, and which ones writers make up."""

from __future__ import annotations

import re
from typing import Final

is_plain_id: Final = re.compile("[A-Za-z0-9_-]{1,64}").fullmatch
"""Matches an id that every format writes unchanged."""

ID_LENGTHS: Final = range(1, 65)
"""How long such an id may be, in characters."""


def made_up_id(number: int) -> str:
    """Return the id that a call without one gets, given its number among such calls, from 1.

    If another call of the conversation has this id, the next number is taken.
    """
    return f"call_{number}"
