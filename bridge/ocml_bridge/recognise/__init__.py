"""Recognise the kind of data, also of kinds that no format reads. docs/recognised.md lists the kinds.

`recognise` looks only at evidence: the members of JSON objects, and the beginning of a text or a file. It does not know
which formats exist; `detection` does.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from ..errors import BridgeError
from ..formats.adapter import Source
from ..json_values import jsontext
from ..json_values.json_lines import loads_lines
from ..model import Json
from .inside import Inside, inside
from .lookup import Lookup, Row
from .marks import Kind, Object, Recognised
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


_SPECIFIC: Final = Lookup(SPECIFIC)
_ALL: Final = Lookup((*SPECIFIC, *GENERAL))


def _in_json(source: Json) -> Recognised | None:
    """Recognise JSON by the first object that is certainly of a specific kind, else of any kind, else possibly."""
    return sure_in(source) or _general_in(source)


def sure_in(source: Json) -> Recognised | None:
    """Recognise JSON by the first object that is certainly of a specific kind; None if there is none.

    Args:
        source: parsed JSON.
    """
    for place, value, at in walk(source):
        row = _SPECIFIC.best(place, value)
        if row is not None and row.mark.certain:
            return _recognised(row, value, at)
    return None


def _general_in(source: Json) -> Recognised | None:
    first: tuple[Row, Object, Steps] | None = None
    for place, value, at in walk(source):
        row = _ALL.best(place, value)
        if row is not None and (first is None or (row.mark.certain and not first[0].mark.certain)):
            first = row, value, at
    return None if first is None else _recognised(*first)


def _recognised(row: Row, value: Object, at: Steps) -> Recognised:
    evidence, where = row.mark.cited(value, "".join(f"/{step}" for step in at))
    return Recognised(row.kind, evidence, row.mark.certain, path=where)
