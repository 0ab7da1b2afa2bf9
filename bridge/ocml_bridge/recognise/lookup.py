"""Find the evidence in an object among all marks.

Most objects of a document have the same members. Which marks they may have follows from the names of the members, their
types, and words such as that of a role. So it is found once; only what other checks look at is looked at again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final, NamedTuple, cast

from ..common.memo import Memo
from .marks import Kind, Mark, Object, Place

_LIMIT: Final = 2048
"""How many members all cached objects of a place have together."""
_MOST_MEMBERS: Final = 64
_LONGEST_NAMES: Final = 2048
"""How many members, and how many characters of their names, an object has at most whose marks are cached."""


class Row(NamedTuple):
    """A mark of a kind.

    Attributes:
        mark: the mark.
        kind: the kind that has the mark.
    """

    mark: Mark
    kind: Kind


class Lookup:
    """Finds the first mark that an object has.

    Args:
        kinds: the kinds, in the order in which their marks are tried.
    """

    def __init__(self, kinds: Iterable[Kind]) -> None:
        rows = [Row(mark, kind) for kind in kinds for mark in kind.marks]
        self._places: Final = {place: _Place([row for row in rows if row.mark.place is place]) for place in Place}

    def best(self, place: Place, value: Object) -> Row | None:
        """Return the first mark that an object at a place has; None if it has none."""
        return next((row for row in self._places[place].rows_for(value) if row.mark.fits(value)), None)


class _Place:
    """The marks at one place.

    Args:
        rows: the marks, in their order.
    """

    def __init__(self, rows: list[Row]) -> None:
        self._rows: Final = rows
        self._words: Final[dict[str, set[str]]] = {}
        """The words that marks require of a member, by its name."""
        for row in rows:
            for name, check in row.mark.members.items():
                if isinstance(check, frozenset):
                    self._words.setdefault(name, set()).update(cast("frozenset[str]", check))
        self._known = Memo[Hashable, tuple[Row, ...]](_LIMIT)

    def rows_for(self, value: Object) -> tuple[Row, ...]:
        """Return the marks that an object may have, by its names, types and words."""
        if len(value) > _MOST_MEMBERS or sum(map(len, value)) > _LONGEST_NAMES:
            return tuple(self._rows)
        words = self._words
        key = tuple(
            [
                (name, member if member.__class__ is str and member in words.get(name, ()) else member.__class__)
                for name, member in value.items()
            ]
        )
        rows = self._known.get(key)
        if rows is None:
            rows = tuple([row for row in self._rows if row.mark.may_fit(value)])
            self._known.keep(key, rows, len(value) + 1)
        return rows
