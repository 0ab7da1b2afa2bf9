"""Naming what somebody has, whether a format reads it or not. docs/recognised.md is the table.

`recognise` looks at the evidence alone: the members of JSON objects, what a text or a file begins with. Which formats
there are is for `detection` to know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from .. import jsontext
from ..adapter import Source
from ..errors import BridgeError
from ..model import Json
from .marks import Kind, Mark, Place, Recognised
from .texts import FILES, TEXTS
from .walk import walk
from .wires import GENERAL, SPECIFIC

__all__ = ["KINDS", "Kind", "Recognised", "recognise"]

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
        for kind in FILES:
            if data.startswith(kind.signatures):
                return Recognised(kind, "its first bytes", certain=True)
        return recognise(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    if not isinstance(data, str):
        return _in_json(data)
    if data.lstrip()[:1] in ("{", "["):
        value = _parsed(data)
        if value is not None:
            return _in_json(value)
    return _in_text(data)


def _parsed(text: str) -> Json:
    """The JSON value, or the list of JSON lines, that a text is; None where it is neither."""
    try:
        return jsontext.loads(text)
    except BridgeError:
        return jsontext.loads_lines(text)


_SPACE: Final = re.compile(r"\s*")


def _in_text(text: str) -> Recognised | None:
    space = _SPACE.match(text)
    start = 0 if space is None else space.end()
    for kind in TEXTS:
        for pattern in kind.patterns:
            found = pattern.text.match(text, start)
            if found is not None:
                line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
                return Recognised(kind, found[0].strip()[:40], pattern.certain, line=line, column=column)
    return None


_Rows = dict[Place, tuple[tuple[Mark, Kind], ...]]


def _by_place(kinds: Iterable[Kind]) -> _Rows:
    rows = [(mark, kind) for kind in kinds for mark in kind.marks]
    return {place: tuple(row for row in rows if row[0].place is place) for place in Place}


_PASSES: Final = (_by_place(SPECIFIC), _by_place(GENERAL))


def _in_json(source: Json) -> Recognised | None:
    possible: Recognised | None = None
    for rows in _PASSES:
        for place, value, path in walk(source):
            for mark, kind in rows[place]:
                if mark.fits(value):
                    evidence, where = mark.cited(value, path)
                    if mark.certain:
                        return Recognised(kind, evidence, certain=True, path=where)
                    possible = possible or Recognised(kind, evidence, certain=False, path=where)
    return possible
