"""What somebody probably meant who wrote a name that nothing has."""

from __future__ import annotations

from collections.abc import Iterable


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like another, whatever its case; None where none is like it."""
    # Imported here: names are nearly always right.
    from difflib import get_close_matches

    spelled = {each.casefold(): each for each in known}
    near = get_close_matches(name[:_LONGEST].casefold(), spelled, 1)
    return spelled[near[0]] if near else None


_LONGEST = 80
"""How much of a name is looked at, in characters: more tells nothing and takes long."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question whether that name was meant, behind a semicolon; empty where none is like it."""
    near = nearest_name(name, known)
    return "" if near is None else f"; did you mean {near}?"


def with_choices(near: str, choices: str) -> str:
    """The end of a sentence about a name that nothing has.

    Args:
        near: the question whether another name was meant, or "".
        choices: a sentence with all the names, without its full stop.
    """
    return f"{near} {choices[0].upper()}{choices[1:]}" if near else f"; {choices}"
