"""Naming what somebody has, whether a format reads it or not. docs/recognised.md is the table.

`recognise` looks at the evidence alone: the members of JSON objects, what a text or a file begins with. Which formats
there are is for `detection` to know.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final, NamedTuple, TypeGuard

from .. import jsontext
from ..adapter import Source
from ..errors import BridgeError
from ..model import Json
from .inside import Inside, inside
from .marks import Kind, Mark, Object, Place, Recognised
from .texts import FILES, TEXTS
from .walk import Steps, walk
from .wires import GENERAL, SPECIFIC

__all__ = ["KINDS", "Inside", "Kind", "Recognised", "file_of", "inside", "is_sure", "recognise"]

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


def is_sure(found: Recognised | None) -> TypeGuard[Recognised]:
    """Whether data is of a kind that nothing else looks like."""
    return found is not None and found.certain and id(found.kind) not in _GENERAL


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


def _lookup() -> dict[Place, dict[str, tuple[_Row, ...]]]:
    marks = [(mark, kind) for kind in (*SPECIFIC, *GENERAL) for mark in kind.marks]
    rows = [_Row(rank, mark, kind) for rank, (mark, kind) in enumerate(marks)]
    table: dict[Place, dict[str, tuple[_Row, ...]]] = {place: {} for place in Place}
    for row in rows:
        by_key = table[row.mark.place]
        key = next(iter(row.mark.members))
        by_key[key] = (*by_key.get(key, ()), row)
    return table


_ROWS: Final = _lookup()
_GENERAL: Final = frozenset(map(id, GENERAL))


def _in_json(source: Json) -> Recognised | None:
    """The first object that is certainly of a specific kind; else the first of a general one, certain ones before."""
    general: tuple[_Row, Object, Steps] | None = None
    for place, value, at in walk(source):
        row = _best(_ROWS[place], value)
        if row is None:
            continue
        if row.mark.certain and id(row.kind) not in _GENERAL:
            return _recognised(row, value, at)
        if general is None or (row.mark.certain and not general[0].mark.certain):
            general = row, value, at
    return None if general is None else _recognised(*general)


def _best(by_key: dict[str, tuple[_Row, ...]], value: Object) -> _Row | None:
    """The first kind in the tables that an object has a mark of."""
    best: _Row | None = None
    for key in value:
        for row in by_key.get(key, ()):
            if (best is None or row.rank < best.rank) and row.mark.fits(value):
                best = row
                break
    return best


def _recognised(row: _Row, value: Object, at: Steps) -> Recognised:
    evidence, where = row.mark.cited(value, "".join(f"/{step}" for step in at))
    return Recognised(row.kind, evidence, row.mark.certain, path=where)
