"""Suggest the known name that is closest to an unknown one, for error messages."""

from __future__ import annotations

from collections.abc import Iterable


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is closest to a name, whatever the case, or None if none is similar."""
    # Imported here because nearly all names are right.
    from difflib import get_close_matches

    by_casefolded = {each.casefold(): each for each in known}
    matches = get_close_matches(name[:_LONGEST].casefold(), by_casefolded, 1)
    return by_casefolded[matches[0]] if matches else None


_LONGEST = 80
"""The number of characters of a name that are compared, because comparing long names takes long."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` with the closest known name, or "" if none is similar."""
    nearest = nearest_name(name, known)
    return "" if nearest is None else f"; did you mean {nearest}?"


def with_choices(suggestion: str, choices: str) -> str:
    """Return the end of a sentence about an unknown name.

    Args:
        suggestion: the result of `did_you_mean`.
        choices: a sentence with all the known names, without its full stop.
    """
    return f"{suggestion} {choices[0].upper()}{choices[1:]}" if suggestion else f"; {choices}"
