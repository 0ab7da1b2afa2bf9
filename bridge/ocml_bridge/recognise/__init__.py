"""Naming what somebody has, whether a format reads it or not. docs/recognised.md is the table.

`recognise` looks at the evidence alone: the members of JSON objects, what a text or a file begins with. Which formats
there are is for `detection` to know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple, cast

from ..errors import BridgeError
from ..formats.adapter import Source
from ..json_values import jsontext
from ..model import Json
from .inside import Inside, inside
from .marks import Check, Kind, Mark, Object, Place, Recognised
from .texts import FILES, TEXTS
from .walk import Steps, walk
from .wires import GENERAL, SPECIFIC

__all__ = ["KINDS", "Inside", "Kind", "Recognised", "file_of", "inside", "recognise", "sure_in"]

KINDS: Final[tuple[Kind, ...]] = (*SPECIFIC, *GENERAL, *TEXTS, *FILES)
"""Every kind that is known, in the order in which they are looked for."""


def recognise(data: Source | bytes) -> Recognised | None:
    """What data is, as far as its evidence tells.

    Args:
        data: text, which may be that of JSON; parsed JSON; or bytes.

    Returns:
        The kind that is certain, else the first that is possible; None for what has no mark of any. It takes time
        linear in the data, and raises nothing.
    """
    if isinstance(data, bytes):
        return file_of(data) or recognise(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    if not isinstance(data, str):
        return _in_json(data)
    if data.lstrip()[:1] in ("{", "["):
        value = _parsed(data)
        if value is not None:
            return _in_json(value)
    return _in_text(data)


def file_of(data: bytes) -> Recognised | None:
    """What a file is that is neither JSON nor text, by its first bytes; None for any other."""
    found = next((kind for kind in FILES if data.startswith(kind.signatures)), None)
    return None if found is None else Recognised(found, "the first bytes", certain=True)


def _parsed(text: str) -> Json:
    """The JSON value, or the list of JSON lines, that a text is; None where it is neither."""
    with suppress(BridgeError):
        return jsontext.loads(text)
    with suppress(BridgeError):  # lines that begin as JSON, and do not go on so
        return jsontext.loads_lines(text)
    return None


_SPACE: Final = re.compile(r"\s*")


def _in_text(text: str) -> Recognised | None:
    space = _SPACE.match(text)
    start = 0 if space is None else space.end()
    for kind in TEXTS:
        for pattern in kind.patterns:
            found = pattern.text.match(text, start)
            if found is not None:
                cited = found.lastindex or 0  # the group that is the evidence, where something stands before it
                at = found.start(cited) if cited else start
                line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
                return Recognised(kind, found[cited].strip()[:40], pattern.certain, line=line, column=column)
    return None


class _Row(NamedTuple):
    """A mark as it is looked up: by its place, and by the member that it is cited with."""

    rank: int
    mark: Mark
    kind: Kind


class _Rows(NamedTuple):
    """The marks that are cited with one member.

    Attributes:
        others: those for which the member need not be one of some words.
        by_word: all that an object may have whose member is a word, by the words.
    """

    others: tuple[_Row, ...]
    by_word: dict[str, tuple[_Row, ...]]


def _lookup(kinds: Iterable[Kind]) -> dict[Place, dict[str, _Rows]]:
    marks = [(mark, kind) for kind in kinds for mark in kind.marks]
    found: dict[Place, dict[str, list[_Row]]] = {place: {} for place in Place}
    for rank, (mark, kind) in enumerate(marks):
        found[mark.place].setdefault(next(iter(mark.members)), []).append(_Row(rank, mark, kind))
    return {place: {key: _by_word(key, rows) for key, rows in table.items()} for place, table in found.items()}


def _by_word(key: str, rows: list[_Row]) -> _Rows:
    checked = [(row, _words(row.mark.members[key])) for row in rows]
    every = {word for _, words in checked for word in words or ()}
    return _Rows(
        tuple(row for row, words in checked if words is None),
        {word: tuple(row for row, words in checked if words is None or word in words) for word in every},
    )


def _words(check: Check) -> frozenset[str] | None:
    """The words that the value must be one of; None where the check is another."""
    return cast("frozenset[str]", check) if isinstance(check, frozenset) else None


_SPECIFIC: Final = _lookup(SPECIFIC)
_ALL: Final = _lookup((*SPECIFIC, *GENERAL))


def _in_json(source: Json) -> Recognised | None:
    """The first object that is certainly of a specific kind; else the first of a general one, certain ones before."""
    return sure_in(source) or _general_in(source)


def sure_in(source: Json) -> Recognised | None:
    """The first object that is certainly of a specific kind, which nothing else looks like; None where there is none.

    Args:
        source: parsed JSON.
    """
    for place, value, at in walk(source):
        row = _best(_SPECIFIC[place], value)
        if row is not None and row.mark.certain:
            return _recognised(row, value, at)
    return None


def _general_in(source: Json) -> Recognised | None:
    first: tuple[_Row, Object, Steps] | None = None
    for place, value, at in walk(source):
        row = _best(_ALL[place], value)
        if row is not None and (first is None or (row.mark.certain and not first[0].mark.certain)):
            first = row, value, at
    return None if first is None else _recognised(*first)


def _best(by_key: dict[str, _Rows], value: Object) -> _Row | None:
    """The first kind in the tables that an object has a mark of."""
    best: _Row | None = None
    for key, member in value.items():
        rows = by_key.get(key)
        if rows is None:
            continue
        for row in rows.by_word.get(member, rows.others) if isinstance(member, str) else rows.others:
            if (best is None or row.rank < best.rank) and row.mark.fits(value):
                best = row
                break
    return best


def _recognised(row: _Row, value: Object, at: Steps) -> Recognised:
    evidence, where = row.mark.cited(value, "".join(f"/{step}" for step in at))
    return Recognised(row.kind, evidence, row.mark.certain, path=where)
