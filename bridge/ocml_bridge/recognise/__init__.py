"""Recognise the kind of data, also of kinds that no format reads. docs/recognised.md lists the kinds.

`recognise` looks only at evidence: the members of JSON objects, and the beginning of a text or a file. It does not know
which formats exist; `detection` does.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple, cast

from ..errors import BridgeError
from ..formats.adapter import Source
from ..json_values import jsontext
from ..json_values.json_lines import loads_lines
from ..model import Json
from .inside import Inside, inside
from .marks import Check, Kind, Mark, Object, Place, Recognised
from .texts import FILES, TEXTS
from .walk import Steps, walk
from .wires import GENERAL, SPECIFIC

__all__ = ["KINDS", "Inside", "Kind", "Recognised", "file_of", "inside", "recognise", "sure_in"]

KINDS: Final[tuple[Kind, ...]] = (*SPECIFIC, *GENERAL, *TEXTS, *FILES)
"""All kinds, in the order in which they are tried."""


def recognise(data: Source | bytes) -> Recognised | None:
    """Recognise the kind of data, in linear time; it raises nothing.

    Args:
        data: text, also of JSON; parsed JSON; or bytes.

    Returns:
        The first kind that is certain, else the first that is possible; None if there is no evidence of any.
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
    """Recognise a binary file by its first bytes; None for JSON, text and unknown files."""
    binary = next((kind for kind in FILES if data.startswith(kind.signatures)), None)
    return None if binary is None else Recognised(binary, "the first bytes", certain=True)


def _parsed(text: str) -> Json:
    """Return the JSON value of a text, or the list of its JSON lines; None if it is neither."""
    with suppress(BridgeError):
        return jsontext.loads(text)
    with suppress(BridgeError):  # The first line is JSON, and a later one is not.
        return loads_lines(text)
    return None


def _in_text(text: str) -> Recognised | None:
    start = len(text) - len(text.lstrip())
    for kind in TEXTS:
        for pattern in kind.patterns:
            match = pattern.text.match(text, start)
            if match is not None:
                group = match.lastindex or 0  # The group is the evidence, if the pattern has one.
                at = match.start(group) if group else start
                line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
                return Recognised(kind, match[group].strip()[:40], pattern.certain, line=line, column=column)
    return None


class _Row(NamedTuple):
    """An entry of the lookup tables.

    Attributes:
        rank: the position of the mark among all marks; a lower rank wins.
        mark: the mark.
        kind: the kind that has the mark.
    """

    rank: int
    mark: Mark
    kind: Kind


class _Rows(NamedTuple):
    """The marks that have one member as evidence.

    Attributes:
        others: the marks that do not require the member to be one of some words.
        by_word: for each such word, all marks that an object can have whose member is this word.
    """

    others: tuple[_Row, ...]
    by_word: dict[str, tuple[_Row, ...]]


def _lookup(kinds: Iterable[Kind]) -> dict[Place, dict[str, _Rows]]:
    """Return the marks of some kinds by their place and by the member that is the evidence."""
    marks = [(mark, kind) for kind in kinds for mark in kind.marks]
    tables: dict[Place, dict[str, list[_Row]]] = {place: {} for place in Place}
    for rank, (mark, kind) in enumerate(marks):
        tables[mark.place].setdefault(next(iter(mark.members)), []).append(_Row(rank, mark, kind))
    return {place: {key: _by_word(key, rows) for key, rows in table.items()} for place, table in tables.items()}


def _by_word(key: str, rows: list[_Row]) -> _Rows:
    checked = [(row, _words(row.mark.members[key])) for row in rows]
    every = {word for _, words in checked for word in words or ()}
    return _Rows(
        tuple(row for row, words in checked if words is None),
        {word: tuple(row for row, words in checked if words is None or word in words) for word in every},
    )


def _words(check: Check) -> frozenset[str] | None:
    """Return the words of a check for one of some words; None for any other check."""
    return cast("frozenset[str]", check) if isinstance(check, frozenset) else None


_SPECIFIC: Final = _lookup(SPECIFIC)
_ALL: Final = _lookup((*SPECIFIC, *GENERAL))


def _in_json(source: Json) -> Recognised | None:
    """Recognise JSON by the first object that is certainly of a specific kind, else of any kind, else possibly."""
    return sure_in(source) or _general_in(source)


def sure_in(source: Json) -> Recognised | None:
    """Recognise JSON by the first object that is certainly of a specific kind; None if there is none.

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
    """Return the mark with the lowest rank that an object has, or None."""
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
